"""Arithmetic: numbers of a table that other numbers of it give, or contradict, whatever a log says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod

from .document import Document, DocumentTable
from .grid import CellGrid, Place, grids
from .printed_cell import PrintedCell
from .relation import Derived, Relation
from .relations import named_relations, other_relations

MOST_CELLS = 2_000  # of a table whose relations are looked for
CHANCE = 0.001  # a relation that no head names must be less likely than this among numbers without one
MOST_TIMES = 16
CONFIRMING = 3  # numbers that must follow by it
MAJORITY = 3  # times as many numbers must follow by it as do not
NAMED_MAJORITY = 2  # the same for all numbers of a page whose heads name their operands


@dataclass(frozen=True)
class Recomputed:
    """A printed number, and what its operands give; ``is_consistent``: whether both agree within what is rounded."""

    table: DocumentTable
    place: Place
    printed: PrintedCell
    derived: Derived
    is_consistent: bool


def recomputed(document: Document) -> Iterator[Recomputed]:
    """All numbers in the tables of a page that others of the same table must give, by its heads or by its numbers.

    A number that operands do not give is left out where they give another number of its row.
    """
    found = list(_recomputed(document))
    taken = {(id(one.table), one.place[0], one.derived.operation) for one in found if one.is_consistent}
    for one in found:
        if one.is_consistent or (id(one.table), one.place[0], one.derived.operation) not in taken:
            yield one


def _recomputed(document: Document) -> Iterator[Recomputed]:
    columns = [
        _Column(table, grid, column)
        for table in document.tables
        if len(table.rows) * len(table.head) <= MOST_CELLS
        for grid in grids(table)
        for column in range(grid.is_turned, len(grid.heads))
    ]
    named = [column.named for column in columns if column.named]
    hits, misses = sum(len(one.hits) for one in named), sum(len(one.misses) for one in named)
    for column in columns:
        if column.named and hits >= NAMED_MAJORITY * misses:
            yield from column.recomputed(column.named)
        elif column.named is None and column.found:
            yield from column.recomputed(column.found)


@dataclass(frozen=True)
class _Tried:
    """A relation, what it gives for the numbers of a column by their rows, and where both agree."""

    relation: Relation
    derived: Mapping[int, Derived]
    hits: frozenset[int]

    @property
    def misses(self) -> frozenset[int]:
        return frozenset(self.derived) - self.hits


class _Column:
    """A column, with the relations that are tried for its numbers."""

    def __init__(self, table: DocumentTable, grid: CellGrid, column: int) -> None:
        self.table, self.grid, self.column = table, grid, column
        self.printed = {row: cell for row, cell in enumerate(grid.printed[column]) if cell}

    def _try(self, relations: Iterator[Relation]) -> Iterator[_Tried]:
        """The relations that some number follows; those that a head spells out even where none does."""
        for relation in relations if self.printed else ():
            derived = {row: found for row in self.printed if (found := relation.rule(row))}
            hits = frozenset(r for r, found in derived.items() if found.bounds.meets(self.printed[r].bounds))
            if hits or (relation.is_spelt_out and derived):
                yield _Tried(relation, derived, hits)

    @cached_property
    def named(self) -> _Tried | None:
        """The relation that the heads name, read as most of its numbers are."""
        named = self._try(named_relations(self.grid, self.column))
        return max(named, key=lambda one: len(one.hits), default=None)

    @cached_property
    def others(self) -> list[_Tried]:
        """The relations that the heads do not name, but some number follows."""
        return list(self._try(other_relations(self.grid, self.column)))

    @cached_property
    def found(self) -> _Tried | None:
        """The relation that most numbers follow, where that is not by chance."""
        best = max(self.others, key=lambda one: len(one.hits) - len(one.misses), default=None)
        if best is None or len(best.hits) < max(CONFIRMING, MAJORITY * len(best.misses)):
            return None
        return best if self._chance(best) < CHANCE else None

    def recomputed(self, believed: _Tried) -> Iterator[Recomputed]:
        """The numbers that follow, and those that do not; nothing of those that may have other operands."""
        others = self._explained_otherwise(believed) if believed.misses else frozenset()
        for row, derived in believed.derived.items():
            follows = row in believed.hits
            is_false = row not in others and self._is_far(row, derived, believed.relation.slack)
            is_false = is_false and (believed.relation.is_named or not self._is_a_multiple(row, derived))
            if follows or (is_false and not self._follows_across(row)):
                place = self.grid.place(row, self.column)
                yield Recomputed(self.table, place, self.printed[row], derived, follows)

    def _explained_otherwise(self, believed: _Tried) -> frozenset[int]:
        """The rows that another relation explains: all, or where the heads name one, several or from their own row."""
        found = [one.hits & believed.misses for one in self.others if self._may_be_meant(one, believed)]
        return frozenset().union(*found)

    def _may_be_meant(self, other: _Tried, believed: _Tried) -> bool:
        if not believed.relation.is_named or not (believed.hits or believed.relation.is_spelt_out):
            return True
        explains_all = believed.misses <= other.hits and other.hits > believed.hits
        return other.relation.of_row or explains_all or len(other.hits & believed.misses) > 1

    def _follows_across(self, row: int) -> bool:
        """Whether a number follows from others of its row where its column contradicts it, or the other way round."""
        here, turned = grids(self.table)
        grid, place = (here, self.grid.place(row, self.column)) if self.grid.is_turned else (turned, (row, self.column))
        row, column = place if self.grid.is_turned else (self.column - 1, row + 1)
        return row >= 0 and any(row in one.hits for one in _Column(self.table, grid, column).others)

    def _is_far(self, row: int, derived: Derived, slack: float) -> bool:
        return abs(self.printed[row].value - derived.value) > slack * abs(derived.value)

    def _is_a_multiple(self, row: int, derived: Derived) -> bool:
        """Whether a number is so many times what its operands give, or that part: of more cards, or of their mean."""
        low, high = sorted((self.printed[row].value, derived.value))
        times = round(high / low) if low > 0 else 0
        return 2 <= times <= MOST_TIMES and abs(high - times * low) <= 0.03 * high

    def _chance(self, best: _Tried) -> float:
        """An upper bound for the probability that so many numbers follow by one of so many relations."""
        values = [cell.value for cell in self.printed.values()]
        spread = max(max(values) - min(values), 1e-12)
        widths = (best.derived[row].bounds.high - best.derived[row].bounds.low for row in best.hits)
        steps = (1.5 * self.printed[row].step for row in best.hits)
        each = (min(1.0, (width + step) / spread) for width, step in zip(widths, steps, strict=True))
        return len(self.others) * comb(len(best.derived), len(best.hits)) * prod(each)
