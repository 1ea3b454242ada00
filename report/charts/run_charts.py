"""The charts of a run: its throughput over time and, where its cards were watched, their memory and power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from parsers.runs.facts import Facts
from parsers.runs.reading import Reading
from parsers.series import Floats, Mask, Series

from ..evidence.case_evidence import facts_of
from ..evidence.cell import Cell, Proof
from ..measure.measurement import Measurement
from ..measure.number import digits, printed
from ..measure.records import runs_of
from ..measure.sources import CLOCKS
from ..pagefile.page import Page, Table
from ..wording.words import Translator
from .chart import Chart
from .chart_words import label
from .figure import Figure, figures
from .palette import look
from .telemetry_charts import telemetry_charts
from .timeline import Span, Stretch, Timeline, in_unit

# Why stretches that stand in the line are not in the window, by the names of ``measurement.Use``.
BEFORE = ("skip_records", "skip_steps", "before", "warm_up")
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

    ``measurement``: the throughput of the log, with all stretches of its source. ``colour``: its class. ``facts``:
    those of the log with what a page says beyond them. ``note``: which run it is, to stand under the title. Raises
    WordsError for a language without catalogue, LogError where a side file of the run is broken.
    """
    translator, known = Translator(language), reading.facts if facts is None else facts
    every = measurement.series if measurement.every is None else measurement.every
    drawn = [_throughput(reading, every, measurement, colour, note, translator)] if len(every) > 1 else []
    return [*drawn, *telemetry_charts(reading, measurement, known, colour, note, translator)]


def _throughput(
    reading: Reading, every: Series, measurement: Measurement, colour: str, note: str, translator: Translator
) -> Chart:
    """The rate of each stretch, with those marked that the number was made of."""
    unit = label(measurement.unit, 16)
    at, axis = _axis(reading, every, measurement.run, translator)
    before, after = (np.isin(every.lines, _lines(measurement, uses)) for uses in (BEFORE, AFTER))
    if every.timer == "clock":  # the first line is where its time begins
        before |= every.lines <= measurement.series.begins[0]
    timeline = Timeline(
        title=translator.say(TITLE, unit=unit),
        note=note,
        axis=axis,
        text=translator.translate(EACH_RECORD),
        at=at,
        values=every.work / every.seconds * measurement.per_series,
        left_out=list(_left_out(at, before, after, translator)),
        used=_used(measurement, at[~(before | after)], translator),
    )
    alternative = _alternative(timeline, measurement, before, after, translator)
    return Chart("throughput", timeline.title, timeline.spec(), alternative, colour)


def _axis(reading: Reading, every: Series, run: int, translator: Translator) -> tuple[Floats, str]:
    """Where stretches end on the axis, and its title: by time where all their records print it and it never falls."""
    for part in next((parts for parts in runs_of(reading) if parts[0].number == run), []):
        records = part.all_records(every.kind)
        known = np.isin(every.lines, records.lines).all()
        for clock in CLOCKS if known else ():
            times = records.numbers(clock)[np.searchsorted(records.lines, every.lines)]
            seconds = times - times[0]
            if (np.diff(seconds) >= 0).all() and seconds[-1] > 0:
                at, unit = in_unit(seconds)
                return at, translator.say(BY_TIME, unit=unit)
    return np.arange(1.0, len(every) + 1), translator.translate(BY_RECORD)


def _lines(measurement: Measurement, uses: Sequence[str]) -> list[int]:
    return [line for use in uses for line in measurement.left_out.get(use, ())]


def _left_out(at: Floats, before: Mask, after: Mask, translator: Translator) -> Iterator[Span]:
    window = at[~(before | after)]
    if before.any() and window.size:
        yield Span(float(at[0]), float(window[0]), translator.say(WARM_UP, count=int(before.sum())))
    if after.any() and window.size:
        yield Span(float(window[-1]), float(at[-1]), translator.say(NOT_USED, count=int(after.sum())))


def _used(measurement: Measurement, window: Floats, translator: Translator) -> Stretch | None:
    """The throughput over its window; None where no stretch ends in it."""
    if not window.size:
        return None
    text = translator.say(USED, value=_digits(measurement.value, measurement))
    return Stretch(Span(float(window[0]), float(window[-1]), text), measurement.value)


def _alternative(
    timeline: Timeline, measurement: Measurement, before: Mask, after: Mask, translator: Translator
) -> str:
    unit, values = label(measurement.unit, 16), timeline.values
    low, high = (_digits(float(end), measurement) for end in (values.min(), values.max()))
    value = _digits(measurement.value, measurement)
    sentences = [
        translator.say(SHAPE, count=len(values), low=low, high=high, unit=unit),
        translator.say(RESULT, before=int(before.sum()), after=int(after.sum()), value=value, unit=unit),
    ]
    return translator.sentences([*sentences, *timeline.thinning(translator)])


def _digits(value: float, measurement: Measurement) -> str:
    """A value as the protocol prints it, or with the digits of ``show`` where none is stated."""
    return printed(value, measurement.protocol) if measurement.protocol.states_rule else digits(value)


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
