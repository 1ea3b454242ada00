"""Boundaries: where in a log another run begins, because its steps begin anew or fall back to a checkpoint.

The rule: a record stands at its epoch and its step, as far as it prints them. Another run begins where records fall
back and something proves it: a banner between, another number of steps, an epoch that falls with the step, or losses
that begin anew. Without a proof a fall counts where it is far or to the beginning, and seldom: passes of one length are
epochs that nobody numbers, and small falls again and again are those of ranks in turns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..grammar.variant import RUN_START
from ..io.message import Message
from ..scanning.record_table import MOST_REPEATED, RECORD, RecordTable
from .events import Event
from .facts import COUNTS, Fact, Statement, Value, values_of
from .format_records import RUN, FormatRecords

BANNERS = (RUN_START, "restart")
BREAKS = ("checkpoint", "evaluation")  # events that take time which is no training
# Several ranks that print the same steps in turns fall back all the time, and by little: a run goes on for a while.
RECORDS_OF_A_RUN = 3
FEWEST_EPOCHS = 3
# Of another run the first loss is about that of the first one; of an epoch it goes on where the one before ended.
NEAR, FALLEN = 0.25, 0.2
# The columns that say how fast a record was or how long it took, and how much it did.
SPEEDS = ("throughput", "step_time", "step_rate", "work_time", "duration")
AMOUNTS = ("job_batch_size", "batch_size", "sample_count", "token_count")
ANOTHER_SPEED = 1.25  # epochs of one run are nearer to each other, also a first one that waits for its data
AT_AN_END = 0.2  # of a pass of a progress bar: how far its first and its last drawing may be from there
PLACE = ("step", "epoch", "steps", "steps_per_epoch")
MANY = 1 << 18  # records that show by how much a number grows; all those of a large log would be in memory twice

Last = Literal["last"]
Lines = NDArray[np.int64]
Counts = NDArray[np.float64] | NDArray[np.int64]
Floats = NDArray[np.float64]
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

    def numbered(records: RecordTable) -> RecordTable:
        ends = np.searchsorted(records["line"], starts)
        lengths = np.diff(ends, prepend=0, append=len(records))
        return records.having(RUN, np.repeat(np.arange(1, len(lengths) + 1, dtype=np.int32), lengths))

    return [replace(part, table=numbered(part.table)) for part in parts]


def as_one(part: FormatRecords) -> FormatRecords:
    """The part as if its log held one run, as whoever published a number of it may have read it."""
    return replace(part, table=part.table.columns(name for name in part.table if name not in (RUN, RECORD)))


def are_consecutive(epochs: Floats) -> bool:
    """Whether numbers are those of at least three epochs, one by one; the next line may repeat one."""
    done = np.diff(epochs)
    return len(np.unique(epochs)) >= FEWEST_EPOCHS and bool(((done == 0) | (done == 1)).all())


# ---- what lines state of each run


def of_each(parts: Sequence[FormatRecords], stated: Sequence[Fact], said: Sequence[Statement]) -> Iterator[list[Fact]]:
    """What lines state of each of several runs; nothing where the log holds one.

    ``said``: all lines that do. A fact that the whole log tells alike is that of all runs, but for a count that the
    own configuration of a run does not state, unless it stands behind all records. One that lines tell differently is
    that of the run whose first record comes next; what is told amid the records of a run can only contradict that.
    """
    table = parts[0].table
    if RUN not in table:
        return
    lines, turns = table["line"], np.flatnonzero(np.diff(table[RUN])) + 1
    lasts = lines[[*(turns - 1), -1]]
    values = values_of(stated)
    places: dict[tuple[str, Value], Lines] = {}
    for one in said:
        places[one.told] = np.union1d(places.get(one.told, one.lines), one.lines)
    # What very many lines repeat, as a label of each, is no configuration.
    configured = np.sort(np.concatenate([[0], *(at for at in places.values() if len(at) <= MOST_REPEATED)]))

    befores, firsts = np.array([0, *lasts[:-1]]), lines[[0, *turns]]

    def are_within(places: Lines, ends: Lines) -> Mask:
        within: Mask = np.searchsorted(places, ends, "right") > np.searchsorted(places, befores, "right")
        return within

    has_own = are_within(configured, firsts)
    have_told = {name: np.zeros(len(firsts), np.bool_) for name, told in values.items() if len(told) > 1}
    of_runs: list[list[Fact]] = [[] for _ in firsts]
    for fact in stated:
        at = places[fact.name, fact.value]
        if (has_told := have_told.get(fact.name)) is not None:
            are_own = (befores < _line(fact)) & (_line(fact) <= np.where(has_told, lasts, firsts))
            has_told |= are_own
        elif fact.name not in COUNTS or len(at) > MOST_REPEATED or at[0] > lasts[-1]:
            are_own = np.ones(len(firsts), np.bool_)
        else:
            are_own = ~has_own | are_within(at, lasts)
        for run in np.flatnonzero(are_own).tolist():
            of_runs[run].append(fact)
    yield from of_runs


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


# ---- where runs begin


def beginnings(records: RecordTable, happened: Sequence[Event]) -> list[int]:
    """The lines at which another run begins than the first: that of its banner, or of its first record."""
    banners = np.array([event.line for event in happened if event.event in BANNERS], np.int64)
    steps, epochs = _counted(records, "step", "step"), _counted(records, "epoch", "epoch")
    if len(steps):
        pauses = np.array([event.line for event in happened if event.event in BREAKS], np.int64)
        firsts = steps["line"][_again(steps, banners, pauses, records)]
    elif len(epochs):
        firsts = epochs["line"][_of_runs(_falls(epochs["epoch"]), epochs["epoch"])]
    else:
        firsts = _after_ends(records, banners)
    # The banner of a run stands after all records before its first.
    lines = records["line"]
    nexts = np.searchsorted(banners, lines[np.searchsorted(lines, firsts) - 1], "right")
    return [*map(int, np.minimum(firsts, np.append(banners, np.iinfo(np.int64).max)[nexts]))]


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

    def between(others: Lines) -> Mask:
        is_between: Mask = np.searchsorted(others, at[falls]) > np.searchsorted(others, at[falls - 1])
        return is_between

    is_clear = _is_far(falls, done) | (done[falls] <= done[0])
    is_told = between(banners) | (between(ends) & is_clear)
    return np.union1d(firsts, at[np.union1d(falls[is_told], _of_runs(falls, done))])


def _counted(records: RecordTable, kind: str, number: str) -> RecordTable:
    """The records of a kind that print a number, of the lowest rank that does: that number, and those of epochs."""
    counts = records.columns(name for name in ("line", number, *PLACE) if name in records)
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


def _changes(numbers: Counts) -> Rows:
    """The rows of numbers that are not the one before; one that is missing is none."""
    return np.flatnonzero((numbers[1:] < numbers[:-1]) | (numbers[1:] > numbers[:-1])) + 1


def _again(counted: RecordTable, banners: Lines, pauses: Lines, records: RecordTable) -> Rows:
    """Where the steps of another run begin: not where they do so with each epoch, or of several ranks in turns.

    ``counted``: the ``records`` that print their step. ``pauses``: the lines of what may end an epoch.
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
    return np.union1d(stays, _of_runs(_falls_of_a_run(counted, pauses, records), steps))


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
    """Which falls are by as much as a run grows before it is one, by how much the first of the numbers grow."""
    growth = np.diff(numbers[:MANY])
    usual = float(np.median(growth[growth > 0])) if (growth > 0).any() else 0.0
    is_far: Mask = numbers[falls - 1] - numbers[falls] >= (RECORDS_OF_A_RUN - 1) * usual
    return is_far


