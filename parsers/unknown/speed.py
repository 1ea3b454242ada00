"""How fast: from a hypothesis that stands, from a clock alone, or from the clock of a progress bar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..series import Floats
from .constants import CLOCK_TICKS
from .judge import (
    EPOCH,
    LEFT,
    LINE,
    START,
    STEP,
    STEPS,
    ClockKind,
    Finding,
    Hypothesis,
    Verdict,
    Witness,
    advance,
    clocks,
    each,
    passes,
    progress_of,
)
from .log import Column, Table
from .naming import Meaning
from .option import BAR, CLOCK, Option

_ROLES = {STEP: "step_time", START: "elapsed", LEFT: "remaining"}


@dataclass(frozen=True)
class Speed:
    """A speed read from a log: so many of a unit each second; None where nobody knows what is counted.

    ``option``: what a person would say to get it. ``verdict``: the column, what it measures, and what witnesses say.
    ``by_clock``: a clock tells it, and no printed number is used.
    """

    rate: float
    unit: str | None
    option: Option
    verdict: Verdict
    by_clock: bool = False

    @property
    def read(self) -> str:
        """The text of its option."""
        return str(self.option)

    @property
    def table(self) -> Table:
        """The lines that it is read from."""
        return self.verdict.column.table

    @property
    def column(self) -> str:
        """The name of the number in these."""
        return self.verdict.column.name

    @property
    def scope(self) -> str | None:
        """Whose it is: card, node or job; None where nothing says it."""
        return self.option.hypothesis.scope

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What witnesses say of it."""
        return tuple(self.verdict.findings)

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of its lines."""
        return tuple(row.line for row in self.table.rows)

    @property
    def role(self) -> str:
        """What kind of number it is: throughput, step_rate, step_time, duration, elapsed or remaining."""
        h = self.verdict.hypothesis
        if self.by_clock:
            return "elapsed"
        if h.kind == "rate":
            return "step_rate" if h.counts in ("steps", "epochs") else "throughput"
        return _ROLES.get(h.per or STEP, "duration")

    @cached_property
    def values(self) -> dict[tuple[int, int], float]:
        """The numbers used, times in seconds, by line and place among the rows of that line."""
        column, h = self.verdict.column, self.verdict.hypothesis
        places: dict[int, int] = {}
        found = {}
        for row, x, used in zip(column.table.rows, column.values, column.used, strict=True):
            place = places[row.line] = places.get(row.line, -1) + 1
            if not self.by_clock and used and np.isfinite(x) and x > 0:
                found[row.line, place] = float(x) * (h.factor if h.kind == "time" else 1.0)
        return found


def speed_of(verdict: Verdict, target: str) -> Speed:
    """The speed by a verdict, its numbers, and the option by which a person would say the same."""
    column, h = verdict.column, verdict.hypothesis
    proven = any(f.says and f.cards == 1 for f in verdict.findings if f.witness is Witness.PROGRESS)
    if h.scope == "card" and proven:  # what the lines count in all grows as fast
        h = replace(h, scope=None)
    if h.kind == "rate" and h.counts is None and proven and (done := progress_of(column.table, None)) is not None:
        h = replace(h, counts=done.meaning.counts)
    verdict = replace(verdict, hypothesis=h)
    rate, unit = _rate(verdict)
    counted = column.counts[np.isfinite(column.counts)] if h.per == STEPS else np.array([])
    count = int(np.median(counted)) if len(counted) else None
    return Speed(rate, unit, Option(target, replace(h, told=True), count), verdict)


def _rate(verdict: Verdict) -> tuple[float, str | None]:
    """Steps, epochs or samples a second by a hypothesis, and which of them."""
    column, h = verdict.column, verdict.hypothesis
    if h.per == START:
        return by_clock(column.table, np.diff(column.values) * h.factor, column.quantum * h.factor)
    steps = _middle(advance(column.table)) if h.per == LINE else 1.0
    one = replace(h, per=STEP) if h.per == LINE else h
    taken = each(column, one)[column.used]
    if np.isnan(taken).all():  # a mean that is printed once
        taken = each(column, replace(one, is_mean=False))[-1:]
    usual = _middle(1 / taken) if h.kind == "rate" else 1 / _middle(taken)
    return usual * (
        steps if np.isfinite(steps) else 1.0
    ), h.counts if h.kind == "rate" else "epochs" if h.per == EPOCH else h.counts or "steps"


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
            h = Hypothesis("rate", counts=unit, told=True)
            column = Column(table, CLOCK, Meaning("elapsed", clock.kind.value))
            is_bar = clock.kind is ClockKind.BAR
            option = Option(target_of(column), h) if is_bar else Option(CLOCK, h, lines=_mark(table))
            return Speed(rate, unit, option, Verdict(column, h), by_clock=True)
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
    return next(filter(None, names), " ".join(row.form.head[:1])) or row.text[:12].strip()
