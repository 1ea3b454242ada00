"""The rule: how the number of a log is chosen where no protocol is stated.

The number is the work done over the time taken in the steady part of the longest run, read from the first source that
there is; every other source is asked for the same quantity over the same interval. ``docs/protocols.md`` states the
rule in one paragraph, and ``show --explain`` prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from parsers.grammar.field import Field
from parsers.io.message import Message, joined
from parsers.series import FEW, NOISE, OVERHEAD, Floats, Lines, Mask, Series, Verdict, tolerance

from .checks import Check, Estimate, checks_of, estimate_of
from .diagnostics import Code, Diagnostic, NoMeasurement, say
from .measurement import ContradictedError, Measurement, RunOfLog, Status, Use, UseOfRecords, use_of
from .protocol import Protocol
from .ranks import RankSpread, RankTable, side_by_side, speeds_apart
from .records import Run
from .sources import CLOCKS, says_speed, series_of
from .work import Work, work_of

KINDS = ("step", "epoch", "summary")
# Rates before times before durations before clocks: what is nearer to the number asked for comes first.
ORDER = {"throughput": 0, "step_time": 1, "step_rate": 1, "work_time": 1, "duration": 2, "time": 3, "elapsed": 3}
UNITS = ("samples", "steps", "epochs")
COUNTS = ("cards", "nodes", "cards_per_node", "accumulation")  # what one of two sides may leave out
FACT, LISTED = "{name} = {value} ({source})", "{first}, {second}"


@dataclass(frozen=True, eq=False)
class Source:
    """A series that may give the number: whose it is, and the work of its steps."""

    run: Run
    series: Series
    work: Work


def measure_log(runs: Sequence[Sequence[Run]]) -> Measurement:
    """The number of a log: of several runs that of the longest, of equally long ones of the last.

    ``runs``: each as all formats of the log read it. Raises ``ContradictedError`` where another source, or another run
    of as many steps, says something else, and ``NoMeasurement`` where none gives a number.
    """
    each = [_run_of_log(parts) for parts in runs]
    found = [run.measurement for run in each if run.measurement]
    if not found:
        raise NoMeasurement(next((run.reason for run in each if run.reason), say(Code.NO_RECORDS)))
    best = max(found, key=lambda one: (one.estimate.counted not in UNITS[1:], _length(one), one.run))
    if len(runs) > 1:
        said = (*best.diagnostics, say(Code.SEVERAL_RUNS, count=len(runs), run=best.run))
        best = replace(_among(best, found), diagnostics=said, runs=tuple(each))
    if best.status == "contradicted" and best.by:
        raise ContradictedError(best)
    return best


def _length(found: Measurement) -> float:
    """How many steps, or records, a number was made of."""
    return float(found.series.work.sum()) if found.series.counted == "steps" else float(len(found.series))


def _run_of_log(parts: Sequence[Run]) -> RunOfLog:
    lines = np.concatenate([part.table["line"] for part in parts])
    ends = (int(lines.min()), int(lines.max())) if len(lines) else (1, 1)
    try:
        return RunOfLog(parts[0].number, ends, measure_run(parts))
    except NoMeasurement as error:
        return RunOfLog(parts[0].number, ends, reason=error.diagnostic)


def _among(best: Measurement, found: Sequence[Measurement]) -> Measurement:
    """The other runs of a log are second opinions, too; they can contradict, but confirm nothing.

    A run of few records says little; but nothing tells which of the runs that print a total alone is the longest.
    """
    mine, checks = best.estimate, list[Check]()
    for one in found:
        other, are_totals = one.estimate, best.series.whole and one.series.whole
        if one is best or (other.counted, other.scope) != (mine.counted, mine.scope):
            continue
        if _length(one) < FEW and not are_totals:
            continue
        ratio, error = other.value / mine.value, other.error + mine.error
        says: Verdict = "silent" if abs(log(ratio)) <= tolerance(error) else "differs"
        told = replace(other, run=one.run), ratio, OVERHEAD + error, says
        checks.append(Check(*told, is_independent=True, series=one.series))
    status, by = judged((*best.checks, *checks))
    return replace(best, status=status, by=by, checks=(*best.checks, *checks))


def measure_run(parts: Sequence[Run]) -> Measurement:
    """The number of one run, read by the formats of its log, and what all its other sources say of it.

    Raises ``NoMeasurement`` where there is no source.
    """
    known = sources(parts)
    usable = [one for one in known if says_speed(one.run, one.series) and not one.series.is_coarse]
    if not usable:
        raise NoMeasurement(_why_none(parts, known))
    claim = usable[0]
    run, series = claim.run, claim.series
    skipped = series.warm_up()
    start = int(series.lines[skipped - 1]) if skipped else 0 if series.whole else int(series.begins[0])
    windowed = series.behind(start)
    paused = windowed.pauses()
    free = windowed.where(~paused)
    work = _work(run, free)
    others = [one.series for one in known if one is not claim and says_speed(one.run, one.series)]
    checks = tuple(checks_of(series, others, start, work))
    table = _rank_table(run, series)
    ranks = _spread(run, series, free, table)
    is_of_one = speeds_apart(table, run.records(series.kind)) > 0
    estimate, said = _scaled(run, free, work, checks, ranks, is_of_one=is_of_one)
    is_summed = ranks is not None and estimate.scope == "job" and ranks.is_summed
    ranks = replace(ranks, is_summed=is_summed) if ranks else None
    told = [
        *_of_records(run, series, free, work),
        *_of_window(run, series, skipped, windowed, paused, f"{estimate.unit}/s", estimate.value / free.rate),
        *_of_source(run, series, free, checks),
    ]
    use = _use(run, series, skipped, windowed.rows[paused], free)
    found = Measurement("unchecked", estimate, Protocol(), free, use, checks, ranks=ranks, run=run.number, every=series)
    return checked(run, replace(found, seconds_per_step=seconds_per_step(free, work, others)), told, said)


def checked(
    run: Run, found: Measurement, told: Iterable[Diagnostic], of_scope: Iterable[Diagnostic] = ()
) -> Measurement:
    """A number with the status that its checks give it, and all that is said of it: ``told``, what they say, whose it
    is, and how far ranks are apart.
    """
    status, by = judged(found.checks)
    checks = tuple(one if one is by else replace(one, series=None) for one in found.checks)  # long logs have large ones
    of_ranks = found.ranks.diagnostics if found.ranks else ()
    diagnostics = (*told, *said_by(run, checks, status, by), *of_scope, *of_ranks)
    return replace(found, status=status, by=by, checks=checks, diagnostics=diagnostics)


def sources(parts: Sequence[Run]) -> list[Source]:
    """All sources of a run, as each format of its log reads it, in the order in which they are believed."""
    known: list[Source] = parts[0].sources
    if not known:
        each = [(run, one) for run in parts for kind in KINDS for one in series_of(run, kind) if len(one)]
        found = [Source(run, one, _work(run, one)) for run, one in each]
        known += sorted(found, key=lambda one: _place(one, found))
    return known


def _place(source: Source, found: Sequence[Source]) -> tuple[int, ...]:
    """Samples or tokens before steps before epochs; then rates and times before clocks and totals of the run.

    Of these what is known to be of the job or of a part of it, then what is exact to 2%, then rates before times, and
    what is of steps before what is of epochs.
    """
    one, work = source.series, source.work
    unit = UNITS.index(one.counted) if one.counted in UNITS else 0
    if unit and (work.convert(1.0, one.counted, "samples") or work.convert(1.0, one.counted, "tokens")):
        unit = 0
    order = ORDER.get(one.derived or one.source, len(ORDER))
    late = one.expected or (one.derived or one.source).startswith("mean_")
    clock = int((one.source in CLOCKS and not one.derived) or one.whole)
    if one.counted == "steps" and not unit and work.at_least:
        clock = 2
    elif clock and any(_is_finer(one, other.series) for other in found if other.run is source.run):
        clock = 0
    is_unknown = one.scope == "unknown" and work.cards != 1
    return int(late), unit, clock, int(is_unknown), int(one.error > NOISE), order, KINDS.index(one.kind)


def _is_finer(clock: Series, printed: Series) -> bool:
    """Whether a clock tells the time of its records, and what they print leaves more than 2% open by its digits."""
    if clock.whole or clock.holds_more or clock.kind != printed.kind:
        return False
    return printed.timer == "program" and not printed.whole and printed.rounding > NOISE


def _work(run: Run, series: Series) -> Work:
    steps = series.work if series.counted == "steps" else np.ones(len(series))
    return work_of(run, run.records(series.kind), series.rows, steps)


def _why_none(parts: Sequence[Run], known: Sequence[Source]) -> Diagnostic:
    speaking = [one.series for one in known if says_speed(one.run, one.series)]
    if speaking:
        return say(Code.COARSE, column=speaking[0].source)
    if known:
        return say(Code.FIRST_STEP, line=int(known[0].series.lines[0]))
    return say(Code.NO_SPEED if any(len(run.table) for run in parts) else Code.NO_RECORDS)


def judged(checks: Sequence[Check]) -> tuple[Status, Check | None]:
    """Contradicted by any source that differs, the farthest first; else confirmed by the best that agrees.

    Where a clock and the work of a step confirm a number, another one that the program prints is what is wrong. A clock
    that agrees with the time of a step says nothing of what a step holds, which leaves the number unchecked; so does a
    clock that disagrees unless a step holds several batches, or one of its few intervals a pause.
    """
    agreeing = [one for one in checks if one.says == "agrees"]
    is_proved = any(one.is_independent and one.counts_work for one in agreeing)
    differing = [one for one in checks if one.says == "differs" and (one.is_independent or not is_proved)]
    if differing:
        return "contradicted", max(differing, key=lambda one: (one.is_independent, abs(log(one.ratio))))
    best = min(agreeing, key=lambda one: one.order, default=None)
    open_ = (one for one in checks if one.is_independent and (one.needs_passes or one.may_pause))
    is_doubted = not is_proved and any(open_)
    return ("confirmed" if best and best.counts_work and not is_doubted else "unchecked"), best


def _scaled(
    run: Run, free: Series, work: Work, checks: Sequence[Check], ranks: RankSpread | None, *, is_of_one: bool
) -> tuple[Estimate, list[Diagnostic]]:
    """The estimate in samples or tokens of the whole job, as far as the log says what makes it that.

    ``is_of_one``: ranks print different speeds.
    """
    estimate = estimate_of(free)
    if free.counted in UNITS[1:]:
        units = ("tokens", "samples") if run.count("job_batch_tokens") else ("samples",)
        for unit in units:
            if (amount := work.convert(free.rate, free.counted, unit)) is not None:
                return replace(estimate, value=amount, counted=unit, unit=unit, scope="job"), []
        return estimate, [say(Code.NO_BATCH, missing=work.missing or "batch_size")]
    scope, said = free.scope, []
    if scope == "job" and is_of_one and not any(one.says == "agrees" and one.counts_work for one in checks):
        return replace(estimate, scope="unknown"), [say(Code.SCOPE_UNSTATED)]
    if scope == "unknown":
        agreed = [one for one in checks if one.says == "agrees" and one.scope]
        if work.cards == 1:
            scope = "job"
        elif len({one.scope for one in agreed}) == 1:
            scope = agreed[0].scope or scope
            said = [say(Code.SCOPE_BY, scope=scope, source=agreed[0].estimate.name)]
    if ranks is not None and ranks.is_summed and scope in ("card", "unknown"):
        told = say(Code.RANKS_SUMMED, count=len(ranks.numbers))
        return replace(estimate, value=float(sum(ranks.values)), scope="job"), [told]
    if (factor := work.factor(scope)) is None:
        is_unstated = scope == "unknown" and work.cards is not None  # their number would not tell it
        told = say(Code.SCOPE_UNSTATED) if is_unstated else say(Code.SCOPE_UNKNOWN, scope=scope)
        return replace(estimate, scope=scope), [*said, told]
    return replace(estimate, value=estimate.value * factor, scope="job"), said


def _rank_table(run: Run, claim: Series) -> RankTable | None:
    """What each rank tells by the source of the number, as the seconds of a unit of work; None unless several do."""
    if len(run.ranks) < 2 or claim.kind not in KINDS[:2]:
        return None
    every = run.all_records(claim.kind)
    values = np.full(len(every), np.nan)
    for rank in run.ranks:
        for own in series_of(run, claim.kind, rank):
            if (own.source, own.counted) == (claim.source, claim.counted):
                values[np.isin(every.lines, own.lines)] = own.each
    return side_by_side(every, values)


def _spread(run: Run, claim: Series, free: Series, table: RankTable | None) -> RankSpread | None:
    """The number of each rank over the window; summed where each of the cards has a rank that prints its own rate."""
    if table is None:
        return None
    are_times = claim.counted == "steps" and claim.source != "step_rate"

    def number(each: Floats) -> float:
        known = ~np.isnan(each)
        seconds = float((free.work * each)[known].sum() / free.work[known].sum())
        return seconds if are_times else 1 / seconds

    unit = "seconds" if are_times else f"{claim.unit}/s"
    found = table.spread(np.isin(claim.rows, free.rows), number, unit, run)
    is_summed = not are_times and table.are_all(run.count("cards"))
    return replace(found, are_times=are_times, is_summed=is_summed) if found else None


def _of_window(
    run: Run, claim: Series, skipped: int, windowed: Series, paused: Mask, unit: str, factor: float
) -> Iterator[Diagnostic]:
    """What was left out, and what the number would be with it."""
    if skipped:
        yield say(Code.WARM_UP, count=skipped, of=len(run.records(claim.kind)), value=claim.rate * factor, unit=unit)
    if paused.any():
        line = int(windowed.lines[paused][0])
        yield say(Code.PAUSES, count=int(paused.sum()), line=line, value=windowed.rate * factor, unit=unit)
    elif (stalls := windowed.stalls()).any():
        told = {"count": int(stalls.sum()), "line": int(windowed.lines[stalls][0])}
        yield say(Code.STALLS, **told, value=windowed.where(~stalls).rate * factor, unit=unit)


def _of_records(run: Run, claim: Series, free: Series, work: Work) -> Iterator[Diagnostic]:
    """What a reader must know of the records."""
    records = run.records(claim.kind)
    if len(free) < FEW and not free.whole:
        yield say(Code.FEW_RECORDS, count=len(free))
    for name in ("throughput", "step_time"):
        if records.prints(name) and not (records.numbers(name) > 0).any():
            yield say(Code.ZERO, column=name, line=int(records.lines[np.isfinite(records.numbers(name))][0]))
    if records.duplicates:
        yield say(Code.DUPLICATES, count=records.duplicates)
    if records.apart and not run.ranks:
        yield say(Code.RANKS_UNNAMED, line=records.apart)
    if work.missing == "accumulation" and free.counted != "steps":
        yield say(Code.NO_BATCH, missing="accumulation")  # the rate may be of one of the passes of a step
    if work.varies:
        yield say(Code.BATCH_VARIES, low=work.varies[0], high=work.varies[1])


def _of_source(run: Run, claim: Series, free: Series, checks: Sequence[Check]) -> Iterator[Diagnostic]:
    """What a reader must know of the source of the number."""
    if claim.derived or claim.undone:
        yield say(Code.UNDONE, column=claim.derived or claim.source)
    if claim.expected:
        yield say(Code.EXPECTED, column=claim.source)
    if claim.whole:
        yield say(Code.TOTAL_OF_RUN)
        totals = run.records(claim.kind).numbers(claim.source)
        totals = totals[totals > 0]
        if len(totals) and totals.max() > totals.min() * (1 + OVERHEAD):
            yield say(Code.SEVERAL_TOTALS, count=len(totals), low=float(totals.min()), high=float(totals.max()))
    yield from said_of_digits(free, checks)


def said_of_column(field: Field, statistic: str, count: int) -> Iterator[Diagnostic]:
    """What a reader must know of a column whose ``count`` values a statistic was taken of."""
    if field.kind == "running_mean" and count > 1:
        yield say(Code.RUNNING_MEANS, column=field.name, statistic=statistic)
    if field.is_expected:
        yield say(Code.EXPECTED, column=field.name)


def said_of_digits(series: Series, checks: Sequence[Check] = ()) -> Iterator[Diagnostic]:
    """What a reader must know of the printed values that made a number; ``checks``: what another timer may prove."""
    if series.is_coarse:
        yield say(Code.COARSE, column=series.source)
    values = series.values
    is_proved = any(one.is_independent and one.says == "agrees" for one in checks)
    if values is not None and len(values) >= FEW and (values == values[0]).all() and not is_proved:
        yield say(Code.CONSTANT, count=len(values))


def said_by(run: Run, checks: Sequence[Check], status: Status, by: Check | None) -> Iterator[Diagnostic]:
    """What other sources say that neither confirm the number nor contradict it, and what may explain a contradiction.

    One of two sides may leave out a count that the log states, such as that of the cards.
    """
    if status == "contradicted" and by is not None:
        times = max(by.ratio, 1 / by.ratio)
        counts = ((name, run.count(name) or 1) for name in COUNTS)
        near = [run.facts[name] for name, count in counts if count > 1 and abs(times / count - 1) <= OVERHEAD]
        each = [Message(FACT, name=Message(f.name), value=f.value, source=f.source.message) for f in near]
        if each:
            yield say(Code.NEAR_COUNT, ratio=by.ratio, facts=joined(LISTED, each))
    for check in checks:
        other = check.estimate
        if check.says == "differs" and status != "contradicted":
            yield say(Code.REFUTED, source=other.name, value=other.value, unit=f"{other.unit}/s")
        elif check.needs_passes and check.is_independent:
            passes = max(check.ratio, 1 / check.ratio)
            yield say(Code.NEEDS_PASSES, source=other.name, passes=passes)


def _use(run: Run, claim: Series, skipped: int, paused: Lines, free: Series) -> UseOfRecords:
    """Why each record of the kind, of all ranks and as often as it is printed, is used or not."""
    every = run.all_records(claim.kind)
    own = run.records(claim.kind)
    reasons = np.full(len(every), Use.REPEATED, np.int8)
    reasons[own.places] = Use.NO_VALUE
    if run.ranks and len(own):
        own_rank = np.nan_to_num(own.numbers("rank")[0], nan=-1)
        reasons[np.nan_to_num(every.numbers("rank"), nan=-1) != own_rank] = Use.OTHER_RANK
    for rows, reason in ((claim.rows[:skipped], Use.WARM_UP), (paused, Use.PAUSE), (free.rows, Use.USED)):
        reasons[own.places[rows]] = reason
    return use_of(every, reasons)


def seconds_per_step(free: Series, work: Work, others: Sequence[Series], of_job: float | None = None) -> float | None:
    """The time of a step over the same records: printed, or what the number itself makes, or by a clock exact to 2%.

    ``of_job``: the number, where it is not what the records did over their time.
    """
    if free.counted == "steps":
        return 1 / free.rate
    alike = [o for o in others if o.counted == "steps" and o.kind == free.kind and not (o.whole or o.is_coarse)]
    each = (one.where(np.isin(one.lines, free.lines)) for one in alike)
    known = [one for one in each if len(one)]
    if (printed := next((one for one in known if one.timer == "program"), None)) is not None:
        return 1 / printed.rate
    factor, of_step = work.factor(free.scope), work.of_step(free.counted)
    if of_step and (of_job or factor):
        return of_step / (of_job or free.rate * (factor or 1))
    exact = [one for one in known if one.error <= NOISE]
    return 1 / exact[0].rate if exact else None
