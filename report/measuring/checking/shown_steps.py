"""Shown steps: whether those that a log prints are like those between them, which its running means hold as well.

A program that prints every hundredth step of an epoch, from the first, shows one that waited for its data too often.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords

from ...measure.diagnostics import NoMeasurement
from ..caveats import SLOW_START, UNEVEN
from ..crosscheck import by_clock
from ..estimate import Facts
from ..measurement import Measurement, measure
from ..record_columns import Columns
from .own_figures import by_epochs, by_means_beside

FAR = 0.1  # of a throughput
NEAR = 0.15  # a usual step to the mean of all, which holds the first one of each epoch
# From one half of predictions to the other; of a run whose first record comes so many times later than the next.
TREND, TREND_OF_LATE, LATE = 2.0, 1.2, 3
ESTIMATES = ("reported", "step_time", "steps")

MEDIAN_OF_SHOWN = (
    "The median of the steps that the log shows is used: their mean, {mean} {unit}, over-weights the first steps of an "
    "epoch, as the running means beside them show, which give {value} {unit}."
)
MEDIAN_AS_EPOCHS = (
    "The median of the steps that the log shows is used: their mean, {mean} {unit}, over-weights slow steps, as the "
    "epoch records show, which give {value} {unit}."
)
MEDIAN_OF_PREDICTED = (
    "The median is used, as single predictions may be far off: a remaining time that is computed from one slow step "
    "counts that step for all that are left. The mean is {mean} {unit}."
)
PREDICTED_LATE = (
    "The first record is of step {step} already (line {line}); a program that went on from a checkpoint may predict by "
    "all steps so far, and its predictions are then too short."
)
PREDICTIONS_DIFFER = (
    "The remaining time, which is all that the log prints, predicts {early} {unit} in the first half of its lines and "
    "{late} {unit} in the second (line {first} to {last}): too far apart for a throughput."
)
UNLIKE = (
    "The steps that the log shows (line {first} to {last}) give {shown} {unit}, but the running means beside them, "
    "which hold all steps, {value} {unit}: too far apart for a throughput."
)
ONLY_FIRST = (
    "Each of the {count} step records (line {first} to {last}) is the first step of an epoch, which includes its start."
)
BETWEEN_EPOCHS = (
    "Each of the {count} step records is the first step of an epoch, which includes its start, so the time between "
    "them is used: it counts all steps of an epoch, with its evaluation and checkpoint."
)
FEWEST_EPOCHS, MANY_EPOCHS, MOST_UNEVEN = 2, 10, 2.0  # between two first steps each
TICKS = 2.0  # seconds that may be cut off
OF_SHOWN_STEPS = (UNLIKE, ONLY_FIRST, PREDICTIONS_DIFFER)


def represented(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """The measurement, or by the median where the running means of the log say that the first steps weigh too much.

    Raises ``NoMeasurement`` where the median is as far from them as the mean, or the log shows nothing but first steps.
    """
    part, protocol = part.of_run(found.protocol.run), found.protocol
    if protocol.records != "step" or protocol.estimate not in ESTIMATES:
        return found
    if _are_first_steps(part, found):
        return _between_epochs(part, facts, found)
    if _are_predicted(part):
        return _of_predicted(part, facts, found)
    beside = by_means_beside(part, facts, found, "step")
    of_all = next((one for one in beside if one.measurement.protocol.estimate == "instant"), None)
    if of_all is None:
        return _as_epochs(part, facts, found)
    if of_all.ratio <= 1 + FAR:
        return found
    value = of_all.measurement.value
    told = {"value": f"{value:.6g}", "unit": found.unit}
    median = measure(part.table, part.fields, facts, protocol.overridden("statistic=median"))
    if abs(median.value / value - 1) > NEAR:
        first, last = found.ends
        raise NoMeasurement(UNLIKE, first=first, last=last, shown=f"{found.value:.6g}", **told)
    said = Message(MEDIAN_OF_SHOWN, mean=f"{found.value:.6g}", **told)
    return _told(median, found, said)


def _are_predicted(part: FormatRecords) -> bool:
    """Whether the times of steps are those that a program expects the rest to take."""
    times = part.fields.get(("step", "step_time"))
    return times is not None and times.is_expected


def _of_predicted(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """The measurement, or by the median where a few predictions of a program make its mean."""
    found = replace(found, warnings=(*found.warnings, *_of_checkpoint(part, found)))
    if not any(one.key in (UNEVEN, SLOW_START) for one in found.warnings):
        return found
    median = measure(part.table, part.fields, facts, found.protocol.overridden("statistic=median"))
    return _told(median, found, Message(MEDIAN_OF_PREDICTED, mean=f"{found.value:.6g}", unit=found.unit))


def _of_checkpoint(part: FormatRecords, found: Measurement) -> Iterator[Message]:
    """Tell a run that went on from a checkpoint, whose steps before it may count as done in no time.

    Raises ``NoMeasurement`` where its predictions change as they do then, or those of any run by much more.
    """
    if found.rates is None or len(found.rates) < 2:
        return
    steps = Columns(part.table).of_kind("step").numbers("step")
    is_late = len(steps) > 1 and steps[0] > LATE * np.median(np.abs(np.diff(steps)))
    early, late = (float(np.median(half)) for half in np.array_split(found.rates, 2))
    first, last = found.ends
    if max(early, late) > (TREND_OF_LATE if is_late else TREND) * min(early, late):
        told = {"early": f"{early:.6g}", "late": f"{late:.6g}", "unit": found.unit}
        raise NoMeasurement(PREDICTIONS_DIFFER, first=first, last=last, **told)
    if is_late:
        yield Message(PREDICTED_LATE, step=f"{steps[0]:g}", line=first)


def _as_epochs(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """The measurement, or by the median where whole epochs took as long as that says, and not as the mean does."""
    whole = next(by_epochs(part, facts, found), None)
    if whole is None or whole.ratio <= 1 + FAR or found.protocol.statistic != "mean":
        return found
    value = whole.measurement.value
    median = measure(part.table, part.fields, facts, found.protocol.overridden("statistic=median"))
    if abs(median.value / value - 1) > FAR:
        return found
    said = Message(MEDIAN_AS_EPOCHS, mean=f"{found.value:.6g}", value=f"{value:.6g}", unit=found.unit)
    return _told(median, found, said)


def _told(median: Measurement, found: Measurement, said: Message) -> Measurement:
    """The median with what was told of the mean, but for that a median would be better."""
    told = (one for one in found.warnings if one.key not in (UNEVEN, SLOW_START))
    return replace(median, warnings=(*told, said))


def _between_epochs(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """What the clock of records gives of which each is the first step of an epoch, whose steps they tell.

    Raises ``NoMeasurement`` where they print no clock, or one that may restart with each epoch, or do not tell how many
    steps an epoch has.
    """
    first, last = found.ends
    refused = NoMeasurement(ONLY_FIRST, count=len(found.use.used), first=first, last=last)
    lengths = Columns(part.table).of_kind("step")
    is_known = "steps_per_epoch" in lengths and lengths.finite("steps_per_epoch").all()
    if not is_known or not _goes_on(lengths):
        raise refused
    try:
        clock = measure(part.table, part.fields, facts, by_clock(found.protocol, in_steps=True))
    except NoMeasurement:
        raise refused from None
    return replace(clock, warnings=(*clock.warnings, Message(BETWEEN_EPOCHS, count=len(found.use.used))))


def _goes_on(records: Columns) -> bool:
    """Whether the clock of first steps goes on over epochs: by more each time than it took to come to the first.

    One that restarts shows how long each first step took; that may rise, but not so much and as evenly, nor for many
    epochs. None but stamps is a clock of its own.
    """
    if ("time" in records and records.printed("time").all()) or "elapsed" not in records:
        return True
    clocks = records.numbers("elapsed")
    passed = np.diff(clocks)
    is_even = len(passed) >= FEWEST_EPOCHS and passed.max() <= MOST_UNEVEN * passed.min()
    is_long = len(passed) >= MANY_EPOCHS and clocks[-1] > MANY_EPOCHS * clocks[0]
    return bool(is_even and passed.min() > (TICKS if is_long else clocks[0] + TICKS))


def _are_first_steps(part: FormatRecords, found: Measurement) -> bool:
    """Whether each record is the first step of an epoch, and an epoch has more."""
    field = part.fields.get(("step", "step"))
    records = Columns(part.table).of_kind("step")
    if field is None or "epoch" not in records:
        return False
    used = records.rows(np.isin(records["line"], found.use.used))
    epochs, steps = used.numbers("epoch"), used.numbers("step")
    is_whole = "steps_per_epoch" in used and (used.numbers("steps_per_epoch") <= 1).any()
    is_first = (steps == (field.first or 0)).all() and (np.diff(epochs) != 0).all()
    return len(used) > 1 and not is_whole and bool(is_first)
