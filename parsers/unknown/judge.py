"""What a column may measure, and what witnesses of the same log say of it.

Whatever a log says about speed predicts the seconds between its records. An option says what a column measures; a
witness tells how many seconds passed, or how much was done. Their ratio is the only test, and how far it may be off
follows from the printed digits, the resolution of the clock and the spread of the single ratios.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..series import FEW, TOTAL, Floats, held, spread, verdict
from .clocks import Clock, advance, clocks, each, passes, predict, progress_of, since_start
from .log import NEARLY_ALL, Column, Table
from .option import EPOCH, LEFT, LINE, START, STEP, STEPS, Option
from .speed import Finding, Speed, speed_of, target_of
from .text import EPOCH_FIRST, EPOCH_LAST

FEWEST_INTERVALS = 2  # one interval has no spread, so nothing tells its noise
NEAREST_RIVAL = 2**0.5  # rival hypotheses differ by 2 or more (2 steps, 60 s, 1000 ms): half of that, as a ratio
MEAN_FITS_BETTER = 2.0  # a mean since the start must halve the spread: nothing more is needed where values drift
MOST_ROUNDING = 0.5  # a number of one digit is up to 50 % off (1 may be 0.5 to 1.5): beyond it, it says nothing
FASTEST_STEP = 1e-3  # seconds: launching the kernels of one step takes longer, so a reading that gives less is none
CLEARLY_WHOLE = 0.25  # a ratio is a whole number of cards only if its error is under that: else any is near one

NEAR_ONE = 2 / NEAREST_RIVAL  # for what is an estimate itself: only near rivals are told apart


def falls(column: Column) -> bool:
    """Whether times fall with the steps of an epoch, as the time that is left of it does."""
    left = column.table.totals - column.table.steps
    ok = np.isfinite(left) & np.isfinite(column.values) & (left > 0)
    v, left = column.values[ok], left[ok]
    if len(v) <= FEWEST_INTERVALS or np.ptp(left) <= left.min() or (v <= 0).any():
        return False
    return spread(v / left) < spread(v) / MEAN_FITS_BETTER


def hypotheses(column: Column) -> Iterator[Option]:
    """What a column may measure, by its name and unit and by the counters of its lines."""
    m = column.meaning
    rate = Option(target_of(column), "rate", None, m.counts, m.factor or 1.0, m.scope)
    time = replace(rate, kind="time", counts=None, scope=None)
    if m.role == "rate":
        is_told = "unproven" not in m.flags
        of_nobody = m.scope is None and "qualified" not in m.flags  # unknown words may say a node
        if of_nobody and any(_goes_into(of_card, column) for of_card in column.table.of("rate")):
            rate = rate.of("job")
        yield from (replace(rate, told=is_told), replace(rate, told=is_told, is_mean=True))
    elif EPOCH_FIRST < np.nanmax(np.abs(column.values), initial=0) < EPOCH_LAST * 1e3:
        return  # a moment
    elif m.per == "steps" and np.isfinite(column.counts).any():
        yield replace(time, per=STEPS, counts=m.counts, told=True)
    elif m.role == "remaining" or (m.per != "step" and falls(column)):
        yield replace(time, per=LEFT)
    else:
        for unit in (m.factor,) if m.factor else (1.0, 1e-3):
            yield from _of_unit(column, replace(time, factor=unit))


def _goes_into(of_card: Column, column: Column) -> bool:
    """Whether a rate is one of a card, and goes into another a whole number of times, which then is of all cards."""
    if of_card.meaning.scope != "card" or of_card.meaning.counts != column.meaning.counts:
        return False
    ratios = column.values / of_card.values
    ratios = ratios[np.isfinite(ratios) & (ratios > 0)]
    if len(ratios) < FEWEST_INTERVALS:
        return False
    cards, error = float(np.median(ratios)), spread(ratios) + roundness(column) + roundness(of_card)
    return round(cards) > 1 and cards * error < CLEARLY_WHOLE and abs(cards / round(cards) - 1) <= error


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


def judge(column: Column, h: Option) -> Speed:
    """The speed by an option, with what each witness of the log says of it."""
    if h.is_of_unknown:
        findings = [*_by_progress(column, h), *([] if h.is_mean else _beside_times(column))]
    else:
        findings = [*_by_clocks(column, h), *(_beside_rates(column, h) if h.per == STEP else ())]
    return speed_of(column, h, tuple(findings))


def _by_clocks(column: Column, h: Option) -> Iterator[Finding]:
    """What the seconds between the records say."""
    predicted = predict(column, h)
    for clock in clocks(column.table, but=column):
        if (compared := compare(column, predicted, clock)) is not None:
            ratio, error = compared
            says = _says(ratio, error) if h.told else 1 / NEAREST_RIVAL <= ratio <= NEAREST_RIVAL
            yield Finding("clock", clock.kind, ratio, None if error > 1 else says)


def _by_progress(column: Column, h: Option) -> Iterator[Finding]:
    """What lines count since the start against a rate; that of one card goes into it a whole number of times."""
    if (done := progress_of(column.table, h.counts)) is None:
        return
    d = np.diff(done.values)
    own = each(column, h)[1:] * d
    predicted = np.where((d > 0) & (own > 0), own, np.nan)
    for clock in clocks(column.table):
        if (compared := compare(column, predicted, clock)) is not None:
            ratio, error = compared
            cards = round(ratio) if h.scope != "job" and ratio * error < CLEARLY_WHOLE else 1
            is_many = cards > 1 and bool(abs(ratio / cards - 1) <= error)
            yield Finding("progress", done.name, ratio, is_many or _says(ratio, error), cards if is_many else 1)


def _one_amount(products: Floats, close: float) -> float | None:
    """What is done in each step, where all products of a rate and a time are that; ``close``: by their digits."""
    amounts = products[np.isfinite(products) & (products > 0)]
    is_one = len(amounts) >= FEWEST_INTERVALS and spread(amounts) < close
    return float(np.median(amounts)) if is_one else None


def _beside_times(column: Column) -> Iterator[Finding]:
    """The times beside a rate of samples: both together are one amount."""
    for time in column.table.of("time"):
        m, close = time.meaning, roundness(column) + roundness(time)
        if m.flags & {"part", "other"} or m.per == "epoch" or np.nanmax(time.values, initial=0) > EPOCH_FIRST:
            continue
        if _one_amount(column.values * time.values * (m.factor or 1.0), close) is not None:
            yield Finding("time", time.name, 1.0, says=True)


def _beside_rates(column: Column, h: Option) -> Iterator[Finding]:
    """The time that is left beside that of a step, and the rates: with these it is one whole amount."""
    table, v = column.table, column.values * h.factor
    for left in table.of("remaining") if not h.is_mean else ():
        ratios = (table.totals - table.steps) * v / (left.values * (left.meaning.factor or 1.0))
        ratios = ratios[np.isfinite(ratios) & (ratios > 0)]
        if len(ratios) >= FEW and 1 / NEAR_ONE < (ratio := float(np.median(ratios))) < NEAR_ONE:
            yield Finding("remaining", left.name, ratio, says=True)
    for rate in table.of("rate") if np.ptp(column.values) > 0 else ():
        if rate.meaning.counts in ("steps", "epochs") or rate.meaning.flags & {"other", "part"}:
            continue
        close = roundness(rate) + roundness(column)
        amount = _one_amount(rate.values * v, close) or 0.0
        if amount > NEARLY_ALL and abs(amount / round(amount) - 1) <= max(close, 1e-3):
            yield Finding("rate", rate.name, 1.0, says=True)


def counts_twice(table: Table) -> bool:
    """Whether lines count two kinds of steps, such as forward passes and steps of the optimizer: one goes on faster."""
    named = [c for c in table.of("step", guests=False) if c.meaning.name and not np.isfinite(c.totals).any()]
    counters = [c.values for c in named if np.isfinite(c.values).all()]
    ahead = {float(np.ptp(v)) for v in counters if len(v) > 1 and np.ptp(v) > 0 and (np.diff(v) >= 0).all()}
    return len(ahead) > 1 and max(ahead) >= 2 * min(ahead)


def best(speeds: list[Speed]) -> tuple[list[Speed], list[Speed]]:
    """The one that stands, and those that are possible where none does: rivals that predict the same are one."""
    speeds = [s for s in speeds if s.option.told or not _is_too_fast(s)]
    plain = [s for s in speeds if not s.option.is_mean]
    refuted = any(s.against for s in plain) and not any(s.agree for s in plain)
    means = [
        s
        for s in speeds
        if s.option.is_mean and (_is_mean(s, plain) or (refuted and s.option.kind == "time" and s.agree))
    ]
    fitting = [s for s in speeds if s.option.is_mean and s.agree]
    if fitting and not means and plain and all(_is_far(s) for s in plain):
        return [], [*(s for s in plain if not s.against), *fitting]
    possible = [s for s in means or plain if not s.against]
    if agreed := [s for s in possible if s.agree]:
        nearest = min(agreed, key=lambda s: s.distance)
        # Where no clock tells the units apart, as little do amounts so large that they are whole in each.
        alike = [s for s in agreed if s.distance == nearest.distance and s.option.factor != nearest.option.factor]
        return ([], agreed) if alike else ([nearest], possible)
    told = [s for s in possible if s.option.told and not _is_of_either(s) and not _is_too_fast(s)]
    return told or _only_reading(possible), possible


def _is_far(s: Speed) -> bool:
    """Whether what was done since the start leaves a rate open, though it is nearer to another reading."""
    found = [f.ratio for f in s.findings if f.witness == "progress"]
    return bool(found) and not s.agree and all(abs(np.log(ratio)) > np.log(NEAREST_RIVAL) for ratio in found)


def _is_of_either(s: Speed) -> bool:
    """Whether a number may be of either of two kinds of steps that its lines count."""
    return (s.option.per == STEP or s.option.is_of_unknown) and counts_twice(s.table)


def _is_too_fast(s: Speed) -> bool:
    """Whether steps would take less than any step does: a time such as 0.25 is none of milliseconds."""
    h, column = s.option, s.column
    if h.kind == "rate":
        return h.counts == "steps" and s.rate * FASTEST_STEP > 1
    if h.per not in (STEP, LINE, START, EPOCH):
        return False
    each = predict(column, h) / advance(s.table)
    each = each[np.isfinite(each) & (each > 0)]
    if not len(each):
        each = column.values[np.isfinite(column.values) & (column.values > 0)] * h.factor
    return len(each) > 0 and bool(np.median(each) < FASTEST_STEP)


def _only_reading(possible: list[Speed]) -> list[Speed]:
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


def _is_mean(mean: Speed, plain: list[Speed]) -> bool:
    """Whether numbers are means since the start: undone they fit the clock, and at least twice as well as they are."""
    column, h = mean.column, mean.option
    same = next((s for s in plain if (s.option.per, s.option.factor) == (h.per, h.factor)), None)
    if same is None or len(column.values) <= FEW:
        return False
    done = np.diff(since_start(column, h))
    one, other = (each(column, of)[1:] * done for of in (same.option, h))
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
