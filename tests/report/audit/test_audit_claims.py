"""Which numbers a document claims, and where."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.audit.claims import Claim, claims_of
from report.audit.documents import CELL, CODE, HEADER, ITEM, KEY, PROSE
from report.audit.number import CLOCK, DURATION, Number, numbers_in

Read = Callable[[str, str], list[Claim]]
ENDINGS = ["md", "html", "json"]


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """The claims of a document of a name and a text."""
    folder = tmp_path_factory.mktemp("documents")

    def claims(name: str, text: str) -> list[Claim]:
        (folder / name).write_text(text, encoding="utf-8", newline="")
        return claims_of(folder, name)

    return claims


def places(claims: Sequence[Claim]) -> list[tuple[Any, ...]]:
    return [(one.line, one.column, one.number.text, one.row, one.col) for one in claims]


TABLES = {
    "bars": (
        "d.md",
        "| run | loss |\n|:--|--:|\n| a | 3.25 |\n| b | **3.5** |\n",
        [(3, 7, "3.25", 0, 1), (4, 9, "3.5", 1, 1)],
    ),
    "no bars at the sides": ("d.md", "run | loss\n--|--\na | 3.25\n", [(3, 5, "3.25", 0, 1)]),
    "escaped bar": ("d.md", "| a | b |\n|-|-|\n| x \\| 1 | 2.5 |\n", [(3, 8, "1", 0, 0), (3, 12, "2.5", 0, 1)]),
    "code span": ("d.md", "| a | b |\n|-|-|\n| `x` | `2.5` |\n", [(3, 10, "2.5", 0, 1)]),
    "in a list": ("d.md", "- x\n\n  - y\n\n    | a | b |\n    |-|-|\n    | c | 2.5 |\n", [(7, 11, "2.5", 0, 1)]),
    "in a quote": ("d.md", "> | a | b |\n> |-|-|\n> | c | 2.5 |\n", [(3, 9, "2.5", 0, 1)]),
    "target of a link": ("d.md", "| a | b |\n|-|-|\n| c | [2.5](runs/7) |\n", [(3, 8, "2.5", 0, 1)]),
    "carriage returns": ("d.md", "| a | b |\r\n|-|-|\r\n| c | 2.5 |\r\n", [(3, 7, "2.5", 0, 1)]),
    "HTML in Markdown": (
        "d.md",
        "x\n<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>c</td><td>\n2.5</td></tr>\n</table>\n",
        [(5, 1, "2.5", 0, 1)],
    ),
    "columns spanned": ("d.html", "<table><tr><th>a<tr><td colspan=2>x<td>2.5</table>", [(1, 40, "2.5", 0, 2)]),
}


@pytest.mark.parametrize(("name", "text", "expected"), TABLES.values(), ids=TABLES)
def test_cells_of_tables(read: Read, name: Any, text: Any, expected: Any) -> None:
    claims = read(name, text)
    assert places(claims) == expected
    assert {one.place for one in claims} == {CELL}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_a_page_may_be_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    _, text, expected = TABLES["bars"]
    (tmp_path / "d.md").write_bytes(text.encode(encoding))
    assert places(claims_of(tmp_path, "d.md")) == expected


def test_labels_headings_and_links_of_a_cell(read: Read) -> None:
    text = "# Speed\n\nOf `x`, in images/s:\n\n| run | N1 |\n|-|-|\n| [a](logs/a.txt) | 412.5 |\n"
    (claim,) = read("d.md", text)
    assert (claim.row_label, claim.col_label, claim.row_title) == ("a", "N1", "run")
    assert claim.links == ("logs/a.txt",)
    assert (claim.quantity, claim.unit) == ("rate", "images/s")
    assert claim.heading.endswith("Speed")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("| run | at 3.25 s |\n|-|-|\n| x | y |\n", (HEADER, False)),
        ("<table><tr><th>n<th>s<tr><td rowspan=2>x8<td>at 3.25 s<tr><td>y</table>", (PROSE, True)),
    ],
    ids=["in a header, which names columns", "in a table with cells that span rows"],
)
def test_numbers_that_are_in_no_cell_of_a_grid_are_counted(read: Read, text: str, place: tuple[str, bool]) -> None:
    assert ("3.25", *place) in [(one.number.text, one.place, one.is_measured) for one in read("d.html", text)]


def test_tables_are_numbered_and_prose_is_in_none(read: Read) -> None:
    text = "Loss 3.25.\n\n|a|b|\n|-|-|\n|x|1.5|\n\n|a|b|\n|-|-|\n|x|2.5|\n"
    assert [(one.place, one.table) for one in read("d.md", text)] == [(PROSE, -1), (CELL, 0), (CELL, 1)]


def test_lists_of_a_block_are_columns_of_one_table(read: Read) -> None:
    text = "```\nlosses = [3.25, 3.5,\n  3.75]\ntimes = torch.tensor([60.5, 61.5, 62.5])\n```\n\nscores: [0.5, 0.25]\n"
    claims = read("d.md", text)
    assert {one.place for one in claims} == {ITEM}
    assert [(one.col_label, one.table, one.col, one.row, one.line) for one in claims] == [
        ("losses", 0, 0, 0, 2),
        ("losses", 0, 0, 1, 2),
        ("losses", 0, 0, 2, 3),
        ("times", 0, 1, 0, 4),
        ("times", 0, 1, 1, 4),
        ("times", 0, 1, 2, 4),
        ("scores", 1, 0, 0, 7),
        ("scores", 1, 0, 1, 7),
    ]


def test_a_drawing_in_code_is_no_table(read: Read) -> None:
    text = "```\n+---+---+\n| 0 | 1 |\n+---+---+\n| 2 | 3 |\n+---+---+\n\nx = 1    # 3 s\ny = 2    # 4 s\n```\n"
    assert [one.place for one in read("d.md", text)] == [CODE] * 8


CODE_LINES = [
    ("batch = 64", False),
    ("#  p=0.0013", True),
    ("# val_loss=3.2781", True),
    ("speed: 412.5 images/s", True),
    ("took 2m36s", True),
]


@pytest.mark.parametrize(("line", "is_measured"), CODE_LINES, ids=[line for line, _ in CODE_LINES])
def test_code_claims_only_what_it_printed(read: Read, line: Any, is_measured: Any) -> None:
    claims = read("d.md", f"```\n{line}\n```\n")
    assert {one.place for one in claims} == {CODE}
    assert {one.is_measured for one in claims} == {is_measured}


def test_names_in_code_spans_are_no_claims_and_values_are(read: Read) -> None:
    text = "`runs/2024-10-13/a1.log` has `val_loss = 3.25` and `p = 4.5e-04`, ~`1.5 s`."
    assert [one.number.text for one in read("d.md", text)] == ["3.25", "4.5e-04", "1.5"]


def test_number_that_a_document_calls_inexact_is_marked(read: Read) -> None:
    assert [one.is_about for one in read("d.md", "Loss ~3.25, loss 3.5, about 3.75.")] == [True, False, True]


def test_data_sheet_is_no_measurement_and_a_table_with_a_price_may_be(read: Read) -> None:
    sheet = "|card|TDP|CUDA cores|TFLOPS|\n|-|-|-|-|\n|x|250 W|3584|11.3|\n"
    assert not any(one.is_measured for one in read("d.md", sheet))
    priced = "|card|Price|tok/s|\n|-|-|-|\n|x|1.79|871.3|\n"
    assert [one.is_measured for one in read("d.md", priced)] == [False, True]


def test_keys_of_json_are_labels(read: Read) -> None:
    text = (
        '{"name": "x 5",\n "seeds": {"42": {"val_loss": 3.2500},\n  "1": {"val_loss": 3.5}},\n "times": [60.5, 61.5]}'
    )
    claims = read("d.json", text)
    assert [(one.line, one.column, one.number.text, one.row_label, one.col_label) for one in claims] == [
        (2, 31, "3.2500", "seeds 42 val_loss", "val_loss"),
        (3, 21, "3.5", "seeds 1 val_loss", "val_loss"),
        (4, 12, "60.5", "times", "times"),
        (4, 18, "61.5", "times", "times"),
    ]
    assert len({one.table for one in claims}) == 3
    assert {one.place for one in claims} == {KEY}


NUMBERS = st.decimals(-1000, 1000, places=3).map(float) | st.integers(-(10**9), 10**9)
VALUES = st.recursive(
    NUMBERS | st.text(max_size=5),
    lambda one: st.lists(one, max_size=4) | st.dictionaries(st.text(max_size=4), one, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1]))
def test_each_number_of_json_is_one_claim(read: Read, value: Any, indent: Any) -> None:
    def numbers(one: Any) -> list[float]:
        if isinstance(one, dict | list):
            return [n for part in (one.values() if isinstance(one, dict) else one) for n in numbers(part)]
        return [] if isinstance(one, str) else [one]

    found = [float(one.number.text) for one in read("d.json", json.dumps(value, indent=indent))]
    assert found == [float(one) for one in numbers(value)]


WORDS = ["|-|-|\n", "```\n", "# ", "> ", "- ", "  ", "[a](b)", "](", " ms", "x = [", "1.25", "2m36s", "误差"]
TAGS = ["<td>", "<tr>", "<table>", "</table>", "&nbsp;", "<!--"]
MARKS = st.sampled_from([*'|`*a[]{}:,"3\n', "\\|", "\n\n", *WORDS, *TAGS])


@given(st.lists(MARKS, max_size=40).map("".join), st.sampled_from(ENDINGS))
def test_claims_stand_where_they_are_said_to_whatever_a_document_holds(read: Read, text: Any, ending: Any) -> None:
    claims = read(f"d.{ending}", text)
    lines = text.split("\n")
    for one in claims:
        assert lines[one.line - 1][one.column - 1 :].startswith(one.number.text[0])
    assert len({(one.line, one.column) for one in claims}) == len(claims)


LARGE = {
    "a long line": ("d.md", "1.5 ms " * 30_000, 30_000),
    "brackets that do not close": ("d.md", "[a](" * 250_000, 0),
    "a wide row": ("d.md", "|" + "a|" * 20_000 + "\n|" + "-|" * 20_000 + "\n|" + "1.25|" * 20_000, 20_000),
    "many tables": ("d.md", "|a|b|\n|-|-|\n|x|1.5|\n\n" * 4_000, 4_000),
    "many lists": ("d.md", "a = [1.5, 2.5]\n" * 10_000, 20_000),
    "deep JSON": ("d.json", "[" * 500_000 + "1.5" + "]" * 500_000, 1),
    "a string that does not end": ("d.json", '"' + '\\"' * 500_000, 0),
    "tags that do not end": ("d.html", "<a " * 300_000, 0),
}


@pytest.mark.parametrize(("name", "text", "count"), LARGE.values(), ids=LARGE)
def test_hostile_documents_are_read(read: Read, name: Any, text: Any, count: Any) -> None:
    assert len(read(name, text)) == count


WRITTEN = [
    ("1.25", [("1.25", 1.25, 0.01, "plain")]),
    ("−0.0013", [("−0.0013", -0.0013, 1e-4, "plain")]),
    ("1,234.5 of 12", [("1,234.5", 1234.5, 0.1, "plain"), ("12", 12, 1, "plain")]),
    ("4.53e-04", [("4.53e-04", 4.53e-4, 1e-6, "plain")]),
    ("1.2k and 3M", [("1.2", 1200, 100, "plain"), ("3", 3e6, 1e6, "plain")]),
    ("1.5 M tok/s", [("1.5", 1.5e6, 1e5, "plain")]),
    ("256 K tokens", [("256", 256, 1, "plain")]),
    ("2.5万", [("2.5", 25000, 1000, "plain")]),
    ("52 664", [("52 664", 52664, 1, "plain")]),
    ("2m36s", [("2m36s", 156, 1, "duration")]),
    ("1h 20min", [("1h 20min", 4800, 60, "duration")]),
    ("1 hour, 2 minutes 3.5 s", [("1 hour, 2 minutes 3.5 s", 3723.5, 0.1, "duration")]),
    ("5s 20ms", [("5s 20ms", 5.02, 1e-3, "duration")]),
    ("8s 12s", [("8", 8, 1, "plain"), ("12", 12, 1, "plain")]),  # two times
    ("1d 2h 3m", [("1", 1, 1, "plain"), ("2", 2, 1, "plain"), ("3", 3, 1, "plain")]),  # days are not read
    ("3:59.2", [("3:59.2", 239.2, 0.1, "clock")]),
    ("00:12:34", [("00:12:34", 754, 1, "clock")]),
    ("16:9", [("16", 16, 1, "plain"), ("9", 9, 1, "plain")]),
    ("2024-10-13", [("2024-10-13", 2024, 1, "date")]),
    ("v1.2, 12.4.1, x86, a/3, ResNet50", []),
    ("9" * 41, []),
]


@pytest.mark.parametrize(("text", "numbers"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_numbers_of_a_text(text: Any, numbers: Any) -> None:
    found = [(one.number.text, one.number.value, one.number.step, one.form) for one in numbers_in(text)]
    near = pytest.approx
    expected: list[Any] = [(text, near(value), near(step), form) for text, value, step, form in numbers]
    assert found == expected


@given(st.text(alphabet="0123456789.,:-+−eEkKM hmsind/$万年\n\u202f", max_size=60))
def test_numbers_stand_where_they_are_said_to(text: Any) -> None:
    behind = 0
    for one in numbers_in(text):
        assert text[one.start : one.end].startswith(one.number.text)
        assert behind <= one.start < one.end
        assert one.number.step > 0
        behind = one.end


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_printed_value_is_a_rounding_of_it_and_within_its_interval(value: Any, decimals: Any) -> None:
    number = Number.of(f"{value:.{decimals}f}")
    low, high = number.interval
    assert number.rounding_of(value)
    assert low <= value <= high


@given(
    st.integers(0, 99),
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(["{}h{}m{}s", "{}h {}min {}sec", "{}:{:02}:{:02}"]),
)
def test_durations_are_their_seconds(hours: Any, minutes: Any, seconds: Any, form: Any) -> None:
    (one,) = numbers_in(form.format(hours, minutes, seconds))
    assert one.number.value == hours * 3600 + minutes * 60 + seconds
    assert one.form in (DURATION, CLOCK)


@pytest.mark.parametrize(
    ("text", "digits", "step"), [("16,000,000", 2, 1e6), ("0.0120", 2, 1e-3), ("3.2781", 5, 1e-4), ("0", 0, 1.0)]
)
def test_zeros_at_the_ends_do_not_inform(text: Any, digits: Any, step: Any) -> None:
    number = Number.of(text)
    assert number.digits == digits
    assert number.informative_step == pytest.approx(step)
