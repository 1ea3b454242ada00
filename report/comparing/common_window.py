"""The common window: one protocol and one range of steps for all runs of a case, on both sides.

Schedules change the time of a step, so runs are compared over the steps that all of them have, without the first tenth
of their records and at least the first one. Rates are averaged as times, for a run of equal steps is as fast as its
mean time, and not its mean rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from parsers.io.message import Message, joined

from ..evidence.log_summary import Summary
from ..measure.protocol import Protocol
from ..measuring.measurement import Measurement, NoMeasurement, combine, measure
from ..measuring.selection import select
from ..measuring.window import Counts, step_field, steps_done

BASE = ("records", "estimate", "counts")
WINDOW = (
    *("skip_records", "skip_steps", "skip_fraction", "from_step", "to_step"),
    *("drop_last", "take_first", "take_last"),
)
SKIPPED = 0.1  # of the records that all runs have
APART = "The runs of this case cannot be measured by one protocol: {reason}"
NO_STEPS_IN_COMMON = (
    "The runs of this case have no steps in common: one ends at step {last}, another begins at step {first}."
)
BY_COUNT = "The steps of the runs are not numbered throughout; the first {count} records of each run are compared."
ALL_RECORDS = "The runs have too few records in common to drop the first; it may include warm-up."
OWN_WINDOWS = "The window of the protocol reads different steps of the runs: {each}."
TO = "{first} to {last}"
ZERO = "{log} gives a throughput of 0."


@dataclass(frozen=True)
class Alike:
    """What all runs of a case give by one protocol, in their order; ``steps``: the first and last step, where known.

    ``notes``: what a reader must know of the window.
    """

    protocol: Protocol
    measurements: tuple[Measurement, ...]
    steps: tuple[int, int] | None
    notes: tuple[Message, ...]


@dataclass(frozen=True)
class _Window:
    """The keys of a window, as text for a protocol; ``steps``: its first and last step."""

    keys: str
    steps: tuple[int, int] | None = None
    notes: tuple[Message, ...] = ()


def measured_alike(runs: Sequence[Summary], stated: Protocol | None = None) -> Alike:
    """Measure all runs by one protocol over one range of steps.

    ``runs``: each with a measurement, by ``stated`` where that is given; a window that it states stands as it is.
    Raises NoMeasurement where no protocol fits all of them, or they have no steps in common.
    """
    reasons = list[NoMeasurement]()
    for base in dict.fromkeys(_base(run, stated) for run in runs):
        try:
            window = _stated_window(runs, base) if _has_window(base) else _window(runs, base)
            protocol = base.overridden(window.keys) if window.keys else base
            return Alike(protocol, tuple(_all(runs, protocol)), window.steps, window.notes)
        except NoMeasurement as error:
            reasons.append(error)
    raise NoMeasurement(APART, reason=reasons[0].message) from reasons[0]


def _base(run: Summary, stated: Protocol | None) -> Protocol:
    """The protocol by which a run was measured, without its window where nobody stated one."""
    keys = run.protocol.model_dump(exclude_unset=True, exclude={"run"})
    if stated is not None:
        return Protocol.of(keys)
    keys = {key: keys[key] for key in BASE if key in keys}
    if run.protocol.records == "summary":
        return Protocol.of({**keys, "statistic": "last"})
    is_rate = run.protocol.reads_throughput or run.protocol.estimate == "duration"
    return Protocol.of({**keys, "statistic": "harmonic_mean"} if is_rate else keys)


def _has_window(protocol: Protocol) -> bool:
    return protocol.records == "summary" or bool(protocol.model_dump(exclude_defaults=True).keys() & {*WINDOW})


def _all(runs: Sequence[Summary], protocol: Protocol) -> Iterator[Measurement]:
    found = [measure(run.part.table, run.part.fields, run.reading.facts, _of_run(run, protocol)) for run in runs]
    combine(found, Protocol())  # raises where they differ in unit or scope
    for run, one in zip(runs, found, strict=True):
        if not one.value > 0:
            raise NoMeasurement(ZERO, log=run.reading.path)
    yield from found


def _of_run(run: Summary, protocol: Protocol) -> Protocol:
    """The protocol, for the run that was measured of a log that holds several."""
    number = run.protocol.run
    return protocol if number is None else protocol.overridden(f"run={number}")


def _window(runs: Sequence[Summary], base: Protocol) -> _Window:
    try:
        steps = [_steps(run, base) for run in runs]
    except NoMeasurement:
        return _window_of_records([_count(run, base) for run in runs], base.records)
    return _window_of_steps(steps)


def _steps(run: Summary, base: Protocol) -> Counts:
    """The steps done when each readable record was printed."""
    found = select(run.part.table, run.part.fields, run.reading.facts, _of_run(run, base))
    return steps_done(found.log.records, step_field(run.part.fields, base.records))


def _count(run: Summary, base: Protocol) -> int:
    found = select(run.part.table, run.part.fields, run.reading.facts, _of_run(run, base))
    return len(found.log.records)


def _window_of_steps(steps: Sequence[Counts]) -> _Window:
    """The steps that all runs have, without the first tenth of the records of the run that prints fewest of them."""
    first, last = max(int(one[0]) for one in steps), min(int(one[-1]) for one in steps)
    if first > last:
        raise NoMeasurement(NO_STEPS_IN_COMMON, last=last, first=first)
    common = [np.unique(one[(one >= first) & (one <= last)]) for one in steps]
    are_few = min(map(len, common)) < 2
    skipped = 0 if are_few else max(int(one[_skipped(len(one)) - 1]) for one in common)
    if skipped >= last:
        raise NoMeasurement(NO_STEPS_IN_COMMON, last=last, first=skipped + 1)
    skip = f"skip_steps={skipped}," if skipped else ""
    return _Window(
        f"{skip}take_first={last - skipped}steps", (skipped + 1, last), (Message(ALL_RECORDS),) if are_few else ()
    )


def _window_of_records(counts: Sequence[int], kind: str) -> _Window:
    """The first records that all runs have, without the first tenth; epochs follow each other without numbers, too."""
    count = min(counts)
    by_count = [Message(BY_COUNT, count=count)] if kind == "step" or len(set(counts)) > 1 else []
    if count < 2:
        return _Window("take_first=1", None, (*by_count, Message(ALL_RECORDS)))
    skip = _skipped(count)
    return _Window(f"skip_records={skip},take_first={count - skip}", None, tuple(by_count))


def _skipped(count: int) -> int:
    return max(1, int(SKIPPED * count))


def _stated_window(runs: Sequence[Summary], base: Protocol) -> _Window:
    """No window of ours; where the one of the protocol reads other steps of one run than of another, that is told."""
    if base.records == "summary":
        return _Window("")
    try:
        ends = list(dict.fromkeys(_ends(run, base) for run in runs))
    except NoMeasurement:  # the steps are not numbered
        return _Window("")
    if len(ends) == 1:
        return _Window("", ends[0])
    each = joined("{first}; {second}", (Message(TO, first=first, last=last) for first, last in ends))
    return _Window("", None, (Message(OWN_WINDOWS, each=each),))


def _ends(run: Summary, base: Protocol) -> tuple[int, int]:
    """The first and the last step whose records the protocol uses."""
    found = select(run.part.table, run.part.fields, run.reading.facts, _of_run(run, base))
    used = steps_done(found.log.records, step_field(run.part.fields, base.records))[found.are_used]
    return int(used[0]), int(used[-1])
