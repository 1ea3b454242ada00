"""Formulas: numbers of a document that follow from others of it.

A *way* is a formula with its operands. Ways that mean the same for other rows share a *rule*: this column over that,
the mean of the three rows above, what a column has become since the first row. Numbers that one rule may give, such as
a column, are a group, and ``chance.explain`` says which rules of it are beyond accident. Where most of a column keep a
rule, a number that breaks it by more than the rounding of all its operands allows is an exception: the document
contradicts itself.

Tests of means are SciPy's, where that is installed.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from itertools import product
from math import sqrt
from statistics import median, stdev
from typing import NamedTuple

from parsers.io.errors import ExtraError, extra

from .. import vocabulary as words
from ..chance import NEARBY, ROUNDINGS, Explanation, Hit, Means, explain
from ..claims import AROUND, Claim
from ..documents import CELL, ITEM, TEXTS
from ..number import Number

# A formula is the rule of a column where it explains more than half of it; then those it does not are exceptions.
MAJORITY = 0.5
ROUND = 1_000  # from which a whole number that ends in zeros may be a rounded one; 100 is a percentage
ROWS_ABOVE = 20  # that a row may sum up (the longest board record with a row of means has 16)
LINES_BEHIND = 8  # a list, in which a document prints its statistics
# Columns from a number to what it is computed from: what is farther is another.
APART = [a for a in range(-8, 9) if a]
BASE_ROW = 2  # how far a base row is, in columns


class Formula(StrEnum):
    """How a number follows from others; the words are codes, in the order of the operands."""

    MEAN = "mean"
    STD = "std"
    STD_OF_ALL = "std of all"
    RATIO = "ratio"
    DIFFERENCE = "difference"
    PER_CENT = "per cent"
    CHANGE = "change in per cent"
    P_VALUE = "p value"


def _spread(values: Sequence[float], freedom: int) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / freedom)


# Plain sums: those of ``statistics`` are of fractions, and fifty times as slow.
_REDUCTIONS: Mapping[Formula, Callable[[Sequence[float]], float]] = {
    Formula.MEAN: lambda values: sum(values) / len(values),
    Formula.STD: lambda values: _spread(values, len(values) - 1),
    Formula.STD_OF_ALL: lambda values: _spread(values, len(values)),
}
_COMPARISONS: Mapping[Formula, Callable[[float, float], float]] = {
    Formula.RATIO: lambda a, b: a / b,
    Formula.DIFFERENCE: lambda a, b: a - b,
    Formula.PER_CENT: lambda a, b: 100 * a / b,
    Formula.CHANGE: lambda a, b: 100 * (a - b) / b,
}
_SPREADS = (Formula.STD, Formula.STD_OF_ALL)
_RATIOS = (Formula.RATIO,)
_RATIOS_IN_PER_CENT = (Formula.RATIO, Formula.PER_CENT, Formula.CHANGE)
_CHANGES = (Formula.DIFFERENCE, Formula.CHANGE, Formula.PER_CENT)

# What the label of a column says that its numbers are.
_RATIO = re.compile(
    r"speed[- _]?up|ratio|scaling|multiplier|(?<![a-z])vs|relative|faster|slower|efficien|加速|比|效率", re.IGNORECASE
)
_CHANGE = re.compile(r"delta|Δ|diff|gap|gain|improve|change|overhead|saving|reduc|increas|提升", re.IGNORECASE)
# What the label of a row says that it is of the rows above. Of rows that say nothing accident made many.
_OF_ROWS = (
    (re.compile(r"(?<![a-z])(?:mean|avg|average)(?![a-z])|平均", re.IGNORECASE), (Formula.MEAN,)),
    (re.compile(r"(?<![a-z])(?:std|stdev|stddev|sd)(?![a-z])|deviation|spread|[σ±]|标准差", re.IGNORECASE), _SPREADS),
)
# What the label of a row says that follows a rule of its own: means of rows, another base, or a remark in brackets.
_OF_ITS_OWN = re.compile(
    r"(?<![a-z])(?:mean|avg|average|geo\w*|total|sum|overall|median|all|vs|versus|over|than|against|relative|compared"
    r"|after|from|base\w*)(?![a-z])|平均|合计|总|中位|对比|相比|[(（]",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 12)
def _asked(label: str) -> tuple[tuple[Formula, ...], str]:
    """The formulas that the label of a column asks for, and the beginning of the word that does."""
    if said := _RATIO.search(label):
        return _RATIOS_IN_PER_CENT if "%" in label else _RATIOS, said[0].lower()[:5]
    return (_CHANGES, "") if _CHANGE.search(label) else ((), "")


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


class Way(NamedTuple):
    """A formula of claims; ``distance``: how far they are from what it gives, in columns or rows.

    ``has_base``: whether it compares with another row of the table.
    """

    rule: Hashable
    formula: Formula
    operands: tuple[Claim, ...]
    distance: int = 0
    has_base: bool = False

    def outcome(self) -> Outcome | None:
        """What it gives; None where it gives nothing, such as over zero.

        A reduction moves when all its operands do by half a step, each where it moves it most. Times of several units
        are compared in seconds.
        """
        units = [one.unit_seconds or 1.0 for one in self.operands]
        units = units if len(set(units)) > 1 else [1.0] * len(units)
        values = [one.number.value * unit for one, unit in zip(self.operands, units, strict=True)]
        reduction = _REDUCTIONS.get(self.formula)
        away = [_half(one, reduction is None) * unit for one, unit in zip(self.operands, units, strict=True)]
        try:
            if reduction:
                value = reduction(values)
                moved = max(away) * (sqrt(2) if self.formula in _SPREADS else 1)
                return Outcome(value, value - moved, value + moved)
            compare = _COMPARISONS[self.formula]
            ends = ((value - by, value + by) for value, by in zip(values, away, strict=True))
            given = [compare(*some) for some in product(*ends)]
            return Outcome(compare(*values), min(given), max(given))
        except (ArithmeticError, ValueError):
            return None

    def gives(self, claim: Claim) -> bool:
        """Whether a claim may be what it gives."""
        found = self.outcome()
        return found is not None and found.may_be(claim.number)


def _half(claim: Claim, is_compared: bool) -> float:
    """How far a number may be from what was computed with; what is counted is not rounded.

    A large whole one that ends in zeros may be rounded to its last other digit; others are printed to be read.
    """
    number = claim.number
    if not claim.is_measured and number.step == 1:
        return 0.0
    is_round = is_compared and "." not in number.text and abs(number.value) >= ROUND
    return (number.informative_step if is_round else number.step) / 2


_Ways = dict[Claim, list[Way]]  # of each claim of a group, which one rule may give


class _Table:
    """The first claim of each cell of a table, by row and column.

    ``behind``: by it the others of its cell, such as a deviation behind its mean.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self.rows: dict[int, dict[int, Claim]] = defaultdict(dict)
        self.behind: dict[Claim, list[Claim]] = defaultdict(list)
        for claim in claims:
            if (first := self.rows[claim.row].setdefault(claim.col, claim)) is not claim:
                self.behind[first].append(claim)
        # What each column counts, by its first number.
        cells = (
            (col, claim.quantity) for row in sorted(self.rows, reverse=True) for col, claim in self.rows[row].items()
        )
        self.build = tuple(sorted(dict(cells).items()))

    def has_unlike_rows(self) -> bool:
        """Whether no two rows have one label: then one row may be what all are compared with."""
        of_rows = {(row, one.row_label) for row, of in self.rows.items() for col, one in of.items() if col}
        return len(of_rows) == len({label for _, label in of_rows})

    def units(self, claim: Claim) -> tuple[object, ...]:
        """The quantities and units of the measurements of the row of a claim, by column."""
        row = self.rows[claim.row].values()
        return tuple((one.col, one.quantity, one.unit, one.unit_seconds) for one in row if one.is_measured)

    def reductions(self, claim: Claim, reduced: Mapping[Claim, object]) -> Iterator[Way]:
        """What the label of its row says that a claim is of the rows above: its mean, or their spread.

        Of those that are not ``reduced`` themselves, as far as each has a number in its column.
        """
        asked = [one for said, some in _OF_ROWS if said.search(claim.row_label) for one in some]
        used: list[Claim] = []
        for at in range(claim.row - 1, claim.row - 1 - ROWS_ABOVE, -1):
            if at in self.rows:
                if claim.col not in self.rows[at]:
                    return
                if (above := self.rows[at][claim.col]) not in reduced:
                    used.append(above)
                    every = asked if len(used) > 1 else ()
                    yield from (Way((one, len(used)), one, tuple(reversed(used)), len(used)) for one in every)

    def comparisons(self) -> Iterator[tuple[Claim, list[Way]]]:
        """What labels ask for, of two columns, or of a column and a base row: the claim with its ways.

        A row may be compared with the first, the one above, and the last above that states 1.
        """
        ones: dict[int, int] = {}
        rows = sorted(self.rows)
        for above, row in zip((None, *rows), rows, strict=False):
            for col, claim in self.rows[row].items():
                formulas, _ = _asked(claim.col_label)
                if formulas and claim.is_measured:
                    bases = {} if above is None else {"first row": rows[0], "row above": above}
                    bases |= {"row of 1": ones[col]} if col in ones else {}
                    yield claim, list(self._comparisons_of(claim, formulas, bases))
            ones |= {col: row for col, claim in self.rows[row].items() if claim.number.value == 1}

    def _comparisons_of(self, claim: Claim, formulas: Sequence[Formula], bases: Mapping[str, int]) -> Iterator[Way]:
        row = self.rows[claim.row]
        near = [(a, row[claim.col + a]) for a in APART if claim.col + a in row]
        for (a, first), (b, second) in product(near, near):
            # Ratios of unlike numbers are accidents; differences of them are rare enough, and labels mislead.
            if a != b and (formulas is _CHANGES or first.quantity == second.quantity):
                yield from (Way((one, a, b), one, (first, second), abs(a) + abs(b)) for one in formulas)
        for (base, at), (a, first) in product(bases.items(), near):
            if other := self.rows[at].get(claim.col + a):
                for one in formulas:
                    yield Way((one, a, base), one, (first, other), abs(a) + BASE_ROW, has_base=True)
                    yield Way((one, base, a), one, (other, first), abs(a) + BASE_ROW, has_base=True)


