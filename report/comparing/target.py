"""Time to a target: how long the runs of two sides train until a metric is reached, and what makes the gap.

The mean over the runs of a side has to reach the target, at an evaluation that all of them have; a board may also ask
for so many runs, and for a t test at a level. Where a side does not reach it, the time of its runs is the least that it
takes, which proves one direction only.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from parsers.io.errors import extra
from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from .effect import Effect, effect
from .metrics import Better, MetricError, Sides, better, curve_of
from .sides import ReadRun

TO_TRAIN = "minutes_to_train"  # a fact that logs of MLPerf state
NO_TARGET = "The target is {text}; expected a metric as the logs print it and its value, such as val_loss=3.28,lower."
NO_EVALUATIONS = "the runs of {side} print {name} at no step that all of them have"
NO_TIMES = "nothing says how long the runs of {side} had trained when {name} was printed"
NOT_REACHED = "{side} does not reach {name} {target}: the mean of its runs is {best} at best"
FEW_SEEDS = "{side} has {count} runs, and the board asks for {seeds}"
NOT_PROVEN = "{side} does not prove {name} {target}: p = {p} over {count} runs, and the board asks for p < {level}"


@dataclass(frozen=True)
class Target:
    """What is to be reached: the metric ``name``, at ``value`` or better.

    ``seeds``: over so many runs. ``p_value``: with a one-sided t test of their mean at this level, None of no test.
    """

    name: str
    value: float
    better: Better
    seeds: int = 1
    p_value: float | None = None

    @classmethod
    def parse(cls, text: str) -> Target:
        """A target as ``val_loss=3.28`` or ``gap=0.1,lower``; raises MetricError."""
        name, _, told = text.rpartition("=")
        value, _, way = told.partition(",")
        try:
            return cls(name.strip(), float(value), better(name, way))
        except ValueError:
            raise MetricError(NO_TARGET, text=repr(text)) from None


@dataclass(frozen=True)
class Reached:
    """How a side gets to a target.

    ``seconds``: of each run, to the evaluation ``step`` where the mean of their metric is ``mean``, or to the end where
    none reaches it. ``p``: of the test, None of one run. ``reason``: why it is not reached.
    """

    seconds: tuple[float, ...]
    step: float | None = None
    mean: float | None = None
    p: float | None = None
    reason: Message | None = None


@dataclass(frozen=True)
class TimeToTarget:
    """Both sides on their way to a target, None to that of MLPerf's logs, and how much longer B takes.

    ``gap``: the seconds that B takes longer, by the means of the runs that count. ``split``: those of them that more
    steps make, and those that longer steps make; each change at the mean of the other, so that both sum to the gap.
    """

    target: Target | None
    sides: tuple[Reached, Reached]
    effect: Effect
    reason: Message | None
    gap: float
    split: tuple[float, float] | None


def time_to_target(sides: Sides, target: Target | None, gate: float) -> TimeToTarget | None:
    """Compare the times to a target, of none to that of MLPerf, whose logs end there and state the time; None where
    one does not. Raises NoMeasurement where a log prints no metric, or nothing says the time.
    """
    if target is not None:
        a, b = (_reached(side, name, target) for side, name in zip(sides, "AB", strict=True))
    elif all(TO_TRAIN in run.facts for side in sides for run in side):
        a, b = (Reached(tuple(60 * float(run.facts[TO_TRAIN].value) for run in side)) for side in sides)
    else:
        return None
    found = effect((a.seconds, b.seconds), gate=gate)
    # Who does not reach it takes longer than its runs did, however long that is.
    proved = {"slower"} if b.reason else {"slower", "same", "faster"}
    proved &= {"faster"} if a.reason else proved
    reason = found.reason if found.verdict in proved else (a.reason or b.reason or found.reason)
    of_a, of_b = (
        float(np.mean([one for at, one in enumerate(side.seconds) if found.aside != (number, at)]))
        for number, side in enumerate((a, b))
    )
    split = None
    if a.step and b.step:
        each_a, each_b = of_a / a.step, of_b / b.step
        split = (b.step - a.step) * (each_a + each_b) / 2, (each_b - each_a) * (a.step + b.step) / 2
    return TimeToTarget(target, (a, b), found, reason, of_b - of_a, split)


def _reached(side: Sequence[ReadRun], name: str, target: Target) -> Reached:
    curves = [curve_of(run, target.name) for run in side]
    shared = reduce(np.intersect1d, [one.steps[np.isfinite(one.steps)] for one in curves])
    if not len(shared):
        raise NoMeasurement(NO_EVALUATIONS, side=name, name=target.name)
    # Of several evaluations at one step the last one counts.
    places = [np.searchsorted(np.maximum.accumulate(np.nan_to_num(one.steps)), shared, "right") - 1 for one in curves]
    values = np.array([one.values[at] for one, at in zip(curves, places, strict=True)])
    seconds = np.array([one.seconds[at] for one, at in zip(curves, places, strict=True)])
    if not np.isfinite(seconds).all() or not (seconds[:, -1] > 0).all():
        raise NoMeasurement(NO_TIMES, side=name, name=target.name)
    sign = 1 if target.better == "lower" else -1
    are_numbers = np.isfinite(values).all(axis=0)
    means = np.where(are_numbers, values.mean(axis=0), sign * np.inf)
    reached = np.flatnonzero(sign * means <= sign * target.value)
    ends = tuple(float(one.seconds[-1]) for one in curves)
    told = {"side": name, "name": target.name, "target": f"{target.value:g}", "count": len(side)}
    if not len(reached):
        best = f"{sign * float((sign * means).min()):.6g}"
        return Reached(ends, reason=Message(NOT_REACHED, **told, best=best))
    if len(side) < target.seeds:
        return Reached(ends, reason=Message(FEW_SEEDS, **told, seeds=target.seeds))
    with extra("compare", "Comparisons need"), warnings.catch_warnings():
        from scipy.stats import ttest_1samp  # noqa: PLC0415 - it comes with the extra

        warnings.simplefilter("ignore")  # the p of one run is NaN, that of runs that end alike 0
        direction = "less" if target.better == "lower" else "greater"
        tests = ttest_1samp(values[:, reached], target.value, alternative=direction).pvalue
    proven = np.flatnonzero(tests < target.p_value) if target.p_value is not None else np.arange(len(reached))
    if not len(proven):
        proof = {"p": f"{np.fmin.reduce(tests):.2g}", "level": f"{target.p_value:g}"}
        return Reached(ends, reason=Message(NOT_PROVEN, **told, **proof))
    at, p = reached[proven[0]], float(tests[proven[0]])
    return Reached(tuple(seconds[:, at].tolist()), float(shared[at]), float(means[at]), None if np.isnan(p) else p)
