"""Page files: their schemas, where their keys stand, and one sentence for each mistake."""

import json
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
from report.pagefile.page import Page
from report.pagefile.page_file import FOLDER
from report.pagefile.toml_lines import MOST_CHARACTERS, Key, line_of, positions
from tests.commandline import PROJECT
from tests.conftest import Compare
from tests.report.page_schemas import launch_schema, page_schema
from tests.report.test_mistakes_of_authors import PAGE

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
