"""The clock of a progress bar, held against the speed that it shows, or read where it shows none."""

import math
import re
from collections.abc import Iterable, Iterator

import numpy as np

from ...naming.sense import STEP, STEP_RATE, STEP_TIME, Sense
from ...naming.vocabulary import Words
from ..gathered import Gathered, Spoken
from ..spoken_series import Numbers, SpokenSeries
from .bar_passes import passes_of

SHORT_BAR = "the bar is too short to check against its own clock"
BAR_DIFFERS = "the bar's speed does not match its own clock"
BAR_AGREES = (0.85, 1.18)
LEAST_SECONDS = 20.0
LEAST_STEPS = 3
FAR = 3.0
FEWEST_STEADY, MOST_STEADY = 10, 0.9  # times between two drawings, of which others are pauses
MANY_PASSES = 10
_IN_A_UNIT = re.compile(r"<[^,\]\r\n]*, *[\d.?]+[kMG]?(?: ?[^\W\d_]+/s|s/ ?[^\W\d_]+)(?!\w)")
TICKS = 2.0  # seconds: two of them may be cut off


def bars_by_clock(gathered: Gathered, shown: Iterable[SpokenSeries]) -> Iterator[SpokenSeries]:
    """The series of bars that show a clock and never a speed, as a terminal may cut it off; ``shown``: all others.

    A speed in a unit that nobody knows is one: its steps are files, molecules or games.
    """
    known = {(one.level.words, one.total) for one in shown}
    rows: dict[tuple[Words, float, bool], list[Spoken]] = {}
    for row in gathered.spoken:
        form, key = row.form, (row.form.level.words, row.total)
        if form.is_bar and form.counter and key not in known and row.clock > 0 and row.of(STEP) > 0:
            rows.setdefault((*key, form.is_of_other), []).append(row)
    sense = Sense(STEP_TIME, "", factor=1.0, flags=frozenset({"nameless"}))
    for (_, total, _), drawn in rows.items():
        if any(_IN_A_UNIT.search(row.text) for row in drawn):
            continue
        slots = {row.form: row.form.counter for row in drawn if row.form.counter}
        yield SpokenSeries(sense, drawn[0].form.level, drawn, slots, total, is_by_clock=True)


def not_confirmed(series: SpokenSeries, *, are_ends_told: bool) -> str | None:
    """Why the clock of a bar does not confirm what it shows; None where it does, with pauses or without.

    One that was drawn only at its end was at no step when its clock began; whether that counts is ``are_ends_told``.
    """
    of_passes = _by_clock(series, are_ends_told=are_ends_told)
    done, took = (np.concatenate([np.zeros(0), *(one[part] for one in of_passes)]) for part in (0, 1))
    # What each pass may be wrong by adds up, but not all of it to one side.
    if took.sum() < LEAST_SECONDS * math.sqrt(max(len(of_passes), 1)) or done.sum() < LEAST_STEPS:
        return SHORT_BAR
    times = 1 / series.values[series.usable] if series.sense.role == STEP_RATE else series.values[series.usable]
    steady = took <= FAR * done * np.median(times) + TICKS
    are_pauses = steady.sum() >= FEWEST_STEADY and steady.mean() >= MOST_STEADY
    seconds = (took.sum() / done.sum(), *([took[steady].sum() / max(done[steady].sum(), 1)] if are_pauses else []))
    shown = (np.median(times), np.mean(times))
    ratios = (*(clock / time for clock in seconds for time in shown), *_of_each_pass(series))
    return None if any(BAR_AGREES[0] < ratio < BAR_AGREES[1] for ratio in ratios) else BAR_DIFFERS


def _of_each_pass(series: SpokenSeries) -> list[float]:
    """What the clock of each of many passes usually is of the time that its last drawing shows: runs may differ."""
    lasts = [run[-1] for run in passes_of(series)]
    clocks = np.array([row.clock for row in series.rows])[lasts]
    with np.errstate(all="ignore"):
        rates = series.values[lasts] if series.sense.role == STEP_RATE else 1 / series.values[lasts]
        ratios = clocks * rates / series.steps[lasts]
    known = ratios[np.isfinite(ratios) & (clocks > TICKS)]
    return [float(np.median(known))] if len(known) >= MANY_PASSES else []


def _by_clock(series: SpokenSeries, *, are_ends_told: bool) -> list[tuple[Numbers, Numbers]]:
    """The steps between two drawings of each pass of a bar, and the seconds that its clock shows."""
    steps, clocks = series.steps, np.array([row.clock for row in series.rows])
    found = list[tuple[Numbers, Numbers]]()
    for run in passes_of(series):
        is_of_end = are_ends_told and len(run) == 1 and steps[run[0]] == series.total
        start = [0.0] if is_of_end else []
        of_steps, of_clocks = np.append(start, steps[run]), np.append(start, clocks[run])
        if of_clocks[-1] - of_clocks[0] < LEAST_SECONDS:
            ticks = np.flatnonzero(np.diff(of_clocks) > 0) + 1  # as a second has just passed
            of_steps, of_clocks = of_steps[ticks], of_clocks[ticks]
        if len(of_clocks) > 1:
            found.append((np.diff(of_steps), np.diff(of_clocks)))
    return found