def _is_later_epoch(counted: RecordTable, rows: Rows) -> Mask:
    """Which rows are of a later epoch than the one before (bool)."""
    if "epoch" not in counted:
        return np.zeros(len(rows), np.bool_)
    later: Mask = counted["epoch"][rows] > counted["epoch"][rows - 1]
    return later


def _falls_of_a_run(counted: RecordTable, pauses: Lines, records: RecordTable) -> Rows:
    """Where steps or epochs fall back although no epoch has ended, by what the ``records`` print beside them."""
    steps, falls = counted["step"], _falls(counted["step"])
    if "epoch" in counted and not np.isnan(counted["epoch"]).any():
        return falls[~_is_later_epoch(counted, falls)]
    firsts, lasts = steps[[0, *falls]], steps[[*(falls - 1), -1]]
    # All intervals of epochs begin with one number, and but for the last end with one.
    may_be_epochs = (firsts == firsts[0]).all() and (lasts[:-1] == lasts[0]).all() and lasts[-1] <= lasts[0]
    # A progress bar, whose clock begins anew with each pass, is not drawn at each step: passes begin near the start,
    # and but for the last end near the same number.
    near, far = AT_AN_END * lasts.max(), (1 - AT_AN_END) * lasts.max()
    may_be_passes = "elapsed" in records and (firsts <= near).all() and (lasts[:-1] >= far).all()
    is_of_runs = "steps" in counted or not (may_be_epochs or may_be_passes)
    if is_of_runs or _losses_begin_anew(counted["line"], falls, records):
        return falls
    ends_epoch = np.isin(falls, np.searchsorted(counted["line"], pauses))
    return falls[~ends_epoch & _changes_speed(counted, falls, records)]


