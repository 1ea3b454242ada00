"""Tests of means: the p values of the tests that a document names in program text, computed again from its lists.

The statistic is arithmetic; its p value is SciPy's, where that is installed.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, stdev

from parsers.io.errors import ExtraError, extra

from .. import vocabulary as words
from ..chance import Hit, Means, Rule
from ..claims import Claim
from ..constants import BEFORE, TEST_BEHIND
from ..documents import ITEM
from .formulas import Formula, Outcome

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
    errors = [stdev(one) ** 2 / len(one) for one in samples]
    freedom = sum(errors) ** 2 / sum(error**2 / (len(one) - 1) for error, one in zip(errors, samples, strict=True))
    with extra("compare", "Tests of means need"):
        from scipy.special import stdtr  # noqa: PLC0415 - it comes with the extra
    t = (fmean(values) - (other if isinstance(other, float) else fmean(other)) + moved) / sqrt(sum(errors))
    sides = {"less": t, "greater": -t}
    tail = float(stdtr(freedom, sides.get(alternative, -abs(t))))
    return tail if alternative in sides else 2 * tail


@dataclass
class MeanTests:
    """The tests of means of one document: what follows (``derived``, with its chance), and what breaks.

    ``lines``: its text.
    """

    claims: Sequence[Claim]
    members: Sequence[int]
    lines: Sequence[str]
    derived: dict[int, tuple[Hit, float]] = field(default_factory=dict)
    exceptions: dict[int, Hit] = field(default_factory=dict)

    def search(self) -> None:
        """Hold each p value against the test that is named before it; none without SciPy."""
        p_values = sorted(
            (self.claims[one].line, one)
            for one in self.members
            if self.claims[one].quantity == words.P_VALUE and not _BOUND.search(self._before(self.claims[one]))
        )
        with suppress(ExtraError):
            for line, samples, other, alternative in self._named() if p_values else ():
                at = bisect_left(p_values, (line, -1))
                if at < len(p_values) and p_values[at][0] <= line + TEST_BEHIND:
                    self._hold(p_values[at][1], samples, other, alternative)

    def _before(self, claim: Claim) -> str:
        return claim.col_label or self.lines[claim.line - 1][: claim.column - 1][-BEFORE:]

    def _hold(self, member: int, samples: Sequence[list[int]], other: float, alternative: str) -> None:
        """Hold a p value against a test of one or two lists; the means are off by half a step of what is printed."""
        claims = [[self.claims[one] for one in sample] for sample in samples]
        first, *more = ([one.number.value for one in sample] for sample in claims)
        step = max(one.number.step for sample in claims for one in sample)
        ends = [p_value(first, more[0] if more else other, alternative, by) for by in (-step / 2, step / 2)]
        value = p_value(first, more[0] if more else other, alternative)
        if value is None or ends[0] is None or ends[1] is None:
            return
        operands = tuple(one for sample in samples for one in sample)
        rule = Rule(Means.FORMULA, Formula.P_VALUE, of=WELCH if more else STUDENT, count=len(operands))
        hit = Hit(value, rule, operands=operands)
        if Outcome(value, min(ends[0], ends[1]), max(ends[0], ends[1])).may_be(self.claims[member].number):
            self.derived[member] = hit, 0.0
        elif not self._is_changed(claims, self.claims[member].line):
            self.exceptions[member] = hit

    def _named(self) -> Iterator[tuple[int, list[list[int]], float, str]]:
        """The tests that program text names, of the lists before it: the line, the lists, a number, the alternative."""
        lists: dict[tuple[int, int], list[int]] = {}
        for member in self.members:
            if self.claims[member].place == ITEM:
                lists.setdefault((self.claims[member].table, self.claims[member].col), []).append(member)
        for number, line in enumerate(self.lines, start=1):
            for kind, name, other, options in _CALL.findall(line):
                before = {
                    _name(self.claims[one[0]]): one for one in lists.values() if self.claims[one[0]].line <= number
                }
                is_single = kind == "1samp" and re.fullmatch(r"\d+(\.\d+)?", other)
                used = [before[one] for one in ((name,) if is_single else (name, other)) if one in before]
                if len(used) == (1 if is_single else 2) and (is_single or _UNEQUAL.search(options)):
                    alternative = found[1] if (found := _OPTION.search(options)) else "two-sided"
                    yield number, used, float(other) if is_single else 0.0, alternative

    def _is_changed(self, samples: Sequence[Sequence[Claim]], line: int) -> bool:
        """Whether the lines from the lists of a test to its p value do more than print it, such as change a list."""
        between = "\n".join(self.lines[min(sample[0].line for sample in samples) : line])
        names = "|".join(re.escape(_name(sample[0])) for sample in samples)
        return len(_TESTS.findall(between)) > 1 or bool(re.search(rf"\b(?:{names})\b(?!\s*[,)])", between))


def _name(item: Claim) -> str:
    """What the list of an item is called."""
    return item.col_label.split()[-1]
