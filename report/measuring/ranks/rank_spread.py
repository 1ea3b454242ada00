"""The spread of ranks: what a statistic gives for each of them, and which rank or node is slow.

One of many ranks is slow by chance: it is named where it is further from the median than chance takes one of so many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parsers.io.message import Message, joined
from parsers.runs.facts import is_count

from ...measure.diagnostics import NoMeasurement
from ...measure.statistic import reduce
from ..estimate import Facts
from ..window import Mask
from .rank_records import TOLERANCE, Ranks

# Of so many ranks one stands out that is as many deviations from the median, by the median of all deviations.
MANY = 8
TIMES_OF_STEPS = ("step_time", "work_time", "duration")
FAR = 6.0
NORMAL = 1.4826  # the standard deviation of a normal distribution over its median absolute deviation

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
APART = "Ranks differ: {slowest} to {fastest} {unit}, median {median}; none of {count} ranks stands out."
SLOW_NODES = (
    "Slow nodes: {nodes}. All of their ranks are more than 1% behind the median of the other nodes, {median} {unit}."
)
SLOW_NODE = "{node} (median {median})"
OF_NODE = "node {node}: {slowest} to {fastest}, median {median}"
NOT_ONE_TIME = (
    "All {count} ranks are there and differ by {percent}% (rank {slowest_rank}: {slowest} {unit}, rank {fastest_rank}: "
    "{fastest}), so the time of rank {rank} is not that of the job: use estimate=clock or estimate=reported."
)


class RanksDifferError(NoMeasurement):
    """The time of one rank does not stand for the job; ``ranks`` says how far they are apart."""

    def __init__(self, told: Message, ranks: RankSpread) -> None:
        super().__init__(told)
        self.ranks = ranks


@dataclass(frozen=True)
class RankSpread:
    """How far ranks are apart: the number that the statistic gives for each (float64), in ``unit``.

    ``is_summed``: whether the throughput is the sum of all of them. ``are_times``: less is faster. ``lines``: where the
    numbers stand of which it is the statistic (int64, a row a rank, 0 where a rank prints none).
    """

    numbers: tuple[int, ...]
    values: tuple[float, ...]
    unit: str
    cards_per_node: int | None
    is_summed: bool = False
    are_times: bool = False
    lines: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64), compare=False, repr=False)

    @property
    def lines_by_rank(self) -> Mapping[int, tuple[int, ...]]:
        """The lines of each rank whose numbers count, ascending."""
        return {rank: tuple(np.sort(row[row > 0]).tolist()) for rank, row in zip(self.numbers, self.lines, strict=True)}

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
    def imbalance(self) -> float:
        """By how much of the median the slowest rank is behind it."""
        return abs(1 - self.values[self.slowest] / self.median)

    @property
    def by_node(self) -> dict[int, tuple[float, float, float]]:
        """The least, the median and the greatest number of each node; empty where the cards of a node are not known."""
        return {node: (min(of), float(np.median(of)), max(of)) for node, of in self._values_by_node.items()}

    @property
    def slow_nodes(self) -> Mapping[int, float]:
        """The nodes whose ranks are all more than 1% behind the median of the other nodes, with their medians.

        Fewer than half of the nodes are, and none of nodes with one rank each.
        """
        nodes = self._values_by_node
        if len(nodes) < 2 or all(len(values) == 1 for values in nodes.values()):
            return {}
        found = {node: float(np.median(values)) for node, values in nodes.items() if self._is_slow(node)}
        return found if len(found) < len(nodes) / 2 or (len(nodes) == 2 and len(found) == 1) else {}

    def _is_slow(self, node: int) -> bool:
        nodes = self._values_by_node
        others = float(np.median([value for other, values in nodes.items() if other != node for value in values]))
        fastest = min(nodes[node]) if self.are_times else max(nodes[node])
        behind = fastest / others - 1 if self.are_times else 1 - fastest / others
        return behind > TOLERANCE

    @property
    def _values_by_node(self) -> dict[int, list[float]]:
        nodes: dict[int, list[float]] = {}
        for place, value in enumerate(self.values if self.cards_per_node else ()):
            nodes.setdefault(self.numbers[place] // (self.cards_per_node or 1), []).append(value)
        return nodes

    @property
    def nodes_summary(self) -> Iterator[Message]:
        """The range and the median of each node, the slowest first; nothing where the nodes are not known."""
        by_node = sorted(self.by_node.items(), key=lambda each: each[1][1], reverse=self.are_times)
        for node, (least, middle, greatest) in by_node:
            ends = (greatest, least) if self.are_times else (least, greatest)
            told = dict(zip(("slowest", "fastest", "median"), (f"{x:.6g}" for x in (*ends, middle)), strict=True))
            yield Message(OF_NODE, node=node, **told)

    @property
    def stands_out(self) -> bool:
        """Whether the slowest rank is further from the median than chance takes one of so many; of few it always is."""
        if len(self.values) < MANY:
            return True
        off = np.abs(np.array(self.values) - self.median)
        return bool(off[self.slowest] > max(FAR * NORMAL * float(np.median(off)), TOLERANCE * self.median))

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
    def messages(self) -> Iterator[Message]:
        """What is to be told of ranks that are apart, and of nodes that are slow."""
        if said := self.message:
            yield said
        if slow := self.slow_nodes:
            listed = [Message(SLOW_NODE, node=node, median=f"{median:.6g}") for node, median in slow.items()]
            others = [value for node, of in self._values_by_node.items() if node not in slow for value in of]
            median = f"{np.median(others):.6g}"
            yield Message(SLOW_NODES, nodes=joined("{first}, {second}", listed), median=median, unit=self.unit)

    @property
    def message(self) -> Message | None:
        """The sentence on ranks that are more than 1% apart; None where they are not."""
        low, high = min(self.values), max(self.values)
        if not high > low * (1 + TOLERANCE):
            return None
        told = {"rank": self.numbers[self.slowest], "slowest": f"{self.values[self.slowest]:.6g}", "unit": self.unit}
        told |= {"median": f"{self.median:.6g}", "fastest": f"{self.values[self.fastest]:.6g}"}
        if not self.stands_out:
            return Message(APART, **told, count=len(self.values))
        return Message(DIFFER, **told) if self.node is None else Message(DIFFER_BY_NODE, **told, node=self.node)


def spread(
    found: Ranks, used: Mask, statistic: str, unit: str, facts: Facts, *, is_summed: bool = False
) -> RankSpread | None:
    """What the statistic of the used steps is for each rank; None where a rank prints none of them."""
    values = found.values[:, used]
    if np.isnan(values).all(axis=1).any():
        return None
    reduced = tuple(float(reduce(row[~np.isnan(row)], statistic)) for row in values)
    per_node = _cards_per_node(facts)
    are_times, lines = found.column in TIMES_OF_STEPS, found.lines[:, used]
    return RankSpread(tuple(found.numbers.tolist()), reduced, unit, per_node, is_summed, are_times, lines)


def _cards_per_node(facts: Facts) -> int | None:
    """The cards of each of several nodes, as stated or by those of the job; None where nothing tells them."""
    nodes, per_node, cards = (
        facts[name].value if name in facts else None for name in ("nodes", "cards_per_node", "cards")
    )
    if is_count(nodes) and nodes == 1:
        return None
    if is_count(per_node):
        return per_node
    return cards // nodes if is_count(nodes) and is_count(cards) and cards % nodes == 0 else None


def refuse_times(found: Ranks, used: Mask, unit: str, facts: Facts) -> None:
    """Refuse the time of a step of one rank for that of all, where all are there and more than 1% apart.

    ``used``: the records of the lowest rank that count. Raises ``RanksDifferError``.
    """
    cards = facts["cards"].value if "cards" in facts else None
    told = spread(found, used, "median", unit, facts)
    if told is None or not is_count(cards) or not found.are_all_of(cards):
        return
    apart = max(told.values) / min(told.values) - 1
    if apart > TOLERANCE:
        values = {**told.summary.values, "percent": f"{100 * apart:.3g}", "rank": told.numbers[0], "count": cards}
        raise RanksDifferError(Message(NOT_ONE_TIME, **values), told)
