"""Tests of means: the p values, t statistics and degrees of freedom that a document states, computed again.

A test that a line of program text names, with its list, is computed as it stands there: its p value follows, or breaks.
For what is said in words all pairs of samples of the document and of its logs are tried, and all numbers that a sample
may be held against; ``chance.explain`` says which tests are beyond accident.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from .. import vocabulary as words
from ..claims import CELL, ITEM, KEY, PROSE, Claim
from ..constants import ANCHOR_DIGITS, MOST_SAMPLES, OTHER_QUANTITY
from ..significance import TTest, one_sample, welch
from .arithmetic import Formula, Outcome

STUDENT, WELCH = "student", "welch"
_ALTERNATIVES = ("less", "greater", "two-sided")
_CALL = re.compile(r"ttest_(1samp|ind)\(\s*(\w+)\s*,\s*(\w[\w.]*)([^()\n]*)\)")
_OPTION = re.compile(r"alternative\s*=\s*['\"]([\w-]+)")
_UNEQUAL = re.compile(r"equal_var\s*=\s*False")
_LABEL = re.compile(r"(?<![a-z])(t|df)(?:[-_ ]?(?:stat\w*|value))?(?: \([^()]*\))?[^\w<>]{0,6}$", re.IGNORECASE)
_BOUND = re.compile(r"[<>≤≥]\W*$")
_BEFORE = 24  # characters in front of a number that may name it
_SPOKEN = re.compile(r"test|(?<![a-z])vs|against|target", re.IGNORECASE)


@dataclass(frozen=True)
class Sample:
    """Measured values of one kind: the claims that they are, or the folder of the logs that state them."""

    values: tuple[float, ...]
    quantity: str
    name: str = ""
    line: int = 0
    claims: tuple[int, ...] = ()
    path: str = ""

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return fmean(self.values)


@dataclass(frozen=True)
class Trial:
    """A test of two samples, or of one against a number."""

    test: TTest
    samples: tuple[Sample, ...]

    @property
    def kind(self) -> str:
        """A code: whose test it is."""
        return WELCH if len(self.samples) > 1 else STUDENT

    @property
    def claims(self) -> tuple[int, ...]:
        """The claims that it is of."""
        return tuple(one for sample in self.samples for one in sample.claims)

    def outcomes(self, formula: Formula) -> list[float]:
        """What may be printed of it: p values by their alternatives, the statistic with either sign."""
        if formula is Formula.P_VALUE:
            return [self.test.p(alternative) for alternative in _ALTERNATIVES]
        return [self.test.t, -self.test.t] if formula is Formula.T_STATISTIC else [self.test.freedom]

    def p_value(self, alternative: str, step: float) -> Outcome:
        """The p value, and between what it lies if the means are off by half a step of what is printed of them."""
        ends = [self.test.moved(by).p(alternative) for by in (-step / 2, step / 2)]
        return Outcome(self.test.p(alternative), min(ends), max(ends))


def samples_of(claims: Sequence[Claim], members: Sequence[int], lines: Sequence[str]) -> list[Sample]:
    """The samples of a document: lists, columns, a key of several objects, numbers that only commas part."""
    groups: dict[object, list[int]] = defaultdict(list)
    run, previous = 0, None
    for member in members:
        claim = claims[member]
        if claim.place == PROSE:
            run += not (previous and _goes_on(previous, claim, lines))
            previous = claim
        part = {CELL: (claim.table, claim.col), ITEM: (claim.table, claim.col), KEY: claim.col_label}
        is_fine = claim.place == PROSE and claim.number.digits > ANCHOR_DIGITS
        if claim.is_measured or claim.place == ITEM or is_fine:
            groups[claim.place, part.get(claim.place, run), claim.quantity].append(member)
    return [
        Sample(
            tuple(claims[one].number.value for one in group),
            claims[group[0]].quantity,
            (claims[group[0]].col_label.split() or [""])[-1],
            claims[group[0]].line,
            tuple(group),
        )
        for group in groups.values()
        if len(group) > 1
    ]


def _goes_on(before: Claim, claim: Claim, lines: Sequence[str]) -> bool:
    """Whether a number of a text stands behind another with no word between."""
    start = before.column - 1 + len(before.number.text)
    return before.line == claim.line and not re.search(r"\w", lines[claim.line - 1][start : claim.column - 1])


def stated(lines: Sequence[str], samples: Sequence[Sample]) -> Iterator[tuple[int, Trial, str]]:
    """The tests that program text names, of the lists before it: the line, the test, its alternative."""
    for number, line in enumerate(lines, start=1):
        for kind, name, other, options in _CALL.findall(line):
            lists = {sample.name: sample for sample in samples if 0 < sample.line <= number}  # the last of a name
            first, second = lists.get(name), lists.get(other)
            trial = None
            if first and kind == "1samp" and re.fullmatch(r"\d+(\.\d+)?", other):
                trial = _student(first, float(other))
            elif first and second and _UNEQUAL.search(options):
                trial = _welch(first, second)
            if trial:
                alternative = found[1] if (found := _OPTION.search(options)) else "two-sided"
                yield number, trial, alternative


def spoken(
    claims: Sequence[Claim], members: Sequence[int], samples: Sequence[Sample], text: Sequence[str]
) -> list[Trial]:
    """The tests that a text may speak of: of every two samples, and of one against each number named beside a test."""
    some = [sample for sample in samples if len(sample.values) > 2][:MOST_SAMPLES]
    trials = [_welch(one, other) for one, other in combinations(some, 2) if _are_near(one.mean, other.mean)]
    of_text = [
        claims[one] for one in members if claims[one].place == PROSE and claims[one].number.digits >= ANCHOR_DIGITS
    ]
    named = {claim.number.value for claim in of_text if _SPOKEN.search(text[claim.line - 1])}
    trials += [_student(sample, value) for sample in some for value in sorted(named) if _are_near(sample.mean, value)]
    return [trial for trial in trials if trial]


def _are_near(one: float, other: float) -> bool:
    """Whether two numbers may count the same."""
    return abs(one - other) <= OTHER_QUANTITY * max(abs(one), abs(other))


def formula_of(claim: Claim, text: Sequence[str]) -> Formula | None:
    """What a claim is of a test, by the words before it or its label."""
    before = claim.col_label or text[claim.line - 1][: claim.column - 1][-_BEFORE:]
    if claim.quantity == words.P_VALUE:
        return None if _BOUND.search(before) else Formula.P_VALUE
    found = _LABEL.search(before)
    return found and (Formula.T_STATISTIC if found[1].lower() == "t" else Formula.FREEDOM)


def _welch(first: Sample, second: Sample) -> Trial | None:
    test = welch(first.values, second.values)
    return Trial(test, (first, second)) if test else None


def _student(sample: Sample, value: float) -> Trial | None:
    test = one_sample(sample.values, value)
    return Trial(test, (sample,)) if test else None
