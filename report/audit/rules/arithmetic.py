"""Arithmetic: what a formula gives for printed numbers, and how far their rounding may carry it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import median

from ..constants import ROUND
from ..number import Number

_ROUNDED = 0.5  # how far a printed operand may be from what was computed with, in steps of its last digit


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
    PRODUCT = "product"
    DIFFERENCE = "difference"
    PER_CENT = "per cent"
    CHANGE = "change in per cent"
    REDUCTION = "reduction in per cent"
    PROPORTION = "proportion"
    INVERSE_PROPORTION = "inverse proportion"
    EFFICIENCY = "efficiency"
    EFFICIENCY_IN_PER_CENT = "efficiency in per cent"
    P_VALUE = "p value"
    T_STATISTIC = "t statistic"
    FREEDOM = "degrees of freedom"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spread(values: Sequence[float], freedom: int) -> float:
    mean = _mean(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / freedom)


# Plain sums: those of ``statistics`` are of fractions, and fifty times as slow.
REDUCTIONS: Mapping[Formula, Callable[[Sequence[float]], float]] = {
    Formula.MEAN: _mean,
    Formula.STD: lambda values: _spread(values, len(values) - 1),
    Formula.STD_OF_ALL: lambda values: _spread(values, len(values)),
    Formula.MEDIAN: median,
    Formula.LEAST: min,
    Formula.GREATEST: max,
    Formula.SUM: sum,
}
SPREADS = (Formula.STD, Formula.STD_OF_ALL)
# Those that need not be one of the numbers.
SUMMARIES = (Formula.MEAN, *SPREADS, Formula.SUM)
_OF_OPERANDS: Mapping[Formula, Callable[..., float]] = {
    Formula.RATIO: lambda a, b: a / b,
    Formula.PRODUCT: lambda a, b: a * b,
    Formula.DIFFERENCE: lambda a, b: a - b,
    Formula.PER_CENT: lambda a, b: 100 * a / b,
    Formula.CHANGE: lambda a, b: 100 * (a - b) / b,
    Formula.REDUCTION: lambda a, b: 100 * (b - a) / b,
    # A number of another row, times what another column makes of it: the factor between the columns stays.
    Formula.PROPORTION: lambda base, a, a_base: base * a / a_base,
    Formula.INVERSE_PROPORTION: lambda base, a, a_base: base * a_base / a,
    # What a rate gains over a base row, per what a count gains.
    Formula.EFFICIENCY: lambda a, a_base, n, n_base: (a / a_base) / (n / n_base),
    Formula.EFFICIENCY_IN_PER_CENT: lambda a, a_base, n, n_base: 100 * (a / a_base) / (n / n_base),
}


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

    @property
    def told(self) -> "Sequence[Outcome]":
        """As people may tell it: with either sign, and the other way round, as slower for faster."""
        inverted = [Outcome(1 / self.value, 1 / self.high, 1 / self.low)] if self.low * self.high > 0 else []
        return [outcome for one in (self, *inverted) for outcome in (one, one.negated)]

    @property
    def negated(self) -> "Outcome":
        """The same with the other sign."""
        return Outcome(-self.value, -self.high, -self.low)


def outcome(formula: Formula, numbers: Sequence[Number], scale: float = 1.0) -> Outcome | None:
    """What a formula gives for numbers, times ``scale``; None where it gives nothing, such as over zero.

    What the rounding of the operands may do is the worst case to first order, in linear time.
    """
    values = [number.value for number in numbers]
    try:
        if formula in REDUCTIONS:
            value = REDUCTIONS[formula](values)
            down = up = _ROUNDED * _reduced_step(formula, numbers)
        else:
            value = _OF_OPERANDS[formula](*values)
            down, up = _moved(formula, numbers, value)
    except (ArithmeticError, ValueError):
        return None
    return Outcome(scale * value, scale * (value - down), scale * (value + up))


def _reduced_step(formula: Formula, numbers: Sequence[Number]) -> float:
    """How far a reduction moves when all its operands do by a step, each where it moves it most."""
    if formula is Formula.SUM:
        return sum(number.step for number in numbers)
    most = max(number.step for number in numbers)
    return sqrt(2) * most if formula in SPREADS else most


def _moved(formula: Formula, numbers: Sequence[Number], value: float) -> tuple[float, float]:
    """How far a value goes down and up when each operand is moved to both its ends: the effects of all added up."""
    down = up = 0.0
    operands = [number.value for number in numbers]
    for place, number in enumerate(numbers):
        # A large whole number that ends in zeros may be rounded to its last other digit; others are printed to be read.
        is_round = "." not in number.text and abs(number.value) >= ROUND
        step = number.informative_step if is_round else number.step
        for operands[place] in (number.value - _ROUNDED * step, number.value + _ROUNDED * step):
            away = _OF_OPERANDS[formula](*operands) - value
            down, up = down + max(0.0, -away), up + max(0.0, away)
        operands[place] = number.value
    return down, up
