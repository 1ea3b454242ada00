"""Checks: what every other source of a log says of the same quantity, and whether both can be true at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, log

import numpy as np

from parsers.grammar.field import Scope
from parsers.series import FENCED, OVERHEAD, STALL, TOTAL, Mask, Series, Verdict, verdict

from .work import Work

UNITS = ("steps", "samples", "tokens", "epochs")


@dataclass(frozen=True)
class Estimate:
    """One number: work done over time taken, in ``unit`` a second, with its lines.

    ``counted``: samples, tokens, steps or epochs; ``scope``: card, node, job or unknown. ``source``: the column, and
    ``kind`` the kind of records, of which ``records`` made it, from the first to the last of ``lines``. ``error``: by
    what part it may be off, for digits, clock and spread. ``run``: of which run, where it is not that of the number.
    """

    value: float
    counted: str
    unit: str
    scope: Scope
    source: str
    kind: str
    lines: tuple[int, int]
    records: int
    error: float
    run: int | None = None

    @property
    def name(self) -> str:
        """The kind of its records and its column: ``step.throughput``."""
        return f"{self.kind}.{self.source}"

    def as_json(self) -> dict[str, object]:
        """As ``show --json`` has it; the unit is one a second."""
        told: dict[str, object] = {"value": self.value, "unit": f"{self.unit}/s", "scope": self.scope}
        told |= {"source": self.name, "lines": list(self.lines), "records": self.records}
        return told if self.run is None else {**told, "run": self.run}


@dataclass(frozen=True)
class Check:
    """A second opinion: its own ``estimate``, how many times the number that is, and how far off it may be.

    ``is_independent``: whether another timer took its time. ``counts_work``: whether it also says what a step holds,
    and not only how long one took. ``scope``: that of the number which makes them agree, where its format states none.
    ``needs_passes``: it would differ, but that a step may hold several batches, which nothing says; ``may_pause``: but
    that one of its few intervals may hold a pause. ``share``: the rate of the intervals of the number that both have,
    over that of all of them. ``series``: the intervals that made its estimate, kept of the check that decides.
    """

    estimate: Estimate
    ratio: float
    tolerance: float
    says: Verdict
    is_independent: bool
    counts_work: bool = True
    scope: Scope | None = None
    needs_passes: bool = False
    may_pause: bool = False
    share: float = 1.0
    series: Series | None = field(default=None, compare=False, repr=False)

    @property
    def order(self) -> tuple[bool, bool, float]:
        """The order in which checks that agree are told: those first that say the work, by another timer, exactly."""
        return not self.counts_work, not self.is_independent, self.tolerance

    def as_json(self) -> dict[str, object]:
        """As ``show --json`` has it."""
        told = {"ratio": round(self.ratio, 4), "tolerance": round(self.tolerance, 4), "says": self.says}
        return {**self.estimate.as_json(), **told}


def estimate_of(series: Series) -> Estimate:
    """The estimate that all intervals of a series make."""
    lines = int(series.lines[0]), int(series.lines[-1])
    told = series.counted, series.unit, series.scope, series.source, series.kind
    return Estimate(series.rate, *told, lines, len(series), series.error)


def checks_of(
    claim: Series, others: Sequence[Series], start: int, work: Work, *, is_stated: bool = False
) -> Iterator[Check]:
    """What the other sources say of the interval behind line ``start``; ``claim`` is the whole source of the number.

    Where nothing says the work of a step, a clock checks the time of a step that the same records print. A number by a
    stated protocol may hold the pauses of its window or not: what another source says of it lies between the two.
    """
    sibling = _time_of_steps(claim, others)
    told = {(other.kind, other.source) for other in others if other.counted == claim.counted}
    for other in others:
        if other.timer == claim.timer == "clock" and other.source == claim.source:
            continue  # the same clock, as another format reads it
        if other.timer == "program" and other.counted != claim.counted and (other.kind, other.source) in told:
            continue  # the same times, in a unit that needs the work of a step
        found = _check(claim, other, start, work, is_stated=is_stated)
        if found is None and sibling is not None and other.timer == "clock":
            found = _check(sibling, other, start, work, is_stated=is_stated)
            found = replace(found, counts_work=False) if found else None
        if found is not None and work.at_least and claim.counted == other.counted == "steps":
            found = replace(found, counts_work=False)  # both may count a part of a step
        if found is not None:
            yield found


def _time_of_steps(claim: Series, others: Sequence[Series]) -> Series | None:
    if claim.counted == "steps" or claim.timer == "clock":
        return None
    alike = (o for o in others if o.kind == claim.kind and o.counted == "steps" and o.timer == "program")
    return next((one for one in alike if not one.whole), None)


def _check(claim: Series, other: Series, start: int, work: Work, *, is_stated: bool) -> Check | None:
    windowed = claim.behind(start).without_pauses()
    behind = other.behind(start)
    free = behind.without_pauses()
    if claim.whole or other.whole or other.holds_more:
        # A total of the run may or may not hold warm-up and pauses; how long an evaluation took nobody knows. Two rates
        # of one line are of the same time.
        is_one_line = claim.whole and other.whole and "duration" not in (claim.source, other.source)
        is_one_line = is_one_line and np.array_equal(claim.lines, other.lines)
        slack = inf if other.holds_more and other.kind == "step" else 1.0 if is_one_line else TOTAL
        if not (claim.whole or other.whole) and claim.kind == other.kind:
            claim = claim.where(_within(claim, other))  # a clock tells nothing of the time before its first record
        return _between(windowed, (claim, windowed), (other, other.steady()), work, slack)
    every = windowed
    if windowed.kind == free.kind and len(free):
        windowed = windowed.where(_within(windowed, free))
    slack = TOTAL if other.timer == "clock" and len(free) < FENCED else 1.0  # a pause of few cannot be told
    found = _between(windowed, (windowed,), (behind, free) if is_stated else (free,), work, slack)
    if found is None:
        return None
    found = replace(found, share=windowed.rate / every.rate)
    if found.says != "differs" or (claim.timer, other.timer) != ("program", "clock"):
        return found
    # What recurs every few records, such as a checkpoint that the log does not tell, is no outlier of the clock.
    usual = free.where(free.each <= STALL * np.median(free.each))
    apart = _between(windowed, (windowed,), (usual,), work) if len(usual) < len(free) else None
    return replace(found, says="silent", may_pause=True) if apart and apart.says == "agrees" else found


def _between(
    windowed: Series, claims: Sequence[Series], others: Sequence[Series], work: Work, slack: float = 1.0
) -> Check | None:
    """What the other source says of the number, each with and without what may not belong to it."""
    claim, other = claims[0], others[0]
    if not (len(windowed) and len(other)):
        return None
    pairs = [_ratio(one, two, work) for one in claims for two in others]
    known = sorted((pair for pair in pairs if pair is not None), key=lambda pair: pair[0])
    if not known:
        return None
    error, low, high = windowed.error + other.error, known[0][0], known[-1][0]
    nearest = min(known, key=lambda pair: abs(log(pair[0])))
    says = verdict(low, high, error, slack, slower_is_total=not claim.whole)
    found = _judged((claim, other), nearest, says, error, work)
    is_of_part = not (claim.whole or other.whole or other.holds_more)
    return replace(found, may_pause=is_of_part and verdict(low, high, error) == "differs")


def _judged(
    pair: tuple[Series, Series], found: tuple[float, Scope | None], says: Verdict, error: float, work: Work
) -> Check:
    """The check, silent where the two cannot differ or cannot confirm each other.

    A step holds at least one batch of each card: where nothing says how many, it may well be more than steps show. And
    one number of the program's in two forms confirms nothing.
    """
    (claim, other), (ratio, scope) = pair, found
    needs_passes = False
    if says == "differs" and work.at_least and (claim.counted == "steps") != (other.counted == "steps"):
        needs_passes = (ratio if other.counted == "steps" else 1 / ratio) < 1
    is_one_timer = claim.kind == other.kind and claim.timer == other.timer == "program"
    is_clocks = claim.timer == other.timer == "clock"
    is_one_form = ("throughput" in claim.source) == ("throughput" in other.source)
    is_same = claim.counted == other.counted or (is_one_form and "duration" not in (claim.source, other.source))
    # Totals of one line divide one time by what the program counted, which may not be what it did.
    is_one_total = is_one_timer and claim.whole and other.whole and np.array_equal(claim.lines, other.lines)
    if needs_passes or (says == "agrees" and (is_clocks or (is_one_timer and is_same) or is_one_total)):
        says = "silent"
    is_independent = other.timer != claim.timer
    told = estimate_of(other), ratio, OVERHEAD + error, says, is_independent
    return Check(*told, scope=scope, needs_passes=needs_passes, series=other)


def _within(claim: Series, other: Series) -> Mask:
    """Which intervals of the claim end within an interval of the other."""
    place = np.searchsorted(other.lines, claim.lines, side="left")
    known: Mask = place < len(other)
    known[known] &= other.begins[place[known]] < claim.lines[known]
    return known


def _ratio(claim: Series, other: Series, work: Work) -> tuple[float, Scope | None] | None:
    """How many times the claim the other is, in a unit that both have; of an unknown scope the nearest possible one."""
    ratio = other.rate / claim.rate
    if claim.counted == other.counted and claim.scope == other.scope:
        return (ratio, None) if isfinite(ratio) and ratio > 0 else None
    if {claim.scope, other.scope} == {"card", "job"} and not work.cards:
        # A job does at least what one of its cards does.
        known = _converted(claim, claim.rate, other, other.rate, work)
        return (known, None) if known is not None and (known < 1) == (claim.scope == "card") else None
    pairs = ((one, two, scope) for one, scope in _of_job(claim, work) for two, _ in _of_job(other, work))
    each = ((_converted(claim, one, other, two, work), scope) for one, two, scope in pairs)
    found = [(ratio, scope) for ratio, scope in each if ratio is not None]
    return min(found, key=lambda pair: abs(log(pair[0])), default=None)


def _converted(claim: Series, one: float, other: Series, two: float, work: Work) -> float | None:
    """How many times the one rate the other is, in the first unit that both can be told in."""
    for unit in UNITS:
        low, high = work.convert(one, claim.counted, unit), work.convert(two, other.counted, unit)
        if low and high and isfinite(high / low) and high / low > 0:
            return high / low
    return None


def _of_job(series: Series, work: Work) -> list[tuple[float, Scope | None]]:
    """The rate of the whole job; of an unknown scope each that it may be."""
    if (factor := work.factor(series.scope)) is not None:
        return [(series.rate * factor, None)]
    if series.scope != "unknown":
        return []
    whole: list[tuple[float, Scope | None]] = [(series.rate, "job")]
    return [*whole, (series.rate * work.cards, "card")] if work.cards else whole
