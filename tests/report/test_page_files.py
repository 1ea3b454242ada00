"""Page files: what a mistake in one is told as."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from parsers.io.validation import mistake
from report.audit.board import SHIPPED, Board
from report.measure.protocol import Protocol, ProtocolError
from report.pagefile.launch_file import LaunchFile
from report.pagefile.page import Page, PageFile
from report.pagefile.page_file import FOLDER, PageError, find, load
from report.pagefile.parts import DIALECT
from report.pagefile.toml_lines import MOST_CHARACTERS, Key, line_of, positions
from tests.commandline import PROJECT
from tests.conftest import Compare

PAGE = """title = { en = "ResNet50: how our cards scale", zh = "ResNet50：多卡扩展" }
model = "ResNet50"
unit = "images/s"
prose = "speed"
fastest = [
    { cards = 8, precision = ["fp32", "amp"] },
    { cards = 1 },
    { cards = 2 },
]
names = { precision = { fp32 = "FP32", amp = "AMP" } }
cautions = [{ column = "acme", case = { cards = 8 }, text = "waited for data" }]

[columns.acme]
title = "Acme"
logs = "mine/runs__{model}_{precision}_c{cards}/*/train.log"
names.model.ResNet50 = { file = "resnet50" }
protocol = "skip_records=4,decimals=1"

[[tables]]
name = "main"
title = { en = "Throughput", zh = "吞吐量" }
corner = "Cards"
case = { model = "ResNet50", batch_size = 128 }
# Rows of cards in groups of precisions.
rows = { precision = ["fp32", "amp"], cards = [1, 2, 8] }
columns = ["acme", { column = "acme", quantity = "scaling_efficiency" }]