class Formulas:
    """The arithmetic of the claims of one document: what follows (``derived``, each with the chance that accident gives
    it), and what should and does not (``exceptions``, each with what it should be).
    """

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims = claims
        self.derived: dict[Claim, tuple[Hit, float]] = {}
        self.exceptions: dict[Claim, Hit] = {}
        cells: dict[int, list[Claim]] = defaultdict(list)
        items: dict[tuple[int, int], list[Claim]] = defaultdict(list)
        for claim in claims:
            if claim.place == CELL:
                cells[claim.table].append(claim)
            elif claim.place == ITEM:
                items[claim.table, claim.col].append(claim)
        self.tables = {table: _Table(some) for table, some in cells.items()}
        # The lists of numbers, each with the line in which it begins.
        self.lists = sorted(((some[0].line, tuple(some)) for some in items.values()), key=lambda one: one[0])

    def search(self, unexplained: set[Claim]) -> None:
        """Look for formulas: those that labels ask for of all numbers, others of what is ``unexplained``."""
        fine = {claim for claim in unexplained if claim.may_be_proved}
        for ways in self._behind_lists(fine):
            self._explain(ways, NEARBY[2])
        for table in self.tables.values():
            for cells in table.rows.values():  # that reduce the rows above them, such as a row of means
                every = (
                    one for first in cells.values() for one in (first, *table.behind.get(first, ())) if one in fine
                )
                self._explain({one: [*table.reductions(one, self.derived)] for one in every}, NEARBY[0])
        for by_build in (True, False):  # in tables of one build, then in all
            groups: dict[Hashable, _Ways] = defaultdict(dict)
            for table in self.tables.values():
                for claim, some in table.comparisons():
                    groups[_asked(claim.col_label), by_build and table.build][claim] = some
            for ways in groups.values():
                if not ways.keys() <= self.derived.keys():
                    found = self._explain(ways, NEARBY[2], min(2, len(ways)))
                    if by_build:
                        self._except(ways, found)

    def _behind_lists(self, fine: set[Claim]) -> Iterator[_Ways]:
        """What a document prints between a list and the next: the statistics of the lists there prove each other."""
        starts = [line for line, _ in self.lists]
        groups: dict[int, _Ways] = defaultdict(dict)
        for claim in self.claims:
            end = bisect_left(starts, claim.line)
            if end and claim.place in TEXTS and claim in fine:
                near = self.lists[bisect_left(starts, starts[end - 1] - LINES_BEHIND) : end]
                every = product(near, (Formula.MEAN, *_SPREADS))
                groups[end][claim] = [Way("list", formula, some) for (_, some), formula in every]
        yield from groups.values()

    def _explain(self, group: _Ways, usual_span: float, least: int = 1) -> list[Explanation]:
        """The rules of a group that are beyond accident; what they give is derived.

        ``usual_span``: as a share of a number, how far numbers of its kind lie from it. ``least``: how many numbers a
        rule must give.
        """
        hits: dict[Hashable, dict[Claim, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, Claim], float] = defaultdict(float)
        distances: dict[Hashable, int] = {}
        usual = median(abs(claim.number.value) for claim in group) if group else 0.0
        for claim, way in ((claim, way) for claim, ways in group.items() for way in ways):
            if (found := way.outcome()) is None:
                continue
            number, distances[way.rule] = claim.number, way.distance
            span = NEARBY[2] if way.formula in _SPREADS else usual_span  # a spread is near no value
            around = 2 * span * (abs(number.value) or usual)
            width = found.high - found.low + ROUNDINGS * number.step
            # The mean of equal numbers tells nothing; nor does 1, which what is compared says of its base, or accident.
            is_telling = way.formula in _COMPARISONS or len({one.number.value for one in way.operands}) > 1
            if width < around and is_telling and number.value != 1:
                chances[way.rule, claim] += width / around
                if found.may_be(number):
                    hit = Hit(found.value, Means.FORMULA, way.formula, operands=way.operands)
                    hits[way.rule].setdefault(claim, hit)
        ranks = sorted(distances.values())
        explanations = explain(
            group,
            hits,
            lambda rule, claim: min(1.0, chances.get((rule, claim), 0.0)),
            lambda rule, *_: bisect_right(ranks, distances[rule]),
            least,
        )
        for one in explanations:
            for claim, hit in one.hits.items():
                self.derived.setdefault(claim, (hit, one.chance))
        return explanations

    # -- exceptions: each condition is an excuse that honest pages had

    def _except(self, group: _Ways, explanations: Sequence[Explanation]) -> None:
        """The numbers that break the rule which most of those under one header keep, and that no other rule gives."""
        explained = {claim for one in explanations for claim in one.hits}
        peers: dict[tuple[str, str], set[Claim]] = defaultdict(set)
        for claim in group:
            if claim.number.value != 1:
                # Headers are alike by their words, without what stands in brackets, and what they count.
                label = re.sub(r"\(.*?\)", "", claim.col_label.lower())
                peers[re.sub(r"[^a-z\u4e00-\u9fff]+", " ", label).strip(), claim.quantity].add(claim)
        for some in peers.values():
            kept = [(len(some & one.hits.keys()), one.rule) for one in explanations]
            count, rule = max(kept, key=lambda pair: pair[0], default=(0, None))
            if count < 2 or count <= MAJORITY * len(some):
                continue
            left = some - explained
            units = {self.tables[peer.table].units(peer) for peer in some & explained}
            broken: dict[Claim, Hit] = {}
            has_base = False
            for claim in left - _meant_otherwise(group, left):
                way = next((way for way in group[claim] if way.rule == rule), None)
                is_alike = self.tables[claim.table].units(claim) in units
                if way and is_alike and (given := self._broken(claim, way)):
                    peered = (count, len(some))
                    broken[claim] = Hit(given.value, Means.FORMULA, way.formula, peers=peered, operands=way.operands)
                    has_base |= way.has_base
            # Several that do not keep to a base row may have a base of their own, which the table does not show.
            if len(broken) == 1 or not has_base:
                self.exceptions |= broken

    def _broken(self, claim: Claim, way: Way) -> Outcome | None:
        """What a way gives for a claim that it should give and does not, if nothing excuses that.

        A row of means, a row that is compared with another one, or that is explained in brackets follows a rule of its
        own; people change what they compare with.
        """
        table, used = self.tables[claim.table], (claim, *way.operands)
        is_vague = any(one.is_about or one in table.behind for one in used)
        if is_vague or _OF_ITS_OWN.search(claim.row_label) or (way.has_base and not table.has_unlike_rows()):
            return None
        for row in table.rows.values() if way.has_base else ():
            there = (one if one.row == claim.row else row.get(one.col) for one in way.operands)
            other = tuple(one for one in there if one)
            if len(other) == len(way.operands) and way._replace(operands=other).gives(claim):
                return None
        found = way.outcome()
        return None if found is None or found.may_be_told_as(claim.number) else found


