"""How fast: from a hypothesis that stands, from a clock alone, or from the clock of a progress bar."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .constants import APART, CLOCK_TICKS, MOST_UNACCOUNTED
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
    counts_since_start,
    passes,
    progress_of,
)
from ..series import Floats
from .log import Column, Table
from .naming import Meaning
from .option import BAR, CLOCK, Option

_ROLES = {
    STEP: "step_time",
    EPOCH: "duration",
    LINE: "duration",
    STEPS: "duration",
    START: "elapsed",
    LEFT: "remaining",
}


@dataclass(frozen=True)
class Speed:
    """A speed read from a log: ``rate`` for each second; ``values``: the numbers used, by line and place in it."""

    rate: float
    unit: str | None
    scope: str | None
    option: Option
    column: str
    role: str
    lines: tuple[int, ...]
    findings: tuple[Finding, ...] = ()
    values: dict[tuple[int, int], float] = field(default_factory=dict, compare=False)
    verdict: Verdict | None = field(default=None, compare=False, repr=False)

    @property
    def read(self) -> str:
        return str(self.option)


def speed_of(verdict: Verdict, target: str) -> Speed:
    """The speed by a verdict, its numbers, and the option by which a person would say the same."""
    column, h = verdict.column, verdict.hypothesis
    proof = next(
        (
            f
            for f in verdict.findings
            if f.says and f.witness in (Witness.PROGRESS, Witness.MEASURED) and f.cards == 1
        ),
        None,
    )
    if h.scope == "card" and proof:  # what the lines count in all grows as fast
        h = replace(h, scope=None)
    if h.kind == "rate" and h.counts is None and proof and (done := progress_of(column.table, None)) is not None:
        h = replace(h, counts=done.meaning.counts)
    rate, unit = _rate(replace(verdict, hypothesis=h))
    places: dict[int, int] = {}
    values = {}
    for row, x, used in zip(column.table.rows, column.values, column.used, strict=True):
        place = places[row.line] = places.get(row.line, -1) + 1
        if used and np.isfinite(x) and x > 0:
            values[row.line, place] = float(x) * (h.factor if h.kind == "time" else 1.0)
    role = (
        _ROLES[h.per or STEP] if h.kind == "time" else "step_rate" if h.counts in ("steps", "epochs") else "throughput"
    )
    count = int(np.nanmedian(column.counts)) if h.per == STEPS and np.isfinite(column.counts).any() else None
    option = Option(target, replace(h, told=True), count)
    lines = tuple(row.line for row in column.table.rows)
    return Speed(rate, unit, h.scope, option, column.name, role, lines, tuple(verdict.findings), values, verdict)


def _rate(verdict: Verdict) -> tuple[float, str | None]:
    """Steps, epochs or samples a second by a hypothesis, and which of them."""
    column, h = verdict.column, verdict.hypothesis
    table, v = column.table, column.values * (h.factor if h.kind == "time" else 1 / h.factor)
    with np.errstate(all="ignore"):
        if h.kind == "rate" and h.is_mean:
            done = progress_of(table, h.counts)
            count = done.values if done is not None else counts_since_start(column, h)
            return _middle(np.diff(count) / np.diff(count / v), default=v[-1]), h.counts
        if h.kind == "rate":
            return _middle(v[column.used]), h.counts
        if h.per == STEP and h.is_mean and table.step is not None:
            return 1 / _middle(np.diff(table.step.values * v) / np.diff(table.step.values), default=v[-1]), "steps"
        if h.per == STEPS:
            return _middle(column.counts / v), h.counts or "steps"
        if h.per == LEFT and table.step is not None:
            return _middle((table.totals - table.step.values) / v), "steps"
        if h.per == START:
            return by_clock(table, np.diff(v), column.quantum * h.factor)
        if h.per == LINE:
            return _middle(advance(table), default=1.0) / _middle(v[column.used]), "steps"
    return 1 / _middle(v[column.used]), "epochs" if h.per == EPOCH else "steps"


def _middle(values: Floats, default: float = np.nan) -> float:
    """The median of what is positive."""
    good = values[np.isfinite(values) & (values > 0)]
    return float(np.median(good)) if len(good) else default


def by_clock(table: Table, seconds: Floats, fine: float) -> tuple[float, str | None]:
    """Steps or epochs a second by a clock."""
    for unit, done in (("steps", advance(table)), ("epochs", passes(table))):
        ok = np.isfinite(done) & np.isfinite(seconds) & (seconds >= 0)
        if ok.any() and seconds[ok].sum() > 0:
            return _typical(done[ok], seconds[ok], fine), unit
    return np.nan, None


def _typical(done: Floats, seconds: Floats, fine: float) -> float:
    """The median rate of so many intervals in a row that the clock tells their time well; of all where none is long enough."""
    length = min(max(1, int(np.ceil(CLOCK_TICKS * fine / max(np.median(seconds), 1e-9)))), len(done))
    amounts, times = (np.convolve(x, np.ones(length), "valid") for x in (done, seconds))
    return _middle(amounts[times > 0] / times[times > 0])


def clock_speed(table: Table) -> Speed | None:
    """The speed by the stamps of lines, by the time since the start, or by the clock of a bar, alone."""
    for clock in clocks(table):
        rate, unit = by_clock(table, clock.seconds, clock.fine)
        if (done := progress_of(table, None)) is not None:
            d = np.diff(done.values)
            ok = np.isfinite(d) & (d > 0) & (clock.seconds > 0)
            rate, unit = (_middle(d[ok] / clock.seconds[ok]), done.meaning.counts) if ok.any() else (rate, unit)
        if np.isfinite(rate) and rate > 0 and unit:
            h = Hypothesis("rate", counts=unit, told=True)
            column = Column(table, CLOCK, Meaning("elapsed", clock.kind.value))
            option = (
                Option(target_of(column), h) if clock.kind is ClockKind.BAR else Option(CLOCK, h, lines=_mark(table))
            )
            return Speed(
                rate,
                unit,
                None,
                option,
                clock.kind.value,
                "elapsed",
                tuple(r.line for r in table.rows),
                (),
                {},
                Verdict(column, h),
            )
    return None


def by_pass(speed: Speed) -> Speed:
    """The speed of a bar by its clock over all passes, if that is told well: what it shows is the mean of its last states."""
    table = speed.verdict.column.table
    clock = next((c for c in clocks(table) if c.kind is ClockKind.BAR), None)
    if clock is None:
        return speed
    done = advance(table)
    ok = np.isfinite(done) & (clock.seconds > 0)
    each = done[ok] / clock.seconds[ok]
    if len(each) < 2:
        return speed
    ordinary = each < np.median(each) / MOST_UNACCOUNTED  # a resumed bar jumps to where it was
    total = clock.seconds[ok][ordinary].sum()
    if total * (APART - 1) < clock.fine:
        return speed
    return replace(speed, rate=float(done[ok][ordinary].sum() / total), unit="steps")


def target_of(column: Column) -> str:
    """The name by which an option means a column."""
    if column.table.bar:
        return f"{BAR} {' '.join(column.table.key.head) or int(column.table.key.total)}"
    return column.name or next((f.unit.strip(" ()[]") for f in column.fields.values() if f.unit), "") or "number"


def _mark(table: Table) -> str:
    """A text that the lines of a table share, to tell them from others."""
    row = table.rows[0]
    first = next((f for f in row.form.fields if f.meaning), None)
    return (first.key if first and first.key else " ".join(row.form.head[:1])) or row.text[:12].strip()
