"""Statistics: one value from the values of a run, and one from the values of its repeats.

Means are exact: the sum is rounded once, at its end. A float sum rounds at each step and depends on the order of the
values, and one wrong last bit decides whether a published half is rounded up.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from parsers.io.errors import extra
from parsers.series import Floats, Mask

from .diagnostics import Code, NoMeasurement, say


def trim(values: Floats, fraction: float, minimum: int) -> Mask:
    """Return which values stay (bool, in the order of ``values``) when both ends of the sorted values are cut.

    Each end loses ``max(int(fraction * n), minimum)`` of the n values: ``int`` truncates, as the benchmark tool does
    that ``protocols.toml`` names. Among equal values the earlier ones count as smaller. Raises ``NoMeasurement`` when
    nothing would stay.
    """
    cut = max(int(fraction * len(values)), minimum)
    if 2 * cut >= len(values):
        raise NoMeasurement(say(Code.NO_WINDOW, protocol=f"trim={fraction} trim_min={minimum}", count=len(values)))
    kept = np.zeros(len(values), dtype=np.bool_)
    kept[np.argsort(values, kind="stable")[cut : len(values) - cut]] = True
    return kept


def mean(values: Floats) -> float:
    """Return the arithmetic mean, of a sum that is rounded only once; infinite where that is too large."""
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.inf


def harmonic_mean(values: Floats) -> float:
    """Return the harmonic mean: the throughput of windows that are equally long in samples. 0 if any value is 0."""
    with np.errstate(divide="ignore"):
        return 1 / mean(1 / values)


STATISTICS: Mapping[str, Callable[[Floats], float]] = {
    "mean": mean,
    "median": lambda values: float(np.median(values)),
    "harmonic_mean": harmonic_mean,
    "last": lambda values: float(values[-1]),
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
}


def reduce(values: Floats, statistic: str) -> float:
    """Return one value (the unit is that of ``values``) of at least one value of a run; any ``Protocol.statistic``."""
    return STATISTICS[statistic](values)


def olympic(values: Sequence[float]) -> float:
    """Return the mean without the best and the worst value; raises ``NoMeasurement`` for fewer than 3 values."""
    if len(values) < 3:
        raise NoMeasurement(say(Code.FEW_REPEATS, rule="repeats=olympic", least=3, count=len(values)))
    return statistics.fmean(sorted(values)[1:-1])


REPEATS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "olympic": olympic,
    "max": max,
}


def reduce_repeats(values: Sequence[float], repeats: str) -> float:
    """Return one value of the values of at least one run; ``repeats`` is any ``Protocol.repeats``."""
    return REPEATS[repeats](values)


def students_t(needed_by: str = "Comparisons need") -> Callable[[float, float], float]:
    """The quantile of Student's t by degrees of freedom and probability; raises ExtraError without SciPy.

    ``needed_by``: the beginning of that sentence, a key of the catalogues.
    """
    with extra("compare", needed_by):
        from scipy.special import stdtrit  # noqa: PLC0415 - it comes with the extra
    return lambda degrees, probability: float(stdtrit(degrees, probability))
