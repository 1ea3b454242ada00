"""Effects: whether the runs of one side take longer than those of another, or whether that is noise.

The unit is a run, never a record: the noise between runs is several times what the records of one run show, so the
variance comes from repeats alone (pooled t test of log run times). A verdict needs both the interval and the size of
the change; where noise forbids one, it is "unknown", with how many repeats would tell. The constants were chosen on
6,961 real runs of 1,761 sets of repeats, with slowdowns of 1, 2, 3 and 5% injected.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from parsers.io.errors import TachographError
from parsers.io.message import Message

from ..measure.number import percent, signed
from ..measure.statistic import students_t

Verdict = Literal["slower", "faster", "same", "unknown"]
Times = Sequence[float] | NDArray[Any]
Values = NDArray[np.float64]

GATE = 0.03  # change that matters, where nobody states another
LEVEL = 0.99  # of the interval
POWER = 0.95  # with which the smallest visible change is seen
LEAST_NOISE = 1e-4  # of log times: no clock or rounded number proves less
BATCHES, FEWEST_TIMES = 10, 20
MOST_REPEATS = 60
LARGEST = 100.0  # log time
# One run may be set aside, from so many runs a side, when it is so far from the others.
ASIDE_FROM, ASIDE_SD, ASIDE_LEAST = 4, 8.0, 0.03
# The slope over the order of starts is looked at from so many runs a side, and believed at this level.
DRIFT_FROM, DRIFT_LEVEL = 3, 0.05
# One run of a side can be judged "same" by as much noise as six runs of the other show.
DEGREES_OF_ONE = 5

NO_SHARE = "{stated} is no share; expected one such as 3% or 0.03, above 0 and below 100%."
SUSPECT = "one run of a side differs; repeat it to confirm"
NOISE = "it may be noise, which hides slowdowns below {visible}; about {repeats} runs per side would tell"


class GateError(TachographError, ValueError):
    """A gate that is no share of a time, or a tolerance that is none of a metric."""


def share(stated: float | str) -> float:
    """A share, ``0.03`` or ``"3%"``, as a fraction; raises GateError for anything else."""
    text = str(stated).strip()
    with suppress(ValueError):
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if 0 < found < 1:
            return found
    raise GateError(NO_SHARE, stated=repr(stated))


@dataclass(frozen=True)
class Effect:
    """How much longer side B takes than side A.

    ``change``: of the time, as a fraction: 0.03 is 3% longer. ``noise``: standard deviation between runs, ``interval``:
    of the change at 99%, ``visible``: smallest slowdown that is found with 95% probability; all fractions, None where
    no repeats tell the noise. ``degrees``: degrees of freedom of the noise. ``reason``: why it is unknown, and
    ``repeats``: how many runs a side would tell. ``aside``: the side, 0 or 1, and the place there of the run that was
    left out, if any.
    """

    verdict: Verdict
    change: float
    degrees: int
    noise: float | None = None
    interval: tuple[float, float] | None = None
    visible: float | None = None
    reason: Message | None = None
    repeats: int | None = None
    aside: tuple[int, int] | None = None


def effect(
    sides: tuple[Times, Times],
    *,
    gate: float = GATE,
    order: tuple[Times, Times] | None = None,
    variance: float = 0.0,
) -> Effect:
    """Judge side B against side A.

    ``sides``: one time for each run, at least one a side, all in one unit. ``gate``: smallest slowdown that matters, a
    fraction. ``order``: the positions of the runs of each side in the order of their starts; without it drift is not
    looked for. ``variance``: of the mean log time of a run as its records show it, which the noise between runs is
    never below. Raises ExtraError where SciPy is not installed.
    """
    logs = [np.log(np.asarray(side, np.float64)) for side in sides]
    places = [np.asarray(side, np.float64) for side in order or ()]
    if (aside := _aside(logs)) is not None:
        for series in filter(None, (logs, places)):
            series[aside[0]] = np.delete(series[aside[0]], aside[1])
    found = _judged(logs, float(np.log1p(gate)), variance)
    if places and (drift := _drift(logs, places, gate)) is not None:
        reason = Message(
            "the speed drifts by {drift} per run; run the sides alternately (A B B A)", drift=signed(drift)
        )
        found = replace(found, verdict="unknown", reason=reason, repeats=min(map(len, logs)))
    return replace(found, aside=aside)


def _judged(logs: Sequence[Values], gate: float, variance: float) -> Effect:
    """The effect by the pooled t test; ``gate``: in log time."""
    degrees, runs = sum(map(len, logs)) - 2, min(map(len, logs))
    change = float(logs[1].mean() - logs[0].mean())
    plain = Effect("unknown", float(np.expm1(change)), degrees)
    if not degrees:
        why = "one run per side, so the noise between runs is unknown; repeat the runs"
        return replace(plain, reason=Message(why), repeats=2)
    noise = float(np.sqrt(max(sum(map(_squares, logs)) / degrees, variance, LEAST_NOISE**2)))
    error = noise * float(np.sqrt(sum(1 / len(side) for side in logs)))
    width, visible = (part * error for part in _widths(degrees))
    ends = (_fraction(change - width), _fraction(change + width))
    told = replace(plain, noise=_fraction(noise), interval=ends, visible=_fraction(visible))
    if abs(change) > width and abs(change) >= gate / 2:
        if runs == 1:
            return replace(told, reason=Message(SUSPECT), repeats=2)
        return replace(told, verdict="slower" if change > 0 else "faster")
    if change + width < gate and (runs > 1 or degrees >= DEGREES_OF_ONE):
        return replace(told, verdict="same")
    is_below = visible <= gate
    # What is visible and not seen lies between half of the gate and all of it.
    needed = max(gate - change, abs(change) if abs(change) >= gate / 2 else 0) if is_below else gate
    each = range(2, MOST_REPEATS + 1)
    repeats = next((n for n in each if _widths(2 * n - 2)[1] * np.sqrt(2 / n) * noise <= needed), None)
    shown = {"visible": percent(told.visible or 0), "repeats": str(repeats or f">{MOST_REPEATS}")}
    return replace(told, reason=Message(NOISE, **shown), repeats=repeats)


def _widths(degrees: int) -> tuple[float, float]:
    """Half of the interval, and the smallest visible change, in standard errors."""
    width = students_t()(degrees, (1 + LEVEL) / 2)
    return width, width + students_t()(degrees, POWER)


def _aside(logs: Sequence[Values]) -> tuple[int, int] | None:
    """The one run that is too far from the others of its side to be of them, such as one that stalled."""
    if min(map(len, logs)) < ASIDE_FROM:
        return None
    found = list[tuple[float, tuple[int, int]]]()
    for side, (own, other) in enumerate((logs, logs[::-1])):
        run = int(np.abs(own - np.median(own)).argmax())
        rest = np.delete(own, run)
        noise = np.sqrt((_squares(rest) + _squares(other)) / (len(rest) + len(other) - 2))
        distance = float(abs(own[run] - rest.mean()))
        if distance > max(ASIDE_SD * max(noise, LEAST_NOISE), ASIDE_LEAST):
            found.append((distance, (side, run)))
    return max(found)[1] if found else None


def _drift(logs: Sequence[Values], places: Sequence[Values], gate: float) -> float | None:
    """By how much the runs of a side slow down or speed up from one to the next, where that would pass for a change.

    The slope is that within the sides over the order of starts; what it makes of their distance is what counts.
    """
    if min(map(len, logs)) < DRIFT_FROM:
        return None
    order, times = (np.concatenate([side - side.mean() for side in series]) for series in (places, logs))
    spread, degrees = float((order**2).sum()), len(order) - 3
    slope = float((order * times).sum() / spread)
    error = max(float(np.sqrt(((times - slope * order) ** 2).sum() / degrees / spread)), 1e-9)
    distance = float(places[1].mean() - places[0].mean())
    is_drift = abs(slope) / error > students_t()(degrees, 1 - DRIFT_LEVEL / 2)
    return float(np.expm1(slope)) if is_drift and abs(slope * distance) > np.log1p(gate) / 4 else None


def variance_of_mean(times: Values) -> float:
    """The variance of the mean log time of a run, by the means of ten batches of its records.

    Batches are longer than most of what makes neighbouring records alike. 0 of fewer than 20 records.
    """
    if len(times) < FEWEST_TIMES:
        return 0.0
    means = np.array([batch.mean() for batch in np.array_split(np.log(times), BATCHES)])
    return float(means.var(ddof=1) / BATCHES)


def _squares(values: Values) -> float:
    return float(((values - values.mean()) ** 2).sum())


def _fraction(log: float) -> float:
    """A change of log time as a fraction of the time; no larger than a float can tell."""
    return float(np.expm1(min(log, LARGEST)))
