"""The common window: one protocol and one range of steps for all runs of a case, and whether their work is the same.

Schedules change the time of a step, so runs are compared over the steps that all of them have, without the first tenth
of their records and at least the first one. Rates are averaged as times, for a run of equal steps is as fast as its
mean time, and not its mean rate. Where a report alone tells of a run, all are measured as it was for the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from parsers.io.message import Message

from ..measure.diagnostics import Code, NoMeasurement, say
from ..measure.measure import measure, run_of
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from ..measure.records import Records
from ..measure.stated import READS, readable
from ..results.agreement import JOB_BATCH, OF_MODEL, changed, stated_by
from .sides import Measured, ReadRun

SKIPPED = 0.1  # of the records that all runs have
NO_STEPS_IN_COMMON = (
    "The runs of this case have no steps in common: one ends at step {last}, another begins at step {first}."
)
BY_COUNT = "The steps of the runs are not numbered throughout; the first {count} records of each run are compared."
ALL_RECORDS = "The runs have too few records in common to drop the first; it may include warm-up."
# What says how large a step of one card is, where no batch of the job is stated, and what counts beside it.
OF_STEP = ("batch_size", "micro_batch_size")
OF_SIZE = (*JOB_BATCH, *OF_STEP, "sequence_length", "accumulation", "cards", "data_parallel")

Notes = tuple[Message, ...]
Window = tuple[str, tuple[int, int] | None, Notes]  # keys of a protocol, the first and last step, what must be known


def measured_alike(runs: Sequence[ReadRun], stated: Protocol | None = None) -> tuple[tuple[ReadRun, ...], Notes]:
    """Measure all runs by one protocol over one range of steps, each then with its number; and what a reader must know.

    Without a stated protocol by the source that the rule chose for one of them; a window that is stated stands as it
    is. Raises NoMeasurement where no protocol fits all of them, or they have no steps in common.
    """
    reasons = list[NoMeasurement]()
    is_stated = stated is not None and stated.states_rule
    of_reports = [Protocol.parse(run.number.protocol) for run in runs if run.measurement is None]
    recorded = [stated] if of_reports and is_stated and stated else of_reports
    found = (base for run in runs if run.measurement for base in _bases(run.measurement, stated))
    for base in dict.fromkeys(recorded or found):
        try:
            is_window_stated = recorded or base.states_window or base.records == "summary"
            keys, steps, notes = ("", None, ()) if is_window_stated else _window(runs, base)
            protocol = base.overridden(keys) if keys else base
            numbers = [_number(run, protocol, steps) for run in runs]
            kinds = {f"{number.unit} ({number.scope})" for number in numbers}
            if len(kinds) > 1:
                raise NoMeasurement(say(Code.UNLIKE_UNITS, kinds=", ".join(sorted(kinds))))
        except NoMeasurement as error:
            reasons.append(error)
            continue
        return tuple(replace(run, number=number) for run, number in zip(runs, numbers, strict=True)), notes
    reason = reasons[0].message
    raise NoMeasurement("The runs of this case cannot be measured by one protocol: {reason}", reason=reason)


def _number(run: ReadRun, protocol: Protocol, steps: tuple[int, int] | None) -> Measured:
    """What a run gives by a protocol; ``steps``: the first and last of the window."""
    number = run.number
    if run.reading is not None and run.measurement is not None:
        found = measure(run.reading, protocol.overridden(f"run={run.measurement.run}"))
        number = Measured.of(found, run.reading, protocol, steps)
    elif number.protocol != protocol.words():
        raise NoMeasurement("{log} is recorded by another protocol: {other}", log=run.log, other=number.protocol)
    if not number.value > 0:
        raise NoMeasurement("{log} gives a throughput of 0.", log=run.log)
    return number


def _bases(found: Measurement, stated: Protocol | None) -> Iterator[Protocol]:
    """The stated protocol, or what reads the source that the rule read, as work over time; none names a run."""
    if stated is not None and stated.states_rule:
        yield Protocol.of(found.protocol.model_dump(exclude_unset=True, exclude={"run"}))
        return
    series = found.series
    estimate = next((name for name, columns in READS.items() if series.source in columns), "reported")
    keys = {"records": series.kind, "estimate": "instant" if series.undone else estimate}
    if estimate != "reported" and found.estimate.counted in ("steps", "epochs"):
        if series.undone:
            yield Protocol.of({**keys, "counts": found.estimate.counted})
        keys |= {"counts": found.estimate.counted, "estimate": estimate}
    if series.whole and estimate != "clock":
        keys["statistic"] = "last"
    elif estimate in ("reported", "duration"):
        keys["statistic"] = "harmonic_mean"
    yield Protocol.of(keys)


def _window(runs: Sequence[ReadRun], base: Protocol) -> Window:
    records = [_records(run, base) for run in runs]
    steps = [one.steps for one in records if one.steps is not None]
    if len(steps) < len(records):
        return _window_of_records([len(one) for one in records], base.records)
    first, last = max(int(one[0]) for one in steps), min(int(one[-1]) for one in steps)
    if first > last:
        raise NoMeasurement(NO_STEPS_IN_COMMON, last=last, first=first)
    common = [np.unique(one[(one >= first) & (one <= last)]) for one in steps]
    are_few = min(map(len, common)) < 2
    skipped = 0 if are_few else max(int(one[_skipped(len(one)) - 1]) for one in common)
    if skipped >= last:
        raise NoMeasurement(NO_STEPS_IN_COMMON, last=last, first=skipped + 1)
    skip = f"skip_steps={skipped}," if skipped else ""
    notes = (Message(ALL_RECORDS),) if are_few else ()
    return f"{skip}take_first={last - skipped}steps", (skipped + 1, last), notes


def _records(run: ReadRun, base: Protocol) -> Records:
    """The records of a run that a protocol reads, whatever its window."""
    reasons = list[NoMeasurement]()
    if run.reading is not None and run.measurement is not None:
        for part in run_of(run.reading, base.overridden(f"run={run.measurement.run}")):
            try:
                return readable(part, base)
            except NoMeasurement as error:
                reasons.append(error)
    raise reasons[0]


def _window_of_records(counts: Sequence[int], kind: str) -> Window:
    """The first records that all runs have, without the first tenth; epochs follow each other without numbers, too."""
    count = min(counts)
    by_count = [Message(BY_COUNT, count=count)] if kind == "step" or len(set(counts)) > 1 else []
    if count < 2:
        return "take_first=1", None, (*by_count, Message(ALL_RECORDS))
    skip = _skipped(count)
    return f"skip_records={skip},take_first={count - skip}", None, tuple(by_count)


def _skipped(count: int) -> int:
    return max(1, int(SKIPPED * count))


def other_work(sides: tuple[Sequence[ReadRun], Sequence[ReadRun]], unit: str) -> Message | None:
    """Why a unit of work is not shown to be the same on both sides; None where it is.

    A sample or a token is, of one model. A step is where all runs state its size, and one size.
    """
    facts = ((fact for run in side for fact in run.facts.values()) for side in sides)
    differing = [name for name, _ in changed(stated_by(*facts))]
    if name := next((name for name in OF_MODEL if name in differing), None):
        return Message("a unit of work is another one: the models differ ({name})", name=name)
    stated = {name for name in OF_SIZE if all(name in run.facts for side in sides for run in side)}
    if not unit.startswith("steps") or not stated.isdisjoint({*JOB_BATCH} - {*differing}):
        return None
    if name := next((name for name in OF_SIZE if name in differing), None):
        return Message("the speed is in steps, and these are not of one size ({name})", name=name)
    if stated.isdisjoint(OF_STEP):
        return Message("the speed is in steps, and nothing shows that those of both sides are of one size")
    return None