[[tables]]
name = "gain"
title = { en = "Speed-up of AMP over FP32", zh = "AMP 相对 FP32 的加速比" }
case = { model = "ResNet50", batch_size = 128, precision = "amp" }
rows = { cards = [1, 2, 8] }
columns = [{ column = "acme", quantity = "speed_up", against = { case = { precision = "fp32" } } }]
"""
MAIN = 'rows = { precision = ["fp32", "amp"], cards = [1, 2, 8] }'
LOGS = 'logs = "mine/runs__{model}_{precision}_c{cards}/*/train.log"\n'
ROWS = "rows = [" + "".join(f'{{ title = "{n}", case = {{ cards = {n % 2 + 1} }} }}, ' for n in (1, 2, 3)) + "]"
CASE = 'case = { model = "ResNet50", batch_size = 128 }'
TITLE = '{ en = "ResNet50: how our cards scale", zh = "ResNet50：多卡扩展" }'
PROTOCOL, EFFICIENCY = '"skip_records=4,decimals=1"', '{ column = "acme", quantity'


def titled(title: str, case: str = "cards = 1") -> str:
    """A table of one row in place of the one of axes."""
    return f'rows = [{{ title = "{title}", case = {{ {case} }} }}]'


# A change of the page, and the line and the word that the sentence about it names.
MISTAKES = [
    ('unit = "images', 'units = "images', 3, "unit"),
    (MAIN, MAIN.replace("fp32", "FP32"), 25, "'fp32'"),
    (MAIN, MAIN.replace("8", '"eight"'), 25, "'eight'"),
    (CASE, CASE.replace("128", '"128"'), 23, "'128'"),
    (MAIN, MAIN.replace("1, 2", "1, 2, 2"), 25, "cards"),
    (MAIN, MAIN.replace(" }", ", except = [{ cards = 4 }] }"), 25, "except: no row has cards 4"),
    ('["acme", {', '["acne", {', 26, "'acne'"),
    ('"scaling_eff', '"scaling_ef', 26, "tables.main.columns.acme.quantity"),
    ('columns = ["acme", {', 'columns = "acme" # {', 26, "tables.main.columns"),
    ("skip_records=4", "skip_record=4", 17, "skip_record"),
    ("decimals=1", "decimals=one", 17, "decimals: Input should be a valid integer"),
    ("c{cards}/", "c{card}/", 15, "{card}"),
    ('"mine/runs', '"/mine/runs', 15, "columns.acme.logs"),
    ("{ cards = 1 },", "{ crads = 1 },", 7, "fastest.crads"),
    ("{ cards = 1 },", "{},", 7, "fastest"),
    ("{ cards = 2 },\n]", "{ cards = 2 },\n    { cards = 1 },\n]", 5, "fastest"),
    ("{ cards = 1 },", "{ cards = 4 },", 7, "cards 4"),
    ("names = { precision", "names = { precison", 10, "names.precison"),
    ('fp32 = "FP32"', 'fp23 = "FP32"', 10, "'fp23'"),
    ('unit = "images/s"', 'unit = "images/s', 3, "TOML"),
    ('prose = "speed"', 'prose = "sped"', 4, "'sped'"),
    ('{ en = "Throughput", ', "{ ", 21, "tables.main.title"),
    ('name = "gain"', 'name = "main"', 29, "'main'"),
    ('{ precision = "fp32" } }', '{ precision = "bf16" } }', 33, "speed_up"),
    ('text = "waited for data"', 'text = " "', 11, "cautions.acme.text"),
    ("case = { cards = 8 }, text", 'case = { cards = "8" }, text', 11, "'8'"),
    ("case = { cards = 8 }, text", "case = { cards = 4 }, text", 11, "cards 4"),
    ('{ precision = "fp32" } }', '{ cards = "1" } }', 33, "'1'"),
    ("{ cards = 1 },", '{ cards = "1" },', 7, "'1'"),
    (CASE, CASE.replace("Net50", "Net-50"), 33, "model ResNet50"),
    ('"images/s"', '"img/s"', 3, "write 'images/s'"),
    ('"images/s"', '"tok/s"', 3, "write 'tokens/s'"),
    ("[1, 2, 8]", "[1, 2 8]", 25, "a comma or a closing bracket is missing before '8'"),
    ("{ cards = 1 },", "{ cards = 1 }", 8, "a comma or a closing bracket is missing"),
    (LOGS, "", 13, "columns.acme has neither logs nor a quote"),
    (MAIN, ROWS, 25, "the rows 1 and 3 have the same case"),
    ("[1, 2, 8]", "[1, 2, 8], card = [1]", 25, "did you mean cards?"),
    ("rows = { cards", "rows = { precison", 32, "did you mean precision?"),
    ("names.model.ResNet50 =", "names.model.ResNet5 =", 16, "did you mean 'ResNet50'?"),
    ('{ file = "resnet50" }', '{ fil = "resnet50" }', 16, "did you mean file?"),
    ('title = "Acme"', 'title = "Acme"\ntitle = "B"', 15, "Cannot overwrite a value"),
    (PROTOCOL, '"tipk"', 17, "columns.acme.protocol"),
    (PROTOCOL, f"{PROTOCOL}\nabc = 1", 18, "columns.acme.abc"),
    *(
        (EFFICIENCY, EFFICIENCY.replace("quantity", f'protocol = "{protocol}", quantity'), 26, named)
        for protocol, named in [
            ("record=step", "record is not a valid key"),
            ("estimate=clock,trim=0.1", "estimate=clock"),
        ]
    ),
    (CASE, CASE.replace(" }", ', colour = "red" }'), 23, "tables.main.case.colour"),
    ('"mine/runs', '"../runs', 15, "columns.acme.logs"),
    ('unit = "images/s"\n', "", None, "unit"),
    (MAIN, titled("{cards.real}"), 25, "{cards.real}"),
    (
        MAIN,
        titled("{nodes}", 'cards = 1, precision = "fp32" } }, { title = "2", case = { cards = 2, precision = "amp"'),
        25,
        "{nodes}",
    ),
    (MAIN, titled("{"), 25, "tables.main.rows.title"),
    ('["acme", {', '[{ column = "acme", decimals = 2 }, {', 26, "protocol = 'decimals=2'"),
    # A text of a heading, a cell or a command has one line.
    (PROTOCOL, f'{PROTOCOL}\nnames.precision = {{ "a\\nb" = "c" }}', 18, "columns.acme.names.precision: 'a"),
    ('title = "Acme"', 'title = "A\\r"', 14, "columns.acme.title: 'A"),
    (TITLE, '"T\\n# Another"', 1, "title: 'T"),
    ('unit = "images/s"', 'unit = """\nimages/s\n"""', 3, "unit: 'images/s"),
    ('model = "ResNet50"', 'model = "M\\u2028N"', 2, "model: 'M"),
    ('corner = "Cards"', 'corner = "a\\u0085b"', 22, "tables.main.corner: 'a"),
    (MAIN, titled("{cards}\\f"), 25, "tables.main.rows.title: '{cards}"),
    (MAIN, titled("x", 'cards = 1, device = "a\\nb"'), 25, "tables.main.rows.case.device: 'a"),
    # Texts of several languages, and rows of axes.
    ('prose = "speed"', 'prose = "../speed"', 4, "'../speed'"),
    ('zh = "吞吐量"', 'zh = "{全部}"', 21, "'{全部}'"),
    ('en = "Throughput"', 'en = "Speed-up of AMP over FP32"', None, "'Speed-up of AMP over FP32'"),
    (MAIN, MAIN.replace("[1,", "[true,"), 25, "tables.main.rows.cards"),
    (MAIN, MAIN.replace("[1, 2, 8]", "1"), 25, "tables.main.rows.cards: Input should be a valid list, not 1."),
    (MAIN, MAIN.replace("[1, 2, 8]", f"{[*range(1, 502)]}"), 25, "more than 1000 rows"),
    (MAIN, MAIN.replace("[1, 2, 8]", f"{[1] * 1001}, nodes = []"), 25, "more than 1000 rows"),
    (MAIN, MAIN.replace("[1,", "[0,"), 25, "cards is 0"),
    (MAIN, MAIN.replace(" }", ', except = [{ dev = "A100" }] }'), 25, "tables.main.rows.except.dev"),
    # The reference of a quality.
    *(
        (PROTOCOL, f"{PROTOCOL}\nquality = {{ {stated} }}", 18, named)
        for stated, named in [
            ('reference = "a"', "quality needs reference with loss"),
            ("", "quality needs reference with loss"),
            ('reference = "../a", loss = "2%"', "leaves the log folder"),
            ('reference = "{colour}", loss = "2%"', "{colour} cannot be used"),
            ('reference = "a", loss = "2"', "expected a percentage such as '2%'"),
            ('reference = "a", loss = "100%"', "expected a percentage such as '2%'"),
            ('reference = "a", loss = "0.0%"', "expected a percentage such as '2%'"),
        ]
    ),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The page file beside its texts."""
    (tmp_path / "speed").mkdir()
    (tmp_path / "speed/tested.en.md").write_text("How our cards scale.", encoding="utf-8")
    return tmp_path / "speed.toml"


