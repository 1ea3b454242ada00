"""Formulas: numbers of a document that follow from others of it.

A *way* is a formula with its operands. Ways that mean the same for other rows share a *rule*: this column over that,
the mean of the three rows above, what a column has become since the first row. Numbers that one rule may give, such as
a column, are a group, and ``chance.explain`` says which rules of it are beyond accident. Where most of a column keep a
rule, a number that breaks it by more than the rounding of all its operands allows is an exception: the document
contradicts itself.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import product
from math import sqrt
from statistics import median
from typing import NamedTuple

from ..chance import Explanation, Hit, Means, Rule, explain
from ..claims import Claim
from ..constants import COLUMNS_APART, KNOWN_LABELS, LINES_BEHIND, MAJORITY, NEARBY, ROUND, ROUNDINGS, ROWS_ABOVE
from ..documents import CELL, CODE, ITEM, PROSE
from ..number import Number


class Formula(StrEnum):
    """How a number follows from others; the words are codes, in the order of the operands."""

    MEAN = "mean"
    STD = "std"
    STD_OF_ALL = "std of all"
    SUM = "sum"
    RATIO = "ratio"
    DIFFERENCE = "difference"
    PER_CENT = "per cent"
    CHANGE = "change in per cent"
    REDUCTION = "reduction in per cent"
    P_VALUE = "p value"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spread(values: Sequence[float], freedom: int) -> float:
    mean = _mean(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / freedom)


# Plain sums: those of ``statistics`` are of fractions, and fifty times as slow.
_REDUCTIONS: Mapping[Formula, Callable[[Sequence[float]], float]] = {
    Formula.MEAN: _mean,
    Formula.STD: lambda values: _spread(values, len(values) - 1),
    Formula.STD_OF_ALL: lambda values: _spread(values, len(values)),
    Formula.SUM: sum,
}
_COMPARISONS: Mapping[Formula, Callable[[float, float], float]] = {
    Formula.RATIO: lambda a, b: a / b,
    Formula.DIFFERENCE: lambda a, b: a - b,
    Formula.PER_CENT: lambda a, b: 100 * a / b,
    Formula.CHANGE: lambda a, b: 100 * (a - b) / b,
    Formula.REDUCTION: lambda a, b: 100 * (b - a) / b,
}
_SPREADS = (Formula.STD, Formula.STD_OF_ALL)
_OF_A_LIST = (Formula.MEAN, *_SPREADS)
_RATIOS = (Formula.RATIO,)
_RATIOS_IN_PER_CENT = (Formula.RATIO, Formula.PER_CENT, Formula.CHANGE)
_CHANGES = (Formula.DIFFERENCE, Formula.CHANGE, Formula.REDUCTION, Formula.PER_CENT)
_ROUNDED = 0.5  # how far a printed operand may be from what was computed with, in steps of its last digit
_BASE_ROW = 2  # how far that is, in columns

# What the label of a column says that its numbers are.
_RATIO = re.compile(
    r"speed[- _]?up|ratio|scaling|multiplier|(?<![a-z])vs|relative|faster|slower|efficien|加速|比|效率", re.IGNORECASE
)
_CHANGE = re.compile(r"delta|Δ|diff|gap|gain|improve|change|overhead|saving|reduc|increas|提升", re.IGNORECASE)
# What the label of a row says that follows a rule of its own: means of rows, another base, or a remark in brackets.
_OF_ITS_OWN = re.compile(
    r"(?<![a-z])(?:mean|avg|average|geo\w*|total|sum|overall|median|all|vs|versus|over|than|against|relative|compared"
    r"|after|from|base\w*)(?![a-z])|平均|合计|总|中位|对比|相比|[(（]",
    re.IGNORECASE,
)


class Outcome(NamedTuple):
    """What a formula gives, and between what it lies if its operands are rounded."""

    value: float
    low: float
    high: float

    def may_be(self, number: Number) -> bool:
        """Whether a number may be printed for it, rounded or truncated."""
        below, above = number.interval
        return self.low <= above and below <= self.high

    def may_be_told_as(self, number: Number) -> bool:
        """Whether people may tell it so: with either sign, and the other way round, as slower for faster."""
        inverted = [Outcome(1 / self.value, 1 / self.high, 1 / self.low)] if self.low * self.high > 0 else []
        either = (one for of in (self, *inverted) for one in (of, Outcome(-of.value, -of.high, -of.low)))
        return any(one.may_be(number) for one in either)


def outcome(formula: Formula, numbers: Sequence[Number]) -> Outcome | None:
    """What a formula gives for numbers; None where it gives nothing, such as over zero.

    A reduction moves when all its operands do by half a step, each where it moves it most.
    """
    values = [number.value for number in numbers]
    try:
        if formula in _REDUCTIONS:
            value, steps = _REDUCTIONS[formula](values), [number.step for number in numbers]
            spread = sqrt(2) if formula in _SPREADS else 1
            away = _ROUNDED * (sum(steps) if formula is Formula.SUM else spread * max(steps))
            return Outcome(value, value - away, value + away)
        value = _COMPARISONS[formula](*values)
        given = [_COMPARISONS[formula](*ends) for ends in product(*map(_ends, numbers))]
    except (ArithmeticError, ValueError):
        return None
    return Outcome(value, min(given), max(given))


def _ends(number: Number) -> tuple[float, float]:
    """Between what a number was that is printed so.

    A large whole one that ends in zeros may be rounded to its last other digit; others are printed to be read.
    """
    is_round = "." not in number.text and abs(number.value) >= ROUND
    away = _ROUNDED * (number.informative_step if is_round else number.step)
    return number.value - away, number.value + away


@lru_cache(maxsize=KNOWN_LABELS)
def _asked(label: str) -> tuple[tuple[Formula, ...], str]:
    """The formulas that the label of a column asks for, and the beginning of the word that does."""
    if said := _RATIO.search(label):
        return _RATIOS_IN_PER_CENT if "%" in label else _RATIOS, said[0].lower()[:5]
    return (_CHANGES, "") if _CHANGE.search(label) else ((), "")


class _Way(NamedTuple):
    """A formula of claims; ``distance``: how far they are from what it gives, in columns or rows.

    ``has_base``: whether it compares with another row of the table.
    """

    rule: Hashable
    formula: Formula
    operands: tuple[int, ...]
    distance: int = 0
    has_base: bool = False


_Ways = dict[int, list[_Way]]  # of each claim of a group, which one rule may give


@dataclass
class _Table:
    """The first claim of each cell of a table, by row and column; ``crowded``: those of cells that hold more.

    ``behind``: by row the others with their columns, such as a deviation behind its mean.
    """

    claims: Sequence[Claim]
    rows: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    crowded: set[int] = field(default_factory=set)
    behind: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, member: int) -> None:
        """Put a claim into its cell, behind what is there."""
        claim = self.claims[member]
        if (first := self.rows[claim.row].setdefault(claim.col, member)) != member:
            self.crowded.add(first)
            self.behind[claim.row].append((claim.col, member))

    @cached_property
    def build(self) -> tuple[tuple[int, str], ...]:
        """What each column counts, by its first number."""
        found: dict[int, str] = {}
        for row in sorted(self.rows):
            found = {col: self.claims[member].quantity for col, member in self.rows[row].items()} | found
        return tuple(sorted(found.items()))

    @property
    def has_unlike_rows(self) -> bool:
        """Whether no two rows have one label: then one row may be what all are compared with."""
        of_rows = {(row, self.claims[one].row_label) for row, of in self.rows.items() for col, one in of.items() if col}
        return len(of_rows) == len({label for _, label in of_rows})

    def reductions(self, row: int, col: int, reduced: Container[int]) -> list[_Way]:
        """Rows above that are not ``reduced`` themselves, as far as each has a number in this column."""
        found: list[_Way] = []
        used: list[int] = []
        for at in range(row - 1, row - 1 - ROWS_ABOVE, -1):
            if at in self.rows:
                if col not in self.rows[at]:
                    break
                if (above := self.rows[at][col]) not in reduced:
                    used.append(above)
                    every = _REDUCTIONS if len(used) > 1 else ()
                    found += [_Way((one, len(used)), one, tuple(reversed(used)), len(used)) for one in every]
        return found

    def comparisons(self) -> Iterator[tuple[int, list[_Way]]]:
        """What labels ask for, of two columns, or of a column and a base row: the claim with its ways.

        A row may be compared with the first, the one above, and the last above that states 1.
        """
        ones: dict[int, int] = {}
        rows = sorted(self.rows)
        for above, row in zip((None, *rows), rows, strict=False):
            for col, member in self.rows[row].items():
                formulas, _ = _asked(self.claims[member].col_label)
                if formulas and self.claims[member].is_measured:
                    bases = {} if above is None else {"first row": rows[0], "row above": above}
                    bases |= {"row of 1": ones[col]} if col in ones else {}
                    yield member, [*self._beside(row, col, formulas), *self._of_bases(row, col, formulas, bases)]
            ones |= {col: row for col, member in self.rows[row].items() if self.claims[member].number.value == 1}

    def _near(self, row: int, col: int) -> list[tuple[int, int]]:
        apart = range(-COLUMNS_APART, COLUMNS_APART + 1)
        return [(a, self.rows[row][col + a]) for a in apart if a and col + a in self.rows[row]]

    def _beside(self, row: int, col: int, formulas: Sequence[Formula]) -> Iterator[_Way]:
        beside = self._near(row, col)
        for (a, first), (b, second) in product(beside, beside):
            # Ratios of unlike numbers are accidents; differences of them are rare enough, and labels mislead.
            if a != b and (formulas is _CHANGES or self.claims[first].quantity == self.claims[second].quantity):
                yield from (_Way((one, a, b), one, (first, second), abs(a) + abs(b)) for one in formulas)

    def _of_bases(self, row: int, col: int, formulas: Sequence[Formula], bases: Mapping[str, int]) -> Iterator[_Way]:
        for (base, at), (a, first) in product(bases.items(), self._near(row, col)):
            if a + col in self.rows[at]:
                second, distance = self.rows[at][a + col], abs(a) + _BASE_ROW
                for one in formulas:
                    yield _Way((one, a, base), one, (first, second), distance, has_base=True)
                    yield _Way((one, base, a), one, (second, first), distance, has_base=True)


class Formulas:
    """The arithmetic of one document: what follows (``derived``, each with the chance that accident gives it), and what
    should and does not (``exceptions``, each with what it should be).

    Claims are known by their numbers in ``claims``; those of the document are ``members``.
    """

    def __init__(self, claims: Sequence[Claim], members: Sequence[int]) -> None:
        self.claims, self.members = claims, members
        self.derived: dict[int, tuple[Hit, float]] = {}
        self.exceptions: dict[int, Hit] = {}
        self.tables: dict[int, _Table] = {}
        for member in members:
            if claims[member].place == CELL:
                self.tables.setdefault(claims[member].table, _Table(claims)).add(member)

    def search(self, unexplained: set[int]) -> None:
        """Look for formulas: those that labels ask for of all numbers, others of what is ``unexplained``."""
        for ways in self._behind_lists(unexplained):
            self._explain(ways, NEARBY[2])
        for table in self.tables.values():
            for row, cells in table.rows.items():  # that reduce the rows above them, such as a row of means
                every = (*cells.items(), *table.behind[row])
                left = [(col, one) for col, one in every if one in unexplained and self._is_fine(one)]
                self._explain({one: table.reductions(row, col, self.derived) for col, one in left}, NEARBY[0])
        for ways in self._compared(by_build=True):
            self._except(ways, self._explain(ways, NEARBY[2], min(2, len(ways))))
        for ways in self._compared(by_build=False):
            self._explain(ways, NEARBY[2], min(2, len(ways)))

    @cached_property
    def lists(self) -> list[tuple[int, tuple[int, ...]]]:
        """The lists of numbers of the document: the line in which each begins, and its items."""
        items: dict[tuple[int, int], list[int]] = defaultdict(list)
        for member in self.members:
            if self.claims[member].place == ITEM:
                items[self.claims[member].table, self.claims[member].col].append(member)
        return sorted((self.claims[some[0]].line, tuple(some)) for some in items.values())

    def _behind_lists(self, unexplained: set[int]) -> Iterator[_Ways]:
        """What a document prints between a list and the next: the statistics of the lists there prove each other."""
        lists, starts = self.lists, [line for line, _ in self.lists]
        groups: dict[int, _Ways] = defaultdict(dict)
        for member in sorted(unexplained & set(self.members)):
            claim = self.claims[member]
            end = bisect_left(starts, claim.line)
            if end and claim.place in (CODE, PROSE) and self._is_fine(member):
                near = [some for line, some in lists[:end] if line >= starts[end - 1] - LINES_BEHIND]
                groups[end][member] = [_Way("list", formula, some) for some in near for formula in _OF_A_LIST]
        yield from groups.values()

    def _compared(self, *, by_build: bool) -> Iterator[_Ways]:
        """Numbers whose labels say that they follow from others: by tables of one build, then of all."""
        groups: dict[Hashable, _Ways] = defaultdict(dict)
        for table in self.tables.values():
            for member, ways in table.comparisons():
                groups[_asked(self.claims[member].col_label), table.build if by_build else ()][member] = ways
        for group in groups.values():
            if not group.keys() <= self.derived.keys():
                yield group

    def _is_fine(self, member: int) -> bool:
        """Whether something is measured, and its digits tell more than its size."""
        return self.claims[member].is_measured and self.claims[member].number.digits > 1

    # -- judging

    def _outcome(self, way: _Way) -> Outcome | None:
        """What a way gives. Times of several units are compared in seconds; what is counted is not rounded."""
        claims = [self.claims[one] for one in way.operands]
        numbers = [
            one.number if one.is_measured or one.number.step != 1 else replace(one.number, step=0.0) for one in claims
        ]
        seconds = [one.unit_seconds or 1.0 for one in claims]
        if len(set(seconds)) > 1:
            pairs = zip(numbers, seconds, strict=True)
            numbers = [replace(one, value=one.value * unit, step=one.step * unit) for one, unit in pairs]
        return outcome(way.formula, numbers)

    def _explain(self, group: _Ways, usual_span: float, least: int = 1) -> list[Explanation]:
        """The rules of a group that are beyond accident; what they give is derived. Hits are by place in the group.

        ``usual_span``: as a share of a number, how far numbers of its kind lie from it. ``least``: how many numbers a
        rule must give.
        """
        hits: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, int], float] = defaultdict(float)
        distances: dict[Hashable, int] = {}
        usual = median(abs(self.claims[one].number.value) for one in group) if group else 0.0
        for place, (member, ways) in enumerate(group.items()):
            number = self.claims[member].number
            for way in ways:
                if found := self._outcome(way):
                    span = NEARBY[2] if way.formula in _SPREADS else usual_span  # a spread is near no value
                    around = 2 * span * (abs(number.value) or usual)
                    distances[way.rule] = way.distance
                    width = found.high - found.low + ROUNDINGS * number.step
                    # 1 is what all that is compared says of its base, and tells nothing; nor does what accident gives.
                    if width < around and self._is_telling(way) and number.value != 1:
                        chances[way.rule, place] += width / around
                        if found.may_be(number):
                            hit = Hit(found.value, Rule(Means.FORMULA, way.formula), operands=way.operands)
                            hits[way.rule].setdefault(place, hit)
        if not hits:
            return []
        ranks, members = sorted(distances.values()), list(group)
        explanations = explain(
            len(members),
            hits,
            lambda rule, place: min(1.0, chances.get((rule, place), 0.0)),
            lambda rule, *_: bisect_right(ranks, distances[rule]),
            least,
        )
        for one in explanations:
            for place, hit in one.hits.items():
                self.derived.setdefault(members[place], (hit, one.chance))
        return explanations

    def _is_telling(self, way: _Way) -> bool:
        """Whether a way tells anything, which the mean of equal numbers does not."""
        return way.formula in _COMPARISONS or len({self.claims[one].number.value for one in way.operands}) > 1

    # -- exceptions: each condition is an excuse that honest pages had

    def _except(self, group: _Ways, explanations: Sequence[Explanation]) -> None:
        """The numbers that break the rule which most of those under one header keep, and that no other rule gives."""
        members = list(group)
        explained = {members[place] for one in explanations for place in one.hits}
        peers: dict[tuple[str, str], set[int]] = defaultdict(set)
        for member in members:
            if self.claims[member].number.value != 1:
                # Headers are alike by their words, without what stands in brackets, and what they count.
                label = re.sub(r"\(.*?\)", "", self.claims[member].col_label.lower())
                words = re.sub(r"[^a-z\u4e00-\u9fff]+", " ", label).strip()
                peers[words, self.claims[member].quantity].add(member)
        for some in peers.values():
            kept = [(sum(members[place] in some for place in one.hits), one.rule) for one in explanations]
            count, rule = max(kept, key=lambda pair: pair[0], default=(0, None))
            if count < 2 or count <= MAJORITY * len(some):
                continue
            left = some - explained
            units = {self._units(peer) for peer in some & explained}
            broken: dict[int, Hit] = {}
            has_base = False
            for member in left - self._meant_otherwise(group, left):
                way = next((way for way in group[member] if way.rule == rule), None)
                if way and self._units(member) in units and (given := self._broken(self.claims[member], member, way)):
                    how = Rule(Means.FORMULA, way.formula, peers=(count, len(some)))
                    broken[member] = Hit(given.value, how, operands=way.operands)
                    has_base |= way.has_base
            # Several that do not keep to a base row may have a base of their own, which the table does not show.
            if len(broken) == 1 or not has_base:
                self.exceptions |= broken

    def _units(self, member: int) -> tuple[object, ...]:
        """The quantities and units of the measurements of a row, by column."""
        claim = self.claims[member]
        row = [self.claims[one] for one in self.tables[claim.table].rows.get(claim.row, {}).values()]
        return tuple((one.col, one.quantity, one.unit, one.unit_seconds) for one in row if one.is_measured)

    def _meant_otherwise(self, group: _Ways, members: set[int]) -> set[int]:
        """Those that another rule, of two measurements of one kind, gives along with others: a column is mixed up."""
        given: dict[Hashable, set[int]] = defaultdict(set)
        for member in members:
            for way in group[member]:
                first, second = (self.claims[one] for one in way.operands)
                if first.quantity == second.quantity and first.is_measured and self._gives(way, member):
                    given[way.rule].add(member)
        return {member for some in given.values() if len(some) > 1 for member in some}

    def _gives(self, way: _Way, member: int) -> bool:
        found = self._outcome(way)
        return found is not None and found.may_be(self.claims[member].number)

    def _broken(self, claim: Claim, member: int, way: _Way) -> Outcome | None:
        """What a way gives for a claim that it should give and does not, if nothing excuses that.

        A row of means, a row that is compared with another one, or that is explained in brackets follows a rule of its
        own; people change what they compare with.
        """
        table, used = self.tables[claim.table], (member, *way.operands)
        is_vague = any(self.claims[one].is_about for one in used) or not table.crowded.isdisjoint(used)
        if is_vague or _OF_ITS_OWN.search(claim.row_label) or (way.has_base and not table.has_unlike_rows):
            return None
        for row in table.rows.values() if way.has_base else ():
            operands = [
                one if self.claims[one].row == claim.row else row.get(self.claims[one].col) for one in way.operands
            ]
            other = tuple(one for one in operands if one is not None)
            if len(other) == len(operands) and self._gives(way._replace(operands=other), member):
                return None
        found = self._outcome(way)
        return None if found is None or found.may_be_told_as(claim.number) else found
