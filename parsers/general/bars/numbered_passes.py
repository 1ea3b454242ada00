"""Passes of a progress bar, each below a line that numbers its epoch; of several runs, whose numbers begin anew."""

import math
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from ..gathered import Gathered, Spoken, once_a_log
from ..spoken_series import SpokenSeries
from .bar_of_epochs import lines_of_epochs
from .bar_passes import passes_of

FEWEST = 4  # epochs


@dataclass(frozen=True)
class NumberedPasses:
    """Passes of a bar of which each has the number of an epoch above it: so many ``runs``, as their numbers tell.

    ``are_all``: whether they are all of its passes, and not the first of too many to be examined.
    """

    runs: int
    are_all: bool

    @property
    def may_be_of_several_runs(self) -> bool:
        """Whether they are of several runs, or others may be."""
        return self.runs > 1 or not self.are_all


def numbered_passes(series: SpokenSeries, gathered: Gathered) -> NumberedPasses | None:
    """The passes of a bar, where each has a number of its own in the line of an epoch above it; else None.

    Of two loops in an epoch one is another than that of training. Numbers rise by one but for those that begin a run.
    """
    numbered = _lines(gathered)
    lines, epochs = [row.line for row in numbered], [row.of("epoch") for row in numbered]
    last = gathered.examined_up_to([*series.slots, *(row.form for row in numbered[:1])])
    above = [bisect_right(lines, line) for run in passes_of(series) if (line := series.rows[run[0]].line) <= last]
    are_apart = bool(above) and above[0] > 0 and all(one < other for one, other in pairwise(above))
    told = epochs[: max(above, default=0)]
    begins = [after for one, after in pairwise(told) if after != one + 1]
    if not are_apart or len(told) < FEWEST or any(begin != told[0] for begin in begins):
        return None
    return NumberedPasses(len(begins) + 1, last == math.inf)


@once_a_log
def _lines(gathered: Gathered) -> list[Spoken]:
    """The lines that number epochs, of the form that most have."""
    numbered = lines_of_epochs(gathered)
    most = max(dict.fromkeys(row.form for row in numbered), key=gathered.counts.__getitem__, default=None)
    return [row for row in numbered if row.form is most]
