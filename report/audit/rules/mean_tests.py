"""Tests of means: the p values, t statistics and degrees of freedom that a document states, computed again.

A test that a line of program text names, with its list, is computed as it stands there: its p value follows, or breaks.
For what is said in words all pairs of samples of the document and of its logs are tried, and all numbers that a sample
may be held against; ``chance.explain`` says which tests are beyond accident. The statistic is arithmetic; its p value
is SciPy's, where that is installed.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev

from parsers.io.errors import ExtraError, extra

from .. import vocabulary as words
from ..chance import Hit, Means, Rule, explain
from ..claims import CELL, ITEM, KEY, PROSE, Claim
from ..constants import ANCHOR_DIGITS, MOST_SAMPLES, OTHER_QUANTITY, ROUNDINGS, TEST_BEHIND
from .formulas import Formula, Outcome

STUDENT, WELCH = "student", "welch"
_ALTERNATIVES = ("less", "greater", "two-sided")
_CALL = re.compile(r"ttest_(1samp|ind)\(\s*(\w+)\s*,\s*(\w[\w.]*)([^()\n]*)\)")
_OPTION = re.compile(r"alternative\s*=\s*['\"]([\w-]+)")
_UNEQUAL = re.compile(r"equal_var\s*=\s*False")
_LABEL = re.compile(r"(?<![a-z])(t|df)(?:[-_ ]?(?:stat\w*|value))?(?: \([^()]*\))?[^\w<>]{0,6}$", re.IGNORECASE)
_BOUND = re.compile(r"[<>≤≥]\W*$")
_BEFORE = 24  # characters in front of a number that may name it
_SPOKEN = re.compile(r"test|(?<![a-z])vs|against|target", re.IGNORECASE)
_TESTS = re.compile(r"ttest\w*|wilcoxon|mannwhitney\w*|ks_\w+|f_oneway|bootstrap", re.IGNORECASE)


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
    def error(self) -> float:
        """The squared standard error of the mean."""
        return stdev(self.values) ** 2 / len(self.values)


@dataclass(frozen=True)
class Trial:
    """A test of a difference of means: of two samples, or of one against a number."""

    samples: tuple[Sample, ...]
    difference: float
    error: float
    freedom: float

    @classmethod
    def of(cls, first: Sample, second: "Sample | float") -> "Trial | None":
        """Welch's test of two samples, whose spreads may differ, or Student's of one against a number.

        None where there are too few values, or all are the same.
        """
        samples = (first, second) if isinstance(second, Sample) else (first,)
        if min(len(one.values) for one in samples) < 2 or not all(one.error for one in samples):
            return None
        error = sum(one.error for one in samples)
        freedom = error**2 / sum(one.error**2 / (len(one.values) - 1) for one in samples)
        mean = fmean(second.values) if isinstance(second, Sample) else second
        return cls(samples, fmean(first.values) - mean, sqrt(error), freedom)

    def p(self, alternative: str = "two-sided", moved: float = 0.0) -> float:
        """The p value against ``less``, ``greater`` or ``two-sided``, of another difference; raises ExtraError."""
        with extra("compare", "Tests of means need"):
            from scipy.special import stdtr  # noqa: PLC0415 - it comes with the extra
        t = (self.difference + moved) / self.error
        sides = {"less": t, "greater": -t}
        tail = float(stdtr(self.freedom, sides.get(alternative, -abs(t))))
        return tail if alternative in sides else 2 * tail

    def outcomes(self, formula: Formula) -> list[float]:
        """What may be printed of it: p values by their alternatives, the statistic with either sign."""
        if formula is Formula.P_VALUE:
            return [self.p(alternative) for alternative in _ALTERNATIVES]
        t = self.difference / self.error
        return [t, -t] if formula is Formula.T_STATISTIC else [self.freedom]

    def hit(self, formula: Formula, value: float) -> Hit:
        """What it gives, with where its samples are."""
        path = next((sample.path for sample in self.samples if sample.path), "")
        count = sum(len(sample.values) for sample in self.samples)
        kind = WELCH if len(self.samples) > 1 else STUDENT
        operands = tuple(one for sample in self.samples for one in sample.claims)
        return Hit(value, Rule(Means.FORMULA, formula, of=kind, count=count), path, operands=operands)


@dataclass
class MeanTests:
    """The tests of means of one document: what follows (``derived``, with its chance), and what breaks.

    ``lines``: its text. ``samples``: what the logs that belong to it measured. ``known``: what follows from other
    formulas.
    """

    claims: Sequence[Claim]
    members: Sequence[int]
    lines: Sequence[str]
    samples: Sequence[Sample] = ()
    known: Container[int] = ()
    derived: dict[int, tuple[Hit, float]] = field(default_factory=dict)
    exceptions: dict[int, Hit] = field(default_factory=dict)

    def search(self) -> None:
        """Compute the tests that program text names, then those that are spoken of; none without SciPy."""
        with suppress(ExtraError):
            if stated := {one: formula for one in self.members if (formula := self._formula(one))}:
                self._stated([one for one, formula in stated.items() if formula is Formula.P_VALUE])
                left = (one for one in stated if one not in self.derived and one not in self.known)
                self._spoken({one: stated[one] for one in left})

    def _formula(self, member: int) -> Formula | None:
        """What a claim is of a test, by the words before it or its label."""
        claim = self.claims[member]
        before = claim.col_label or self.lines[claim.line - 1][: claim.column - 1][-_BEFORE:]
        if claim.quantity == words.P_VALUE:
            return None if _BOUND.search(before) else Formula.P_VALUE
        found = _LABEL.search(before)
        return found and (Formula.T_STATISTIC if found[1].lower() == "t" else Formula.FREEDOM)

    def _stated(self, members: Sequence[int]) -> None:
        """The p values that are printed behind a test that the document names."""
        p_values = sorted((self.claims[one].line, one) for one in members)
        for line, trial, alternative in self._named():
            at = bisect_left(p_values, (line, -1))
            if at == len(p_values) or p_values[at][0] > line + TEST_BEHIND:
                continue
            member = p_values[at][1]
            number = self.claims[member].number
            # The means are off by half a step of what is printed of them, at most.
            step = max(self.claims[one].number.step for sample in trial.samples for one in sample.claims)
            ends = [trial.p(alternative, by) for by in (-step / 2, step / 2)]
            given = Outcome(trial.p(alternative), min(ends), max(ends))
            if given.may_be(number):
                self.derived[member] = trial.hit(Formula.P_VALUE, given.value), 0.0
            elif not self._is_changed(trial, self.claims[member].line):
                self.exceptions[member] = trial.hit(Formula.P_VALUE, given.value)

    def _named(self) -> Iterator[tuple[int, Trial, str]]:
        """The tests that program text names, of the lists before it: the line, the test, its alternative."""
        samples = self._samples_of(self.members)
        for number, line in enumerate(self.lines, start=1):
            for kind, name, other, options in _CALL.findall(line):
                lists = {sample.name: sample for sample in samples if 0 < sample.line <= number}  # the last of a name
                first, second = lists.get(name), lists.get(other)
                trial = None
                if first and kind == "1samp" and re.fullmatch(r"\d+(\.\d+)?", other):
                    trial = Trial.of(first, float(other))
                elif first and second and _UNEQUAL.search(options):
                    trial = Trial.of(first, second)
                if trial:
                    yield number, trial, found[1] if (found := _OPTION.search(options)) else "two-sided"

    def _is_changed(self, trial: Trial, line: int) -> bool:
        """Whether the lines from the lists of a test to its p value do more than print it, such as change a list."""
        between = "\n".join(self.lines[min(sample.line for sample in trial.samples) : line])
        names = "|".join(re.escape(sample.name) for sample in trial.samples if sample.name)
        uses = rf"\b(?:{names})\b(?!\s*[,)])" if names else "$^"
        return len(_TESTS.findall(between)) > 1 or bool(re.search(uses, between))

    def _spoken(self, members: dict[int, Formula]) -> None:
        """What a text says of tests, by those that all samples allow: of what follows from nothing else."""
        trials = self._allowed() if members else []
        hits: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, int], float] = defaultdict(float)
        for rule, trial in enumerate(trials):
            for place, (member, formula) in enumerate(members.items()):
                number = self.claims[member].number
                size = abs(number.value)
                if formula is Formula.P_VALUE:
                    size = min(size, 1 - size)  # tests that are far from 1 on one side are as near to it on the other
                for value in trial.outcomes(formula):
                    width = ROUNDINGS * number.informative_step
                    chances[rule, place] += width / size if width < size else 1.0
                    if number.rounding_of(value):
                        hits[rule].setdefault(place, trial.hit(formula, value))
        each = list(members)
        found = explain(len(each), hits, lambda rule, place: min(1.0, chances[rule, place]), lambda *_: len(trials))
        self.derived |= {each[place]: (hit, one.chance) for one in found for place, hit in one.hits.items()}

    def _allowed(self) -> list[Trial]:
        """The tests that may be spoken of: of every two samples, and of one against each number named beside a test."""
        left = [one for one in self.members if one not in self.derived and one not in self.known]
        samples = [*self._samples_of(left), *self.samples]
        some = [(fmean(one.values), one) for one in samples if len(one.values) > 2][:MOST_SAMPLES]
        prose = [self.claims[one] for one in left if self.claims[one].place == PROSE]
        named = {
            one.number.value
            for one in prose
            if one.number.digits >= ANCHOR_DIGITS and _SPOKEN.search(self.lines[one.line - 1])
        }
        trials = [Trial.of(one, other) for (a, one), (b, other) in combinations(some, 2) if _are_near(a, b)]
        trials += [Trial.of(one, value) for a, one in some for value in sorted(named) if _are_near(a, value)]
        return [trial for trial in trials if trial]

    def _samples_of(self, members: Sequence[int]) -> list[Sample]:
        """The samples of a document: lists, columns, a key of several objects, numbers that only commas part."""
        groups: dict[object, list[int]] = defaultdict(list)
        run, previous = 0, None
        for member in members:
            claim = self.claims[member]
            if claim.place == PROSE:
                run += not (previous and self._goes_on(previous, claim))
                previous = claim
            part = {CELL: (claim.table, claim.col), ITEM: (claim.table, claim.col), KEY: claim.col_label}
            is_fine = claim.place == PROSE and claim.number.digits > ANCHOR_DIGITS
            if claim.is_measured or claim.place == ITEM or is_fine:
                groups[claim.place, part.get(claim.place, run), claim.quantity].append(member)
        firsts = [(self.claims[group[0]], group) for group in groups.values() if len(group) > 1]
        return [
            Sample(
                tuple(self.claims[one].number.value for one in group),
                first.quantity,
                (first.col_label.split() or [""])[-1],
                first.line,
                tuple(group),
            )
            for first, group in firsts
        ]

    def _goes_on(self, before: Claim, claim: Claim) -> bool:
        """Whether a number of a text stands behind another with no word between."""
        between = self.lines[claim.line - 1][before.column - 1 + len(before.number.text) : claim.column - 1]
        return before.line == claim.line and not re.search(r"\w", between)


def _are_near(one: float, other: float) -> bool:
    """Whether two numbers may count the same."""
    return abs(one - other) <= OTHER_QUANTITY * max(abs(one), abs(other))
