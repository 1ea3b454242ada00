"""Statistics: one value from the values of a run, and one from the values of its repeats.

Means are exact: the sum is rounded once, at its end. A float sum rounds at each step and depends on the order of the
values and on how a library splits them, and one wrong last bit decides whether a published half is rounded up.
"""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from .diagnostics import NoMeasurement

Values = NDArray[np.float64]

# Python's numbers of so many values are made at a time: they take four times the memory of an array.
BLOCK = 1 << 16
# Fewer values are added one by one in less time than by halves.
FEW = 1 << 10
ROUNDING = 2.0**-53
CUTS_ALL = (
    "trim removes {cut} values from each end, but the window has only {count}: lower trim or trim_min, or use a "
    "longer window."
)
TOO_LARGE = "The sum of {count} values of up to {largest} overflows."
FEW_RUNS = (
    "repeats=olympic drops the best and the worst of at least 3 runs; found {count}: add runs, or use repeats=median "
    "or repeats=mean."
)
ONLY_RUN = (
    "repeats=olympic drops the best and the worst of at least 3 runs; found one: add runs, or use repeats=median or"
    " repeats=mean."
)


def trim(values: Values, fraction: float, minimum: int) -> NDArray[np.bool_]:
    """Return which values stay (bool, in the order of ``values``) when both ends of the sorted values are cut.

    Each end loses ``max(int(fraction * n), minimum)`` of the n values: ``int`` truncates, as the benchmark tool does
    that ``protocols.toml`` names. Among equal values the earlier ones count as smaller. Raises ``NoMeasurement`` when
    nothing would stay.
    """
    cut = max(int(fraction * len(values)), minimum)
    if 2 * cut >= len(values):
        raise NoMeasurement(CUTS_ALL, cut=cut, count=len(values))
    kept = np.zeros(len(values), dtype=np.bool_)
    kept[np.argsort(values, kind="stable")[cut : len(values) - cut]] = True
    return kept


def mean(values: Values) -> float:
    """Return the arithmetic mean, of a sum that is rounded only once. ``NoMeasurement`` where it is too large."""
    try:
        return exact_sum(values) / len(values)
    except OverflowError as error:
        raise NoMeasurement(TOO_LARGE, count=len(values), largest=f"{values.max():g}") from error


def exact_sum(values: Values) -> float:
    """Return the sum, rounded only once; raises OverflowError where it is too large.

    Halves are added to halves until one number is left, and what rounding took from each of these sums is known exactly
    (Knuth's TwoSum). The errors are added in the same way, but roughly: how far that may be off is known, too. Where
    the sum would be rounded to another number for it, Python's exact sum, which is slower, decides.
    """
    if len(values) < FEW:
        return math.fsum(values.tolist())
    parts, doubt = list[float](), 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for block in _blocks(values):
            some, in_doubt = _halved(block)
            parts, doubt = parts + some, doubt + in_doubt
    if math.isfinite(doubt) and (low := math.fsum([*parts, -doubt])) == math.fsum([*parts, doubt]):
        return low
    return math.fsum(chain.from_iterable(block.tolist() for block in _blocks(values)))


def _blocks(values: Values) -> Iterator[Values]:
    return (values[start : start + BLOCK] for start in range(0, len(values), BLOCK))


def _halved(values: Values) -> tuple[list[float], float]:
    """Some numbers that add up to the sum of all values but for so much."""
    size = float(np.abs(values).sum())
    parts, count = [], len(values)
    while len(values) > 1:
        half = len(values) // 2
        one, other = values[:half], values[half : 2 * half]
        parts += values[2 * half :].tolist()
        values = one + other
        added = values - one
        parts.append(float(((one - (values - added)) + (other - added)).sum()))
    # Each error is at most a rounding of its sum, and their own sum is rounded at most ``count`` times on each level.
    return [*parts, *values.tolist()], 2 * count * math.log2(count) * ROUNDING**2 * size


def harmonic_mean(values: Values) -> float:
    """Return the harmonic mean: the throughput of windows that are equally long in samples. 0 if any value is 0."""
    with np.errstate(divide="ignore"):
        return 1 / mean(1 / values)


