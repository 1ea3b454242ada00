"""Validation: whatever stands in place of a value, what is told of it is told in each language."""

import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from parsers.io.message import Message
from parsers.io.validation import mistake
from report.audit.board import SHIPPED, Board
from report.measure.protocol import Protocol, ProtocolError
from report.pagefile.page import Page
from report.pagefile.page_file import FOLDER
from report.wording.words import words

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


def keys(message: Message) -> Iterator[str]:
    yield message.key
    for value in message.values.values():
        if isinstance(value, Message):
            yield from keys(value)


READ: dict[str, tuple[type[BaseModel], Callable[[], dict[str, Any]]]] = {
    "a page": (Page, page),
    "a board": (Board, board),
}


@pytest.mark.parametrize(("model", "data"), READ.values(), ids=READ)
def test_every_mistake_of_data_comes_out_in_chinese(model: type[BaseModel], data: Callable[[], dict[str, Any]]) -> None:
    given, found = data(), set[str]()
    for _ in spoilt(given):
        try:
            model.model_validate(given)
        except ValidationError as error:
            found |= {key for one in error.errors() for key in keys(mistake(one, model))}
    assert len(found) > len(READ)
    assert [key for key in sorted(found) if not words("zh").has(key)] == []


def test_every_mistake_of_a_protocol_comes_out_in_chinese() -> None:
    given, found = dict(Protocol().model_dump()), set[str]()
    for _ in spoilt(given):
        try:
            Protocol.of(given)
        except ProtocolError as error:
            found |= set(keys(error.message))
    assert len(found) > len(READ)
    assert [key for key in sorted(found) if not words("zh").has(key)] == []
