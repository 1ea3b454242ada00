"""A block of whole lines, and where they are."""

import re
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .prefix import has_prefix
from .sieve import Seen, fours
from .source import clean

NEWLINE = ord("\n")

Places = NDArray[np.int64]


class Block:
    """A block of whole lines: its ``text``, with a newline before each line, and where these ``breaks`` are.

    ``data``: the lines without what no eye sees. ``lines``: how many physical ones there are.
    """

    def __init__(self, data: bytes, starts: Places, numbers: Places) -> None:
        self.data, self.lines = data, len(numbers)
        self._starts, self._numbers = starts, numbers

    @classmethod
    def after(cls, lines_before: int, data: bytes) -> Self:
        """The block that follows so many lines of a log."""
        data = clean(data)
        starts = _starts(data)
        return cls(data, starts, np.arange(len(starts) - data.endswith(b"\n")) + lines_before + 1)

    @cached_property
    def text(self) -> bytes:
        """A newline before each line; a carriage return starts a new line on screen but no new physical line."""
        return b"\n" + (self.data.replace(b"\r", b"\n") if self._has_screen_lines else self.data)

    @cached_property
    def breaks(self) -> Places:
        """Where the newlines are that begin the lines of the text."""
        return positions(self.text, b"\n") if self._has_screen_lines else self._starts

    @cached_property
    def has_prefix(self) -> bool:
        """Whether any line begins with what job launchers put before it."""
        return has_prefix(self.text)

    @cached_property
    def fours(self) -> Seen:
        """Which fours of bytes may be in the text, for a ``Sieve``."""
        return fours(self.text)

    @cached_property
    def _has_screen_lines(self) -> bool:
        return b"\r" in self.data

    def line_starts(self, places: Places) -> Places:
        """The place of the newline before each place."""
        return self.breaks[np.searchsorted(self.breaks, places) - 1]

    def rows(self, places: Places) -> Places:
        """Which of its physical lines, from 0, begin at the places of newlines."""
        return np.searchsorted(self._starts, places, side="right") - 1

    def numbers(self, rows: Places) -> Places:
        """The numbers, from 1 in the log, of some of its physical lines."""
        return self._numbers[rows]

    def without(self, known: Places) -> Self:
        """A block of those lines whose numbers are not among the known ones."""
        left = np.ones(self.lines, np.bool_)
        left[np.searchsorted(self._numbers, known)] = False
        data = b"".join(self._runs(np.flatnonzero(left)))
        rest = type(self)(data, _starts(data), self._numbers[left])
        rest.fours = self.fours  # What is in a part is in the whole.
        return rest

    def _runs(self, rows: Places) -> list[bytes]:
        """The texts of some lines, those that follow each other as one."""
        gaps = np.flatnonzero(np.diff(rows) > 1)
        firsts, lasts = np.append(rows[:1], rows[gaps + 1]), np.append(rows[gaps], rows[-1:])
        starts, ends = self._starts[firsts], np.append(self._starts[1:], len(self.data))[lasts]
        return [self.data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _starts(data: bytes) -> Places:
    return np.append(0, np.flatnonzero(np.frombuffer(data, np.uint8) == NEWLINE) + 1)


def positions(text: bytes, mark: bytes) -> Places:
    """Where a mark stands in a text, ascending; of places that overlap the first."""
    return np.array([found.start() for found in re.finditer(re.escape(mark), text)], dtype=np.int64)
