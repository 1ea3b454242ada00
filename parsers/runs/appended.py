"""Appended runs: where in a log another run begins, because its steps begin anew or fall back to a checkpoint."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..grammar.variant import RUN_START
from ..scanning.record_table import RecordTable
from .events import Event
from .facts import Fact, Value
from .reading_part import ReadingPart

RUN = "run"
BANNERS = (RUN_START, "restart")
# Several ranks that print the same steps in turns fall back all the time, and by little: a run goes on for a while.
RECORDS_OF_A_RUN = 3

Last = Literal["last"]
Lines = NDArray[np.int64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


def told_apart(parts: Sequence[ReadingPart], happened: Sequence[Event]) -> list[ReadingPart]:
    """The parts of a reading; where the log holds several runs, each table says in ``run``, from 1, whose a record is.

    The first part decides where a run begins.
    """
    starts = beginnings(parts[0].table, happened) if parts else []
    if not starts:
        return list(parts)
    return [replace(part, table=_numbered(part.table, starts)) for part in parts]


def of_each(parts: Sequence[ReadingPart], stated: Iterable[Fact]) -> list[list[Fact]]:
    """What lines, a line each, state of each of several runs; nothing where the log holds one.

    A fact that the whole log tells alike is that of all runs. One that lines tell differently is that of the run whose
    first record comes next; what is told amid the records of a run can only contradict that.
    """
    table, stated = parts[0].table, list(stated)
    if RUN not in table:
        return []
    values: dict[str, set[Value]] = {}
    for fact in stated:
        values.setdefault(fact.name, set()).add(fact.value)
    alike = [fact for fact in stated if len(values[fact.name]) == 1]
    others = [(_line(fact), fact) for fact in stated if len(values[fact.name]) > 1]
    lines, turns = table["line"], np.flatnonzero(np.diff(table[RUN]))
    firsts, lasts = lines[[0, *(turns + 1)]], lines[[*turns, -1]]
    stretches = zip([0, *lasts[:-1]], firsts, lasts, strict=True)
    return [[*alike, *_told(others, *stretch)] for stretch in stretches]


def of_starts(stated: Sequence[Fact], records: RecordTable, happened: Iterable[Event]) -> list[Fact]:
    """Some facts but for those of a start without records: it failed before its first, and another may have followed.

    Such a start is a line that states facts itself; what is told up to the next one belongs to it.
    """
    told_at = {_line(fact) for fact in stated}
    starts = [event.line for event in happened if event.event == RUN_START and event.line in told_at]
    begun = {0, *np.searchsorted(starts, records["line"], side="right").tolist()}
    return [fact for fact in stated if not len(records) or bisect_right(starts, _line(fact)) in begun]


def _line(fact: Fact) -> int:
    return int(str(fact.source.values[0]))


def _told(facts: Sequence[tuple[int, Fact]], before: int, first: int, last: int) -> list[Fact]:
    """Those of some facts, with their lines, told between two runs, and what contradicts them until line ``last``."""
    own = [fact for line, fact in facts if before < line <= first]
    known = {fact.name for fact in own}
    return [*own, *(fact for line, fact in facts if first < line <= last and fact.name in known)]


def as_one(part: ReadingPart) -> ReadingPart:
    """The part as if its log held one run, as whoever published a number of it may have read it."""
    table = part.table
    return replace(part, table=RecordTable({name: table[name] for name in table if name != RUN}))


def _numbered(records: RecordTable, starts: Sequence[int]) -> RecordTable:
    return records.having(RUN, np.searchsorted(starts, records["line"], side="right").astype(np.int64) + 1)


def beginnings(records: RecordTable, happened: Sequence[Event]) -> list[int]:
    """The lines at which another run begins than the first: that of its banner, or of its first record."""
    banners = np.array([event.line for event in happened if event.event in BANNERS], np.int64)
    rows = _counted(records, "step")
    if len(rows):
        again = _again(records, rows, banners)
    else:
        rows = _counted(records, "epoch")
        again = _of_runs(_fall(records["epoch"][rows]), records["epoch"][rows]) if len(rows) else rows.astype(np.bool_)
    return [_begin(records["line"], records["line"][row], banners) for row in rows[again]]


def _counted(records: RecordTable, kind: str) -> Rows:
    """The rows of a kind that print its number, of the lowest rank that does."""
    if kind not in records:
        return np.zeros(0, np.intp)
    told = records.are(kind) & np.isfinite(records[kind])
    if "rank" in records and told.any():
        ranks = np.nan_to_num(records["rank"], nan=np.inf)
        told &= ranks == ranks[told].min()
    return np.flatnonzero(told)


def _fall(numbers: NDArray[np.float64]) -> Mask:
    """Where a number is lower than the one before (bool)."""
    fall = np.zeros(len(numbers), np.bool_)
    fall[1:] = numbers[1:] < numbers[:-1]
    return fall


def _again(records: RecordTable, rows: Rows, banners: Lines) -> Mask:
    """Where the steps of another run begin (bool): not where they do so with each epoch, or several ranks in turns."""
    steps, lines = records["step"][rows], records["line"][rows]
    stays = ~_fall(-steps) & ~_is_later_epoch(records, rows)
    stays[:1] = False
    proven = _changes(np.searchsorted(banners, lines))
    for length in ("steps", "steps_per_epoch"):
        if length in records:
            proven |= _changes(records[length][rows])
    if "epoch" in records:
        proven |= _fall(records["epoch"][rows]) & _fall(steps)
    return (stays & proven) | _of_runs(_fall_of_a_run(records, rows), steps)


def _changes(numbers: NDArray[np.float64] | Lines) -> Mask:
    """Where a number is another one than before (bool); one that is missing is none."""
    changes = np.zeros(len(numbers), np.bool_)
    changes[1:] = np.abs(numbers[1:] - numbers[:-1]) > 0
    return changes


def _of_runs(fall: Mask, numbers: NDArray[np.float64]) -> Mask:
    """The falls of some numbers that other runs make (bool): not many of them, and far, or all to the beginning.

    Several ranks in turns fall by little again and again; where steps are skipped a number may stand or fall by one.
    """
    growth = np.diff(numbers, prepend=numbers[:1])
    usual = float(np.median(growth[growth > 0])) if (growth > 0).any() else 0.0
    far: Mask = fall & (-growth >= (RECORDS_OF_A_RUN - 1) * usual)
    clear = far | (fall & (numbers <= numbers[:1]))
    if (growth[1:] != 0).all() and (clear == (growth < 0)).all():
        far = clear
    return far if len(numbers) >= RECORDS_OF_A_RUN * (np.count_nonzero(far) + 1) else np.zeros_like(far)


def _is_later_epoch(records: RecordTable, rows: Rows) -> Mask:
    """Where a record is of a later epoch than the one before (bool)."""
    if "epoch" not in records:
        return np.zeros(len(rows), np.bool_)
    return _fall(-records["epoch"][rows])


def _fall_of_a_run(records: RecordTable, rows: Rows) -> Mask:
    """Where steps or epochs fall back although no epoch has ended (bool), by what the log prints beside them."""
    steps = records["step"][rows]
    fall = _fall(steps)
    if "epoch" in records and not np.isnan(records["epoch"][rows]).any():
        return fall & ~_is_later_epoch(records, rows)
    if "steps" in records or not _may_be_epochs(steps, fall):
        return fall
    return np.zeros(len(rows), np.bool_)


def _may_be_epochs(steps: NDArray[np.float64], fall: Mask) -> bool:
    """Whether stretches of rising steps may be epochs: all begin with one number, and but for the last end with one."""
    begins = np.flatnonzero(fall)
    firsts, lasts = steps[[0, *begins]], steps[[*(begins - 1), -1]]
    return bool((firsts == firsts[0]).all() and (lasts[:-1] == lasts[0]).all() and lasts[-1] <= lasts[0])


def _begin(lines: Lines, first: int, banners: Lines) -> int:
    """The line of the banner of a run, which stands after all records before its ``first``, or of that record."""
    before = lines[np.searchsorted(lines, first) - 1]
    between = banners[(banners > before) & (banners < first)]
    return int(between[0] if len(between) else first)
