"""Tests of means: the p values of the tests that a document names in program text, computed again from its lists.

The statistic is arithmetic; its p value is SciPy's, where that is installed.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import sqrt
from statistics import fmean, stdev

from parsers.io.errors import ExtraError, extra

from .. import vocabulary as words
from ..chance import Hit, Means
from ..claims import AROUND, Claim
from .formulas import Formula, Formulas, Outcome

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
    p_values = [
        one for one in formulas.claims if one.quantity == words.P_VALUE and not _BOUND.search(_name(one, lines))
    ]
    with suppress(ExtraError):
        for line, samples, other, alternative in _named(formulas, lines) if p_values else ():
            claim = next((one for one in p_values if line <= one.line <= line + TEST_BEHIND), None)
            if claim is None:
                continue
            # The means are off by half a step of what is printed.
            first, *more = ([one.number.value for one in sample] for sample in samples)
            half = max(one.number.step for sample in samples for one in sample) / 2
            given = [p_value(first, more[0] if more else other, alternative, by) for by in (-half, 0.0, half)]
            if None in given:
                continue
            low, value, high = sorted(one for one in given if one is not None)
            operands = tuple(one for sample in samples for one in sample)
            of = WELCH if more else STUDENT
            hit = Hit(value, Means.FORMULA, Formula.P_VALUE, of=of, count=len(operands), operands=operands)
            if Outcome(value, low, high).may_be(claim.number):
                formulas.derived[claim] = hit, 0.0
            elif not _is_changed(samples, lines, claim.line):
                formulas.exceptions[claim] = hit


def _name(claim: Claim, lines: Sequence[str]) -> str:
    """What stands in front of a p value, which may say that it is only a bound."""
    return claim.col_label or lines[claim.line - 1][: claim.column - 1][-AROUND:]


def _named(formulas: Formulas, lines: Sequence[str]) -> Iterator[tuple[int, list[tuple[Claim, ...]], float, str]]:
    """The tests that program text names, of the lists before it: the line, the lists, a number, the alternative."""
    for number, line in enumerate(lines, start=1):
        for kind, name, other, options in _CALL.findall(line):
            before = {_list_name(some[0]): some for start, some in formulas.lists if start <= number}
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
