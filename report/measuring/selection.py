"""Selections: the records of a log that a protocol reads, why each of them is used or not, and their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parsers.grammar.field import Scope
from parsers.io.lazy import pd
from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from ..measure.protocol import Protocol
from ..measure.statistic import trim
from . import estimate
from .caveats import left_out, of_records, of_sizes, of_steps
from .checking.column_read import of_column
from .estimate import CONSUMED, READS, Facts, Values, as_counted, refuse_impossible, refuse_rounded, refuse_zero
from .ranks.rank_records import Ranks, not_of_the_job, ranks_of
from .ranks.rank_spread import RankSpread, refuse_times, spread
from .record_columns import Columns, Records, taken
from .scaling import BATCH_SIZES, COVERED, amount_of_step, amounts, own_sizes, scale, thing_counted
from .timing import Timed, clock
from .window import Fields, Mask, window
from .windows.epochs_of_run import epochs_beside, epochs_of_run
from .windows.readable_records import readable_records
from .windows.record_use import Reasons, RecordUse, are_readable

_COUNTERS = ("epoch", "step", "steps", "steps_per_epoch", *CONSUMED, *COVERED, "model")
_SPEEDS = dict.fromkeys(name for names in READS.values() for name in names)
READ = ("record", "line", "rank", "counted", *_COUNTERS, *_SPEEDS, *BATCH_SIZES)

NEAR = 0.2  # a rate of the whole job to the throughput by the time of a step
EMPTY_WINDOW = "The window of the protocol ({protocol}) excludes all {count} records."
EMPTY_WINDOW_OF_ONE = "The window of the protocol ({protocol}) excludes the only record."


@dataclass(frozen=True)
class Series:
    """The values (float64) that a protocol's statistic is taken of, and how that becomes a throughput.

    ``are_times``: they are seconds of a step, in which all cards train ``factor`` samples; otherwise throughputs of
    which ``factor`` make that of ``scope``, in ``unit``. ``amounts``: what all cards did in each record, where its
    duration is read. ``is_summed``: each is the mean over all ranks, so that it becomes their sum.
    """

    values: Values
    factor: float
    unit: str
    scope: Scope
    warnings: tuple[Message, ...]
    are_times: bool = False
    amounts: Values | None = None
    is_summed: bool = False

    def throughput(self, statistic: float) -> float:
        """Return the throughput that one value stands for; a statistic of the values as a rule."""
        return self.factor / statistic if self.are_times else statistic * self.factor

    def throughputs(self) -> Values:
        """Return the throughput that each value stands for (float64)."""
        with np.errstate(divide="ignore", over="ignore"):
            found: Values = self.factor / self.values if self.are_times else self.values * self.factor
        return found


@dataclass(frozen=True)
class Selection:
    """What a protocol makes of the records of its kind, before it takes a statistic.

    ``available``: all of these in file order. ``reasons``: why each is used or not. ``column``: what is read of them.
    ``log``: those that can be read. ``found``: their values, or what the clock says. ``ranks``: how far those that
    print the same steps are apart.
    """

    available: Columns
    reasons: Reasons
    column: str
    log: _Log
    found: Series | Timed
    ranks: RankSpread | None = None

    def warnings(self) -> Iterator[Message]:
        """Warn of what could not be read, and of a window that is not what the protocol takes."""
        log, protocol = self.log, self.log.protocol
        field = log.fields.get((protocol.records, self.column))
        yield from of_column(log.records.rows(self.are_used), self.column, field)
        yield from of_records(self.available, self.column, self.reasons)
        if earlier := left_out(self.available, self.column, self.reasons):
            yield earlier
        if self.column != "throughput":
            yield from of_sizes(log.records.rows(self.are_used), own_sizes(log.records.rows(self.are_used), log.facts))
        yield from of_steps(log.records, log.fields, protocol, field)

    @property
    def rates(self) -> Values | None:
        """The throughput that each record that is used gives by itself (float64); None of a clock."""
        return None if isinstance(self.found, Timed) else taken(self.found.throughputs(), self.are_used)

    @property
    def used(self) -> pd.DataFrame:
        """The records that are used; of the clock the two between which it runs."""
        return self.available.rows(self.reasons == RecordUse.USED).frame(READ)

    @cached_property
    def are_used(self) -> Mask:
        """Which are used (bool) of the records that can be read, those of which ``found`` has the values."""
        return np.asarray(self.reasons[are_readable(self.reasons)] == RecordUse.USED)


@dataclass(frozen=True)
class _Log:
    """The records that can be read, all of one kind and one rank, and all that is known about them.

    ``ranks``: what all ranks print of what is read. ``epochs``: all records of epochs of the run.
    """

    records: Columns
    fields: Fields
    facts: Facts
    protocol: Protocol
    ranks: Ranks | None = None
    epochs: Columns | None = None


def select(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> Selection:
    """Return what a protocol uses of the records of a log; arguments and errors are those of ``measure``."""
    chosen, column, reasons = readable_records(records, fields, protocol)
    readable = reasons == RecordUse.USED
    log = _Log(
        chosen.rows(readable),
        fields,
        facts,
        protocol,
        ranks_of(chosen, column, reasons),
        epochs_beside(records, protocol),
    )
    used, windowed = _window(log)
    found = _clocked(log, used, windowed) if protocol.estimate == "clock" else _valued(log, column, used, windowed)
    reasons[readable] = windowed
    if isinstance(found, Series) and found.is_summed:
        reasons[reasons == RecordUse.OTHER_RANK] = RecordUse.SUMMED
    return Selection(chosen, reasons, column, log, found, _spread(log, windowed, found))


def clocked(records: Records, fields: Fields, facts: Facts, protocols: Sequence[Protocol]) -> Iterator[Timed | None]:
    """What the clock says by protocols that differ only in the window, for which the records are read once.

    Arguments and errors are as of ``measure``; None where only the window of a protocol would raise one.
    """
    chosen, column, reasons = readable_records(records, fields, protocols[0])
    readable, ranks = chosen.rows(reasons == RecordUse.USED), ranks_of(chosen, column, reasons)
    for protocol in protocols:
        log = _Log(readable, fields, facts, protocol, ranks)
        try:
            used, windowed = _window(log)
            found = _clocked(log, used, windowed)
            _spread(log, windowed, found)
            yield found
        except NoMeasurement:
            yield None


def _window(log: _Log) -> tuple[Mask, Reasons]:
    """The records that are used, and why each is or not; raises ``NoMeasurement`` where none is."""
    used, reasons = window(log.records, log.fields, log.protocol)
    if not used.any():
        key = EMPTY_WINDOW_OF_ONE if len(used) == 1 else EMPTY_WINDOW
        raise NoMeasurement(key, protocol=log.protocol.words(), count=len(used))
    return used, reasons


def _clocked(log: _Log, used: Mask, reasons: Reasons) -> Timed:
    """What the clock says; the reasons of the records in the window are set."""
    timed = clock(log.records, log.fields, log.facts, used, log.protocol)
    reasons[used], reasons[timed.ends] = RecordUse.BETWEEN, RecordUse.USED
    return timed


def _valued(log: _Log, column: str, used: Mask, reasons: Reasons) -> Series:
    """The values of all records; the reasons of those in the window are set."""
    found = _series(log, column, used) if log.epochs is None else _of_whole_run(log, log.epochs)
    refuse_zero(found.values, column, log.records["line"])
    refuse_rounded(log.records, log.fields, log.protocol.records, column)
    values = taken(found.values, used)
    refuse_impossible(values, taken(log.records["line"], used), log.protocol)
    reasons[used] = _kept(values, log.protocol)
    return found


def readings(records: Records, fields: Fields, facts: Facts, protocol: Protocol) -> tuple[Columns, Series]:
    """Return all records that a protocol can read, whatever its window, and their values; arguments as of ``measure``.

    Raises ``NoMeasurement`` as ``measure`` does; the clock has no values.
    """
    chosen, column, reasons = readable_records(records, fields, protocol)
    readable = chosen.rows(reasons == RecordUse.USED)
    log = _Log(readable, fields, facts, protocol, ranks_of(chosen, column, reasons))
    return readable, _series(log, column, np.ones(len(readable), dtype=np.bool_))


def _series(log: _Log, column: str, used: Mask) -> Series:
    values = estimate.values(log.records, log.fields, log.protocol)
    if log.ranks is not None and column != "throughput" and not log.protocol.is_in_steps:
        refuse_times(log.ranks, used, str(log.fields[(log.protocol.records, column)].unit), log.facts)
    if column == "duration" and log.protocol.counts != "epochs":
        done, counted = amounts(log.records, log.fields, log.facts, log.protocol)
        with np.errstate(divide="ignore", invalid="ignore"):
            return Series(done / values, 1, f"{counted}/s", "job", (), amounts=done)
    # The mean time of all records and their mean batch size make the throughput of them all.
    is_plain_mean = log.protocol.statistic == "mean" and not (log.protocol.trim or log.protocol.trim_min)
    if column != "throughput" and not log.protocol.is_in_steps and not is_plain_mean:
        sizes = own_sizes(log.records.rows(used), log.facts)
        if sizes is not None:
            return _rates(values, used, *as_counted(sizes, "samples", log.records, log.facts, log.protocol))
    if column != "throughput":
        amount, counted = amount_of_step(log.records, log.fields, log.facts, used, log.protocol)
        return Series(values, amount, f"{counted}/s", "job", (), are_times=True)
    field = log.fields[(log.protocol.records, column)]
    factor, scope, warnings = scale(field, log.facts)
    unit, ranks = f"{thing_counted(log.records.rows(used), field)}/s", log.ranks
    unproven = not_of_the_job(ranks, log.records, column) if field.scope == "job" else None
    if unproven and not _is_that_of_a_step(log, values, used):
        return Series(values, 1, unit, "unknown", (unproven,))
    if ranks is not None and scope == "job" != field.scope and ranks.add_up(factor, log.protocol.estimate):
        return Series(ranks.means, factor, unit, scope, warnings, is_summed=True)
    return Series(values, factor, unit, scope, warnings)


def _of_whole_run(log: _Log, epochs: Columns) -> Series:
    """All epochs of a run over the time that one line tells."""
    count, said = epochs_of_run(epochs, log.fields, log.records)
    seconds = estimate.values(log.records, log.fields, log.protocol)
    return Series(count / seconds, 1, "epochs/s", "job", (said,), amounts=np.full(1, float(count)))


def _is_that_of_a_step(log: _Log, throughputs: Values, used: Mask) -> bool:
    """Whether the throughputs are near what all cards do in a step over its time: then they are those of the job."""
    by_time = Protocol(records=log.protocol.records, estimate="step_time")
    try:
        times = estimate.values(log.records, log.fields, by_time)
        amount, counted = amount_of_step(log.records, log.fields, log.facts, used, by_time)
    except NoMeasurement:
        return False
    unit = log.fields[(log.protocol.records, "throughput")].unit
    is_same = unit == counted or (counted == "samples" and unit in ("images", "sequences"))
    share = float(np.median(throughputs[used] * times[used])) / amount
    return is_same and abs(share - 1) < NEAR


def _spread(log: _Log, reasons: Reasons, found: Series | Timed) -> RankSpread | None:
    """How far ranks are apart, also where the throughput is that of the clock."""
    if log.ranks is None or log.protocol.is_of_last_means:  # of some of the records that ranks print
        return None
    if (log.protocol.records, column := log.ranks.column) not in log.fields:
        return None
    field = log.fields[(log.protocol.records, column)]
    used = (reasons == RecordUse.USED) | (reasons == RecordUse.BETWEEN)
    unit = f"{thing_counted(log.records.rows(used), field)}/s" if column == "throughput" else str(field.unit)
    is_summed = isinstance(found, Series) and found.is_summed
    return spread(log.ranks, used, log.protocol.statistic, unit, log.facts, is_summed=is_summed)


def _rates(seconds: Values, used: Mask, sizes: Values, counted: str) -> Series:
    """The throughput of each step by the batch size of its own."""
    done = np.full(len(seconds), np.nan)
    done[used] = sizes
    with np.errstate(divide="ignore"):
        return Series(done / seconds, 1, f"{counted}/s", "job", (), amounts=done)


def _kept(values: Values, protocol: Protocol) -> Reasons:
    """Return why each value in the window goes into the statistic or not."""
    reasons = np.full(len(values), RecordUse.USED, dtype=np.int8)
    if protocol.trim or protocol.trim_min:
        reasons[~trim(values, protocol.trim, protocol.trim_min)] = RecordUse.TRIM
    if protocol.statistic == "last":
        reasons[np.flatnonzero(reasons == RecordUse.USED)[:-1]] = RecordUse.NOT_LAST
    return reasons
