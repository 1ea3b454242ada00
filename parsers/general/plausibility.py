"""What no measure looks like: a constant, a total, a number that is printed twice, lines that say different things."""

import numpy as np

from .spoken_series import AGREE, FEW, Numbers, SpokenSeries, rises

TWICE = "each of its numbers stands in several lines"
FORMS_DIFFER = "its lines are of several forms, which say different things"
CONSTANT = "it is always the same number"
A_TOTAL = "it only rises: a total"
LEAST = 3
MANY = 20
FORMS_APART = 1.5
FAR = 2.5  # a level that differs by more than this is of something else


def no_measure(series: SpokenSeries) -> str | None:
    """Why the numbers of a series are no measurements; None where they may be."""
    values = series.values[series.usable]
    if len(values) >= LEAST and len(set(values.tolist())) == 1 and not rises(series.steps):
        return CONSTANT
    if _is_repeated(series):
        return TWICE
    if _has_unlike_forms(series):
        return FORMS_DIFFER
    rising = np.diff(values)
    if len(values) > LEAST and (rising >= 0).all() and values[-1] > 2 * values[0]:
        is_uneven = len(values) < MANY and np.std(rising) > 0.5 * np.mean(rising)
        return None if is_uneven else A_TOTAL
    return None


def _is_repeated(series: SpokenSeries) -> bool:
    """Whether most lines repeat the number of the line before them, for the same step."""
    steps, epochs, values = np.nan_to_num(series.steps), np.nan_to_num(series.of("epoch")), series.values
    again = (values[1:] == values[:-1]) & (steps[1:] == steps[:-1]) & (epochs[1:] == epochs[:-1])
    is_counted = np.isfinite(series.steps).any() or np.isfinite(series.of("epoch")).any()
    return bool(is_counted and again.sum() >= max(1, 0.4 * len(series)))


def _has_unlike_forms(series: SpokenSeries) -> bool:
    """Whether lines with other names beside the number have other numbers, which lie apart and not by chance."""
    of_names: dict[tuple[str, ...], list[float]] = {}
    for row, value, is_usable in zip(series.rows, series.values.tolist(), series.usable.tolist(), strict=True):
        if is_usable:
            of_names.setdefault(row.form.names, []).append(value)
    large = [values for values in of_names.values() if len(values) >= max(1, FEW * len(series))]
    ranges = [np.quantile(values, (0.25, 0.5, 0.75)) for values in large]
    fewest = min(map(len, large), default=0)
    return any(_lie_apart(one, other, fewest) for number, one in enumerate(ranges) for other in ranges[:number])


def _lie_apart(one: Numbers, other: Numbers, fewest: int) -> bool:
    """Whether two ranges differ by much, the more the fewer numbers they are of, or do not meet."""
    low, high = (one, other) if one[1] < other[1] else (other, one)
    apart = FORMS_APART if fewest > 1 else FAR
    return bool(
        high[1] / low[1] > apart
        or (fewest >= LEAST and high[1] / low[1] > 1 + AGREE and high[0] > low[2] and low[0] < low[2])
    )
