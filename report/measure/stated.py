"""Stated protocols: the number of a log by the window, the estimate and the statistic that somebody states.

Records, the work of a step and the sources are those of the rule; only what the protocol says differs: which records it
takes, which of their numbers it reads, and how these become one. Nothing else is skipped, undone or put together, and
the other sources of the log are asked for the same quantity over the same records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parsers.grammar.field import IN_SECONDS, Field, Scope
from parsers.grammar.format import METRICS
from parsers.runs.runfile import ARRIVAL
from parsers.series import NOISE, Floats, Lines, Mask, Series

from .checks import Check, Estimate, checks_of
from .diagnostics import Code, Diagnostic, NoMeasurement, say
from .measurement import Calculation, Measurement, Reasons, Use, use_of
from .number import without_noise
from .protocol import Protocol, ProtocolError
from .ranks import RankSpread, RankTable, side_by_side, speeds_apart
from .records import Records, Run
from .rule import checked, said_of_column, said_of_digits, seconds_per_step, sources
from .sources import (
    CLOCKS,
    Column,
    amounts_of,
    begins_anew,
    clock_between,
    column_of,
    counters_of,
    seconds_of_steps,
    undone,
    unit_of,
    units_on_lines,
)
from .statistic import reduce, trim
from .work import Work, thing, work_of

# What each estimate reads: of these columns the first that the log prints.
READS = {
    "reported": ("throughput",),
    "step_time": ("step_time", "step_rate", "work_time"),
    "duration": ("duration",),
    "clock": CLOCKS,
    "instant": ("throughput", "step_time"),
}
# Tried in this order where a protocol states no estimate: what is printed comes before what is computed.
ESTIMATES = ("reported", "step_time", "duration", "clock")
JUMP = 0.05  # of a mean over the run: one of more records changes less from a record to the next
AVERAGES = ("mean", "median", "harmonic_mean")


def measure_stated(parts: Sequence[Run], protocol: Protocol) -> Measurement:
    """The number of one run by a protocol; ``parts``: the run as each format of its log reads it.

    A protocol without an estimate takes the first that the log allows. Raises ``NoMeasurement``.
    """
    reasons = list[NoMeasurement]()
    for run in parts:
        for whole in _estimates(protocol):
            try:
                return _measured(run, parts, whole)
            except NoMeasurement as error:
                reasons.append(error)
    # Where an option of the command line would give the number, that is what to say.
    asking = (one for one in reasons if one.diagnostic is not None and one.diagnostic.code == Code.NO_BATCH)
    raise next(asking, reasons[0])


def readable(run: Run, protocol: Protocol) -> Records:
    """All records that a protocol reads, whatever its window; raises ``NoMeasurement`` where there are none."""
    return _chosen(run, protocol.without_window()).own


def values_of(run: Run, protocol: Protocol) -> tuple[Records, Calculation, str]:
    """These records, the value of each with what its statistic becomes, and the unit of that.

    A clock has no values. Raises ``NoMeasurement``.
    """
    chosen = _chosen(run, protocol.without_window())
    found = _values(chosen)
    return chosen.own, found.calculation(protocol.statistic), found.unit


def _estimates(protocol: Protocol) -> Iterator[Protocol]:
    if protocol.states_estimate:
        yield protocol
        return
    for estimate in ESTIMATES:
        try:
            yield protocol.overridden(f"estimate={estimate}")
        except ProtocolError:
            continue  # a clock gives one value, of which there is no statistic


@dataclass(frozen=True, eq=False)
class _Chosen:
    """What a protocol chooses from, and what it takes of that.

    ``every``: all records of its kind in the run. ``own``: those of one rank that have a value in ``column``, at
    ``rows`` of these. ``reasons``: why each of ``every`` is used or not. ``missing``: how many records or steps the log
    has too few for that.
    """

    run: Run
    protocol: Protocol
    column: str
    every: Records
    rows: Lines
    own: Records
    reasons: Reasons
    missing: int

    @property
    def used(self) -> Mask:
        """Which of its own records are used."""
        used: Mask = self.reasons[self.rows] == Use.USED
        return used

    @property
    def field(self) -> Field:
        """What the column means."""
        if (found := self.own.field(self.column)) is None:
            raise NoMeasurement(say(Code.NO_SPEED))
        return found

    def work(self) -> Work:
        """The work of a step of the records that are used."""
        rows = np.flatnonzero(self.used)
        return work_of(self.run, self.own, rows, np.ones(len(rows)))

    def rank_table(self, column: str) -> RankTable | None:
        """What all ranks print in a column at the same steps."""
        if "rank" not in self.every.table or not np.isfinite(self.own.numbers(column)).all():
            return None
        values = self.every.numbers(column)
        return side_by_side(self.every, np.where(self.reasons == Use.REPEATED, np.nan, values))

    def taking(self, reasons: Reasons) -> _Chosen:
        """The same where its own records are used or not for other reasons."""
        every = self.reasons.copy()
        every[self.rows] = reasons
        return replace(self, reasons=every)


@dataclass(frozen=True, eq=False)
class _Values:
    """One value of each record, and what their statistic becomes: ``unit`` and ``scope``, and as of ``Calculation``.

    ``is_summed``: each is the mean over all ranks. ``said``: what a reader must know of it.
    """

    values: Floats
    unit: str
    scope: Scope = "job"
    factor: float = 1.0
    are_times: bool = False
    is_summed: bool = False
    said: tuple[Diagnostic, ...] = ()

    def calculation(self, statistic: str, used: Mask | None = None) -> Calculation:
        """What a statistic of them, or of those that are used, makes."""
        return Calculation(self.values if used is None else self.values[used], statistic, self.factor, self.are_times)


def _measured(run: Run, parts: Sequence[Run], protocol: Protocol) -> Measurement:
    """The number of what one format reads, by a protocol that states its estimate."""
    chosen = _chosen(run, protocol)
    if protocol.estimate == "clock":
        chosen, series, every = _by_clock(chosen)
        value, unit, calculation, ranks = series.rate, series.unit, None, _ranks_of(chosen, None)
        scope: Scope = "job"
        said: tuple[Diagnostic, ...] = (say(Code.ARRIVED),) if chosen.every.field(series.source) == ARRIVAL else ()
    else:
        found = _values(chosen)
        chosen, calculation = _calculated(chosen, found)
        value, unit, scope, said = calculation.result, found.unit, found.scope, found.said
        every, ranks = _series(chosen, found), _ranks_of(chosen, found)
        series = every.where(chosen.used[every.rows])
    used = chosen.own.lines[chosen.used]
    error = series.error if len(series) else 1.0
    where = protocol.records, (int(used[0]), int(used[-1])), len(used)
    estimate = Estimate(value, thing(unit), unit, scope, series.source, *where, error)
    work, others = chosen.work(), [one.series for one in sources(parts)]
    checks = tuple(_checks(chosen, series, every, estimate, others, work))
    if (
        scope == "unknown"
        and series.scope == "job"
        and any(one.says == "agrees" and one.scope == "job" for one in checks)
    ):
        estimate, said = replace(estimate, scope="job"), ()
    if calculation is not None and calculation.are_times:
        per_step: float | None = calculation.of_values
    else:
        of_job = estimate.value if estimate.scope == "job" else None
        # What a clock or durations tell fits the number; what the program prints may not.
        by_itself = len(series) and protocol.estimate in ("clock", "duration")
        per_step = seconds_per_step(series, work, (), of_job) if by_itself else None
        if per_step is None and len(series):
            per_step = seconds_per_step(series, work, others, of_job)
    reasons = chosen.reasons
    if ranks is not None and ranks.is_summed:
        reasons = np.where(reasons == Use.OTHER_RANK, Use.SUMMED, reasons).astype(np.int8)
    told = [
        *_of_records(chosen, series, work, checks),
        *(said_of_statistic(series, calculation, estimate) if calculation else ()),
        *said,
    ]
    return checked(
        run,
        Measurement(
            "unchecked",
            estimate,
            protocol,
            series,
            use_of(chosen.every, reasons),
            checks,
            seconds_per_step=per_step,
            ranks=ranks,
            run=run.number,
            calculation=calculation,
            every=every,
        ),
        told,
    )


def said_of_statistic(series: Series, made: Calculation, estimate: Estimate) -> Iterator[Diagnostic]:
    """What work over time would give, where the average of the protocol is further from it than noise."""
    if made.statistic not in AVERAGES or series.whole or not len(series) or not estimate.value > 0:
        return
    value = series.rate * made.factor
    if abs(value - estimate.value) > NOISE * estimate.value:
        unit = f"{estimate.unit}/s" if estimate.counted else estimate.unit
        yield say(Code.OVER_TIME, value=value, unit=unit, ratio=value / estimate.value)


def _calculated(chosen: _Chosen, found: _Values) -> tuple[_Chosen, Calculation]:
    """What the statistic of the protocol makes of the values in its window, and the records whose values it takes."""
    protocol, within = chosen.protocol, np.flatnonzero(chosen.used)
    values = found.values[within]
    # A throughput may be printed as 0; nothing else may be.
    bad = ~np.isfinite(values) | (values < 0 if protocol.estimate == "reported" else values <= 0)
    if bad.any():
        told = {"value": float(values[bad][0]), "line": int(chosen.own.lines[within[bad][0]])}
        raise NoMeasurement(say(Code.IMPOSSIBLE, estimate=protocol.estimate, **told))
    reasons = chosen.reasons[chosen.rows]
    if protocol.trim or protocol.trim_min:
        reasons[within[~trim(values, protocol.trim, protocol.trim_min)]] = Use.TRIM
    if protocol.statistic == "last":
        reasons[np.flatnonzero(reasons == Use.USED)[:-1]] = Use.NOT_LAST
    chosen = chosen.taking(reasons)
    return chosen, found.calculation(protocol.statistic, chosen.used)


def _chosen(run: Run, protocol: Protocol) -> _Chosen:
    """The records of the kind and of one rank that print what the protocol reads, and those of them in its window."""
    every = run.all_records(protocol.records)
    if not len(every):
        raise NoMeasurement(_no_column(protocol, [kind for kind in METRICS if len(run.all_records(kind))], "records"))
    column = _column(every, protocol)
    valued = np.isfinite(_printed(every, column))
    reasons = np.where(valued, Use.OTHER_RANK, Use.NO_VALUE).astype(np.int8)
    rows = np.flatnonzero(valued)
    if "rank" in every.table and np.isfinite(ranks := every.numbers("rank")[rows]).any():
        rows = rows[ranks == np.nanmin(ranks)]
    again = _of_earlier_run(every.rows(rows), every.field(column))
    reasons[rows[:again]], rows = Use.REPEATED, rows[again:]
    own = every.rows(rows)
    reasons[rows], missing = window_of(own, protocol)
    chosen = _Chosen(run, protocol, column, every, rows, own, reasons, missing)
    if not chosen.used.any():
        raise NoMeasurement(say(Code.NO_WINDOW, protocol=protocol.words(), count=len(own)))
    return chosen


def window_of(records: Records, protocol: Protocol) -> tuple[Reasons, int]:
    """Why a protocol takes each of some records or not (``Use``), and how many records or steps they have too few.

    Raises ``NoMeasurement`` where it needs numbers of steps that records do not have.
    """
    places = np.arange(1.0, len(records) + 1)
    steps = steps_done(records, protocol.words()) if protocol.window_counts_steps else places
    start, stop = _rest(records, places, steps, protocol)
    first, last, missing = start, stop, 0
    if take := protocol.take_first or protocol.take_last:
        done = steps if take.of == "steps" else places
        before = float(done[start - 1]) if start else 0.0
        if take.of == "steps" and protocol.skip_steps:
            before = float(protocol.skip_steps)
        missing = max(0, take.count - int(done[stop - 1] - before)) if stop > start else take.count
        if protocol.take_first:
            last = min(stop, _behind(done, before + take.count))
        else:
            first = max(start, _back(done, stop, take.count))
    reasons = np.full(len(records), Use.USED, np.int8)
    reasons[:first] = Use.BEFORE
    reasons[last:] = Use.BEYOND
    reasons[stop:] = Use.DROP_LAST if protocol.to_step is None else Use.BEYOND
    if protocol.from_step is None:
        reasons[:start] = Use.SKIP_STEPS if protocol.skip_steps else Use.SKIP_RECORDS
    return reasons, missing


def _rest(records: Records, places: Floats, steps: Floats, protocol: Protocol) -> tuple[int, int]:
    """The first record behind those skipped, and the first of those dropped at the end."""
    skipped = protocol.skip_records or int(without_noise(protocol.skip_fraction * len(records)))
    start = _behind(steps, protocol.skip_steps) if protocol.skip_steps else _behind(places, skipped)
    drop = protocol.drop_last
    stop = _back(steps if drop.of == "steps" else places, len(records), drop.count)
    if protocol.from_step is not None or protocol.to_step is not None:
        numbers = records.numbers("step")
        if not np.isfinite(numbers).all() or (np.diff(numbers) < 0).any():  # which of two equal ones is meant?
            raise NoMeasurement(say(Code.NO_STEPS, kind=records.kind, what="step", protocol=protocol.words()))
        start = start if protocol.from_step is None else int(np.searchsorted(numbers, protocol.from_step, "left"))
        stop = stop if protocol.to_step is None else _behind(numbers, protocol.to_step)
    return start, max(start, stop)


def _behind(done: Floats, count: float) -> int:
    """The first record that was printed after more than so many records or steps."""
    return int(np.searchsorted(done, count, side="right"))


def _back(done: Floats, stop: int, count: int) -> int:
    """The record at which the last records or steps before ``stop`` begin."""
    return _behind(done, done[stop - 1] - count) if stop else 0


def steps_done(records: Records, wanted: str) -> Floats:
    """The steps done in the run at each record; raises ``NoMeasurement`` of what needs them."""
    if records.steps is None:
        raise NoMeasurement(say(Code.NO_STEPS, kind=records.kind, what="step", protocol=wanted))
    return records.steps


def _printed(records: Records, column: str) -> Floats:
    return seconds_of_steps(records)[0] if column == "step_time" else records.numbers(column)


def _column(records: Records, protocol: Protocol) -> str:
    """The column that the estimate reads, the first that is printed."""

    def printed(columns: Sequence[str]) -> str:
        return next((name for name in columns if (name in CLOCKS or records.field(name)) and records.prints(name)), "")

    if column := printed(_columns(protocol)):
        return column
    raise NoMeasurement(_no_column(protocol, [one for one in ESTIMATES if printed(READS[one])], "estimate"))


def _columns(protocol: Protocol) -> Sequence[str]:
    return READS["step_time" if (protocol.estimate, protocol.counts) == ("instant", "steps") else protocol.estimate]


def _no_column(protocol: Protocol, possible: Sequence[str], key: str) -> Diagnostic:
    """That a log lacks what a protocol reads, with what is possible for one of its keys."""
    if not possible:
        return say(Code.NO_RECORDS if key == "records" else Code.NO_SPEED)
    told = {"estimate": protocol.estimate, "columns": " or ".join(_columns(protocol)), "kind": protocol.records}
    return say(Code.NO_COLUMN, **told, possible=" or ".join(f"{key}={one}" for one in possible))


def _of_earlier_run(records: Records, field: Field | None) -> int:
    """How many records at the start repeat the last mean of an earlier run, as a file that polls a program does.

    A mean over the run stands still only while nobody computes it anew, and jumps only when another run does.
    """
    is_mean = field is not None and field.kind == "running_mean" and field.per == "run"
    if field is None or not is_mean or any(records.prints(name) for name in ("step", "epoch")):
        return 0
    values = records.numbers(field.name)
    change = int(np.argmax(values != values[:1])) if len(values) else 0
    return change if change > 1 and abs(values[change] - values[0]) > JUMP * values[0] else 0


def _values(chosen: _Chosen) -> _Values:
    """One value of each record that can be read, and how their statistic becomes the throughput."""
    records, protocol, column = chosen.own, chosen.protocol, chosen.column
    printed = _printed(records, column)
    if not printed.any():
        raise NoMeasurement(say(Code.ZERO, column=column, line=int(records.lines[0])))
    if column == "throughput":
        return _rates(chosen, _instant(chosen, printed))
    seconds = _instant(chosen, _in_seconds(printed, chosen.field))
    if column == "duration":
        amounts, unit = _work_done(chosen)
        return _Values(amounts / seconds, unit)
    if protocol.counts in ("steps", "epochs"):
        return _Values(seconds, "steps", are_times=True)
    is_plain = protocol.statistic == "mean" and not (protocol.trim or protocol.trim_min)
    amount, unit = _of_step(chosen, of_each=not is_plain)
    if isinstance(amount, float):
        return _Values(seconds, unit, factor=amount, are_times=True)
    return _Values(amount / seconds, unit)


def _in_seconds(printed: Floats, field: Field) -> Floats:
    if field.name == "step_rate":
        return 1 / printed
    scale = 1 / IN_SECONDS[field.unit or "seconds"]
    return printed / scale if scale != 1 else printed


def _rates(chosen: _Chosen, values: Floats) -> _Values:
    """The rates as printed, times what makes them those of the job; those of all its ranks are added up."""
    field = chosen.field
    unit = _unit(chosen.own.rows(chosen.used), field)
    factor = chosen.work().factor(field.scope)
    ranks = chosen.rank_table(chosen.column)
    is_undone = chosen.protocol.estimate == "instant" and field.kind == "running_mean"
    if field.scope == "job" and (line := speeds_apart(ranks, chosen.own.once())):
        return _Values(values, unit, "unknown", said=(say(Code.RANKS_UNNAMED, line=line),))
    if factor is None:
        scope = field.scope or "unknown"
        return _Values(values, unit, scope, said=(say(Code.SCOPE_UNKNOWN, scope=scope),))
    if ranks is not None and field.scope == "card" and ranks.are_all(factor) and not is_undone:
        said = (say(Code.RANKS_SUMMED, count=len(ranks.numbers)),)
        means = np.nanmean(ranks.values, axis=0)
        return _Values(means, unit, factor=float(factor), is_summed=True, said=said)
    return _Values(values, unit, factor=float(factor))


def _unit(records: Records, field: Field) -> str:
    """What rates count, which must be the same in all records."""
    if len(words := units_on_lines(records)) > 1:
        raise NoMeasurement(say(Code.UNLIKE_UNITS, kinds=", ".join(sorted(words))))
    return unit_of(records, field)


def _instant(chosen: _Chosen, printed: Floats) -> Floats:
    """What is printed; where the protocol reads instant values, of running means that of the steps between records."""
    kind, column = chosen.field.kind, column_of(chosen.own, chosen.column)
    if chosen.protocol.estimate != "instant" or kind in ("instant", "window_mean"):
        return printed
    means = undone(column) if column is not None and kind == "running_mean" else None
    if means is None:
        raise NoMeasurement(say(Code.NOT_UNDONE, column=chosen.field.name))
    found = np.full(len(chosen.own), np.nan)
    found[means.rows] = means.work / means.seconds if chosen.column == "throughput" else means.each
    return found


def _of_step(chosen: _Chosen, *, of_each: bool) -> tuple[Floats | float, str]:
    """What all cards do in one step of those used: tokens where the log or the protocol counts them, else samples.

    ``of_each``: of each record, where they print how much that is and it varies.
    """
    work, counts = chosen.work(), chosen.protocol.counts
    is_in_tokens = counts == "tokens" or chosen.run.count("job_batch_tokens") or work.samples is None
    counted = "tokens" if is_in_tokens else "samples"
    if (amount := work.of_step(counted)) is None:
        missing = work.missing if work.samples is None else "sequence_length"
        raise NoMeasurement(say(Code.NO_BATCH, missing=missing or "batch_size"))
    if of_each and work.varies is not None:
        sizes = chosen.own.numbers("job_batch_size" if chosen.own.prints("job_batch_size") else "batch_size")
        sizes = np.where(chosen.used, sizes, 0)
        return amount * sizes / float(sizes[chosen.used].mean()), counted
    return float(amount), counted


def _work_done(chosen: _Chosen, *, since_start: bool = False) -> tuple[Floats, str]:
    """What all cards did in each record, or had done at it since the start, and what is counted.

    Of what had been done only differences mean something.
    """
    records, counts, work = chosen.own, chosen.protocol.counts, chosen.work()
    every = np.arange(len(records))
    for amounts, counted, scope in counters_of(records) if since_start else amounts_of(chosen.run, records, every):
        unit = "tokens" if (counts, counted) == ("samples", "tokens") else counts
        one = work.convert(1.0, counted, unit) if unit != "epochs" or counted == unit else None
        if one is None or "steps" in (counted, unit) or not np.isfinite(amounts).all():  # steps are counted below
            continue
        if (factor := work.factor(scope)) is None:
            raise NoMeasurement(say(Code.SCOPE_UNKNOWN, scope=scope))
        return amounts * (one * factor), unit
    if counts == "epochs":
        raise NoMeasurement(say(Code.NO_STEPS, kind=records.kind, what="epoch", protocol="counts=epochs"))
    done = steps_done(records, f"estimate={chosen.protocol.estimate}") if since_start else _steps_of_records(records)
    if counts == "steps":
        return done, "steps"
    amount, counted = _of_step(chosen, of_each=True)
    if since_start and not isinstance(amount, float):
        return np.cumsum(np.diff(done, prepend=0) * amount), counted
    return done * amount, counted


def _steps_of_records(records: Records) -> Floats:
    """The steps of each record, none of one that prints the step of the one before again."""
    covered = records.covered(np.arange(len(records)), records.field("duration"))
    if covered is not None and records.kind == "epoch":
        return covered
    risen = np.diff(steps_done(records, "estimate=duration"), prepend=0)
    return risen if covered is None else np.where(risen > 0, covered, 0)


def _by_clock(chosen: _Chosen) -> tuple[_Chosen, Series, Series]:
    """What was done between the last record before the window and its last one, over the time between them.

    In pieces where the clock begins anew; also each interval from a record to the next, of all that can be read.
    """
    records, protocol = chosen.own, chosen.protocol
    first, last = np.flatnonzero(chosen.used)[[0, -1]]
    first = max(first - 1, 0)
    name = next(one for one in CLOCKS if one == CLOCKS[-1] or np.isfinite(records.numbers(one)[[first, last]]).all())
    counter = (*_work_done(chosen, since_start=True), "job")
    anew = begins_anew(records, np.arange(len(records)), name, of_steps=protocol.counts == "steps")
    if protocol.counts == "epochs":
        anew |= np.diff(records.numbers("epoch")) < 0
    breaks = np.flatnonzero(anew[first:last]) + first
    series = clock_between(records, name, counter, np.append(first, breaks + 1), np.append(breaks, last))
    if first == last or not series.seconds.sum() > 0 or not 0 < series.work.sum() < np.inf:
        raise NoMeasurement(say(Code.NO_TIME))
    every = clock_between(records, name, counter, np.flatnonzero(~anew), np.flatnonzero(~anew) + 1)
    every = every.where(np.isfinite(every.work) & np.isfinite(every.seconds)).merged()
    reasons = chosen.reasons[chosen.rows]
    reasons[chosen.used] = Use.BETWEEN
    reasons[[first, last]] = Use.USED
    return chosen.taking(reasons), series, every


def _series(chosen: _Chosen, found: _Values) -> Series:
    """All records that have a speed, as work and seconds."""
    records, column = chosen.own, column_of(chosen.own, chosen.column)
    if column is None:
        raise NoMeasurement(say(Code.NO_SPEED))
    is_rate, is_duration = chosen.column == "throughput", chosen.column == "duration"
    is_whole = records.kind == "summary" or chosen.field.kind == "total"
    each = replace(column.each, begins=records.begins[column.rows], whole=is_whole)
    values = found.values[column.rows]
    are_speeds = (values > 0) & np.isfinite(values)
    each, values = each.where(are_speeds), values[are_speeds]
    if is_rate:  # of all ranks, or without what a running mean says of earlier steps
        each = replace(each, seconds=1 / values)
    series = each if is_duration else Column(records, column.field, each).intervals()
    if is_rate or found.are_times:
        return series
    return replace(series, work=values * series.seconds, counted=found.unit, unit=found.unit)


def _ranks_of(chosen: _Chosen, found: _Values | None) -> RankSpread | None:
    """How far ranks are apart that print the same steps, also where the throughput is that of the clock."""
    column = chosen.column if found else next(filter(chosen.own.prints, ("throughput", "step_time")), "")
    meaning = chosen.own.field(column)
    if meaning is None or (table := chosen.rank_table(column)) is None:
        return None
    used = np.isin(chosen.reasons[chosen.rows], (Use.USED, Use.BETWEEN))
    unit = f"{_unit(chosen.own.rows(used), meaning)}/s" if column == "throughput" else str(meaning.unit)
    spread = table.spread(used, lambda row: reduce(row[~np.isnan(row)], chosen.protocol.statistic), unit, chosen.run)
    is_summed, are_times = found is not None and found.is_summed, column != "throughput"
    return replace(spread, are_times=are_times, is_summed=is_summed) if spread else None


def _checks(
    chosen: _Chosen, series: Series, every: Series, estimate: Estimate, others: Sequence[Series], work: Work
) -> Iterator[Check]:
    """What the other sources say of the records that are used.

    Of a statistic that is no average they say nothing, unless they contradict what all records of its window make.
    """
    if not len(series) or not estimate.value > 0:
        return
    is_average, ratio = chosen.protocol.statistic in AVERAGES, 1.0
    if not is_average:
        windowed = np.isin(chosen.reasons[chosen.rows[every.rows]], (Use.USED, Use.TRIM, Use.NOT_LAST))
        all_of_window = every.where(windowed)
        ratio = all_of_window.rate / series.rate
        series, is_average = all_of_window, len(all_of_window) == 1
    start, end = int(series.begins[0]), int(series.lines[-1])
    around = [one if one.whole else one.where((one.begins >= start) & (one.lines <= end)) for one in others]
    known = [one for one in around if len(one) and (one.kind, one.source) != (series.kind, series.source)]
    clocks = (one for one in around if one.timer == series.timer == "clock" and one.kind == series.kind)
    spans_pauses = series.timer == "clock" and (series.kind == "epoch" or any(one.pauses().any() for one in clocks))
    total = float(series.seconds.sum())
    claim = replace(
        series,
        counted=estimate.counted,
        unit=estimate.unit,
        scope=estimate.scope,
        rows=series.rows[-1:],
        lines=series.lines[-1:],
        begins=series.begins[:1],
        telescopes=False,
        sampled=False,
        values=None,
        work=np.array([estimate.value * ratio * total]),
        seconds=np.array([total]),
        tick=np.array([min(series.error, 1.0) * total]),
        whole=series.whole or spans_pauses,
    )
    for check in checks_of(claim, known, start, work, is_stated=True):
        if is_average or check.says == "differs":
            yield replace(check, ratio=check.ratio * ratio)


def _of_records(chosen: _Chosen, series: Series, work: Work, checks: Sequence[Check]) -> Iterator[Diagnostic]:
    """What a reader must know of the records that are used."""
    protocol, column = chosen.protocol, chosen.column
    if chosen.missing:
        take = protocol.take_first or protocol.take_last
        yield say(Code.TOO_SHORT, take=str(take), missing=chosen.missing)
    if column in CLOCKS:
        return
    if protocol.estimate != "instant":
        yield from said_of_column(chosen.field, protocol.statistic, int(chosen.used.sum()))
    if work.varies and column != "throughput":
        yield say(Code.BATCH_VARIES, low=work.varies[0], high=work.varies[1])
    yield from said_of_digits(series, checks)
