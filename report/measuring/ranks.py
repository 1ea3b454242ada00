"""Ranks: the numbers of several processes that each print their own, side by side.

Where all of them are there, the throughput of the job is the sum of theirs; where only some are, it is that of the
lowest rank. What every rank prints says whether they differ, and which is the slowest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parsers.io.message import Message
from parsers.runs.facts import is_count

from .estimate import TIMES, Facts, Values
from .record_columns import Columns
from .statistic import reduce
from .window import Mask, Reasons, RecordUse

TOLERANCE = 0.01
# Numbers that all ranks gather before they print them are equal but for their last digits.
EQUAL = 1e-4
MOST = 1 << 24  # no job has so many ranks

EQUAL_RANKS = "all {median} {unit}"
RANGE = "{slowest} (rank {slowest_rank}) to {fastest} (rank {fastest_rank}), median {median} {unit}"
RANGE_BY_NODE = (
    "{slowest} (rank {slowest_rank}) to {fastest} (rank {fastest_rank}), median {median} {unit}; the slowest is on "
    "node {node}"
)
DIFFER = (
    "Ranks differ: rank {rank} is the slowest with {slowest} {unit}, the median is {median}, the fastest {fastest}."
)
DIFFER_BY_NODE = (
    "Ranks differ: rank {rank} on node {node} is the slowest with {slowest} {unit}, the median is {median}, the "
    "fastest {fastest}."
)
ONE_EACH = (
    "{count} ranks print different throughputs at the same steps, so each may be of its rank alone and not of the "
    "whole job; first at line {line}. State the scope in the grammar of the format: card if each rank prints its own."
)
UNNAMED = (
    "Each step is printed {count} times with different throughputs, so each may be of one rank alone and not of the "
    "whole job; first at line {line}. State the scope in the grammar of the format: card if each rank prints its own."
)
WARNINGS = (DIFFER, DIFFER_BY_NODE, ONE_EACH, UNNAMED)


@dataclass(frozen=True)
class Ranks:
    """What several ranks print at the same steps.

    ``numbers``: the ranks (int64, ascending). ``values``: float64, a row a rank and a column a record of the lowest
    one, NaN where a rank does not print that step.
    """

    numbers: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def are_whole(self) -> bool:
        """Whether every rank prints every step; the last may be cut."""
        missing = np.isnan(self.values)
        return not missing[:, :-1].any() and not missing.all(axis=1).any()

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


@dataclass(frozen=True)
class RankSpread:
    """How far ranks are apart: the number that the statistic gives for each (float64), in ``unit``.

    ``is_summed``: whether the throughput is the sum of all of them. ``are_times``: less is faster.
    """

    numbers: tuple[int, ...]
    values: tuple[float, ...]
    unit: str
    cards_per_node: int | None
    is_summed: bool = False
    are_times: bool = False

    @property
    def median(self) -> float:
        """The median over the ranks."""
        return float(np.median(self.values))

    @property
    def slowest(self) -> int:
        """The place of the slowest rank."""
        return int(np.argmax(self.values) if self.are_times else np.argmin(self.values))

    @property
    def fastest(self) -> int:
        """The place of the fastest rank."""
        return int(np.argmin(self.values) if self.are_times else np.argmax(self.values))

    @property
    def node(self) -> int | None:
        """The node of the slowest rank, counted from 0; None where the cards of a node are not known."""
        return self.node_of(self.slowest)

    def node_of(self, place: int) -> int | None:
        """The node of the rank at a place, counted from 0; None where the cards of a node are not known."""
        return None if self.cards_per_node is None else self.numbers[place] // self.cards_per_node

    @property
    def summary(self) -> Message:
        """The slowest, the fastest and the median, and on which node the slowest is."""
        told: dict[str, object] = {"median": f"{self.median:.6g}", "unit": self.unit}
        if min(self.values) == max(self.values):
            return Message(EQUAL_RANKS, **told)
        for name, at in (("slowest", self.slowest), ("fastest", self.fastest)):
            told |= {name: f"{self.values[at]:.6g}", f"{name}_rank": self.numbers[at]}
        return Message(RANGE, **told) if self.node is None else Message(RANGE_BY_NODE, **told, node=self.node)

    @property
    def message(self) -> Message | None:
        """The sentence on ranks that are more than 1% apart; None where they are not."""
        low, high = min(self.values), max(self.values)
        if not high > low * (1 + TOLERANCE):
            return None
        told = {"rank": self.numbers[self.slowest], "slowest": f"{self.values[self.slowest]:.6g}", "unit": self.unit}
        told |= {"median": f"{self.median:.6g}", "fastest": f"{self.values[self.fastest]:.6g}"}
        return Message(DIFFER, **told) if self.node is None else Message(DIFFER_BY_NODE, **told, node=self.node)


def ranks_of(chosen: Columns, column: str, reasons: Reasons) -> Ranks | None:
    """What all ranks print in a column of numbers; ``reasons``: why each record is used or not."""
    if column in TIMES:
        return None
    are_valued = (reasons != RecordUse.NO_VALUE) & (reasons != RecordUse.OTHER_RUN)
    if len(earlier := np.flatnonzero(reasons == RecordUse.EARLIER_RUN)):
        are_valued[: earlier[-1] + 1] = False
    return of_ranks(chosen.rows(are_valued), column, reasons[are_valued] == RecordUse.USED)


def one_each(records: Columns, column: str, lowest: Mask) -> Message | None:
    """Warn of ranks that print different numbers of ``column`` at the same steps; arguments as of ``of_ranks``."""
    found = of_ranks(records, column, lowest)
    return None if found is None else found.one_each(records["line"][lowest][0])


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
    values = np.full(len(numbers) * len(taken), np.nan)
    values[places] = records.numbers(column)[named][known]
    order = np.searchsorted(taken, keys[row == 0])
    return Ranks(numbers.astype(np.int64), values.reshape(len(numbers), -1)[:, order])


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


def spread(found: Ranks, used: Mask, statistic: str, unit: str, facts: Facts) -> RankSpread | None:
    """What the statistic of the used steps is for each rank; None where a rank prints none of them."""
    values = found.values[:, used]
    if np.isnan(values).all(axis=1).any():
        return None
    reduced = tuple(float(reduce(row[~np.isnan(row)], statistic)) for row in values)
    per_node = facts["cards_per_node"].value if "cards_per_node" in facts else None
    nodes = facts["nodes"].value if "nodes" in facts else None
    several = is_count(per_node) and (not is_count(nodes) or nodes > 1)
    return RankSpread(
        tuple(found.numbers.tolist()), reduced, unit, per_node if several and is_count(per_node) else None
    )


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
