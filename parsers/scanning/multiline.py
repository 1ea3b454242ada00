"""Records of several lines, such as the objects of a document in JSON.

They are looked for only at lines that may be the first of one: which these are is known of their shapes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..grammar.expression import compiled
from ..grammar.field import Field
from ..grammar.variant import Variant
from ..io.box import OutOfTimeError
from .columns import Places
from .judging import Hit, cut_off, spans_of
from .prefix import NOWHERE, Span, line_pattern
from .shapes import Rows, ShapedLines

_NEWLINE = re.compile(rb"\n")


@cache
def _pattern(variant: Variant) -> re.Pattern[bytes]:
    return compiled(f"(?:{variant.source})(?=\n|\\Z)".encode())


@dataclass(frozen=True)
class Records:
    """The records of one variant in some lines: the ``first`` line and ``all`` lines of each, and their fields.

    ``cut``: the field with which the last of them ends a log without a newline: it may be cut, and has no place.
    """

    variant: Variant
    first: Rows
    all: Rows
    places: Places
    cut: Field | None = None

    def before(self, row: int) -> "Records":
        """Those that begin before a line."""
        count = int(np.searchsorted(self.first, row))
        inside = self.all[: np.searchsorted(self.all, row)]
        return Records(self.variant, self.first[:count], inside, self.places.up_to(count))


class RecordSearch:
    """Looks for records of several lines among lines that follow each other, but for those that others know.

    ``begins``: in which of these ``rows`` one may begin (bool).
    """

    def __init__(self, lines: ShapedLines, rows: Rows, begins: NDArray[np.bool_]) -> None:
        self._rows = rows
        data, self._starts = lines.joined(rows)
        self._text = data.replace(b"\r", b"\n")
        first = np.flatnonzero(begins)
        ends = np.append(self._starts[1:], len(data))
        self._places = list(zip(self._starts[first].tolist(), ends[first].tolist(), strict=True))

    def records(self, variants: Iterable[Variant]) -> Iterator[Records]:
        """What there is of each variant."""
        for variant in variants:
            if matches := list(self._matches(variant)):
                yield self._records(variant, matches)

    def _matches(self, variant: Variant) -> Iterator[re.Match[bytes]]:
        """The records of a variant, none in another.

        Where a first line is followed by none, and the text does not hold what each record does, no other is tried:
        each may take long.
        """
        begins, match = line_pattern(variant.one_line).match, _pattern(variant).match
        end, may_stand_in = -1, False
        for start in self._beginnings():
            if start <= end or not begins(self._text, start):
                continue
            try:
                found = match(self._text, start)
            except OutOfTimeError as over:
                over.text = self._text[start:].partition(b"\n")[0]
                raise
            if found:
                yield found
                end = found.end()
            elif not (may_stand_in := may_stand_in or variant.may_stand_in(self._text)):
                return

    def _beginnings(self) -> Iterator[int]:
        """Where lines on screen begin in the lines in which a record may begin."""
        for start, stop in self._places:
            yield start
            yield from (found.end() for found in _NEWLINE.finditer(self._text, start, stop - 1))

    def _records(self, variant: Variant, matches: Sequence[re.Match[bytes]]) -> Records:
        first = self._line([match.start() for match in matches])
        last = self._line([match.end() for match in matches])
        inside = np.concatenate([np.arange(a, b + 1) for a, b in zip(first, last, strict=True)])
        groups: list[Sequence[Span]] = [match.regs[1:] for match in matches]
        cut = None
        if matches[-1].end() == len(self._text):
            groups[-1], cut = cut_off(variant.groups, matches[-1])
        hits = [Hit(variant, False, 0, 0, 0, (NOWHERE, *spans)) for spans in groups]
        shape = np.arange(len(matches), dtype=np.int32)
        places = Places(self._text, np.zeros(len(matches), np.int64), shape, spans_of(variant, hits))
        return Records(variant, self._rows[first], self._rows[inside], places, cut)

    def _line(self, places: Sequence[int]) -> Rows:
        """The lines that hold places of the text."""
        return np.searchsorted(self._starts, places, side="right") - 1
