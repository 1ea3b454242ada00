"""Stretches: a time that each line gives for several steps, and whether these are all since the line before."""

import numpy as np

from ...io.message import Message
from ..spoken_series import Numbers, SpokenSeries
from .step_proof import AS_STAMPS, by_stamps

OF_SO_MANY = "each line gives the time of {count} steps, and there is a line every {count} steps"
ALL_OF_THEM = (
    "each line is taken to give the time of all {count} steps since the previous line, not their mean: there is a line "
    "every {count} steps, but no timestamp shows it"
)
OTHER_COUNT = "it is the time of several steps, but its lines are not that many steps, or not that long, apart"
FEWEST = 2  # lines that stand one stretch apart


def steps_of_stretch(series: SpokenSeries) -> int | None:
    """Of how many steps each line gives the time; None where lines do not say, or say it of one step.

    A number that rises from line to line counts the steps so far.
    """
    if any(slot.of is None for slot in series.slots.values()):
        return None
    counts = set(_counts(series).tolist())
    count = counts.pop()
    return int(count) if not counts and count > 1 else None


def why_stretch(series: SpokenSeries, count: int) -> Message | None:
    """What shows that times are those of all steps between two lines; None where lines or stamps stand otherwise."""
    ratio = by_stamps(series)
    if ratio is not None and not AS_STAMPS[0] <= ratio * (series.sense.factor or 1.0) / count <= AS_STAMPS[1]:
        return None
    done, begins = np.diff(series.steps), series.steps[1:]
    if (np.diff(series.of("epoch"))[done < 0] == 0).any():  # those of an evaluation may begin anew within an epoch
        return None
    are_apart = (done == count) | ((done < 0) & (begins == count))  # an epoch begins anew
    is_so = len(series) >= FEWEST and bool(are_apart.all()) and series.steps[0] > 0 and (done == count).any()
    return Message(ALL_OF_THEM if ratio is None else OF_SO_MANY, count=count) if is_so else None


def _counts(series: SpokenSeries) -> Numbers:
    found = [row.form.at(of) if (of := series.slots[row.form].of) is not None else None for row in series.rows]
    return np.array([row.number(slot) for row, slot in zip(series.rows, found, strict=True)])
