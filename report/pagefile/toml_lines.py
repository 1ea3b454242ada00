"""Lines of TOML: where in a file each key and each value of a list stands, and how a mistake at one is called."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lark import Lark, Tree
from lark.exceptions import LarkError, UnexpectedToken

MOST_CHARACTERS = 500_000  # of a file of which lines are told

Key = tuple[int | str, ...]

# tomllib says what is not valid TOML; so this may take more than that, and keeps the lines, which tomllib does not.
_GRAMMAR = r"""
start: (table | tables | pair)*
table: "[" key "]"
tables: "[[" key "]]"
pair: key "=" _value
key: (BARE | STRING) ("." (BARE | STRING))*
_value: SCALAR | STRING | LONG | list | inline
list: "[" [_value ("," _value)* ","?] "]"
inline: "{" [pair ("," pair)*] "}"
BARE: /[A-Za-z0-9_-]+/
SCALAR.1: /\d{4}-\d\d-\d\d[ Tt]\d[^\s,\]}#]*|[^\s,\]}#"'\[{=]+/
STRING: /"(\\.|[^"\\\n])*"|'[^'\n]*'/
LONG.2: /"{3}(\\.|[^\\])*?"{3,5}(?!")|'{3}.*?'{3,5}(?!')/s
%ignore /[ \t\r\n]+/
%ignore /#[^\n]*/
"""


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", propagate_positions=True)


def line_of(text: str, *keys: Key) -> int | None:
    """The line of a valid TOML file where the first of some keys stands that it states.

    Where it states none of them, the line of what comes nearest to the first; None where nothing does.
    """
    lines = positions(text)
    nearest = [key[:end] for key in keys[:1] for end in range(len(key) - 1, 0, -1)]
    return next((lines[key] for key in (*keys, *nearest) if key in lines), None)


def positions(text: str) -> dict[Key, int]:
    """The line, from 1, of each key and each value of a list in a valid TOML file; none of one that is too long."""
    lines: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    heading: Key = ()
    statements: Any = _parser().parse(text).children if len(text) <= MOST_CHARACTERS else ()
    for statement in statements:
        if statement.data == "pair":
            lines.update(_of_pair(statement, heading))
            continue
        *outer, last = _names(statement.children[0])
        heading = ()
        for name in outer:
            heading = (*heading, name)
            heading = (*heading, counts[heading]) if heading in counts else heading
        heading = (*heading, last)
        if statement.data == "tables":
            counts[heading] = counts.get(heading, -1) + 1
            heading = (*heading, counts[heading])
        for end in range(1, len(heading) + 1):
            lines.setdefault(heading[:end], statement.meta.line)
    return lines


def _of_pair(pair: Any, place: Key) -> Iterator[tuple[Key, int]]:
    key, value = pair.children
    for name in _names(key):
        place = (*place, name)
        yield place, key.meta.line
    yield from _of_value(value, place)


def _of_value(value: Any, place: Key) -> Iterator[tuple[Key, int]]:
    for number, part in enumerate(filter(None, value.children) if isinstance(value, Tree) else ()):
        if value.data == "inline":
            yield from _of_pair(part, place)
        else:
            yield (*place, number), part.meta.line if isinstance(part, Tree) else part.line
            yield from _of_value(part, (*place, number))


def _names(key: Any) -> list[str]:
    return [str(tomllib.loads(f"x = {name}")["x"]) if name[0] in "\"'" else str(name) for name in key.children]


def missing_comma(text: str) -> tuple[int, str] | None:
    """Where two values follow each other in a file that is not valid TOML: the line, and what is said of it."""
    try:
        _parser().parse(text[:MOST_CHARACTERS])
    except UnexpectedToken as error:
        if "COMMA" in error.accepts and error.token.type in ("SCALAR", "BARE", "STRING", "LONG", "LSQB", "LBRACE"):
            first = error.token.split("\n")[0]
            return error.line, f"a comma or a closing bracket is missing before {first!r}."
    except LarkError:
        pass
    return None


def stated_key(location: Key, stated: Any, *, is_missing: bool = False) -> str:
    """A key as a file spells it, with a part of a list by its name: ``tables.main.case.cards``.

    ``location``: where a model has it; steps that ``stated``, the data of the file, does not have are left out.
    ``is_missing``: the last step is a key that is not stated.
    """
    told: list[str] = []
    for step in location:
        if isinstance(stated, list) and isinstance(step, int) and step < len(stated):
            stated = stated[step]
            named = [stated.get(name) for name in ("name", "column")] if isinstance(stated, Mapping) else []
            told += [name for name in named if isinstance(name, str)][:1]
        elif isinstance(stated, Mapping) and step in stated:
            stated = stated[step]
            told.append(str(step))
    return ".".join([*told, *(map(str, location[-1:]) if is_missing else ())])
