"""How fast: from an option that stands, from a clock alone, or from the clock of a progress bar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..series import Floats
from .clocks import advance, clocks, each, passes, progress_of
from .log import Column, Table
from .naming import Meaning
from .option import BAR, CLOCK, EPOCH, LEFT, LINE, START, STEP, STEPS, Option

CLOCK_TICKS = 10  # an interval of so many ticks of a clock is off by at most 10 %: two numbers are nearer to a reader
_ROLES = {STEP: "step_time", START: "elapsed", LEFT: "remaining"}


@dataclass(frozen=True)
class Finding:
    """What one witness says: predicted over told seconds, and whether both can be true; None where it leaves that open.

    ``witness``: a clock; a clock and what was done since the start; a time beside a rate, whose product is one amount;
    a rate beside a time, whose product is one whole number; or the time that is left. ``by``: the kind of the clock or
    the name of the column. ``cards``: how many times the rate goes into what was counted, if that is a whole number.
    """

    witness: Literal["clock", "progress", "time", "rate", "remaining"]
    by: str
    ratio: float
    says: bool | None
    cards: int = 1


@dataclass(frozen=True)
class Speed:
    """A speed read from a log: so many of a unit each second; None where nobody knows what is counted.

    ``option``: what the ``column`` measures, as a person would say it. ``findings``: what witnesses say of that.
    ``by_clock``: a clock tells it, and no printed number is used.
    """

    rate: float
    unit: str | None
    column: Column
    option: Option
    findings: tuple[Finding, ...] = ()
    by_clock: bool = False

    @property
    def agree(self) -> bool:
        """Whether a witness confirms it."""
        return any(f.says is True for f in self.findings)

    @property
    def against(self) -> bool:
        """Whether a witness refutes it."""
        return any(f.says is False for f in self.findings)

    @property
    def distance(self) -> float:
        """How far from 1 the clocks find it, as a logarithm."""
        found = [abs(np.log(f.ratio)) for f in self.findings if f.ratio > 0 and f.witness == "clock"]
        return float(min(found, default=np.inf))

    @property
    def read(self) -> str:
        """The text of its option."""
        return str(self.option)

    @property
    def table(self) -> Table:
        """The lines that it is read from."""
        return self.column.table

    @property
    def scope(self) -> str | None:
        """Whose it is: card, node or job; None where nothing says it."""
        return self.option.scope

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of its lines."""
        return tuple(row.line for row in self.table.rows)

    @property
    def role(self) -> str:
        """What kind of number it is: throughput, step_rate, step_time, duration, elapsed or remaining."""
        h = self.option
        if self.by_clock:
            return "elapsed"
        if h.kind == "rate":
            return "step_rate" if h.counts in ("steps", "epochs") else "throughput"
        return _ROLES.get(h.per or STEP, "duration")


def speed_of(column: Column, h: Option, findings: tuple[Finding, ...] = ()) -> Speed:
    """The speed by an option, as far as witnesses of what was done complete it."""
    proven = any(f.says and f.cards == 1 for f in findings if f.witness == "progress")
    if h.scope == "card" and proven:  # what the lines count in all grows as fast
        h = replace(h, scope=None)
    if h.kind == "rate" and h.counts is None and proven and (done := progress_of(column.table, None)) is not None:
        h = replace(h, counts=done.meaning.counts)
    counted = column.counts[np.isfinite(column.counts)] if h.per == STEPS else np.array([])
    h = replace(h, count=int(np.median(counted)) if len(counted) else None)
    return Speed(*_rate(column, h), column, h, findings)


def _rate(column: Column, h: Option) -> tuple[float, str | None]:
    """Steps, epochs or samples a second by an option, and which of them."""
    if h.per == START:
        return by_clock(column.table, np.diff(column.values) * h.factor, column.quantum * h.factor)
    steps = _middle(advance(column.table)) if h.per == LINE else 1.0
    one = replace(h, per=STEP) if h.per == LINE else h
    taken = each(column, one)[column.used]
    if np.isnan(taken).all():  # a mean that is printed once
        taken = each(column, replace(one, is_mean=False))[-1:]
    usual = _middle(1 / taken) if h.kind == "rate" else 1 / _middle(taken)
    unit = h.counts if h.kind == "rate" else "epochs" if h.per == EPOCH else h.counts or "steps"
    return usual * (steps if np.isfinite(steps) else 1.0), unit


def _middle(values: Floats) -> float:
    """The median of what is positive; NaN of nothing."""
    good = values[np.isfinite(values) & (values > 0)]
    return float(np.median(good)) if len(good) else np.nan


def by_clock(table: Table, seconds: Floats, fine: float) -> tuple[float, str | None]:
    """Steps or epochs a second by a clock, the usual one of so many intervals that it tells their time well."""
    for unit, done in (("steps", advance(table)), ("epochs", passes(table))):
        ok = np.isfinite(done) & np.isfinite(seconds) & (seconds >= 0)
        if not ok.any() or seconds[ok].sum() <= 0:
            continue
        usual = max(float(np.median(seconds[ok])), 1e-9)
        length = min(max(1, int(np.ceil(CLOCK_TICKS * fine / usual))), int(ok.sum()))
        amounts, times = (np.convolve(x[ok], np.ones(length), "valid") for x in (done, seconds))
        return _middle(amounts[times > 0] / times[times > 0]), unit
    return np.nan, None


def clock_speed(table: Table) -> Speed | None:
    """The speed by the stamps of lines, by the time since the start, or by the clock of a bar, alone."""
    for clock in clocks(table):
        rate, unit = by_clock(table, clock.seconds, clock.fine)
        if (done := progress_of(table, None)) is not None and done is not table.step:
            d = np.diff(done.values)
            ok = np.isfinite(d) & (d > 0) & (clock.seconds > 0)
            rate, unit = (_middle(d[ok] / clock.seconds[ok]), done.meaning.counts) if ok.any() else (rate, unit)
        if np.isfinite(rate) and rate > 0 and unit:
            column = Column(table, CLOCK, Meaning("elapsed", clock.kind))
            told = Option(CLOCK, "rate", counts=unit, lines=_mark(table), told=True)
            option = replace(told, target=target_of(column), lines=None) if clock.kind == "bar" else told
            return Speed(rate, unit, column, option, by_clock=True)
    return None


def target_of(column: Column) -> str:
    """The name by which an option means a column."""
    table = column.table
    if table.bar:
        return f"{BAR} {' '.join(table.key.head) or int(table.key.total)}"
    units = (f.unit.strip(" ()[]") for f in column.fields.values())
    return column.name or next(filter(None, units), "number")


def _mark(table: Table) -> str:
    """A text that the lines of a table share, to tell them from others."""
    row = table.rows[0]
    names = (f.name for f in row.form.fields if f.meaning and f.name in row.text)
    return next(filter(None, names), " ".join(row.form.key.head[:1])) or row.text[:12].strip()
