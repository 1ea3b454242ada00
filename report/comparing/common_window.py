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
from parsers.series import Floats

from ..measure.diagnostics import NoMeasurement
from ..measure.measure import measure, run_of
from ..measure.measurement import Measurement, combine
from ..measure.protocol import Protocol
from ..measure.records import Records
from ..measure.stated import READS, readable
from .compared_runs import ComparedRun

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
    """The keys of a window of ours, as text for a protocol; ``steps``: its first and last step."""

    keys: str
    steps: tuple[int, int] | None = None
    notes: tuple[Message, ...] = ()


def measured_alike(runs: Sequence[ComparedRun], stated: Protocol | None = None) -> Alike:
    """Measure all runs by one protocol over one range of steps.

    Without a stated protocol by the source that the rule chose for one of them; a window that is stated stands as it
    is. Raises NoMeasurement where no protocol fits all of them, or they have no steps in common.
    """
    reasons = list[NoMeasurement]()
    for base in dict.fromkeys(base for run in runs for base in _bases(run.measurement, stated)):
        is_window_stated = base.states_window or base.records == "summary"
        try:
            window = _Window("") if is_window_stated else _window(runs, base)
            protocol = base.overridden(window.keys) if window.keys else base
            measured = tuple(_all(runs, protocol))
        except NoMeasurement as error:
            reasons.append(error)
            continue
        if is_window_stated:
            window = _stated_window(runs, base, measured)
        return Alike(protocol, measured, window.steps, window.notes)
    raise NoMeasurement(APART, reason=reasons[0].message) from reasons[0]


def _bases(found: Measurement, stated: Protocol | None) -> Iterator[Protocol]:
    """The stated protocol, or what reads the source that the rule read, as work over time; none names a run."""
    if stated is not None and stated.states_rule:
        yield Protocol.of(found.protocol.model_dump(exclude_unset=True, exclude={"run"}))
        return
    series, counted = found.series, found.estimate.counted
    estimate = next((name for name, columns in READS.items() if series.source in columns), "reported")
    keys = {"records": series.kind, "estimate": estimate}
    if estimate != "reported" and counted in ("steps", "epochs"):
        keys["counts"] = counted
        if series.undone:
            yield Protocol.of({**keys, "estimate": "instant"})
    elif series.undone:
        keys["estimate"] = "instant"
    if series.whole and estimate != "clock":
        keys["statistic"] = "last"
    elif estimate in ("reported", "duration"):
        keys["statistic"] = "harmonic_mean"
    yield Protocol.of(keys)


def _all(runs: Sequence[ComparedRun], protocol: Protocol) -> Iterator[Measurement]:
    found = [measure(run.reading, _of_run(run, protocol)) for run in runs]
    combine(found, Protocol())  # raises where they differ in unit or scope
    for run, one in zip(runs, found, strict=True):
        if not one.value > 0:
            raise NoMeasurement(ZERO, log=run.reading.path)
    yield from found


def _of_run(run: ComparedRun, protocol: Protocol) -> Protocol:
    """The protocol, for the run that was measured of a log that may hold several."""
    return protocol.overridden(f"run={run.measurement.run}")


def _records(run: ComparedRun, base: Protocol) -> Records:
    """The records that a protocol reads, whatever its window."""
    reasons = list[NoMeasurement]()
    for part in run_of(run.reading, _of_run(run, base)):
        try:
            return readable(part, base)
        except NoMeasurement as error:
            reasons.append(error)
    raise reasons[0]


def _window(runs: Sequence[ComparedRun], base: Protocol) -> _Window:
    records = [_records(run, base) for run in runs]
    steps = [one.steps for one in records if one.steps is not None]
    if len(steps) < len(records):
        return _window_of_records([len(one) for one in records], base.records)
    return _window_of_steps(steps)


def _window_of_steps(steps: Sequence[Floats]) -> _Window:
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


def _stated_window(runs: Sequence[ComparedRun], base: Protocol, measured: Sequence[Measurement]) -> _Window:
    """No window of ours; where the one of the protocol reads other steps of one run than of another, that is told."""
    if base.records == "summary":
        return _Window("")
    ends = set[tuple[int, int]]()
    for run, one in zip(runs, measured, strict=True):
        records = _records(run, base)
        if records.steps is None:
            return _Window("")
        used = records.steps[np.isin(records.lines, one.use.used)]
        ends.add((int(used[0]), int(used[-1])))
    if len(ends) == 1:
        return _Window("", ends.pop())
    each = joined("{first}; {second}", (Message(TO, first=first, last=last) for first, last in sorted(ends)))
    return _Window("", None, (Message(OWN_WINDOWS, each=each),))
