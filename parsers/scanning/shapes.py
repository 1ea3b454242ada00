"""Shapes of lines: what is true of one line of a shape, but for the numbers in it, is true of all.

Lines that are equal but for their digits have one shape, unless a known format tells one digit from another in them:
then the digits at those places belong to it. A log of millions of lines has some dozens of shapes, so expressions are
tried on the first line of each only. A line *alone* has none: it is too long, the last one without its newline, or one
of too many different ones; it is looked at by itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..grammar.expression import masked, may_tell, telling_places, tells_digits
from ..grammar.format import Format
from .kernel import Ids, Integers, Shapes
from .prefix import has_prefix, without_prefix
from .source import clean

LONGEST = 4096
MOST = 1 << 16
# So many of them are kept from one log to the next.
MOST_KEPT = 40_000
# Lines whose digits make more shapes of one are looked at one by one.
MOST_PARTS = 64
ALONE = -1

Rows = NDArray[np.intp]


def by_shape(of_alone: int = 0) -> Ids:
    """One number for each shape, 0 until it is set, and one for the lines alone, which stands at the end, at -1."""
    numbers = np.zeros(MOST + 1, np.int32)  # what is not written to takes no memory
    numbers[ALONE] = of_alone
    return numbers


def distinct(shapes: Integers) -> Rows:
    """The shapes of some lines, ascending, without those of the lines alone."""
    is_there = np.zeros(int(shapes.max(initial=0)) + 1 - ALONE, np.bool_)
    is_there[shapes] = True
    return np.flatnonzero(is_there[:ALONE])


@dataclass
class ShapedLines:
    """Some lines of a log that follow each other: the ``shapes`` and ``starts`` in ``data``.

    ``before``: how many lines of the log come before them. ``is_cut``: whether the newline of the last one is added.
    ``records``: those of several lines that formats found.
    """

    data: bytes
    shapes: Integers
    starts: Integers
    before: int
    is_cut: bool
    records: dict[int, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def ends(self) -> Integers:
        """Where each line ends, its newline included, unless that was added."""
        return np.append(self.starts[1:], len(self.data) - self.is_cut)

    @cached_property
    def present(self) -> Rows:
        """The shapes of these lines, ascending."""
        return distinct(self.shapes)

    @cached_property
    def alone(self) -> Rows:
        """Those that have none."""
        return np.flatnonzero(self.shapes == ALONE)

    def of_shapes(self, shapes: Rows) -> Rows:
        """The lines of some shapes of these."""
        if not len(shapes):
            return shapes
        is_one = np.zeros(int(self.present[-1]) + 1 - ALONE, np.bool_)  # the last is of those alone
        is_one[shapes] = True
        return np.flatnonzero(is_one[self.shapes])

    def firsts(self, rows: Rows) -> Rows:
        """Of some lines the first of each shape, in their order."""
        return rows[np.sort(np.unique(self.shapes[rows], return_index=True)[1])]

    def printed(self, rows: Rows) -> list[bytes]:
        """Some lines without newlines and the prefixes of job launchers."""
        places = zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True)
        texts = [self.data[start:end].removesuffix(b"\n") for start, end in places]
        return list(map(without_prefix, texts)) if has_prefix(b"\n" + self.joined(rows)[0]) else texts

    def joined(self, rows: Rows) -> tuple[bytes, Integers]:
        """Some lines put together, in their order, and where each of them begins there."""
        if not len(rows):
            return b"", self.starts[:0]
        gaps = np.flatnonzero(np.diff(rows) != 1) + 1  # lines that follow each other are copied at once
        starts, ends = self.starts[rows[[0, *gaps]]], self.ends[rows[[*(gaps - 1), -1]]]
        moved = starts - np.cumsum([0, *(ends - starts)[:-1]])
        data = b"".join([self.data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)])
        return data, self.starts[rows] - np.repeat(moved, np.diff(gaps, prepend=0, append=len(rows)))

    def up_to(self, row: int) -> "ShapedLines":
        """The lines before one."""
        data, records = self.data[: self.starts[row]], {key: [*of] for key, of in self.records.items()}
        for of_format in records.values():
            of_format[:] = [found.those(found.last < row) for found in of_format]
        return replace(
            self, data=data, shapes=self.shapes[:row], starts=self.starts[:row], is_cut=False, records=records
        )

    def numbers(self, rows: Rows) -> Integers:
        """The physical numbers of some lines, from 1 in the log."""
        return rows + (self.before + 1)


class ShapeTable:
    """Numbers the shapes of lines from 0, as these formats tell them apart; it may serve several logs."""

    def __init__(self, formats: Iterable[Format]) -> None:
        self._telling = [v for fmt in formats for v in (v.one_line for v in fmt.variants) if tells_digits(v)]
        self._kernel = Shapes(MOST, LONGEST, MOST_PARTS)
        self._told_apart = set[bytes]()

    @property
    def is_full(self) -> bool:
        """Whether another log needs a new table."""
        return len(self._kernel) > MOST_KEPT

    def lines(self, data: bytes, before: int = 0) -> ShapedLines:
        """The lines of a block of a log, which follows so many others."""
        data = clean(data)
        is_cut = bool(data) and not data.endswith(b"\n")
        data += b"\n" * is_cut
        known = len(self._kernel)
        shapes, starts = self._kernel.lines(data)
        if len(self._kernel) > known and self._tell_apart(data, shapes, starts, known):
            shapes, starts = self._kernel.lines(data)
        if is_cut:
            shapes[-1] = ALONE
        return ShapedLines(data, shapes, starts, before, is_cut)

    def _tell_apart(self, data: bytes, shapes: Integers, starts: Integers, known: int) -> bool:
        """Have lines of new shapes told apart by the digits that formats tell apart; whether there are any."""
        rows = np.flatnonzero(shapes >= known)
        some, first = np.unique(shapes[rows], return_index=True)
        at, ends = rows[first], np.append(starts[1:], len(data))
        ranges = zip(starts[at].tolist(), ends[at].tolist(), strict=True)
        lines = masked(b"".join([data[start:end] for start, end in ranges])).split(b"\n")
        unknown = [(row, line) for row, line in enumerate(lines) if b"\0" in line and line not in self._told_apart]
        text = b"\n".join(line for _, line in unknown)
        telling = [variant for variant in self._telling if may_tell(variant, text)]
        found = {row: {place for v in telling for place in telling_places(v, line)} for row, line in unknown}
        for row, places in found.items():
            if places:
                self._kernel.tell(int(some[row]), sorted(places))
                self._told_apart.add(lines[row])
        return any(found.values())
