"""Progress bars: one is believed where its own clock says what it shows."""

import numpy as np

from .sense import STEP_RATE
from .spoken_series import Numbers, SpokenSeries

SHORT_BAR = "the bar is too short to be proven by its own clock"
BAR_DIFFERS = "the bar shows another speed than its own clock"
LEAST_STEPS = 3
BAR_SECONDS = 20.0
BAR_AGREES = (0.85, 1.18)


def not_confirmed(series: SpokenSeries) -> str | None:
    """Why the clock of a bar does not confirm what it shows; None where it does."""
    steps, clocks = series.steps, np.array([row.clock for row in series.rows])
    done, took = 0.0, 0.0
    for run in _runs(steps, clocks):
        if len(run) > 1 and clocks[run[-1]] - clocks[run[0]] >= BAR_SECONDS:
            done += steps[run[-1]] - steps[run[0]]
            took += clocks[run[-1]] - clocks[run[0]]
    if took < BAR_SECONDS or done < LEAST_STEPS:
        return SHORT_BAR
    shown = series.median if series.sense.role == STEP_RATE else 1 / series.median
    if not BAR_AGREES[0] < done / took / shown < BAR_AGREES[1]:
        return BAR_DIFFERS
    return None


def _runs(steps: Numbers, clocks: Numbers) -> list[list[int]]:
    """The places of lines of one bar after another: its steps and its clock begin anew."""
    runs: list[list[int]] = []
    for place in range(len(steps)):
        is_new = not runs or steps[place] < steps[place - 1] or clocks[place] < clocks[place - 1]
        if is_new:
            runs.append([])
        runs[-1].append(place)
    return runs
