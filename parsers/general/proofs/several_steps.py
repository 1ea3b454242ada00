"""Times of several steps: of those that a line counts, of all since the line before, or of nobody knows which."""

import numpy as np

from ...io.message import Message
from ..spoken_series import LEAST, SpokenSeries
from .step_proof import AS_THE_CLOCK

PART = "it is a part of a step, or not of all steps"
OF_SEVERAL_STEPS = "it is the time of all steps since the line before, as the stamps of its lines show"
NOT_OF_TOLD_STEPS = "its lines are not as many steps apart as it is the time of"
OF_TOLD_STEPS = "{name} is the time of all steps since the line before, for its lines say of how many"
UNNAMED = "a number without a name"
MOST_NEAR = 0.8
TWO_COUNTERS = (
    "its lines have two counters that rise at different rates, and nothing shows to which of them the time belongs"
)


def why_told_steps(series: SpokenSeries) -> Message | None:
    """What shows that a time is that of the steps since the line before, where each line says how many these are.

    Of the first line of a run that goes on where another ended, it is enough that it counts more. Steps that begin anew
    within an epoch may be those of an evaluation.
    """
    told = {form: form.time_of_steps for form in series.slots}
    counts = np.array([row.number(found.count if (found := told[row.form]) else None) for row in series.rows])
    number = series.steps + (1 if (series.steps == 0).any() else 0)
    done = np.diff(number, prepend=0)
    done = np.where(done > 0, done, number)
    if (np.diff(series.of("epoch"))[np.diff(number) <= 0] == 0).any():
        return None
    is_own = len(done) > LEAST and (counts[1:] == done[1:]).all() and counts[0] <= done[0]
    return Message(OF_TOLD_STEPS, name=series.sense.name or Message(UNNAMED)) if is_own else None


def of_several_steps(series: SpokenSeries) -> str | None:
    """Why a time is not that of one step, but of an epoch, of some passes or of all steps between two lines."""
    if "of_epoch" in series.sense.flags:
        return PART
    if _counts_in_two_ways(series):
        return TWO_COUNTERS
    return OF_SEVERAL_STEPS if _is_between_lines(series) else None


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


def _is_between_lines(series: SpokenSeries) -> bool:
    """Whether the number is the seconds between two lines, as their stamps show, of which several steps lie between."""
    moments, steps = np.diff(np.array([row.moment for row in series.rows])), np.diff(series.steps)
    known = (steps > 1) & (moments > 0) & series.usable[1:]
    near = np.abs(series.values[1:][known] * (series.sense.factor or 1.0) / moments[known] - 1) < AS_THE_CLOCK
    return known.sum() >= LEAST and bool(near.mean() > MOST_NEAR)
