"""Speeds of the passes of one bar: of two that lie apart, as of phases of a training, the mean is that of neither."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...io.message import Message
from ...naming.sense import STEP_RATE
from ..spoken_series import SpokenSeries
from .bar_clock import LEAST_SECONDS
from .bar_passes import passes_of

TWO_SPEEDS = (
    "the passes of the progress bar run at two speeds, which the throughput combines: {slow} steps/s in "
    "{slow_count} of them, first at line {slow_line}, and {fast} steps/s in {fast_count}, first at line "
    "{fast_line}"
)
TWO_PHASES = "the progress bar changes speed: {before} steps/s up to step {step} (line {line}), then {behind} steps/s"
APART = 1.25  # times as fast
STRETCHES, FEWEST_STRETCHES = 10, 2
LEAST_SHARE = 0.1  # of all passes
SURE = 10.0  # seconds that a clock of whole ones tells well


@dataclass(frozen=True)
class _TimedPass:
    """A pass of a bar: its first ``line``, and its ``steps`` in so many ``seconds``."""

    line: int
    steps: float
    seconds: float

    @property
    def rate(self) -> float:
        return self.steps / self.seconds


def why_speeds(series: SpokenSeries) -> Iterator[Message]:
    """A warning for a bar with two distinct speeds: between its passes, or, if it has only one, within that pass.

    The first may start slowly.
    """
    if len(passes_of(series)) == 1:
        yield from _of_phases(series)
        return
    passes = sorted(_passes(series), key=lambda one: one.rate)
    gaps = [after.rate / before.rate for before, after in pairwise(passes)]
    if not gaps or max(gaps) < APART:
        return
    place = int(np.argmax(gaps)) + 1
    slow, fast = passes[:place], passes[place:]
    if all(_is_phase(group, len(passes)) for group in (slow, fast)):
        yield Message(TWO_SPEEDS, **_told(slow, "slow"), **_told(fast, "fast"))


def _of_phases(series: SpokenSeries) -> Iterator[Message]:
    """A warning if the speed of the only pass changes for good; it is compared over equal parts of the pass."""
    steps, clocks = series.steps, np.array([row.clock for row in series.rows])
    ends = np.unique(np.linspace(0, len(series) - 1, STRETCHES + 1).astype(int))
    done, took = np.diff(steps[ends]), np.diff(clocks[ends])
    if len(ends) <= STRETCHES or not (done > 0).all() or not (took >= SURE).all():
        return
    rates = done / took
    for place in range(FEWEST_STRETCHES, STRETCHES - FEWEST_STRETCHES + 1):
        first, then = rates[:place], rates[place:]
        if first.min() > APART * then.max() or then.min() > APART * first.max():
            before, behind = (float(done[part].sum() / took[part].sum()) for part in _parts(place))
            end = int(ends[place])
            told = {"step": f"{steps[end]:.0f}", "line": series.rows[end].line}
            yield Message(TWO_PHASES, before=f"{before:.4g}", behind=f"{behind:.4g}", **told)
            return


def _parts(place: int) -> tuple[slice, slice]:
    return slice(place), slice(place, None)


def _is_phase(group: Sequence[_TimedPass], count: int) -> bool:
    """Whether passes are more than one that was disturbed, or than a slow start."""
    is_one_of_many = len(group) == 1 and count > 2
    is_long = sum(one.seconds for one in group) >= LEAST_SECONDS
    return is_long and not is_one_of_many and len(group) >= LEAST_SHARE * count


def _told(group: Sequence[_TimedPass], name: str) -> dict[str, object]:
    rate = sum(one.steps for one in group) / sum(one.seconds for one in group)
    line = min(one.line for one in group)
    return {name: f"{rate:.4g}", f"{name}_count": len(group), f"{name}_line": line}


def _passes(series: SpokenSeries) -> Iterator[_TimedPass]:
    """The passes of a bar: by its clock, or by the speed that it shows where that ran for a few seconds."""
    steps, clocks = series.steps, np.array([row.clock for row in series.rows])
    rates = series.values if series.sense.role == STEP_RATE else 1 / np.where(series.usable, series.values, np.nan)
    for run in passes_of(series):
        first, last = run[0], run[-1]
        done, took = steps[last] - steps[first], clocks[last] - clocks[first]
        if len(run) == 1 or took < SURE:
            done, took = steps[last], clocks[last]
        if took < SURE:
            shown = rates[run][np.isfinite(rates[run])]
            took = done / float(np.median(shown)) if len(shown) else 0.0
        if done > 0 and took > 0:
            yield _TimedPass(series.rows[first].line, float(done), float(took))
