"""What a column may measure, and what witnesses of the same log say of it.

Whatever a log says about speed predicts the seconds between its records. An option says what a column measures; a
witness tells how many seconds passed, or how much was done. Their ratio is the only test, and how far it may be off
follows from the printed digits, the resolution of the clock and the spread of the single ratios.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..series import FEW, TOTAL, Floats, held, spread, verdict
from .log import NEARLY_ALL, Column, Table, nearly_all, positive
from .naming import Meaning
from .option import BAR, CLOCK, EPOCH, LEFT, LINE, START, STEP, STEPS, Option
from .text import BAR_CLOCK, EPOCH_FIRST, EPOCH_LAST

CLOCK_TICKS = 10  # an interval of so many ticks of a clock is off by at most 10 %: two numbers are nearer to a reader
FEWEST_INTERVALS = 2  # one interval has no spread, so nothing tells its noise
NEAREST_RIVAL = 2**0.5  # rival hypotheses differ by 2 or more (2 steps, 60 s, 1000 ms): half of that, as a ratio
MEAN_FITS_BETTER = 2.0  # a mean since the start must halve the spread: nothing more is needed where values drift
MOST_ROUNDING = 0.5  # a number of one digit is up to 50 % off (1 may be 0.5 to 1.5): beyond it, it says nothing
FASTEST_STEP = 1e-3  # seconds: launching the kernels of one step takes longer, so a reading that gives less is none
FAST_STEP = 1e-2  # seconds: few steps are shorter, so a time since the start without a unit may be minutes or hours
CLEARLY_WHOLE = 0.25  # a ratio is a whole number of cards only if its error is under that: else any is near one

_ROLES = {STEP: "step_time", START: "elapsed", LEFT: "remaining"}
_SAYS = {"agrees": True, "differs": False, "silent": None}


@dataclass(frozen=True)
class Clock:
    """Seconds between each two records of a table, told by something other than the column that is judged."""

    kind: Literal["stamps", "elapsed", "bar"]
    seconds: Floats
    fine: float


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
        if self.by_clock:
            return "elapsed"
        if self.option.kind == "rate":
            return "step_rate" if self.option.counts in ("steps", "epochs") else "throughput"
        return _ROLES.get(self.option.per or STEP, "duration")


# ---- what lines count, and the seconds that they tell


def advance(table: Table) -> Floats:
    """The steps between each two records, within a pass or on into the next epoch; NaN where a run begins anew."""
    d, turns = np.diff(table.steps), np.diff(table.epochs)
    begun = (turns > 0) & (turns % 1 == 0) & np.isfinite(table.totals).any()
    if (begun & (d <= 0)).any():  # steps are those of an epoch, which a line may leap over
        d = np.where(begun, d + turns * table.totals[1:], d)
    return np.where(d > 0, d, np.nan)


def passes(table: Table) -> Floats:
    """The epochs between each two records."""
    d = np.diff(table.epochs)
    return np.where(d > 0, d, np.nan)


def progress_of(table: Table, unit: str | None) -> Column | None:
    """The column that counts what was trained since the start, of a unit or of any."""
    found = (c for c in table.of("consumed") if nearly_all(c.values) and (np.diff(c.values) >= 0).all())
    return next((c for c in found if unit in (None, c.meaning.counts)), None)


def clocks(table: Table, but: Column | None = None) -> list[Clock]:
    """What tells the seconds between the records of a table, but for one column."""
    columns = [column for column in table.elapsed if column is not but]
    found = [Clock("stamps", *table.moments)]
    for column, unit in ((column, column.meaning.factor or 1.0) for column in columns):
        kind: Literal["bar", "elapsed"] = "bar" if column.meaning.name == BAR_CLOCK else "elapsed"
        found.append(Clock(kind, column.values * unit, column.quantum * unit))
    told = []
    for clock in found:
        d = np.diff(clock.seconds)
        if clock.kind == "bar" and table.step is not None:  # which begins anew with each pass
            done, seconds = np.diff(table.steps), np.full(len(d), np.nan)
            ends = np.flatnonzero(done != 0) + 1  # a state may be drawn again, and the time passes before it counts on
            seconds[ends - 1] = np.diff(clock.seconds[np.append(0, ends)])
            d = np.where(done > 0, seconds, np.nan)
        d = np.where(d >= 0, d, np.nan)
        told += [replace(clock, seconds=d)] if np.nansum(d) > 0 else []
    return told


def extent(table: Table) -> float:
    """How many seconds the records of a table tell of; of a bar, of all its passes together."""
    return max((float(np.nansum(clock.seconds)) for clock in clocks(table)), default=0.0)


def since_start(column: Column, h: Option) -> Floats:
    """What was done since the start at each record."""
    table = column.table
    if h.kind == "rate" and (done := progress_of(table, h.counts)) is not None:
        return done.values
    return table.epochs if h.counts == "epochs" else table.steps


def as_rate(column: Column, h: Option) -> Floats:
    """The numbers of a rate, which may be printed as the times of one sample."""
    return 1 / column.values if h.is_inverse else column.values


def each(column: Column, h: Option) -> Floats:
    """The seconds of one step, or of what else is counted, by each record if an option holds; NaN where unsaid.

    Of a mean since the start, and of a time since it, they are those of the steps since the record before.
    """
    table, is_rate = column.table, h.kind == "rate"
    v = as_rate(column, h) if is_rate else column.values * h.factor
    if h.is_mean or h.per == START:
        since = since_start(column, h)
        times = v if not h.is_mean else since / v * h.factor if is_rate else since * v
        return np.append(np.nan, np.diff(times) / (np.diff(since) if h.is_mean else advance(table)))
    if is_rate:
        return h.factor / v
    spans = {LINE: np.append(np.nan, advance(table)), LEFT: table.totals - table.steps, STEPS: column.counts}
    return v / spans.get(h.per or STEP, 1)


def predict(column: Column, h: Option) -> Floats:
    """The seconds between each two records of a table if an option holds; of a rate of samples, up to one factor."""
    table = column.table
    if h.per == START:
        d = np.diff(column.values) * h.factor
        return np.where(d >= 0, d, np.nan)
    seconds = each(column, h)[1:] * (passes(table) if h.counts == "epochs" or h.per == EPOCH else advance(table))
    if h.per == LEFT:  # itself a prediction
        return np.full_like(seconds, np.nan)
    return np.where(seconds > 0, seconds, np.nan) if h.is_mean else seconds


# ---- how fast


def _rate(column: Column, h: Option) -> tuple[float, str | None]:
    """Steps, epochs or samples a second by an option, and which of them."""
    if h.per == START:
        return _by_clock(column.table, np.diff(column.values) * h.factor, column.quantum * h.factor)
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
    good = positive(values)
    return float(np.median(good)) if len(good) else np.nan


def _by_clock(table: Table, seconds: Floats, fine: float) -> tuple[float, str | None]:
    """Steps or epochs a second by a clock, the usual one of so many intervals that it tells their time well."""
    for unit, done in (("steps", advance(table)), ("epochs", passes(table))):
        ok = np.isfinite(done) & (seconds >= 0)
        if np.nansum(seconds[ok]) > 0:
            usual = max(float(np.median(seconds[ok])), 1e-9)
            length = min(max(1, int(np.ceil(CLOCK_TICKS * fine / usual))), int(ok.sum()))
            amounts, times = (np.convolve(x[ok], np.ones(length), "valid") for x in (done, seconds))
            return _middle(amounts[times > 0] / times[times > 0]), unit
    return np.nan, None


def clock_speed(table: Table) -> Speed | None:
    """The speed by the stamps of lines, by the time since the start, or by the clock of a bar, alone."""
    for clock in clocks(table):
        rate, unit = _by_clock(table, clock.seconds, clock.fine)
        if (done := progress_of(table, None)) is not None and done is not table.step:
            by_progress = _middle(np.where(clock.seconds > 0, np.diff(done.values) / clock.seconds, np.nan))
            rate, unit = (by_progress, done.meaning.counts) if np.isfinite(by_progress) else (rate, unit)
        if rate > 0 and unit:
            column = Column(table, CLOCK, Meaning("elapsed", clock.kind))
            told = Option(CLOCK, "rate", counts=unit, lines=_mark(table), told=True)
            option = replace(told, target=target_of(column), lines=None) if clock.kind == "bar" else told
            return Speed(rate, unit, column, option, by_clock=True)
    return None


def target_of(column: Column) -> str:
    """The name by which an option means a column."""
    table = column.table
    if table.bar:
        return f"{BAR} {' '.join(table.key.head) or format(table.key.total, '.0f')}"
    units = (f.unit.strip(" ()[]") for f in column.fields.values())
    return column.name or next(filter(None, units), "number")


def _mark(table: Table) -> str:
    """A text that the lines of a table share, to tell them from others."""
    row = table.rows[0]
    names = (f.name for f in row.form.fields if f.meaning and f.name in row.text)
    return next(filter(None, names), " ".join(table.key.head[:1])) or row.text[:12].strip()


# ---- what a column may measure


def is_moment(column: Column) -> bool:
    """Whether a column holds POSIX seconds or milliseconds."""
    return bool(EPOCH_FIRST < np.nanmax(np.abs(column.values), initial=0) < EPOCH_LAST * 1e3)


def hypotheses(column: Column) -> Iterator[Option]:
    """What a column may measure, by its name and unit and by the counters of its lines."""
    m = column.meaning
    rate = Option(target_of(column), "rate", None, m.counts, m.factor or 1.0, m.scope)
    time = replace(rate, kind="time", counts=None, scope=None)
    if m.role == "rate":
        of_nobody = m.scope is None and "qualified" not in m.flags  # unknown words may say a node
        if of_nobody and any(_goes_into(of_card, column) for of_card in column.table.of("rate")):
            rate = rate.of("job")
        rate = replace(rate, told="unproven" not in m.flags)
        yield from (rate, replace(rate, is_mean=True))
    elif is_moment(column):
        return
    elif m.per == "steps" and np.isfinite(column.counts).any():
        yield replace(time, per=STEPS, counts=m.counts, told=True)
    elif m.role == "remaining" or (m.per != "step" and _falls(column)):
        yield replace(time, per=LEFT)
    else:
        for unit in (m.factor,) if m.factor else (1.0, 1e-3):
            yield from _of_unit(column, replace(time, factor=unit))
        if m.factor is None and FASTEST_STEP <= _middle(np.diff(column.values) / advance(column.table)) < FAST_STEP:
            of_long = (h for unit in (60.0, 3600.0) for h in _of_unit(column, replace(time, factor=unit)))
            yield from (h for h in of_long if h.per == START)


def _of_unit(column: Column, time: Option) -> Iterator[Option]:
    """What a time of a unit may be of."""
    m, table = column.meaning, column.table
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
        yield from (replace(time, per=STEP), replace(time, per=LINE), replace(time, per=STEP, is_mean=True))
    elif table.epoch is not None:  # or the mean of the steps of the epoch
        yield from (replace(time, per=EPOCH), replace(time, per=STEP))


def _falls(column: Column) -> bool:
    """Whether times fall with the steps of an epoch, as the time that is left of it does."""
    left = column.table.totals - column.table.steps
    ok = np.isfinite(left) & np.isfinite(column.values) & (left > 0)
    v, left = column.values[ok], left[ok]
    if len(v) <= FEWEST_INTERVALS or np.ptp(left) <= left.min() or (v <= 0).any():
        return False
    return spread(v / left) < spread(v) / MEAN_FITS_BETTER


def _goes_into(of_card: Column, column: Column) -> bool:
    """Whether a rate is one of a card, and goes into another a whole number of times, which then is of all cards."""
    ratios = positive(column.values / of_card.values)
    is_alike = of_card.meaning.scope == "card" and of_card.meaning.counts == column.meaning.counts
    if not is_alike or len(ratios) < FEWEST_INTERVALS:
        return False
    return _cards(float(np.median(ratios)), spread(ratios) + _roundness(column) + _roundness(of_card)) > 1


def _cards(ratio: float, error: float) -> int:
    """How many times one rate goes into another, if that is clearly a whole number, else 1."""
    cards = round(ratio) if ratio * error < CLEARLY_WHOLE else 1
    return cards if cards > 1 and abs(ratio / cards - 1) <= error else 1


def _roundness(column: Column) -> float:
    """By what part the numbers of a column are rounded."""
    known = np.abs(column.values[np.isfinite(column.values)])
    middle = np.median(known) if len(known) else 0.0
    return float(column.quantum / middle) if middle > 0 else np.inf


# ---- what witnesses say


def judge(column: Column, h: Option) -> Speed:
    """The speed by an option, with what each witness of the log says of it, as far as what was done completes it."""
    if h.is_of_unknown:
        findings = [*_by_progress(column, h), *([] if h.is_mean else _beside_times(column))]
    else:
        findings = [*_by_clocks(column, h), *(_beside_rates(column, h) if h.per == STEP else ())]
    proven = any(f.says and f.cards == 1 for f in findings if f.witness == "progress")
    if h.kind == "rate" and h.counts is None and proven and (done := progress_of(column.table, None)) is not None:
        h = replace(h, counts=done.meaning.counts)
    counted = positive(column.counts) if h.per == STEPS else ()
    h = replace(h, count=int(np.median(counted)) if len(counted) else None)
    return Speed(*_rate(column, h), column, h, tuple(findings))


def _compared(column: Column, predicted: Floats, but: Column | None = None) -> Iterator[tuple[str, float, float]]:
    """By the kind of each clock: predicted over told seconds, and by what part that may be off.

    Nothing where digits or counts say nothing.
    """
    for clock in clocks(column.table, but):
        ok = (predicted > 0) & np.isfinite(predicted) & np.isfinite(clock.seconds)
        claim, told = predicted[ok], clock.seconds[ok]
        if len(told) < FEWEST_INTERVALS or told.sum() <= 0:
            continue
        breaks = 1 + int((np.diff(np.flatnonzero(ok)) > 1).sum())  # of a clock errors cancel but at the ends
        errors = _roundness(column) / 2, clock.fine * breaks / told.sum()
        if max(errors) <= MOST_ROUNDING:
            yield (clock.kind, *held(claim, told, clock.fine, sum(errors)))


def _by_clocks(column: Column, h: Option) -> Iterator[Finding]:
    """What the seconds between the records say; a clock also counts what is no training."""
    for kind, ratio, error in _compared(column, predict(column, h), but=column):
        is_near = 1 / NEAREST_RIVAL <= ratio <= NEAREST_RIVAL
        says = _SAYS[verdict(ratio, ratio, error, TOTAL)] if h.told else is_near
        yield Finding("clock", kind, ratio, None if error > 1 else says)


def _by_progress(column: Column, h: Option) -> Iterator[Finding]:
    """What lines count since the start against a rate; that of one card goes into it a whole number of times."""
    if (done := progress_of(column.table, h.counts)) is None:
        return
    d = np.diff(done.values)
    for _, ratio, error in _compared(column, np.where(d > 0, each(column, h)[1:] * d, np.nan)):
        cards = _cards(ratio, error) if h.scope != "job" else 1
        says = cards > 1 or _SAYS[verdict(ratio, ratio, error, TOTAL)]
        yield Finding("progress", done.name, ratio, says, cards)


def _one_amount(rate: Column, time: Column, factor: float) -> float:
    """What is done in each step, if a rate and a time say the same of all steps, as far as their digits go; else 0."""
    amounts = positive(rate.values * time.values * factor)
    is_one = len(amounts) >= FEWEST_INTERVALS and spread(amounts) < _roundness(rate) + _roundness(time)
    return float(np.median(amounts)) if is_one and not rate.meaning.flags & {"other", "part"} else 0.0


def _beside_times(column: Column) -> Iterator[Finding]:
    """The times beside a rate of samples: both together are one amount."""
    for time in column.table.of("time"):
        m = time.meaning
        if m.flags & {"part", "other"} or m.per == "epoch" or np.nanmax(time.values, initial=0) > EPOCH_FIRST:
            continue
        if _one_amount(column, time, m.factor or 1.0):
            yield Finding("time", time.name, 1.0, says=True)


def _beside_rates(column: Column, h: Option) -> Iterator[Finding]:
    """The time that is left beside that of a step, and the rates: with these it is one whole amount."""
    table, v = column.table, column.values * h.factor
    for left in table.of("remaining") if not h.is_mean else ():
        ratios = positive((table.totals - table.steps) * v / (left.values * (left.meaning.factor or 1.0)))
        ratio = float(np.median(ratios)) if len(ratios) >= FEW else 0.0
        if NEAREST_RIVAL / 2 < ratio < 2 / NEAREST_RIVAL:  # an estimate itself: only near rivals are told apart
            yield Finding("remaining", left.name, ratio, says=True)
    for rate in table.of("rate") if np.ptp(column.values) > 0 else ():
        amount = _one_amount(rate, column, h.factor) if rate.meaning.counts not in ("steps", "epochs") else 0.0
        if amount > NEARLY_ALL and abs(amount / round(amount) - 1) <= max(_roundness(rate) + _roundness(column), 1e-3):
            yield Finding("rate", rate.name, 1.0, says=True)


# ---- which of several readings stands


def best(speeds: Sequence[Speed]) -> tuple[Sequence[Speed], Sequence[Speed]]:
    """The one that stands, and those that are possible where none does: rivals that predict the same are one."""
    speeds = [s for s in speeds if s.option.told or not _is_too_fast(s)]
    plain, means = ([s for s in speeds if s.option.is_mean == is_mean] for is_mean in (False, True))
    refuted = any(s.against for s in plain) and not any(s.agree for s in plain)
    proven = [s for s in means if _is_mean(s, plain) or (refuted and s.option.kind == "time" and s.agree)]
    fitting = [s for s in means if s.agree]
    if fitting and not proven and all(_is_far(s) for s in plain):
        return [], [*(s for s in plain if not s.against), *fitting]
    possible = [s for s in proven or plain if not s.against]
    if agreed := [s for s in possible if s.agree]:
        nearest = min(agreed, key=lambda s: s.distance)
        # Where no clock tells the units apart, as little do amounts so large that they are whole in each.
        alike = [s for s in agreed if s.distance == nearest.distance and s.option.factor != nearest.option.factor]
        return ([], agreed) if alike else ([nearest], possible)
    of_one = (s for s in possible if not (counts_twice(s.table) and (s.option.per == STEP or s.option.is_of_unknown)))
    told = [s for s in of_one if s.option.told and not _is_too_fast(s)]
    return told or _only_reading(possible), possible


def _is_far(s: Speed) -> bool:
    """Whether what was done since the start leaves a rate open, though it is nearer to another reading."""
    found = [f.ratio for f in s.findings if f.witness == "progress"]
    return bool(found) and not s.agree and all(abs(np.log(ratio)) > np.log(NEAREST_RIVAL) for ratio in found)


def counts_twice(table: Table) -> bool:
    """Whether lines count two kinds of steps, such as forward passes and steps of the optimizer: one goes on faster."""
    counters = [c.values for c in table.of("step", guests=False) if not np.isfinite(c.totals).any()]
    ahead = [float(np.ptp(v)) for v in counters if (np.diff(v) >= 0).all() and np.ptp(v) > 0]
    return bool(ahead) and max(ahead) >= 2 * min(ahead)


def _is_too_fast(s: Speed) -> bool:
    """Whether steps would take less than any step does: a time such as 0.25 is none of milliseconds."""
    h, column = s.option, s.column
    if h.kind == "rate":
        return h.counts == "steps" and s.rate * FASTEST_STEP > 1
    if h.per not in (STEP, LINE, START, EPOCH):
        return False
    taken = positive(predict(column, h) / advance(s.table))
    taken = taken if len(taken) else positive(column.values) * h.factor
    return len(taken) > 0 and bool(np.median(taken) < FASTEST_STEP)


def _only_reading(possible: Sequence[Speed]) -> Sequence[Speed]:
    """The one reading that is left where all that are possible predict the same: each line is one step."""
    if not possible:
        return []
    table = possible[0].table
    steps, epochs = (done[np.isfinite(done)] for done in (advance(table), passes(table)))
    if len(possible) == 1 and possible[0].option.per == START and max(len(steps), len(epochs)) >= FEWEST_INTERVALS:
        return possible
    if len(steps) < FEWEST_INTERVALS or (steps == 1).mean() < NEARLY_ALL or counts_twice(table) or possible[0].findings:
        return []
    are_times = all(s.option.per in (STEP, LINE) for s in possible)
    return possible[:1] if are_times and len({s.option.factor for s in possible}) == 1 else []


def _is_mean(mean: Speed, plain: Sequence[Speed]) -> bool:
    """Whether numbers are means since the start: undone they fit the clock, and at least twice as well as they are."""
    column, h = mean.column, mean.option
    same = next((s for s in plain if (s.option.per, s.option.factor) == (h.per, h.factor)), None)
    if same is None:
        return False
    one, other = (each(column, of)[1:] * np.diff(since_start(column, h)) for of in (same.option, h))
    gain = []
    for clock in clocks(column.table, but=column):
        ok = np.isfinite(one) & np.isfinite(other) & (one > 0) & (other > 0) & (clock.seconds > 0)
        if ok.sum() >= FEW:
            seconds = clock.seconds[ok]
            floor = float(clock.fine / np.median(seconds) + _roundness(column))
            better = spread(seconds / one[ok]) > MEAN_FITS_BETTER * (spread(seconds / other[ok]) + floor)
            gain.append((floor, bool(better)))
    return bool(gain) and min(gain)[1]  # of the finest clock
