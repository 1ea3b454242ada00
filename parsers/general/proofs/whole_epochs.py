"""Whole epochs: their times show whether the steps that lines show are slower than all steps are.

A program that prints every twentieth step of an epoch of fifty shows the first, which waits for its data, too often.
"""

from collections.abc import Iterable

import numpy as np

from ...io.message import Message
from ...naming.sense import DURATION, STEP_TIME
from ..spoken_series import SpokenSeries
from .proof import Proven
from .step_proof import LEAST

TOO_SLOW = "the steps shown took {shown} s on average, so an epoch would take {steps} s, but its epochs took {epochs} s"
LONGER = 1.1  # times as long as an epoch took
AS_ALL = (0.8, 1.25)  # of what an epoch took


def too_slow_for_epochs(one: Proven, proven: Iterable[Proven]) -> Message | None:
    """Why times of steps are not those of all steps: an epoch of such would take longer than the log says it took."""
    took = next((other for other in proven if other.role == DURATION and other.series.kind == "epoch"), None)
    if one.role != STEP_TIME or one.is_running_mean or one.is_bar or took is None:
        return None
    steps = _steps_of_epoch(one.series)
    epoch = float(np.mean(took.series.values[took.series.usable])) * took.factor
    shown = float(np.mean(one.series.values[1:])) * one.factor
    if steps is None or not shown * steps > LONGER * epoch:
        return None
    if not AS_ALL[0] < _mean_of_all(one.series) * one.factor * steps / epoch < AS_ALL[1]:
        return None  # the time of the epochs may be that of something else
    return Message(TOO_SLOW, shown=f"{shown:.4g}", steps=f"{shown * steps:.4g}", epochs=f"{epoch:.4g}")


def _mean_of_all(series: SpokenSeries) -> float:
    """The mean if each line is of all steps since the line before, and the first of an epoch of itself."""
    done = np.diff(series.steps, prepend=np.nan)
    return float(np.average(series.values, weights=np.where(done > 0, done, 1.0)))


def _steps_of_epoch(series: SpokenSeries) -> float | None:
    """How many steps an epoch has on average, where lines count them anew in each; else None."""
    epochs, steps = series.of("epoch"), series.steps
    totals = np.array([row.total for row in series.rows])
    begins = np.diff(epochs) > 0
    are_own = np.isfinite(totals).all() and bool((np.diff(steps)[begins] < 0).all())
    return float(np.mean(totals)) if begins.sum() >= LEAST and are_own else None
