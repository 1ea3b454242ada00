"""Headlines: the throughput of a log where no protocol is stated, of its steady part, and of each run by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords
from parsers.runs.reading import Reading

from ..measure.protocol import Protocol
from .checking.epochs_a_second import epochs_a_second, why_epochs
from .checking.loops import refuse_epochs, refuse_faster, refuse_several
from .checking.own_clock import by_own_clock, without_pauses
from .checking.rate_of_batches import of_batches
from .checking.running_means import CLOCK_GOES_ON, evened
from .checking.shown_steps import OF_SHOWN_STEPS, represented
from .crosscheck import COUNTS_A_PART, IN_STEPS, NONE_COMPUTED, chosen, estimated, which
from .estimate import ALL_ZERO, ROUNDED, Facts, Values
from .measurement import Measurement, NoMeasurement, measure
from .scaling import ASKING
from .windows.epochs_of_run import OF_EARLIER_RUNS, may_hold_earlier_runs
from .windows.warm_up import warm_up

FEWEST_STEADY = 3
FEWEST_ALIKE = 10

WARM_UP = (
    "Warm-up: the first {skip} of {count} records are skipped, each more than 10% slower than the median of the second "
    "half. Mean of all {count}: {mean} {unit}."
)
WARM_UP_OF_ONE = (
    "Warm-up: the first of {count} records is skipped, more than 10% slower than the median of the second half. Mean "
    "of all {count}: {mean} {unit}."
)
FEW_STEADY = "Only {left} of {count} records remain after warm-up; a longer run may give another throughput."
ONE_RECORD = "The log has only one step record, at line {line}; it may include warm-up."
OWN_INSTEAD = (
    "Only {left} of {count} step records remain after warm-up, too few for a throughput; the one that the program "
    "prints at line {line} is used."
)
MOSTLY_WARM_UP = (
    "The log has only {count} step records (line {first} to {last}), and the first is warm-up: too few for a "
    "throughput."
)
ONLY_FIRST_STEP = "The log has only one step record, at line {line}: the first step, which includes warm-up."
ONLY_STEPS = "The speed is in steps, as the log does not show how many samples or tokens a step has: {why}"
ONLY_STEPS_NUMBERED = (
    "The speed is in steps as the log numbers them, which may be forward passes where gradients are accumulated, as it "
    "does not show how many samples or tokens a step has: {why}"
)
NO_STEPS = "The log has no records that count steps."
CONSTANT = "All {count} records give {value} {unit}; a number that never changes may not be a measurement."

# Whose numbers are of whole steps.
STEPS_OF: Mapping[str, tuple[str, ...]] = {
    "step_time": ("step", "epoch", "summary"),
    "duration": ("step", "epoch"),
    "clock": ("step",),
}


@dataclass(frozen=True)
class RunOfLog:
    """One run of a log of several: its number from 1, its first and last record, what it gives or why it does not."""

    number: int
    lines: tuple[int, int]
    measurement: Measurement | None = None
    reason: Message | None = None


def headline(
    part: FormatRecords, reading: Reading, stated: Protocol | None
) -> tuple[Measurement, tuple[RunOfLog, ...]]:
    """Measure a part of a reading by a protocol, or the steady part of it by the first estimate that it allows.

    Of several runs, where the protocol names none, it is the last that gives a number; what each of them gives stands
    beside it (nothing where the log holds one). Raises ``NoMeasurement``.
    """
    refuse_epochs(part)
    if "run" not in part.table or not (stated and stated.run):
        refuse_several(part)
        refuse_faster(part)
    if "run" not in part.table:
        return _of_run(part, reading, stated, None), ()
    # Each run is measured on its own records: to look through the whole table for each would take the square of them.
    each = tuple(_of_itself(_measured(part.of_run(run), reading, stated), part) for run in _runs(part))
    if stated and stated.run:
        return _of_run(part, reading, stated, None), each
    found = next((run.measurement for run in reversed(each) if run.measurement), None)
    if found is None:
        return _of_run(part, reading, stated, int(part.table["run"][-1])), each
    are_alike = part.table.are(found.protocol.records)
    return found.among(part.table["line"] if are_alike.all() else part.table["line"][are_alike]), each


def _runs(part: FormatRecords) -> list[int]:
    """The numbers of the runs that have records, which follow each other."""
    numbers = part.table["run"]
    return [*numbers[:1].tolist(), *numbers[1:][numbers[1:] != numbers[:-1]].tolist()]


def _measured(part: FormatRecords, reading: Reading, stated: Protocol | None) -> RunOfLog:
    """What the records of one run give."""
    number, lines = int(part.table["run"][0]), part.table["line"]
    run = RunOfLog(number, (int(lines[0]), int(lines[-1])))
    stated = stated.overridden(f"run={number}") if stated else None
    try:
        return replace(run, measurement=_of_run(part, reading, stated, number))
    except NoMeasurement as error:
        return replace(run, reason=error.message)


def _of_itself(run: RunOfLog, part: FormatRecords) -> RunOfLog:
    """What a run gives, unless the time of all its epochs may be that of the runs before, too."""
    is_total = run.measurement is not None and run.measurement.protocol.is_of_whole_run
    if is_total and may_hold_earlier_runs(part.table, run.number):
        return replace(run, measurement=None, reason=Message(OF_EARLIER_RUNS))
    return run


def _of_run(part: FormatRecords, reading: Reading, stated: Protocol | None, run: int | None) -> Measurement:
    facts = reading.of_run(stated.run if stated and stated.run else run).facts
    found = _by(part, facts, stated, run)
    # The rate of each record is of no use any more: of a large log, or of many runs, they are a whole column.
    return replace(_told(found, of_batches(part, facts, found)), rates=None)


def _by(part: FormatRecords, facts: Facts, stated: Protocol | None, run: int | None) -> Measurement:
    if stated is None:
        return _unstated(part, facts, run)
    if run is not None:
        stated = stated.overridden(f"run={run}")
    if not stated.states_estimate:
        return estimated(part, facts, stated)
    return measure(part.table, part.fields, facts, stated)


def _unstated(part: FormatRecords, facts: Facts, run: int | None) -> Measurement:
    """What a run gives by no protocol: steps a second, or epochs, where what they hold is not known."""
    try:
        return _representative(part, facts, chosen(part, facts, run))
    except NoMeasurement as error:
        try:
            return _uncounted(part, facts, run, error)
        except NoMeasurement as other:
            raise (other if other.message.key in (*OF_SHOWN_STEPS, CLOCK_GOES_ON, ROUNDED) else error) from None


def _representative(part: FormatRecords, facts: Facts, plain: Measurement) -> Measurement:
    """The steady part of a measurement, where nothing else of the log says that it is not what all its steps did."""
    found = by_own_clock(part, facts, _steady(part, facts, plain))
    return represented(part, facts, evened(part, facts, found))


def _uncounted(part: FormatRecords, facts: Facts, run: int | None, error: NoMeasurement) -> Measurement:
    """Steps a second where only the size of a batch is missing, or epochs a second where only these have a time."""
    why = error.message.values.get("why")
    try:
        if not isinstance(why, Message) or why.key not in ASKING:
            raise error
        found = _representative(part, facts, _in_steps(part, facts, run))
    except NoMeasurement as other:
        try:
            found = epochs_a_second(part, facts, run)
        except NoMeasurement:
            raise other from None
        told = why_epochs(found) if error.message.key == NONE_COMPUTED else [error.message]
        return _told(_steady(part, facts, found), told)
    key = ONLY_STEPS if found.protocol.estimate in ("steps", "instant") else ONLY_STEPS_NUMBERED
    return _told(found, [Message(key, why=why)])


def _in_steps(part: FormatRecords, facts: Facts, run: int | None) -> Measurement:
    """Measure steps a second by the first protocol that the log allows, in the order of ``chosen``.

    ``run``: which one of a log that holds several. Raises ``NoMeasurement``.
    """
    reasons: list[NoMeasurement] = []
    for estimate, kinds in STEPS_OF.items():
        for kind in (kind for kind in kinds if _says_it(part, kind)):
            last = {"statistic": "last"} if kind == "summary" else {}
            protocol = Protocol.of({"records": kind, **IN_STEPS[estimate], **which(part, run), **last})
            try:
                return measure(part.table, part.fields, facts, protocol)
            except NoMeasurement as error:
                reasons.append(error)
    raise (reasons or [NoMeasurement(NO_STEPS)])[0]


def _says_it(part: FormatRecords, kind: str) -> bool:
    """Whether records of a kind may say the speed: several summaries without a step may be of several models."""
    count = int(part.table.are(kind).sum())
    return count > 0 if kind != "summary" or (kind, "step") in part.fields else count == 1


def _steady(part: FormatRecords, facts: Facts, plain: Measurement) -> Measurement:
    """The measurement without its warm-up, by the program's own figure where too few records are left."""
    rates = plain.rates
    if plain.unpaused:
        return without_pauses(part, facts, plain)
    if plain.protocol.records == "summary" or rates is None:
        return plain
    skip, count = warm_up(rates), len(rates)
    left = count - skip
    if left < FEWEST_STEADY and (skip or count == 1) and plain.protocol.records == "step":
        return _of_few(part, facts, plain, skip)
    return _told(_without(part, facts, plain, skip), _constant(plain, rates))