def _meant_otherwise(group: _Ways, claims: set[Claim]) -> set[Claim]:
    """Those that another rule, of two measurements of one kind, gives along with others: a column is mixed up."""
    given: dict[Hashable, set[Claim]] = defaultdict(set)
    for claim in claims:
        for way in group[claim]:
            first, second = way.operands
            if first.quantity == second.quantity and first.is_measured and way.gives(claim):
                given[way.rule].add(claim)
    return {claim for some in given.values() if len(some) > 1 for claim in some}


# ---- tests of means: the p values of the tests that a document names in program text, computed again from its lists

TEST_BEHIND = 6  # lines behind a stated test, in which its p value is printed
STUDENT, WELCH = "student", "welch"
_CALL = re.compile(r"ttest_(1samp|ind)\(\s*(\w+)\s*,\s*(\w[\w.]*)([^()\n]*)\)")
_OPTION = re.compile(r"alternative\s*=\s*['\"]([\w-]+)")
_UNEQUAL = re.compile(r"equal_var\s*=\s*False")
_BOUND = re.compile(r"[<>≤≥]\W*$")
_TESTS = re.compile(r"ttest\w*|wilcoxon|mannwhitney\w*|ks_\w+|f_oneway|bootstrap", re.IGNORECASE)


def p_value(
    values: Sequence[float], other: Sequence[float] | float, alternative: str = "two-sided", moved: float = 0.0
) -> float | None:
    """The p value of Welch's test of the means of two samples, or of Student's of one against a number.

    ``alternative``: that the first is ``less`` or ``greater``, or ``two-sided``. ``moved``: by how much more the means
    differ. None where there are too few values, or all are the same. Raises ExtraError.
    """
    samples = (values,) if isinstance(other, float) else (values, other)
    if min(map(len, samples)) < 2 or not all(map(stdev, samples)):
        return None
    with extra("compare", "Tests of means need"):
        from scipy import stats  # noqa: PLC0415 - it comes with the extra
    first = [value + moved for value in values]
    if isinstance(other, float):
        return float(stats.ttest_1samp(first, other, alternative=alternative).pvalue)
    return float(stats.ttest_ind(first, other, equal_var=False, alternative=alternative).pvalue)


