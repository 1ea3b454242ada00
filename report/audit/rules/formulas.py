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
    MEDIAN = "median"
    LEAST = "least"
    GREATEST = "greatest"
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
    Formula.MEDIAN: median,
    Formula.LEAST: min,
    Formula.GREATEST: max,
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
_SUMMARIES = (Formula.MEAN, *_SPREADS, Formula.SUM)  # those that need not be one of the numbers
_OF_A_LIST = (Formula.MEAN, *_SPREADS, Formula.MEDIAN, Formula.LEAST, Formula.GREATEST)
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
_ORDER = re.compile(r"(?<![a-z])(?:min|max|best|worst|median|middle|low|high|fast|slow|peak)|最|中位", re.IGNORECASE)
# What the label of a row says that follows a rule of its own: means of rows, another base, or a remark in brackets.
_OF_ITS_OWN = re.compile(
    r"(?<![a-z])(?:mean|avg|average|geo\w*|total|sum|overall|median|all|vs|versus|over|than|against|relative|compared"
    r"|after|from|base\w*)(?![a-z])|平均|合计|总|中位|对比|相比|[(（]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Outcome:
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


@dataclass(frozen=True)
class _Way:
    """A formula of claims; ``distance``: how far they are from what it gives, in columns or rows.

    ``is_telling``: whether it tells anything, which the mean of equal numbers does not. ``has_base``: whether it
    compares with another row of the table.
    """

    rule: Hashable
    formula: Formula
    operands: tuple[int, ...]
    distance: int = 0
    is_telling: bool = True
    has_base: bool = False


class _Table:
    """The first claim of each cell of a table, by row and column; ``crowded``: those of cells that hold more.

    ``behind``: by row the others with their columns, such as a deviation behind its mean.
    """

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims = claims
        self.rows: dict[int, dict[int, int]] = defaultdict(dict)
        self.crowded: set[int] = set()
        self.behind: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def add(self, member: int) -> None:
        """Put a claim into its cell, behind what is there."""
        claim = self.claims[member]
        if (first := self.rows[claim.row].setdefault(claim.col, member)) != member:
            self.crowded.add(first)
            self.behind[claim.row].append((claim.col, member))

    @cached_property
    def columns(self) -> dict[int, list[tuple[int, int]]]:
        """The row and the claim of each cell of a column."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for row in sorted(self.rows):
            for col, member in self.rows[row].items():
                found[col].append((row, member))
        return found

    @property
    def build(self) -> tuple[tuple[int, str], ...]:
        """What each column counts."""
        return tuple(sorted((col, self.claims[some[0][1]].quantity) for col, some in self.columns.items()))

    @property
    def has_unlike_rows(self) -> bool:
        """Whether no two rows have one label: then one row may be what all are compared with."""
        of_rows = {(row, self.claims[one].row_label) for row, of in self.rows.items() for col, one in of.items() if col}
        return len(of_rows) == len({label for _, label in of_rows})

    def reductions(self, row: int, col: int, reduced: Container[int]) -> Iterator[_Way]:
        """Rows above that are not ``reduced`` themselves, as far as each has a number in this column."""
        # One of some numbers is often the least of them, or the greatest: that it is meant to be has to be said.
        formulas = _REDUCTIONS if _ORDER.search(self.claims[self.rows[row][col]].row_label) else _SUMMARIES
        used: list[int] = []
        for at in range(row - 1, row - 1 - ROWS_ABOVE, -1):
            if at in self.rows:
                if col not in self.rows[at]:
                    break
                if (above := self.rows[at][col]) not in reduced:
                    used.append(above)
                    is_telling = len({self.claims[one].number.value for one in used}) > 1
                    for formula in formulas if len(used) > 1 else ():
                        yield _Way((formula, len(used)), formula, tuple(reversed(used)), len(used), is_telling)

    def comparisons(self, row: int, col: int) -> Iterator[_Way]:
        """What a label asks for: of two columns, or of a column and a base row."""
        formulas, _ = _asked(self.claims[self.rows[row][col]].col_label)
        near = range(-COLUMNS_APART, COLUMNS_APART + 1)
        beside = [(a, self.rows[row][col + a]) for a in near if a and col + a in self.rows[row]]
        for a, first in beside:
            for b, second in beside:
                # Ratios of unlike numbers are accidents; differences of them are rare enough, and labels mislead.
                is_alike = self.claims[first].quantity == self.claims[second].quantity
                if a != b and (is_alike or formulas is _CHANGES):
                    yield from (_Way((one, a, b), one, (first, second), abs(a) + abs(b)) for one in formulas)
        for base, at in self._bases(row, col).items():
            for a, first in beside:
                if a + col in self.rows[at]:
                    second = self.rows[at][a + col]
                    for one in formulas:
                        distance = abs(a) + _BASE_ROW
                        yield _Way((one, a, base), one, (first, second), distance, has_base=True)
                        yield _Way((one, base, a), one, (second, first), distance, has_base=True)

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
        return {
            col: [row for row, one in some if self.claims[one].number.value == 1] for col, some in self.columns.items()
        }


@dataclass
class _Group:
    """Claims that one rule may give, each with its ways.

    ``span``: as a share of a number, how far numbers of its kind lie from it. ``least``: how many of them a rule must
    give.
    """

    span: float
    least: int = 1
    ways: dict[int, list[_Way]] = field(default_factory=dict)


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
        for group in self._behind_lists(unexplained):
            self._explain(group)
        for table in self.tables.values():
            for row, cells in table.rows.items():  # that reduce the rows above them, such as a row of means
                every = (*cells.items(), *table.behind[row])
                left = [(col, one) for col, one in every if one in unexplained and self._is_fine(one)]
                ways = {one: list(table.reductions(row, col, self.derived)) for col, one in left}
                self._explain(_Group(NEARBY[0], ways=ways))
        for group in self._compared(by_build=True):
            self._except(group, self._explain(group))
        for group in self._compared(by_build=False):
            self._explain(group)

    # -- groups

    def _behind_lists(self, unexplained: set[int]) -> Iterator[_Group]:
        """What a document prints between a list and the next: the statistics of the lists there prove each other."""
        items: dict[tuple[int, int], list[int]] = defaultdict(list)
        for member in self.members:
            if self.claims[member].place == ITEM:
                items[self.claims[member].table, self.claims[member].col].append(member)
        lists = sorted((self.claims[some[0]].line, tuple(some)) for some in items.values())
        starts = [line for line, _ in lists]
        groups: dict[int, _Group] = {}
        for member in sorted(unexplained & set(self.members)):
            claim = self.claims[member]
            end = bisect_left(starts, claim.line)
            if end and claim.place in (CODE, PROSE) and self._is_fine(member):
                near = [some for line, some in lists[:end] if line >= starts[end - 1] - LINES_BEHIND]
                ways = [_Way("list", formula, some) for some in near for formula in _OF_A_LIST]
                groups.setdefault(end, _Group(NEARBY[2])).ways[member] = ways
        yield from groups.values()

    def _compared(self, *, by_build: bool) -> Iterator[_Group]:
        """Numbers whose labels say that they follow from others: by tables of one build, then of all."""
        groups: dict[Hashable, _Group] = {}
        for table in self.tables.values():
            build = table.build if by_build else ()
            for row, cells in table.rows.items():
                for col, member in cells.items():
                    formulas, kind = _asked(self.claims[member].col_label)
                    if formulas and self.claims[member].is_measured:
                        group = groups.setdefault((formulas, kind, build), _Group(NEARBY[2]))
                        group.ways[member] = list(table.comparisons(row, col))
        for group in groups.values():
            group.least = min(2, len(group.ways))
            if not group.ways.keys() <= self.derived.keys():
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
            numbers = [
                replace(one, value=one.value * unit, step=one.step * unit)
                for one, unit in zip(numbers, seconds, strict=True)
            ]
        return outcome(way.formula, numbers)

    def _explain(self, group: _Group) -> list[Explanation]:
        """The rules of a group that are beyond accident; what they give is derived. Hits are by place in the group."""
        hits: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, int], float] = defaultdict(float)
        distances: dict[Hashable, int] = {}
        usual = median(abs(self.claims[one].number.value) for one in group.ways) if group.ways else 0.0
        for place, (member, ways) in enumerate(group.ways.items()):
            number = self.claims[member].number
            for way in ways:
                if found := self._outcome(way):
                    span = NEARBY[2] if way.formula in _SPREADS else group.span  # a spread is near no value
                    around = 2 * span * (abs(number.value) or usual)
                    distances[way.rule] = way.distance
                    width = found.high - found.low + ROUNDINGS * number.step
                    # 1 is what all that is compared says of its base, and tells nothing; nor does what accident gives.
                    if width < around and way.is_telling and number.value != 1:
                        chances[way.rule, place] += width / around
                        if found.may_be(number):
                            hit = Hit(found.value, Rule(Means.FORMULA, way.formula), operands=way.operands)
                            hits[way.rule].setdefault(place, hit)
        if not hits:
            return []
        ranks, members = sorted(distances.values()), list(group.ways)
        explanations = explain(
            len(members),
            hits,
            lambda rule, place: min(1.0, chances.get((rule, place), 0.0)),
            lambda rule, *_: bisect_right(ranks, distances[rule]),
            group.least,
        )
        for one in explanations:
            for place, hit in one.hits.items():
                self.derived.setdefault(members[place], (hit, one.chance))
        return explanations

    def _header_of(self, member: int) -> tuple[str, str]:
        """The words of the header above a number, without what stands in brackets, and its quantity."""
        label = re.sub(r"\(.*?\)", "", self.claims[member].col_label.lower())
        return re.sub(r"[^a-z\u4e00-\u9fff]+", " ", label).strip(), self.claims[member].quantity

    def _except(self, group: _Group, explanations: Sequence[Explanation]) -> None:
        """The numbers that break the rule which most of those under one header keep, and that no other rule gives."""
        members = list(group.ways)
        explained = {members[place] for one in explanations for place in one.hits}
        peers: dict[tuple[str, str], set[int]] = defaultdict(set)
        for member in members:
            if self.claims[member].number.value != 1:
                peers[self._header_of(member)].add(member)
        for some in peers.values():
            kept = [(sum(members[place] in some for place in one.hits), one.rule) for one in explanations]
            count, rule = max(kept, key=lambda pair: pair[0], default=(0, None))
            if count < 2 or count <= MAJORITY * len(some):
                continue
            left = some - explained
            broken: dict[int, Hit] = {}
            has_base = False
            for member in left - self._meant_otherwise(group, left):
                way = next((way for way in group.ways[member] if way.rule == rule), None)
                if way and (given := self._broken(member, way)) and self._is_as_its_peers(member, some & explained):
                    how = Rule(Means.FORMULA, way.formula, peers=(count, len(some)))
                    broken[member] = Hit(given.value, how, operands=way.operands)
                    has_base |= way.has_base
            # Several that do not keep to a base row may have a base of their own, which the table does not show.
            if len(broken) == 1 or not has_base:
                self.exceptions |= broken

    def _is_as_its_peers(self, member: int, peers: set[int]) -> bool:
        """Whether a row is in the units of those that keep a rule, and its label says nothing that excuses it.

        A row of means, a row that is compared with another one, or that is explained in brackets follows a rule of its
        own.
        """
        label = self.claims[member].row_label
        return not _OF_ITS_OWN.search(label) and self._units(member) in {self._units(peer) for peer in peers}

    def _units(self, member: int) -> tuple[object, ...]:
        """The quantities and units of the measurements of a row, by column."""
        claim = self.claims[member]
        row = [self.claims[one] for one in self.tables[claim.table].rows.get(claim.row, {}).values()]
        return tuple((one.col, one.quantity, one.unit, one.unit_seconds) for one in row if one.is_measured)

    def _meant_otherwise(self, group: _Group, members: set[int]) -> set[int]:
        """Those that another rule, of two measurements of one kind, gives along with others: a column is mixed up."""
        given: dict[Hashable, set[int]] = defaultdict(set)
        for member in members:
            for way in group.ways[member]:
                first, second = (self.claims[one] for one in way.operands[:2])
                if first.quantity == second.quantity and first.is_measured:
                    found = self._outcome(way)
                    if found and found.may_be(self.claims[member].number):
                        given[way.rule].add(member)
        return {member for some in given.values() if len(some) > 1 for member in some}

    def _broken(self, member: int, way: _Way) -> Outcome | None:
        """What a way gives for a claim that it should give and does not, if nothing excuses that."""
        claim, used = self.claims[member], (member, *way.operands)
        table = self.tables[claim.table]
        is_vague = any(self.claims[one].is_about for one in used) or not table.crowded.isdisjoint(used)
        if is_vague or (way.has_base and not table.has_unlike_rows):
            return None
        found = self._outcome(way)
        if found is None or found.may_be_told_as(claim.number) or (way.has_base and self._has_another_base(claim, way)):
            return None
        return found

    def _has_another_base(self, claim: Claim, way: _Way) -> bool:
        """Whether the same formula over another row gives a claim: people change what they compare with."""
        for row in self.tables[claim.table].rows.values():
            of_row = (
                one if self.claims[one].row == claim.row else row.get(self.claims[one].col) for one in way.operands
            )
            operands = tuple(one for one in of_row if one is not None)
            if len(operands) == len(way.operands) and operands != way.operands:
                found = self._outcome(replace(way, operands=operands))
                if found and found.may_be(claim.number):
                    return True
        return False
