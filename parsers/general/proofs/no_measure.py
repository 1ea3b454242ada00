"""What no measurements look like: constants, totals, numbers that are printed twice or rounded away, lines unlike."""

import re
from itertools import islice

import numpy as np

from ...naming.sense import RATE, STEP_RATE
from ..spoken_series import AGREE, FAR, FEW, LEAST, Numbers, SpokenSeries, rises

TWICE = "each of its values appears on several lines"
FORMS_DIFFER = "its lines have several forms whose values differ"
CONSTANT = "it never changes"
A_TOTAL = "it only rises: a total"
ROUNDED = "too few digits are printed for such small values"
MOST_ROUNDED = 0.1  # of a number, half of the last digit that is printed
FEWEST_ROUNDED, MOST_ALIKE, LEAST_DIGITS = 30, 0.85, 4
MANY = 20
MOST_RISING = 5  # times of epochs of which each is longer than the one before
FORMS_APART = 1.5


def no_measure(series: SpokenSeries) -> str | None:
    """Why a series cannot be measurements; None if it can."""
    values = series.values[series.usable]
    if is_coarse(series) and not _rounding_averages_out(series):
        return ROUNDED
    if len(values) >= LEAST and len(set(values.tolist())) == 1 and not rises(series.steps):
        return CONSTANT
    if _is_repeated(series):
        return TWICE
    return FORMS_DIFFER if _has_unlike_forms(series) else _a_total(series)


def is_coarse(series: SpokenSeries) -> bool:
    """Whether half of the last digit is a large part of a usual number."""
    values = series.values[series.usable]
    return len(values) > 0 and last_digit(series) / 2 > MOST_ROUNDED * float(np.median(values))


def _rounding_averages_out(series: SpokenSeries) -> bool:
    """Whether the mean of rounded numbers is known better than each: they are many, and spread over several digits.

    The mean of normal numbers with a standard deviation of 0.35 of the last digit is off by 0.03 of that digit (W. F.
    Sheppard, 1898), and one in seven is rounded to another number than most. Whatever they are like, half of a digit is
    an eighth of what is at least four.
    """
    values = series.values
    if len(values) < FEWEST_ROUNDED or not series.usable.all():
        return False
    _, counts = np.unique(values, return_counts=True)
    is_spread = len(counts) > 2 and counts.max() <= MOST_ALIKE * len(values)
    return bool(is_spread and np.median(values) >= LEAST_DIGITS * last_digit(series))


def _a_total(series: SpokenSeries) -> str | None:
    """Why numbers may be a total: they only rise."""
    if _rises_in_each_pass(series):
        return A_TOTAL
    values = series.values[series.usable]
    rising = np.diff(values)
    if series.kind == "epoch" and len(values) >= LEAST and (rising > 0).all():
        return A_TOTAL if values[-1] > 2 * values[0] or len(values) >= MOST_RISING else None
    if len(values) > LEAST and (rising >= 0).all() and values[-1] > 2 * values[0]:
        is_uneven = len(values) < MANY and np.std(rising) > 0.5 * np.mean(rising)
        return None if is_uneven else A_TOTAL
    return None


def _rises_in_each_pass(series: SpokenSeries) -> bool:
    """Whether numbers begin anew with the steps, and rise with them each time: a total of one pass after another.

    Where nothing counts, a pass begins where they fall.
    """
    counts = series.steps if np.isfinite(series.steps).any() else series.values
    passes = np.split(series.values, np.flatnonzero(~(np.diff(counts) > 0)) + 1)
    long = [values[values > 0] for values in passes if len(values) > LEAST]
    return len(long) > 1 and all(
        len(values) > LEAST and (np.diff(values) >= 0).all() and values[-1] > 2 * values[0] for values in long
    )


def _is_repeated(series: SpokenSeries) -> bool:
    """Whether most lines repeat the number of the line before, for its step; a bar is drawn again for its loss."""
    steps, epochs, values = np.nan_to_num(series.steps), np.nan_to_num(series.of("epoch")), series.values
    again = (values[1:] == values[:-1]) & (steps[1:] == steps[:-1]) & (epochs[1:] == epochs[:-1])
    is_counted = np.isfinite(series.steps).any() or np.isfinite(series.of("epoch")).any()
    is_drawn = series.rows[0].form.is_bar
    return bool(is_counted and not is_drawn and again.sum() >= max(1, 0.4 * len(series)))


def _has_unlike_forms(series: SpokenSeries) -> bool:
    """Whether lines with other names beside the number have other numbers, which lie apart and not by chance."""
    of_names: dict[tuple[str, ...], list[float]] = {}
    begin = 1 if _starts_slowly(series) else 0
    numbered = zip(series.rows, series.values.tolist(), series.usable.tolist(), strict=True)
    for row, value, is_usable in islice(numbered, begin, None):
        if is_usable:
            of_names.setdefault(row.form.names, []).append(value)
    large = [values for values in of_names.values() if len(values) >= max(1, FEW * len(series))]
    ranges = [np.quantile(values, (0.25, 0.5, 0.75)) for values in large]
    fewest = min(map(len, large), default=0)
    return any(_lie_apart(one, other, fewest) for number, one in enumerate(ranges) for other in ranges[:number])


def _starts_slowly(series: SpokenSeries) -> bool:
    """Whether the first line is of a form of its own, because what it says is slower than in all others: a warm-up."""
    names, values = [row.form.names for row in series.rows], series.values[series.usable]
    is_alone = names.count(names[0]) == 1 and len(values) > LEAST
    slowest = np.argmin(values) if series.sense.role in (RATE, STEP_RATE) else np.argmax(values)
    return bool(is_alone and series.usable[0] and slowest == 0)


def _lie_apart(one: Numbers, other: Numbers, fewest: int) -> bool:
    """Whether two ranges differ by much, the more the fewer numbers they are of, or do not meet."""
    low, high = (one, other) if one[1] < other[1] else (other, one)
    apart = FORMS_APART if fewest > 1 else FAR
    return bool(
        high[1] / low[1] > apart
        or (fewest >= LEAST and high[1] / low[1] > 1 + AGREE and high[0] > low[2] and low[0] < low[2])
    )


def last_digit(series: SpokenSeries) -> float:
    """What the last printed digit of the numbers counts, of the number with most digits behind the point."""
    found = [(row.numbers, series.slots[row.form]) for row in series.rows]
    places = [(numbers, slot.place + max(slot.clock - 1, 0), slot.scale) for numbers, slot in found]
    printed = [(numbers[place], scale) for numbers, place, scale in places if place < len(numbers)]
    return min((scale * _of_last_digit(number) for number, scale in printed), default=0.0)


def _of_last_digit(number: str) -> float:
    """What the last digit of a number counts: 0.01 of 2.50, 1 of 12; nothing of one with an exponent."""
    if not re.fullmatch(r"[-+]?[\d,]*\.?\d*", number):
        return 0.0
    return 10.0 ** -len(number.partition(".")[2])
