"""Measurements: one throughput of one run, with the lines it was computed from.

A throughput is made in four steps, each a module of its own: ``estimate`` reads one value from each record, ``window``
and ``selection`` decide which records count and why the others do not, ``statistic`` makes one value of them, and
``scaling`` says of which cards it is. The lines are kept from the first step on and never looked up afterwards, so
that what is shown as proof is what was computed with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import Scope
from parsers.io.message import Message, joined
from parsers.runs.clock import ARRIVAL
from parsers.runs.format_records import OWN_LINE

from ..measure.diagnostics import NoMeasurement
from ..measure.number import without_noise
from ..measure.protocol import Protocol
from ..measure.statistic import reduce, reduce_repeats
from .caveats import ARRIVED, of_means, of_spread, of_start, of_summaries
from .checking.rounding import of_clock, of_digits, of_rates
from .estimate import Facts, Values
from .ranks.rank_spread import RankSpread
from .record_columns import Records, columns, taken
from .selection import Selection, select
from .timing import Timed
from .window import Fields
from .windows.record_use import REASON_KEYS, Reasons, RecordUse

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


@dataclass(frozen=True, eq=False)
class UseOfRecords:
    """Which records of a kind made a measurement: their physical lines (int64, from 1), and why each is used or not."""

    lines: NDArray[np.int64]
    reasons: Reasons

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UseOfRecords) and self.by_reason == other.by_reason

    __hash__ = None  # type: ignore[assignment]

    @property
    def used(self) -> NDArray[np.int64]:
        """The lines of the records that made it."""
        used: NDArray[np.int64] = self.lines[self.reasons == RecordUse.USED]
        return used

    @cached_property
    def by_reason(self) -> Mapping[int, tuple[int, ...]]:
        """The lines of the records of each ``RecordUse``, those that there are."""
        present = np.flatnonzero(np.bincount(self.reasons)).tolist()
        return {number: tuple(self.lines[self.reasons == number].tolist()) for number in present}

    def among(self, lines: NDArray[np.int64]) -> UseOfRecords:
        """The same of all records of that kind, these and those of other runs before and behind them."""
        reasons = np.full(len(lines), RecordUse.OTHER_RUN, np.int8)
        first = int(np.searchsorted(lines, self.lines[0]))
        reasons[first : first + len(self.reasons)] = self.reasons
        return UseOfRecords(lines, reasons)


@dataclass(frozen=True)
class Measurement(Throughput):
    """One throughput of one run, and what it was made of.

    ``use``: which records made it. ``warnings``: one sentence each. ``rates``: the throughput that each of the records
    gives by itself (float64, in file order); None of a clock. ``ranks``: how far ranks are apart that print the same
    steps. ``unpaused``: of a clock that spans pauses, the first and last of the longest stretch of records without one.
    """

    protocol: Protocol
    use: UseOfRecords
    warnings: tuple[Message, ...]
    rates: Values | None = field(repr=False, compare=False)
    ranks: RankSpread | None
    unpaused: tuple[int, int] | None = field(default=None, repr=False, compare=False)

    @property
    def lines(self) -> tuple[int, ...]:
        """The physical lines, from 1, whose numbers made it, ``records_used`` of them."""
        return self.use.by_reason[RecordUse.USED]

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last of these lines."""
        used = self.use.used
        return int(used[0]), int(used[-1])

    @property
    def records_used(self) -> int:
        """How many records made it."""
        return int(np.count_nonzero(self.use.reasons == RecordUse.USED))

    @property
    def left_out(self) -> Mapping[str, tuple[int, ...]]:
        """The lines of all other records of the protocol's kind, by the word of their ``RecordUse``."""
        return {REASON_KEYS[number]: of for number, of in self.use.by_reason.items() if number != RecordUse.USED}

    @property
    def available(self) -> int:
        """How many records of that kind the log has, used or not."""
        return len(self.use.lines)

    def among(self, lines: NDArray[np.int64]) -> Measurement:
        """The same where the log has more records of that kind, of other runs, in all at these lines."""
        return replace(self, use=self.use.among(lines))


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
    found, warnings = _throughput(selected, protocol), tuple(_warnings(selected, fields, protocol))
    use = _use(selected)
    warnings += tuple(of_start(columns(records).of_kind("step"), int(use.used[-1]), protocol))
    pauses = selected.found.pauses if isinstance(selected.found, Timed) else None
    return Measurement(
        **vars(found),
        protocol=protocol,
        use=use,
        warnings=warnings,
        rates=selected.rates,
        ranks=selected.ranks,
        unpaused=pauses.longest if pauses else None,
    )


def _use(selected: Selection) -> UseOfRecords:
    """Which records were used; of ranks with logs of their own those of the log that is shown."""
    lines = selected.available["line"]
    if OWN_LINE not in selected.available:
        return UseOfRecords(lines, selected.reasons)
    are_shown = selected.available[OWN_LINE] == lines
    return UseOfRecords(lines[are_shown], selected.reasons[are_shown])


def throughput(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> Throughput:
    """Return what ``measure`` does, without what it was made of; arguments are the same.

    Raises ``NoMeasurement`` as ``measure`` does, but where nothing but a warning cannot be told.
    """
    return _throughput(select(records, fields, facts, protocol), protocol)


def _throughput(selected: Selection, protocol: Protocol) -> Throughput:
    found = selected.found
    if isinstance(found, Timed):
        return Throughput(found.rate, f"{found.counted}/s", "job")
    statistic = reduce(taken(found.values, selected.are_used), protocol.statistic)
    return Throughput(without_noise(found.throughput(statistic)), found.unit, found.scope)


def _warnings(selected: Selection, fields: Fields, protocol: Protocol) -> Iterator[Message]:
    yield from selected.warnings()
    found, kept = selected.found, selected.are_used
    if isinstance(found, Timed):
        if fields.get((protocol.records, "time")) == ARRIVAL:
            yield Message(ARRIVED)
        if found.pauses:
            yield found.pauses.warning
        yield from of_clock(found)
        return
    read = fields[(protocol.records, selected.column)]
    means = of_means(read, protocol, int(np.count_nonzero(kept))) if found.amounts is None else ()
    yield from means or of_spread(taken(found.values, kept), protocol, found.throughput)
    if protocol.estimate == "reported" and read.kind not in ("running_mean", "total"):
        yield from of_rates(taken(found.throughputs(), kept), found.unit, protocol)
    if protocol.estimate != "instant":
        yield from of_digits(selected.column, taken(selected.log.records.numbers(selected.column), kept))
    yield from of_summaries(selected.log.records["line"], found.throughputs(), found.unit, protocol, read)
    yield from found.warnings
    if selected.ranks:
        yield from selected.ranks.messages


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
