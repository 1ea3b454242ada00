"""A sieve: which of many texts may stand in a block, told by one look at the block."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

_HASHES = 1 << 16
_PIECE = 1 << 14  # what is made of so little takes no new memory each time
_FACTOR, _OTHER = np.uint16(40503), np.uint16(40763)  # odd, so that each pair has a product of its own

Seen = NDArray[np.bool_]


def fours(text: bytes) -> Seen:
    """Which fours of bytes, by their hash, begin at the even places of a text; the last entry, for none, is True."""
    seen = np.zeros(_HASHES + 1, np.bool_)
    seen[_HASHES] = True
    for start in range(0, len(text), _PIECE):
        seen[_hashes(text[start : start + _PIECE + 2])] = True
    return seen


class Sieve:
    """Groups of needs, each of at least one; a need is met by any of its texts.

    A text begins in a block at an even place or at an odd one. So all its fours of bytes at its own even places, or
    all at its odd ones, are at even places of the block; where neither is so, the text is not in it.
    """

    def __init__(self, groups: Sequence[Sequence[Sequence[bytes]]]) -> None:
        needs = [need for group in groups for need in group]
        halves = [_of(text[shift:]) for need in needs for text in need for shift in (0, 1)]
        self._fours = np.concatenate([np.zeros(0, np.intp), *halves])
        self._halves, self._needs, self._groups = _starts(halves), _starts(needs), _starts(groups)

    def passes(self, seen: Seen) -> Seen:
        """Of each group whether all its needs may be met by the block whose fours are seen; True proves nothing."""
        if not len(self._groups):
            return seen[:0]
        halves = np.logical_and.reduceat(seen[self._fours], self._halves)
        needs = np.logical_or.reduceat(halves[::2] | halves[1::2], self._needs)
        return np.logical_and.reduceat(needs, self._groups)


def _of(text: bytes) -> NDArray[np.intp]:
    return np.append(_hashes(text), _HASHES)


def _hashes(text: bytes) -> NDArray[np.intp]:
    """The hashes of the fours of a text; numpy converts indices of 16 bits by itself as well, but more slowly."""
    count = max(len(text) - 2, 0) // 2
    two = np.frombuffer(text + b"\0" * (2 + len(text) % 2), "<u2")[: count + 1]
    return (two[:count] * _FACTOR + two[1:] * _OTHER).astype(np.intp)


def _starts(parts: Iterable[Sequence[object] | NDArray[np.intp]]) -> NDArray[np.intp]:
    return np.cumsum([0, *map(len, parts)])[:-1]
