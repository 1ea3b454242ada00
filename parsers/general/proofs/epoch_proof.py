"""Proofs for epochs: what shows that a number is the time that one took."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...naming.sense import ELAPSED, TIME
from ..gathered import Gathered
from ..spoken_series import Numbers, SpokenSeries
from .step_proof import AGAINST_STAMPS, LEAST, LEAST_SECONDS

OF_EPOCH = "{name} is the time of one epoch, because there is a line for each epoch"
NOT_OF_AN_EPOCH = "its lines do not number epochs one by one, so nobody knows what it is the time of"
NO_UNIT_OF_EPOCH = "the log does not show its unit; stamps in its lines would, or a grammar of your own (--format)"
OF_EPOCH_BY_STAMPS = (0.3, 1.05)  # an epoch takes no longer than the time between its line and the last one
MOST_EPOCHS = 0.9
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
    is_each = len(series) >= LEAST and are_one_by_one(epochs)
    is_said = "of_epoch" in series.sense.flags and not np.isfinite(epochs).any()
    if not (is_each or is_said):
        return NOT_OF_AN_EPOCH
    if ratio is None:
        return factor or NO_UNIT_OF_EPOCH
    low, high = OF_EPOCH_BY_STAMPS
    units = (factor,) if factor else (1.0, 1e-3)
    return next((unit for unit in units if low <= ratio * unit <= high), AGAINST_STAMPS)


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