def search_tests(formulas: Formulas, lines: Sequence[str]) -> None:
    """Hold each p value of a document against the test that is named before it; none without SciPy.

    ``lines``: the text of the document.
    """
    # Of what a label, or the words in front, call a bound nothing is computed.
    stated = (one for one in formulas.claims if one.quantity == words.P_VALUE)
    before = ((one, one.col_label or lines[one.line - 1][: one.column - 1][-AROUND:]) for one in stated)
    p_values = [one for one, text in before if not _BOUND.search(text)]
    starts = [one.line for one in p_values]
    with suppress(ExtraError):
        for line, samples, other, alternative in _named(formulas, lines) if p_values else ():
            at = bisect_left(starts, line)
            if at == len(starts) or starts[at] > line + TEST_BEHIND:
                continue
            claim, operands = p_values[at], tuple(one for sample in samples for one in sample)
            # The means are off by half a step of what is printed.
            first, *more = ([one.number.value for one in sample] for sample in samples)
            half = max(one.number.step for one in operands) / 2
            given = [p_value(first, more[0] if more else other, alternative, by) for by in (-half, 0.0, half)]
            if None in given:
                continue
            low, value, high = sorted(one for one in given if one is not None)
            of = WELCH if more else STUDENT
            hit = Hit(value, Means.FORMULA, Formula.P_VALUE, of=of, count=len(operands), operands=operands)
            if Outcome(value, low, high).may_be(claim.number):
                formulas.derived[claim] = hit, 0.0
            elif not _is_changed(samples, lines, claim.line):
                formulas.exceptions[claim] = hit


