"""Figures of one card beside the throughput of a log, over the same records: its rate, TFLOP/s and MFU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from parsers.runs.facts import Facts
from parsers.runs.reading import Reading

from .diagnostics import NoMeasurement
from .measurement import Measurement
from .quantities.peaks import card_of

PERCENT = 100.0
OPERATIONS: Mapping[str, tuple[str, str]] = {
    "flops": ("tflops_per_card", "TFLOP/s"),
    "hardware_flops": ("hardware_tflops_per_card", "TFLOP/s"),
    "mfu": ("mfu", "%"),
}


@dataclass(frozen=True)
class Figure:
    """A number of one card, by the name of its quantity, in its unit."""

    name: str
    value: float
    unit: str


def figures(reading: Reading, found: Measurement) -> Iterator[Figure]:
    """What the log says of one card over the records of its throughput; the MFU by its data sheet where it is known."""
    cards = _count(reading.facts, "cards")
    if found.scope == "job" and cards is not None and cards > 1:
        yield Figure("throughput_per_card", found.value / cards, f"{found.unit}/card")
    printed = {column: value for column in OPERATIONS if (value := _printed(reading, found, column)) is not None}
    if (share := _share_of_peak(reading.facts, printed.get("flops"))) is not None:
        printed["mfu"] = share
    for column, value in printed.items():
        name, unit = OPERATIONS[column]
        yield Figure(name, value, unit)


def _count(facts: Facts, name: str) -> int | None:
    fact = facts.get(name)
    return fact.value if fact is not None and isinstance(fact.value, int) else None


def _printed(reading: Reading, found: Measurement, column: str) -> float | None:
    """The mean of a column by the time of each record, or the last running mean, of one card."""
    seconds = dict(zip(found.series.lines.tolist(), found.series.seconds.tolist(), strict=True))
    for part in reading.parts:
        field = part.fields.get((found.estimate.kind, column))
        if field is None or column not in part.table:
            continue
        rows = part.table.rows(np.isin(part.table["line"], found.lines) & np.isfinite(part.table[column]))
        if not len(rows):
            continue
        values = np.asarray(rows[column], np.float64)
        if field.kind in ("running_mean", "total"):
            value = float(values[-1])
        else:
            weights = np.array([seconds.get(line, 0.0) for line in rows["line"].tolist()])
            value = float(np.average(values, weights=weights if weights.any() else None))
        counts = {"card": 1, "node": _count(reading.facts, "cards_per_node"), "job": _count(reading.facts, "cards")}
        divisor = counts.get(field.scope or "unknown")
        return value / (divisor if column != "mfu" else 1) if divisor else None
    return None


def _share_of_peak(facts: Facts, tflops: float | None) -> float | None:
    """The MFU (percent) of a card whose data sheet states its peak; None where it cannot be that."""
    if tflops is None or not {"device", "precision"} <= facts.keys():
        return None
    try:
        _, peak = card_of([str(facts["device"].value)], str(facts["precision"].value).lower())
    except NoMeasurement:
        return None
    return share if (share := tflops / peak * PERCENT) <= PERCENT else None
