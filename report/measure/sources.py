"""Sources: every way in which the records of a run tell its speed, each as work and seconds of its intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parsers.grammar.field import IN_SECONDS, Field
from parsers.series import OVERHEAD, Floats, Lines, Mask, Series

from .records import Records, Run
from .work import thing

CLOCKS = ("time", "elapsed")
# What logs count themselves, since the start and in each record, and in what.
COUNTERS = {"consumed_samples": "samples", "consumed_tokens": "tokens"}
COVERED = {"sample_count": "samples", "token_count": "tokens"}
# What was done at, or in, each record, in what it is counted, and whose work that is.
Counter = tuple[Floats, str, str]
OF_BARS = ("step_time", "step_rate")
MEAN_OF_PASS = ("running_mean", "epoch", 0)  # kind, span and first step of the rate of a bar that smooths nothing
MOSTLY = 0.9  # of the states of a bar: one in ten may be torn, or drawn again with a rate of its own
PRINTED = ("throughput", "step_time", "step_rate", "work_time", "mean_throughput", "mean_step_time")


def series_of(run: Run, kind: str, rank: float | None = None) -> Iterator[Series]:
    """All sources that the records of a kind hold: printed rates and times, durations, counters over clocks.

    ``rank``: of which rank; of the lowest that prints a speed where none is given.
    """
    records = run.records(kind, rank)
    if not len(records):
        return
    no_means = OF_BARS if are_smoothed(run.records("step", rank)) else ()
    for name in (name for name in PRINTED if name not in no_means):
        if (found := _printed(records, name)) is not None and len(found):
            yield _training(run, found) if found.derived else found
    yield from _durations(run, records)
    yield from _clocks(run, records)


def are_smoothed(states: Records) -> bool:
    """Whether the rates of a progress bar are not the means of a pass that they claim to be, but weigh late steps more.

    A mean is what was done over the seconds since the bar began, both of which each of its states shows. A clock that
    does not begin anew with each pass is none of a bar, and says nothing of it.
    """
    clock = states.numbers("elapsed")
    if not (np.diff(clock) < 0)[states.epoch_starts[1:]].all():
        return False
    printed = (column_of(states, name) for name in OF_BARS)
    means = (one for one in printed if one and (one.field.kind, one.field.per, one.field.since) == MEAN_OF_PASS)
    for column in means:
        done, seconds = states.step_numbers[column.rows], clock[column.rows]
        known = np.isfinite(seconds) & np.isfinite(done)
        one = column.each
        off = np.abs(done * one.seconds - seconds) - done * one.tick - states.digit("elapsed")
        return bool(known.any()) and bool((off[known] <= 0).mean() < MOSTLY)
    return False


def unit_of(records: Records, field: Field) -> str:
    """What a rate counts, in the words of the log where it says them on each line."""
    words = units_on_lines(records)
    return words.pop() if len(words) == 1 else (field.unit or "samples").replace("_", " ")


def units_on_lines(records: Records) -> set[str]:
    """The words that lines say themselves for what their rates count."""
    words = records.table["counted"].tolist() if "counted" in records.table else []
    return {str(word).lower() for word in words if isinstance(word, str) and word}


def seconds_of_steps(records: Records) -> tuple[Floats, Field | None]:
    """The times of steps as printed, and what they mean; bars show steps a second instead, whichever is above one."""
    times, time, rate = records.numbers("step_time"), records.field("step_time"), records.field("step_rate")
    if rate is None or (time is not None and rate.kind != time.kind):
        return times, time
    with np.errstate(divide="ignore"):
        inverse = 1 / records.numbers("step_rate")
    scale = IN_SECONDS.get(time.unit or "seconds", 1.0) if time else 1.0
    filled = np.where(np.isnan(times), inverse / scale, times)
    return filled, time or (rate if np.isfinite(filled).any() else None)


@dataclass(frozen=True, eq=False)
class Column:
    """A column that prints a rate or a time; ``each``: of each record that does one unit of work."""

    records: Records
    field: Field
    each: Series

    @property
    def rows(self) -> Lines:
        """The records that print it."""
        return self.each.rows

    def covering(self, work: Floats, **more: Any) -> Series:
        """The series of which each record did so much work; ``more``: its other fields."""
        each = self.each
        return replace(each, work=work, seconds=work * each.seconds, tick=work * each.tick, **more)

    def intervals(self) -> Series:
        """The series of which each record is the mean of the steps since the one before, or one of them."""
        steps, kind = self.records.covered(self.rows, self.field), self.field.kind
        sampled = kind == "unknown" or (kind == "instant" and steps is not None and bool((steps > 1).any()))
        return self.covering(self.each.work if kind == "instant" or steps is None else steps, sampled=sampled)


def series_over(records: Records, rows: Lines, source: str, **more: Any) -> Series:
    """The series of a source whose intervals end at some records, each behind the one before unless ``begins`` says.

    ``more``: its other fields, as of ``Series``.
    """
    lines = records.lines[rows]
    begins = np.concatenate([records.begins[rows[:1]], lines[:-1]])
    return Series(source=source, kind=records.kind, rows=rows, lines=lines, **{"begins": begins, **more})


def _printed(records: Records, name: str) -> Series | None:
    """The series of a column that prints a rate, or the time of a step."""
    if (column := column_of(records, name)) is None:
        return None
    if (found := _derived(column)) is not None:
        return found
    field = column.field
    if field.kind == "total" or records.kind == "summary":
        return _total(column)
    if field.kind == "running_mean":
        steps = undone(column)
        # What digits cut off makes of one interval too little and of its neighbour too much; together they are right.
        return _total(column) if steps is None else steps.merged()
    found = column.intervals()
    firsts = records.step_numbers[column.rows] == 1
    if found.sampled and field.kind == "instant" and not firsts.all():
        return found.where(
            ~firsts
        )  # one step stands for many, and the first of an epoch, which waits for its data, for none
    return found


def column_of(records: Records, name: str) -> Column | None:
    """A column that prints a rate or a time; None where it prints none, or where another one says the same."""
    field, values = records.field(name), records.numbers(name)
    if name in ("step_time", "step_rate") and (name == "step_time") != records.prints("step_time"):
        return None  # bars print either
    if name == "step_time":
        values, field = seconds_of_steps(records)
    rows = np.flatnonzero(np.isfinite(values) & (values > 0))
    if field is None or not len(rows):
        return None
    values, digit = values[rows], records.digit(field.name)
    if name in ("throughput", "mean_throughput", "step_rate"):
        seconds = 1 / values
        tick = seconds * digit / 2 / values
    else:
        scale = IN_SECONDS.get(field.unit or "seconds", 1.0)
        seconds = values * scale
        tick = (
            seconds * seconds * digit / 2
            if field.name == "step_rate"
            else np.broadcast_to(digit / 2 * scale, len(rows))
        )
    told = {"counted": "steps", "unit": "steps", "scope": "job", "values": values, "expected": field.is_expected}
    if name.endswith("throughput"):
        unit = unit_of(records, field)
        counted = thing(unit)
        told |= {"unit": unit, "counted": "environment steps" if counted == "steps" else counted}
        told |= {"scope": field.scope or "unknown"}
    each = series_over(records, rows, name, work=np.broadcast_to(1.0, len(rows)), seconds=seconds, tick=tick, **told)
    return Column(records, field, each)


def _total(column: Column) -> Series | None:
    """A total of the run; None of times of several summaries, which may be of several models."""
    each = column.each
    is_alike = each.seconds.max() <= each.seconds.min() * (1 + OVERHEAD)
    if each.kind == "summary" and not is_alike and each.counted == "steps":
        return None
    return replace(each.where(np.arange(len(each)) == len(each) - 1), whole=True, begins=np.zeros(1, np.int64))


def _derived(column: Column) -> Series | None:
    """A rate or time that is that of a counter over the seconds since the start: a clock, which it says more finely.

    After a restart the counter and the clock begin apart, and only their differences are right.
    """
    records, rows, each = column.records, column.rows, column.each
    seconds, second = records.numbers("elapsed")[rows], records.digit("elapsed")
    counters = [records.numbers(one) for one in COUNTERS] if "throughput" in each.source else [records.steps]
    for done in (one[rows] for one in counters if one is not None):
        clock, known = done * each.seconds, (done > 0) & (seconds > 0)
        tick = 2 * done * each.tick  # some programs cut the last digit off
        if known.sum() < 2 or (np.abs(clock - seconds) > tick + second / 2)[known].any():
            continue
        if not np.median(tick) < second:
            clock, tick = seconds, np.full(len(done), second)
        found = replace(
            each.where(np.arange(len(each)) > 0),
            source="elapsed",
            derived=each.source,
            timer="clock",
            telescopes=True,
            values=None,
            work=np.diff(done),
            seconds=np.diff(clock),
            tick=tick[1:],
            expected=False,
        )
        return found.merged()
    return None


def undone(column: Column) -> Series | None:
    """A running mean is a clock: times the steps that it covers it is the time since it began anew.

    One interval a record; one that digits cut short may take no time. None where nothing tells how many steps a mean
    covers: they are not counted, or run on over the epochs at which it begins anew.
    """
    records, rows, since = column.records, column.rows, column.field.since or 0
    if column.field.per == "run":
        starts = np.zeros(len(records), np.bool_)
        done = records.steps if records.field("step") or since else records.epoch_numbers
    elif records.kind == "epoch":
        steps = records.covered(rows)
        return column.each if steps is None else column.covering(steps)
    else:
        starts, done = records.epoch_starts, records.step_numbers
        if (np.diff(records.numbers("epoch")) > 0)[~starts[1:]].any():
            return None
    if done is None or not np.isfinite(done[rows]).all():
        return None
    done, begins = done[rows], np.diff(np.cumsum(starts)[rows], prepend=-1) > 0
    is_reset = done > since
    begins[1:] |= is_reset[1:] != is_reset[:-1]
    covers = np.where(is_reset, done - since, done) - records.skipped[rows]
    if begins.all():  # each mean covers steps of its own
        return column.covering(covers)
    clock = covers * column.each.seconds
    work = np.where(begins, covers, np.diff(covers, prepend=0))
    seconds = np.where(begins, clock, np.diff(clock, prepend=0))
    return replace(column.covering(covers, telescopes=True, undone=True), work=work, seconds=seconds)


def _durations(run: Run, records: Records) -> Iterator[Series]:
    """The time of a record of its own, with what the record did, in each unit that says it."""
    field, values = records.field("duration"), records.numbers("duration")
    rows = np.flatnonzero(values > 0)
    if field is None or not len(rows):
        return
    scale = IN_SECONDS.get(field.unit or "seconds", 1.0)
    seconds, tick = values[rows] * scale, np.broadcast_to(records.digit("duration") / 2 * scale, len(rows))
    told = {"whole": records.kind == "summary", "expected": field.is_expected, "values": seconds}
    for work, counted, scope in amounts_of(run, records, rows):
        more = {"work": work, "counted": counted, "unit": counted, "scope": scope, **told}
        found = series_over(records, rows, "duration", seconds=seconds, tick=tick, **more)
        yield _training(run, replace(found, timer="clock")) if field.kind == "wall_time" else found


def amounts_of(run: Run, records: Records, rows: Lines) -> Iterator[Counter]:
    """What records did, in each unit that says it, and whose work that is."""
    for name, counted in COVERED.items():
        amount, field = records.numbers(name)[rows], records.field(name)
        if field is not None and (amount > 0).all():
            yield amount, counted, field.scope or "unknown"
    if records.kind == "epoch" and (size := run.count("epoch_samples")):
        yield np.full(len(rows), float(size)), "samples", "job"
    if (steps := records.covered(rows, records.field("duration"))) is not None:
        yield steps, "steps", "job"
    if records.kind == "epoch":
        yield np.ones(len(rows)), "epochs", "job"
    if records.kind == "summary" and len(records) == 1 and (count := run.epochs_before(int(records.lines[0]))):
        yield np.array([float(count)]), "epochs", "job"


def _clocks(run: Run, records: Records) -> Iterator[Series]:
    """Counters over clocks: what was done between two records, over the time between them."""
    for clock in CLOCKS:
        times = records.numbers(clock)
        for counter in counters_of(records):
            rows = np.flatnonzero(np.isfinite(times) & np.isfinite(counter[0]))
            if len(rows) < 2:
                continue
            found = _training(run, _clock(records, rows, clock, counter))
            if len(found):
                yield found


def _training(run: Run, clock: Series) -> Series:
    """The intervals of a clock in which nothing but training is known to have run, if there are any."""
    before, by_end = np.searchsorted(run.breaks, clock.begins, "right"), np.searchsorted(run.breaks, clock.lines)
    is_training: Mask = before == by_end
    if clock.kind == "epoch" or not is_training.any():
        return replace(clock, holds_more=True)
    return clock.where(is_training)


def _clock(records: Records, rows: Lines, clock: str, counter: Counter) -> Series:
    """What a counter shows from one record to the next, where neither it nor the clock begins anew between them."""
    found = clock_between(records, clock, counter, rows[:-1], rows[1:])
    is_anew = begins_anew(records, rows, clock, of_steps=counter[1] == "steps")
    return found.where(~is_anew & (found.work >= 0) & (found.seconds >= 0)).merged()


def begins_anew(records: Records, rows: Lines, clock: str, *, of_steps: bool) -> Mask:
    """Between which of these records and the next a clock, or what it counts, begins anew, so that neither tells."""
    is_anew: Mask = np.diff(records.numbers(clock)[rows]) < 0
    crosses = np.diff(np.cumsum(records.epoch_starts)[rows]) > 0
    if records.kind != "step":
        return is_anew
    is_of_epoch = clock == "elapsed" and bool((is_anew & crosses).any())  # a bar's clock begins with its epoch
    # Nobody knows how many steps follow the last one printed of an epoch, unless each says how many there are.
    return is_anew | crosses if is_of_epoch or (of_steps and not records.epochs_are_whole) else is_anew


def clock_between(records: Records, clock: str, counter: Counter, starts: Lines, ends: Lines) -> Series:
    """What a counter shows between pairs of records, over the time that a clock does."""
    (done, counted, scope), times = counter, records.numbers(clock)
    work, seconds = done[ends] - done[starts], times[ends] - times[starts]
    if clock == "time":  # without the rounding of seconds since the first record
        seconds = (records.table[clock][ends] - records.table[clock][starts]) / np.timedelta64(1, "s")
    told = {"counted": counted, "unit": counted, "scope": scope, "timer": "clock", "telescopes": True}
    told |= {"tick": np.broadcast_to(records.digit(clock), len(work)), "begins": records.lines[starts]}
    return series_over(records, ends, clock, work=work, seconds=seconds, **told)


def counters_of(records: Records) -> Iterator[Counter]:
    """What had been done at each record, in each unit that is counted, and whose work that is."""
    for name, counted in COUNTERS.items():
        if records.prints(name):
            yield records.numbers(name), counted, "job"
    for name, counted in COVERED.items():
        field, amount = records.field(name), records.numbers(name)
        if field is not None and len(amount) > 1 and np.isfinite(amount[1:]).all():
            yield np.nancumsum(amount), counted, field.scope or "unknown"
    if records.kind == "step" and records.steps is not None:
        yield records.steps, "steps", "job"
    epochs = records.numbers("epoch")
    if records.kind == "epoch" and np.isfinite(epochs).any():
        yield epochs, "epochs", "job"


def says_speed(run: Run, series: Series) -> bool:
    """Whether a source says more than how long the very first step took, which holds the start-up."""
    if not 0 < series.rate < np.inf:
        return False
    is_one = len(series) == 1 and not series.whole and series.kind == "step" and series.source not in CLOCKS
    return not is_one or run.records("step").step_numbers[series.rows[0]] != 1
