"""Lines of page files: a mistake names the line that it is on."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.io.message import Message
from report.pagefile.page_file import PageError, load
from report.pagefile.stated_lines import MOST_CHARACTERS, line_of, statements

PAGE = """title = "T"
model = "M"
unit = "images/s"
tested = ["T"]
highlights = [{ scaling = { cards = 8 } }]

[columns.a]
title = "A"
logs = "a{cards}.log"  # [columns.b] is no heading here
protocol = "plain"

[columns.b]
title = "B"
runs = [
    { when = { cards = 1 }, logs = "b1.log", protocol = "plain" },
    { logs = "b8.log", protocol = "plain" },
]

[[tables]]
name = "first"
title = "First"
case = { precision = "fp32" }
rows = { cards = [1, 8] }
columns = [
    "a",
    "b",
]

[[tables]]
name = "second"
title = "Second"
from = "first"
quantity = "scaling_efficiency"
"""


@pytest.mark.parametrize(
    ("found", "put_there", "line"),
    [
        ('unit = "images/s"', "unit = 5", 3),
        (
            "[{ scaling = { cards = 8 } }]",
            "[\n    { scaling = { cards = 8 } },\n    { scaling = { cards = 4 } },\n]",
            7,
        ),
        ("cards = 8 } }]", "cards = 16 } }]", 5),
        ('protocol = "plain"\n\n', 'protocol = "skip=5"\n\n', 10),
        ('logs = "b8.log", protocol', 'logs = "b8.log", protocl', 16),
        ('"fp32"', '"FP32"', 22),
        ("[1, 8]", "[1, 8, 8]", 23),
        ("[1, 8]", '[1, "8"]', 23),
        ('    "b",\n', '    "c",\n', 26),
        ('title = "Second"', 'titel = "Second"', 31),
        ('from = "first"', 'from = "frist"', 32),
        ('"scaling_efficiency"', '"scaling"', 33),
    ],
)
def test_a_mistake_names_the_line_that_it_is_on(found: str, put_there: str, line: int, tmp_path: Path) -> None:
    assert PAGE.count(found) == 1
    path = tmp_path / "page.toml"
    path.write_text(PAGE.replace(found, put_there), encoding="utf-8")
    with pytest.raises(PageError) as told:
        load(path)
    assert str(told.value).startswith(f"{path}, line {line}: ")


def test_what_is_missing_from_a_page_file_has_no_line(tmp_path: Path) -> None:
    path = tmp_path / "page.toml"
    path.write_text(PAGE.replace('model = "M"\n', ""), encoding="utf-8")
    with pytest.raises(PageError) as told:
        load(path)
    assert str(told.value) == f"{path}: model is missing."


def test_text_in_a_value_is_no_heading() -> None:
    assert [(one.line, one.key) for one in statements('a = """\n[b]\n"""\nc = 1\n[[d]]\n[[d]]\ne.f = 2\n')] == [
        (1, ("a",)),
        (4, ("c",)),
        (5, ("d", 0)),
        (6, ("d", 1)),
        (7, ("d", 1, "e")),
    ]


@given(st.lists(st.sampled_from(["", "# [x]", "a = 1", "b = [\n  1,\n]", '"c.d" = """\n\n"""'])))
def test_statements_are_the_lines_of_the_file_in_order(parts: list[str]) -> None:
    said = list(statements("\n".join(parts)))
    assert [one.text for one in said] == [part for part in parts if "=" in part]
    assert [one.line for one in said] == sorted({one.line for one in said})


def test_a_value_of_very_many_lines_is_given_up() -> None:
    text = f"a = [\n{'1,' * 20}\n" + "1,\n" * (MOST_CHARACTERS // 100) + "]\nb = 2\n"
    assert line_of(text, Message("{key} is wrong.", key="b")) is None