def _without(part: FormatRecords, facts: Facts, plain: Measurement, skip: int) -> Measurement:
    """The measurement without the first records, and the mean of all beside it."""
    if not skip:
        return plain
    found = measure(part.table, part.fields, facts, plain.protocol.overridden(f"skip_records={skip}"))
    told = {"count": plain.records_used, "mean": f"{plain.value:.6g}", "unit": plain.unit}
    of_choice = [said for said in plain.warnings if said.key in (ALL_ZERO, COUNTS_A_PART)]
    return _told(
        found, [*of_choice, Message(WARM_UP_OF_ONE, **told) if skip == 1 else Message(WARM_UP, skip=skip, **told)]
    )


def _told(found: Measurement, more: Iterator[Message] | list[Message]) -> Measurement:
    return replace(found, warnings=(*found.warnings, *more))


def _of_few(part: FormatRecords, facts: Facts, plain: Measurement, skip: int) -> Measurement:
    """What a run gives with hardly a record after its warm-up; raises ``NoMeasurement`` where that is nothing."""
    count = plain.records_used
    left = count - max(skip, 1)
    if own := _own(part, facts, plain):
        return _told(own, [Message(OWN_INSTEAD, left=left, count=count, line=own.ends[-1])])
    if count == 1:
        return _of_one(part, plain)
    if left < FEWEST_STEADY - 1:
        first, last = plain.ends
        raise NoMeasurement(MOSTLY_WARM_UP, count=count, first=first, last=last)
    return _told(_without(part, facts, plain, skip), [Message(FEW_STEADY, left=left, count=count)])