def _losses_begin_anew(lines: Lines, begins: Rows, records: RecordTable) -> bool:
    """Whether each interval begins with about the first loss of all, and far from the last one before it."""
    if "loss" not in records or not len(begins):
        return False
    losses = records["loss"][np.searchsorted(records["line"], lines[[0, *begins, *(begins - 1)]])]
    first, again, before = losses[0], losses[1 : len(begins) + 1], losses[len(begins) + 1 :]
    lost = np.abs(first - before)
    return bool((np.abs(again - first) < NEAR * lost).all() and (lost > FALLEN * abs(first)).all())


def _changes_speed(counted: RecordTable, falls: Rows, records: RecordTable) -> Mask:
    """At which falls the speed that nearly all records of an interval show becomes another one."""
    lines, begins = records["line"], counted["line"][falls]
    own = np.isin(lines, counted["line"])
    intervals = np.searchsorted(begins, lines[own], side="right")
    columns = [records[name][own].astype(np.float64) for name in (*SPEEDS, *AMOUNTS) if name in records]
    if not columns and "time" in records:
        seconds = np.diff(records["time"][own], prepend=np.datetime64("NaT")) / np.timedelta64(1, "s")
        columns = [np.where(np.isin(lines[own], begins), np.nan, seconds)]
    found = np.zeros(len(falls), np.bool_)
    for column in columns:
        low, high = _nearly_all(column, intervals, len(falls) + 1)
        found |= (low[1:] > ANOTHER_SPEED * high[:-1]) | (low[:-1] > ANOTHER_SPEED * high[1:])
    return found


def _nearly_all(column: Floats, intervals: Rows, count: int) -> tuple[Floats, Floats]:
    """Between which values of each interval all but a tenth at either end lie; not a number where there are none."""
    at, values = intervals[column > 0], column[column > 0]
    values = np.append(values[np.lexsort((values, at))], np.nan)
    lengths = np.bincount(at, minlength=count)
    begins, tenth = np.cumsum(lengths) - lengths, lengths // 10
    is_none = lengths == 0
    return values[np.where(is_none, -1, begins + tenth)], values[np.where(is_none, -1, begins + lengths - 1 - tenth)]


# ---- bars of evaluations

LEFT_OUT = (
    "Two progress bars take turns: the first is taken for training, since its steps take {times} times as long. The "
    "{count} records of the other, first at line {line}, are left out."
)
FEWEST_TURNS = 3
SLOWER = 1.5  # an evaluation only goes forwards


def without_evaluation(part: FormatRecords) -> tuple[FormatRecords, tuple[Message, ...]]:
    """A part without the records of a bar of an evaluation, and a message that says so, if any.

    Left out is every second pass of a bar where the passes between them are as long or longer, and each of their steps
    takes far longer. If only the second tells losses, the first may be one of rollouts or a preparation, and all stay.
    """
    table = part.table
    if not {"step", "elapsed"} <= set(table) or not len(table):
        return part, ()
    step, clock = (np.nan_to_num(table[name].astype(np.float64), nan=-1) for name in ("step", "elapsed"))
    counts = np.flatnonzero(step >= 0)
    begins = np.zeros(len(table), np.bool_)
    begins[0] = True
    begins[counts[1:]] = (np.diff(step[counts]) < 0) | (np.diff(clock[counts]) < 0)
    first = np.flatnonzero(begins)
    done, taken = np.maximum.reduceat(step, first), np.maximum.reduceat(clock, first)
    if len(first) < 2 * FEWEST_TURNS or done[::2].min() < done[1::2].max() or done.min() <= 0:
        return part, ()
    slow, fast = taken[::2] / done[::2], (taken[1::2] + 1) / done[1::2]  # clocks show whole seconds
    is_other = np.cumsum(begins) % 2 == 0
    losses = np.isfinite(table["loss"]) if "loss" in table else np.zeros(len(table), np.bool_)
    if slow.min() <= SLOWER * fast.max() or (losses[is_other].any() and not losses[~is_other].any()):
        return part, ()
    times, line = f"{np.median(slow) / np.median(fast):.1f}", int(table["line"][is_other][0])
    message = Message(LEFT_OUT, times=times, count=int(is_other.sum()), line=line)
    return replace(part, table=table.rows(~is_other)), (message,)