@pytest.mark.parametrize(("found", "put", "line", "named"), MISTAKES)
def test_a_mistake_of_an_author_is_told_with_its_file_its_line_and_what_is_wrong(
    found: str, put: str, line: int | None, named: str, path: Path
) -> None:
    assert found in PAGE
    path.write_text(PAGE, encoding="utf-8")
    load(path)
    path.write_text(PAGE.replace(found, put, 1), encoding="utf-8")
    with pytest.raises(PageError) as raised:
        load(path)
    sentence = str(raised.value)
    assert sentence.startswith(str(path))
    assert line is None or f"line {line}" in sentence
    assert named in sentence
    assert "\n" not in sentence


def test_the_mark_that_an_editor_puts_before_a_text_does_not_belong_to_it(path: Path) -> None:
    path.write_text(PAGE, encoding="utf-8-sig")
    assert load(path).tables[0].rows[0].case == {"precision": "fp32", "cards": 1}


@pytest.mark.parametrize("put", ['["One\\n\\nTwo"]', '[{ en = "a\\nb\\n" }]', '["""\nOne\nTwo\n"""]'])
def test_paragraphs_have_several_lines(put: str, path: Path) -> None:
    path.write_text(PAGE.replace('prose = "speed"', f"tested = {put}"), encoding="utf-8")
    assert load(path).tested


def test_an_unknown_page_is_reported_with_the_known_ones() -> None:
    with pytest.raises(PageError, match="cpu-demo"):
        find("nosuch")


