"""Tests of means: the p values of the tests that a document names in program text, computed again from its lists.

The statistic is arithmetic; its p value is SciPy's, where that is installed.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import sqrt
from statistics import fmean, stdev

from parsers.io.errors import ExtraError, extra

from .. import vocabulary as words
from ..chance import Hit, Means, Rule
from ..claims import Claim
from ..constants import BEFORE, TEST_BEHIND
from .formulas import Formula, Formulas, Outcome

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


def search_tests(formulas: Formulas, lines: Sequence[str]) -> None:
    """Hold each p value of a document against the test that is named before it; none without SciPy.

    ``lines``: the text of the document.
    """
    claims = formulas.claims
    p_values = sorted((claims[one].line, one) for one in formulas.members if _is_p_value(claims[one], lines))
    with suppress(ExtraError):
        for line, samples, other, alternative in _named(formulas, lines) if p_values else ():
            at = bisect_left(p_values, (line, -1))
            if at < len(p_values) and p_values[at][0] <= line + TEST_BEHIND:
                _hold(formulas, lines, p_values[at][1], samples, other, alternative)


def _is_p_value(claim: Claim, lines: Sequence[str]) -> bool:
    before = claim.col_label or lines[claim.line - 1][: claim.column - 1][-BEFORE:]
    return claim.quantity == words.P_VALUE and not _BOUND.search(before)


def _hold(
    formulas: Formulas, lines: Sequence[str], member: int, samples: Sequence[list[int]], other: float, alternative: str
) -> None:
    """Hold a p value against a test of one or two lists; the means are off by half a step of what is printed."""
    claims = [[formulas.claims[one] for one in sample] for sample in samples]
    first, *more = ([one.number.value for one in sample] for sample in claims)
    step = max(one.number.step for sample in claims for one in sample)
    given = [p_value(first, more[0] if more else other, alternative, by) for by in (-step / 2, 0.0, step / 2)]
    low, value, high = sorted(one for one in given if one is not None) if None not in given else (0.0, None, 0.0)
    if value is None:
        return
    operands = tuple(one for sample in samples for one in sample)
    hit = Hit(
        value, Rule(Means.FORMULA, Formula.P_VALUE, WELCH if more else STUDENT, "", len(operands)), operands=operands
    )
    if Outcome(value, low, high).may_be(formulas.claims[member].number):
        formulas.derived[member] = hit, 0.0
    elif not _is_changed(claims, lines, formulas.claims[member].line):
        formulas.exceptions[member] = hit


def _named(formulas: Formulas, lines: Sequence[str]) -> Iterator[tuple[int, list[list[int]], float, str]]:
    """The tests that program text names, of the lists before it: the line, the lists, a number, the alternative."""
    lists = formulas.lists
    for number, line in enumerate(lines, start=1):
        for kind, name, other, options in _CALL.findall(line):
            before = {_name(formulas.claims[one[0]]): list(one) for start, one in lists if start <= number}
            is_single = kind == "1samp" and re.fullmatch(r"\d+(\.\d+)?", other)
            used = [before[one] for one in ((name,) if is_single else (name, other)) if one in before]
            if len(used) == (1 if is_single else 2) and (is_single or _UNEQUAL.search(options)):
                alternative = found[1] if (found := _OPTION.search(options)) else "two-sided"
                yield number, used, float(other) if is_single else 0.0, alternative


def _is_changed(samples: Sequence[Sequence[Claim]], lines: Sequence[str], line: int) -> bool:
    """Whether the lines from the lists of a test to its p value do more than print it, such as change a list."""
    between = "\n".join(lines[min(sample[0].line for sample in samples) : line])
    names = "|".join(re.escape(_name(sample[0])) for sample in samples)
    return len(_TESTS.findall(between)) > 1 or bool(re.search(rf"\b(?:{names})\b(?!\s*[,)])", between))


def _name(item: Claim) -> str:
    """What the list of an item is called."""
    return item.col_label.split()[-1]
