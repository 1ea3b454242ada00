"""From a log to an answer: which columns are of training, what they measure, and which of them is the speed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

import numpy as np

from ..series import spread
from .constants import (
    APART,
    FEW,
    MINOR,
    MOST_CANDIDATES,
    MOST_ROUNDING,
    MOST_UNACCOUNTED,
    SAMPLE,
    TYPICAL_STEP,
)
from .judge import (
    LEFT,
    STEP,
    STEPS,
    Finding,
    Hypothesis,
    advance,
    best,
    hypotheses,
    judge,
    passes,
)
from .log import Column, Log, Table
from .log import read as read_log
from .naming import split, words_of
from .option import BAR, CLOCK, Option, parse_option
from .speed import Speed, by_pass, clock_speed, speed_of, target_of
from .text import BAR_CLOCK
from .training import Reason, is_training, may_be_training, shows_loss, why_not


class Ask(Enum):
    """What a question is about."""

    SPAN = "span_or_unit"  # what takes this time, in which unit
    TRAINING = "which_lines"  # which of several lines or bars are of training
    COUNTS = "counts"  # what a rate counts
    CONFIRM = "confirm"  # whether this is the speed of training at all


@dataclass(frozen=True)
class Accepted:
    """``refine``: options that tell what the log does not, such as what the rate counts."""

    speed: Speed
    also: tuple[Speed, ...] = ()
    refine: tuple[Speed, ...] = ()


@dataclass(frozen=True)
class Question:
    ask: Ask
    candidates: tuple[Speed, ...]


@dataclass(frozen=True)
class Contradicted:
    """What the log prints, and what its own clock says of the same lines; an option takes either."""

    printed: Speed
    counted: Speed
    finding: Finding


@dataclass(frozen=True)
class Nothing:
    reasons: tuple[tuple[str, Reason], ...] = ()


Answer = Accepted | Question | Contradicted | Nothing


def answer(
    path: Path | str, read: str | None = None, batch_size: int | None = None, cards: int | None = None
) -> Answer:
    """The speed of training that a log tells; ``read``: the option that answers a question."""
    log = read_log(Path(path))
    answer = _told(log, parse_option(read)) if read else _choose(log, _find(log))
    return _in_samples(answer, batch_size, cards) if batch_size else answer


@dataclass
class Found:
    """What the columns of a log turn out to be. ``asked``: with more than one reading; ``refuted``: with none that a clock
    allows; ``weak``: nothing shows that they are of training."""

    accepted: list[Speed] = field(default_factory=list)
    asked: list[Speed] = field(default_factory=list)
    weak: list[Speed] = field(default_factory=list)
    refuted: list[Speed] = field(default_factory=list)
    contradicted: list[tuple[Speed, Finding]] = field(default_factory=list)
    reasons: list[tuple[str, Reason]] = field(default_factory=list)


def _find(log: Log) -> Found:
    found = Found()
    for table in log.tables:
        for column in table.columns:
            if column.meaning.role == "remaining" and shows_loss(table) and not table.is_evaluation:
                found.weak += filter(
                    None, [_read(column, Hypothesis("time", LEFT, factor=column.meaning.factor or 1.0))]
                )
            if column.meaning.role not in ("rate", "time", "elapsed") or column.meaning.name == BAR_CLOCK:
                continue
            if (reason := why_not(column, log)) is None:
                _sort(column, found)
                continue
            found.reasons.append((column.name, reason))
            if reason is Reason.NO_TRAINING and may_be_training(column):
                found.weak += [s for h in hypotheses(column) if not h.is_mean and (s := _read(column, h))]
    return found


def _read(column: Column, h: Hypothesis) -> Speed | None:
    speed = speed_of(judge(column, h), target_of(column))
    speed = by_pass(speed) if column.table.bar else speed
    return speed if np.isfinite(speed.rate) and speed.rate > 0 else None


def _sort(column: Column, found: Found) -> None:
    """Judge all that a column may measure, and put what comes of it where it belongs."""
    if column.table.bar and column.meaning.role == "rate" and column.meaning.counts not in ("steps", "epochs", None):
        return
    verdicts = [judge(column, h) for h in hypotheses(column)]
    standing, possible = best(verdicts)
    speeds = [s for v in (standing or possible) if np.isfinite((s := speed_of(v, target_of(column))).rate)]
    refused = next((v for v in verdicts if v.hypothesis.told and v.against), None)
    if standing and speeds:
        found.accepted.append(by_pass(speeds[0]) if column.table.bar else speeds[0])
    elif column.table.bar and any(v.against for v in verdicts):
        found.accepted += filter(None, [clock_speed(column.table)])  # what a bar shows is smoothed: its clock counts
    elif refused is not None:
        found.contradicted.append((speed_of(refused, target_of(column)), refused.against[0]))
    elif possible:
        found.asked += speeds
    elif verdicts:
        nearest = speed_of(min(verdicts, key=lambda v: v.distance), target_of(column))
        found.refuted += [nearest] if np.isfinite(nearest.rate) else []


# ---- the decision


def _order(speed: Speed) -> tuple:
    """Which of several speeds is told: lines before bars, those with a loss, steps before epochs, one meaning, most lines."""
    m, table, told = speed.verdict.column.meaning, _table(speed), speed.option.hypothesis.told
    level = {"elapsed": 1, "remaining": 2}.get(speed.role, 0) + (2 if speed.unit == "epochs" else 0)
    counted = table.step is not None and table.step not in table.guests
    known = 0 if speed.role == "throughput" and speed.unit else 1 if speed.unit else 2
    return (
        speed.unit == "epochs",
        table.bar,
        not shows_loss(table) and not table.trains,
        level,
        not counted,
        not told and not speed.verdict.agree,
        known,
        "qualified" in m.flags,
        not speed.verdict.agree,
        "mean" in m.flags,
        -len(table.rows),
        {"throughput": 0, "step_time": 1}.get(speed.role, 2),
    )


def _table(speed: Speed) -> Table:
    return speed.verdict.column.table


def _choose(log: Log, found: Found) -> Answer:
    asked = [*found.asked, *(s for s in found.accepted if not _is_sure(s, log))]
    accepted = sorted((s for s in found.accepted if _is_sure(s, log)), key=_order)
    clocked = sorted(
        (
            s
            for t in log.tables
            if (shows_loss(t) or t.bar) and not t.is_evaluation and is_training(t, log) and (s := clock_speed(t))
        ),
        key=_order,
    )
    if answer := _contradiction(accepted, found.contradicted):
        return answer
    if accepted:
        return _accept(accepted, found)
    if asked:
        candidates = sorted([*asked, *clocked, *found.refuted], key=_likely)
        shown = [s for s in candidates if shows_loss(_table(s))]
        return Question(Ask.SPAN, _distinct(shown or candidates))
    if clocked:
        return _accept_clock(clocked, found)
    if found.weak:
        return Question(
            Ask.CONFIRM, _distinct([r for s in sorted(found.weak, key=_order) for r in (_refined(s) or (s,))])
        )
    return Nothing(tuple(found.reasons))


def _contradiction(accepted: Sequence[Speed], contradicted: Sequence[tuple[Speed, Finding]]) -> Contradicted | None:
    """What the log prints against its clock: of a number that would be told, or of the time of a step beside that."""
    if not contradicted:
        return None
    printed, finding = min(contradicted, key=lambda pair: _order(pair[0]))
    better = not accepted or _order(printed)[:4] < _order(accepted[0])[:4]
    if better and (clock := clock_speed(_table(printed))):
        return Contradicted(printed, clock, finding)
    main = accepted[0] if accepted else None
    for printed, finding in contradicted:
        beside = (
            main is not None
            and _table(printed) is _table(main)
            and printed.role == "step_time"
            and main.role == "throughput"
        )
        if main is not None and beside and (clock := clock_speed(_table(main))):
            return Contradicted(main, clock, finding)
    return None


def _accept(accepted: Sequence[Speed], found: Found) -> Answer:
    main = accepted[0]
    if rival := _rival(main, accepted) or _other_run(main, found.asked):
        return Question(Ask.TRAINING, _distinct([main, rival]))
    if parts := _two_runs(main):
        return Question(Ask.TRAINING, parts)
    also = [
        replace(s, values={k: x for k, x in s.values.items() if k in main.values or not main.values})
        for s in accepted[1:]
        if _table(s) is _table(main) and s.role != main.role
    ]
    return Accepted(main, tuple({s.role: s for s in reversed(also)}.values()), _refined(main))


def _accept_clock(clocked: Sequence[Speed], found: Found) -> Answer:
    """The clock alone, if nearly all lines go on by it and the log prints no time that it refutes."""
    main = clocked[0]
    done = advance(_table(main)) if main.unit != "epochs" else passes(_table(main))
    if np.isfinite(done).sum() < FEW or np.isfinite(done).mean() < 1 - 1 / MINOR:
        return Question(Ask.CONFIRM, _distinct(clocked))
    beside = sorted((s for s in found.refuted if _table(s) is _table(main)), key=_from_typical)[:1]
    return Question(Ask.SPAN, _distinct([*beside, main])) if len(_distinct([*beside, main])) > 1 else Accepted(main)


def _is_sure(speed: Speed, log: Log) -> bool:
    """Whether a number may be told: a single line only where it is of training by its own words, several lines only if
    they say about the same or count on."""
    table, values = _table(speed), np.array(list(speed.values.values()))
    counts = np.isfinite(advance(table)).any() or np.isfinite(passes(table)).any()
    if (
        len(values) > 1
        and speed.role != "elapsed"
        and not speed.verdict.agree
        and not counts
        and spread(values) / np.sqrt(len(values)) > MOST_ROUNDING
    ):
        return False
    return len(table.rows) > 1 or (is_training(table, log, speed.verdict.column) and speed.unit is not None)


def _likely(speed: Speed) -> tuple:
    """The order of candidates: lines with a loss, what is printed before the clock, typical steps first."""
    return not shows_loss(_table(speed)), speed.option.target == CLOCK, _from_typical(speed)


def _from_typical(speed: Speed) -> float:
    """How far the time of a step is from a typical one."""
    return abs(np.log(speed.rate * TYPICAL_STEP)) if speed.unit == "steps" else 0.0


def _rival(main: Speed, accepted: Sequence[Speed]) -> Speed | None:
    """Another speed of the same meaning, of other lines that do not repeat these, which is another number to a reader."""
    for speed in accepted[1:]:
        if _table(speed) is _table(main) or (speed.unit, speed.scope, speed.role) != (main.unit, main.scope, main.role):
            continue
        one, other = _table(main), _table(speed)
        level = (one.step in one.columns) == (other.step in other.columns)
        if not (level or _core(main) == _core(speed)) or (one.bar and shows_loss(one) and not shows_loss(other)):
            continue
        ratio = speed.rate / main.rate
        many = len(speed.lines) >= len(main.lines) / MINOR
        far = _core(main) == _core(speed) and not MOST_UNACCOUNTED < ratio < 1 / MOST_UNACCOUNTED
        if (many or far) and not set(speed.lines) & set(main.lines) and not 1 / APART < ratio < APART:
            return speed
    return None


def _two_runs(speed: Speed) -> tuple[Speed, ...]:
    """The speeds before and behind the line where a log goes over to another, as where a job was started again elsewhere."""
    lines, x = [line for line, _ in speed.values], np.log(np.array(list(speed.values.values())))
    least = max(FEW, len(x) // MINOR)
    if len(x) < 2 * least or speed.option.hypothesis.is_mean or speed.role == "elapsed" or _table(speed).bar:
        return ()
    places = np.arange(least, len(x) - least + 1)
    sums, squares = np.concatenate(([0], np.cumsum(x))), np.concatenate(([0], np.cumsum(x**2)))
    error = squares[-1] - sums[places] ** 2 / places - (sums[-1] - sums[places]) ** 2 / (len(x) - places)
    split = int(places[np.argmin(error)])
    one, other = x[:split], x[split:]
    apart = abs(float(np.median(one) - np.median(other)))
    if (
        apart < np.log(APART)
        or spread(np.exp(one)) + spread(np.exp(other)) > apart
        or not _begins_anew(speed, lines, split)
    ):
        return ()
    middle = float(np.median(np.exp(x)))
    factors = [middle / float(np.median(np.exp(part))) for part in (one, other)]
    factors = [1 / f for f in factors] if speed.role in ("throughput", "step_rate") else factors
    parts = ((lines[0], lines[split - 1]), (lines[split], lines[-1]))
    return tuple(
        replace(speed, rate=speed.rate * f, option=replace(speed.option, part=p))
        for f, p in zip(factors, parts, strict=True)
    )


def _begins_anew(speed: Speed, lines: list[int], split: int) -> bool:
    """Whether steps fall at a line, or more other lines are printed before it than before any other."""
    table, gaps = _table(speed), np.diff(lines)
    if table.step is not None:
        steps = {row.line: step for row, step in zip(table.rows, table.step.values, strict=True)}
        if steps[lines[split]] < steps[lines[split - 1]] and table.epoch is None:
            return True
    return bool(gaps[split - 1] == gaps.max() > np.median(gaps))


def _core(speed: Speed) -> tuple[str, ...]:
    """The name of a column without the words that change nothing."""
    idle = words_of("mean") | words_of("training") | words_of("neutral") | words_of("each")
    return tuple(word for word in split(speed.column) if word not in idle)


def _other_run(main: Speed, asked: Sequence[Speed]) -> Speed | None:
    """A speed of other lines of training before or behind these, none of whose readings is about this number."""
    table = _table(main)
    for speed in asked:
        other = _table(speed)
        apart = other.order[0] > table.order[-1] or other.order[-1] < table.order[0]
        if not apart or other is table or not shows_loss(other) or len(other.rows) * MINOR < len(table.rows):
            continue
        same = [s for s in asked if _table(s) is other and s.unit == main.unit]
        if same and not any(1 / APART < s.rate / main.rate < APART for s in same):
            return same[0]
    return None


def _refined(speed: Speed) -> tuple[Speed, ...]:
    """What a rate may count where the log does not say it."""
    if speed.unit is not None:
        return ()
    amounts = [c.meaning.counts for c in _table(speed).of("amount", "consumed") if c.meaning.counts]
    names = ["words", "tokens"] if split(speed.column)[-1:] == ("wps",) else ["samples", "tokens", "images"]
    units = list(dict.fromkeys([*amounts, *names]))[:MOST_CANDIDATES]

    def of(unit: str) -> Speed:
        h = replace(speed.option.hypothesis, counts=unit)
        return replace(speed, unit=unit, option=replace(speed.option, hypothesis=h))

    return tuple(map(of, units))


def _distinct(speeds: Sequence[Speed]) -> tuple[Speed, ...]:
    """The first candidates of a question that are different numbers."""
    kept: list[Speed] = []
    for s in speeds:
        if all(s.unit != k.unit or not 1 / APART < s.rate / k.rate < APART for k in kept):
            kept.append(s)
    return _told_apart(kept[:MOST_CANDIDATES])


def _told_apart(speeds: list[Speed]) -> tuple[Speed, ...]:
    """Candidates whose options differ: those of one name with a text that only their lines have, or with their lines."""
    found = list(speeds)
    for place, s in enumerate(speeds):
        rivals = [o for o in speeds if o is not s and o.read == s.read]
        if not rivals:
            continue
        rows = [row.text for row in _table(s).rows[:SAMPLE]]
        others = [row.text for o in rivals for row in _table(o).rows[:SAMPLE]]
        words = [c.name for c in _table(s).columns if len(c.name) > 2] + re.findall(r"[A-Za-z_]{3,}", rows[0])
        text = next((w for w in words if all(w in r for r in rows) and not any(w in r for r in others)), None)
        option = replace(s.option, lines=text) if text else replace(s.option, part=(s.lines[0], s.lines[-1]))
        found[place] = replace(s, option=option)
    return tuple(found)


# ---- what a person says


def _told(log: Log, option: Option) -> Answer:
    """The speed by an option that a person gave; what the clock says against it is told beside it."""
    found = []
    for table in log.tables:
        first, last = option.part or (0, log.lines)
        kept = np.array(
            [(option.lines is None or option.lines in row.text) and first <= row.line <= last for row in table.rows]
        )
        if kept.any():
            speeds = _targets(table if kept.all() else table.part(kept), option)
            found += [s for s in speeds if np.isfinite(s.rate) and s.rate > 0]
    if not found:
        return Nothing(((option.target, Reason.NO_SUCH_TARGET),))
    found.sort(key=lambda s: (_table(s).is_evaluation, not _table(s).evidence, -len(s.lines)))
    return Accepted(found[0])


def _targets(table: Table, option: Option) -> list[Speed]:
    """What an option means in the lines of one table."""
    if option.target == CLOCK or option.target.split()[0] == BAR:
        return _by_its_clock(table, option)
    speeds = []
    for column in table.columns:
        if split(option.target) not in (split(target_of(column)), split(column.name)):
            continue
        if option.hypothesis.per == STEPS and option.count and not np.isfinite(column.counts).any():
            column.__dict__["counts"] = np.full(len(column.values), float(option.count))
        speeds.append(replace(speed_of(judge(column, option.hypothesis), option.target), option=option))
    return speeds


def _by_its_clock(table: Table, option: Option) -> list[Speed]:
    """The speed of a bar, as it is shown unless its clock says something else, or of lines by their clock."""
    name = option.target[len(BAR) :].strip() if option.target != CLOCK else ""
    if table.bar != (option.target != CLOCK) or (
        table.bar and name not in ("", " ".join(table.key.head), str(int(table.key.total)))
    ):
        return []
    told, clock = (
        {"unit": option.hypothesis.counts, "option": option, "scope": option.hypothesis.scope},
        clock_speed(table),
    )
    column = next((c for c in table.columns if c.meaning.role in ("rate", "time")), None)
    if not table.bar or column is None:
        return [replace(clock, **told)] if clock and (table.bar or clock.unit == told["unit"]) else []
    m = column.meaning
    own = Hypothesis("rate", counts="steps") if m.role == "rate" else Hypothesis("time", STEP, factor=m.factor or 1.0)
    speed = by_pass(speed_of(judge(column, own), option.target))
    refuted = clock is not None and any(f.says is False for f in speed.findings)
    return [replace(clock if clock is not None and refuted else speed, **told)]


def _in_samples(answer: Answer, batch_size: int, cards: int | None) -> Answer:
    """Steps as samples of the whole job: ``batch_size`` is that of one card."""
    if not isinstance(answer, Accepted) or answer.speed.unit != "steps":
        return answer
    rate = answer.speed.rate * batch_size * (cards or 1)
    return replace(answer, speed=replace(answer.speed, rate=rate, unit="samples", scope="job" if cards else "card"))
