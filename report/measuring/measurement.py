"""Measurements: one throughput of one run, with the lines that prove it.

A throughput is made in four steps, each a module of its own: ``estimate`` reads one value from each record, ``window``
and ``selection`` decide which records count and why the others do not, ``statistic`` makes one value of them, and
``scaling`` says of which cards it is. The lines are kept from the first step on and never looked up afterwards, so
that what is shown as proof is what was computed with.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from parsers.grammar.field import Scope
from parsers.io.message import Message, joined
from parsers.runs.clock import ARRIVAL

from .caveats import ARRIVED, of_means, of_spread
from .estimate import Facts
from .number import without_noise
from .protocol import NoMeasurement, Protocol
from .record_columns import Records
from .selection import Selection, select
from .statistic import reduce, reduce_repeats
from .timing import Timed
from .window import REASON_KEYS, Fields, RecordUse

__all__ = ["Measurement", "NoMeasurement", "Throughput", "combine", "measure", "throughput"]

NO_REPEATS = "There are no repeats to combine."
OF_ONE = "{unit} of one {scope}"
OF_SCOPE = {"unknown": "{unit} of unknown scope"}
UNLIKE_REPEATS = "Repeats can only be combined if unit and scope are the same; found {kinds}."


@dataclass(frozen=True)
class Throughput:
    """How fast one run was.

    ``value``: in ``unit`` ("images/s"), of the whole job, or of one card or node where ``scope`` says so because their
    number is not known, or of an unknown scope. It holds 15 significant digits.
    """

    value: float
    unit: str
    scope: Scope


@dataclass(frozen=True)
class Measurement(Throughput):
    """One throughput of one run, and what it was made of.

    ``lines``: the physical lines, from 1, whose numbers made it, ``records_used`` of them. ``left_out``: the lines of
    all other records of the protocol's kind, by the word of their ``RecordUse`` ("skip_records"). ``available``: how
    many records of that kind the log has, used or not. ``warnings``: one sentence each.
    """

    protocol: Protocol
    lines: tuple[int, ...]
    records_used: int
    left_out: Mapping[str, tuple[int, ...]]
    available: int
    warnings: tuple[Message, ...]


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
    found, lines = _throughput(selected, protocol), selected.available["line"]
    by_reason = {number: tuple(lines[selected.reasons == number].tolist()) for number in _distinct(selected)}
    used = by_reason.pop(RecordUse.USED)
    left_out = {REASON_KEYS[number]: left for number, left in by_reason.items()}
    warnings = tuple(_warnings(selected, fields, protocol))
    return Measurement(
        **vars(found),
        protocol=protocol,
        lines=used,
        records_used=len(used),
        left_out=left_out,
        available=len(lines),
        warnings=warnings,
    )


def throughput(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> Throughput:
    """Return what ``measure`` does, without what it was made of; arguments are the same.

    Raises ``NoMeasurement`` as ``measure`` does, but where nothing but a warning cannot be told.
    """
    return _throughput(select(records, fields, facts, protocol), protocol)


def _throughput(selected: Selection, protocol: Protocol) -> Throughput:
    found = selected.found
    if isinstance(found, Timed):
        return Throughput(without_noise(found.amount / found.seconds), f"{found.counted}/s", "job")
    statistic = reduce(found.values[selected.are_used], protocol.statistic)
    return Throughput(without_noise(found.throughput(statistic)), found.unit, found.scope)


def _warnings(selected: Selection, fields: Fields, protocol: Protocol) -> Iterator[Message]:
    yield from selected.warnings()
    found, kept = selected.found, selected.are_used
    if isinstance(found, Timed):
        if fields.get((protocol.records, "time")) == ARRIVAL:
            yield Message(ARRIVED)
        return
    field = fields[(protocol.records, selected.column)]
    means = of_means(field, protocol, int(np.count_nonzero(kept))) if found.amounts is None else ()
    yield from means or of_spread(found.values[kept], protocol, found.throughput)
    yield from found.warnings


def _distinct(selected: Selection) -> list[int]:
    return np.flatnonzero(np.bincount(selected.reasons)).tolist()


def combine(throughputs: Sequence[Throughput], protocol: Protocol) -> float:
    """Return the one value of repeated runs, by the protocol's ``repeats``, in the unit and scope that all share.

    Raises ``NoMeasurement`` for no runs at all, runs that differ in unit or scope, and too few runs for ``olympic``.
    """
    kinds = {(found.unit, found.scope or "") for found in throughputs}
    if not kinds:
        raise NoMeasurement(NO_REPEATS)
    if len(kinds) > 1:
        said = (Message(OF_SCOPE.get(scope, OF_ONE), unit=unit, scope=scope) for unit, scope in sorted(kinds))
        raise NoMeasurement(UNLIKE_REPEATS, kinds=joined("{first} and {second}", said))
    return without_noise(reduce_repeats([found.value for found in throughputs], protocol.repeats))
