"""The charts of a run: the memory and the power of its cards over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from parsers.io.lazy import pd
from parsers.runs.facts import Facts
from parsers.runs.reading import Reading
from parsers.runs.run_folder import TELEMETRY

from ..evidence.reason import NoEvidenceError
from ..evidence.telemetry.telemetry_quantities import Observation, observe
from ..evidence.telemetry.telemetry_window import RunTelemetry, run_telemetry
from ..measure.measurement import Measurement
from ..measure.number import printed
from ..measure.protocol import Protocol
from ..measure.quantity import PEAK_MEMORY, POWER, Quantity, Shown
from ..wording.words import Translator
from .chart import Chart
from .timeline import Span, Stretch, Timeline, in_unit

HIGHEST = "maximum over the run: {value}"
MEAN_OF_WINDOW = "mean over the measurement window: {value}"
MEAN_OF_RUN = "mean over the run: {value}"
BY_TIME = "time since the first sample ({unit})"


@dataclass(frozen=True)
class TelemetryDrawing:
    """How a quantity is drawn over time.

    ``column``: the one of gpu.csv that is drawn, and what the chart is called. ``title``, ``text`` (beside the line)
    and ``shape`` (what a reader who sees no picture is told): messages.
    """

    column: str
    title: str
    text: str
    shape: str
    shape_of_one: str


DRAWINGS: Mapping[Quantity, TelemetryDrawing] = {
    PEAK_MEMORY: TelemetryDrawing(
        "memory",
        "Memory of the card with the highest use ({unit})",
        "highest of all cards",
        (
            "Line chart of the highest memory use of {cards} cards, sampled every second, from {low} to {high} "
            "{unit}; {level}."
        ),
        "Line chart of the memory use of one card, sampled every second, from {low} to {high} {unit}; {level}.",
    ),
    POWER: TelemetryDrawing(
        "power",
        "Total power of all cards ({unit})",
        "total of all cards",
        "Line chart of the total power of {cards} cards, sampled every second, from {low} to {high} {unit}; {level}.",
        "Line chart of the power of one card, sampled every second, from {low} to {high} {unit}; {level}.",
    ),
}


def telemetry_charts(
    reading: Reading, measurement: Measurement, facts: Facts, look: str, note: str, translator: Translator
) -> Iterator[Chart]:
    """The charts ``memory`` and ``power`` of a run, those that the gpu.csv beside its log gives.

    ``look``: the class of their colour. ``note``: which run it is. Raises LogError where a side file of the run is
    broken.
    """
    if not reading.path.with_name(TELEMETRY).exists():
        return
    try:
        run = run_telemetry(reading.path.name, reading, facts, measurement)
    except NoEvidenceError:
        return
    for quantity in DRAWINGS:
        try:
            found = observe(quantity, run, measurement)
        except NoEvidenceError:
            continue
        yield from _chart(run, found, look, note, translator)


def _chart(run: RunTelemetry, found: Observation, look: str, note: str, translator: Translator) -> Iterator[Chart]:
    drawing = DRAWINGS[found.quantity]
    each = _each_second(run, found.quantity, drawing.column)
    if len(each) < 2:
        return
    seconds = each.index.to_numpy(dtype=np.float64)
    at, of_time = in_unit(np.append(seconds, np.clip(_ends(run, found.quantity), seconds[0], seconds[-1])))
    start, end = at[-2:].tolist()
    timeline = Timeline(
        title=translator.say(drawing.title, unit=_unit(found)),
        note=note,
        axis=translator.say(BY_TIME, unit=of_time),
        text=translator.translate(drawing.text),
        at=at[:-2],
        values=each.to_numpy(dtype=np.float64).astype(np.float64),
        used=Stretch(Span(start, end, _level(run, found, translator)), found.value),
    )
    alternative = _alternative(timeline, run, found, translator)
    yield Chart(drawing.column, timeline.title, timeline.spec(), alternative, look)


def _level(run: RunTelemetry, found: Observation, translator: Translator) -> str:
    """What the number is, in words, and the number."""
    of_mean = MEAN_OF_RUN if run.window is None else MEAN_OF_WINDOW
    message = HIGHEST if found.quantity.is_peak else of_mean
    return translator.say(message, value=_printed(found.value, found))


def _unit(found: Observation) -> str:
    return Shown(found.quantity, "").unit


def _printed(value: float, found: Observation) -> str:
    return printed(value, Shown(found.quantity, "").printing(Protocol()))


def _each_second(run: RunTelemetry, quantity: Quantity, column: str) -> pd.Series[float]:
    """What all cards give together, by the whole seconds since the first sample.

    Of a peak the most of any card; else the sum, a straight line standing in where a card has no sample.
    """
    samples = run.samples.dropna(subset=column)
    second = (samples["time"] - _start(run)).dt.total_seconds().floordiv(1)
    by_card = samples.assign(second=second).pivot_table(
        index="second", columns="card", values=column, aggfunc="max" if quantity.is_peak else "mean"
    )
    if quantity.is_peak:
        return by_card.max(axis="columns")
    return by_card.interpolate(method="index", limit_area="inside").dropna().sum(axis="columns")


def _start(run: RunTelemetry) -> pd.Timestamp:
    start: pd.Timestamp = run.samples["time"].min()
    return start


def _ends(run: RunTelemetry, quantity: Quantity) -> list[float]:
    """From when to when a number holds, in seconds since the first sample: the window, or all of the run."""
    times = run.samples["time"]
    ends = (times.min(), times.max()) if run.window is None or quantity.is_peak else run.window
    return [(end - _start(run)).total_seconds() for end in ends]


def _alternative(timeline: Timeline, run: RunTelemetry, found: Observation, translator: Translator) -> str:
    low, high = (_printed(float(end), found) for end in (timeline.values.min(), timeline.values.max()))
    unit, level = _unit(found), _level(run, found, translator)
    cards, drawing = len(run.cards), DRAWINGS[found.quantity]
    shape = drawing.shape_of_one if cards == 1 else drawing.shape
    sentence = translator.say(shape, cards=cards, low=low, high=high, unit=unit, level=level)
    return translator.sentences([sentence, *timeline.thinning(translator)])
