"""Events: what happened at a line of a log, such as a checkpoint or a failure; and what speaks against a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import TIMES, WHOLE_LINE
from ..grammar.variant import EVENTS, RUN_START, RUN_STOP
from ..io.cache import pd
from ..io.message import Message
from ..scanning.record_table import Array, RecordTable, VariantLines
from .facts import Fact
from .format_records import RUN, FormatRecords
from .provenance import Provenance

COLUMNS = {"line": "int64", "event": "str", "text": "str", "time": "datetime64[us]"}
NO_NAME = -1
NAMES = sorted(EVENTS)
NEVER = np.datetime64("NaT", "us")
APART = np.timedelta64(1, "m")  # so far from each other at most do the ranks of a run begin


class Event(NamedTuple):
    """What happened at a line.

    ``line``: its physical number from 1. ``event``: the name in the vocabulary. ``text``: the line without what job
    launchers put before it. ``time``: datetime64[us]; NaT where the line has none.
    """

    line: int
    event: str
    text: str
    time: np.datetime64


def events(found: Iterable[VariantLines]) -> tuple[Event, ...]:
    """The events of a log in file order; of a name once a line."""
    parts = [part for lines in found if (part := _columns(lines))]
    if not parts:
        return ()
    numbers, names, texts, times = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((names, numbers))
    is_same = (np.diff(numbers[order], prepend=0) == 0) & (np.diff(names[order], prepend=0) == 0)
    rows = order[~is_same]
    stripped = [text.strip() for text in texts[rows].tolist()]
    return tuple(
        map(Event, numbers[rows].tolist(), map(NAMES.__getitem__, names[rows].tolist()), stripped, times[rows])
    )


def _columns(lines: VariantLines) -> tuple[Array, Array, Array, Array] | None:
    """Of each event of one variant the line, the number of its name, the text and the time."""
    stamp = next((field.name for field in lines.variant.fields if field.type in TIMES), "")
    held = {field.name for field in lines.variant.fields}
    named = {name: column for name in EVENTS if name in held and (column := lines.take(name)) is not None}
    texts, times = lines.take(WHOLE_LINE.name), lines.take(stamp)
    if texts is None:
        return None
    names = np.full(len(texts), NO_NAME)
    for name, column in reversed(named.items()):  # the first that a line has counts
        # A text that a line lacks is empty or None, a number is NaN, which is not itself.
        took_part = column.astype(np.bool_) if column.dtype == object else column == column  # noqa: PLR0124
        names[took_part] = NAMES.index(name)
    stamps = np.full(len(texts), NEVER) if times is None else times
    rows = np.flatnonzero(names > NO_NAME)
    return lines.numbers()[rows], names[rows], texts[rows], stamps[rows]


def frame(happened: Sequence[Event]) -> pd.DataFrame:
    """One row an event: ``line`` (int64), ``event``, ``text`` and ``time`` (datetime64[us])."""
    return pd.DataFrame(list(happened), columns=list(COLUMNS)).astype(COLUMNS)


def time_to_train(happened: Iterable[Event]) -> Iterator[Fact]:
    """The minutes from the first start of the run to its last stop after that, where both print a time.

    A run that begins anew, later than its ranks do, was not trained all the time between the two.
    """
    limits = [event for event in happened if event.event in (RUN_START, RUN_STOP) and not np.isnat(event.time)]
    starts, stops = ([event for event in limits if event.event == name] for name in (RUN_START, RUN_STOP))
    begins_once = all(event.time - starts[0].time <= APART for event in starts)
    if starts and stops and begins_once and stops[-1].time > starts[0].time:
        minutes = (stops[-1].time - starts[0].time) / np.timedelta64(1, "m")
        lines = Provenance("lines", (starts[0].line, stops[-1].line))
        yield Fact("minutes_to_train", round(float(minutes), 3), lines)


# ---- what speaks against a run

Numbers = NDArray[np.int64]
Rows = NDArray[np.intp]

NOT_A_NUMBER = "Loss is NaN or infinite in {count} of {records} records, first at line {line}."
OVERFLOW = "Loss scale overflows, first at line {line} ({count} in total): such steps do not update parameters."
BACKWARDS = "Timestamps go backwards, first at line {line} ({count} in total)."
TWICE = "Duplicate records, first at line {line} ({count} in total)."
RESTARTED = "The run restarts, first at line {line} ({count} in total)."
FAILED = "The run failed, at line {line}: {text}"
LONGEST_TEXT = 200
# What two records hardly print alike, unless one is a copy.
TELLING = ("time", "loss", "throughput", "step_time", "duration", "elapsed")
NO_ROWS: Rows = np.zeros(0, np.intp)
# What a run does that a failure before it did not end, such as that of a step of its set-up.
GOING_ON = (RUN_START, "checkpoint", "evaluation", "overflow", "restart")


class Unsound(Message):
    """A finding on a run that makes its throughput no point of a series."""


def findings(parts: Sequence[FormatRecords], happened: Sequence[Event]) -> Iterator[Message]:
    """What speaks against a run, one sentence each; ``parts`` and ``happened`` as of a ``Reading``."""

    def told(message: str, lines: Sequence[int] | Numbers) -> Iterator[Message]:
        if len(lines):
            yield Message(message, count=len(lines), line=lines[0])

    for part in parts:
        lines = part.table["line"]
        yield from _of_losses(part.table, part.not_numbers)
        yield from told(BACKWARDS, lines[_backwards(part.table)])
        yield from told(TWICE, lines[_copies(part.table)])
    for name, message in (("overflow", OVERFLOW), ("restart", RESTARTED)):
        yield from told(message, [event.line for event in happened if event.event == name])
    # A failure counts behind the last line of a run that goes on: what it survives is none.
    going_on = [event.line for event in happened if event.event in GOING_ON]
    last = max([0, *going_on, *(part.table["line"][-1] for part in parts if len(part.table))])
    failures = [event for event in happened if event.event == "failure" and event.line > last]
    telling = [failure for failure in failures if not failure.text.endswith(":")]  # those that say why
    for failure in (telling or failures)[-1:]:
        yield Unsound(FAILED, line=failure.line, text=failure.text[:LONGEST_TEXT])


def _of_losses(records: RecordTable, not_numbers: Numbers) -> Iterator[Message]:
    if "loss" not in records:
        return
    losses = records["loss"]
    lines = np.sort(np.concatenate([not_numbers, records["line"][np.isinf(losses)]]))
    if len(lines):
        printed = int(np.count_nonzero(~np.isnan(losses))) + len(not_numbers)
        yield Unsound(NOT_A_NUMBER, count=len(lines), records=printed, line=lines[0])


def _backwards(records: RecordTable) -> Rows:
    """The rows whose time is before that of the one before them, of each rank by itself: several come as they come."""
    if "time" not in records:
        return NO_ROWS
    times = records["time"]
    if "rank" not in records:
        return np.flatnonzero(times[1:] < times[:-1]) + 1
    ranks = np.nan_to_num(records["rank"], nan=-1)
    order = np.argsort(ranks, kind="stable")
    back = (np.diff(times[order]) < np.timedelta64(0, "us")) & (np.diff(ranks[order]) == 0)
    return np.sort(order[1:][back])


def _copies(records: RecordTable) -> Rows:
    """The rows of copies: all that such a record prints, a step and one number more at least, its rank printed before.

    Where steps count within epochs that nothing tells apart, those of two epochs may print the same. A clock that shows
    whole seconds, as that of a progress bar, tells little: the bar is drawn again for what is shown beside it.
    """
    columns = [name for name in records if name != "line"]
    telling = [name for name in columns if name in TELLING]
    if "elapsed" in telling and "loss" not in telling:
        known = records["elapsed"][~np.isnan(records["elapsed"])]
        telling = [name for name in telling if name != "elapsed" or (known != np.floor(known)).any()]
    apart = "steps_per_epoch" not in columns or not {"epoch", "time", "elapsed"}.isdisjoint(columns)
    place = next((name for name in ("step", "epochs_done") if name in records), None)
    if place is None or len(telling) < 2 or not apart or _ascends(records, place):
        return NO_ROWS
    # A log that two handlers write has each record twice in a row: what is as the one before needs no other.
    repeats = np.append(False, np.logical_and.reduce([_as_before(records[name]) for name in columns]))
    others = np.flatnonzero(~repeats)
    repeats[others] = pd.DataFrame({name: records[name][others] for name in columns}).duplicated()
    rows = np.flatnonzero(repeats)
    told = sum(~np.isnan(records[name][rows]) for name in telling)
    return rows[~np.isnan(records[place][rows]) & (told > 1)]


def _as_before(column: Array) -> NDArray[np.bool_]:
    """Whether each but the first is as the one before; two that are missing are."""
    before, after = column[:-1], column[1:]
    same: NDArray[np.bool_] = (before == after) | (pd.isna(before) & pd.isna(after))
    return same


def _ascends(records: RecordTable, place: str) -> bool:
    """Whether runs, epochs in them and places in these ascend, of all records with one: none is printed twice."""
    names = [name for name in (place, "epoch", RUN) if name in records]
    if (nothing := np.isnan(records[place])).any():
        records = records.columns(names).rows(~nothing)
    ascends = np.zeros(max(len(records) - 1, 0), np.bool_)
    for name in names:
        before, after = records[name][:-1], records[name][1:]
        ascends = (after > before) | ((after == before) & ascends)
    return bool(ascends.all())
