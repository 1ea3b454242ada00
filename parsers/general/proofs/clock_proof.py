"""Proofs for clocks: what shows that numbers are the time since the start, and in which unit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...io.message import Message
from ...naming.sense import TIME
from ..spoken_series import Numbers, SpokenSeries
from .epoch_proof import MOST_EPOCHS, are_one_by_one
from .no_measure import last_digit
from .step_proof import AS_STAMPS, AS_THE_CLOCK, LEAST, LEAST_SECONDS

CLOCK = "{name} is the time since the start: it rises with the steps"
IN_SECONDS = "{name} has no unit; seconds are assumed, since in milliseconds a step would take less than 1 ms"
AS_A_RULE = "{name} has no unit; seconds are assumed, the usual unit of the time since the start"
ENDS = (
    "each line is that of the end of an epoch of {count} steps, and the time between two of them may hold an evaluation"
)
_DRAWN = re.compile(r"\[[ =#>.\-]{4,}\]")
_PROCESSORS = re.compile(r"(?i)(?<![a-z])(?:[cg]pu|core|process(?:or)?)s?(?![a-z])")
_ITS_NAME = re.compile(r"[|,;]")
_TAG = re.compile(r"(?i)[\[(](?:eval|evaluation|val|valid|validation|dev|test)[\])]\W*$")
FEWEST = 2  # intervals, where the stamps of the lines show the same
FROM_START = 4.0  # times that the first steps may take as long as others
MOST_SLOWED = 10.0
MOST_EVIDENCE = 0.5
MOST_BACK = 0.1
MOST_LOST = 0.02  # of the time that passes, by which that of one process is before that of another
LONG = 50.0  # seconds, so many that a whole one is little
MANY_EPOCHS = 10
FAR_FROM_FIRST = 5.0
NEAR_STAMPS = 0.1
UNITS = (1.0, 60.0, 3600.0)  # seconds
MANY = 20  # intervals in which no times of single steps rise throughout
MOST_BETWEEN, ROUND = 64, (10, 25, 64)  # steps after which lines are printed, and what such numbers divide by
PARTS = 10  # of a clock of whole seconds, whose single steps say little


@dataclass(frozen=True)
class _Rise:
    """The steps and seconds between every two lines, and between which (``within``) numbers rise with the steps.

    ``ends_epochs``: each line is the last of an epoch.
    """

    within: NDArray[np.bool_]
    steps: Numbers
    seconds: Numbers
    ends_epochs: bool = False


def why_clock(series: SpokenSeries) -> list[Message] | None:
    """What shows that numbers are the time since the start, and what is assumed; None of others."""
    rise = _rise(series)
    if rise is None or _is_of_some_bar(series) or _is_of_several(series) or _is_of_a_part(series):
        return None
    if series.sense.factor not in (None, *UNITS):
        return None
    why, by_stamps = [Message(CLOCK, name=series.sense.name)], _by_stamps(series, rise)
    why += [Message(ENDS, count=f"{series.steps[0]:.0f}")] if rise.ends_epochs else []
    count = rise.within.sum()
    if by_stamps is None and (series.sense.factor is None or count < LEAST):
        told = IN_SECONDS if _each(series, rise) < 1 else AS_A_RULE
        is_enough = count >= LEAST if told == IN_SECONDS else count >= MANY and not _is_coarse(series)
        return [*why, Message(told, name=series.sense.name)] if is_enough else None
    is_named = series.sense.factor is not None and count >= LEAST
    low, high = AS_STAMPS if is_named else (1 - AS_THE_CLOCK, 1 + AS_THE_CLOCK)
    return why if by_stamps is None or all(low <= ratio <= high for ratio in by_stamps) else None


def _is_of_some_bar(series: SpokenSeries) -> bool:
    """Whether its lines draw a bar, `[>>>   ] 4/9`, and do not say of what: an evaluation has one as well."""
    is_of_training = series.evidence >= MOST_EVIDENCE or any(form.is_of_training for form in series.slots)
    return not is_of_training and any(_DRAWN.search(form.text) for form in series.slots)


def _is_of_several(series: SpokenSeries) -> bool:
    """Whether each of several processes counts its own steps or tells its own time, or several loops take turns.

    Steps often begin anew though the time goes on, it falls at one step, or lines count up to several totals in turns.
    """
    done, passed, is_same = (
        np.diff(series.steps),
        np.diff(series.values),
        np.diff(np.nan_to_num(series.of("epoch"))) == 0,
    )
    falls = (done == 0) & (passed < 0) & is_same
    is_told_apart = falls.sum() >= LEAST and -passed[falls].sum() > MOST_LOST * passed[passed > 0].sum()
    return is_told_apart or bool(((done < 0) & (passed >= 0) & is_same).mean() > MOST_BACK) or _take_turns(series)


def _take_turns(series: SpokenSeries) -> bool:
    """Whether lines count up to a total again that is not that of the lines before, as two loops in each epoch do."""
    totals = np.array([row.length for row in series.rows])
    totals = totals[np.isfinite(totals)]
    return bool(np.count_nonzero(np.diff(totals)) >= len(set(totals.tolist())) > 1)


def _is_of_a_part(series: SpokenSeries) -> bool:
    """Whether the words before numbers say that processors or cards took so long, all of them together or one.

    Or whether a tag at the end of each line says that it is of an evaluation: `[eval]`.
    """
    is_of_processors = any(_PROCESSORS.search(_ITS_NAME.split(slot.before)[-1]) for slot in series.slots.values())
    return is_of_processors or all(_TAG.search(form.text) for form in series.slots)


def _seconds(series: SpokenSeries) -> Numbers:
    """Its numbers in seconds, which those without a unit are taken for."""
    return series.values * (series.sense.factor or 1.0)


def _rise(series: SpokenSeries) -> _Rise | None:
    """Between which lines numbers rise with the steps; None where they do not throughout.

    A mean that only rises is none: the first number is no more than its steps take. Whole seconds may stay the same
    from one line to the next, and so do tenths of a minute.
    """
    if not (np.isfinite(series.steps).all() and np.isfinite(series.values).all()) or len(series) < LEAST:
        return None
    return next((rise for rise in _rises(series) if _goes_on(rise, series)), None)


def _rises(series: SpokenSeries) -> Iterator[_Rise]:
    """What numbers may rise with: the steps of each epoch, those that go on over epochs, or whole epochs."""
    seconds, steps, epochs = _seconds(series), series.steps, np.nan_to_num(series.of("epoch"))
    passed, done = np.diff(seconds), np.diff(steps)
    yield _Rise((done > 0) & (np.diff(epochs) == 0), done, passed)
    if ((done > 0) | (passed < 0)).all():
        yield _Rise(done > 0, done, passed)
    if are_one_by_one(epochs) and _end_epochs(series) and _is_far_from_first(series):
        yield _Rise(np.diff(epochs) > 0, steps[1:] * np.diff(epochs), passed, ends_epochs=True)


def _end_epochs(series: SpokenSeries) -> bool:
    """Whether all lines are at one step, the last of an epoch: of so many, or no number at which lines are printed.

    A program that prints a line for every hundred steps of an epoch of 150 has all of them at step 100, or at 99.
    """
    count, total = series.steps[0], series.rows[0].total
    if (series.steps != count).any():
        return False
    if np.isfinite(total):
        return bool(total - count in (0, 1))
    return bool(count > MOST_BETWEEN and all(number % each for number in (count, count + 1) for each in ROUND))


def _goes_on(rise: _Rise, series: SpokenSeries) -> bool:
    rising, done = rise.seconds[rise.within], rise.steps[rise.within]
    if rise.within.sum() < FEWEST or rising.sum() < (LONG * _tick(series) if _is_coarse(series) else LEAST_SECONDS):
        return False
    if (rising < 0).any() or (not _is_coarse(series) and (rising == 0).any()):
        return False
    each, epoch, total = _each(series, rise), np.nan_to_num(series.rows[0].of("epoch")), series.rows[0].total
    before = series.steps[0] + (epoch * total if epoch and np.isfinite(total) else 0.0)
    is_since_start = _seconds(series)[0] <= FROM_START * each * max(before, done[0]) or _is_far_from_first(series)
    return bool(is_since_start and rising.sum() < MOST_SLOWED * each * done.sum())


def _tick(series: SpokenSeries) -> float:
    """How many seconds the last digit is that the numbers print, at least one."""
    return max(last_digit(series) * (series.sense.factor or 1.0), 1.0)


def _is_coarse(series: SpokenSeries) -> bool:
    """Whether numbers are whole seconds, or tell even less."""
    return _tick(series) > 1 or bool((_seconds(series) == np.round(_seconds(series))).all())


def _each(series: SpokenSeries, rise: _Rise) -> float:
    """By how many seconds numbers usually rise with each step."""
    rising, done = rise.seconds[rise.within], rise.steps[rise.within]
    length = max(1, len(rising) // PARTS) if _is_coarse(series) else 1
    begins = np.arange(0, len(rising), length)
    return float(np.median(np.add.reduceat(rising, begins) / np.add.reduceat(done, begins)))


def may_be_clock_of_epochs(series: SpokenSeries) -> bool:
    """Whether a time beside the numbers of epochs, and not called that of one, rises each time and far from the first.

    So does that of epochs each of which takes longer than the one before, but not from almost nothing.
    """
    is_time = series.sense.role == TIME and "of_epoch" not in series.sense.flags and series.kind == "epoch"
    if not is_time or series.evidence < MOST_EVIDENCE:
        return False
    return _is_far_from_first(series) and not _is_against_stamps(series)


def _is_far_from_first(series: SpokenSeries) -> bool:
    """Whether numbers rise from line to line, and those of many epochs far from the first."""
    rising = np.diff(series.values)
    is_rising = (rising >= 0).all() if series.is_of_steps and _is_coarse(series) else (rising > 0).all()
    is_far = is_rising and series.values[-1] > FAR_FROM_FIRST * series.values[0]
    return len(series) >= MANY_EPOCHS and bool(is_far)


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


def _by_stamps(series: SpokenSeries, rise: _Rise) -> list[float] | None:
    """By how many seconds numbers rise in each that the stamps of their lines show, of few lines between every two.

    None without stamps that tell.
    """
    moments = np.diff(np.array([row.moment for row in series.rows]))[rise.within]
    known = moments > 0
    rising, passed = rise.seconds[rise.within][known], moments[known]
    if known.sum() < FEWEST or passed.sum() < LEAST_SECONDS:
        return None
    return list(rising / passed) if known.sum() < LEAST else [float(rising.sum() / passed.sum())]
