"""Times of several steps: of all since the line before, of an epoch, or of one of two counters."""

from dataclasses import replace

import numpy as np

from ...io.message import Message
from ...naming.sense import ELAPSED, EPOCH, STEP, STEP_TIME, TIME, Sense
from ...naming.slots import Slot
from ..line_form import LineForm
from ..spoken_series import LEAST, SpokenSeries
from .step_proof import AS_THE_CLOCK

PART = "it covers only part of a step, or not every step"
OF_SEVERAL_STEPS = "it is the time of all steps since the previous line, as the timestamps show"
MOST_NEAR = 0.8
FALLING = 0.25  # share of step times that do not exceed the one before
PARTS_OF_ALL, TWICE = (10, 90), 2.0
TWO_COUNTERS = "its lines have two counters that rise at different rates, and which one it times is unclear"
IN_TURNS = "it is of two loops that take turns, and which of them is that of training is unclear"
FEWEST_TURNS = 4
# What is not the only counter of its lines: passes, of which several make a step, or episodes.
BESIDE_NAMED = '"{name}" counts the steps; "{other}", a counter beside it, rises by {times} for each'
BESIDE_UNNAMED = (
    'the first number of each line counts the steps; "{other}", a counter beside it, rises by {times} for each'
)
ON_MOST = 0.9


def as_times_of_steps(series: SpokenSeries) -> SpokenSeries:
    """The same; as times of what nobody knows yet, where they are called elapsed or total, but are none since a start.

    One since the start of anything rises from line to line, and is at least twice as high before it falls.
    """
    is_total = series.sense.role == ELAPSED and series.kind == "step" and series.usable.all()
    falls = np.diff(series.values)[np.diff(series.steps) > 0] <= 0 if is_total else np.zeros(0)
    if len(falls) < LEAST or falls.mean() < FALLING:
        return series
    low, high = np.percentile(series.values, PARTS_OF_ALL)
    return replace(series, sense=replace(series.sense, role=TIME)) if high < TWICE * low else series


def of_several_steps(series: SpokenSeries) -> str | None:
    """Why a time is not that of one step, but of an epoch, of some passes or of all steps between two lines."""
    if "of_epoch" in series.sense.flags:
        return PART
    if _counts_in_two_ways(series):
        return TWO_COUNTERS
    if series.sense.role == STEP_TIME and _are_in_turns(series):
        return IN_TURNS
    return OF_SEVERAL_STEPS if _is_between_lines(series) else None


def _are_in_turns(series: SpokenSeries) -> bool:
    """Whether passes of one number of steps and passes of another take turns, as those of training and of tests do."""
    totals = np.array([row.total for row in series.rows])
    turns = totals[np.append(True, np.diff(totals) != 0)]
    return len(turns) >= FEWEST_TURNS and len(set(turns.tolist())) == 2


def _counts_in_two_ways(series: SpokenSeries) -> bool:
    """Whether its lines have two counters, one of them faster: passes, of which several make a step."""
    counters = {form: form.counters for form in series.slots}
    both = [[row.number(slot) for slot in counters[row.form][:2]] for row in series.rows if len(counters[row.form]) > 1]
    if len(both) < LEAST:
        return False
    growth = np.diff(np.array(both), axis=0)
    growth = growth[(growth > 0).any(axis=1) & (growth >= 0).all(axis=1)]
    one, other = growth.sum(axis=0)
    return bool(len(growth)) and not np.isclose(one, other, rtol=0.01)


def why_two_counters(series: SpokenSeries) -> Message | None:
    """What counts the steps, where another counter of its lines rises faster or slower; None of others."""
    counter = series.rows[0].form.counter
    name, done = counter.sense.name if counter and counter.sense else "", np.diff(series.steps)
    for sense in _counters(series):
        beside = np.diff(np.array([row.number(_slot(row.form, sense)) for row in series.rows]))
        both = (beside > 0) & (done > 0)
        if sense.name == name or not both.any() or both.sum() < ON_MOST * (done > 0).sum():
            continue
        times = float(np.median(beside[both] / done[both]))
        if times > 1 or (sense.role == STEP and times < 1):  # a line for each epoch is as usual
            key = BESIDE_NAMED if name else BESIDE_UNNAMED
            return Message(key, name=name, other=sense.name, times=f"{times:.4g}")
    return None


def _counters(series: SpokenSeries) -> list[Sense]:
    """What else counts steps or epochs under a name on its first line."""
    slots = series.rows[0].form.said.slots
    return [slot.sense for slot in slots if slot.sense and slot.sense.role in (STEP, EPOCH) and slot.sense.name]


def _slot(form: LineForm, sense: Sense) -> Slot | None:
    return next((slot for slot in form.said.slots if slot.sense == sense and not slot.is_mean), None)


def _is_between_lines(series: SpokenSeries) -> bool:
    """Whether the number is the seconds between two lines, as their stamps show, of which several steps lie between."""
    moments, steps = np.diff(np.array([row.moment for row in series.rows])), np.diff(series.steps)
    known = (steps > 1) & (moments > 0) & series.usable[1:]
    near = np.abs(series.values[1:][known] * (series.sense.factor or 1.0) / moments[known] - 1) < AS_THE_CLOCK
    return known.sum() >= LEAST and bool(near.mean() > MOST_NEAR)
