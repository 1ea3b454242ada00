"""Appended runs: where in a log another run begins, because its steps begin anew or fall back to a checkpoint.

The rule: a record stands at its epoch and its step, as far as it prints them. Another run begins where records fall
back and something proves it: a banner between, another number of steps, an epoch that falls with the step, or losses
that begin anew. Without a proof a fall counts where it is far or to the beginning, and seldom: passes of one length are
epochs that nobody numbers, and small falls again and again are those of ranks in turns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..grammar.variant import RUN_START
from ..scanning.record_table import RECORD, RecordTable
from .events import Event
from .facts import Fact, Statement, Stretches, Value, unstated
from .format_records import RUN, FormatRecords

BANNERS = (RUN_START, "restart")
# Several ranks that print the same steps in turns fall back all the time, and by little: a run goes on for a while.
RECORDS_OF_A_RUN = 3
FEWEST_EPOCHS = 3
# Of another run the first loss is about that of the first one; of an epoch it goes on where the one before ended.
NEAR, FALLEN = 0.25, 0.2
AT_AN_END = 0.2  # of a pass of a progress bar: how far its first and its last drawing may be from there
COUNTS = ("step", "epoch", "steps", "steps_per_epoch")
MANY = 1 << 18  # records that show by how much a number grows; all those of a large log would be in memory twice

Last = Literal["last"]
Lines = NDArray[np.int64]
Counts = NDArray[np.float64] | NDArray[np.int64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
NO_ROWS: Rows = np.zeros(0, np.intp)


def told_apart(parts: Sequence[FormatRecords], happened: Sequence[Event]) -> list[FormatRecords]:
    """The parts of a reading; where the log holds several runs, each table says in ``run``, from 1, whose a record is.

    The first part decides where a run begins.
    """
    starts = beginnings(parts[0].table, happened) if parts else []
    if not starts:
        return list(parts)
    return [replace(part, table=_numbered(part.table, starts)) for part in parts]


@dataclass(frozen=True)
class OfRun:
    """What lines state of one run of several, and the counts that are ``unstated``: those of another run.

    Each of these stands with a line of the run's own configuration, which does not state it.
    """

    stated: list[Fact]
    unstated: list[tuple[Fact, int]]


def of_each(parts: Sequence[FormatRecords], stated: Iterable[Fact], said: Sequence[Statement]) -> list[OfRun]:
    """What lines, a line each, state of each of several runs; nothing where the log holds one.

    ``said``: all lines that do. A fact that the whole log tells alike is that of all runs, but for a count that the
    configuration of another run does not state. One that lines tell differently is that of the run whose first record
    comes next; what is told amid the records of a run can only contradict that.
    """
    table, stated = parts[0].table, list(stated)
    if RUN not in table:
        return []
    values: dict[str, set[Value]] = {}
    for fact in stated:
        values.setdefault(fact.name, set()).add(fact.value)
    alike = [fact for fact in stated if len(values[fact.name]) == 1]
    others = [(_line(fact), fact) for fact in stated if len(values[fact.name]) > 1]
    runs = _stretches(table)
    return [
        OfRun([*_without(alike, unknown), *_told(others, *stretch)], unknown)
        for unknown, *stretch in zip(unstated(alike, said, runs), runs.before, runs.first, runs.last, strict=True)
    ]


def _stretches(table: RecordTable) -> Stretches:
    lines, turns = table["line"], _changes(table[RUN]) - 1
    lasts = lines[[*turns, -1]]
    return Stretches(np.array([0, *lasts[:-1]]), lines[[0, *(turns + 1)]], lasts)


def _without(facts: Sequence[Fact], unknown: Sequence[tuple[Fact, int]]) -> list[Fact]:
    names = {fact.name for fact, _ in unknown}
    return [fact for fact in facts if fact.name not in names]


def of_starts(stated: Sequence[Fact], records: RecordTable, happened: Iterable[Event]) -> list[Fact]:
    """Some facts but for those of a start without records: it failed before its first, and another may have followed.

    Such a start is a line that states facts itself; what is told up to the next one belongs to it.
    """
    told_at = {_line(fact) for fact in stated}
    starts = [event.line for event in happened if event.event == RUN_START and event.line in told_at]
    firsts = [0, *np.searchsorted(records["line"], starts).tolist(), len(records)]
    begun = {0, *(start for start, (first, end) in enumerate(pairwise(firsts)) if first < end)}
    return [fact for fact in stated if not len(records) or bisect_right(starts, _line(fact)) in begun]


def _line(fact: Fact) -> int:
    return int(str(fact.source.values[0]))


def _told(facts: Sequence[tuple[int, Fact]], before: int, first: int, last: int) -> list[Fact]:
    """Those of some facts, with their lines, told between two runs, and what contradicts them until line ``last``."""
    own = [fact for line, fact in facts if before < line <= first]
    known = {fact.name for fact in own}
    return [*own, *(fact for line, fact in facts if first < line <= last and fact.name in known)]


def as_one(part: FormatRecords) -> FormatRecords:
    """The part as if its log held one run, as whoever published a number of it may have read it."""
    return replace(part, table=part.table.columns(name for name in part.table if name not in (RUN, RECORD)))


def _numbered(records: RecordTable, starts: Sequence[int]) -> RecordTable:
    ends = np.searchsorted(records["line"], starts)
    lengths = np.diff(ends, prepend=0, append=len(records))
    return records.having(RUN, np.repeat(np.arange(1, len(lengths) + 1, dtype=np.int32), lengths))


def beginnings(records: RecordTable, happened: Sequence[Event]) -> list[int]:
    """The lines at which another run begins than the first: that of its banner, or of its first record."""
    banners = np.array([event.line for event in happened if event.event in BANNERS], np.int64)
    steps, epochs = _counted(records, "step", "step"), _counted(records, "epoch", "epoch")
    if len(steps):
        firsts = steps["line"][_again(steps, banners, records)]
    elif len(epochs):
        firsts = epochs["line"][_of_runs(_falls(epochs["epoch"]), epochs["epoch"])]
    else:
        firsts = _after_ends(records, banners)
    return [_begin(records["line"], first, banners) for first in firsts.tolist()]


def _after_ends(records: RecordTable, banners: Lines) -> Lines:
    """The lines of first records of runs that number nothing: of one that ended, a summary tells.

    Another run begins with a banner behind a summary, or where the part of the epochs that is done falls back with a
    summary or a banner between, or as far as the number of a step would have to.
    """
    lines, ends = records["line"], records["line"][records.are("summary")]
    rows = np.unique(np.searchsorted(lines, banners))
    rows = rows[(rows > 0) & (rows < len(lines))]
    firsts = lines[rows[np.isin(lines[rows - 1], ends)]]
    counted = _counted(records, "step", "epochs_done")
    if not len(counted):
        return firsts
    done, at = counted["epochs_done"], counted["line"]
    falls = _falls(done)
    is_clear = _is_far(falls, done) | (done[falls] <= done[0])
    told = [_between(at, falls, banners), _between(at, falls, ends) & is_clear]
    return np.union1d(firsts, at[np.union1d(falls[np.any(told, axis=0)], _of_runs(falls, done))])


def _between(lines: Lines, rows: Rows, others: Lines) -> Mask:
    """Which rows of some lines have one of the others between them and the line before."""
    is_between: Mask = np.searchsorted(others, lines[rows]) > np.searchsorted(others, lines[rows - 1])
    return is_between


def _counted(records: RecordTable, kind: str, number: str) -> RecordTable:
    """The records of a kind that print a number, of the lowest rank that does: that number, and those of epochs."""
    counts = records.columns(name for name in ("line", number, *COUNTS) if name in records)
    if number not in records:
        return counts.rows(slice(0))
    told = records.are(kind) & np.isfinite(records[number])
    if "rank" in records and told.any():
        ranks = np.nan_to_num(records["rank"], nan=np.inf)
        told &= ranks == ranks[told].min()
    return counts if told.all() else counts.rows(told)  # all need no copy: a large log is in memory once


def _falls(numbers: Counts) -> Rows:
    """The rows of numbers that are lower than the one before."""
    return np.flatnonzero(numbers[1:] < numbers[:-1]) + 1


def _again(counted: RecordTable, banners: Lines, records: RecordTable) -> Rows:
    """Where the steps of another run begin: not where they do so with each epoch, or of several ranks in turns.

    ``counted``: the ``records`` that print their step.
    """
    steps = counted["step"]
    if (steps[1:] > steps[:-1]).all():
        return NO_ROWS
    proven = [np.searchsorted(counted["line"], banners, side="right")]
    proven += [_changes(counted[length]) for length in ("steps", "steps_per_epoch") if length in counted]
    if "epoch" in counted:
        proven.append(np.intersect1d(_falls(counted["epoch"]), _falls(steps)))
    rows = np.unique(np.concatenate(proven))
    rows = rows[(rows > 0) & (rows < len(steps))]
    stays = rows[(steps[rows] <= steps[rows - 1]) & ~_is_later_epoch(counted, rows)]
    return np.union1d(stays, _of_runs(_falls_of_a_run(counted, records), steps))


def _changes(numbers: Counts) -> Rows:
    """The rows of numbers that are not the one before; one that is missing is none."""
    return np.flatnonzero((numbers[1:] < numbers[:-1]) | (numbers[1:] > numbers[:-1])) + 1


def _of_runs(falls: Rows, numbers: Counts) -> Rows:
    """The falls of some numbers that other runs make: not many of them, and far, or all to the beginning.

    Several ranks in turns fall by little again and again; where steps are skipped a number may stand or fall by one. Of
    numbers that never grow, such as those of bars that were drawn only at their ends, a fall tells of no run.
    """
    if not (numbers[1:] > numbers[:-1]).any():
        return NO_ROWS
    far = falls[_is_far(falls, numbers)]
    clear = np.union1d(far, falls[numbers[falls] <= numbers[0]])
    if len(clear) == len(_falls(numbers)) and not (numbers[1:] == numbers[:-1]).any():
        far = clear
    return far if len(numbers) >= RECORDS_OF_A_RUN * (len(far) + 1) else NO_ROWS


def _is_far(falls: Rows, numbers: Counts) -> Mask:
    """Which falls of some numbers are by as much as a run grows before it is one."""
    is_far: Mask = numbers[falls - 1] - numbers[falls] >= (RECORDS_OF_A_RUN - 1) * _usual_growth(numbers)
    return is_far


def _usual_growth(numbers: Counts) -> float:
    """How much more a number is than the one before as a rule, by the first of them; 0 where none grows."""
    growth = np.diff(numbers[:MANY])
    return float(np.median(growth[growth > 0])) if (growth > 0).any() else 0.0


def _is_later_epoch(counted: RecordTable, rows: Rows) -> Mask:
    """Which rows are of a later epoch than the one before (bool)."""
    if "epoch" not in counted:
        return np.zeros(len(rows), np.bool_)
    later: Mask = counted["epoch"][rows] > counted["epoch"][rows - 1]
    return later


def _falls_of_a_run(counted: RecordTable, records: RecordTable) -> Rows:
    """Where steps or epochs fall back although no epoch has ended, by what the ``records`` print beside them."""
    falls = _falls(counted["step"])
    if "epoch" in counted and not np.isnan(counted["epoch"]).any():
        return falls[~_is_later_epoch(counted, falls)]
    may_be_epochs = _may_be_epochs(counted["step"], falls) or _may_be_passes(counted["step"], falls, records)
    is_of_runs = "steps" in counted or not may_be_epochs
    return falls if is_of_runs or _losses_begin_anew(counted["line"], falls, records) else NO_ROWS


def _may_be_epochs(steps: Counts, begins: Rows) -> bool:
    """Whether stretches of rising steps may be epochs: all begin with one number, and but for the last end with one."""
    firsts, lasts = steps[[0, *begins]], steps[[*(begins - 1), -1]]
    return bool((firsts == firsts[0]).all() and (lasts[:-1] == lasts[0]).all() and lasts[-1] <= lasts[0])


def _may_be_passes(steps: Counts, begins: Rows, records: RecordTable) -> bool:
    """Whether stretches of rising steps may be passes of a progress bar, which begins its clock anew with each.

    All begin near the start, and but for the last end near the same number: a bar is not drawn at each step.
    """
    if "elapsed" not in records:
        return False
    firsts, lasts = steps[[0, *begins]], steps[[*(begins - 1), -1]]
    end = lasts.max()
    return bool((firsts <= AT_AN_END * end).all() and (lasts[:-1] >= (1 - AT_AN_END) * end).all())


def _losses_begin_anew(lines: Lines, begins: Rows, records: RecordTable) -> bool:
    """Whether each stretch begins with about the first loss of all, and far from the last one before it."""
    if "loss" not in records or not len(begins):
        return False
    losses = records["loss"][np.searchsorted(records["line"], lines[[0, *begins, *(begins - 1)]])]
    first, again, before = losses[0], losses[1 : len(begins) + 1], losses[len(begins) + 1 :]
    lost = np.abs(first - before)
    return bool((np.abs(again - first) < NEAR * lost).all() and (lost > FALLEN * abs(first)).all())


def _begin(lines: Lines, first: int, banners: Lines) -> int:
    """The line of the banner of a run, which stands after all records before its ``first``, or of that record."""
    before = lines[np.searchsorted(lines, first) - 1]
    between = banners[(banners > before) & (banners < first)]
    return int(between[0] if len(between) else first)


def are_consecutive(epochs: NDArray[np.float64]) -> bool:
    """Whether numbers are those of at least three epochs, one by one; the next line may repeat one."""
    done = np.diff(epochs)
    return len(np.unique(epochs)) >= FEWEST_EPOCHS and bool(((done == 0) | (done == 1)).all())
