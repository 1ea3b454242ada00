"""Significance: t tests of means. The statistic is arithmetic; its p value is SciPy's, where that is installed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from parsers.io.extras import extra


@dataclass(frozen=True)
class TTest:
    """A difference of means with its standard error, and the degrees of freedom of that."""

    difference: float
    error: float
    freedom: float

    @property
    def t(self) -> float:
        """The statistic."""
        return self.difference / self.error

    def moved(self, by: float) -> "TTest":
        """The same of another difference."""
        return TTest(self.difference + by, self.error, self.freedom)

    def p(self, alternative: str = "two-sided") -> float:
        """The p value against the alternative ``less``, ``greater`` or ``two-sided``; raises ExtraError."""
        with extra("compare", "Tests of means need"):
            from scipy.special import stdtr  # noqa: PLC0415 - it comes with the extra
        sides = {"less": self.t, "greater": -self.t}
        tail = float(stdtr(self.freedom, sides.get(alternative, -abs(self.t))))
        return tail if alternative in sides else 2 * tail


def one_sample(values: Sequence[float], mean: float) -> TTest | None:
    """Student's test of the mean of values against a number; None of values that are too few, or all the same."""
    if len(values) < 2 or not (error := _squared_error(values)):
        return None
    return TTest(fmean(values) - mean, sqrt(error), len(values) - 1)


def welch(first: Sequence[float], second: Sequence[float]) -> TTest | None:
    """Welch's test of the means of two samples, whose spreads may differ; None where one is too few or all the same."""
    if min(len(first), len(second)) < 2:
        return None
    errors = _squared_error(first), _squared_error(second)
    if not all(errors):
        return None
    of_each = errors[0] ** 2 / (len(first) - 1) + errors[1] ** 2 / (len(second) - 1)
    return TTest(fmean(first) - fmean(second), sqrt(sum(errors)), sum(errors) ** 2 / of_each)


def _squared_error(values: Sequence[float]) -> float:
    return stdev(values) ** 2 / len(values)
