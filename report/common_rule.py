"""The common rule: what the numbers of a row would be if one protocol had made them all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .cell import Cell, Proof
from .evidence import by_protocol
from .measurement import Measurement, NoMeasurement, combine
from .protocol import Protocol
from .reason import NoEvidenceError

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


def _common(row: Sequence[Cell], measured: Sequence[Sequence[Measurement]]) -> Iterator[Common]:
    numbers = [combine(runs, runs[0].protocol) for runs in measured]
    for cell, runs, number in zip(row, measured, numbers, strict=True):
        published_ratio = _ratio(cell.number or 0, row[0].number or 0)
        yield Common(cell, runs[0].protocol, number, _ratio(number, numbers[0]), published_ratio)


def _ratio(number: float, first: float) -> float | None:
    return number / first if first else None


def _runs(unit: str, cell: Cell, records: str, estimate: str) -> list[Measurement]:
    return [_run(unit, cell, proof, {"records": records, "estimate": estimate}) for proof in cell.proofs]


def _run(unit: str, cell: Cell, proof: Proof, keys: dict[str, str]) -> Measurement:
    rule = {**keys, "statistic": "median", "repeats": "median"}
    there = by_protocol(unit, cell, proof, Protocol.of(rule)).records_used
    return by_protocol(unit, cell, proof, Protocol.of({**rule, "skip_records": min(WARM_UP, there // 2)}))
