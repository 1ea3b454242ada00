"""The line account: every physical line of a log is matched, ignored by rule, or unrecognised."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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


def unrecognised(source: Source, known: Account) -> Iterator[tuple[int, bytes]]:
    """The unrecognised lines with their physical numbers, cleaned and without prefix; the log is read once more."""
    recognised = known.recognised.tobytes()
    number = 0
    for block in source.blocks():
        for line in clean(block).removesuffix(b"\n").split(b"\n"):
            number += 1
            if number <= known.total and not recognised[number]:
                yield number, without_prefix(line)
