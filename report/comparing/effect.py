"""Effects: whether the runs of one side are slower than those of another, or whether that is noise.

The unit is a run, never a record: the noise between runs is several times what the records of one run show, so the
variance comes from repeats alone (pooled t test of log run times). A verdict needs both the interval and the size of
the change; where noise forbids one, it is "unknown", with the smallest change that could have been seen. The constants
were chosen on 6,961 real runs of 1,761 sets of repeats, with slowdowns of 1, 2, 3 and 5% injected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from parsers.io.message import Message

from ..measure.number import percent, signed
from ..measure.statistic import students_t
from .change_points import LEAST_NOISE, SMALLEST, Values

Verdict = Literal["slower", "faster", "same", "unknown"]
Times = Sequence[float] | NDArray[Any]

GATE = SMALLEST
LEVEL = 0.99  # of the interval
POWER = 0.95  # with which the smallest visible change is seen
BATCHES, FEWEST_TIMES = 10, 20
MOST_REPEATS = 60
LARGEST = 100.0  # log time
# One run may be set aside, from so many runs a side, when it is so far from the others.
ASIDE_FROM, ASIDE_SD, ASIDE_LEAST = 4, 8.0, 0.03
# The slope over the order of starts is looked at from so many runs a side, and believed at this level.
DRIFT_FROM, DRIFT_LEVEL = 3, 0.05
# One run of a side can be judged "same" by as much noise as six earlier runs show.
DEGREES_OF_ONE = 5

ONE_RUN = "one run per side, so the noise between runs is unknown; repeat the runs"
SUSPECT = "one run of a side differs; repeat it to confirm"
DRIFT = "the speed drifts by {drift} per run; run the sides alternately (A B B A)"
NOISE = "the noise hides it; smallest visible change {visible}, about {repeats} runs per side show {gate}"
MUCH_NOISE = "the noise hides it; smallest visible change {visible}, more than {most} runs per side needed for {gate}"
BELOW = "a change of {gate} is neither shown nor ruled out; smallest visible change {visible}"


@dataclass(frozen=True)
class Aside:
    """One run that was set aside: its side, 0 or 1, and its place there."""

    side: int
    run: int


@dataclass(frozen=True)
class Effect:
    """How much longer side B takes than side A.

    ``change``: of the time per unit of work, as a fraction: 0.03 is 3% longer. ``noise``: standard deviation between
    runs, ``interval``: of the change at 99%, ``visible``: smallest slowdown that is found with 95% probability; all
    fractions, None where no repeats tell the noise. ``degrees``: degrees of freedom of the noise. ``reason``: why it is
    unknown. ``aside``: the run that was left out, if any.
    """

    verdict: Verdict
    change: float
    degrees: int
    gate: float
    noise: float | None = None
    interval: tuple[float, float] | None = None
    visible: float | None = None
    reason: Message | None = None
    aside: Aside | None = None


def effect(
    sides: tuple[Times, Times],
    *,
    gate: float = GATE,
    earlier: Sequence[Times] = (),
    order: tuple[Times, Times] | None = None,
    variance: float = 0.0,
) -> Effect:
    """Judge side B against side A.

    ``sides``: one time per unit of work for each run, at least one a side, all in one unit. ``gate``: smallest
    slowdown that matters, a fraction. ``earlier``: the same of earlier groups of repeats of this case on this machine.
    ``order``: the positions of the runs of each side in the order of their starts; without it drift is not looked for.
    ``variance``: of the mean log time of a run as its records show it, which the noise between runs is never below.
    Raises ExtraError where SciPy is not installed.
    """
    logs = [np.log(np.asarray(side, np.float64)) for side in sides]
    places = None if order is None else [np.asarray(side, np.float64) for side in order]
    aside = _aside(logs)
    if aside is not None:
        for series in (logs, places or []):
            if series:
                series[aside.side] = np.delete(series[aside.side], aside.run)
    groups = [*logs, *(np.log(np.asarray(group, np.float64)) for group in earlier if len(group) > 1)]
    found = _judged(logs, groups, np.log1p(gate), variance)
    return replace(_guarded(found, logs, places), aside=aside)


def _judged(logs: Sequence[Values], groups: Sequence[Values], gate: float, variance: float) -> Effect:
    """The effect by the pooled t test; ``groups``: all groups of repeats, ``gate``: in log time."""
    degrees = sum(len(group) - 1 for group in groups)
    change = float(logs[1].mean() - logs[0].mean())
    plain = Effect("unknown", float(np.expm1(change)), degrees, float(np.expm1(gate)), reason=Message(ONE_RUN))
    if not degrees:
        return plain
    noise = float(np.sqrt(max(sum(_squares(group) for group in groups) / degrees, variance, LEAST_NOISE**2)))
    quantile = students_t()
    error = noise * np.sqrt(sum(1 / len(side) for side in logs))
    width = quantile(degrees, (1 + LEVEL) / 2)
    low, high = change - width * error, change + width * error
    told = replace(
        plain,
        noise=_fraction(noise),
        interval=(_fraction(low), _fraction(high)),
        visible=_fraction((width + quantile(degrees, POWER)) * error),
    )
    return _with_verdict(told, (low, change, high), gate, noise, min(map(len, logs)))


def _with_verdict(plain: Effect, log: tuple[float, float, float], gate: float, noise: float, runs: int) -> Effect:
    """The effect with its verdict; ``log``: change with its interval, in log time, ``runs``: of the smaller side."""
    low, change, high = log
    if low > 0 and change >= gate / 2:
        return replace(plain, verdict="slower", reason=None) if runs > 1 else replace(plain, reason=Message(SUSPECT))
    if high < 0 and change <= -gate / 2:
        return replace(plain, verdict="faster", reason=None) if runs > 1 else replace(plain, reason=Message(SUSPECT))
    if high < gate and (runs > 1 or plain.degrees >= DEGREES_OF_ONE):
        return replace(plain, verdict="same", reason=None)
    return replace(plain, reason=_of_noise(plain, gate, noise))


def _of_noise(plain: Effect, gate: float, noise: float) -> Message:
    """Why noise leaves the effect unknown, and how many runs would show the gate."""
    told = {"visible": percent(plain.visible or 0), "gate": percent(plain.gate)}
    if plain.visible is not None and plain.visible <= plain.gate:
        return Message(BELOW, **told)
    repeats = _repeats(gate, noise)
    return Message(NOISE, **told, repeats=repeats) if repeats else Message(MUCH_NOISE, **told, most=MOST_REPEATS)


def _repeats(gate: float, noise: float) -> int | None:
    """How many runs a side show a slowdown as large as the gate; None where more than ``MOST_REPEATS``."""
    quantile = students_t()
    for runs in range(2, MOST_REPEATS + 1):
        degrees = 2 * runs - 2
        width = quantile(degrees, (1 + LEVEL) / 2) + quantile(degrees, POWER)
        if width * np.sqrt(2 / runs) * noise <= gate:
            return runs
    return None


def _aside(logs: Sequence[Values]) -> Aside | None:
    """The one run that is too far from the others of its side to be of them, such as one that stalled."""
    if min(map(len, logs)) < ASIDE_FROM:
        return None
    found = list[tuple[float, Aside]]()
    for side, (own, other) in enumerate((logs, logs[::-1])):
        run = int(np.abs(own - np.median(own)).argmax())
        rest = np.delete(own, run)
        noise = np.sqrt((_squares(rest) + _squares(other)) / (len(rest) + len(other) - 2))
        distance = float(abs(own[run] - rest.mean()))
        if distance > max(ASIDE_SD * max(noise, LEAST_NOISE), ASIDE_LEAST):
            found.append((distance, Aside(side, run)))
    return max(found, key=lambda each: each[0])[1] if found else None


def _guarded(found: Effect, logs: Sequence[Values], places: Sequence[Values] | None) -> Effect:
    """The effect, unknown where the sides slow down or speed up from run to run, as much as would pass for a change.

    The slope is that within the sides over the order of starts; what it makes of their distance is what counts.
    """
    if places is None or min(map(len, logs)) < DRIFT_FROM:
        return found
    order, times = (np.concatenate([side - side.mean() for side in series]) for series in (places, logs))
    spread, degrees = float((order**2).sum()), len(order) - 3
    slope = float((order * times).sum() / spread)
    error = max(float(np.sqrt(((times - slope * order) ** 2).sum() / degrees / spread)), 1e-9)
    distance = float(places[1].mean() - places[0].mean())
    is_drift = abs(slope) / error > students_t()(degrees, 1 - DRIFT_LEVEL / 2)
    if is_drift and abs(slope * distance) > np.log1p(found.gate) / 4:
        return replace(found, verdict="unknown", reason=Message(DRIFT, drift=signed(float(np.expm1(slope)))))
    return found


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
