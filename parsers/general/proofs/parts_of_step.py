"""Parts of a step: a time that does not hold that of its data, which a step takes besides."""

from collections.abc import Mapping

import numpy as np

from ...io.message import Message
from ...naming.slots import Slot
from ...naming.vocabulary import split
from ..line_form import LineForm
from ..spoken_series import SpokenSeries
from .step_proof import is_of_every_step

WITHOUT_DATA = (
    "{name} is the step time without data loading, which takes longer in some lines and is added: there is a "
    "line for each step"
)
FEWEST_LONGER = 2  # lines
LONGER = 1.05


def time_of_data(series: SpokenSeries) -> Mapping[LineForm, Slot] | None:
    """Where lines of a time of work tell that of the data as well; None where the time may hold it, or is of no step.

    A time is longer than each of its parts. No step of training takes less than a millisecond, so a time below 1
    without a unit is in seconds.
    """
    slots = {form: slot for form in series.slots if (slot := _of_data(form))}
    if len(slots) < len(series.slots) or not is_of_every_step(series):
        return None
    data = np.array([row.number(slots[row.form]) for row in series.rows])
    is_known = bool(np.isfinite(data).all()) and (series.sense.factor == 1.0 or series.median < 1)
    return slots if is_known and (data > LONGER * series.values).sum() >= FEWEST_LONGER else None


def why_without_data(series: SpokenSeries) -> Message:
    """What shows that the time of the data is added."""
    return Message(WITHOUT_DATA, name=series.sense.name)


def _of_data(form: LineForm) -> Slot | None:
    """The time of the data in lines of a form, where it is told once."""
    found = [slot for sense, slot in form.speeds.items() if "part" in sense.flags and "data" in split(sense.name)]
    return found[0] if len(found) == 1 else None
