"""Records that are in a log twice: found by a hash of each row, and compared where two rows have the same."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..scanning.record_table import RecordTable

Rows = NDArray[np.intp]
Hashes = NDArray[np.uint64]
# A log cannot choose rows of one hash: it does not know the key.
_KEY = random.SystemRandom().getrandbits(64) | 1
_SHIFT = np.uint64(32)


def repeated(records: RecordTable, columns: Sequence[str]) -> Rows:
    """The rows, ascending, that have the same in all these columns as one before them; what is missing is alike."""
    hashes = _hashes(records, columns)
    ordered = np.sort(hashes)
    is_any = (ordered[1:] == ordered[:-1]).any()
    del ordered
    if not is_any:
        return np.zeros(0, np.intp)
    order = np.argsort(hashes)
    hashes = hashes[order]
    is_same = hashes[1:] == hashes[:-1]
    del hashes
    for name in columns:
        bits = _bits(records[name])[order]
        if (is_same & (bits[1:] != bits[:-1])).any():
            return np.array(list(_one_by_one(records, columns)), np.intp)
    begins = np.flatnonzero(np.append(True, ~is_same))
    is_copy = np.ones(len(records), np.bool_)
    is_copy[np.minimum.reduceat(order, begins)] = False
    return np.flatnonzero(is_copy)


def _hashes(records: RecordTable, columns: Sequence[str]) -> Hashes:
    hashes = np.zeros(len(records), np.uint64)
    for name in columns:
        hashes ^= _bits(records[name])
        hashes *= np.uint64(_KEY)
        hashes ^= hashes >> _SHIFT
    return hashes


def _one_by_one(records: RecordTable, columns: Sequence[str]) -> Iterator[int]:
    """The same where two rows that differ have one hash."""
    bits = [_bits(records[name]) for name in columns]
    seen = set[tuple[int, ...]]()
    for number, row in enumerate(zip(*(column.tolist() for column in bits), strict=True)):
        if row in seen:
            yield number
        seen.add(row)


def _bits(column: NDArray[Any]) -> Hashes:
    """Numbers that are equal where the values of a column are, or are missing."""
    if column.dtype.kind == "f":
        column = column + 0.0  # -0.0 is 0.0
        column[np.isnan(column)] = np.nan
    if column.dtype.kind == "O":
        numbers: dict[object, int] = {}
        return np.fromiter((numbers.setdefault(text, len(numbers)) for text in column), np.uint64, len(column))
    return column.view(np.uint64) if column.dtype.itemsize == np.uint64().itemsize else column.astype(np.uint64)
