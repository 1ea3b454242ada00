"""Hypotheses about a column, and what witnesses of the same log say of them.

Whatever a log says about speed predicts the seconds between its records. A hypothesis says what a column measures; a
witness tells how many seconds passed, or how much was done. Their ratio is the only test, and how far it may be off
follows from the printed digits, the resolution of the clock and the spread of the single ratios.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ..series import TOTAL, Floats, held, spread, verdict
from .constants import (
    CLEARLY_WHOLE,
    DAY,
    EPOCH_FIRST,
    EPOCH_LAST,
    FASTEST_STEP,
    FEW,
    FEWEST_INTERVALS,
    MEAN_FITS_BETTER,
    MOST_ROUNDING,
    NEAREST_RIVAL,
    NEARLY_ALL,
)
from .log import Column, Table, share
from .text import BAR_CLOCK, NO_DATE

STEP, LINE, STEPS, EPOCH, START, LEFT = "step", "line", "steps", "epoch", "start", "left"
NEAR_ONE = 2 / NEAREST_RIVAL  # for what is an estimate itself: only near rivals are told apart


@dataclass(frozen=True)
class Hypothesis:
    """What a column measures.

    ``kind``: rate or time. ``per``: of a time the span that takes it: one step, the steps since the last line, as many
    as the line counts, an epoch, all since the start, all that is left. ``counts``: what a rate counts. ``factor``:
    seconds of the unit. ``is_mean``: of all steps since the start. ``told``: name and unit say all of this.
    """

    kind: str
    per: str | None = None
    counts: str | None = None
    factor: float = 1.0
    scope: str | None = None
    is_mean: bool = False
    told: bool = False

    @property
    def is_of_unknown(self) -> bool:
        """Whether it is a rate of something that no line counts."""
        return self.kind == "rate" and self.counts not in ("steps", "epochs")


class ClockKind(Enum):
    """What tells seconds."""

    STAMPS = "stamps"
    ELAPSED = "elapsed"
    BAR = "bar"


class Witness(Enum):
    """What a hypothesis is held against."""

    CLOCK = "clock"  # the seconds between the records
    PROGRESS = "progress"  # a clock, and what was done since the start
    TIME = "time"  # a time beside a rate: both together are one amount
    RATE = "rate"  # a rate beside a time: both together are one whole number
    REMAINING = "remaining"


@dataclass(frozen=True)
class Finding:
    """What one witness says: predicted over told seconds, and whether both can be true; None where it leaves that open.

    ``by``: the kind of the clock or the name of the column that is the witness. ``cards``: how many times the rate goes
    into what was counted, if that is a whole number.
    """

    witness: Witness
    by: str
    ratio: float
    says: bool | None
    cards: int = 1


@dataclass
class Verdict:
    """What the witnesses of a log say of a hypothesis."""

    column: Column
    hypothesis: Hypothesis
    findings: list[Finding] = field(default_factory=list)

    @property
    def agree(self) -> list[Finding]:
        """The witnesses that confirm it."""
        return [f for f in self.findings if f.says is True]

    @property
    def against(self) -> list[Finding]:
        """The witnesses that refute it."""
        return [f for f in self.findings if f.says is False]

    @property
    def distance(self) -> float:
        """How far from 1 the clocks find it, as a logarithm."""
        found = [abs(np.log(f.ratio)) for f in self.findings if f.ratio > 0 and f.witness is Witness.CLOCK]
        return float(min(found, default=np.inf))


@dataclass(frozen=True)
class Clock:
    """Seconds between each two records of a table, told by something other than the column that is judged."""

    kind: ClockKind
    seconds: Floats
    fine: float


def advance(table: Table) -> Floats:
    """The steps between each two records, within a pass or on into the next epoch; NaN where a run begins anew."""
    if table.step is None:
        return np.full(max(len(table.rows) - 1, 0), np.nan)
    n = table.step.values
    d = np.diff(n)
    if table.epoch is not None and np.isfinite(table.totals).any():
        turns = np.diff(table.epoch.values)
        begun = (turns > 0) & (turns % 1 == 0)
        if (begun & (d <= 0)).any():  # steps are those of an epoch, which a line may leap over
            d = np.where(begun, d + turns * table.totals[1:], d)
    return np.where(d > 0, d, np.nan)


def passes(table: Table) -> Floats:
    """The epochs between each two records."""
    d = np.diff(table.epoch.values) if table.epoch is not None else np.full(max(len(table.rows) - 1, 0), np.nan)
    return np.where(d > 0, d, np.nan)


def clocks(table: Table, but: Column | None = None) -> list[Clock]:
    """What tells the seconds between the records of a table, but for one column."""
    found = []
    stamps = np.diff(table.moments)
    if ((table.moments >= NO_DATE) & (table.moments < NO_DATE + DAY)).any():
        stamps = np.where(stamps < -DAY / 2, stamps + DAY, stamps)  # past midnight
    if np.nansum(stamps[stamps > 0]) > 0:
        found.append(Clock(ClockKind.STAMPS, np.where(stamps >= 0, stamps, np.nan), table.fineness))
    for column in table.elapsed:
        unit = column.meaning.factor or 1.0
        d = np.diff(column.values) * unit
        if column is not but and np.nansum(d[d > 0]) > 0:
            kind = ClockKind.BAR if column.meaning.name == BAR_CLOCK else ClockKind.ELAPSED
            if kind is ClockKind.BAR and table.step is not None:  # which begins anew with each pass
                d = np.where(np.diff(table.step.values) > 0, d, np.nan)
            found.append(Clock(kind, np.where(d >= 0, d, np.nan), column.quantum * unit))
    return found


def falls(column: Column) -> bool:
    """Whether times fall with the steps of an epoch, as the time that is left of it does."""
    left = column.table.totals - (column.table.step.values if column.table.step is not None else np.nan)
    ok = np.isfinite(left) & np.isfinite(column.values) & (left > 0)
    v, left = column.values[ok], left[ok]
    if len(v) <= FEWEST_INTERVALS or np.ptp(left) <= left.min() or (v <= 0).any():
        return False
    return spread(v / left) < spread(v) / MEAN_FITS_BETTER


def hypotheses(column: Column) -> Iterator[Hypothesis]:
    """What a column may measure, by its name and unit and by the counters of its lines."""
    m = column.meaning
    if m.role == "rate":
        rate = Hypothesis(
            "rate", counts=m.counts, factor=m.factor or 1.0, scope=m.scope, told="unproven" not in m.flags
        )
        yield rate
        yield replace(rate, is_mean=True)
    elif EPOCH_FIRST < np.nanmax(np.abs(column.values), initial=0) < EPOCH_LAST * 1e3:
        return  # a moment
    elif m.per == "steps" and np.isfinite(column.counts).any():
        yield Hypothesis("time", STEPS, counts=m.counts, factor=m.factor or 1.0, told=True)
    elif m.role == "remaining" or (m.per != "step" and falls(column)):
        yield Hypothesis("time", LEFT, factor=m.factor or 1.0)
    else:
        for unit in (m.factor,) if m.factor else (1.0, 1e-3):
            yield from _of_unit(column, unit)


def _of_unit(column: Column, unit: float) -> Iterator[Hypothesis]:
    """What a time of a unit may be of."""
    m, table = column.meaning, column.table
    time = Hypothesis("time", factor=unit)
    if m.per is not None:
        told = m.factor is not None
        yield replace(time, per=EPOCH if m.per == "epoch" else STEP, told=told)
        if m.per != "epoch":
            yield replace(time, per=STEP, is_mean=True, told=told and "mean" in m.flags)
    elif (m.role == "elapsed" and column.runs_on) or column.rises:
        yield replace(time, per=START, told=m.role == "elapsed" and m.factor is not None)
    elif m.role == "elapsed" and spread(column.values[np.isfinite(column.values)]) > MOST_ROUNDING:
        return  # it begins anew where nothing says so
    elif table.step is not None:
        yield replace(time, per=STEP)
        yield replace(time, per=LINE)
        yield replace(time, per=STEP, is_mean=True)
    elif table.epoch is not None:
        yield replace(time, per=EPOCH)
        yield replace(time, per=STEP)  # the mean of the steps of the epoch


def each(column: Column, h: Hypothesis) -> Floats:
    """The seconds of one step, or of what else is counted, by each record if a hypothesis holds; NaN where unsaid.

    Of a mean since the start, and of a time since it, they are those of the steps since the record before.
    """
    table, v = column.table, column.values if h.kind == "rate" else column.values * h.factor
    if h.is_mean or h.per == START:
        since = since_start(column, h) if h.is_mean else np.zeros(len(v))
        times = since / v * h.factor if h.kind == "rate" else since * v if h.is_mean else v
        done = np.diff(since) if h.is_mean else advance(table)
        return np.append(np.nan, np.diff(times) / done) if len(v) else v
    if h.kind == "rate":
        return h.factor / v
    if h.per == LINE:
        return v / np.append(np.nan, advance(table)) if len(v) else v
    if h.per == LEFT:
        return v / (table.totals - (table.step.values if table.step is not None else np.nan))
    return v / (column.counts if h.per == STEPS else 1)


def predict(h: Hypothesis, column: Column) -> Floats:
    """The seconds between each two records of a table if a hypothesis holds; of a rate of samples, up to one factor."""
    table = column.table
    if h.per == LEFT:  # itself a prediction
        return np.full(max(len(table.rows) - 1, 0), np.nan)
    if h.per == START:
        d = np.diff(column.values) * h.factor
        return np.where(d >= 0, d, np.nan)
    done = passes(table) if h.counts == "epochs" or h.per == EPOCH else advance(table)
    seconds = each(column, h)[1:] * done
    return np.where(seconds > 0, seconds, np.nan) if h.is_mean else seconds


def since_start(column: Column, h: Hypothesis) -> Floats:
    """What was done since the start at each record."""
    table = column.table
    if h.kind == "rate" and (done := progress_of(table, h.counts)) is not None:
        return done.values
    if h.counts == "epochs" and table.epoch is not None:
        return table.epoch.values
    return table.step.values if table.step is not None else column.values * np.nan


def roundness(column: Column) -> float:
    """By what part the numbers of a column are rounded."""
    known = np.abs(column.values[np.isfinite(column.values)])
    middle = np.median(known) if len(known) else 0.0
    return float(column.quantum / middle) if middle > 0 else np.inf


def compare(column: Column, predicted: Floats, clock: Clock) -> tuple[float, float] | None:
    """Predicted over told seconds, and by what part that may be off; None where digits or counts say nothing."""
    ok = np.isfinite(predicted) & np.isfinite(clock.seconds) & (predicted > 0)
    if ok.sum() < FEWEST_INTERVALS or clock.seconds[ok].sum() <= 0:
        return None
    claim, told = predicted[ok], clock.seconds[ok]
    breaks = 1 + int((np.diff(np.flatnonzero(ok)) > 1).sum())  # of a clock errors cancel but at the ends
    errors = roundness(column) / 2, clock.fine * breaks / told.sum()
    return held(claim, told, clock.fine, sum(errors)) if max(errors) <= MOST_ROUNDING else None


def _says(ratio: float, error: float) -> bool | None:
    """Whether a claim can be true with a clock that also counts what is no training."""
    found = verdict(ratio, ratio, error, TOTAL)
    return {"agrees": True, "differs": False, "silent": None}[found]


def judge(column: Column, h: Hypothesis) -> Verdict:
    """What each witness of a log says of a hypothesis."""
    found = Verdict(column, h)
    if h.is_of_unknown:
        _judge_amount(found)
        return found
    predicted = predict(h, column)
    for clock in clocks(column.table, but=column):
        if (compared := compare(column, predicted, clock)) is not None:
            ratio, error = compared
            says = _says(ratio, error) if h.told else 1 / NEAREST_RIVAL <= ratio <= NEAREST_RIVAL
            says = None if error > 1 else says
            found.findings.append(Finding(Witness.CLOCK, clock.kind.value, ratio, says))
    if h.kind == "time" and h.per == STEP:
        _judge_time(found)
    return found


def progress_of(table: Table, unit: str | None) -> Column | None:
    """The column that counts what was trained since the start, of a unit or of any."""
    counted = table.of("consumed")
    found = [c for c in counted if share(np.isfinite(c.values)) > NEARLY_ALL and (np.diff(c.values) >= 0).all()]
    return next((c for c in found if unit in (None, c.meaning.counts)), None)


def _judge_amount(found: Verdict) -> None:
    """A rate of samples: times the seconds of a step it must be one amount, and that which the lines count."""
    column, h = found.column, found.hypothesis
    done = progress_of(column.table, h.counts)
    for clock in clocks(column.table):
        if done is not None:
            _judge_progress(found, done, clock)
    if h.is_mean:
        return
    for time in column.table.of("time"):
        m = time.meaning
        if m.flags & {"part", "other"} or m.per == "epoch" or np.nanmax(time.values, initial=0) > EPOCH_FIRST:
            continue
        amounts = column.values * time.values * (m.factor or 1.0)
        amounts = amounts[np.isfinite(amounts) & (amounts > 0)]
        if len(amounts) >= FEWEST_INTERVALS and spread(amounts) < roundness(column) + roundness(time):
            found.findings.append(Finding(Witness.TIME, time.name, 1.0, True))


def _judge_progress(found: Verdict, done: Column, clock: Clock) -> None:
    """What lines count since the start against a rate; that of one card goes into it a whole number of times."""
    column, h = found.column, found.hypothesis
    d = np.diff(done.values)
    own = each(column, h)[1:] * d
    predicted = np.where((d > 0) & (own > 0), own, np.nan)
    if (compared := compare(column, predicted, clock)) is None:
        return
    ratio, error = compared
    cards = round(ratio) if h.scope != "job" and ratio * error < CLEARLY_WHOLE else 1
    says = _says(ratio, error)
    if cards > 1 and abs(ratio / cards - 1) <= error:
        says = True
    else:
        cards = 1
    found.findings.append(Finding(Witness.PROGRESS, done.name, ratio, says, cards))


def _judge_time(found: Verdict) -> None:
    """The time of a step by the remaining time, or by a rate beside it."""
    column, h = found.column, found.hypothesis
    table, v, step = column.table, column.values * h.factor, column.table.step
    if step is not None and not h.is_mean:
        for left in table.of("remaining"):
            ratios = (table.totals - step.values) * v / (left.values * (left.meaning.factor or 1.0))
            ratios = ratios[np.isfinite(ratios) & (ratios > 0)]
            if len(ratios) >= FEW and 1 / NEAR_ONE < (ratio := float(np.median(ratios))) < NEAR_ONE:
                found.findings.append(Finding(Witness.REMAINING, left.name, ratio, says=True))
    for rate in table.of("rate"):
        if rate.meaning.counts in ("steps", "epochs") or rate.meaning.flags & {"other", "part"}:
            continue
        amounts = rate.values * v
        amounts = amounts[np.isfinite(amounts) & (amounts > 0)]
        if len(amounts) >= FEWEST_INTERVALS and np.ptp(column.values) > 0:
            middle, close = float(np.median(amounts)), roundness(rate) + roundness(column)
            if spread(amounts) < close and middle > NEARLY_ALL and abs(middle / round(middle) - 1) <= max(close, 1e-3):
                found.findings.append(Finding(Witness.RATE, rate.name, 1.0, says=True))


def counts_twice(table: Table) -> bool:
    """Whether lines count two kinds of steps, such as forward passes and steps of the optimizer: one goes on faster."""
    named = [c for c in table.of("step", guests=False) if c.meaning.name and not np.isfinite(c.totals).any()]
    counters = [c.values for c in named if np.isfinite(c.values).all()]
    ahead = {float(np.ptp(v)) for v in counters if len(v) > 1 and np.ptp(v) > 0 and (np.diff(v) >= 0).all()}
    return len(ahead) > 1 and max(ahead) >= 2 * min(ahead)


def best(verdicts: list[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """The one that stands, and those that are possible where none does: rivals that predict the same are one."""
    verdicts = [v for v in verdicts if v.hypothesis.told or not _is_too_fast(v)]
    plain = [v for v in verdicts if not v.hypothesis.is_mean]
    refuted = any(v.against for v in plain) and not any(v.agree for v in plain)
    means = [
        v
        for v in verdicts
        if v.hypothesis.is_mean and (_is_mean(v, plain) or (refuted and v.hypothesis.kind == "time" and v.agree))
    ]
    possible = [v for v in means or plain if not v.against]
    if agreed := [v for v in possible if v.agree]:
        return [min(agreed, key=lambda v: v.distance)], possible
    told = [v for v in possible if v.hypothesis.told and not _is_of_either(v) and not _is_too_fast(v)]
    return told or _only_reading(possible), possible


def _is_of_either(v: Verdict) -> bool:
    """Whether a number may be of either of two kinds of steps that its lines count."""
    return (v.hypothesis.per == STEP or v.hypothesis.is_of_unknown) and counts_twice(v.column.table)


def _is_too_fast(v: Verdict) -> bool:
    """Whether steps would take less than any step does: a time such as 0.25 is none of milliseconds."""
    h, column = v.hypothesis, v.column
    if h.kind != "time" or h.per not in (STEP, LINE, START, EPOCH):
        return False
    each = predict(h, column) / advance(column.table)
    each = each[np.isfinite(each) & (each > 0)]
    if not len(each):
        each = column.values[np.isfinite(column.values) & (column.values > 0)] * h.factor
    return len(each) > 0 and bool(np.median(each) < FASTEST_STEP)


def _only_reading(possible: list[Verdict]) -> list[Verdict]:
    """The one reading that is left where all that are possible predict the same: each line is one step."""
    if not possible:
        return []
    done = advance(possible[0].column.table)
    done = done[np.isfinite(done)]
    if len(done) < FEWEST_INTERVALS:
        return []
    if len(possible) == 1 and possible[0].hypothesis.per == START:
        return possible
    if (done == 1).mean() < NEARLY_ALL or counts_twice(possible[0].column.table) or possible[0].findings:
        return []
    are_times = all(v.hypothesis.per in (STEP, LINE) for v in possible)
    return possible[:1] if are_times and len({v.hypothesis.factor for v in possible}) == 1 else []


def _is_mean(mean: Verdict, plain: list[Verdict]) -> bool:
    """Whether numbers are means since the start: undone they fit the clock, and at least twice as well as they are."""
    column, h = mean.column, mean.hypothesis
    same = [v for v in plain if replace(v.hypothesis, is_mean=True, told=False) == replace(h, told=False)]
    if not same or len(column.values) <= FEW:
        return False
    done = np.diff(since_start(column, h))
    one, other = (each(column, of)[1:] * done for of in (same[0].hypothesis, h))
    gain = []
    for clock in clocks(column.table, but=column):
        ok = np.isfinite(one) & np.isfinite(other) & (one > 0) & (other > 0) & (clock.seconds > 0)
        if ok.sum() <= FEWEST_INTERVALS:
            continue
        seconds = clock.seconds[ok]
        floor = clock.fine / np.median(seconds) + roundness(column)
        better = spread(seconds / one[ok]) > MEAN_FITS_BETTER * (spread(seconds / other[ok]) + floor)
        gain.append((float(floor), bool(better)))
    return bool(gain) and min(gain)[1]  # of the finest clock
