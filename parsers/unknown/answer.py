"""From a log to an answer: which columns are of training, what they measure, and which of them is the speed.

The answer is one of three: a speed, which measuring holds against the clock of the log; one question with at most three
candidates, each with the option that chooses it; or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from ..series import FEW, Mask, spread
from .judge import MOST_ROUNDING, Speed, advance, best, clock_speed, extent, hypotheses, judge, passes, target_of
from .log import SAMPLE, Column, Log, Table, share
from .log import read as read_log
from .naming import split, words_of
from .option import BAR, CLOCK, LEFT, STEP, STEPS, Option, parse_option
from .text import BAR_CLOCK
from .training import Reason, is_training, may_be_training, why_no_log, why_not

MINOR = 5  # lines that are less than a fifth of others are remarks among them, and no rival
MOST_UNACCOUNTED = 0.5  # below it most of the time between two records is not in the number: two readings remain
MOST_CANDIDATES = 3  # a person chooses among three without reading twice
APART = 1.25  # two candidates closer than this are the same number to a reader: a person rounds to 25 %
TYPICAL_STEP = 0.3  # seconds: between 10 ms and 10 s lie most steps; it orders candidates and decides nothing


class Ask(StrEnum):
    """What a question is about, a code for each; report/results/remarks.py words them."""

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
        return _told(log, parse_option(read) if isinstance(read, str) else read)
    reason = why_no_log(log)
    return Nothing((("", reason),)) if reason else _choose(log, _find(log))


# ---- what the columns of a log turn out to be


@dataclass
class Found:
    """What the columns of a log turn out to be.

    ``asked``: with more than one reading; ``refuted``: with none that a clock allows; ``weak``: nothing shows that they
    are of training.
    """

    accepted: list[Speed] = field(default_factory=list)
    asked: list[Speed] = field(default_factory=list)
    weak: list[Speed] = field(default_factory=list)
    refuted: list[Speed] = field(default_factory=list)
    reasons: list[tuple[str, Reason]] = field(default_factory=list)


def _find(log: Log) -> Found:
    found = Found()
    for column in (column for table in log.tables for column in table.columns):
        m, table = column.meaning, column.table
        if m.role == "remaining" and table.key.evidence and not table.is_evaluation and _counts_steps(table):
            found.weak += _known(judge(column, Option(target_of(column), "time", LEFT, factor=m.factor or 1.0)))
        if m.role not in ("rate", "time", "elapsed") or m.name == BAR_CLOCK:
            continue
        if (reason := why_not(column)) is None:
            _sort(column, found)
            continue
        found.reasons.append((column.name, reason))
        if reason is Reason.NO_TRAINING and may_be_training(column):
            found.weak += _known(*(judge(column, h) for h in hypotheses(column) if not h.is_mean))
    return found


def _known(*speeds: Speed | None) -> list[Speed]:
    return [s for s in speeds if s is not None and np.isfinite(s.rate) and s.rate > 0]


def _sort(column: Column, found: Found) -> None:
    """Judge all that a column may measure, and put what comes of it where it belongs."""
    if column.table.bar and column.meaning.role == "rate" and column.meaning.counts not in ("steps", "epochs", None):
        return
    speeds = [judge(column, h) for h in hypotheses(column)]
    standing, possible = best(speeds)
    known = _known(*(standing or possible))
    refused = next((s for s in speeds if s.option.told and s.against), None)
    if standing and known:
        found.accepted.append(known[0])
    elif column.table.bar and any(s.against for s in speeds):
        found.accepted += _known(clock_speed(column.table))  # what a bar shows is smoothed: its clock counts
    elif refused is not None:  # measuring shows both sides of what is counted
        (found.accepted if refused.unit else found.asked).append(refused)
    elif possible:
        found.asked += known
    elif speeds:
        found.refuted += _known(min(speeds, key=lambda s: s.distance))


# ---- the decision


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


def _choose(log: Log, found: Found) -> Answer:
    asked = [*found.asked, *(s for s in found.accepted if not _is_sure(s))]
    accepted = sorted((s for s in found.accepted if _is_sure(s)), key=_order)
    of_steps = (t for t in log.tables if not t.is_evaluation and (t.bar or t.key.evidence) and _counts_steps(t))
    of_training = filter(is_training, of_steps)
    clocked = sorted(_known(*map(clock_speed, of_training)), key=_order)
    if accepted:
        return _accept(accepted, found)
    if asked:
        likely = sorted([*asked, *clocked, *found.refuted], key=_likely)
        return Question(Ask.SPAN, _distinct([s for s in likely if s.table.evidence] or likely))
    if clocked:
        return _accept_clock(clocked, found)
    counters = {t: next((c for c in (t.step, t.epoch) if c in t.columns), None) for t in log.tables}
    counted = (t for t, c in counters.items() if c is not None and c.name and not (t.bar or t.is_evaluation))
    weak = found.weak or _known(*map(clock_speed, counted))
    candidates = _distinct(r for s in sorted(weak, key=_order) for r in (_refined(s) or (s,)))
    return Question(Ask.CONFIRM, candidates) if candidates else Nothing(tuple(found.reasons))


def _counts_steps(table: Table) -> bool:
    """Whether rows are not states of a bar that counts something else, such as images: `64.1img/s`."""
    rates = (c.meaning.counts for c in table.columns if c.meaning.role == "rate")
    return not table.bar or all(counts in ("steps", "epochs", None) for counts in rates)


def _accept(accepted: Sequence[Speed], found: Found) -> Answer:
    main = accepted[0]
    if rival := _rival(main, accepted) or _other_run(main, found.asked):
        return Question(Ask.TRAINING, _distinct([main, rival]))
    also = {s.role: s for s in reversed(accepted[1:]) if s.table is main.table and s.role != main.role}
    sides = (main, clock_speed(main.table)) if main.against else ()
    return Accepted(main, tuple(also.values()), _refined(main) or tuple(_known(*sides)))


def _accept_clock(clocked: Sequence[Speed], found: Found) -> Answer:
    """The clock alone, if nearly all lines go on by it and the log prints no time that it refutes."""
    main = clocked[0]
    done = advance(main.table) if main.unit != "epochs" else passes(main.table)
    if np.isfinite(done).sum() < FEW or share(np.isfinite(done)) < 1 - 1 / MINOR:
        return Question(Ask.CONFIRM, _distinct(clocked))
    beside = sorted((s for s in found.refuted if s.table is main.table), key=_from_typical)[:1]
    candidates = _distinct([*beside, main])
    return Question(Ask.SPAN, candidates) if len(candidates) > 1 else Accepted(main)


def _is_sure(speed: Speed) -> bool:
    """Whether a number may be told.

    A single line only where it is of training by its own words, several lines only if they say about the same or count
    on.
    """
    table, values = speed.table, speed.column.values[speed.column.used]
    values = values[np.isfinite(values) & (values > 0)]
    counts = np.isfinite(advance(table)).any() or np.isfinite(passes(table)).any()
    if not ((table.bar and table.step is not None) or table.evidence or _says_what_it_counts(speed)):
        return False
    is_open = len(values) > 1 and not speed.agree and not counts
    if is_open and spread(values) / np.sqrt(len(values)) > MOST_ROUNDING:
        return False
    says_training = table.trains or bool(table.of("step", "epoch"))
    is_clear = speed.unit is not None and "qualified" not in speed.column.meaning.flags
    return len(table.rows) > 1 or (is_clear and says_training and is_training(table, speed.column))


def _says_what_it_counts(speed: Speed) -> bool:
    """Whether a number or the counter of its lines has a name; of `300/2266 (143 img/s)` nobody knows what is done."""
    step, m = speed.table.step, speed.column.meaning
    return "nameless" not in m.flags or speed.table.epoch is not None or (step is not None and bool(step.name))


def _likely(speed: Speed) -> tuple[bool, bool, float]:
    """The order of candidates: lines with a loss, what is printed before the clock, typical steps first."""
    return not speed.table.key.evidence, speed.option.target == CLOCK, _from_typical(speed)


def _from_typical(speed: Speed) -> float:
    """How far the time of a step is from a typical one."""
    return float(abs(np.log(speed.rate * TYPICAL_STEP))) if speed.unit == "steps" else 0.0


def _are_apart(one: float, other: float) -> bool:
    """Whether two numbers are two to a reader."""
    return not 1 / APART < one / other < APART


def _rival(main: Speed, accepted: Sequence[Speed]) -> Speed | None:
    """Another number of the same meaning, in the same lines or in others that do not repeat them."""
    one, own = main.table, set(main.lines)
    for speed in accepted[1:]:
        other = speed.table
        if (speed.unit, speed.scope, speed.role) != (main.unit, main.scope, main.role) or speed.against:
            continue
        if other is one:
            both = np.isfinite(speed.column.values) & np.isfinite(main.column.values)
            if both.any() and _are_apart(speed.rate, main.rate):
                return speed
            continue
        level = (one.step in one.columns) == (other.step in other.columns)
        alike = _core(main) == _core(speed)
        if not (level or alike) or (one.bar and one.key.evidence and not other.key.evidence):
            continue
        if one.bar:  # an evaluation has a bar, too, and its states may share a line with those of training
            is_many = extent(other) >= extent(one) / MINOR
        else:
            far = alike and not MOST_UNACCOUNTED < speed.rate / main.rate < 1 / MOST_UNACCOUNTED
            is_many = len(speed.lines) >= len(main.lines) / MINOR or far
        if is_many and (one.bar or own.isdisjoint(speed.lines)) and _are_apart(speed.rate, main.rate):
            return speed
    return None


def _core(speed: Speed) -> tuple[str, ...]:
    """The name of a column without the words that change nothing."""
    idle = words_of("mean") | words_of("training") | words_of("neutral") | words_of("each")
    return tuple(word for word in split(speed.column.name) if word not in idle)


def _other_run(main: Speed, asked: Sequence[Speed]) -> Speed | None:
    """A speed of other lines of training before or behind these, none of whose readings is about this number."""
    table = main.table
    for speed in asked:
        other = speed.table
        apart = other.order[0] > table.order[-1] or other.order[-1] < table.order[0]
        if not apart or not other.key.evidence or len(other.rows) * MINOR < len(table.rows):
            continue
        same = [s for s in asked if s.table is other and s.unit == main.unit]
        if same and all(_are_apart(s.rate, main.rate) for s in same):
            return same[0]
    return None


def _refined(speed: Speed) -> tuple[Speed, ...]:
    """What a rate may count where the log does not say it."""
    if speed.unit is not None:
        return ()
    amounts = [c.meaning.counts for c in speed.table.of("amount", "consumed") if c.meaning.counts]
    names = ["words", "tokens"] if split(speed.column.name)[-1:] == ("wps",) else ["samples", "tokens", "images"]

    units = list(dict.fromkeys([*amounts, *names]))[:MOST_CANDIDATES]
    return tuple(replace(speed, unit=unit, option=replace(speed.option, counts=unit)) for unit in units)


def _distinct(speeds: Iterable[Speed]) -> tuple[Speed, ...]:
    """The first candidates of a question that are different numbers, with options that differ."""
    kept: list[Speed] = []
    for s in speeds:
        if all(s.unit != k.unit or _are_apart(s.rate, k.rate) for k in kept):
            kept.append(s)
    kept = kept[:MOST_CANDIDATES]
    return tuple(_told_apart(s, [o for o in kept if o is not s and o.read == s.read]) for s in kept)


def _told_apart(speed: Speed, rivals: Sequence[Speed]) -> Speed:
    """A candidate among those of one name: by a text that only its lines have, or else by its lines."""
    if not rivals:
        return speed
    rows = [row.text for row in speed.table.rows[:SAMPLE]]
    others = [row.text for rival in rivals for row in rival.table.rows[:SAMPLE]]
    words = [c.name for c in speed.table.columns if len(c.name) > 2] + re.findall(r"[A-Za-z_]{3,}", rows[0])
    telling = (w for w in words if '"' not in w and all(w in r for r in rows) and not any(w in r for r in others))
    text = next(telling, None)
    part = None if text else (speed.lines[0], speed.lines[-1])
    return replace(speed, option=replace(speed.option, lines=text, part=part))


# ---- what a person says


def _told(log: Log, option: Option) -> Answer:
    """The speed by an option that a person gave; what the clock says against it is told beside it."""
    found = []
    for table in log.tables:
        first, last = option.part or (0, log.lines)
        rows = table.rows
        kept: Mask = np.array(
            [(option.lines is None or option.lines in row.text) and first <= row.line <= last for row in rows]
        )
        if kept.any():
            found += _known(*targets(table if kept.all() else table.part(kept), option))
    if not found:
        return Nothing(((option.target, Reason.NO_SUCH_TARGET),))
    return Accepted(min(found, key=lambda s: (s.table.is_evaluation, not s.table.evidence, -len(s.lines))))


@np.errstate(all="ignore")
def targets(table: Table, option: Option) -> list[Speed]:
    """What an option means in the lines of one table."""
    if option.target == CLOCK or option.target.split()[0] == BAR:
        return [s for s in [_by_its_clock(table, option)] if s]
    speeds = []
    for column in table.columns:
        if split(option.target) not in (split(target_of(column)), split(column.name)):
            continue
        meant = column
        if option.per == STEPS and option.count and not np.isfinite(column.counts).any():
            meant = replace(column)  # which keeps nothing of what was computed of the other
            meant.__dict__["counts"] = np.full(len(column.values), float(option.count))
        speeds.append(replace(judge(meant, option), option=option))
    return speeds


def _by_its_clock(table: Table, option: Option) -> Speed | None:
    """The speed of a bar, as it is shown unless its clock says something else, or of lines by their clock."""
    clock = clock_speed(table)
    if option.target == CLOCK:
        is_meant = not table.bar and clock is not None and clock.unit == option.counts
        return replace(clock, option=option) if clock and is_meant else None
    name = option.target[len(BAR) :].strip()
    if not table.bar or name not in ("", " ".join(table.key.head), str(int(table.key.total))):
        return None
    unit = option.counts or "steps"
    column = next((c for c in table.columns if c.meaning.role in ("rate", "time")), None)
    if column is not None:
        m, rate = column.meaning, replace(option, kind="rate", per=None, counts="steps")
        shows = rate if m.role == "rate" else replace(rate, kind="time", per=STEP, counts=None)
        shown = judge(column, replace(shows, factor=m.factor or 1.0))
        if clock is None or not shown.against:
            return replace(shown, unit=unit)
    return replace(clock, unit=unit, option=option) if clock else None
