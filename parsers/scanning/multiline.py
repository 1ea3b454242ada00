"""Records of several lines, such as the objects of a document in JSON."""

import re
import re._constants as ops  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..grammar.digits import REPEATS, taken
from ..grammar.expression import compiled
from ..grammar.variant import Variant
from .columns import Places
from .judging import Hit, spans_of
from .prefix import NOWHERE
from .shapes import Rows, ShapedLines

_NEWLINE = ord("\n")


class _FirstLine:
    """Gathers the texts that the first line of each match of a parsed expression holds."""

    def __init__(self) -> None:
        self.texts = [b""]

    def goes_on(self, tree: Any) -> bool:
        """Note the texts of a part; whether what follows it is in the first line, too."""
        return all(self._goes_on(op, argument) for op, argument in tree)

    def _goes_on(self, op: Any, argument: Any) -> bool:
        if op is ops.LITERAL and argument != _NEWLINE:
            self.texts[-1] += bytes([argument])
        elif op is ops.ATOMIC_GROUP or (op is ops.SUBPATTERN and not argument[1]):
            return self.goes_on(argument if op is ops.ATOMIC_GROUP else argument[3])
        elif op not in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
            self.texts.append(b"")
            return not _may_take_newline(op, argument)
        return True


def _may_take_newline(op: Any, argument: Any) -> bool:
    if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN, ops.ANY):
        return _NEWLINE in taken(op, argument)
    if op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return False
    if op in REPEATS:
        parts = [argument[2]]
    elif op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
        parts = [argument[3] if op is ops.SUBPATTERN else argument]
    elif op is ops.BRANCH:
        parts = argument[1]
    else:  # what refers to another group
        return True
    return any(_may_take_newline(*step) for part in parts for step in part)


@cache
def text_of_first_line(variant: Variant) -> bytes:
    """The longest text that the first line of each record of the variant holds; none where that is not known."""
    first = _FirstLine()
    first.goes_on(parser.parse(variant.source.encode()))
    return max(first.texts, key=len)


@cache
def _pattern(variant: Variant) -> re.Pattern[bytes]:
    """A whole record in a text, from the newline before it."""
    return compiled(f"\n{variant.source}(?=\n|\\Z)".encode())


def _matches(variant: Variant, text: bytes, places: Iterable[tuple[int, int]]) -> Iterator[re.Match[bytes]]:
    """The records in a text, as ``finditer`` finds them, but tried only at lines that hold what a first line does.

    ``places``: where these may be in the text, each from the newline before a line on. Where the first line of a record
    is followed by none, and the text does not hold what each record does, no other is tried: each may take long.
    """
    pattern, telling = _pattern(variant), text_of_first_line(variant)
    if not telling:
        yield from pattern.finditer(text) if variant.may_stand_in(text) else ()
        return
    end, may_stand_in = 0, False
    for begin, stop in places:
        end = max(begin, end)
        while (place := text.find(telling, end, stop)) >= 0:
            start = text.rfind(b"\n", end, place)
            found = pattern.match(text, start) if start >= 0 else None
            if found:
                yield found
            elif not (may_stand_in := may_stand_in or variant.may_stand_in(text)):
                return
            newline = text.find(b"\n", place, stop)
            end = found.end() if found else newline if newline >= 0 else stop


@dataclass(frozen=True)
class Records:
    """The records of one variant in some lines: the ``first`` line and ``all`` lines of each, and their fields."""

    variant: Variant
    first: Rows
    all: Rows
    places: Places


class RecordSearch:
    """Looks for records of several lines among lines that follow each other, but for those that others know.

    ``begins``: in which of these ``rows`` one may begin (bool); in any if it is not said.
    """

    def __init__(self, lines: ShapedLines, rows: Rows, begins: NDArray[np.bool_] | None = None) -> None:
        first = np.flatnonzero(begins) if begins is not None else np.zeros(1, np.intp)
        self._rows = rows[first[0] :]
        data, self._starts = lines.joined(self._rows)
        self._text = (b"\n" + data).replace(b"\r", b"\n")
        self._places = [(0, len(self._text))]
        if begins is not None:
            ends = np.append(self._starts[1:], len(self._text))
            first -= first[0]
            self._places = list(zip(self._starts[first].tolist(), ends[first].tolist(), strict=True))

    def records(self, variants: Iterable[Variant]) -> Iterator[Records]:
        """What there is of each variant."""
        for variant in (variant for variant in variants if variant.spans):
            if matches := list(_matches(variant, self._text, self._places)):
                yield self._records(variant, matches)

    def _records(self, variant: Variant, matches: Sequence[re.Match[bytes]]) -> Records:
        first = self._line([match.start() for match in matches])
        last = self._line([match.end() - 1 for match in matches])
        inside = np.concatenate([np.arange(a, b + 1) for a, b in zip(first, last, strict=True)])
        hits = [Hit(variant, False, 0, 0, 0, (NOWHERE, *match.regs[1:])) for match in matches]
        shape = np.arange(len(matches), dtype=np.int32)
        places = Places(self._text, np.zeros(len(matches), np.int64), shape, spans_of(variant, hits))
        return Records(variant, self._rows[first], self._rows[inside], places)

    def _line(self, places: Sequence[int]) -> Rows:
        """The lines that begin at newlines of the text, or hold other places of it."""
        return np.searchsorted(self._starts, places, side="right") - 1