# Whose keys the table below a heading explains.
EXPLAINED = {
    "Page": ("PageFile",),
    "Columns and their runs": ("Column", "Run"),
    "Tables": ("Table", "TableRow"),
    "Table columns": ("TableColumn",),
    "Launch file": ("ColumnLaunch", "Launch"),
}
# The parts that a row explains with the key that holds them.
HELD = {"source": "LogSource", "model_flops": "ModelFlops", "quality": "Quality", "names": "Name", "against": "Against"}


def page_schema() -> dict[str, Any]:
    """The schema of a page file."""
    schema = PageFile.model_json_schema()
    parts = schema["$defs"]
    # What may be inherited, or stand in a file beside the page file.
    for part, key in ((schema, "tested"), (parts["Run"], "logs")):
        part["required"].remove(key)
    parts["TableOfTable"] = {**parts["Table"], "required": ["name", "title"]}
    parts["Table"]["properties"]["tables"]["items"] = {"$ref": "#/$defs/TableOfTable"}
    return explained({"$schema": DIALECT, **schema}, {"PageFile": schema, **parts})


def launch_schema() -> dict[str, Any]:
    """The schema of a launch file."""
    schema = LaunchFile.model_json_schema()
    return explained({"$schema": DIALECT, **schema}, schema["$defs"])


def explained(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """A schema whose keys have what the documentation says of them."""
    for section in re.split(r"^## ", (PROJECT / "docs/page-file.md").read_text(encoding="utf-8"), flags=re.MULTILINE):
        heading, _, text = section.partition("\n")
        for cells, said in re.findall(r"^\| (`.+?) \| (.+) \|$", text, re.MULTILINE):
            words = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", said)
            keys = re.findall(r"`(\w+)`", cells)
            for part in EXPLAINED.get(heading, ()):
                describe(parts, part, keys, words)
            for key in {*keys} & HELD.keys():
                describe(parts, HELD[key], re.findall(r"`(\w+)`", words), words)
    return schema


def describe(parts: dict[str, Any], part: str, keys: list[str], words: str) -> None:
    """Say of some keys of a part, those that it has, what they are."""
    for key in {*keys} & parts.get(part, {"properties": {}})["properties"].keys():
        parts[part]["properties"][key].setdefault("description", words)


WRONG: list[Any] = [None, True, 1, -1, 2**70, 1.5, float("nan"), "x", "{", "", [], {}, [1], ["x"], {"a": 1}, date.max]


def page() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "resnet50.toml").read_text(encoding="utf-8"))


def board() -> dict[str, Any]:
    return tomllib.loads((SHIPPED / "parameter-golf.toml").read_text(encoding="utf-8"))


