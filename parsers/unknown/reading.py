"""From a speed of an unknown log to a reading of it: its lines as records with typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..grammar.field import IN_SECONDS, UNITS, Field, Kind, Per, Scope
from ..grammar.format import METRICS, Format
from ..runs.events import Event
from ..runs.facts import Fact
from ..runs.format_records import FormatRecords
from ..runs.reading import Reading, survey
from ..scanning.record_table import Array, RecordTable, finest
from ..series import Floats
from .answer import Accepted, targets
from .judge import Speed, as_rate, clocks, each, passes, progress_of
from .log import MAJORITY, NEARLY_ALL, Column, Table, share
from .naming import split
from .option import EPOCH, LEFT, LINE, START, STEP, STEPS

_SCOPES: dict[str | None, Scope] = {"card": "card", "node": "node", "job": "job"}
_BESIDE = ("loss", "learning_rate", "gradient_norm")  # what only training prints, as it is
_LENGTHS = {seconds: name for name, seconds in IN_SECONDS.items()}
_ELAPSED = {"seconds": "NUMBER", "minutes": "MINUTES", "hours": "HOURS"}
SPEEDS = ("throughput", "step_rate", "step_time", "duration")
_CONSUMED = {"samples": "consumed_samples", "tokens": "consumed_tokens"}


@np.errstate(all="ignore")  # what is no number is NaN, as in any reading
def reading(found: Accepted, facts: Iterable[Fact] = (), known: Sequence[Format] = ()) -> Reading:
    """The log of a speed with its lines as records, which come before those of ``known`` formats of the same log.

    ``facts``: what the caller knows. All lines of the records are matched. Lines of an evaluation are its events, so
    that a clock is not taken over it. Raises LogError when the log cannot be read.
    """
    log = found.speed.table.log
    told = survey(log.path, format=known, facts=facts, found=_records(found.speed, found.also))
    rows = {row.line: row for table in log.tables if table.is_evaluation for row in table.rows}
    no_time = np.datetime64("NaT", "us")
    evaluations = [Event(line, "evaluation", row.text.strip(), no_time) for line, row in rows.items()]
    return replace(told, happened=tuple(sorted((*told.happened, *evaluations), key=lambda event: event.line)))


def _records(speed: Speed, also: Sequence[Speed]) -> FormatRecords:
    """The records of the lines of a speed, and of those of other ranks that are like them."""
    drawn, key = [TableRecords(speed.table).fill(speed, also)], speed.table.key
    if key.rank >= 0 and speed.option.part is None:
        alike = (t for t in speed.table.log.tables if t.key._replace(rank=key.rank) == key)
        others = (t for t in alike if t.key.rank not in (-1, key.rank))
        drawn += [TableRecords(other).fill(own) for other in others for own in targets(other, speed.option)[:1]]
    names = dict.fromkeys(name for one in drawn for name in one.columns)
    joined = {
        name: np.concatenate([one.columns.get(name, np.full(len(one.columns["line"]), np.nan)) for one in drawn])
        for name in names
    }
    order = np.argsort(joined["line"], kind="stable")
    fields = {key: told for one in reversed(drawn) for key, told in one.fields.items()}
    columns = {name: column[order] for name, column in joined.items()}
    for name in {name for (_, name), told in fields.items() if told.type == "INTEGER"} & columns.keys():
        if np.isfinite(columns[name]).all():
            columns[name] = columns[name].astype(np.int64)
    not_numbers = np.sort(np.concatenate([one.not_numbers for one in drawn]))
    return FormatRecords(None, RecordTable(columns, finest(one.digits for one in drawn)), fields, not_numbers)


@dataclass
class TableRecords:
    """The records of one table as they are made: ``columns`` by name, what they mean, and their digits.

    ``printed``: what a grammar reads of them, and which numbers these are.
    """

    table: Table
    columns: dict[str, Array] = field(default_factory=dict)
    fields: dict[tuple[str, str], Field] = field(default_factory=dict)
    digits: dict[tuple[str, str], float] = field(default_factory=dict)
    not_numbers: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    record: str = "step"
    printed: list[tuple[Field, Column]] = field(default_factory=list)

    def add(
        self, values: Array, told: Field, digit: float = 0.0, *, of: Column | None = None, printed: Field | None = None
    ) -> None:
        """Add a column, unless there is one of that name; ``printed``: what the numbers ``of`` a column are in it."""
        if told.name not in self.columns:
            self.columns[told.name] = values
            self.fields[self.record, told.name] = told
            if digit:
                self.digits[self.record, told.name] = digit
            if of is not None:
                self.printed.append((printed or told, of))

    def fill(self, speed: Speed, also: Sequence[Speed] = ()) -> TableRecords:
        """Add all columns of the table of a speed."""
        rows = self.table.rows
        self.record = _kind(speed)
        self.columns["line"] = np.array([row.line for row in rows], np.int64)
        self.columns["record"] = np.full(len(rows), METRICS.index(self.record), np.int8)
        if self.table.key.rank >= 0:
            self.add(np.full(len(rows), float(self.table.key.rank)), Field("rank", "INTEGER"))
        self._counters()
        self._beside()
        for one in (speed, *(other for other in also if other.unit)):
            self._speed(one)
        told = [self.columns[name] for name in SPEEDS if name in self.columns]
        if len(rows) == 1 or not told or np.isfinite(told[0]).sum() > 1:  # else a clock would take its place
            self._clocks(speed)
        if self.table.bar and self.table.step is not None:  # a step is done when its state is drawn first
            steps, ends = self.table.step.values, self.table.step.values == self.table.step.totals
            of_states = has_states(self.table)  # else each end that is drawn is one of another pass
            falls = np.diff(self.columns["elapsed"], prepend=0) < 0 if "elapsed" in self.columns else ends
            drawn = (np.diff(steps, prepend=0) != 0) | (falls if of_states else ends)
            self.columns = {name: column[drawn] for name, column in self.columns.items()}
        return self

    def _counters(self) -> None:
        """The number of the step and of the epoch, and how many there are."""
        step, epoch, totals = self.table.step, self.table.epoch, self.table.totals
        if step is not None:
            first = 0 if not self.table.bar and (step.values == 0).any() else 1
            told = Field("step", "INTEGER" if _are_whole(step.values) else "NUMBER", first=first)
            self.add(step.values, told, of=step)
            restarts = (self.table.bar or (np.diff(step.values) <= 0).any()) and not self._begins_anew(step.values)
            if np.isfinite(totals).any():
                self.add(totals, Field("steps_per_epoch" if restarts else "steps", "INTEGER"))
        if epoch is None and self.table.bar and step is not None and not has_states(self.table):
            passed = np.cumsum(np.diff(step.values, prepend=np.inf) <= 0)  # of each pass its end alone is drawn
            self.add(passed, Field("epoch", "INTEGER", first=1))
        if epoch is not None and not (self.record == "step" and step is None):  # many records of one epoch are none
            first = 0 if (epoch.values == 0).any() else 1
            whole = _are_whole(epoch.values)
            told = Field("epoch", "INTEGER", first=first) if whole else Field("epochs_done", "NUMBER")
            self.add(epoch.values, told, of=epoch)
            if whole and np.isfinite(epoch.totals).any():
                self.add(epoch.totals, Field("epochs", "INTEGER"))

    def _begins_anew(self, steps: Floats) -> bool:
        """Whether a bar begins anew once, before it was near its end: another run, and no other epoch."""
        anew = np.flatnonzero(np.diff(steps) < 0)
        return self.table.bar and len(anew) == 1 and bool(steps[anew[0]] < NEARLY_ALL * self.table.totals[anew[0]])

    def _beside(self) -> None:
        """What is counted and printed beside the speed."""
        lines = self.columns["line"]
        for column in self.table.columns:
            role = column.meaning.role
            if role in _BESIDE and "other" not in column.meaning.flags and role not in self.columns:
                self.add(column.values, Field(role, "NUMBER"), column.quantum, of=column)
                if role == "loss":
                    printed = np.array([row.form in column.fields for row in self.table.rows], np.bool_)
                    self.not_numbers = lines[printed & np.isnan(column.values)]
            if role == "amount" and split(column.name) in (("global", "batch", "size"), ("total", "batch", "size")):
                self.add(column.values, Field("job_batch_size", "INTEGER"), of=column)
        for column in self.table.of("consumed"):
            if name := _CONSUMED.get(column.meaning.counts or ""):
                self.add(column.values, Field(name, "INTEGER"), of=column)

    def _speed(self, speed: Speed) -> None:
        """The column of a speed, as far as a printed number says it."""
        column, h = speed.column, speed.option
        if counts_by_clock(speed):
            return
        if h.kind == "rate" and h.is_mean and h.counts in _CONSUMED and progress_of(self.table, h.counts):
            return  # a mean of more than this run: what was done is counted, and a clock beside it
        is_used = column.used & (column.values > 0) & np.isfinite(column.values)
        taken = each(column, replace(h, is_mean=False, per=STEP if h.per == LINE else h.per))
        values: Floats = np.where(is_used, taken, np.nan)
        kind: Kind = "running_mean" if h.is_mean or self.table.bar else "unknown"
        per: Per | None = "epoch" if self.table.bar else "run" if h.is_mean else None
        since = 0 if per else None
        count = float(np.nanmedian(column.counts)) if h.per == STEPS else 1.0
        digit = column.quantum * h.factor / count if h.kind == "time" else 0.0
        length = _LENGTHS.get(h.factor) if h.kind == "time" else None
        of = column if length else None
        if h.kind == "rate" and h.counts != "epochs":
            rate = "step_rate" if h.counts == "steps" else "throughput"
            unit = None if h.counts == "steps" else h.counts or "unknown"
            known = unit if unit is None or unit in UNITS["throughput"] else "unknown"
            scope = None if rate == "step_rate" else _SCOPES.get(speed.scope, "unknown")
            told = Field(rate, "NUMBER", unit, scope, kind, since, per)
            of = None if h.is_inverse or h.factor != 1.0 else column
            values, digit = np.where(is_used, as_rate(column, h) / h.factor, np.nan), column.quantum / h.factor
            self.add(values, told, 0.0 if h.is_inverse else digit, of=of, printed=replace(told, unit=known))
        elif h.per == START:
            self._elapsed(column, column.values * h.factor, h.factor)
        elif h.per == LEFT:
            told = Field("step_time", "NUMBER", "seconds", kind="unknown", is_expected=True)
            self.add(np.where(values > 0, values, np.nan), told, of=of, printed=Field("remaining", "NUMBER", length))
        elif h.per in (LINE, EPOCH) or h.counts == "epochs":
            told = Field("duration", "NUMBER", "seconds", kind="training_time", per="run" if h.per == LINE else "epoch")
            per = "run" if h.per == STEPS else told.per  # what is printed is of several
            self.add(values, told, digit, of=of, printed=replace(told, unit=length, per=per))
        else:
            told = Field("step_time", "NUMBER", "seconds", None, kind, since, per)
            printed = replace(told, unit=length)
            if h.per == STEPS:
                printed = Field("duration", "NUMBER", length, kind="training_time", per="run")
            self.add(values, told, digit, of=of, printed=printed)

    def _elapsed(self, column: Column, seconds: Floats, factor: float) -> None:
        """The time since the start."""
        terminal = _ELAPSED.get(_LENGTHS.get(factor, ""))
        told, printed = Field("elapsed", "NUMBER"), Field("elapsed", terminal or "")
        self.add(seconds, told, column.quantum * factor, of=column if terminal else None, printed=printed)

    def _clocks(self, speed: Speed) -> None:
        """The time since the start, and the moment of each line."""
        for column in self.table.elapsed if not self.table.bar or has_states(self.table) else ():
            if np.isfinite(column.values).mean() > NEARLY_ALL and "other" not in column.meaning.flags:
                unit = column.meaning.factor or 1.0
                values = column.values * unit
                if self.table.bar and self.table.step is not None:  # whose clock begins with it, before it shows a loss
                    values = np.where(self.table.step.values == 0, 0.0, values)
                self._elapsed(column, values, unit)
        moments, _ = self.table.moments
        if np.isfinite(moments).mean() > NEARLY_ALL and not self.table.bar:
            stamps = np.where(np.isfinite(moments), moments * 1e6, 0).round().astype(np.int64).view("datetime64[us]")
            stamps[~np.isfinite(moments)] = np.datetime64("NaT", "us")
            self.add(stamps, Field("time", "STAMP"))


def counts_by_clock(speed: Speed) -> bool:
    """Whether a clock counts what lines do, and no printed number is taken: what a bar shows is smoothed."""
    return speed.by_clock or (speed.table.bar and has_states(speed.table))


def has_states(bar: Table) -> bool:
    """Whether a progress bar has a clock, and most of its passes several states to count by it."""
    step = bar.step
    if step is None or not any(clock.kind == "bar" for clock in clocks(bar)):
        return False
    begun = step.values > 0
    d, rest = np.diff(step.values[begun]), (step.totals - step.values)[begun]
    d = d[(d != 0) | (rest[1:] == 0)]  # a state that is drawn again, with other numbers behind it, is no other
    return len(d) > 0 and share(d > 0) >= MAJORITY


def _kind(speed: Speed) -> str:
    """The kind of the records of a speed."""
    table, h = speed.table, speed.option
    if len(table.rows) == 1 and table.step is None and table.epoch is None:
        return "summary"
    one_an_epoch = table.step is None and share(np.isfinite(passes(table))) >= MAJORITY
    is_of_epochs = speed.unit == "epochs" or h.per == EPOCH or one_an_epoch
    return "epoch" if is_of_epochs else "step"


def _are_whole(values: Floats) -> bool:
    return bool((values[np.isfinite(values)] % 1 == 0).all())
