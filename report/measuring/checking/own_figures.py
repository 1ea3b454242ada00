"""Own figures: what a program prints itself of its epochs, its run or its other steps, held against a measurement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from parsers.grammar.field import Field
from parsers.grammar.format import METRICS
from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import Provenance, line

from ...measure.protocol import Protocol
from ..crosscheck import ESTIMATES, TOLERANCE, Check, by, compared, ways
from ..estimate import Facts, steps_between, values
from ..measurement import Measurement, NoMeasurement, measure
from ..record_columns import Columns
from ..selection import readings
from ..window import Mask
from .running_means import LAST_MEANS, TIMES_OF_STEPS, by_last_means, in_steps

OWN = "The {kind} records ({own}) give {value} {unit}, {ratio} times the throughput measured ({used})."
MEANS = (
    "The means in the {kind} records ({own}) give {value} {unit}, {ratio} times the throughput measured ({used}): "
    "steps that the log does not show count in them."
)
# What an epoch or a summary tells by itself: the time between two of them also holds what is no training.
OF_A_RECORD = ("reported", "step_time", "duration")
LEAST_EPOCHS = 2


def own_figures(
    parts: Sequence[FormatRecords], facts: Facts, measured: Measurement, of: FormatRecords
) -> Iterator[Check]:
    """The throughput by the other kinds of records of a log, and by its other formats; ``of``: what was measured.

    What steps print is held against what epochs and summaries print; where one of those was measured, against whatever
    the steps allow. Each is of the run that was measured.
    """
    yield from by_last_means(of, facts, measured)
    for other in parts:
        part = other.of_run(measured.protocol.run)
        for kind in (kind for kind in METRICS if part.table.are(kind).any()):
            if other is not of or kind != measured.protocol.records:
                records = _with_steps(part) if kind == "epoch" else part
                yield from _first(records, facts, measured, kind, ESTIMATES if kind == "step" else OF_A_RECORD)
            yield from by_means_beside(part, facts, measured, kind)


def by_epochs(part: FormatRecords, facts: Facts, measured: Measurement) -> Iterator[Check]:
    """The throughput by what the records of epochs of a run print of whole epochs."""
    part = part.of_run(measured.protocol.run)
    if measured.protocol.records != "epoch" and part.table.are("epoch").sum() >= LEAST_EPOCHS:
        yield from _first(_with_steps(part), facts, measured, "epoch", OF_A_RECORD)


def by_means_beside(part: FormatRecords, facts: Facts, measured: Measurement, kind: str) -> Iterator[Check]:
    """The throughput by the running means that records of a kind print beside that of a step, or its time."""
    if (field := part.fields.get((kind, "mean_throughput"))) is not None:
        yield from _by_means(_of_means(part, kind, field), facts, measured, kind, field)
    if (field := part.fields.get((kind, "mean_step_time"))) is not None:
        yield from _by_mean_times(part, facts, measured, kind, field)


def _of_means(part: FormatRecords, kind: str, field: Field, name: str = "throughput") -> FormatRecords:
    """The part with the means that records of a kind print beside their throughput, or time of a step, in its place."""
    table = part.table.having(name, part.table[field.name])
    fields = {key: known for key, known in part.fields.items() if key != (kind, "throughput")}
    return replace(part, table=table, fields={**fields, (kind, name): field})


def _with_steps(part: FormatRecords) -> FormatRecords:
    """The part whose epochs have the steps that its steps say an epoch has, where these all say the same.

    A single epoch holds the warm-up: it stays without.
    """
    steps, epochs = (Columns(part.table).of_kind(kind) for kind in ("step", "epoch"))
    if len(epochs) < LEAST_EPOCHS or "steps_per_epoch" not in steps or epochs.printed("steps_per_epoch").any():
        return part
    told = steps.numbers("steps_per_epoch")
    if not len(told) or not (told == told[0]).all():
        return part
    return replace(part, table=part.table.having("steps_per_epoch", np.full(len(part.table), told[0])))


def _by_means(means: FormatRecords, facts: Facts, measured: Measurement, kind: str, field: Field) -> Iterator[Check]:
    """The last mean of a run; of means of epochs what the steps between those used give, printed or not."""
    if field.kind == "total" or field.per == "run":
        yield from _first(means, facts, measured, kind, ("reported",), "last")
    elif (kind, "reported") == (measured.protocol.records, measured.protocol.estimate):
        try:
            found = measure(means.table, means.fields, facts, by("instant", measured.protocol))
        except NoMeasurement:
            return
        yield from compared(found, measured, means, facts)


def _by_mean_times(
    part: FormatRecords, facts: Facts, measured: Measurement, kind: str, field: Field
) -> Iterator[Check]:
    """The same of the mean times of a step: running means tell how long the steps between the records used took."""
    means, protocol = _of_means(part, kind, field, "step_time"), measured.protocol
    if field.kind == "total":
        yield from _first(means, facts, measured, kind, ("step_time",), "last")
    elif (kind, protocol.estimate, protocol.statistic) in TIMES_OF_STEPS and kind == protocol.records:
        try:
            seconds = _mean_time(part, facts, measured) / _time_between(means, facts, measured)
        except NoMeasurement:
            return
        if np.isfinite(seconds) and seconds > 0:
            found = replace(measured, value=measured.value * seconds, protocol=by("instant", protocol), rates=None)
            yield Check(found, seconds)


def _mean_time(part: FormatRecords, facts: Facts, measured: Measurement) -> float:
    """The mean time of a step by what the records that were used print of it."""
    records, found = readings(part.table, part.fields, facts, in_steps(measured))
    return float(found.values[_used(records, measured)].mean())


def _time_between(means: FormatRecords, facts: Facts, measured: Measurement) -> float:
    """The same by their running means: of all the steps that each adds, printed or not."""
    kind = measured.protocol.records
    records, _ = readings(means.table, means.fields, facts, in_steps(measured))
    steps = steps_between(records, means.fields, kind, "step_time")
    times = values(records, means.fields, Protocol(records=kind, estimate="instant"))
    used = _used(records, measured)
    with np.errstate(invalid="ignore"):
        return float(np.float64((times[used] * steps[used]).sum()) / steps[used].sum())


def _used(records: Columns, measured: Measurement) -> Mask:
    """Which records were used (bool), but for the first one of a run: its running mean holds the warm-up."""
    used = np.isin(records["line"], measured.use.used)
    used[:1] &= len(used) == 1
    return used


def _first(
    part: FormatRecords,
    facts: Facts,
    measured: Measurement,
    kind: str,
    estimates: Sequence[str],
    statistic: str | None = None,
) -> Iterator[Check]:
    """The first estimate that records allow, if any, held against what was measured."""
    if measured.protocol.counts == "epochs" and kind != "epoch":
        return
    run = {} if measured.protocol.run is None else {"run": measured.protocol.run}
    statistic = statistic or ("last" if kind == "summary" else None)
    last = {"statistic": statistic} if statistic else {}
    for keys in ways(estimates, measured.protocol):
        protocol = Protocol.of({"records": kind, **keys, **run, **last})
        try:
            found = measure(part.table, part.fields, facts, protocol)
        except NoMeasurement:
            continue
        yield from compared(found, measured, part, facts)
        return


def differing(found: Iterable[Check], measured: Measurement) -> Iterator[Message]:
    """Tell what is more than 2% from a measurement, with the lines of both."""
    for check in found:
        if abs(check.ratio - 1) > TOLERANCE:
            own = check.measurement
            told = {"kind": own.protocol.records, "value": f"{own.value:.6g}", "unit": own.unit}
            lines = {"own": _lines(own), "used": _lines(measured)}
            means = LAST_MEANS if check.told == LAST_MEANS else MEANS
            key = means if own.protocol.estimate == "instant" else OWN
            yield Message(key, ratio=f"{check.ratio:.3f}", **told, **lines)


def _lines(measured: Measurement) -> Message:
    first, last = measured.ends
    return (line(first) if first == last else Provenance("lines", (first, last))).message