def geometric_mean(values: Values) -> float:
    """Return the geometric mean, of a sum of logarithms that is rounded only once. 0 if any value is 0."""
    if not values.all():
        return 0.0
    with np.errstate(invalid="ignore"):
        return math.exp(mean(np.log(values)))


# The values below which so many per cent of all lie.
PERCENTILES: Mapping[str, int] = {f"p{per_cent}": per_cent for per_cent in (1, 5, 10, 25, 75, 90, 95, 99)}


def percentile(values: Values, per_cent: float) -> float:
    """Return a percentile: between two values of the sorted ones in proportion, as numpy and spreadsheets do."""
    return float(np.percentile(values, per_cent))


def _percentile(per_cent: float) -> Callable[[Values], float]:
    return lambda values: percentile(values, per_cent)


def median(values: Values) -> float:
    """Return the median; of an even number of values the mean of the two in the middle."""
    half, below, middle = len(values) // 2, 0, values
    if len(values) > BLOCK:
        below, middle = _amid(values)
        if not below < half < below + len(middle):
            below, middle = 0, values
    half -= below
    middle = np.partition(middle, [half - 1, half] if half else [0])
    # As Python adds them: too large a sum is infinite, without a warning.
    return float(middle[half]) if len(values) % 2 else (float(middle[half - 1]) + float(middle[half])) / 2


def _amid(values: Values) -> tuple[int, Values]:
    """The values near the middle of some of many, and how many of all are below them."""
    some = np.sort(values[:: len(values) // FEW])
    low, high = some[len(some) * 9 // 20], some[len(some) * 11 // 20]
    below = sum(int(np.count_nonzero(block < low)) for block in _blocks(values))
    return below, np.concatenate([block[(block >= low) & (block <= high)] for block in _blocks(values)])


_STATISTICS: Mapping[str, Callable[[Values], float]] = {
    "mean": mean,
    "median": median,
    "harmonic_mean": harmonic_mean,
    "geometric_mean": geometric_mean,
    **{name: _percentile(per_cent) for name, per_cent in PERCENTILES.items()},
    "last": lambda values: float(values[-1]),
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
}


def reduce(values: Values, statistic: str) -> float:
    """Return one value (the unit is that of ``values``) of at least one value of a run; any ``Protocol.statistic``."""
    return _STATISTICS[statistic](values)


def olympic(values: Sequence[float]) -> float:
    """Return the mean without the best and the worst value; raises ``NoMeasurement`` for fewer than 3 values."""
    if len(values) < 3:
        raise NoMeasurement(ONLY_RUN) if len(values) == 1 else NoMeasurement(FEW_RUNS, count=len(values))
    return statistics.fmean(sorted(values)[1:-1])


_REPEATS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "olympic": olympic,
    "max": max,
}


def reduce_repeats(values: Sequence[float], repeats: str) -> float:
    """Return one value of the values of at least one run; ``repeats`` is any ``Protocol.repeats``."""
    return _REPEATS[repeats](values)


Draws = NDArray[np.float64]

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 1


def resampled(values: Sequence[float], repeats: str) -> Draws:
    """Return the number of each of ``RESAMPLES`` draws, with replacement, of as many runs as there are.

    The draws are the same every time, so that a page comes out with the same bytes. Raises ``NoMeasurement``.
    """
    reduce_repeats(values, repeats)
    # RandomState, whose draws NumPy promises never to change; those of its newer generators may.
    drawn = np.random.RandomState(SEED).randint(len(values), size=(RESAMPLES, len(values)))
    return _reduced(np.sort(np.asarray(values, dtype=np.float64)[drawn], axis=1), repeats)


def _reduced(draws: Draws, repeats: str) -> Draws:
    if repeats == "median":
        return np.asarray(np.median(draws, axis=1))
    if repeats == "max":
        return np.asarray(draws[:, -1])
    return np.asarray((draws[:, 1:-1] if repeats == "olympic" else draws).mean(axis=1))
