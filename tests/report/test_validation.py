"""Validation: whatever stands in place of a value, what is told of it is one sentence."""

import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from parsers.io.validation import mistake
from report.audit.board import SHIPPED, Board
from report.measure.protocol import Protocol, ProtocolError
from report.pagefile.page import Page
from report.pagefile.page_file import FOLDER

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