def places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value, of a list its first."""
    keys = list(part) if isinstance(part, dict) else [0] if isinstance(part, list) and part else []
    for key in keys:
        yield part, key
        yield from places(part[key])


def spoilt(data: dict[str, Any]) -> Iterator[None]:
    """Once for every place and each wrong value in it, and for every key that is missing or not known."""
    for part, key in list(places(data)):
        held = part[key]
        for wrong in WRONG:
            part[key] = wrong
            yield
        part[key] = held
        if isinstance(part, dict):
            del part[key]
            yield
            part.update({key: held, "unknown": 1})
            yield
            del part["unknown"]


READ: dict[str, tuple[type[BaseModel], Callable[[], dict[str, Any]]]] = {
    "a page": (Page, page),
    "a board": (Board, board),
}


@pytest.mark.parametrize(("model", "data"), READ.values(), ids=READ)
def test_every_mistake_of_data_is_one_sentence(model: type[BaseModel], data: Callable[[], dict[str, Any]]) -> None:
    given, found = data(), set[str]()
    for _ in spoilt(given):
        try:
            model.model_validate(given)
        except ValidationError as error:
            found |= {str(mistake(one, model)) for one in error.errors()}
    assert len(found) > len(WRONG)
    assert [said for said in found if "\n" in said or "Message(" in said or not said] == []


def test_every_mistake_of_a_protocol_is_one_sentence() -> None:
    given, found = dict(Protocol().model_dump()), set[str]()
    for _ in spoilt(given):
        try:
            Protocol.of(given)
        except ProtocolError as error:
            found.add(str(error))
    assert len(found) > len(WRONG)
    assert [said for said in found if "\n" in said or "Message(" in said or not said] == []


PUBLISHED = PROJECT / "report"
GOLDEN = PROJECT / "tests/report/golden"
FILES = sorted({*(PROJECT / "report/pages").glob("*.toml"), *GOLDEN.glob("*.toml")})


def schema(path: Path) -> dict[str, Any]:
    return launch_schema() if path.name.endswith(".launch.toml") else page_schema()


def mistakes(text: str) -> list[str]:
    return [error.json_path for error in Draft202012Validator(page_schema()).iter_errors(tomllib.loads(text))]


def test_the_published_schemas_are_those_of_the_code_in_the_words_of_its_documentation(compare: Compare) -> None:
    for name, made in (("page", page_schema()), ("launch", launch_schema())):
        compare(PUBLISHED / f"{name}.schema.json", json.dumps(made, indent=1, ensure_ascii=False) + "\n")
        Draft202012Validator.check_schema(made)


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_page_file_and_a_launch_file_are_as_their_schemas_say(path: Path) -> None:
    Draft202012Validator(schema(path)).validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("found", "put", "at"),
    [
        ('unit = "images', 'units = "images', "$"),
        ("cards = [1, 2, 8] }\ncolumns", "card = [1, 2, 8] }\ncolumns", "$.tables[0].rows"),
        ('"scaling_efficiency"', '"scaling"', "$.tables[0].columns[1]"),
        ('{ en = "Throughput", zh', '{ en = "Throughput", chinese', "$.tables[0].title"),
        ('title = "Acme"\n', "", "$.columns.acme"),
    ],
)
def test_an_editor_marks_a_mistake(found: str, put: str, at: str) -> None:
    assert mistakes(PAGE) == []
    assert found in PAGE
    assert at in mistakes(PAGE.replace(found, put, 1))


def test_text_in_a_value_is_no_heading() -> None:
    text = 'a = """\n[b]\n"""\nc = 1 # [x]\n[[d]]\n[[d]]\ne."f g" = [\n1,\n{ h = 2 }]\n'
    text += "[[d.i]]\nj = 1979-05-27 07:32:00\nk = 1\n"
    assert positions(text) == {
        ("a",): 1,
        ("c",): 4,
        ("d",): 5,
        ("d", 0): 5,
        ("d", 1): 6,
        ("d", 1, "e"): 7,
        ("d", 1, "e", "f g"): 7,
        ("d", 1, "e", "f g", 0): 8,
        ("d", 1, "e", "f g", 1): 9,
        ("d", 1, "e", "f g", 1, "h"): 9,
        ("d", 1, "i"): 10,
        ("d", 1, "i", 0): 10,
        ("d", 1, "i", 0, "j"): 11,
        ("d", 1, "i", 0, "k"): 12,
    }


def keys(part: Any, key: Key = ()) -> Iterator[Key]:
    """The keys of data, and those of the values of its lists."""
    for step, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield (*key, step)
        yield from keys(inner, (*key, step))


def test_every_key_of_a_page_is_on_its_line() -> None:
    for path in (PROJECT / "report/pages").glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        stated, found, lines = set(keys(tomllib.loads(text))), positions(text), text.split("\n")
        assert found.keys() <= stated
        assert {len(key) for key in stated - found.keys()} <= {1, 2, 3}  # of headings such as [columns.paddle]
        assert [key for key, at in found.items() if isinstance(key[-1], str) and key[-1] not in lines[at - 1]] == []


@given(st.lists(st.sampled_from(["", "# [x]", "a = 1", "b = [\n  1,\n]", '"c.d" = """\n\n"""']), unique=True))
def test_lines_are_those_of_the_file_in_order(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = {key: line for key, line in positions(text).items() if len(key) == 1}
    assert [(key,) for key in tomllib.loads(text)] == list(found)
    assert all(str(key[0]) in text.split("\n")[line - 1] for key, line in found.items())


def test_a_file_that_is_too_long_has_no_lines() -> None:
    assert line_of("a = 1\n" + "#" * MOST_CHARACTERS, ("a",)) is None