def _of_one(part: FormatRecords, plain: Measurement) -> Measurement:
    """The measurement of one record, unless that is the first step."""
    (line,) = plain.lines
    field = part.fields.get(("step", "step"))
    if field is not None and (part.table["step"][part.table["line"] == line] == (field.first or 0)).any():
        raise NoMeasurement(ONLY_FIRST_STEP, line=line)
    return _told(plain, [Message(ONE_RECORD, line=line)])


def _own(part: FormatRecords, facts: Facts, plain: Measurement) -> Measurement | None:
    """What the program prints itself of whole epochs or of the run, in the same unit, of the same cards or the job."""
    run = {} if plain.protocol.run is None else {"run": plain.protocol.run}
    for kind, statistic in (("epoch", "mean"), ("summary", "last")):
        protocol = Protocol.of({"records": kind, "estimate": "reported", "statistic": statistic, **run})
        try:
            found = measure(part.table, part.fields, facts, protocol)
        except NoMeasurement:
            continue
        if found.unit == plain.unit and found.scope in (plain.scope, "job"):
            return found
    return None


def _constant(plain: Measurement, rates: Values) -> Iterator[Message]:
    if len(rates) >= FEWEST_ALIKE and (rates == rates[0]).all():
        yield Message(CONSTANT, count=len(rates), value=f"{plain.value:.6g}", unit=plain.unit)
