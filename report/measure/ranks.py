"""Ranks: the number of each of several processes that print their own, and which rank or node is slow.

One of many ranks is slow by chance: it is named where it is further from the median than chance takes one of so many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .diagnostics import Code, Diagnostic, say
from .records import Run

TOLERANCE = 0.01  # ranks of one job differ by less: they wait for each other
# Of so many ranks one stands out that is as many deviations from the median, by the median of all deviations.
MANY, FAR, NORMAL = 8, 6.0, 1.4826


@dataclass(frozen=True)
class RankSpread:
    """How far ranks are apart: the number of each over the same steps, in ``unit``.

    ``are_times``: less is faster. ``is_summed``: the throughput of the job is the sum of all. ``lines``: where the
    numbers of each rank stand.
    """

    numbers: tuple[int, ...]
    values: tuple[float, ...]
    unit: str
    cards_per_node: int | None
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
    def stands_out(self) -> bool:
        """Whether the slowest is further from the median than chance takes one of so many; of few it always is."""
        if len(self.values) < MANY:
            return True
        off = np.abs(np.array(self.values) - self.median)
        return bool(off[self.slowest] > max(FAR * NORMAL * float(np.median(off)), TOLERANCE * self.median))

    @cached_property
    def _of_nodes(self) -> dict[int, list[float]]:
        nodes: dict[int, list[float]] = {}
        for rank, value in zip(self.numbers, self.values, strict=True) if self.cards_per_node else ():
            nodes.setdefault(rank // (self.cards_per_node or 1), []).append(value)
        return nodes

    @property
    def by_node(self) -> dict[int, tuple[float, float, float]]:
        """The least, the median and the greatest number of each node; empty where the cards of a node are unknown."""
        return {node: (min(of), float(np.median(of)), max(of)) for node, of in self._of_nodes.items()}

    @property
    def slow_nodes(self) -> dict[int, float]:
        """The nodes whose ranks are all more than 1% behind the median of the other nodes, with their medians.

        Fewer than half of the nodes are, and none of nodes with one rank each.
        """
        nodes = self._of_nodes
        if len(nodes) < 2 or all(len(values) == 1 for values in nodes.values()):
            return {}
        found = {node: float(np.median(values)) for node, values in nodes.items() if self._is_slow(node)}
        return found if len(found) < len(nodes) / 2 or (len(nodes) == 2 and len(found) == 1) else {}

    def _is_slow(self, node: int) -> bool:
        others = float(np.median([value for other, of in self._of_nodes.items() if other != node for value in of]))
        fastest = min(self._of_nodes[node]) if self.are_times else max(self._of_nodes[node])
        return (fastest / others - 1 if self.are_times else 1 - fastest / others) > TOLERANCE

    @property
    def diagnostics(self) -> Iterator[Diagnostic]:
        """What is to be said of ranks that are apart, and of nodes that are slow."""
        if self.differ:
            told = {"slowest": self.values[self.slowest], "fastest": self.values[self.fastest], "median": self.median}
            ranks = {"slowest_rank": self.numbers[self.slowest], "fastest_rank": self.numbers[self.fastest]}
            yield say(Code.RANKS_DIFFER, count=len(self.numbers), unit=self.unit, **ranks, **told)
        for node, median in self.slow_nodes.items():
            yield say(Code.SLOW_NODE, node=node, median=median, unit=self.unit)


def cards_of_node(run: Run) -> int | None:
    """The cards of each of several nodes, as stated or by those of the job; None where nothing tells them."""
    nodes, of_node, cards = (run.count(name) for name in ("nodes", "cards_per_node", "cards"))
    if nodes == 1:
        return None
    return of_node or (cards // nodes if nodes and cards and cards % nodes == 0 else None)
