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

    def line_starts(self, places: Places) -> Places:
        """The place of the newline before each place."""
        return self.breaks[np.searchsorted(self.breaks, places) - 1]

    def numbers(self, places: Places) -> Places:
        """Physical line numbers, from 1 in the log, of the places of newlines that begin a line."""
        return self._first - 1 + np.searchsorted(self._starts, places, side="right")


def positions(text: bytes, mark: bytes) -> Places:
    """Where a mark stands in a text, ascending."""
    found, hit = [], text.find(mark)
    while hit >= 0:
        found.append(hit)
        hit = text.find(mark, hit + 1)
    return np.array(found, dtype=np.int64)
