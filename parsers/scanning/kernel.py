"""The shapes of lines, and the numbers at known places of them, in one pass over a text.

Two lines have one shape where they are equal but for their digits. shapes.c does the work where a compiler built it;
where none did, and where the environment variable TACHOGRAPH_KERNEL is ``numpy``, the same results come from here. A
log cannot choose lines that make either slow: the hash of both has a secret key (that of Python's own is random unless
PYTHONHASHSEED says otherwise).
"""

import os
from collections.abc import Iterator
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

shapes_of_c: ModuleType | None
try:
    from . import _shapes as shapes_of_c
except ImportError:  # no compiler built it
    shapes_of_c = None

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

    A line over ``longest`` bytes has none, and neither has a line of a new shape where the table is full. ``most`` is
    2**24 and ``longest`` 2**20 at most: ValueError. What is ``compiled`` is for tests; both give the same.
    """

    def __init__(
        self, most: int = 1 << 16, most_bytes: int = 16 << 20, longest: int = 4096, *, compiled: bool = COMPILED
    ) -> None:
        if not (0 <= most <= 1 << 24 and 0 <= longest <= 1 << 20 and 0 <= most_bytes <= 1 << 40):
            raise ValueError("at most 2**24 shapes, of 2**20 bytes each and 2**40 together, are possible")
        limits = (most, most_bytes, longest)
        self._table: CompiledTable | MaskedTable = CompiledTable(*limits) if compiled else MaskedTable(*limits)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def missed(self) -> int:
        """How many lines have no shape."""
        return self._table.missed

    def counts(self) -> Integers:
        """How many lines have each shape, so far."""
        return self._table.counts()

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """The shape of each line, -1 where it has none, and where it begins.

        Shapes are numbered from 0 in the order of their first lines. Both arrays are valid until the next call.
        ValueError: the last line has no newline.
        """
        return self._table.lines(data)


class CompiledTable:
    """The table of shapes.c; its arrays are kept from one text to the next, and grow with the lines of one."""

    def __init__(self, most: int, most_bytes: int, longest: int) -> None:
        if shapes_of_c is None:
            raise ImportError("parsers.scanning._shapes is not there: no compiler built it")
        key = os.urandom(8 * (6 + (longest + 15) // 16 * 2))
        self._table = shapes_of_c.Table(most, most_bytes, longest, key)
        self._ids, self._starts = np.empty(1024, np.int32), np.empty(1024, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def missed(self) -> int:
        """As that of Shapes."""
        return int(self._table.missed)

    def counts(self) -> Integers:
        """As those of Shapes."""
        counts = np.empty(len(self), np.int64)
        self._table.counts(counts)
        return counts

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """As those of Shapes."""
        at, known, size = 0, 0, memoryview(data).nbytes
        while True:
            at, known = self._table.lines(data, at, self._ids, self._starts, known)
            if at == size:
                return self._ids[:known], self._starts[:known]
            self._ids, self._starts = (np.concatenate([a, np.empty_like(a)]) for a in (self._ids, self._starts))


AS_ZERO = bytes(ord("0") if chr(byte) in "0123456789" else byte for byte in range(256))


class MaskedLines(dict[bytes, int]):
    """The number of each masked line, which a new one gets; -1 for what has no place here, which is not kept."""

    def __init__(self, most: int, most_bytes: int, longest: int) -> None:
        self._most, self._bytes_left, self._longest = most, most_bytes, longest

    def __missing__(self, line: bytes) -> int:
        if len(line) > self._longest or len(self) >= self._most or len(line) > self._bytes_left:
            return -1
        self._bytes_left -= len(line)
        self[line] = len(self)
        return len(self) - 1


class MaskedTable:
    """The same as CompiledTable without a compiler."""

    def __init__(self, most: int, most_bytes: int, longest: int) -> None:
        self._numbers = MaskedLines(most, most_bytes, longest)
        self._counts = np.zeros(0, np.int64)
        self.missed = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def counts(self) -> Integers:
        """As those of Shapes."""
        return self._counts.copy()

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """As those of Shapes."""
        text = bytes(data)
        lines = text.translate(AS_ZERO).split(b"\n")
        if lines.pop():
            raise ValueError("the last line has no end")
        ids = np.fromiter(map(self._numbers.__getitem__, lines), np.int32, len(lines))
        counts = np.bincount(ids + 1, minlength=len(self) + 1)
        self.missed += int(counts[0])
        counts[1 : len(self._counts) + 1] += self._counts
        self._counts = counts[1:]
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        return ids, np.concatenate([np.zeros(min(1, len(ends)), np.int64), ends[:-1] + 1])


def fields(
    data: Data, at: Integers, shape: Ids, spans: Ids, kinds: Bytes, *, compiled: bool = COMPILED
) -> tuple[Floats, Bytes | None]:
    """The fields of lines: one row a kind, and in it one cell of eight bytes a line; and 1 where a cell is odd.

    ``at``: int64, where each line begins. ``shape``: int32, which of ``spans`` it has. ``spans``: int32, for each shape
    and field the offset in the line and the width, 0 for a field that it does not have. ``kinds``: uint8, LEFT (NaN
    here), NUMBER (float64, exact to the last bit; NaN for none) or STAMP (the int64 of microseconds since 1970 in the
    same bytes; NO_STAMP for none). A cell whose text is spelled in another way is odd, and as if there were none:
    what is no plain decimal number, or over 2**53 without its point, or no time such as 2026-11-22 20:15:00.123.
    None in place of the odd ones where there are none.
    ValueError: an array of another type or size, a place that is not inside ``data``.
    """
    arrays = (at, np.int64, 1), (shape, np.int32, 1), (spans, np.int32, 3), (kinds, np.uint8, 1)
    for array, kind, dimensions in arrays:
        if array.dtype != kind or array.ndim != dimensions:
            raise ValueError(f"an array of {array.dtype} with {array.ndim} dimensions is not one of {kind.__name__}")
    if shape.shape != at.shape or spans.shape[1:] != (len(kinds), 2) or (kinds > STAMP).any():
        raise ValueError("the shapes of lines, their places and the kinds do not fit")
    cells, odd = np.empty((len(kinds), len(at))), np.zeros((len(kinds), len(at)), np.uint8)
    if not cells.size:
        return cells, None
    if compiled and shapes_of_c is not None:
        given = (np.ascontiguousarray(array) for array, _, _ in arrays)
        many = shapes_of_c.fields(data, *given, cells, odd)
    else:
        many = _fields(np.frombuffer(data, np.uint8), at, shape, spans, kinds, cells, odd)
    return cells, odd if many else None


def _fields(text: Bytes, at: Integers, shape: Ids, spans: Ids, kinds: Bytes, cells: Floats, odd: Bytes) -> int:
    """Fill the cells and the odd ones, and say how many these are."""
    _check_places(len(text), at, shape, spans)
    for field, kind in enumerate(kinds):
        column = cells[field]
        column[:] = np.nan
        if kind == STAMP:
            column.view(np.int64)[:] = NO_STAMP
        if kind == LEFT:
            continue
        for rows, offset, width in _lines_of_one_place(shape, spans[:, field]):
            texts = np.lib.stride_tricks.sliding_window_view(text, width)[at[rows] + offset]
            for alike in _of_one_shape(texts):
                values, plain = (_numbers if kind == NUMBER else _stamps)(texts[alike])
                place = column if kind == NUMBER else column.view(np.int64)
                place[rows[alike[plain]]] = values[plain]
                odd[field, rows[alike[~plain]]] = 1
    return int(np.count_nonzero(odd))


def _check_places(size: int, at: Integers, shape: Ids, spans: Ids) -> None:
    inside = (at >= 0).all() and (at <= size).all() and (shape >= 0).all() and (shape < len(spans)).all()
    if inside:
        reach = spans.astype(np.int64).sum(axis=2).max(axis=1)
        used = np.unique(shape)
        inside = (spans[used] >= 0).all() and (at + reach[shape] <= size).all()
    if not inside:
        raise ValueError("the arrays do not fit, or a place is not inside the text")


def _lines_of_one_place(shape: Ids, spans: Ids) -> Iterator[tuple[NDArray[np.intp], int, int]]:
    """The lines whose field has one offset and width, with both."""
    order = np.argsort(shape, kind="stable")
    bounds = np.searchsorted(shape[order], np.arange(len(spans) + 1))
    for number, (offset, width) in enumerate(spans.tolist()):
        rows = order[bounds[number] : bounds[number + 1]]
        if width and len(rows):
            yield rows, offset, width


def _of_one_shape(texts: Bytes) -> Iterator[NDArray[np.intp]]:
    """Those of texts of one length that are equal but for digits; of the lines of one shape it is all."""
    left = np.arange(len(texts))
    while len(left):
        masked = np.where(texts[left] - ord("0") < 10, ord("0"), texts[left])
        alike = (masked == masked[0]).all(axis=1)
        yield left[alike]
        left = left[~alike]


def _numbers(texts: Bytes) -> tuple[Floats, NDArray[np.bool_]]:
    """The numbers of texts of one shape, and which of them are plain."""
    first = texts[0].tobytes().translate(AS_ZERO)
    signed = first[:1] in (b"-", b"+")
    before, _, after = first[signed:].partition(b".")
    none = np.zeros(len(texts), bool)
    if (before + after).strip(b"0") or not before + after or len(after) > 22:
        return np.zeros(len(texts)), none
    whole = np.zeros(len(texts), np.int64)
    for column in texts.T[signed:]:
        if column[0] != ord("."):
            whole = np.minimum(whole * 10 + (column - ord("0")), 2**53)
    values = whole / float(10 ** len(after))
    return -values if first[:1] == b"-" else values, whole < 2**53


STAMP_FORM = b"0000-00-00 00:00:00."


def _stamps(texts: Bytes) -> tuple[Integers, NDArray[np.bool_]]:
    """The times of texts of one shape, and which of them are plain."""
    first, width = texts[0].tobytes().translate(AS_ZERO), texts.shape[1]
    form = first.replace(b"/", b"-").replace(b"T", b" ").replace(b",", b".")
    none = np.zeros(len(texts), bool)
    if width < 19 or width == 20 or width > 26 or form != STAMP_FORM[:width].ljust(width, b"0"):
        return np.zeros(len(texts), np.int64), none
    digits = np.zeros((26, len(texts)), np.int64)
    digits[:width] = texts.T - ord("0")
    year, month, day, hour, minute, second, fraction = (
        _whole(digits[a:b]) for a, b in ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19), (20, 26))
    )
    plain = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (hour < 24) & (minute < 60) & (second < 60)
    months = (np.where(plain, year, 1970) - 1970) * 12 + np.where(plain, month, 1) - 1
    first_days, next_days = (
        m.astype("datetime64[M]").astype("datetime64[D]").view(np.int64) for m in (months, months + 1)
    )
    plain &= day <= next_days - first_days
    hours = (first_days + day - 1) * 24 + hour
    return ((hours * 60 + minute) * 60 + second) * 1_000_000 + fraction, plain


def _whole(digits: Integers) -> Integers:
    """The number of a few digits, of which the first are the highest."""
    return np.asarray(10 ** np.arange(len(digits))[::-1] @ digits, np.int64)
