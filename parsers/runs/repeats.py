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
BLOCK = 1 << 16


def repeated(records: RecordTable, columns: Sequence[str]) -> Rows:
    """The rows, ascending, that have the same in all these columns as one before them; what is missing is alike."""
    rows = _suspects(records, columns)
    if not len(rows):
        return rows
    records = records.columns(columns).rows(rows)
    hashes = np.concatenate(list(_hashes(records, columns)))
    order = np.argsort(hashes)
    hashes = hashes[order]
    is_same = hashes[1:] == hashes[:-1]
    for name in columns:
        bits = _bits(records[name], {})[order]
        if (is_same & (bits[1:] != bits[:-1])).any():
            return rows[list(_one_by_one(records, columns))]
    begins = np.flatnonzero(np.append(True, ~is_same))
    is_copy = np.ones(len(rows), np.bool_)
    is_copy[np.minimum.reduceat(order, begins)] = False
    return rows[is_copy]


def _suspects(records: RecordTable, columns: Sequence[str]) -> Rows:
    """The rows, ascending, half of whose hash another row has: copies and hardly any others, found in little memory."""
    halves = np.empty(len(records), np.uint32)
    np.concatenate([halves[:0], *(hashes.astype(np.uint32) for hashes in _hashes(records, columns))], out=halves)
    halves.sort()
    several = np.unique(halves[1:][halves[1:] == halves[:-1]])
    del halves
    if not len(several):
        return np.zeros(0, np.intp)
    blocks = enumerate(_hashes(records, columns))
    return np.concatenate([number * BLOCK + _found_in(several, hashes) for number, hashes in blocks])


def _found_in(several: NDArray[np.uint32], hashes: Hashes) -> Rows:
    halves = hashes.astype(np.uint32)
    places = np.searchsorted(several, halves)
    return np.flatnonzero(several[np.minimum(places, len(several) - 1)] == halves)


def _hashes(records: RecordTable, columns: Sequence[str]) -> Iterator[Hashes]:
    """The hash of each row, of so many rows at a time."""
    texts: dict[str, dict[object, int]] = {name: {} for name in columns}
    for start in range(0, len(records), BLOCK):
        hashes = np.zeros(min(BLOCK, len(records) - start), np.uint64)
        for name in columns:
            hashes ^= _bits(records[name][start : start + BLOCK], texts[name])
            hashes *= np.uint64(_KEY)
            hashes ^= hashes >> _SHIFT
        yield hashes


def _one_by_one(records: RecordTable, columns: Sequence[str]) -> Iterator[int]:
    """The same where two rows that differ have one hash."""
    bits = [_bits(records[name], {}) for name in columns]
    seen = set[tuple[int, ...]]()
    for number, row in enumerate(zip(*(column.tolist() for column in bits), strict=True)):
        if row in seen:
            yield number
        seen.add(row)


def _bits(column: NDArray[Any], texts: dict[object, int]) -> Hashes:
    """Numbers that are equal where the values of a column are, or are missing; ``texts``: those seen before."""
    if column.dtype.kind == "f":
        column = column + 0.0  # -0.0 is 0.0
        column[np.isnan(column)] = np.nan
    if column.dtype.kind == "O":
        return np.fromiter((texts.setdefault(text, len(texts)) for text in column), np.uint64, len(column))
    return column.view(np.uint64) if column.dtype.itemsize == np.uint64().itemsize else column.astype(np.uint64)
