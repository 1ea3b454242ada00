"""The shapes of lines, and the numbers at known places of them, in one pass over a text.

Two lines have one shape where they are equal but for their digits. shapes.c does the work where a compiler built it;
where none did, and where the environment variable TACHOGRAPH_KERNEL is ``numpy``, the same results come from here. A
log cannot choose lines that make either slow: the hash of both has a secret key (that of Python's own is random unless
PYTHONHASHSEED says otherwise).
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from types import ModuleType

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
        limits = (most, most_bytes, longest, most_parts)
        self._table: CompiledTable | MaskedTable = CompiledTable(*limits) if compiled else MaskedTable(*limits)

    def __len__(self) -> int:
        return len(self._table)

    def tell(self, shape: int, places: Ids) -> None:
        """From now on the lines of a shape with other digits at these places (int32) have other shapes, its parts.

        ValueError: places outside the line, none, or the shape is a part or is told apart already.
        """
        self._table.tell(shape, places)

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """The shape of each line, -1 where it has none, and where it begins.

        Shapes are numbered from 0 in the order of their first lines. Both arrays are valid until the next call.
        ValueError: the last line has no newline.
        """
        return self._table.lines(data)


class CompiledTable:
    """The table of shapes.c; its arrays are kept from one text to the next, and grow with the lines of one."""

    def __init__(self, most: int, most_bytes: int, longest: int, most_parts: int) -> None:
        if shapes_of_c is None:
            raise ImportError("parsers.scanning._shapes is not there: no compiler built it")
        key = os.urandom(8 * (6 + (longest + 15) // 16 * 2))
        self._table = shapes_of_c.Table(most, most_bytes, longest, most_parts, key)
        self._ids, self._starts = np.empty(1024, np.int32), np.empty(1024, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    def tell(self, shape: int, places: Ids) -> None:
        """As that of Shapes."""
        self._table.tell(shape, np.ascontiguousarray(places, np.int32))

    def lines(self, data: Data) -> tuple[Ids, Integers]:
        """As those of Shapes."""
        at, known, size = 0, 0, memoryview(data).nbytes
        while True:
            at, known = self._table.lines(data, at, self._ids, self._starts, known)
            if at == size:
                return self._ids[:known], self._starts[:known]
            self._ids, self._starts = (np.concatenate([a, np.empty_like(a)]) for a in (self._ids, self._starts))


NO_FIT = "the arrays do not fit, or a place is not inside the text"
PARTS_OF_STAMP = ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19), (20, 26))
AS_ZERO = bytes(ord("0") if chr(byte) in "0123456789" else byte for byte in range(256))
MASK = np.frombuffer(AS_ZERO, np.uint8)
PLAIN = re.compile(rb"[-+]?(?=\.?0)(?P<before>0*)(?:\.(?P<after>0*))?(?:[eE](?:(?P<down>-)|\+)?(?P<power>0+))?")
MOST_OF_WHOLE, MOST_DECIMALS = 2**59, 27
POWERS = np.array([float(10**power) for power in range(23)])
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
    """The same as CompiledTable without a compiler."""

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
    same bytes; NO_STAMP for none). A cell whose text is spelled in another way is odd, and as if there were none:
    what is no plain decimal number, or over 2**59 without its point, or no time such as 2026-11-22 20:15:00.123.
    None in place of the odd ones where there are none.
    ValueError: an array of another type or size, a place that is not inside ``data``.
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
        many = _fields(np.frombuffer(data, np.uint8), at, shape, spans, kinds, cells, odd)
    return cells, odd if many else None


def _fields(text: Bytes, at: Integers, shape: Ids, spans: Ids, kinds: Bytes, cells: Floats, odd: Bytes) -> int:
    """Fill the cells and the odd ones, and say how many these are."""
    cells[:] = np.nan
    cells.view(np.int64)[kinds == STAMP] = NO_STAMP
    for rows, places in _lines_of_each(shape, spans):
        reach = _checked_reach(len(text), at[rows], places)
        if not reach:
            continue
        lines = np.ndarray((len(text) - reach + 1,), f"V{reach}", text, strides=(1,))[at[rows]]
        lines_of_bytes = lines.view(np.uint8).reshape(len(rows), reach)
        for field, (kind, (offset, width)) in enumerate(zip(kinds.tolist(), places.tolist(), strict=True)):
            if kind != LEFT and width:
                texts = lines_of_bytes[:, offset : offset + width]
                _fill(cells[field], odd[field], rows, texts, kind)
    return int(np.count_nonzero(odd))


def _lines_of_each(shape: Ids, spans: Ids) -> Iterator[tuple[NDArray[np.intp], Ids]]:
    """The lines of each shape that has some, and the places of its fields."""
    order = np.argsort(shape, kind="stable")
    ends = np.flatnonzero(np.diff(shape[order], append=-1))
    for rows in np.split(order, ends[:-1] + 1):
        if not 0 <= shape[rows[0]] < len(spans):
            raise ValueError(NO_FIT)
        yield rows, spans[shape[rows[0]]]


def _checked_reach(size: int, at: Integers, places: Ids) -> int:
    """How far the places go behind the beginnings of lines; ValueError where that is not inside the text."""
    reach = int(places.astype(np.int64).sum(axis=1).max())
    if places.min() < 0 or at.min() < 0 or at.max() > size - reach:
        raise ValueError(NO_FIT)
    return reach


def _fill(column: Floats, odd: Bytes, rows: NDArray[np.intp], texts: Bytes, kind: int) -> None:
    """One field of lines: those whose texts are equal but for digits at once, which is all of one shape."""
    while len(rows):
        masked = MASK[texts]
        alike = (masked == masked[0]).all(axis=1)
        values, plain = (_numbers if kind == NUMBER else _stamps)(texts[alike], masked[0].tobytes())
        column.view(values.dtype)[rows[alike][plain]] = values[plain]
        odd[rows[alike][~plain]] = 1
        rows, texts = rows[~alike], texts[~alike]


def _numbers(texts: Bytes, masked: bytes) -> tuple[Floats, NDArray[np.bool_]]:
    """The numbers of texts of one shape, and which of them are plain."""
    found = PLAIN.fullmatch(masked)
    if not found:
        return np.zeros(len(texts)), np.zeros(len(texts), bool)
    before, after, power = (texts[:, slice(*found.span(group))] - ord("0") for group in ("before", "after", "power"))
    whole = _whole(np.hstack([before, after]))
    power = np.minimum(_whole(power), 99) * (-1 if found["down"] else 1) - after.shape[1]
    is_double, has_scale = whole < 2**53, np.abs(power) < len(POWERS)
    scale = POWERS[np.abs(power) * has_scale]
    values = np.where(power < 0, whole / scale, whole * scale)
    values = -values if masked[:1] == b"-" else values
    large = ~is_double & (whole < MOST_OF_WHOLE) & (power >= -MOST_DECIMALS) & (power <= 0)
    values[large] = [float(text.tobytes()) for text in texts[large]]
    return values, (is_double & has_scale) | large


def _whole(digits: Bytes) -> Integers:
    """The number of the digits of each row, or MOST_OF_WHOLE for a larger one."""
    count = digits.shape[1]
    if count <= 15:
        return np.asarray(digits @ 10.0 ** np.arange(count)[::-1]).astype(np.int64)
    whole = np.zeros(len(digits), np.int64)
    for column in digits.T:
        whole = np.minimum(whole * 10 + column, MOST_OF_WHOLE)
    return whole


def _stamps(texts: Bytes, masked: bytes) -> tuple[Integers, NDArray[np.bool_]]:
    """The times of texts of one shape, and which of them are plain."""
    form, width = masked.replace(b"/", b"-").replace(b"T", b" ").replace(b",", b"."), len(masked)
    if width < 19 or width == 20 or width > 26 or form != b"0000-00-00 00:00:00.000000"[:width]:
        return np.zeros(len(texts), np.int64), np.zeros(len(texts), bool)
    digits = np.zeros((len(texts), 26), np.uint8)
    digits[:, :width] = texts - ord("0")
    parts = [_whole(digits[:, a:b]) for a, b in PARTS_OF_STAMP]
    year, month, day, hour, minute, second, fraction = parts
    plain = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (hour < 24) & (minute < 60) & (second < 60)
    months = ((year - 1970) * 12 + month - 1)[plain]
    days, ends = (m.astype("datetime64[M]").astype("datetime64[D]").view(np.int64) for m in (months, months + 1))
    values = np.zeros(len(texts), np.int64)
    values[plain] = days + day[plain] - 1
    plain[plain] = day[plain] <= ends - days
    return (((values * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + fraction, plain
