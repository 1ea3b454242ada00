"""The shapes of lines, and the numbers at known places of them, in one pass over a text.

Two lines have one shape where they are equal but for their digits. shapes.c does the work where a compiler built it;
where none did, and where the environment variable TACHOGRAPH_KERNEL is ``numpy``, Python does, more slowly. A log
cannot choose lines that make either slow: the hash of both has a secret key (that of Python's own is random unless
PYTHONHASHSEED says otherwise).
"""

import ctypes
import os
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

VERSION = 6
LEFT, NUMBER, STAMP = range(3)
NO_STAMP = -(2**63)
"""A field that is left to the caller, a number, and a time: the kinds of ``fields``; and a time that is not there."""
OTHER_VERSION = "{path} is of another version, so logs are read at a third of the speed; install Tachograph again."
NO_FIT = "the arrays do not fit, or a place is not inside the text"
MIX_WORDS = 5
ROOM = 1 << 15  # lines that are read at once


class _Table(ctypes.Structure):
    """The ``Table`` of shapes.c, whose pointers are to arrays of numpy."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("key", "digit_key", "buckets", "parts", "told", "places", "lines")),
        *((name, ctypes.c_int64) for name in ("bucket_count", "most", "longest", "most_parts", "known", "at")),
    )


def library() -> ctypes.PyDLL | None:
    """shapes.c as it was built; None where no compiler did, and with a warning where it is of another version.

    While it works no other thread does, which might use the same table.
    """
    path = Path(__file__).with_name("_shapes.abi3.so")
    try:
        found = ctypes.PyDLL(str(path))
    except OSError:
        return None
    try:
        is_ours = ctypes.c_int32.in_dll(found, "VERSION").value == VERSION
    except ValueError:
        is_ours = False
    if not is_ours:
        warnings.warn(OTHER_VERSION.format(path=path), RuntimeWarning, stacklevel=2)
        return None
    text, array, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int64
    found.lines.argtypes = [ctypes.POINTER(_Table), text, size, array, array, size]
    found.fields.argtypes = [text, size, array, array, size, array, size, array, size, array, array]
    found.without_escapes.argtypes = [text, size, array]
    found.texts_in.argtypes = [text, size, text, array, size, array, array]
    found.texts_in.restype = None
    found.lines.restype = found.fields.restype = found.without_escapes.restype = size
    return found


LIBRARY = library()
COMPILED = LIBRARY is not None and os.environ.get("TACHOGRAPH_KERNEL") != "numpy"


class Shapes:
    """The shapes of the lines of texts: at most ``most`` of them.

    A line over ``longest`` bytes has none, and neither has a line of a new shape where the table is full, or the shape
    has ``most_parts`` already. What is ``compiled`` is for tests; both give the same.
    """

    def __init__(
        self, most: int = 1 << 16, longest: int = 4096, most_parts: int = 64, *, compiled: bool = COMPILED
    ) -> None:
        self._table = (_CTable if compiled else _MaskedTable)(most, longest, most_parts)

    def __len__(self) -> int:
        return len(self._table)

    def tell(self, shape: int, places: Ids) -> None:
        """From now on the lines of a shape with other digits at these places of them have other shapes, its parts.

        ValueError: there are no places, or the shape is a part or is told apart already.
        """
        if not len(places) or not self._table.tell(shape, places):
            raise ValueError(f"shape {shape} has no such places, or is told apart already")

    def lines(self, data: bytes) -> tuple[Ids, Integers]:
        """The shape of each line, -1 where it has none, and where it begins.

        Shapes are numbered from 0 in the order of their first lines. ValueError: the last line has no newline.
        """
        if data and not data.endswith(b"\n"):
            raise ValueError("the last line has no end")
        return self._table.lines(data)


class _CTable:
    def __init__(self, most: int, longest: int, most_parts: int) -> None:
        if LIBRARY is None:
            raise ImportError("shapes.c was not built: there was no compiler")
        self._library = LIBRARY
        steps, buckets = -(-longest // 16), 2 << most.bit_length()
        key = np.frombuffer(os.urandom(8 * (MIX_WORDS + 2 * steps + 2 + longest + 1)), np.uint64)
        self._arrays: dict[str, NDArray[Any]] = {
            "key": key,
            "digit_key": key[MIX_WORDS + 2 * steps + 2 :],
            "buckets": np.full(buckets, -1, np.int32),
            "parts": np.zeros(most, np.int32),
            "told": np.zeros(most, np.int32),
            "places": np.zeros(1, np.int32),
            "lines": np.empty(most, [("sums", np.uint64, 4), ("length", np.int64), ("part_of", np.int64)]),
        }
        pointers = [array.ctypes.data for array in self._arrays.values()]
        self._table = _Table(*pointers, buckets, most, longest, most_parts, 0, 0)
        # They are kept: large arrays that come and go leave holes between those that grow.
        self._ids, self._starts = np.empty(ROOM, np.int32), np.empty(ROOM, np.int64)

    def __len__(self) -> int:
        return int(self._table.known)

    def tell(self, shape: int, places: Ids) -> bool:
        told, known = self._arrays["told"], self._arrays["places"]
        if not 0 <= shape < len(self) or told[shape] or self._arrays["lines"]["part_of"][shape] >= 0:
            return False
        if min(places) < 0 or max(places) >= self._arrays["lines"]["length"][shape]:
            return False
        told[shape] = len(known)
        self._arrays["places"] = np.concatenate([known, np.array([len(places), *places], np.int32)])
        self._table.places = self._arrays["places"].ctypes.data
        return True

    def lines(self, data: bytes) -> tuple[Ids, Integers]:
        ids, starts, self._table.at = [np.empty(0, np.int32)], [np.empty(0, np.int64)], 0
        while self._table.at < len(data):
            arrays = self._ids.ctypes.data, self._starts.ctypes.data, ROOM
            count = self._library.lines(self._table, data, len(data), *arrays)
            ids.append(self._ids[:count].copy())
            starts.append(self._starts[:count].copy())
        return np.concatenate(ids), np.concatenate(starts)


AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
PART = b"\n"  # behind a masked line some of whose digits are left, for they matter


class _MaskedTable(dict[bytes, int]):
    """The number of each masked line, which a new one gets; -1 for what has no place here, which is not kept."""

    def __init__(self, most: int, longest: int, most_parts: int) -> None:
        self._most, self._longest, self._most_parts = most, longest, most_parts
        self._parts = Counter[bytes]()
        self._places: dict[bytes, list[int]] = {}

    def __missing__(self, line: bytes) -> int:
        whole = line.translate(AS_ZERO)
        if len(line.removesuffix(PART)) > self._longest or len(self) >= self._most:
            return -1
        if line.endswith(PART):
            if self._parts[whole] >= self._most_parts:
                return -1
            self._parts[whole] += 1
        self[line] = len(self)
        return len(self) - 1

    def tell(self, shape: int, places: Ids) -> bool:
        line = list(self)[shape] if 0 <= shape < len(self) else PART
        if line.endswith(PART) or line in self._places or min(places) < 0 or max(places) >= len(line):
            return False
        self._places[line] = places.tolist()
        return True

    def lines(self, data: bytes) -> tuple[Ids, Integers]:
        lines = data.translate(AS_ZERO).split(b"\n")[:-1]
        for row, own in enumerate(data.split(b"\n")[:-1] if self._places else ()):
            if lines[row] in self._places:
                part = bytearray(lines[row] + PART)
                for place in self._places[lines[row]]:
                    part[place] = own[place]
                lines[row] = bytes(part)
        ids = np.fromiter(map(self.__getitem__, lines), np.int32, len(lines))
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        return ids, np.concatenate([np.zeros(min(1, len(ends)), np.int64), ends[:-1] + 1])


SHORTEST, MOST_TEXTS = 3, 1 << 15  # bytes of a text that is sought in another, and how many of these
_BUCKETS = 1 << 14


def texts_in(text: bytes, texts: bytes, starts: Ids) -> NDArray[np.bool_]:
    """Of each of some texts whether it stands in another, which C tells; ``starts`` (int32): of them and their end."""
    count = len(starts) - 1
    found, buckets = np.zeros(count, np.bool_), np.full(_BUCKETS + count, -1, np.int16)
    arrays = starts.ctypes.data, count, buckets.ctypes.data, found.ctypes.data
    LIBRARY.texts_in(text, len(text), texts, *arrays)  # type: ignore[union-attr]  # who asks for it knows that it is there
    return found


def fields(
    data: bytes, at: Integers, shape: Ids, spans: Ids, kinds: Bytes, *, compiled: bool = COMPILED
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
    for array, kind, dimensions in (at, np.int64, 1), (shape, np.int32, 1), (spans, np.int32, 3), (kinds, np.uint8, 1):
        if array.dtype != kind or array.ndim != dimensions:
            raise ValueError(f"an array of {array.dtype} with {array.ndim} dimensions is not one of {kind.__name__}")
    if shape.shape != at.shape or spans.shape[1:] != (len(kinds), 2) or (kinds > STAMP).any():
        raise ValueError(NO_FIT)
    cells, odd = np.empty((len(kinds), len(at))), np.empty((len(kinds), len(at)), np.uint8)
    if not cells.size:
        return cells, None
    if compiled and LIBRARY is not None:
        arrays = [np.ascontiguousarray(array) for array in (at, shape, spans, kinds)]
        lines, shapes, places, own = (array.ctypes.data for array in arrays)
        of_lines = (data, len(data), lines, shapes, len(at), places, len(spans))
        many = LIBRARY.fields(*of_lines, own, len(kinds), cells.ctypes.data, odd.ctypes.data)
        if many < 0:
            raise ValueError(NO_FIT)
    else:
        cells[:] = np.nan
        cells.view(np.int64)[kinds == STAMP] = NO_STAMP
        odd[:] = (spans[shape, :, 1].T > 0) & (kinds != LEFT)[:, None]
        many = odd.any()
    return cells, odd if many else None
