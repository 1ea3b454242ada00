"""Own figures: what a program itself prints of a whole epoch or run, held against the throughput of its log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from parsers.grammar.format import METRICS
from parsers.io.message import Message
from parsers.runs.provenance import Provenance, line
from parsers.runs.reading_part import ReadingPart

from .crosscheck import ESTIMATES, TOLERANCE, Check, compared
from .estimate import Facts
from .measurement import Measurement, NoMeasurement, measure
from .protocol import Protocol

OWN = "The {kind} records ({own}) give {value} {unit}, {ratio} times the throughput measured ({used})."
WARNINGS = (OWN,)
# What an epoch or a summary tells by itself: the time between two of them also holds what is no training.
OF_A_RECORD = ("reported", "step_time", "duration")


def own_figures(parts: Sequence[ReadingPart], facts: Facts, measured: Measurement, of: ReadingPart) -> Iterator[Check]:
    """The throughput by the other kinds of records of a log, and by its other formats; ``of``: what was measured.

    What steps print is held against what epochs and summaries print; where one of those was measured, against whatever
    the steps allow. Each is of the run that was measured.
    """
    for part in parts:
        for kind in (kind for kind in METRICS if part.table.are(kind).any()):
            if part is not of or kind != measured.protocol.records:
                yield from _first(part, facts, measured, kind, ESTIMATES if kind == "step" else OF_A_RECORD)
            if (means := _of_means(part, kind)) is not None:
                yield from _first(means, facts, measured, kind, ("reported",), "last")


def _of_means(part: ReadingPart, kind: str) -> ReadingPart | None:
    """The part with the mean of the run that records print beside their throughput in its place; None without one."""
    field = part.fields.get((kind, "mean_throughput"))
    if field is None or not (field.kind == "total" or field.per == "run"):
        return None
    table = part.table.having("throughput", part.table["mean_throughput"])
    return replace(part, table=table, fields={**part.fields, (kind, "throughput"): field})


def _first(
    part: ReadingPart,
    facts: Facts,
    measured: Measurement,
    kind: str,
    estimates: Sequence[str],
    statistic: str | None = None,
) -> Iterator[Check]:
    """The first estimate that records allow, if any, held against what was measured."""
    run = {} if measured.protocol.run is None else {"run": measured.protocol.run}
    statistic = statistic or ("last" if kind == "summary" else None)
    last = {"statistic": statistic} if statistic else {}
    for estimate in estimates:
        protocol = Protocol.of({"records": kind, "estimate": estimate, **run, **last})
        try:
            found = measure(part.table, part.fields, facts, protocol)
        except NoMeasurement:
            continue
        yield from compared(found, measured, part, facts)
        return


def differing(found: Iterable[Check], measured: Measurement) -> Iterator[Message]:
    """Tell what is more than 2 % from a measurement, with the lines of both."""
    for check in found:
        if abs(check.ratio - 1) > TOLERANCE:
            own = check.measurement
            told = {"kind": own.protocol.records, "value": f"{own.value:.6g}", "unit": own.unit}
            lines = {"own": _lines(own), "used": _lines(measured)}
            yield Message(OWN, ratio=f"{check.ratio:.3f}", **told, **lines)


def _lines(measured: Measurement) -> Message:
    first, last = measured.lines[0], measured.lines[-1]
    return (line(first) if first == last else Provenance("lines", (first, last))).message
