"""Spread: how far repeated runs are apart, and how sure one number of them is."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .protocol import NoMeasurement
from .statistic import reduce_repeats

Values = NDArray[np.float64]

RESAMPLES = 10_000
LEVEL = 0.95
SEED = 1

# By the quantities of a column: the end of the interval as a fraction of the sorted resamples, or what is taken.
INTERVAL = {"interval_low": (1 - LEVEL) / 2, "interval_high": (1 + LEVEL) / 2}
_EXTREMES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "median_of_runs": lambda values: reduce_repeats(values, "median"),
    "lowest_run": min,
    "highest_run": max,
}
SPREADS = (*_EXTREMES, *INTERVAL)


def spread(quantity: str, values: Sequence[float], repeats: str) -> float:
    """Return one of ``SPREADS`` of the values of all runs, in their unit.

    ``repeats``: any ``Protocol.repeats``, the number of which the interval is. Raises ``NoMeasurement`` for fewer
    than two runs, and where these are too few for ``repeats``.
    """
    if len(values) < 2:
        raise NoMeasurement("A spread is of at least two runs, but there is one: add runs.")
    if quantity in INTERVAL:
        return float(np.quantile(resampled(values, repeats), INTERVAL[quantity]))
    return float(_EXTREMES[quantity](values))


def resampled(values: Sequence[float], repeats: str) -> Values:
    """Return the number of each of ``RESAMPLES`` draws, with replacement, of as many runs as there are.

    The draws are the same every time, so that a page comes out with the same bytes. Raises ``NoMeasurement``.
    """
    reduce_repeats(values, repeats)
    # RandomState, whose draws NumPy promises never to change; those of its newer generators may.
    drawn = np.random.RandomState(SEED).randint(len(values), size=(RESAMPLES, len(values)))
    return _reduced(np.sort(np.asarray(values, dtype=np.float64)[drawn], axis=1), repeats)


def _reduced(draws: Values, repeats: str) -> Values:
    if repeats == "median":
        return np.asarray(np.median(draws, axis=1))
    return np.asarray((draws[:, 1:-1] if repeats == "olympic" else draws).mean(axis=1))
