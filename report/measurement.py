"""Measurements: one throughput of one run, with the lines that prove it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from parsers.clock import ARRIVAL
from parsers.field import Field, Scope

from . import estimate
from .estimate import Facts, Values
from .number import without_noise
from .protocol import NoMeasurement, Protocol
from .statistic import reduce, reduce_repeats, trim
from .window import Fields, Mask, Reason, Reasons, epoch_starts, one_rank, repeated, shortfall, steps_in_epoch, window

__all__ = ["Measurement", "NoMeasurement", "combine", "measure"]

ARRIVED = "The log prints no times: those of its lines are from clock.csv, which says when each of them arrived."

_READ = ("line", "rank", "epoch", "step", "steps", "steps_per_epoch", "time", "throughput", "step_time", "batch_size")


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
    warnings: tuple[str, ...]


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
    warnings: tuple[str, ...] = ()


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
    warnings = (*_of_records(chosen, column, reasons), *_of_steps(log, fields.get((protocol.records, column))))
    reasons[readable] = found.reasons
    return _measurement(chosen, reasons, found, protocol, (*warnings, *found.warnings))


def _measurement(
    chosen: pd.DataFrame, reasons: Reasons, found: _Throughput, protocol: Protocol, warnings: tuple[str, ...]
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
    chosen = _rows(records[[c for c in _READ if c in records]], (records["record"] == protocol.records).to_numpy())
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
    valued = _is_finite(chosen[column])
    reasons[valued] = np.where(one_rank(chosen[valued]), Reason.USED, Reason.OTHER_RANK)
    return reasons


def _is_finite(column: "pd.Series[float]") -> Mask:
    if column.dtype.kind == "M":
        return column.notna().to_numpy()
    return np.isfinite(column.to_numpy(dtype=np.float64, na_value=np.nan))


def _clocked(log: _Log, used: Mask, windowed: Reasons) -> _Throughput:
    samples = estimate.samples_per_step(log.records[used], log.fields, log.facts, log.protocol)
    steps, seconds, ends = estimate.clock(log.records, log.fields, used, log.protocol)
    reasons = windowed.copy()
    reasons[used], reasons[ends] = Reason.BETWEEN, Reason.USED
    arrived = log.fields.get((log.protocol.records, "time")) == ARRIVAL
    return _Throughput(steps * samples / seconds, "samples/s", "job", reasons, (ARRIVED,) if arrived else ())


def _reduced(log: _Log, column: str, used: Mask, windowed: Reasons) -> _Throughput:
    values = estimate.values(log.records, log.fields, log.protocol)
    _refuse_impossible(values[used], log.records["line"].to_numpy()[used], log.protocol)
    reasons = windowed.copy()
    reasons[used] = _kept(values[used], log.protocol)
    statistic = reduce(values[reasons == Reason.USED], log.protocol.statistic)
    field = log.fields[(log.protocol.records, column)]
    warnings = _of_means(field, log.protocol, int(np.sum(reasons == Reason.USED)))
    if column == "step_time":
        samples = estimate.samples_per_step(log.records[used], log.fields, log.facts, log.protocol)
        return _Throughput(samples / statistic, "samples/s", "job", reasons, warnings)
    factor, scope, unscaled = estimate.scale(field, log.facts)
    return _Throughput(statistic * factor, f"{field.unit or 'samples'}/s", scope, reasons, (*warnings, *unscaled))


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


def _of_records(chosen: pd.DataFrame, column: str, reasons: Reasons) -> Iterator[str]:
    """Warn of records that could not be read."""
    lines = chosen["line"].to_numpy()
    empty, other = reasons == Reason.NO_VALUE, reasons == Reason.OTHER_RANK
    if empty.any():
        first = lines[empty][0]
        yield f"{empty.sum()} of {len(lines)} records print no {column} and are left out, the first at line {first}."
    if other.any():
        rank = chosen["rank"].to_numpy(dtype=np.float64, na_value=np.nan)[reasons == Reason.USED][0]
        left = f"{other.sum()} of {len(lines)} records"
        yield f"The log is of several ranks: only rank {rank:g} is used, {left} are left out."


def _of_steps(log: _Log, field: Field | None) -> Iterator[str]:
    """Warn of a window that is too short, and of step numbers that do not say how many steps were done."""
    if missing := shortfall(log.records, log.fields, log.protocol):
        take = log.protocol.take_first or log.protocol.take_last
        yield f"The protocol takes {take}: the log is short of it by {missing}."
    counter = log.fields.get((log.protocol.records, "step"))
    if counter is None or log.records["step"].isna().any():
        return
    if (again := repeated(log.records, counter)).any():
        line = log.records["line"].to_numpy()[again][0]
        yield f"At line {line} the steps start again: several ranks, or several runs, are in this log."
    wraps = "steps_per_epoch" not in log.records and epoch_starts(steps_in_epoch(log.records, counter)).any()
    if wraps and _adds_epochs(log.protocol, field):
        yield "The log does not print the steps of an epoch: its last printed step is taken as its end."


def _adds_epochs(protocol: Protocol, field: Field | None) -> bool:
    if protocol.estimate == "instant" and field is not None and field.per == "run":
        return True
    return protocol.window_counts_steps or protocol.estimate == "clock"


def _of_means(field: Field, protocol: Protocol, used: int) -> tuple[str, ...]:
    if field.kind != "running_mean" or protocol.estimate == "instant" or used == 1:
        return ()
    warning = (
        f"The {field.name} is a running mean, and the {protocol.statistic} of {used} records of it counts early steps "
        "again in each of them: estimate=instant undoes this."
    )
    return (warning,)
