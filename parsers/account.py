"""The line account: every physical line of a log is matched, ignored by rule, or unrecognised."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from .prefix import without_prefix
from .source import Source, clean


@dataclass(frozen=True)
class Account:
    """Counts of physical lines; ``matched + ignored + unrecognised = total``, and ``total`` is what ``wc -l`` says.

    A last line without newline counts. ``recognised`` says of each line, by its number from 1, whether a rule knows it.
    """

    total: int
    matched: int
    ignored: int
    recognised: NDArray[np.bool_] = field(repr=False)

    @property
    def unrecognised(self) -> int:
        """Lines that no rule of the format knows."""
        return self.total - self.matched - self.ignored


def account(total: int, matched: Sequence[NDArray[np.int64]], ignored: Sequence[NDArray[np.int64]]) -> Account:
    """Count each physical line once; a line that is matched and ignored counts as matched."""
    seen = np.zeros(total + 1, bool)
    for numbers in matched:
        seen[numbers] = True
    known = int(np.count_nonzero(seen))
    for numbers in ignored:
        seen[numbers] = True
    return Account(total, known, int(np.count_nonzero(seen)) - known, seen)


def unrecognised(source: Source, known: Account) -> Iterator[tuple[int, bytes, int]]:
    """The unrecognised lines, cleaned and without prefix; the log is read once more.

    Of equal lines near each other (a log may hold millions) the physical number of the first, and how many there are.
    """
    before = 0
    for block in source.blocks():
        lines = clean(block).removesuffix(b"\n").split(b"\n")
        unknown = ~known.recognised[before + 1 : before + 1 + len(lines)]
        numbers = (np.flatnonzero(unknown) + before + 1).tolist()
        left = list(compress(lines, unknown.tolist()))
        first = dict(zip(reversed(left), reversed(numbers), strict=True))
        yield from ((first[line], without_prefix(line), count) for line, count in Counter(left).items())
        before += len(lines)
