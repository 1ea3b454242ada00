"""Proofs for clocks: what shows that numbers are the time since the start, and in which unit."""

import re

import numpy as np
from numpy.typing import NDArray

from ...io.message import Message
from ...naming.sense import TIME
from ..spoken_series import Numbers, SpokenSeries
from .epoch_proof import MOST_EPOCHS
from .step_proof import AS_STAMPS, AS_THE_CLOCK, LEAST, LEAST_SECONDS

CLOCK = "{name} is the time since the start: it rises with the steps"
IN_SECONDS = "{name} has no unit; seconds are assumed, since in milliseconds a step would take less than 1 ms"
_DRAWN = re.compile(r"\[[ =#>.\-]{4,}\]")
FEWEST = 2  # intervals, where the stamps of the lines show the same
FROM_START = 4.0  # times that the first steps may take as long as others
MOST_SLOWED = 10.0
MOST_EVIDENCE = 0.5
MOST_BACK = 0.1
LONG = 50.0  # seconds, so many that a whole one is little
MANY_EPOCHS = 10
FAR_FROM_FIRST = 5.0
NEAR_STAMPS = 0.1
PARTS = 10  # of a clock of whole seconds, whose single steps say little


def why_clock(series: SpokenSeries) -> list[Message] | None:
    """What shows that numbers are seconds since the start, and what is assumed; None of others."""
    within = _within(series)
    if within is None or _is_of_some_bar(series) or _is_of_several(series):
        return None
    if series.sense.factor not in (None, 1.0):
        return None
    why, by_stamps = [Message(CLOCK, name=series.sense.name)], _by_stamps(series, within)
    if by_stamps is None and (series.sense.factor is None or within.sum() < LEAST):
        is_assumed = within.sum() >= LEAST and _each(series, within) < 1
        return [*why, Message(IN_SECONDS, name=series.sense.name)] if is_assumed else None
    is_named = series.sense.factor is not None and within.sum() >= LEAST
    low, high = AS_STAMPS if is_named else (1 - AS_THE_CLOCK, 1 + AS_THE_CLOCK)
    return why if by_stamps is None or all(low <= ratio <= high for ratio in by_stamps) else None


def _is_of_some_bar(series: SpokenSeries) -> bool:
    """Whether its lines draw a bar, `[>>>   ] 4/9`, and do not say of what: an evaluation has one as well."""
    is_of_training = series.evidence >= MOST_EVIDENCE or any(form.is_of_training for form in series.slots)
    return not is_of_training and any(_DRAWN.search(form.text) for form in series.slots)


def _is_of_several(series: SpokenSeries) -> bool:
    """Whether steps often begin anew though the time goes on: each of several processes counts its own."""
    done, passed = np.diff(series.steps), np.diff(series.values)
    return bool(((done < 0) & (passed >= 0) & (np.diff(np.nan_to_num(series.of("epoch"))) == 0)).mean() > MOST_BACK)


def _within(series: SpokenSeries) -> NDArray[np.bool_] | None:
    """Between which lines numbers rise with the steps of one epoch; None where they do not throughout.

    A mean that only rises is none: the first number is no more than its steps take. Whole seconds may stay the same
    from one line to the next.
    """
    steps, epochs, values = series.steps, np.nan_to_num(series.of("epoch")), series.values
    if not (np.isfinite(steps).all() and np.isfinite(values).all()) or len(values) < LEAST:
        return None
    within = (np.diff(steps) > 0) & (np.diff(epochs) == 0)
    rising, done = np.diff(values)[within], np.diff(steps)[within]
    if within.sum() < FEWEST or rising.sum() < (LONG if _is_coarse(series) else LEAST_SECONDS):
        return None
    if (rising < 0).any() or (not _is_coarse(series) and (rising == 0).any()):
        return None
    each = _each(series, within)
    total = series.rows[0].total if epochs[0] else 0.0
    before = steps[0] + epochs[0] * (total if np.isfinite(total) else 0.0)
    is_since_start = values[0] <= FROM_START * each * max(before, done[0])
    is_even = rising.sum() < MOST_SLOWED * each * done.sum()
    return within if is_since_start and is_even else None


def _is_coarse(series: SpokenSeries) -> bool:
    """Whether numbers are whole."""
    return bool((series.values == np.round(series.values)).all())


def _each(series: SpokenSeries, within: NDArray[np.bool_]) -> float:
    """By how much numbers usually rise with each step."""
    rising, done = np.diff(series.values)[within], np.diff(series.steps)[within]
    length = max(1, len(rising) // PARTS) if _is_coarse(series) else 1
    begins = np.arange(0, len(rising), length)
    return float(np.median(np.add.reduceat(rising, begins) / np.add.reduceat(done, begins)))


def may_be_clock_of_epochs(series: SpokenSeries) -> bool:
    """Whether a time beside the numbers of epochs, and not called that of one, rises each time and far from the first.

    So does that of epochs each of which takes longer than the one before, but not from almost nothing.
    """
    is_time = series.sense.role == TIME and "of_epoch" not in series.sense.flags and series.kind == "epoch"
    if not is_time or series.evidence < MOST_EVIDENCE or len(series) < MANY_EPOCHS:
        return False
    is_far = (np.diff(series.values) > 0).all() and series.values[-1] > FAR_FROM_FIRST * series.values[0]
    return bool(is_far) and not _is_against_stamps(series)


def _is_against_stamps(series: SpokenSeries) -> bool:
    """Whether numbers do not rise as the stamps of their lines do, where these tell."""
    passed = np.diff(np.array([row.moment for row in series.rows]))
    known = passed > 0
    rising = np.diff(series.values)[known].sum() * (series.sense.factor or 1.0)
    return bool(known.any() and abs(rising / passed[known].sum() - 1) > NEAR_STAMPS)


def is_clock_of_epochs(series: SpokenSeries, epochs: Numbers) -> bool:
    """Whether numbers in a known unit are the time since the start, each told once one of ``epochs`` is done."""
    factor, values, done = series.sense.factor, series.values, np.diff(epochs)
    if factor is None or len(values) <= LEAST or not (done == 1).mean() >= MOST_EPOCHS or not epochs[0] <= 1:
        return False
    rising = np.diff(values)
    each = float(np.median(rising))
    is_since_start = values[0] <= FROM_START * each * max(epochs[0], 1.0)
    is_even = each > 0 and rising.min() > 0 and rising.max() < MOST_SLOWED * each
    return bool(is_even and is_since_start and factor * (values[-1] - values[0]) >= LEAST_SECONDS)


def _by_stamps(series: SpokenSeries, within: NDArray[np.bool_]) -> list[float] | None:
    """By how much numbers rise in each second that the stamps of their lines show, of few lines between every two.

    None without stamps that tell.
    """
    moments = np.diff(np.array([row.moment for row in series.rows]))[within]
    known = moments > 0
    rising, passed = np.diff(series.values)[within][known], moments[known]
    if known.sum() < FEWEST or passed.sum() < LEAST_SECONDS:
        return None
    return list(rising / passed) if known.sum() < LEAST else [float(rising.sum() / passed.sum())]
