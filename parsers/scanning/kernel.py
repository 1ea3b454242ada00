"""The shapes of lines, and the numbers at known places of them, in one pass over a text.

Two lines have one shape where they are equal but for their digits. shapes.c does the work where a compiler built it;
where none did, and where the environment variable TACHOGRAPH_KERNEL is ``numpy``, Python and numpy do, more slowly. A
log cannot choose lines that make either slow: the hash of both has a secret key (that of Python's own is random unless
PYTHONHASHSEED says otherwise).
"""

import os
from collections import Counter
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

shapes_of_c: ModuleType | None
try:
    from . import _shapes as shapes_of_c
except ImportError:  # no compiler built it
    shapes_of_c = None
VERSION = 3
# What was built from another shapes.c, before an update, is not used.
shapes_of_c = shapes_of_c if getattr(shapes_of_c, "VERSION", None) == VERSION else None

COMPILED = shapes_of_c is not None and os.environ.get("TACHOGRAPH_KERNEL") != "numpy"
LEFT, NUMBER, STAMP = range(3)
NO_STAMP = -(2**63)
"""A field that is left to the caller, a number, and a time: the kinds of ``fields``; and a time that is not there."""

Data = bytes | bytearray | memoryview
Ids = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]


class Shapes:
    """The shapes of the lines of texts: at most ``most`` of them, and ``most_bytes`` of their masked bytes.

    A line over ``longest`` bytes has none, and neither has a line of a new shape where the table is full, or the shape
    has ``most_parts`` already. ``most`` is 2**24 and ``longest`` 2**20 at most: ValueError. What is ``compiled`` is for
    tests; both give the same.
    """

    def __init__(
        self,
        most: int = 1 << 16,
        most_bytes: int = 16 << 20,
        longest: int = 4096,
        most_parts: int = 64,
        *,
        compiled: bool = COMPILED,
    ) -> None:
        if not (0 <= most <= 1 << 24 and 0 <= longest <= 1 << 20 and 0 <= most_bytes <= 1 << 40):
            raise ValueError("at most 2**24 shapes, of 2**20 bytes each and 2**40 together, are possible")
        self._table: Any
        if compiled:
            if shapes_of_c is None:
                raise ImportError("parsers.scanning._shapes is not there: no compiler built it")
            key = os.urandom(8 * (6 + (longest + 15) // 16 * 2))
            self._table = shapes_of_c.Table(most, most_bytes, longest, most_parts, key)
        else:
            self._table = MaskedTable(most, most_bytes, longest, most_parts)
        # They are kept from one text to the next, and grow with the lines of one.
        self._ids, self._starts = np.empty(1024, np.int32), np.empty(1024, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    def tell(self, shape: int, places: Ids) -> None:
        """From now on the lines of a shape with other digits at these places (int32) have other shapes, its parts.

        ValueError: places outside the line, none, or the shape is a part or is told apart already.
        """
        self._table.tell(shape, np.ascontiguousarray(places, np.int32))

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """The shape of each line, -1 where it has none, and where it begins.

        Shapes are numbered from 0 in the order of their first lines. Both arrays are valid until the next call.
        ValueError: the last line has no newline.
        """
        if isinstance(self._table, MaskedTable):
            return self._table.lines(data)
        at, known, size = 0, 0, memoryview(data).nbytes
        while True:
            at, known = self._table.lines(data, at, self._ids, self._starts, known)
            if at == size:
                return self._ids[:known], self._starts[:known]
            self._ids, self._starts = (np.concatenate([a, np.empty_like(a)]) for a in (self._ids, self._starts))


NO_FIT = "the arrays do not fit, or a place is not inside the text"
AS_ZERO = bytes(ord("0") if chr(byte) in "0123456789" else byte for byte in range(256))
PART = b"\n"  # behind a masked line some of whose digits are left, for they matter


class MaskedLines(dict[bytes, int]):
    """The number of each masked line, which a new one gets; -1 for what has no place here, which is not kept."""

    def __init__(self, most: int, most_bytes: int, longest: int, most_parts: int) -> None:
        self._most, self._bytes_left, self._longest, self._most_parts = most, most_bytes, longest, most_parts
        self._parts = Counter[bytes]()

    def __missing__(self, line: bytes) -> int:
        length, whole = len(line.removesuffix(PART)), line.translate(AS_ZERO)
        if length > self._longest or len(self) >= self._most or length > self._bytes_left:
            return -1
        if line.endswith(PART):
            if self._parts[whole] >= self._most_parts:
                return -1
            self._parts[whole] += 1
        self._bytes_left -= length
        self[line] = len(self)
        return len(self) - 1


class MaskedTable:
    """The table of shapes where no compiler built one: masked lines, and their numbers."""

    def __init__(self, most: int, most_bytes: int, longest: int, most_parts: int) -> None:
        self._numbers = MaskedLines(most, most_bytes, longest, most_parts)
        self._places: dict[bytes, list[int]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def tell(self, shape: int, places: Ids) -> None:
        """As that of Shapes."""
        line = list(self._numbers)[shape] if 0 <= shape < len(self) else PART
        at = places.tolist()
        if not at or line.endswith(PART) or line in self._places or not 0 <= min(at) <= max(at) < len(line):
            raise ValueError(f"shape {shape} has no such places, or is told apart already")
        self._places[line] = at

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """As those of Shapes."""
        text = bytes(data)
        lines = text.translate(AS_ZERO).split(b"\n")
        if lines.pop():
            raise ValueError("the last line has no end")
        if self._places:
            lines = [self._told_apart(line, own) for line, own in zip(lines, text.split(b"\n"), strict=False)]
        ids = np.fromiter(map(self._numbers.__getitem__, lines), np.int32, len(lines))
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        return ids, np.concatenate([np.zeros(min(1, len(ends)), np.int64), ends[:-1] + 1])

    def _told_apart(self, masked: bytes, line: bytes) -> bytes:
        """The masked line, with its digits that matter if there are any."""
        places = self._places.get(masked)
        if places is None:
            return masked
        part = bytearray(masked + PART)
        for place in places:
            part[place] = line[place]
        return bytes(part)


def fields(
    data: Data, at: Integers, shape: Ids, spans: Ids, kinds: Bytes, *, compiled: bool = COMPILED
) -> tuple[Floats, Bytes | None]:
    """The fields of lines: one row a kind, and in it one cell of eight bytes a line; and 1 where a cell is odd.

    ``at``: int64, where each line begins. ``shape``: int32, which of ``spans`` it has. ``spans``: int32, for each shape
    and field the offset in the line and the width, 0 for a field that it does not have. ``kinds``: uint8, LEFT (NaN
    here), NUMBER (float64, exact to the last bit; NaN for none) or STAMP (the int64 of microseconds since 1970 in the
    same bytes; NO_STAMP for none). An odd cell is as if there were none: its text is left to the caller, who can read
    every spelling. C leaves what is no plain decimal number, or over 2**59 without its point, or no time such as
    2026-11-22 20:15:00.123; without C all are left. None in place of the odd ones where there are none.
    ValueError: an array of another type or size, or in C a place that is not inside ``data``.
    """
    arrays = (at, np.int64, 1), (shape, np.int32, 1), (spans, np.int32, 3), (kinds, np.uint8, 1)
    for array, kind, dimensions in arrays:
        if array.dtype != kind or array.ndim != dimensions:
            raise ValueError(f"an array of {array.dtype} with {array.ndim} dimensions is not one of {kind.__name__}")
    if shape.shape != at.shape or spans.shape[1:] != (len(kinds), 2) or (kinds > STAMP).any():
        raise ValueError(NO_FIT)
    cells, odd = np.empty((len(kinds), len(at))), np.zeros((len(kinds), len(at)), np.uint8)
    if not cells.size:
        return cells, None
    if compiled and shapes_of_c is not None:
        given = (np.ascontiguousarray(array) for array, _, _ in arrays)
        many = shapes_of_c.fields(data, *given, cells, odd)
    else:
        cells[:] = np.nan
        cells.view(np.int64)[kinds == STAMP] = NO_STAMP
        odd[:] = (spans[shape, :, 1].T > 0) & (kinds != LEFT)[:, None]
        many = odd.any()
    return cells, odd if many else None
