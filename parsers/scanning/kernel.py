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
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Ids = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

VERSION = "version_9"  # what shapes.c names itself: one more with each change of what is called there
LEFT, NUMBER, STAMP, WORD = range(4)
NO_STAMP = -(2**63)
"""The kinds of ``fields``: left to the caller, a number, a time, a short text; and a time that is not there."""
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
    if not hasattr(found, VERSION):
        warnings.warn(OTHER_VERSION.format(path=path), RuntimeWarning, stacklevel=2)
        return None
    text, array, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int64
    found.lines.argtypes = [ctypes.POINTER(_Table), text, size, array, array, size]
    found.fields.argtypes = [text, size, array, array, size, array, size, array, size, array, array, array]
    found.without_escapes.argtypes = [text, size, array]
    found.texts_in.argtypes = [text, size, text, array, size, array, array]
    found.texts_in.restype = None
    found.lines.restype = found.fields.restype = found.without_escapes.restype = size
    return found


LIBRARY = library()
COMPILED = LIBRARY is not None and os.environ.get("TACHOGRAPH_KERNEL") != "numpy"


class CompiledShapes:
    """The shapes of the lines of texts, numbered from 0 in the order of their first lines: at most ``most`` of them.

    A line over ``longest`` bytes has none, and neither has a line of a new shape where the table is full, or the shape
    has ``most_parts`` already.
    """

    def __init__(self, most: int, longest: int, most_parts: int) -> None:
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
        self._ids, self._starts = np.empty((2, ROOM), np.int64)

    def __len__(self) -> int:
        return int(self._table.known)

    def tell(self, shape: int, places: Iterable[int]) -> None:
        """From now on the lines of a shape with other digits at these places of them have other shapes, its parts."""
        known, own = self._arrays["places"], [*places]
        self._arrays["told"][shape] = len(known)
        self._arrays["places"] = np.array([*known, len(own), *own], np.int32)
        self._table.places = self._arrays["places"].ctypes.data

    def lines(self, data: bytes) -> tuple[Integers, Integers]:
        """The shape of each line of a text that ends with a newline, -1 where it has none, and where it begins."""
        ids, starts, self._table.at = [self._ids[:0]], [self._starts[:0]], 0
        while self._table.at < len(data):
            arrays = self._ids.ctypes.data, self._starts.ctypes.data, ROOM
            count = LIBRARY.lines(self._table, data, len(data), *arrays)  # type: ignore[union-attr]  # COMPILED
            ids.append(self._ids[:count].copy())
            starts.append(self._starts[:count].copy())
        return np.concatenate(ids), np.concatenate(starts)


AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
PART = b"\n"  # behind a masked line some of whose digits are left, for they matter


class MaskedShapes(dict[bytes, int]):
    """The same without C: the number of each masked line, which a new one gets; -1 for what has no place here."""

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

    def tell(self, shape: int, places: Iterable[int]) -> None:
        """As that of C."""
        self._places[list(self)[shape]] = [*places]

    def lines(self, data: bytes) -> tuple[Integers, Integers]:
        """As that of C."""
        lines = data.translate(AS_ZERO).split(b"\n")[:-1]
        for row, own in enumerate(data.split(b"\n")[:-1] if self._places else ()):
            if lines[row] in self._places:
                part = bytearray(lines[row] + PART)
                for place in self._places[lines[row]]:
                    part[place] = own[place]
                lines[row] = bytes(part)
        ids = np.fromiter(map(self.__getitem__, lines), np.int64, len(lines))
        return ids, np.cumsum([0, *(len(line) + 1 for line in data.split(b"\n"))], dtype=np.int64)[: len(lines)]


Shapes = CompiledShapes if COMPILED else MaskedShapes
SHORTEST, MOST_TEXTS = 3, 1 << 15  # bytes of a text that C seeks in another, and how many of these
_BUCKETS = 1 << 14


class Texts:
    """Some texts to be found in others; ``compiled`` is for tests."""

    def __init__(self, texts: Iterable[bytes], *, compiled: bool = COMPILED) -> None:
        given = tuple(texts)
        self._are_long = np.array([len(text) >= SHORTEST for text in given], np.bool_)
        self._texts = [text for text in given if len(text) >= SHORTEST]
        self._compiled, self._joined = compiled and len(self._texts) < MOST_TEXTS, b"".join(self._texts)
        self._starts = np.cumsum([0, *map(len, self._texts)], dtype=np.int32)

    def found_in(self, text: bytes) -> Flags:
        """Of each text whether it stands in another; True of one that is too short to search for proves nothing."""
        found = np.ones(len(self._are_long), np.bool_)
        if self._compiled:
            count = len(self._texts)
            own, buckets = np.zeros(count, np.bool_), np.full(_BUCKETS + count, -1, np.int16)
            arrays = self._starts.ctypes.data, count, buckets.ctypes.data, own.ctypes.data
            LIBRARY.texts_in(text, len(text), self._joined, *arrays)  # type: ignore[union-attr]  # as above
            found[self._are_long] = own
        else:
            found[self._are_long] = [own in text for own in self._texts]
        return found


def fields(
    data: bytes, at: Integers, shape: Ids, spans: Ids, kinds: Bytes, *, compiled: bool = COMPILED
) -> tuple[Floats, Bytes | None]:
    """The fields of lines: one row a kind, and in it one cell of eight bytes a line; and 1 where a cell is odd.

    ``at``: where each line begins. ``shape``: which of ``spans`` it has. ``spans``: for each shape and field the offset
    in the line and the width, 0 for a field that it does not have. ``kinds``: LEFT (NaN here), NUMBER (float64, exact
    to the last bit; NaN for none), STAMP (the int64 of microseconds since 1970 in the same bytes; NO_STAMP for none) or
    WORD (up to eight bytes as they are). An odd cell is as if there were none: its text is left to the caller, who can
    read every spelling. C leaves what is no plain decimal number, or over 2**59 without its point, no time such as
    2026-11-22 20:15:00.123, or a longer word; without C all are left. None in place of the odd ones where there are
    none. ValueError: arrays of other sizes, or in C a place that is not inside ``data``.
    """
    cells, odd = np.empty((len(kinds), len(at))), np.empty((len(kinds), len(at)), np.uint8)
    if shape.shape != at.shape or spans.shape[1:] != (len(kinds), 2):
        raise ValueError(NO_FIT)
    if not cells.size:
        return cells, None
    if compiled and LIBRARY is not None:
        of_types = (at, np.int64), (shape, np.int32), (spans, np.int32), (kinds, np.uint8)
        arrays = [np.ascontiguousarray(array, type_) for array, type_ in of_types]
        lines, shapes, places, own = (array.ctypes.data for array in arrays)
        of_lines = (data, len(data), lines, shapes, len(at), places, len(spans))
        points = np.zeros(spans.shape[:2], np.uint8)
        many = LIBRARY.fields(*of_lines, own, len(kinds), *(array.ctypes.data for array in (points, cells, odd)))
        if many < 0:
            raise ValueError(NO_FIT)
    else:
        cells[:] = np.nan
        cells.view(np.int64)[kinds == STAMP] = NO_STAMP
        cells.view(np.int64)[kinds == WORD] = 0
        odd[:] = (spans[shape, :, 1].T > 0) & (kinds != LEFT)[:, None]
        many = odd.any()
    return cells, odd if many else None
