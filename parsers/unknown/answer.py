"""From a log to an answer: which columns are of training, what they measure, and which of them is the speed.

The answer is one of three: a speed, which measuring holds against the clock of the log; one question with at most three
candidates, each with the option that chooses it; or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from ..series import FEW, Mask, spread
from .judge import (
    MOST_ROUNDING,
    Speed,
    advance,
    best,
    clock_speed,
    extent,
    hypotheses,
    is_moment,
    judge,
    passes,
    target_of,
)
from .log import MAJORITY, SAMPLE, Column, Log, Table, positive, share
from .log import read as read_log
from .naming import split, words_of
from .option import BAR, CLOCK, LEFT, STEP, STEPS, Option, parse_option
from .text import BAR_CLOCK
from .training import Reason, is_no_log, is_training, may_be_training, why_not

MINOR = 5  # lines that are less than a fifth of others are remarks among them, and no rival
MOST_UNACCOUNTED = 0.5  # below it most of the time between two records is not in the number: two readings remain
MOST_CANDIDATES = 3  # a person chooses among three without reading twice
FEWEST_LINES = 8  # without a counter: fewer with a loss and a stamp may be anything, such as settings
APART = 1.25  # two candidates closer than this are the same number to a reader: a person rounds to 25 %
TYPICAL_STEP = 0.3  # seconds: between 10 ms and 10 s lie most steps; it orders candidates and decides nothing


class Ask(StrEnum):
    """What a question is about, a code for each; report/words/en.po words them."""

    SPAN = "span_unknown"  # what takes this time, in which unit
    TRAINING = "training_unknown"  # which of several lines or bars are of training
    CONFIRM = "speed_unproven"  # whether this is the speed of training at all


@dataclass(frozen=True)
class Accepted:
    """A speed, and the others that its lines tell beside it.

    ``refine``: options that say what the log does not, such as what the rate counts, or whether its clock is right.
    """

    speed: Speed
    also: tuple[Speed, ...] = ()
    refine: tuple[Speed, ...] = ()


@dataclass(frozen=True)
class Question:
    """Candidates of which the log does not say which one it is, the likeliest first."""

    ask: Ask
    candidates: tuple[Speed, ...]


@dataclass(frozen=True)
class Nothing:
    """No speed; ``reasons``: the names of numbers that may be speeds, and why each is none."""

    reasons: tuple[tuple[str, Reason], ...] = ()


Answer = Accepted | Question | Nothing


@np.errstate(all="ignore")  # what is no number is NaN, and is left out where it is used
def answer(path: Path | str, read: Option | str | None = None) -> Answer:
    """The speed of training that a log tells; ``read``: what a person says of a number of it.

    Raises LogError when the log cannot be read, OptionError where a text is no option.
    """
    log = read_log(Path(path))
    if read is not None:
        option = parse_option(read) if isinstance(read, str) else read
        found = [s for table in log.tables for s in targets(table, option)]
        likeliest = min(found, key=lambda s: (s.table.is_evaluation, not s.table.evidence, -len(s.lines)), default=None)
        if likeliest is None:
            return Nothing(((option.target, Reason.NO_SUCH_TARGET),))
        is_of_work = likeliest.role == "throughput"  # of steps another number would take its place
        return Accepted(likeliest, _Found(log).beside(likeliest) if is_of_work else ())
    return Nothing((("", Reason.NO_LOG),)) if is_no_log(log) else _Found(log).answer()


def _known(*speeds: Speed | None) -> list[Speed]:
    return [s for s in speeds if s is not None and np.isfinite(s.rate) and s.rate > 0]


class _Found:
    """What the columns of a log turn out to be.

    ``asked``: with more than one reading; ``refuted``: with none that a clock allows; ``weak``: nothing shows that they
    are of training; ``vague``: with a unit of time, and no name that says of what.
    """

    def __init__(self, log: Log) -> None:
        self.log, self.reasons = log, list[tuple[str, Reason]]()
        self.accepted, self.asked, self.weak, self.vague, self.refuted = (list[Speed]() for _ in range(5))
        for column in (column for table in log.tables for column in table.columns):
            m, table = column.meaning, column.table
            if m.role == "remaining" and table.key.evidence and not table.is_evaluation and _counts_steps(table):
                left = Option(target_of(column), "time", LEFT, factor=m.factor or 1.0)
                self.weak += _known(judge(column, left))
            if m.role not in ("rate", "time", "elapsed") or m.name == BAR_CLOCK:
                continue
            if (reason := why_not(column)) is None:
                self._sort(column)
                continue
            self.reasons.append((column.name, reason))
            if reason is Reason.VAGUE and m.factor and len(table.rows) >= SAMPLE and not is_moment(column):
                of_line = Option(target_of(column), "time", STEP, factor=m.factor)
                self.vague += _known(*(judge(column, h) for h in [*hypotheses(column)] or [of_line] if not h.is_mean))
            if reason is Reason.NO_TRAINING and may_be_training(column):
                self.weak += _known(*(judge(column, h) for h in hypotheses(column) if not h.is_mean))

    def _sort(self, column: Column) -> None:
        """Judge all that a column may measure, and put what comes of it where it belongs."""
        bar = column.table.bar
        if bar and column.meaning.role == "rate" and column.meaning.counts not in ("steps", "epochs", None):
            return
        speeds = [judge(column, h) for h in hypotheses(column)]
        standing, possible = best(speeds)
        known = _known(*(standing or possible))
        refused = next((s for s in speeds if s.option.told and s.against), None)
        if standing and known:
            self.accepted.append(known[0])
        elif bar and any(s.against for s in speeds):
            self.accepted += _known(clock_speed(column.table))  # what a bar shows is smoothed: its clock counts
        elif refused is not None:  # measuring shows both sides of what is counted
            (self.accepted if refused.unit else self.asked).append(refused)
        elif possible:
            self.asked += known
        elif speeds:
            self.refuted += _known(min(speeds, key=lambda s: s.distance))

    def answer(self) -> Answer:
        """The speed, or else a question: of what has several readings, of clocks, of what may be of training."""
        asked = [*self.asked, *(s for s in self.accepted if not _is_sure(s))]
        accepted = sorted((s for s in self.accepted if _is_sure(s)), key=_order)
        tables = [t for t in self.log.tables if not t.is_evaluation]
        of_steps = [t for t in tables if (t.bar or t.key.evidence) and _counts_steps(t) and is_training(t)]
        clocked = sorted(_known(*map(clock_speed, of_steps)), key=_order)
        if accepted and accepted[0].unit == "epochs" and clocked and clocked[0].unit == "steps":
            by_steps = self._accept_clock(clocked)  # an epoch is more than its steps
            if isinstance(by_steps, Accepted):
                return by_steps
        if accepted:
            return self._accept(accepted)
        if asked:
            likely = sorted([*asked, *clocked, *self.refuted], key=_likely)
            return Question(Ask.SPAN, _distinct([s for s in likely if s.table.evidence] or likely))
        each_a_step = self._each_a_step(of_steps)
        if clocked:
            return self._accept_clock(clocked, each_a_step)
        counters = ((t, c) for t in tables if not t.bar for c in (t.step, t.epoch) if c in t.columns)
        counting = dict.fromkeys(t for t, c in counters if c and c.name)
        weak = self.weak or [*_known(*map(clock_speed, counting)), *each_a_step] or self.vague
        candidates = _distinct(r for s in sorted(weak, key=_order) for r in (_refined(s) or (s,)))
        return Question(Ask.CONFIRM, candidates) if candidates else Nothing(tuple(self.reasons))

    def _accept(self, accepted: Sequence[Speed]) -> Answer:
        main = accepted[0]
        rivals = (s for s in accepted[1:] if (s.unit, s.scope, s.role) == (main.unit, main.scope, main.role))
        if rival := next((s for s in rivals if _is_rival(s, main)), None) or self._other_run(main):
            return Question(Ask.TRAINING, _distinct([main, rival]))
        sides = (main, clock_speed(main.table)) if main.against else ()
        return Accepted(main, self.beside(main), _refined(main) or tuple(_known(*sides)))

    def beside(self, main: Speed) -> tuple[Speed, ...]:
        """What the lines of a speed tell beside it, one of each kind."""
        sure = sorted((s for s in self.accepted if _is_sure(s)), key=_order)
        also = {s.role: s for s in reversed(sure) if s.table is main.table and s.role != main.role}
        return tuple(also.values())

    def _accept_clock(self, clocked: Sequence[Speed], each_a_step: Sequence[Speed] = ()) -> Answer:
        """The clock alone, if nearly all lines go on by it and the log prints no time that it refutes."""
        main = clocked[0]
        done = np.isfinite(advance(main.table) if main.unit != "epochs" else passes(main.table))
        if done.sum() < FEW or share(done) < 1 - 1 / MINOR or share(self._evaluates(main.table)[done]) > MAJORITY:
            return Question(Ask.CONFIRM, _distinct([*clocked, *each_a_step]))
        beside = sorted((s for s in self.refuted if s.table is main.table), key=_from_typical)[:1]
        candidates = _distinct([*beside, main])
        return Question(Ask.SPAN, candidates) if len(candidates) > 1 else Accepted(main)

    def _each_a_step(self, tables: Iterable[Table]) -> list[Speed]:
        """By their stamps, those of lines that print no step, many in each epoch: each may be one."""
        epochs = max((1 + int(np.isfinite(passes(t)).sum()) for t in self.log.tables if not t.bar), default=1)
        speeds = []
        for table in (
            t for t in tables if not t.bar and t.step is None and len(t.rows) >= max(FEWEST_LINES, MINOR * epochs)
        ):
            name = next((c.name for c in table.columns if c.meaning.role not in ("epoch", "step")), None)
            if share(np.diff(table.moments[0]) > 0) > MAJORITY and (speed := clock_speed(table.each_a_step())):
                speeds.append(replace(speed, option=replace(speed.option, lines=name or speed.option.lines)))
        return speeds

    def _other_run(self, main: Speed) -> Speed | None:
        """A speed of other lines of training before or behind these, none of whose readings is about this number."""
        own = main.table.order
        for other in dict.fromkeys(s.table for s in self.asked if s.table.key.evidence):
            same = [s for s in self.asked if s.table is other and s.unit == main.unit]
            is_apart = other.order[0] > own[-1] or other.order[-1] < own[0]
            if same and is_apart and all(_are_apart(s, main) for s in same):
                return same[0]
        return None

    def _evaluates(self, table: Table) -> Mask:
        """Between which two rows of a table lines of an evaluation stand."""
        others = np.sort([row.order for t in self.log.tables if t.is_evaluation for row in t.rows])
        found: Mask = np.diff(np.searchsorted(others, table.order)) > 0
        return found


def _is_rival(s: Speed, main: Speed) -> bool:
    """Whether a number of the same meaning is another one, in the same lines or in others that do not repeat them."""
    one, other = main.table, s.table
    if s.against or not _are_apart(s, main):
        return False
    if other is one:
        return bool((np.isfinite(s.column.values) & np.isfinite(main.column.values)).any())
    idle = words_of("mean") | words_of("training") | words_of("neutral") | words_of("each")
    cores = ([word for word in split(speed.column.name) if word not in idle] for speed in (main, s))
    alike = next(cores) == next(cores)
    if not alike and (one.step in one.columns) != (other.step in other.columns):
        return False
    if one.bar:  # an evaluation has a bar, too, and its states may share a line with those of training
        return extent(other) >= extent(one) / MINOR and not (one.key.evidence and not other.key.evidence)
    far = alike and not MOST_UNACCOUNTED < s.rate / main.rate < 1 / MOST_UNACCOUNTED
    return set(main.lines).isdisjoint(s.lines) and (len(s.lines) >= len(main.lines) / MINOR or far)


def _order(speed: Speed) -> tuple[int, ...]:
    """Which speed is told: lines before bars, those with a loss, steps before epochs, one meaning, most lines."""
    m, table = speed.column.meaning, speed.table
    counted = table.step is not None and table.step not in table.guests
    known = 0 if speed.role == "throughput" and speed.unit else 1 if speed.unit else 2
    return (
        speed.unit == "epochs",
        table.bar,
        not table.key.evidence and not table.trains,
        speed.role == "elapsed",
        speed.against,
        not counted,
        known,
        "qualified" in m.flags,
        not speed.agree,
        "mean" in m.flags,
        -len(table.rows),
        {"throughput": 0, "step_time": 1}.get(speed.role, 2),
    )


def _counts_steps(table: Table) -> bool:
    """Whether rows are not states of a bar that counts something else, such as images: `64.1img/s`."""
    rates = (c.meaning.counts for c in table.columns if c.meaning.role == "rate")
    return not table.bar or all(counts in ("steps", "epochs", None) for counts in rates)


def _is_sure(speed: Speed) -> bool:
    """Whether a number may be told.

    A single line only where it is of training by its own words, several lines only if they say about the same or count
    on. Of `300/2266 (143 img/s)` nobody knows what is done: the number or the counter of its lines must have a name.
    """
    table, m, values = speed.table, speed.column.meaning, positive(speed.column.values[speed.column.used])
    is_named = "unnamed" not in m.flags or table.epoch is not None or (table.step is not None and table.step.name)
    if not ((table.bar and table.step is not None) or table.evidence or is_named):
        return False
    counts = np.isfinite(advance(table)).any() or np.isfinite(passes(table)).any()
    is_open = len(values) > 1 and not speed.agree and not counts
    if is_open and spread(values) / np.sqrt(len(values)) > MOST_ROUNDING:
        return False
    is_clear = speed.unit is not None and "qualified" not in m.flags
    says_training = table.trains or bool(table.of("step", "epoch"))
    return len(table.rows) > 1 or (is_clear and says_training and is_training(table, speed.column))


# ---- candidates


def _likely(speed: Speed) -> tuple[bool, bool, float]:
    """The order of candidates: lines with a loss, what is printed before the clock, typical steps first."""
    return not speed.table.key.evidence, speed.option.target == CLOCK, _from_typical(speed)


def _from_typical(speed: Speed) -> float:
    """How far the time of a step is from a typical one."""
    return float(abs(np.log(speed.rate * TYPICAL_STEP))) if speed.unit == "steps" else 0.0


def _are_apart(one: Speed, other: Speed) -> bool:
    """Whether two numbers are two to a reader."""
    return not 1 / APART < one.rate / other.rate < APART


def _refined(speed: Speed) -> tuple[Speed, ...]:
    """What a rate may count where the log does not say it."""
    if speed.unit is not None:
        return ()
    amounts = [c.meaning.counts for c in speed.table.of("amount", "consumed") if c.meaning.counts]
    names = ["words", "tokens"] if split(speed.column.name)[-1:] == ("wps",) else ["samples", "tokens", "images"]
    units = list(dict.fromkeys([*amounts, *names]))[:MOST_CANDIDATES]
    return tuple(replace(speed, unit=unit, option=replace(speed.option, counts=unit)) for unit in units)


def _distinct(speeds: Iterable[Speed]) -> tuple[Speed, ...]:
    """The first candidates of a question that are different numbers, with options that differ.

    Those of one name are told apart by a text that only their lines have, or else by their lines.
    """
    kept: list[Speed] = []
    for s in speeds:
        if all(s.unit != k.unit or _are_apart(s, k) for k in kept):
            kept.append(s)
    told, kept = [], kept[:MOST_CANDIDATES]
    for s in kept:
        rivals, option = [o for o in kept if o is not s and o.read == s.read], s.option
        if rivals:
            rows = [row.text for row in s.table.rows[:SAMPLE]]
            others = [row.text for rival in rivals for row in rival.table.rows[:SAMPLE]]
            words = [c.name for c in s.table.columns if len(c.name) > 2] + re.findall(r"[A-Za-z_]{3,}", rows[0])
            telling = (w for w in words if '"' not in w and all(w in r for r in rows))
            text = next((w for w in telling if not any(w in r for r in others)), None)
            option = replace(option, lines=text, part=None if text else (s.lines[0], s.lines[-1]))
        told.append(replace(s, option=option))
    return tuple(told)


# ---- what a person says


@np.errstate(all="ignore")
def targets(table: Table, option: Option) -> list[Speed]:
    """What an option means in the lines of one table."""
    first, last = option.part or (0, np.inf)
    is_of = [(option.lines is None or option.lines in row.text) and first <= row.line <= last for row in table.rows]
    kept: Mask = np.array(is_of)
    if not kept.any():
        return []
    table = table if kept.all() else table.part(kept)
    if option.target == CLOCK or option.target.split()[0] == BAR:
        return _known(_by_its_clock(table, option))
    speeds = []
    for column in table.columns:
        if split(option.target) not in (split(target_of(column)), split(column.name)):
            continue
        meant = column
        if option.per == STEPS and option.count and not np.isfinite(column.counts).any():
            meant = replace(column)  # which keeps nothing of what was computed of the other
            meant.__dict__["counts"] = np.full(len(column.values), float(option.count))
        speeds.append(replace(judge(meant, option), option=option))
    return _known(*speeds)


def _by_its_clock(table: Table, option: Option) -> Speed | None:
    """The speed of lines by their clock, or of a bar as it is shown, unless its clock says something else."""
    unit, is_bar = option.counts or "steps", option.target != CLOCK
    if unit == "steps" and not table.bar and table.step is None:
        table = table.each_a_step()
    clock = clock_speed(table)
    if table.bar != is_bar or (clock and clock.unit != unit and not is_bar):
        return None
    if is_bar and option.target[len(BAR) :].strip() not in ("", " ".join(table.key.head), str(int(table.key.total))):
        return None
    each = (judge(c, next(hypotheses(c))) for c in table.columns if is_bar and c.meaning.role in ("rate", "time"))
    shown = next(each, None)
    if shown and not (clock and shown.against):
        return replace(shown, unit=unit)
    return replace(clock, unit=unit, option=option) if clock else None
