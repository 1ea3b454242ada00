"""Tables: the ways in which a number of a table may follow from others of it.

A *way* is a formula with its operands. Ways that mean the same for other rows share a *rule*: this column over that,
the mean of the three rows above, what a column has become since the first row.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .. import vocabulary as words
from ..claims import Claim
from ..constants import COLUMNS_APART, KNOWN_LABELS, ROWS_ABOVE
from .arithmetic import REDUCTIONS, SUMMARIES, Formula

# What the label of a column says that its numbers are.
_EFFICIENCY = re.compile(r"efficien|效率", re.IGNORECASE)
_RATIO = re.compile(
    r"speed[- _]?up|ratio|scaling|multiplier|(?<![a-z])vs|relative|faster|slower|efficien|加速|比|效率", re.IGNORECASE
)
_CHANGE = re.compile(r"delta|Δ|diff|gap|gain|improve|change|overhead|saving|reduc|increas|提升", re.IGNORECASE)
_ORDER = re.compile(r"(?<![a-z])(?:min|max|best|worst|median|middle|low|high|fast|slow|peak)|最|中位", re.IGNORECASE)
_RATIOS = (Formula.RATIO,)
_RATIOS_IN_PER_CENT = (Formula.RATIO, Formula.PER_CENT, Formula.CHANGE)
_CHANGES = (Formula.DIFFERENCE, Formula.CHANGE, Formula.REDUCTION, Formula.PER_CENT)
# The power of the second in what is measured; what is counted has none. Of per cent, the use of a machine is asked.
_SECONDS = {words.TIME: 1, words.RATE: -1, words.FLOPS: -1, words.PERCENT: -1}
_COUNTS = (words.SETTING, words.COUNT, words.BARE)
_BASE_ROW = 2  # how far that is, in columns


@dataclass(frozen=True)
class Way:
    """A formula of claims; ``distance``: how far they are from what it gives, in columns or rows.

    ``is_telling``: whether it tells anything: not the mean of equal numbers, nor what is times one.
    """

    rule: Hashable
    formula: Formula
    operands: tuple[int, ...]
    distance: int = 0
    is_telling: bool = True

    @property
    def has_base(self) -> bool:
        """Whether it compares with another row of the table."""
        return isinstance(self.rule, tuple) and any(isinstance(part, str) for part in self.rule[1:])


@lru_cache(maxsize=KNOWN_LABELS)
def asked(label: str) -> tuple[tuple[Formula, ...], str]:
    """The formulas that the label of a column asks for, and the beginning of the word that does."""
    if said := _RATIO.search(label):
        return _RATIOS_IN_PER_CENT if "%" in label else _RATIOS, said[0].lower()[:5]
    return (_CHANGES, "") if _CHANGE.search(label) else ((), "")


class Table:
    """The first claim of each cell of a table, by row and column; ``crowded``: those of cells that hold more."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims = claims
        self.cells: dict[tuple[int, int], int] = {}
        self.rows: dict[int, dict[int, int]] = defaultdict(dict)
        self.columns: dict[int, dict[int, int]] = defaultdict(dict)
        self.crowded: set[int] = set()

    def add(self, member: int) -> None:
        """Put a claim into its cell, behind what is there."""
        row, col = self.claims[member].row, self.claims[member].col
        if (row, col) in self.cells:
            self.crowded.add(self.cells[row, col])
        else:
            self.cells[row, col] = self.rows[row][col] = self.columns[col][row] = member

    @property
    def build(self) -> tuple[tuple[int, str], ...]:
        """What each column counts."""
        return tuple(sorted((col, self._quantity(min(column.values()))) for col, column in self.columns.items()))

    @property
    def has_unlike_rows(self) -> bool:
        """Whether no two rows have one label: then one row may be what all are compared with."""
        labels = {(row, self.claims[one].row_label) for (row, col), one in self.cells.items() if col > 0}
        return len(labels) == len({label for _, label in labels})

    def reductions(self, row: int, col: int, reduced: Container[int]) -> Iterator[Way]:
        """Rows above, as far as each has a number in this column; then those of them that are not ``reduced``."""
        # One of some numbers is often the least of them, or the greatest: that it is meant to be has to be said.
        formulas = REDUCTIONS if _ORDER.search(self.claims[self.cells[row, col]].row_label) else SUMMARIES
        block: list[int] = []
        for at in range(row - 1, row - 1 - ROWS_ABOVE, -1):
            if at in self.rows:
                if col not in self.rows[at]:
                    break
                block.append(self.rows[at][col])
        plain = [one for one in block if one not in reduced]
        for some, kind in ((block, "rows"), *([(plain, "plain rows")] if len(plain) < len(block) else [])):
            for count in range(2, len(some) + 1):
                used = tuple(reversed(some[:count]))
                is_telling = len({self.claims[one].number.value for one in used}) > 1
                yield from (Way((one, kind, count), one, used, count, is_telling) for one in formulas)

    def comparisons(self, row: int, col: int) -> Iterator[Way]:
        """What a label asks for: of two columns, of a column and a base row, or of that and what a count gains."""
        label = self.claims[self.cells[row, col]].col_label
        formulas, _ = asked(label)
        is_efficiency = bool(_EFFICIENCY.search(label))
        beside = self._beside(row, col)
        for a, first in beside:
            for b, second in beside:
                alike = self._quantity(first) == self._quantity(second) or (is_efficiency and self._is_count(second))
                # Ratios of unlike numbers are accidents; differences of them are rare enough, and labels mislead.
                if a != b and (alike or formulas is _CHANGES):
                    yield from (Way((one, a, b), one, (first, second), abs(a) + abs(b)) for one in formulas)
        for base, at in self._bases(row, col).items():
            pairs = [(a, one, self.rows[at][a + col]) for a, one in beside if a + col in self.rows[at]]
            for a, first, second in pairs:
                for one in formulas:
                    yield Way((one, a, base), one, (first, second), abs(a) + _BASE_ROW)
                    yield Way((one, base, a), one, (second, first), abs(a) + _BASE_ROW)
            if is_efficiency:
                yield from self._efficiencies(base, pairs)

    def _efficiencies(self, base: str, pairs: Sequence[tuple[int, int, int]]) -> Iterator[Way]:
        for n, count, count_of_base in pairs:
            for a, first, second in pairs:
                if self._is_count(count) and not self._is_count(first):
                    for one in (Formula.EFFICIENCY, Formula.EFFICIENCY_IN_PER_CENT):
                        operands = (first, second, count, count_of_base)
                        yield Way((one, a, n, base), one, operands, abs(a) + abs(n) + _BASE_ROW)

    def products(self, row: int, col: int) -> Iterator[Way]:
        """What is measured times, or over, what is counted, where that has the dimension of this column."""
        own, beside = self.cells[row, col], self._beside(row, col)
        measured = [(a, one) for a, one in beside if self.is_quantity(one)]
        counts = [(n, one) for n, one in beside if self._is_count(one)]
        for a, first in measured:
            for n, count in counts:
                distance, is_telling = abs(a) + abs(n), self.claims[count].number.value != 1
                if self._grow_together(own, first):
                    for formula in (Formula.PRODUCT, Formula.RATIO):
                        yield Way((formula, a, n), formula, (first, count), distance, is_telling)
                else:
                    yield Way((Formula.RATIO, n, a), Formula.RATIO, (count, first), distance)

    def proportions(self, row: int, col: int) -> Iterator[Way]:
        """What this column was in a base row, times what another has become since, or over it.

        One of them is a rate: two times of a row grow together, too, without being a factor apart.
        """
        own = self.cells[row, col]
        for base, at in self._bases(row, col).items():
            for a, one in self._beside(row, col):
                has_rate = words.RATE in (self._quantity(own), self._quantity(one))
                if has_rate and self.is_quantity(one) and {col, a + col} <= self.rows[at].keys():
                    operands = (self.cells[at, col], one, self.rows[at][a + col])
                    for formula in (Formula.PROPORTION, Formula.INVERSE_PROPORTION):
                        yield Way((formula, a, base), formula, operands, abs(a))

    def is_quantity(self, member: int) -> bool:
        """Whether a label says that something is a quantity of time, and not how it was computed."""
        label = self.claims[member].col_label
        return bool(label) and self._quantity(member) in _SECONDS and not asked(label)[0]

    def _beside(self, row: int, col: int) -> list[tuple[int, int]]:
        """The claims of a row that are near a column, with how far they are to the right of it."""
        near = range(-COLUMNS_APART, COLUMNS_APART + 1)
        return [(a, self.rows[row][col + a]) for a in near if a and col + a in self.rows[row]]

    def _bases(self, row: int, col: int) -> dict[str, int]:
        """The rows that a row may be compared with: the first, the one above, and the last above that states 1."""
        rows, ones = self._sorted_rows, self._ones[col]
        above, one_above = bisect_left(rows, row), bisect_left(ones, row)
        bases = {"first row": rows[0], "row above": rows[above - 1]} if above else {}
        return bases | ({"row of 1": ones[one_above - 1]} if one_above else {})

    @cached_property
    def _sorted_rows(self) -> list[int]:
        return sorted(self.rows)

    @cached_property
    def _ones(self) -> dict[int, list[int]]:
        """The rows in which a column states 1."""
        cells = {col: sorted(column.items()) for col, column in self.columns.items()}
        return {col: [row for row, one in some if self.claims[one].number.value == 1] for col, some in cells.items()}

    def _quantity(self, member: int) -> str:
        return self.claims[member].quantity

    def _is_count(self, member: int) -> bool:
        return self._quantity(member) in _COUNTS

    def _grow_together(self, one: int, other: int) -> bool:
        return _SECONDS.get(self._quantity(one)) == _SECONDS.get(self._quantity(other))
