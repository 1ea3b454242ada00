"""Ranks: the number of each of several processes that print their own, how far they are apart, and slow nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from parsers.series import Floats, Lines, Mask

from .diagnostics import Code, Diagnostic, say
from .records import Records, Run

TOLERANCE = 0.01  # ranks of one job differ by less: they wait for each other
EQUAL = 1e-4  # numbers that all ranks gather before they print them are equal but for their last digits
MOST = 1 << 24  # no job has so many ranks


@dataclass(frozen=True)
class RankSpread:
    """How far ranks are apart: the number of each over the same steps, in ``unit``.

    ``are_times``: less is faster. ``is_summed``: the throughput of the job is the sum of all. ``lines``: where the
    numbers of each rank stand.
    """

    numbers: tuple[int, ...]
    values: tuple[float, ...]
    unit: str
    cards_per_node: int | None = None
    are_times: bool = False
    is_summed: bool = False
    lines: Mapping[int, tuple[int, ...]] | None = None

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
    def imbalance(self) -> float:
        """By how much of the median the slowest rank is behind it."""
        return abs(1 - self.values[self.slowest] / self.median)

    @property
    def differ(self) -> bool:
        """Whether ranks are more than 1% apart."""
        return max(self.values) > min(self.values) * (1 + TOLERANCE)

    @property
    def slow_nodes(self) -> dict[int, float]:
        """The nodes whose ranks are all more than 1% behind the median of the other nodes, with their medians.

        Fewer than half of the nodes are, and none of nodes with one rank each.
        """
        nodes, found = dict[int, list[float]](), dict[int, float]()
        for rank, value in zip(self.numbers, self.values, strict=True) if self.cards_per_node else ():
            nodes.setdefault(rank // (self.cards_per_node or 1), []).append(value)
        if len(nodes) < 2 or all(len(of) == 1 for of in nodes.values()):
            return found
        for node, own in nodes.items():
            others = np.median([value for other, of in nodes.items() if other != node for value in of])
            if min(own) > others * (1 + TOLERANCE) if self.are_times else max(own) < others * (1 - TOLERANCE):
                found[node] = float(np.median(own))
        return found if 2 * len(found) < len(nodes) or (len(nodes) == 2 and len(found) == 1) else {}

    @property
    def diagnostics(self) -> Iterator[Diagnostic]:
        """What is to be said of ranks that are apart, and of nodes that are slow."""
        if self.differ:
            told = {"slowest": self.values[self.slowest], "fastest": self.values[self.fastest], "median": self.median}
            ranks = {"slowest_rank": self.numbers[self.slowest], "fastest_rank": self.numbers[self.fastest]}
            yield say(Code.RANKS_DIFFER, unit=self.unit, **ranks, **told)
        for node, median in self.slow_nodes.items():
            yield say(Code.SLOW_NODE, node=node, median=median, unit=self.unit)


@dataclass(frozen=True, eq=False)
class RankTable:
    """What several ranks tell of the same steps.

    ``numbers``: the ranks, ascending. ``values`` and the ``lines`` where they stand: a row a rank and a column a record
    of the lowest one; NaN and 0 where a rank does not print that step.
    """

    numbers: Lines
    values: Floats
    lines: Lines

    def are_all(self, cards: int | None) -> bool:
        """Whether each card has a rank, and every rank prints every step; the last may be cut."""
        missing = np.isnan(self.values)
        return len(self.numbers) == cards and not missing[:, :-1].any() and not missing.all(axis=1).any()

    @property
    def differ(self) -> bool:
        """Whether ranks print different speeds at a step, but for their last digits."""
        whole = self.values[:, ~np.isnan(self.values).any(axis=0)]
        return bool(whole.size and (np.ptp(whole, axis=0) > EQUAL * np.abs(whole).max(axis=0)).any())

    def spread(self, used: Mask, number: Callable[[Floats], float], unit: str, run: Run) -> RankSpread | None:
        """The number of each rank; None where one prints none of the steps that are used.

        ``number``: what the values of these steps make, NaN among them where the rank does not print one.
        """
        values, lines = self.values[:, used], self.lines[:, used]
        if np.isnan(values).all(axis=1).any():
            return None
        ranks = tuple(self.numbers.tolist())
        by_rank = {rank: tuple(np.sort(row[row > 0]).tolist()) for rank, row in zip(ranks, lines, strict=True)}
        return RankSpread(ranks, tuple(map(number, values)), unit, _cards_of_node(run), lines=by_rank)


def _cards_of_node(run: Run) -> int | None:
    """The cards of each of several nodes, as stated or by those of the job; None where nothing tells them."""
    nodes, of_node, cards = (run.count(name) for name in ("nodes", "cards_per_node", "cards"))
    if nodes == 1:
        return None
    return of_node or (cards // nodes if nodes and cards and cards % nodes == 0 else None)


def side_by_side(records: Records, values: Floats) -> RankTable | None:
    """What ranks tell of the same steps; ``values``: one of each of the records, of all ranks, NaN where it tells none.

    Records of the same epoch and step belong together; where no step is printed those of the same place in the order of
    their rank. None where only one rank tells a value, or where a rank tells two of a step.
    """
    known = np.isfinite(values) & np.isfinite(records.numbers("rank"))
    records, values = records.rows(known), values[known]
    numbers, row = np.unique(records.numbers("rank"), return_inverse=True)
    if len(numbers) < 2 or not (numbers < MOST).all():
        return None
    keys = _same_steps(records)
    of_lowest = keys[row == 0]
    taken, order = np.unique(of_lowest, return_inverse=True)
    shared = np.isin(keys, taken)
    at = row[shared], np.searchsorted(taken, keys[shared])
    if len(np.unique(at[0] * len(taken) + at[1])) < shared.sum():
        return None
    table, lines = np.full((len(numbers), len(taken)), np.nan), np.zeros((len(numbers), len(taken)), np.int64)
    table[at], lines[at] = values[shared], records.lines[shared]
    return RankTable(numbers.astype(np.int64), table[:, order], lines[:, order])


def _same_steps(records: Records) -> Lines:
    """A number for each record, the same where ranks print the same step."""
    names = [name for name in ("epoch", "step") if np.isfinite(records.numbers(name)).all()]
    if "step" in names:
        told = np.column_stack([records.numbers(name) for name in names])
        return np.asarray(np.unique(told, axis=0, return_inverse=True)[1], np.int64).ravel()
    ranks, every = records.numbers("rank"), np.arange(len(records))
    order = np.argsort(ranks, kind="stable")
    begins = np.append(True, np.diff(ranks[order]) != 0)
    keys = np.empty(len(records), np.int64)
    keys[order] = every - np.maximum.accumulate(np.where(begins, every, 0))
    return keys


def speeds_apart(ranks: RankTable | None, records: Records) -> int:
    """The line where ranks, named or not, print different speeds at a step, which is then no speed of the job; else 0.

    ``records``: those of the lowest rank, each step once.
    """
    if ranks is None:
        return records.apart if records.duplicates >= len(records) else 0
    return int(records.lines[0]) if ranks.differ else 0
