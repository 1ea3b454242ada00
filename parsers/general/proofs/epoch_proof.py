"""Proofs for epochs: what shows that a number is the time that one took."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...io.message import Message
from ...naming.sense import ELAPSED, TIME
from ..gathered import Gathered, Spoken
from ..spoken_series import Numbers, SpokenSeries
from .step_proof import AGAINST_STAMPS, LEAST, LEAST_SECONDS

OF_EPOCH = "{name} is the time of one epoch: there is a line for each epoch"
NOT_OF_AN_EPOCH = "its lines do not number the epochs one by one, so what it times is unclear"
MEAN_BESIDE_EPOCH = "it is a mean, either over epochs or within one; which is unclear"
NO_UNIT_OF_EPOCH = "the log does not show its unit; timestamps would, or your own grammar (--format)"
OF_WHOLE_EPOCH = (
    "{name} is the time of a whole epoch including any evaluation: the epochs are numbered to the last, and "
    "the timestamps of their lines are as far apart"
)
OF_EPOCH_BY_STAMPS = (0.3, 1.05)  # an epoch takes no longer than the time between its line and the last one
AS_LONG = (0.9, 1.05)
MOST_EPOCHS = 0.9
MOST_PROCESSES = 4096
AT_ONCE = 0.1  # of an epoch, within which all processes end it
FALLING = 0.25  # part of the times of epochs that are no longer than the one before


def as_times_of_epochs(series: SpokenSeries) -> SpokenSeries:
    """The same; as times of epochs, where they are called a total time, but do not rise as one since the start does."""
    is_total = series.sense.role == ELAPSED and series.kind == "epoch" and len(series) >= LEAST
    if not is_total or (np.diff(series.values) <= 0).mean() < FALLING:
        return series
    return replace(series, sense=replace(series.sense, role=TIME))


def epochs_before(series: SpokenSeries, gathered: Gathered) -> Numbers:
    """The epoch of each line, or of the last line of training before each where they count nothing; NaN without.

    A line of training tells a loss, or numbers a step as well where some line says that it is of training.
    """
    if series.kind != "summary":
        return series.of("epoch") if series.kind == "epoch" else np.full(len(series), np.nan)
    rows = [row for row in gathered.spoken if not (row.form.is_of_other or row.form.is_bar)]
    is_said = any(row.form.is_of_training for row in rows)
    told = [row for row in rows if row.form.has_any_loss or (is_said and row.form.first("step"))]
    epochs = np.array([np.nan, *(row.of("epoch") for row in told)])
    return epochs[np.searchsorted([row.line for row in told], [row.line for row in series.rows])]


def factor_of_epoch(series: SpokenSeries) -> float | str:
    """How many seconds the unit of numbers is that are the times of an epoch each, or why they are not known to be.

    Their lines number epochs one by one, or say so, and stamps do not contradict them.
    """
    ratio, factor = _by_stamps_of_epochs(series), series.sense.factor
    epochs = series.of("epoch")
    is_each = len(series) >= LEAST and are_one_by_one(_of_one_process(series))
    is_said = "of_epoch" in series.sense.flags and not np.isfinite(epochs).any()
    if not (is_each or is_said):
        return NOT_OF_AN_EPOCH
    if ratio is None:
        is_of_parts = "mean" in series.sense.flags and "of_epoch" not in series.sense.flags
        return MEAN_BESIDE_EPOCH if is_of_parts else factor or NO_UNIT_OF_EPOCH
    low, high = OF_EPOCH_BY_STAMPS
    units = (factor,) if factor else (1.0, 1e-3)
    return next((unit for unit in units if low <= ratio * unit <= high), AGAINST_STAMPS)


def _of_one_process(series: SpokenSeries) -> Numbers:
    """The numbers of the epochs, one for each where several processes tell of it."""
    return replace(series, rows=ends_of_epochs(series)).of("epoch")


def ends_of_epochs(series: SpokenSeries) -> Sequence[Spoken]:
    """The lines that tell of epochs, the first of each where several processes tell of it."""
    if lines_of_an_epoch(series) == 1:
        return series.rows
    return [series.rows[place] for place in _begins(series.of("epoch"))]


def lines_of_an_epoch(series: SpokenSeries) -> int:
    """How many lines tell of each epoch as a rule: several where each is of a process, and all end it at once."""
    runs = np.split(np.arange(len(series)), _begins(series.of("epoch"))[1:])
    count = round(float(np.median([len(run) for run in runs])))
    if len(runs) < LEAST or not 1 < count <= MOST_PROCESSES:
        return 1
    moments = np.array([row.moment for row in series.rows])
    took = series.values * (series.sense.factor or 1.0)
    are_of_all = [len(run) == count and np.ptp(moments[run]) <= AT_ONCE * took[run].min() for run in runs]
    return count if np.mean(are_of_all) >= MOST_EPOCHS else 1


def _begins(epochs: Numbers) -> NDArray[np.int64]:
    """The first of the lines of each epoch."""
    return np.append(0, np.flatnonzero(np.diff(epochs) != 0) + 1)


def why_whole_epoch(series: SpokenSeries) -> Message | None:
    """What shows that a time is that of a whole epoch, of which its lines tell nothing but results of an evaluation.

    A program that only evaluates one checkpoint after the other does not say how many epochs it trains for.
    """
    slots = {form: form.first("epoch") for form in series.slots}
    epochs, ratio = series.of("epoch"), _by_stamps_of_epochs(series)
    if not all(slot and slot.total is not None for slot in slots.values()) or ratio is None:
        return None
    is_as_long = AS_LONG[0] <= ratio * (series.sense.factor or 1.0) <= AS_LONG[1]
    is_from_first = epochs[0] <= 1 and are_one_by_one(epochs)
    return Message(OF_WHOLE_EPOCH, name=series.sense.name) if is_as_long and is_from_first else None


def are_one_by_one(epochs: Numbers) -> bool:
    """Whether epochs are numbered one by one; each time from the first where they begin anew."""
    done = np.diff(epochs)
    return (done == 1).sum() >= LEAST - 1 and bool(((done == 1) | _begin_anew(epochs)).mean() >= MOST_EPOCHS)


def rise_or_begin_anew(epochs: Numbers) -> bool:
    """Whether the numbers of epochs rise, as those of every tenth do, or begin anew from the first."""
    done = np.diff(epochs)
    return (done > 0).sum() >= LEAST - 1 and bool(((done > 0) | _begin_anew(epochs)).mean() >= MOST_EPOCHS)


def _begin_anew(epochs: Numbers) -> NDArray[np.bool_]:
    """Which of them, but for the first, are the first of a run."""
    begin: NDArray[np.bool_] = (np.diff(epochs) <= 0) & (epochs[1:] == epochs.min(initial=np.inf))
    return begin


def _by_stamps_of_epochs(series: SpokenSeries) -> float | None:
    """The number over the seconds between the lines of two epochs; None where stamps do not say."""
    epochs, moments = np.diff(series.of("epoch")), np.diff(np.array([row.moment for row in series.rows]))
    known = ((epochs == 1) | ~np.isfinite(epochs)) & (moments > 0) & series.usable[1:]
    if known.sum() < LEAST or moments[known].sum() < LEAST_SECONDS:
        return None
    return float(np.median(series.values[1:][known] / moments[known]))
