"""Measurements: one throughput of one run, with the lines that prove it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from parsers.clock import ARRIVAL
from parsers.field import Scope
from parsers.sentence import Sentence

from . import estimate
from .caveats import ARRIVED, of_means, of_records, of_spread, of_steps
from .estimate import READS, Facts, Values
from .number import without_noise
from .protocol import NoMeasurement, Protocol
from .scaling import BATCH_SIZES, CONSUMED, COVERED, amount_of_step, amounts, scale
from .statistic import reduce, reduce_repeats, trim
from .timing import clock
from .window import Fields, Mask, Reason, Reasons, one_rank, window

__all__ = ["Measurement", "NoMeasurement", "Series", "combine", "measure", "series"]

_COUNTERS = ("epoch", "step", "steps", "steps_per_epoch", *CONSUMED, *COVERED, "model")
_SPEEDS = dict.fromkeys(name for names in READS.values() for name in names)
READ = ("record", "line", "rank", *_COUNTERS, *_SPEEDS, *BATCH_SIZES)


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


@dataclass(frozen=True)
class Series:
    """The values (float64) that a protocol's statistic is taken of, and how that becomes a throughput.

    ``are_times``: they are seconds of a step, in which all cards train ``factor`` samples; otherwise throughputs of
    which ``factor`` make that of ``scope``, in ``unit``.
    """

    values: Values
    factor: float
    unit: str
    scope: Scope
    warnings: tuple[Sentence, ...]
    are_times: bool = False

    def throughput(self, statistic: float) -> float:
        """Return the throughput that one value stands for; a statistic of the values as a rule."""
        return self.factor / statistic if self.are_times else statistic * self.factor


@dataclass(frozen=True)
class _Log:
    """The records that can be read, all of one kind and one rank, and all that is known about them."""

    records: pd.DataFrame
    fields: Fields
    facts: Facts
    protocol: Protocol


@dataclass(frozen=True)
class _Throughput:
    """What an estimate makes of a log: a value, and why each record was used for it or not."""

    value: float
    unit: str
    scope: Scope
    reasons: Reasons
    warnings: tuple[Sentence, ...] = ()


def measure(records: pd.DataFrame, fields: Fields, facts: Facts, protocol: Protocol) -> Measurement:
    """Return the throughput of one log by one protocol.

    ``records``: a row a metric line in file order, with ``line`` (int64, from 1), ``record`` (step, epoch, summary),
    and those of ``rank``, ``epoch``, ``step``, ``steps_per_epoch``, ``time`` (datetime64), ``throughput``,
    ``step_time``, ``batch_size`` (per card) that the log prints; NaN where a line has none. ``fields``: what a column
    means, by (record, column). ``facts``: ``cards`` (in all), ``nodes`` and ``batch_size`` (per card), where known.
    Raises ``NoMeasurement``, whose sentence says what the log lacks and what is possible.
    """
    chosen = _of_kind(records, protocol)
    column = estimate.column(chosen, fields, protocol)
    reasons = _readable(chosen, column)
    readable = reasons == Reason.USED
    log = _Log(_rows(chosen, readable), fields, facts, protocol)
    used, windowed = window(log.records, fields, protocol)
    if not used.any():
        raise NoMeasurement(f"The window of the protocol ({protocol.words()}) leaves none of {len(used)} records.")
    found = _clocked(log, used, windowed) if protocol.estimate == "clock" else _reduced(log, column, used, windowed)
    field = fields.get((protocol.records, column))
    warnings = (*of_records(chosen, column, reasons), *of_steps(log.records, fields, protocol, field))
    reasons[readable] = found.reasons
    return _measurement(chosen, reasons, found, protocol, (*warnings, *found.warnings))


def _measurement(
    chosen: pd.DataFrame, reasons: Reasons, found: _Throughput, protocol: Protocol, warnings: tuple[Sentence, ...]
) -> Measurement:
    lines = chosen["line"].to_numpy()
    by_reason = {reason.key: tuple(lines[reasons == reason].tolist()) for reason in Reason}
    used = by_reason.pop(Reason.USED.key)
    left_out = {key: left for key, left in by_reason.items() if left}
    value = without_noise(found.value)
    return Measurement(value, found.unit, found.scope, protocol, used, len(used), left_out, len(chosen), warnings)


def combine(measurements: Sequence[Measurement], protocol: Protocol) -> float:
    """Return the one value of repeated runs, by the protocol's ``repeats``, in the unit and scope that all share.

    Raises ``NoMeasurement`` for no runs at all, runs that differ in unit or scope, and too few runs for ``olympic``.
    """
    kinds = sorted({f"{measurement.unit} of one {measurement.scope}" for measurement in measurements})
    if len(kinds) != 1:
        found = f"they are in {' and '.join(kinds)}" if kinds else "there are none"
        raise NoMeasurement(f"Repeats can be put together when all are in one unit and of one scope, but {found}.")
    return without_noise(reduce_repeats([measurement.value for measurement in measurements], protocol.repeats))


def _of_kind(records: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    chosen = _rows(records[[c for c in READ if c in records]], (records["record"] == protocol.records).to_numpy())
    if chosen.empty:
        counts = records["record"].value_counts()
        known = ", ".join(f"{count} {kind} records (records={kind})" for kind, count in counts.items() if count)
        raise NoMeasurement(f"The log has no {protocol.records} records; it has {known or 'no records at all'}.")
    return chosen


def _rows(records: pd.DataFrame, mask: Mask) -> pd.DataFrame:
    """The rows of a mask, without a copy where that is all of them: a large log is in memory once."""
    return records if mask.all() else records.loc[mask]


def _readable(chosen: pd.DataFrame, column: str) -> Reasons:
    """Return whether each record prints the column and is of the lowest rank that does."""
    reasons = np.full(len(chosen), Reason.NO_VALUE, dtype=np.int8)
    valued = is_finite(chosen[column])
    reasons[valued] = np.where(one_rank(chosen[valued]), Reason.USED, Reason.OTHER_RANK)
    return reasons


def is_finite(column: "pd.Series[float]") -> Mask:
    """Return which values of a column of numbers or times are printed, and finite."""
    if column.dtype.kind == "M":
        return column.notna().to_numpy()
    return np.isfinite(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _clocked(log: _Log, used: Mask, windowed: Reasons) -> _Throughput:
    timed = clock(log.records, log.fields, log.facts, used, log.protocol)
    reasons = windowed.copy()
    reasons[used], reasons[timed.ends] = Reason.BETWEEN, Reason.USED
    arrived = (Sentence(ARRIVED),) if log.fields.get((log.protocol.records, "time")) == ARRIVAL else ()
    return _Throughput(timed.amount / timed.seconds, f"{timed.counted}/s", "job", reasons, arrived)


def series(records: pd.DataFrame, fields: Fields, facts: Facts, protocol: Protocol) -> Series:
    """Return the values of all records that a protocol can read, before its window; arguments as of ``measure``.

    Raises ``NoMeasurement`` as ``measure`` does; the clock has no values.
    """
    chosen = _of_kind(records, protocol)
    column = estimate.column(chosen, fields, protocol)
    readable = _rows(chosen, _readable(chosen, column) == Reason.USED)
    return _series(_Log(readable, fields, facts, protocol), column, np.ones(len(readable), dtype=np.bool_))


def _series(log: _Log, column: str, used: Mask) -> Series:
    values = estimate.values(log.records, log.fields, log.protocol)
    if column == "duration":
        done, counted = amounts(log.records, log.fields, log.facts, log.protocol)
        with np.errstate(divide="ignore", invalid="ignore"):
            return Series(done / values, 1, f"{counted}/s", "job", ())
    if column != "throughput":
        amount, counted = amount_of_step(log.records, log.fields, log.facts, used, log.protocol)
        return Series(values, amount, f"{counted}/s", "job", (), are_times=True)
    field = log.fields[(log.protocol.records, column)]
    factor, scope, unscaled = scale(field, log.facts)
    return Series(values, factor, f"{field.unit or 'samples'}/s", scope, unscaled)


def _reduced(log: _Log, column: str, used: Mask, windowed: Reasons) -> _Throughput:
    found = _series(log, column, used)
    _refuse_impossible(found.values[used], log.records["line"].to_numpy()[used], log.protocol)
    reasons = windowed.copy()
    reasons[used] = _kept(found.values[used], log.protocol)
    kept, field = found.values[reasons == Reason.USED], log.fields[(log.protocol.records, column)]
    means = () if column == "duration" else of_means(field, log.protocol, len(kept))
    warnings = (*(means or of_spread(kept, log.protocol, found.throughput)), *found.warnings)
    value = found.throughput(reduce(kept, log.protocol.statistic))
    return _Throughput(value, found.unit, found.scope, reasons, warnings)


def _refuse_impossible(values: Values, lines: NDArray[np.int64], protocol: Protocol) -> None:
    # Such values come of undoing a running mean that is not what the format says. A throughput printed as 0 may be so.
    bad = values < 0 if protocol.estimate == "reported" else ~(values > 0)
    if bad.any():
        raise NoMeasurement(
            f"estimate={protocol.estimate} gives {values[bad][0]:g} at line {lines[bad][0]}, but neither a throughput "
            "nor the time of a step can be that: use another window or another estimate."
        )


def _kept(values: Values, protocol: Protocol) -> Reasons:
    """Return why each value in the window goes into the statistic or not."""
    reasons = np.full(len(values), Reason.USED, dtype=np.int8)
    if protocol.trim or protocol.trim_min:
        reasons[~trim(values, protocol.trim, protocol.trim_min)] = Reason.TRIM
    if protocol.statistic == "last":
        reasons[np.flatnonzero(reasons == Reason.USED)[:-1]] = Reason.NOT_LAST
    return reasons
