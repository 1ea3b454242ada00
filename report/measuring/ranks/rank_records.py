"""Records of ranks: the numbers of several processes that each print their own, side by side.

Where all of them are there, the throughput of the job is the sum of theirs; where only some are, it is that of the
lowest rank. What every rank prints says whether they differ, and which is the slowest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parsers.io.message import Message

from ...measure.diagnostics import NoMeasurement
from ..estimate import TIMES, Values
from ..record_columns import Columns
from ..window import Mask
from ..windows.record_use import Reasons, RecordUse

TOLERANCE = 0.01
# Numbers that all ranks gather before they print them are equal but for their last digits.
EQUAL = 1e-4
MOST = 1 << 24  # no job has so many ranks

NOT_ONE = (
    "All {count} ranks are there and differ by {percent}%, so rank {rank} × {count} is not the throughput of the job: "
    "use estimate=reported, which adds up all ranks."
)
ONE_EACH = (
    "{count} ranks print different throughputs at the same steps, so each may be of its rank alone and not of the "
    "whole job; first at line {line}. State the scope in the grammar of the format: card if each rank prints its own."
)
UNNAMED = (
    "Each step is printed {count} times with different throughputs, so each may be of one rank alone and not of the "
    "whole job; first at line {line}. State the scope in the grammar of the format: card if each rank prints its own."
)


@dataclass(frozen=True)
class Ranks:
    """What several ranks print at the same steps.

    ``numbers``: the ranks (int64, ascending). ``values``: float64, a row a rank and a column a record of the lowest
    one, NaN where a rank does not print that step; ``column``: what they are. ``lines``: where these stand (int64), 0
    where they do not.
    """

    column: str
    numbers: NDArray[np.int64]
    values: NDArray[np.float64]
    lines: NDArray[np.int64]

    @property
    def are_whole(self) -> bool:
        """Whether every rank prints every step; the last may be cut."""
        missing = np.isnan(self.values)
        return not missing[:, :-1].any() and not missing.all(axis=1).any()

    def are_all_of(self, cards: float) -> bool:
        """Whether these are all ranks of so many cards, and print every step."""
        return len(self.numbers) == cards and self.are_whole

    def add_up(self, cards: float, estimate: str) -> bool:
        """Whether these are all ranks of so many cards, and their numbers are added up, as those that are printed are.

        Raises ``NoMeasurement`` where another estimate would have one rank stand for all, which are more than 1% apart.
        """
        if not self.are_all_of(cards):
            return False
        means = np.nanmean(self.values, axis=1)
        if estimate == "reported" or means.max() <= means.min() * (1 + TOLERANCE):
            return estimate == "reported"
        percent = f"{100 * (means.max() / means.min() - 1):.3g}"
        raise NoMeasurement(NOT_ONE, rank=self.numbers[0], count=len(self.numbers), percent=percent)

    @property
    def differ_in_step(self) -> bool:
        """Whether ranks print different numbers at the same step."""
        whole = self.values[:, ~np.isnan(self.values).any(axis=0)]
        return bool(whole.size and (np.ptp(whole, axis=0) > EQUAL * np.abs(whole).max(axis=0)).any())

    def one_each(self, line: int) -> Message | None:
        """The sentence on ranks that print different numbers at the same steps, the first in a line."""
        return Message(ONE_EACH, count=len(self.numbers), line=line) if self.differ_in_step else None

    @property
    def means(self) -> Values:
        """The mean over the ranks at each step."""
        found: Values = np.nanmean(self.values, axis=0)
        return found


def ranks_of(chosen: Columns, column: str, reasons: Reasons) -> Ranks | None:
    """What all ranks print in a column of numbers; ``reasons``: why each record is used or not.

    Where the records of the clock are read, whose ranks all tell the same time, that is the speed that they print.
    """
    if column in TIMES:
        column = next((name for name in ("throughput", "step_time") if name in chosen), column)
    if column in TIMES or not chosen.printed(column)[reasons == RecordUse.USED].all():
        return None
    are_valued = (reasons != RecordUse.NO_VALUE) & (reasons != RecordUse.OTHER_RUN) & chosen.printed(column)
    if len(earlier := np.flatnonzero(reasons == RecordUse.EARLIER_RUN)):
        are_valued[: earlier[-1] + 1] = False
    return of_ranks(chosen.rows(are_valued), column, reasons[are_valued] == RecordUse.USED)


def not_of_the_job(found: Ranks | None, lowest: Columns, column: str) -> Message | None:
    """Why numbers that the format takes for those of the whole job may be those of one rank each."""
    return unnamed(lowest, column) if found is None else found.one_each(lowest["line"][0])


def of_ranks(records: Columns, column: str, lowest: Mask) -> Ranks | None:
    """What ranks print in a column of ``records``, which all have a value there; ``lowest``: those of the lowest rank.

    Records of the same epoch and step belong together; where no step is printed those of the same place in the order of
    their rank. None where only one rank prints, or where a rank prints a step twice.
    """
    if lowest.all() or "rank" not in records:
        return None
    ranks = records.numbers("rank")
    named = ~np.isnan(ranks)
    numbers, row = np.unique(ranks[named], return_inverse=True)
    if not (numbers < MOST).all():
        return None
    keys = _keys(records)[named]
    taken = np.unique(keys[row == 0])
    column_of = np.searchsorted(taken, keys)
    known = (column_of < len(taken)) & (taken[np.minimum(column_of, len(taken) - 1)] == keys)
    places = row[known] * len(taken) + column_of[known]
    if len(np.unique(places)) < len(places):
        return None
    values, lines = np.full(len(numbers) * len(taken), np.nan), np.zeros(len(numbers) * len(taken), np.int64)
    values[places] = records.numbers(column)[named][known]
    lines[places] = records["line"][named][known]
    order = np.searchsorted(taken, keys[row == 0])
    shape = len(numbers), -1
    return Ranks(column, numbers.astype(np.int64), values.reshape(shape)[:, order], lines.reshape(shape)[:, order])


def _keys(records: Columns) -> NDArray[np.int64]:
    """A number for each record, the same where ranks print the same step."""
    names = [name for name in ("epoch", "step") if name in records and records.printed(name).all()]
    if "step" in names:
        told = np.column_stack([records.numbers(name) for name in names])
        return np.asarray(np.unique(told, axis=0, return_inverse=True)[1], dtype=np.int64).ravel()
    ranks, every = records.numbers("rank"), np.arange(len(records))
    order = np.argsort(ranks, kind="stable")
    begins = np.append(True, np.diff(ranks[order]) != 0)
    keys = np.empty(len(records), dtype=np.int64)
    keys[order] = every - np.maximum.accumulate(np.where(begins, every, 0))
    return keys


def unnamed(records: Columns, column: str) -> Message | None:
    """Warn of steps that are printed several times over with different numbers, as ranks without a label do."""
    if "step" not in records or not records.printed("step").all() or len(records) < 2:
        return None
    if (np.diff(records.numbers("step")) != 0).all():
        return None
    keys, values = _keys(records), records.numbers(column)
    starts = np.flatnonzero(np.append(True, np.diff(keys) != 0))
    counts = np.diff(np.append(starts, len(keys)))
    if counts[0] < 2 or (counts[:-1] != counts[0]).any() or len(np.unique(keys)) != len(starts):
        return None
    apart = np.maximum.reduceat(values, starts) - np.minimum.reduceat(values, starts)
    differing = apart > EQUAL * np.abs(np.maximum.reduceat(values, starts))
    if not differing.any():
        return None
    return Message(UNNAMED, count=counts[0], line=records["line"][starts[differing][0]])
