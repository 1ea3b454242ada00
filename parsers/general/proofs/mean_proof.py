"""Proofs for running means: what shows that a time is the mean of all steps since an epoch began."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...io.message import Message
from ..spoken_series import Numbers, SpokenSeries

SINCE_EPOCH = (
    "{name} is a running mean of the step time that restarts with each epoch: it falls from its first value as one does"
)
FEWEST = 12  # numbers behind the first of a pass
LEAST_IN_A_PASS = 3
SLOWER = 0.1  # by which the first step is to stand out
NEAR = 0.25  # of the way from what no mean would do
SURE = 0.1


def why_running_mean(series: SpokenSeries) -> Message | None:
    """What shows that numbers are running means since steps began anew; None where the first is hardly slower.

    A mean of n steps, the first of which took f and the others a each, is a + (f - a) / n. Whether it is so is asked of
    the passes whose first step is slowest: how much of f is in the numbers behind, and how much would be were each the
    time of its step.
    """
    steps = series.steps + (1 if (series.steps == 0).any() else 0)
    passes = np.split(np.arange(len(series)), np.flatnonzero(~(np.diff(steps) > 0)) + 1)
    long = [run for run in passes if len(run) > LEAST_IN_A_PASS]
    if not (np.isfinite(steps).all() and series.usable.all()) or not long:
        return None
    telling = _with_slowest_first(series.values, long)
    if sum(len(run) - 1 for run in telling) < FEWEST:
        return None
    parts = [_parts(steps[run], series.values[run]) for run in telling]
    firsts, means, levels = (np.concatenate(column) for column in zip(*parts, strict=True))
    size = float(firsts @ firsts)
    if not size:
        return None
    found, otherwise = float(firsts @ means) / size, float(firsts @ levels) / size
    doubt = float(np.sqrt(((means - found * firsts) ** 2).sum() / (len(means) - 1) / size))
    is_slower = 1 - otherwise > SLOWER
    is_mean = abs(1 - found) < NEAR * (1 - otherwise) and doubt < SURE * (1 - otherwise)
    return Message(SINCE_EPOCH, name=series.sense.name) if is_slower and is_mean else None


def _with_slowest_first(values: Numbers, passes: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """The passes whose first step stands out most: at least half as far as that of any."""
    slower = [float(values[run[0]] / np.median(values[run[1:]]) - 1) for run in passes]
    return [run for run, much in zip(passes, slower, strict=True) if 2 * much >= max(slower)]


def _parts(steps: Numbers, values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The share of the first step of a pass in each mean behind it, those means, and their level, of one pass.

    What the other steps give to a mean is taken off from each.
    """
    share = steps[0] / steps[1:]
    rest = 1 - share
    level = np.full(len(rest), float(np.median(values[1:])))
    first, mean, usual = (
        each - rest * (each @ rest) / (rest @ rest) for each in (share * values[0], values[1:], level)
    )
    return first, mean, usual
