"""Running means of each epoch: what their last ones say of the steps that they cover, held against their own mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords

from ...measure.protocol import Protocol
from ..caveats import RUNNING_MEAN
from ..crosscheck import TOLERANCE, Check, by, by_clock
from ..estimate import READS, Facts, Values
from ..measurement import Measurement, NoMeasurement, measure
from ..record_columns import Columns
from ..selection import readings
from ..window import Counts, begins_within_clock, step_field, steps_in_epoch
from ..windows.warm_up import warm_up

LAST_MEANS = (
    "The steps that the running means cover ({own}) took as long as {value} {unit} makes, {ratio} times the throughput "
    "measured ({used}): its mean over-weights early steps."
)
MEDIAN_OF_MEANS = (
    "The median of the running means is used: their last ones give {value} {unit}, but their mean {mean} {unit}, which "
    "over-weights the first steps of an epoch."
)
LAST_MEAN_OF_EACH = (
    "The last running mean of each epoch is used: the mean of {count} records, {mean} {unit}, over-weights the first "
    "steps of an epoch."
)
CLOCK_GOES_ON = (
    "The clock of the progress bar does not restart with its steps, first at line {line}, so the speeds it shows are "
    "not those of an epoch."
)
WITHIN_EPOCHS = (
    "The clock of the progress bar does not restart with its steps, first at line {line}, so the speeds it shows are "
    "not those of an epoch; the throughput is that of the steps between the first and the last drawing of each epoch."
)
# What was measured from the times of steps that the records print, each with its weight of one.
TIMES_OF_STEPS = (("step", "steps", "mean"), ("step", "step_time", "mean"))
FEWEST_EPOCHS = 2  # the only one holds all of its warm-up, and a stall at the end of the run


def evened(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """The measurement by the median of running means, or their last ones, where their mean is not what these give.

    Where they are not means of an epoch, it is that by the clock. Raises ``NoMeasurement`` where this says nothing.
    """
    if (line := _clock_of_run(part, found)) is not None:
        return _within_epochs(part, facts, found, line)
    last = next((check for check in by_last_means(part, facts, found) if abs(check.ratio - 1) > TOLERANCE), None)
    if last is None:
        return found
    median = measure(part.table, part.fields, facts, found.protocol.overridden("statistic=median"))
    if abs(median.value / last.measurement.value - 1) > TOLERANCE:
        return _by_last(part, facts, found, last.measurement) or found
    others = [said for said in found.warnings if said.key != RUNNING_MEAN]
    told = {"value": f"{last.measurement.value:.6g}", "mean": f"{found.value:.6g}", "unit": found.unit}
    return replace(median, warnings=(*others, Message(MEDIAN_OF_MEANS, **told)))


def _clock_of_run(part: FormatRecords, found: Measurement) -> int | None:
    """The line where the clock of a bar first goes on though its steps begin anew: means hold epochs before, too."""
    fields = (part.fields.get(("step", name)) for name in READS["steps"])
    if not _is_of_times(found.protocol) or not any(field and field.kind == "running_mean" for field in fields):
        return None
    records = Columns(part.of_run(found.protocol.run).table).of_kind("step")
    begins = begins_within_clock(records)
    return int(records["line"][1:][begins][0]) if begins.any() else None


def _within_epochs(part: FormatRecords, facts: Facts, found: Measurement, line: int) -> Measurement:
    """The measurement by the clock of a bar that goes on from epoch to epoch."""
    protocol = by_clock(found.protocol, in_steps=found.protocol.estimate != "step_time")
    try:
        clock = measure(part.table, part.fields, facts, protocol)
    except NoMeasurement:
        raise NoMeasurement(CLOCK_GOES_ON, line=line) from None
    return replace(clock, warnings=(*clock.warnings, Message(WITHIN_EPOCHS, line=line)))


def _is_of_times(protocol: Protocol) -> bool:
    return (protocol.records, protocol.estimate, protocol.statistic) in TIMES_OF_STEPS


def _by_last(part: FormatRecords, facts: Facts, found: Measurement, last: Measurement) -> Measurement | None:
    """The measurement by the last running mean of each epoch but a slow first one; None unless nearer to ``last``."""
    run = {} if found.protocol.run is None else {"run": found.protocol.run}
    stated = Protocol.of({"records": found.protocol.records, "estimate": found.protocol.estimate, **run})
    try:
        means = measure(part.table, part.fields, facts, by("instant", stated))
        if means.records_used < FEWEST_EPOCHS:
            return None
        if means.rates is not None and warm_up(means.rates):  # the first epoch holds what warms up
            means = measure(part.table, part.fields, facts, means.protocol.overridden("skip_records=1"))
    except NoMeasurement:
        return None
    if means.unit != found.unit or abs(means.value - last.value) >= abs(found.value - last.value):
        return None
    told = {"count": found.records_used, "mean": f"{found.value:.6g}", "unit": found.unit}
    return replace(means, warnings=(*means.warnings, Message(LAST_MEAN_OF_EACH, **told)))


def by_last_means(part: FormatRecords, facts: Facts, measured: Measurement) -> Iterator[Check]:
    """The time of all steps that the running means of each epoch cover, where running means are used.

    Their plain mean, which was measured, counts the first steps of an epoch in each of them.
    """
    part, protocol = part.of_run(measured.protocol.run), measured.protocol
    if not _is_of_times(protocol):
        return
    try:
        records, found = readings(part.table, part.fields, facts, in_steps(measured))
        steps = steps_in_epoch(records, step_field(part.fields, "step"))
    except NoMeasurement:
        return
    name = next(name for name in READS["steps"] if ("step", name) in part.fields and name in records)
    field, used = part.fields[("step", name)], np.isin(records["line"], measured.use.used)
    used[: protocol.skip_records] = False
    if field.kind != "running_mean" or field.per == "run" or not used.any():
        return
    seconds = _seconds_of_a_step(steps[used], found.values[used])
    ratio = float(found.values[used].mean()) / seconds
    if np.isfinite(ratio) and ratio > 0:
        other = replace(measured, value=measured.value * ratio, protocol=by("instant", protocol), rates=None)
        yield Check(other, ratio, LAST_MEANS)


def _seconds_of_a_step(steps: Counts, means: Values) -> float:
    """The seconds of a step by the last mean of each epoch, which begins where the number of steps falls.

    What the first mean of all covers is left out, which holds the warm-up.
    """
    starts = np.concatenate([[0], np.flatnonzero(np.diff(steps) < 0) + 1])
    ends = np.concatenate([starts[1:], [len(steps)]]) - 1
    first = slice(0, 1 if ends[0] else 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        done = steps[ends].sum() - steps[first].sum()
        took = (steps * means)[ends].sum() - (steps * means)[first].sum()
        return float(np.float64(took) / done)


def in_steps(measured: Measurement) -> Protocol:
    """Reads the time of a step of all records of the run that was measured."""
    run = {} if measured.protocol.run is None else {"run": measured.protocol.run}
    return Protocol.of({"records": measured.protocol.records, "estimate": "steps", **run})
