"""The line account: every physical line of a log is matched, ignored by rule, or unrecognised."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..grammar.format import Format
from .format_shapes import KnownShapes
from .leftover import Unrecognised
from .shapes import Rows, ShapedLines


@dataclass(frozen=True)
class Account:
    """Counts of physical lines; ``matched + ignored + unrecognised = total``, and ``total`` is what ``wc -l`` says.

    A last line without newline counts. ``known``: of each block of a log a bit a line,
    whether a rule knows it, and how many lines there are.
    """

    total: int
    matched: int
    ignored: int
    known: Sequence[tuple[NDArray[np.uint8], int]] = field(repr=False)

    @property
    def unrecognised(self) -> int:
        """Lines that no rule of the format knows."""
        return self.total - self.matched - self.ignored

    @property
    def recognised(self) -> NDArray[np.bool_]:
        """Whether a rule knows each line, by its number from 1."""
        of_blocks = (np.unpackbits(bits, count=count) for bits, count in self.known)
        return np.concatenate([np.zeros(1, np.uint8), *of_blocks]).view(np.bool_)


NOTHING, IGNORED, MATCHED = range(3)


class Verdicts:
    """What is known of each of some lines: matched, ignored or nothing; whether it is torn, and whether it is left.

    What stands beside ours in a torn line is left for others.
    """

    def __init__(self, count: int) -> None:
        self.known = np.full(count, NOTHING, np.int8)
        self.torn = np.zeros(count, np.bool_)
        self.left = np.ones(count, np.bool_)

    def note(self, rows: Rows, *, is_matched: bool, is_torn: bool = False) -> None:
        """Note what some lines are to a format; what is ignored by one may be matched by another."""
        self.known[rows] = np.maximum(self.known[rows], MATCHED if is_matched else IGNORED)
        self.left[rows] = is_torn
        if is_torn:
            self.torn[rows] = True


class LineAccount:
    """The account of a log while it is read.

    ``torn``: how many lines hold a metric line amid other output, from ``first_torn`` on.
    """

    def __init__(self, formats: Sequence[Format], known: KnownShapes) -> None:
        self.torn = self.first_torn = 0
        self._counts = np.zeros(3, np.int64)
        self._known: list[tuple[NDArray[np.uint8], int]] = []
        self.unrecognised = Unrecognised(formats, known)

    @property
    def total(self) -> int:
        """How many lines there were so far."""
        return int(self._counts.sum())

    def add(self, lines: ShapedLines, verdicts: Verdicts) -> None:
        """Add lines that follow those before."""
        recognised = verdicts.known > NOTHING
        matched, known = np.count_nonzero(verdicts.known == MATCHED), np.count_nonzero(recognised)
        self._counts += (len(lines) - known, known - matched, matched)
        self._known.append((np.packbits(recognised), len(recognised)))
        if verdicts.torn.any():
            torn = np.flatnonzero(verdicts.torn)
            self.first_torn = self.first_torn or int(lines.numbers(torn[:1])[0])
            self.torn += len(torn)
        self.unrecognised.add(lines, np.flatnonzero(~recognised))

    def whole(self) -> Account:
        """The account of all lines; no more are added."""
        counts = self._counts.tolist()
        return Account(self.total, counts[MATCHED], counts[IGNORED], self._known)
