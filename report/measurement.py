"""Measurements: one throughput of one run, with the lines that prove it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parsers.clock import ARRIVAL
from parsers.field import Scope
from parsers.sentence import Sentence

from .caveats import ARRIVED, of_means, of_spread
from .columns import Records
from .estimate import Facts
from .number import without_noise
from .protocol import NoMeasurement, Protocol
from .selection import Selection, select
from .statistic import reduce, reduce_repeats
from .timing import Timed
from .window import Fields, Reason

__all__ = ["Measurement", "NoMeasurement", "combine", "measure"]


@dataclass(frozen=True)
class Measurement:
    """One throughput of one run.

    ``value``: in ``unit`` ("images/s"), of the whole job, or of one card or node where ``scope`` says so because their
    number is not known. It holds 15 significant digits. ``lines``: the physical lines, from 1, whose numbers made it,
    ``records_used`` of them. ``left_out``: the lines of all other records of the protocol's kind, by the key of their
    ``Reason`` ("skip_records"). ``available``: how many records of that kind the log has, used or not.
    ``warnings``: one sentence each.
    """

    value: float
    unit: str
    scope: Scope
    protocol: Protocol
    lines: tuple[int, ...]
    records_used: int
    left_out: Mapping[str, tuple[int, ...]]
    available: int
    warnings: tuple[Sentence, ...]


def measure(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> Measurement:
    """Return the throughput of one log by one protocol.

    ``records``: DataFrame or columns, a row a metric line in file order, with ``line`` (int64, from 1), ``record``
    (step, epoch, summary), and those of ``rank``, ``epoch``, ``step``, ``steps_per_epoch``, ``time`` (datetime64),
    ``throughput``, ``step_time``, ``batch_size`` (per card) that the log prints; NaN where a line has none. ``fields``:
    what a column means, by (record, column). ``facts``: ``cards`` (in all), ``nodes`` and ``batch_size`` (per card),
    where known.
    Raises ``NoMeasurement``, whose sentence says what the log lacks and what is possible.
    """
    selected = select(records, fields, facts, protocol)
    if isinstance(selected.found, Timed):
        arrived = (Sentence(ARRIVED),) if fields.get((protocol.records, "time")) == ARRIVAL else ()
        timed, warnings = selected.found, (*selected.warnings, *arrived)
        return _measurement(selected, protocol, timed.amount / timed.seconds, f"{timed.counted}/s", "job", warnings)
    found, kept = selected.found, selected.found.values[selected.are_used]
    means = of_means(fields[(protocol.records, selected.column)], protocol, len(kept)) if found.amounts is None else ()
    warnings = (*selected.warnings, *(means or of_spread(kept, protocol, found.throughput)), *found.warnings)
    value = found.throughput(reduce(kept, protocol.statistic))
    return _measurement(selected, protocol, value, found.unit, found.scope, warnings)


def _measurement(
    selected: Selection, protocol: Protocol, value: float, unit: str, scope: Scope, warnings: tuple[Sentence, ...]
) -> Measurement:
    lines = selected.available["line"]
    by_reason = {number: tuple(lines[selected.reasons == number].tolist()) for number in _distinct(selected)}
    used = by_reason.pop(Reason.USED)
    left_out = {Reason(number).key: left for number, left in by_reason.items()}
    exact = without_noise(value)
    return Measurement(exact, unit, scope, protocol, used, len(used), left_out, len(lines), warnings)


def _distinct(selected: Selection) -> list[int]:
    return [number for number, count in enumerate(np.bincount(selected.reasons)) if count]


def combine(measurements: Sequence[Measurement], protocol: Protocol) -> float:
    """Return the one value of repeated runs, by the protocol's ``repeats``, in the unit and scope that all share.

    Raises ``NoMeasurement`` for no runs at all, runs that differ in unit or scope, and too few runs for ``olympic``.
    """
    kinds = sorted({f"{measurement.unit} of one {measurement.scope}" for measurement in measurements})
    if len(kinds) != 1:
        found = f"they are in {' and '.join(kinds)}" if kinds else "there are none"
        raise NoMeasurement(f"Repeats can be put together when all are in one unit and of one scope, but {found}.")
    return without_noise(reduce_repeats([measurement.value for measurement in measurements], protocol.repeats))
