"""The common rule: what the numbers of a row would be if one protocol had made them all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .cell import Cell, Proof
from .evidence import by_protocol, facts_of
from .measurement import NoMeasurement, Throughput, combine
from .protocol import Protocol
from .reason import NoEvidenceError
from .selection import select

WARM_UP = 10
# The first that all logs of a row allow; each reads one record at a time, so that a median of them can be had.
RULES = tuple((records, estimate) for records in ("step", "epoch") for estimate in ("instant", "reported", "duration"))


@dataclass(frozen=True)
class Common:
    """A cell by the common rule of its row.

    ``protocol``: the rule as its log allows it; of several runs that of the first. ``number``: in the unit of the page.
    ``ratio``: to the first cell of the row by this rule, ``published_ratio``: by the published numbers; None to a 0.
    """

    cell: Cell
    protocol: Protocol
    number: float
    ratio: float | None
    published_ratio: float | None


def by_one_rule(unit: str, row: Sequence[Cell]) -> tuple[Common, ...]:
    """Measure the cells of a row, which all have a throughput in ``unit``, by one rule; empty where none fits all logs.

    It is the median of all records but the first 10, of a log with fewer than 20 but the first half, so that neither a
    slow start nor an outlier nor a stalled end counts; of several runs it is the median.
    """
    for records, estimate in RULES:
        try:
            return tuple(_common(row, [_runs(unit, cell, records, estimate) for cell in row]))
        except (NoMeasurement, NoEvidenceError):
            continue
    return ()


def _common(row: Sequence[Cell], measured: Sequence[Sequence[tuple[Protocol, Throughput]]]) -> Iterator[Common]:
    numbers = [combine([found for _, found in runs], runs[0][0]) for runs in measured]
    for cell, runs, number in zip(row, measured, numbers, strict=True):
        published_ratio = _ratio(cell.number or 0, row[0].number or 0)
        yield Common(cell, runs[0][0], number, _ratio(number, numbers[0]), published_ratio)


def _ratio(number: float, first: float) -> float | None:
    return number / first if first else None


def _runs(unit: str, cell: Cell, records: str, estimate: str) -> list[tuple[Protocol, Throughput]]:
    rule = {"records": records, "estimate": estimate, "statistic": "median", "repeats": "median"}
    protocols = [_without_warm_up(cell, proof, rule) for proof in cell.proofs]
    return [
        (protocol, by_protocol(unit, cell, proof, protocol))
        for protocol, proof in zip(protocols, cell.proofs, strict=True)
    ]


def _without_warm_up(cell: Cell, proof: Proof, rule: Mapping[str, str]) -> Protocol:
    """The rule as a log allows it."""
    there = select(proof.columns, proof.reading.fields, facts_of(cell, proof), Protocol.of(rule)).are_used
    return Protocol.of({**rule, "skip_records": min(WARM_UP, int(np.count_nonzero(there)) // 2)})
