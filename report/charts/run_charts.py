"""The charts of a run: its throughput over time and, where its cards were watched, their memory and power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parsers.grammar.field import Scope
from parsers.io.lazy import pd
from parsers.runs.reading import Reading

from ..evidence.case_evidence import facts_of
from ..evidence.cell import Cell, Proof
from ..measure.number import printed
from ..measure.protocol import Protocol
from ..measuring.estimate import TIMES, Facts, Values, counting
from ..measuring.measurement import Measurement, NoMeasurement
from ..measuring.selection import READ, readings
from ..measuring.timing import seconds_done
from ..measuring.window import Mask
from ..pagefile.page import Page, Table
from ..wording.words import Translator
from .chart import Chart
from .chart_words import label
from .figure import Figure, figures
from .palette import look
from .telemetry_charts import telemetry_charts
from .timeline import Span, Stretch, Timeline, in_unit

# What the records of a log are read by where the protocol itself reads only two of them.
INSTEAD = ("reported", "duration", "step_time")
# Why records that stand in the line are not in the window, by the keys of ``window.Reason``.
BEFORE = ("skip_records", "skip_steps", "before")
AFTER = ("drop_last", "beyond")

TITLE = "Throughput of one run ({unit})"
EACH_RECORD = "throughput per record"
BY_TIME = "time since the first record ({unit})"
BY_RECORD = "record number"
WARM_UP = "warm-up, skipped (records: {count})"
NOT_USED = "end, dropped (records: {count})"
USED = "protocol result: {value}"
SHAPE = "Line chart of the throughput of {count} records, from {low} to {high} {unit}."
RESULT = "Protocol result: {value} {unit}; records skipped as warm-up: {before}, dropped at the end: {after}."


@dataclass(frozen=True)
class _Run:
    """The throughputs of all records that can be read, the rows of these, and whose and in what they are."""

    values: Values
    records: pd.DataFrame
    unit: str
    scope: Scope


def run_charts(
    reading: Reading,
    measurement: Measurement,
    language: str,
    colour: str,
    *,
    facts: Facts | None = None,
    note: str = "",
) -> list[Chart]:
    """The charts of one run in a language: ``throughput``, and ``memory`` and ``power`` where gpu.csv gives them.

    ``measurement``: the throughput that the log gives by its protocol, with the lines that it uses. ``colour``: its
    class. ``facts``: those of the log with what a page says beyond them. ``note``: which run it is, to stand under the
    title. Raises WordsError for a language without catalogue, LogError where a side file of the run is broken.
    """
    translator, known = Translator(language), reading.facts if facts is None else facts
    found = _run(reading, measurement.protocol, known)
    drawn = [_throughput(found, measurement, colour, note, translator)] if found else []
    return [*drawn, *telemetry_charts(reading, measurement, known, colour, note, translator)]


def _run(reading: Reading, protocol: Protocol, facts: Facts) -> _Run | None:
    """What is drawn of a run; None where its records do not say how fast each of them was."""
    instead = INSTEAD if protocol.estimate == "clock" else (protocol.estimate,)
    for estimate in instead:
        try:
            found = _valued(reading, protocol.model_copy(update={"estimate": estimate}), facts)
        except NoMeasurement:
            continue
        if len(found.values) > 1:
            return found
    return None


def _valued(reading: Reading, protocol: Protocol, facts: Facts) -> _Run:
    """The records of a protocol with their throughputs; raises NoMeasurement."""
    records, found = readings(reading.records, reading.fields, facts, protocol)
    values = found.throughputs()
    finite = np.isfinite(values)
    return _Run(values[finite], records.frame(READ)[finite], found.unit, found.scope)


def _throughput(run: _Run, measurement: Measurement, colour: str, note: str, translator: Translator) -> Chart:
    unit = label(run.unit, 16)
    at, axis = _axis(run.records, translator)
    before, after = (np.isin(run.records["line"], _lines(measurement, keys)) for keys in (BEFORE, AFTER))
    timeline = Timeline(
        title=translator.say(TITLE, unit=unit),
        note=note,
        axis=axis,
        text=translator.translate(EACH_RECORD),
        at=at,
        values=run.values,
        left_out=list(_left_out(at, before, after, translator)),
        used=_used(run, measurement, at[~(before | after)], translator),
    )
    alternative = _alternative(timeline, measurement, before, after, translator)
    return Chart("throughput", timeline.title, timeline.spec(), alternative, colour)


def _axis(records: pd.DataFrame, translator: Translator) -> tuple[Values, str]:
    """Where the records stand on the axis, and its title: by time where all of them print it and it never falls."""
    if any(name in records and records[name].notna().all() for name in TIMES):
        seconds = seconds_done(records)
        seconds = seconds - seconds[0]
        if (np.diff(seconds) >= 0).all() and seconds[-1] > 0:
            at, unit = in_unit(seconds)
            return at, translator.say(BY_TIME, unit=unit)
    return np.arange(1.0, len(records) + 1), translator.translate(BY_RECORD)


def _lines(measurement: Measurement, keys: Sequence[str]) -> list[int]:
    return [line for key in keys for line in measurement.left_out.get(key, ())]


def _left_out(at: Values, before: Mask, after: Mask, translator: Translator) -> Iterator[Span]:
    window = at[~(before | after)]
    if before.any() and window.size:
        yield Span(float(at[0]), float(window[0]), translator.say(WARM_UP, count=int(before.sum())))
    if after.any() and window.size:
        yield Span(float(window[-1]), float(at[-1]), translator.say(NOT_USED, count=int(after.sum())))


def _used(run: _Run, measurement: Measurement, window: Values, translator: Translator) -> Stretch | None:
    """The throughput over its window; None where it is not of the same job or unit as the records are."""
    drawn, unit = map(counting, (run.unit, measurement.unit))
    if run.scope != measurement.scope or drawn != unit or not window.size:
        return None
    value = printed(measurement.value, measurement.protocol)
    text = translator.say(USED, value=value)
    return Stretch(Span(float(window[0]), float(window[-1]), text), measurement.value)


def _alternative(
    timeline: Timeline, measurement: Measurement, before: Mask, after: Mask, translator: Translator
) -> str:
    unit, protocol, values = label(measurement.unit, 16), measurement.protocol, timeline.values
    low, high = (printed(float(end), protocol) for end in (values.min(), values.max()))
    value = printed(measurement.value, protocol)
    sentences = [
        translator.say(SHAPE, count=len(values), low=low, high=high, unit=unit),
        translator.say(RESULT, before=int(before.sum()), after=int(after.sum()), value=value, unit=unit),
    ]
    return translator.sentences([*sentences, *timeline.thinning(translator)])


RUN = "Run: {run}."
NOTE_COLUMNS = 200


def over_time(
    page: Page, table: Table, cells: Sequence[Cell], name: str, translator: Translator, language: str
) -> Iterator[Chart]:
    """The charts of the runs of a table that it names as ``over_time``, in its order.

    ``cells``: those of the page. ``name``: what the names of the charts begin with. ``translator``: that of the page in
    the language. Raises LogError where a side file of a run is broken.
    """
    for number, figure in enumerate(_wanted(table, cells), 1):
        for chart in _charts(figure.cell, look(page.columns[figure.of].title), translator, language):
            yield replace(chart, name=f"{name}-run-{number}-{chart.name}", table=table.name)


def _wanted(table: Table, cells: Sequence[Cell]) -> Iterator[Figure]:
    """The numbers with a log whose runs are drawn, once each."""
    for figure in figures(table, cells):
        chosen = any(wanted.is_of(figure.of, figure.cell.case) for wanted in table.over_time)
        if chosen and figure.cell.proofs:
            yield figure


def _charts(cell: Cell, colour: str, translator: Translator, language: str) -> Iterator[Chart]:
    proof = _middle(cell.proofs)
    place = " · ".join((translator.translate(cell.row), translator.translate(cell.column)))
    run, note = (label(said, NOTE_COLUMNS) for said in (place, f"{place} · {proof.log}"))
    drawn = run_charts(proof.reading, proof.measurement, language, colour, facts=facts_of(cell, proof), note=note)
    for chart in drawn:
        told = translator.sentences([chart.alternative, translator.say(RUN, run=run)])
        yield replace(chart, title=f"{chart.title} · {run}", alternative=told)


def _middle(proofs: Sequence[Proof]) -> Proof:
    """Of several runs the one in the middle by throughput, the slower one of two."""
    return sorted(proofs, key=lambda proof: proof.measurement.value)[(len(proofs) - 1) // 2]
