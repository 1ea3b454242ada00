"""A block of whole lines, and where they are."""

import numpy as np
from numpy.typing import NDArray

from .source import clean

NEWLINE = ord("\n")

Places = NDArray[np.int64]


class Block:
    """A block of whole lines: its ``text``, with a newline before each line, and where these ``breaks`` are."""

    def __init__(self, data: bytes, lines_before: int) -> None:
        data = clean(data)
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == NEWLINE)
        self.lines = len(ends) + (not data.endswith(b"\n"))
        self._starts, self._first = np.concatenate([[0], ends + 1]), lines_before + 1
        # A carriage return starts a new line on screen but no new physical line: same length, so the places hold.
        screen = b"\r" in data
        self.text = b"\n" + (data.replace(b"\r", b"\n") if screen else data)
        self.breaks = positions(self.text, b"\n") if screen else self._starts
        self._data = data

    def line_starts(self, places: Places) -> Places:
        """The place of the newline before each place."""
        return self.breaks[np.searchsorted(self.breaks, places) - 1]

    def numbers(self, places: Places) -> Places:
        """Physical line numbers, from 1 in the log, of the places of newlines that begin a line."""
        return self._first - 1 + np.searchsorted(self._starts, places, side="right")

    def without(self, known: Places) -> tuple[bytes, Places]:
        """The lines whose physical numbers are not among the known ones, as a text, and their numbers."""
        left = np.ones(self.lines, np.bool_)
        left[known - self._first] = False
        rows = np.flatnonzero(left)
        if len(rows) == self.lines:
            return self._data, rows + self._first
        gaps = np.flatnonzero(np.diff(rows) > 1)
        firsts, lasts = np.append(rows[:1], rows[gaps + 1]), np.append(rows[gaps], rows[-1:])
        starts, ends = self._starts[firsts], np.append(self._starts[1:], len(self._data))[lasts]
        runs = zip(starts.tolist(), ends.tolist(), strict=True)
        return b"".join([self._data[start:end] for start, end in runs]), rows + self._first


def positions(text: bytes, mark: bytes) -> Places:
    """Where a mark stands in a text, ascending."""
    found, hit = [], text.find(mark)
    while hit >= 0:
        found.append(hit)
        hit = text.find(mark, hit + 1)
    return np.array(found, dtype=np.int64)
