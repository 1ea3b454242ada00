"""Card clocks: how fast and how hot the cards ran, by the gpu.csv of each run, and which of that differs between sides.

Telemetry is never twice the same: it differs where all runs of one side are above all of the other, by more than a
steady card varies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parsers.runs.run_folder import TELEMETRY

from ..measure.measurement import Measurement
from ..results.remarks import NoEvidenceError
from ..results.telemetry import in_window, run_telemetry
from .changes import ChangedCondition
from .compared_runs import ComparedRun
from .conditions import StatedAt

# By column of gpu.csv: its unit, and the difference that counts, as a fraction or in the unit itself.
COLUMNS: Mapping[str, tuple[str, float, float]] = {
    "sm_clock": ("MHz", 0.01, 0.0),
    "memory_clock": ("MHz", 0.01, 0.0),
    "power": ("W", 0.05, 0.0),
    "temperature": ("°C", 0.0, 5.0),
}

Medians = Mapping[str, float]
Telemetries = Sequence[tuple[ComparedRun, Medians]]


def card_medians(run: ComparedRun, measurement: Measurement) -> Medians:
    """The median of each column over the run's cards and the window of its measurement.

    Without those that the cards do not tell, and empty where there is no gpu.csv of this log, or it does not say which
    cards are the run's. Raises LogError where a side file is broken.
    """
    reading = run.reading
    try:
        found = run_telemetry(reading.path.name, reading, reading.facts, measurement)
    except NoEvidenceError:
        return {}
    samples = in_window(found.samples, found.window)
    medians = {name: samples[name].median() for name in COLUMNS}
    return {name: float(median) for name, median in medians.items() if np.isfinite(median)}


def clock_changes(sides: Sequence[Telemetries]) -> list[ChangedCondition]:
    """What the telemetry of two sides tells apart."""
    return [change for name in COLUMNS if (change := _change(name, *sides))]


def _change(name: str, a: Telemetries, b: Telemetries) -> ChangedCondition | None:
    (of_a, of_b), (unit, fraction, least) = ([run[name] for _, run in s if name in run] for s in (a, b)), COLUMNS[name]
    if not (of_a and of_b) or not (max(of_a) < min(of_b) or max(of_b) < min(of_a)):
        return None
    apart = abs(float(np.median(of_b)) - float(np.median(of_a)))
    if apart <= fraction * abs(float(np.median(of_a))) + least:
        return None
    values = tuple((_range(values, unit),) for values in (of_a, of_b))
    places = tuple(tuple(StatedAt(run.reading.path.with_name(TELEMETRY), key=name) for run, _ in s[:1]) for s in (a, b))
    return ChangedCondition(f"{TELEMETRY} {name}", (values[0], values[1]), (places[0], places[1]))


def _range(values: Sequence[float], unit: str) -> str:
    low, high = f"{min(values):g}", f"{max(values):g}"
    return f"{low} {unit}" if low == high else f"{low}–{high} {unit}"
