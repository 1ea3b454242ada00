"""The clock that records print: where they print means of steps as well, it says more truly how long these took."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords

from ..crosscheck import TOLERANCE, by_clock
from ..estimate import READS, Facts
from ..measurement import Measurement, NoMeasurement, measure
from ..timing import WARNINGS as OF_PAUSES
from .rounding import WHOLE_SECONDS

WITHOUT_PAUSES = (
    "The clock runs from line {start} to line {stop}, the longest stretch without a pause, such as an evaluation or a "
    "restart; with pauses, from line {first} to line {last}, it gives {value} {unit}."
)
BY_CLOCK = (
    "The clock that the records print is used, because {column} is a mean of steps before, too: the mean of {count} "
    "gives {value} {unit}, {ratio} times as much."
)
BY_MEDIAN = (
    "The median is used, because the mean, {value} {unit}, spans pauses: without these the clock gives {clock} {unit}."
)
NEAR = 0.03
FEWEST, LARGE = 3, 0.4
ENDS, MOST_ROUNDED = 2, 0.2  # seconds that both ends of a clock of whole seconds may be off
# What a number of a record may hold of steps before it.
OF_STEPS_BEFORE = ("unknown",)


def without_pauses(part: FormatRecords, facts: Facts, plain: Measurement) -> Measurement:
    """The measurement of the longest stretch without a pause, unless whole seconds say little of one so short."""
    if not plain.unpaused:
        return plain
    first, last = plain.unpaused
    protocol = plain.protocol.overridden(f"skip_records={first + 1},take_first={last - first}")
    found = measure(part.table, part.fields, facts, protocol)
    if _by_rounding(found) > MOST_ROUNDED:
        return plain
    start, stop = plain.ends
    told = {"value": f"{plain.value:.6g}", "unit": plain.unit, "first": start, "last": stop}
    said = Message(WITHOUT_PAUSES, start=found.ends[0], stop=found.ends[1], **told)
    return replace(found, warnings=(*found.warnings, said))


def by_own_clock(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """What was measured of means of steps, or what the clock of its records gives where that differs by more than 2%.

    Records of steps print a clock and a number that holds steps before, such as the bars of tqdm do.
    """
    if (column := _column(part, found)) is None:
        return found
    protocol = by_clock(found.protocol, in_steps=found.protocol.estimate != "step_time")
    try:
        clock = _of_large_part(part, facts, measure(part.table, part.fields, facts, protocol))
    except NoMeasurement:
        return found
    if (usual := _usual(part, facts, found, clock)) is not None:
        return usual
    ratio = found.value / clock.value
    if clock.unit != found.unit or abs(ratio - 1) <= max(TOLERANCE, _by_rounding(clock)):
        return replace(found, warnings=(*found.warnings, *(said for said in clock.warnings if said.key in OF_PAUSES)))
    told = {"column": column, "count": found.records_used, "value": f"{found.value:.6g}", "unit": found.unit}
    return replace(clock, warnings=(*clock.warnings, Message(BY_CLOCK, **told, ratio=f"{ratio:.3f}")))


def _by_rounding(found: Measurement) -> float:
    """By what part a measurement may be off where its clock of whole seconds is short; 0 where that is little."""
    seconds = next((str(said.values["seconds"]) for said in found.warnings if said.key == WHOLE_SECONDS), None)
    return ENDS / float(seconds) if seconds else 0.0


def _usual(part: FormatRecords, facts: Facts, found: Measurement, clock: Measurement) -> Measurement | None:
    """The median of the records, where pauses cut them up and the clock says about the same without; else None."""
    pauses = [said for said in clock.warnings if said.key in OF_PAUSES]
    free = next((float(str(said.values["value"])) for said in pauses), 0.0)
    if not free or clock.unit != found.unit or abs(found.value / free - 1) <= TOLERANCE:
        return None
    median = measure(part.table, part.fields, facts, found.protocol.overridden("statistic=median"))
    if abs(median.value / free - 1) > NEAR:
        return None
    told = {"value": f"{found.value:.6g}", "unit": found.unit, "clock": f"{free:.6g}"}
    return replace(median, warnings=(*median.warnings, *pauses, Message(BY_MEDIAN, **told)))


def _of_large_part(part: FormatRecords, facts: Facts, clock: Measurement) -> Measurement:
    """What a clock gives without its pauses, where few of them leave a large part of the records in one stretch."""
    first, last = clock.unpaused or (0, 0)
    return without_pauses(part, facts, clock) if last - first >= LARGE * clock.available else clock


def _column(part: FormatRecords, found: Measurement) -> str | None:
    """The column of means that was measured, where its records print a clock; None where they do not."""
    protocol = found.protocol
    if (
        protocol.records != "step"
        or protocol.estimate not in ("steps", "step_time")
        or not {"step", "elapsed"} <= set(part.table)
    ):
        return None
    if not _goes_on(part, found):
        return None
    fields = [part.fields[key] for name in READS["steps"] if (key := ("step", name)) in part.fields]
    return next((field.name for field in fields if field.kind in OF_STEPS_BEFORE), None)


def _goes_on(part: FormatRecords, found: Measurement) -> bool:
    """Whether the steps grow several times before the clock begins anew; a bar may be drawn only at its ends.

    Those of several lengths may be of training and of an evaluation in turns.
    """
    table = part.of_run(found.protocol.run).table
    if "steps_per_epoch" in table and len(np.unique(table["steps_per_epoch"])) > 1:
        return False
    steps, clocks = np.diff(table["step"].astype(np.float64)), np.diff(table["elapsed"].astype(np.float64))
    begins = (steps < 0) | (clocks < 0)
    return bool((steps > 0).sum() >= FEWEST * (begins.sum() + 1))