def _named(formulas: Formulas, lines: Sequence[str]) -> Iterator[tuple[int, list[tuple[Claim, ...]], float, str]]:
    """The tests that program text names, of the lists before it: the line, the lists, a number, the alternative."""
    before, lists = dict[str, tuple[Claim, ...]](), deque(formulas.lists)
    for number, line in enumerate(lines, start=1):
        while lists and lists[0][0] <= number:
            _, some = lists.popleft()
            before[_list_name(some[0])] = some
        for kind, name, other, options in _CALL.findall(line):
            is_single = kind == "1samp" and re.fullmatch(r"\d+(\.\d+)?", other)
            used = [before[one] for one in ((name,) if is_single else (name, other)) if one in before]
            if len(used) == (1 if is_single else 2) and (is_single or _UNEQUAL.search(options)):
                alternative = found[1] if (found := _OPTION.search(options)) else "two-sided"
                yield number, used, float(other) if is_single else 0.0, alternative


def _is_changed(samples: Sequence[Sequence[Claim]], lines: Sequence[str], line: int) -> bool:
    """Whether the lines from the lists of a test to its p value do more than print it, such as change a list."""
    between = "\n".join(lines[min(sample[0].line for sample in samples) : line])
    names = "|".join(re.escape(_list_name(sample[0])) for sample in samples)
    return len(_TESTS.findall(between)) > 1 or bool(re.search(rf"\b(?:{names})\b(?!\s*[,)])", between))


def _list_name(item: Claim) -> str:
    return item.col_label.split()[-1]
