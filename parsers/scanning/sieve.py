"""A sieve: which of many texts may stand in a block, told by one look at the block."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

_HASHES = 1 << 16
_PIECE = 1 << 14  # what is made of so little takes no new memory each time
_FACTORS = np.uint16(40503), np.uint16(40763)  # odd, so that each pair has a product of its own

Seen = NDArray[np.bool_]


def fours(text: bytes) -> Seen:
    """Which fours of bytes, by their hash, are in a text; the last entry, for none, is True."""
    seen = np.zeros(_HASHES + 1, np.bool_)
    seen[_HASHES] = True
    for start in range(0, len(text), _PIECE):
        for shift in (0, 1):
            seen[_hashes(text[start + shift : start + shift + _PIECE + 2])] = True
    return seen


class Sieve:
    """Groups of needs, each of at least one; a need is met by any of its texts, a text by all the fours in it."""

    def __init__(self, groups: Sequence[Sequence[Sequence[bytes]]]) -> None:
        needs = [need for group in groups for need in group]
        fours_of = [_of(text) for need in needs for text in need]
        self._fours = np.concatenate([np.zeros(0, np.intp), *fours_of])
        self._texts, self._needs, self._groups = _starts(fours_of), _starts(needs), _starts(groups)

    def passes(self, seen: Seen) -> Seen:
        """Of each group whether all its needs may be met by the block whose fours are seen; True proves nothing."""
        if not len(self._groups):
            return seen[:0]
        texts = np.logical_and.reduceat(seen[self._fours], self._texts)
        needs = np.logical_or.reduceat(texts, self._needs)
        return np.logical_and.reduceat(needs, self._groups)


def _of(text: bytes) -> NDArray[np.intp]:
    return np.concatenate([_hashes(text), _hashes(text[1:]), np.array([_HASHES])])


def _hashes(text: bytes) -> NDArray[np.intp]:
    """The hashes of the fours that begin at even places of a text.

    numpy converts indices of 16 bits by itself as well, but more slowly.
    """
    count = max(len(text) - 2, 0) // 2
    two = np.frombuffer(text + b"\0" * (2 + len(text) % 2), "<u2")[: count + 1]
    return (two[:count] * _FACTORS[0] + two[1:] * _FACTORS[1]).astype(np.intp)


def _starts(parts: Iterable[Sequence[object] | NDArray[np.intp]]) -> NDArray[np.intp]:
    return np.cumsum([0, *map(len, parts)])[:-1]
