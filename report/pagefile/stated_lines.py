"""Stated lines: where in a page file stands what is wrong with it, by its key or by a value, and how it is called."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.io.message import Message

# How much is read, in all tries, to find where statements end; mistakes behind that are told without a line.
MOST_CHARACTERS = 2_000_000

Step = int | str
Key = tuple[Step, ...]
# What parts of a list are called by, which have no key of their own.
_NAMES = ("name", "column")


@dataclass(frozen=True)
class TomlStatement:
    """A heading of a table, or a key with its value: its first line, its key in the whole file, and its text."""

    line: int
    key: Key
    text: str
    value: object = None


def stated_key(location: Sequence[Step], stated: Any, *, is_missing: bool = False) -> str:
    """A key as a page file spells it, with a part of a list by its name: ``tables.main.case.cards``.

    ``location``: where it stands in the page, in which parts are spelt out that ``stated`` may say otherwise; what only
    the page knows is left out. ``is_missing``: the last step is a key that is not stated.
    """
    told: list[str] = []
    for step in location:
        if isinstance(stated, list) and isinstance(step, int) and step < len(stated):
            stated = stated[step]
            told += _named(stated)
        elif isinstance(stated, Mapping) and step in stated:
            stated = stated[step]
            told.append(str(step))
    if is_missing and location:
        told.append(str(location[-1]))
    return ".".join(told)


def _named(part: Any) -> list[str]:
    """The name of a part of a list, where it has one."""
    if isinstance(part, Mapping):
        return [part[name] for name in _NAMES if isinstance(part.get(name), str)][:1]
    return []


def line_of(text: str, message: Message, location: Sequence[Step] = ()) -> int | None:
    """The line of a valid page file that a mistake is on; None where nothing of it is found.

    ``location``: the key of the mistake, where it has one. Else it is that of the table that the message names.
    """
    found = list(statements(text))
    key = tuple(location) or _key(found, message.values)
    stated = _nearest(found, key) if key else None
    if stated is None and location:
        return None  # a key of the same name elsewhere is another
    near = [one for one in found if stated is None or one.key[: len(stated.key)] == stated.key]
    for part in _said(message, location):
        for one in near:
            for number, line in enumerate(one.text.split("\n")):
                if part in line:
                    return one.line + number
    return stated.line + _part(stated, key[len(stated.key) :]) if stated else None


def _part(stated: TomlStatement, rest: Key) -> int:
    """How many lines below its statement a part of a list stands, where each part is a table on a line of its own."""
    starts = [number for number, line in enumerate(stated.text.split("\n")) if line.lstrip().startswith("{")]
    if not (rest and isinstance(rest[0], int) and isinstance(stated.value, list) and len(starts) == len(stated.value)):
        return 0
    return starts[rest[0]] if rest[0] < len(starts) else 0


def _key(found: Sequence[TomlStatement], values: Mapping[str, object]) -> Key:
    """The key that a message names by its values."""
    if "key" in values:
        return tuple(int(part) if part.isdecimal() else part for part in str(values["key"]).split("."))
    names = [one for one in found if one.key[0] == "tables" and one.key[2:] == ("name",)]
    return next((one.key[:2] for one in names if one.value == values.get("table")), ())


def _said(message: Message, location: Sequence[Step]) -> list[str]:
    """What of a mistake may stand in the page file, the surest first: values in quotes, its axis, and its key."""
    while isinstance(inner := message.values.get("said"), Message):
        message = inner
    keys = [message.values.get("axis"), message.key.split(" ")[0].strip(":"), *location[-1:]]
    return _quoted(message.values) + [f"{key} =" for key in keys if key is not None]


def _quoted(values: Mapping[str, object]) -> list[str]:
    """The values of a message that it shows in quotes, as a page file spells them."""
    texts = [value for value in values.values() if isinstance(value, str)]
    return [f'"{text[1:-1]}"' for text in texts if len(text) > 2 and text[0] == text[-1] == "'"]


def _nearest(found: Sequence[TomlStatement], key: Key) -> TomlStatement | None:
    """The statement of a key: what comes closest, and of several the one that ends with a part of it."""
    scored = [(_shared(one.key, key), one.key[-1] in key[_shared(one.key, key) :], one) for one in found]
    likely = [one for one in scored if one[0]]
    return max(likely, key=lambda one: one[:2])[2] if likely else None


def _shared(one: Key, other: Key) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def statements(text: str) -> Iterator[TomlStatement]:
    """The statements of a valid page file, in their order."""
    lines, at, left = text.split("\n"), 0, MOST_CHARACTERS
    heading: Key = ()
    counts: dict[Key, int] = {}
    while at < len(lines):
        stated, end, left = _statement(lines, at, left)
        if stated is None:
            return
        if stated:
            said = "\n".join(lines[at:end])
            if said.lstrip().startswith("["):
                heading = _heading(stated, counts)
                yield TomlStatement(at + 1, heading, said)
            else:
                name = next(iter(stated))
                yield TomlStatement(at + 1, (*heading, name), said, stated[name])
        at = end


def _statement(lines: Sequence[str], start: int, left: int) -> tuple[dict[str, Any] | None, int, int]:
    """What is stated from a line on, the line after it, and how much may still be read; None where that is nothing."""
    said = ""
    for end in range(start + 1, len(lines) + 1):
        said += lines[end - 1] + "\n"
        left -= len(said)
        if left < 0:
            break
        try:
            return tomllib.loads(said), end, left
        except tomllib.TOMLDecodeError:
            continue
    return None, start, left


def _heading(stated: Mapping[str, Any], counts: dict[Key, int]) -> Key:
    """The key of a table; of several with one name with its number. ``counts``: how many of each there are so far."""
    key: Key = ()
    inner: Any = stated
    while isinstance(inner, dict) and inner:
        name, inner = next(iter(inner.items()))
        key = (*key, name)
        if isinstance(inner, list):
            counts[key] = counts.get(key, 0) + 1
            inner = inner[0]
        if key in counts:
            key = (*key, counts[key] - 1)
    return key
