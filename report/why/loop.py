"""Loops: how awk takes a statistic of numbers that come one by one, and the same sums in Python."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan

Sum = Callable[[Sequence[float]], float]

# The middle one of sorted numbers, or the mean of the middle two.
_MIDDLE = "(v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2"
_CAREFUL = "x = {0} + 0; t = sum + x; lost += sum > x ? sum - t + x : x - t + sum; sum = t; n++"


@dataclass(frozen=True)
class Loop:
    """A statistic in awk: what is done with each number ``{0}``, at the end, and the expression of the result.

    ``of``: the same arithmetic in Python, rounding for rounding. ``is_sorted``: whether the numbers come sorted.
    """

    each: str
    result: str
    of: Sum
    last: str = ""
    is_sorted: bool = False


def plain_sum(values: Sequence[float]) -> float:
    """Return the sum as awk adds numbers: each addition is rounded."""
    total = 0.0
    for value in values:
        total += value
    return total


def careful_sum(values: Sequence[float]) -> float:
    """Return the sum with what each addition rounded away added at the end, for numbers that are not negative."""
    total = lost = 0.0
    for value in values:
        raised = total + value
        lost += total - raised + value if total > value else value - raised + total
        total = raised
    return total + lost


def _mean(total: Sum) -> Sum:
    return lambda values: total(values) / len(values)


def _harmonic(total: Sum) -> Sum:
    """awk stops where it divides by 0, which here is no number."""
    return lambda values: 1 / (total([1 / value for value in values]) / len(values)) if all(values) else nan


def _middle(values: Sequence[float]) -> float:
    ordered, count = sorted(values), len(values)
    return (ordered[(count + 1) // 2 - 1] + ordered[count // 2]) / 2


def _olympic(values: Sequence[float]) -> float:
    return plain_sum(sorted(values)[1:-1]) / (len(values) - 2)


# Of several the first that gives the printed digits is taken: the plain sum is the one that people read at a glance.
STATISTICS: Mapping[str, Sequence[Loop]] = {
    "mean": (
        Loop("sum += {0}; n++", "sum / n", _mean(plain_sum)),
        Loop(_CAREFUL, "(sum + lost) / n", _mean(careful_sum)),
    ),
    "harmonic_mean": (
        Loop("sum += 1 / ({0}); n++", "1 / (sum / n)", _harmonic(plain_sum)),
        Loop(_CAREFUL.replace("{0}", "1 / ({0})"), "1 / ((sum + lost) / n)", _harmonic(careful_sum)),
    ),
    "last": (Loop("x = {0}", "x", lambda values: values[-1]),),
    "min": (Loop("x = {0} + 0; if (!n++ || x < low) low = x", "low", min),),
    "max": (Loop("x = {0} + 0; if (!n++ || x > high) high = x", "high", max),),
    "median": (Loop("v[NR] = {0}", _MIDDLE, _middle, is_sorted=True),),
}
REPEATS: Mapping[str, Sequence[Loop]] = {
    "mean": STATISTICS["mean"],
    "median": STATISTICS["median"],
    "olympic": (
        Loop("v[NR] = {0}", "sum / (NR - 2)", _olympic, "for (i = 2; i < NR; i++) sum += v[i]", is_sorted=True),
    ),
}
