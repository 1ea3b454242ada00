"""Shapes of lines: what is true of one line of a shape, but for the numbers in it, is true of all.

Lines that are equal but for their digits have one shape, unless a known format tells one digit from another in them:
then the digits at those places belong to it. A log of millions of lines has some dozens of shapes, so expressions are
tried on the first line of each only. A line *alone* has none: it is too long, the last one without its newline, or one
of too many different ones; it is looked at by itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..grammar.digits import masked, may_tell, telling_places, tells_digits
from ..grammar.format import Format
from .kernel import Ids, Integers, Shapes
from .source import clean

ALONE, NEW, SPLIT = -1, -2, -3
LONGEST = 4096
MOST = 1 << 16
MOST_BYTES = 16 << 20
# So many of them are kept from one log to the next.
MOST_KEPT = 40_000
# Lines whose digits make more shapes of one are looked at one by one.
MOST_PARTS = 64

Rows = NDArray[np.intp]


@dataclass
class ShapedLines:
    """Some lines of a log that follow each other: the ``shapes`` and ``starts`` in ``data``.

    ``before``: how many lines of the log come before them. ``is_cut``: whether the newline of the last one is added.
    ``known``: how many shapes there are now.
    """

    data: bytes
    shapes: Ids
    starts: Integers
    before: int
    is_cut: bool
    known: int

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def ends(self) -> Integers:
        """Where each line ends, its newline included."""
        return np.append(self.starts[1:], len(self.data))

    def firsts(self, rows: Rows) -> Rows:
        """Of some lines the first of each shape, in their order."""
        return rows[np.sort(np.unique(self.shapes[rows], return_index=True)[1])]

    def texts(self, rows: Rows) -> list[bytes]:
        """Some lines with their newlines, but for one that was added."""
        ends = self.ends[rows]
        if self.is_cut and len(rows) and rows[-1] == len(self) - 1:
            ends[-1] -= 1
        return [self.data[start:end] for start, end in zip(self.starts[rows].tolist(), ends.tolist(), strict=True)]

    def joined(self, rows: Rows) -> tuple[bytes, Integers]:
        """Some lines put together, in their order, and where each of them begins there."""
        if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
            start, end = int(self.starts[rows[0]]), int(self.ends[rows[-1]])
            is_cut = self.is_cut and end == len(self.data)
            return self.data[start : end - is_cut], self.starts[rows] - start
        texts = self.texts(rows)
        return b"".join(texts), np.cumsum([0, *map(len, texts)])[:-1]

    def numbers(self, rows: Rows) -> Integers:
        """The physical numbers of some lines, from 1 in the log."""
        return rows + (self.before + 1)


class ShapeTable:
    """Numbers the shapes of lines from 0, as these formats tell them apart; it may serve several logs."""

    def __init__(self, formats: Iterable[Format]) -> None:
        self._telling = [v for fmt in formats for v in fmt.variants if tells_digits(v)]
        self._kernel = Shapes(MOST, MOST_BYTES, LONGEST)
        self._shape_of = ByShape(np.int32, NEW, ALONE)
        self._split: dict[int, _Parts] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def is_full(self) -> bool:
        """Whether another log needs a new table."""
        return max(len(self), len(self._kernel)) > MOST_KEPT

    def lines(self, data: bytes, before: int = 0) -> ShapedLines:
        """The lines of a block of a log, which follows so many others."""
        data = clean(data)
        is_cut = bool(data) and not data.endswith(b"\n")
        data += b"\n" * is_cut
        masks, starts = self._kernel.lines(data)
        starts = starts.copy()  # the kernel uses its arrays again
        self._shape_of.grow(len(self._kernel))
        shapes = self._shape_of[masks]
        if (shapes < ALONE).any():
            shapes = self._settle(data, masks, starts, shapes)
        if is_cut:
            shapes[-1] = ALONE
        return ShapedLines(data, shapes, starts, before, is_cut, len(self))

    def _settle(self, data: bytes, masks: Ids, starts: Integers, shapes: Ids) -> Ids:
        """The shapes where some masked lines are new, or stand for several shapes."""
        fresh = np.flatnonzero(shapes == NEW)
        if len(fresh):
            some, at = np.unique(masks[fresh], return_index=True)
            self._add(some, [masked(data[start : data.index(b"\n", start)]) for start in starts[fresh[at]].tolist()])
            shapes = self._shape_of[masks]
        split = np.flatnonzero(shapes == SPLIT)
        split = split[np.argsort(masks[split])]
        for rows in np.split(split, np.flatnonzero(np.diff(masks[split])) + 1) if len(split) else ():
            shapes[rows] = self._parts(self._split[int(masks[rows[0]])], data, starts[rows])
        return shapes

    def _add(self, masks: Ids, lines: Sequence[bytes]) -> None:
        """Number new masked lines, but for those in which a format tells digits apart."""
        numbers = np.arange(len(masks), dtype=np.int32) + self._count
        self._count += len(masks)
        for row, places in self._places(lines).items():
            numbers[row] = SPLIT
            self._split[int(masks[row])] = _Parts(np.array(sorted(places)))
        self._shape_of[masks] = numbers

    def _places(self, lines: Sequence[bytes]) -> dict[int, set[int]]:
        """The places in masked lines, by the number of the line, of the digits that formats tell apart."""
        found: dict[int, set[int]] = {}
        with_digits = [(row, line) for row, line in enumerate(lines) if b"\0" in line]
        text = b"\n".join(line for _, line in with_digits)
        for variant in [v for v in self._telling if may_tell(v, text)]:
            for row, line in with_digits:
                if places := set(telling_places(variant, line)):
                    found.setdefault(row, set()).update(places)
        return found

    def _parts(self, parts: "_Parts", data: bytes, starts: Integers) -> Ids | int:
        """The shapes of lines of one masked line, by the digits that matter, which are mostly the same in all."""
        digits = np.frombuffer(data, np.uint8)[starts[:, None] + parts.places]
        if (digits == digits[0]).all():
            return self._part(parts, digits[0].tobytes())
        some, which = np.unique(digits.view(f"V{digits.shape[1]}").ravel(), return_inverse=True)
        shapes = np.array([self._part(parts, part.tobytes()) for part in some], np.int32)
        return shapes[which.ravel()]

    def _part(self, parts: "_Parts", digits: bytes) -> int:
        if digits not in parts.shapes:
            if len(parts.shapes) >= MOST_PARTS:
                return ALONE
            parts.shapes[digits] = self._count
            self._count += 1
        return parts.shapes[digits]


class _Parts:
    """The shapes of one masked line, by the digits at the places at which they matter."""

    def __init__(self, places: Rows) -> None:
        self.places = places
        self.shapes: dict[bytes, int] = {}


class ByShape:
    """One number for each shape, and one for the lines alone, which stands at the end, at -1."""

    def __init__(self, type_: type[np.signedinteger], unknown: int, alone: int) -> None:
        self._unknown, self._alone = unknown, alone
        self._values = np.array([alone], type_)

    def __getitem__(self, shapes: Ids) -> Ids:
        return self._values[shapes]

    def __setitem__(self, shapes: Ids, values: Ids | int) -> None:
        self._values[shapes] = values

    def grow(self, count: int) -> None:
        """Have room for so many shapes."""
        if len(self._values) <= count:
            grown = np.full(2 * count + 2, self._unknown, self._values.dtype)
            grown[: len(self._values) - 1] = self._values[:-1]
            grown[-1] = self._alone
            self._values = grown
