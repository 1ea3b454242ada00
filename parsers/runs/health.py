"""The health of a run: what its records and events say against it, each in a sentence with the lines."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.message import Message
from ..scanning.record_table import RecordTable
from .events import Event
from .format_records import RUN, FormatRecords

Numbers = NDArray[np.int64]
Rows = NDArray[np.intp]

NOT_A_NUMBER = "Loss is NaN or infinite in {count} of {records} records, first at line {line}."
OVERFLOW = "Loss scale overflows, first at line {line} ({count} in total): such steps do not update parameters."
BACKWARDS = "Timestamps go backwards, first at line {line} ({count} in total)."
TWICE = "Duplicate records, first at line {line} ({count} in total)."
RESTARTED = "The run restarts, first at line {line} ({count} in total)."
FAILED = "The run failed, at line {line}: {text}"
BLOCK = 1 << 16
LONGEST_TEXT = 200
# What two records hardly print alike, unless one is a copy.
TELLING = ("time", "loss", "throughput", "step_time", "duration", "elapsed")
NO_ROWS: Rows = np.zeros(0, np.intp)
STANDING = np.timedelta64(0, "us")
# What a run does that a failure before it did not end, such as that of a step of its set-up.
GOING_ON = ("run_start", "checkpoint", "evaluation", "overflow", "restart")


class Unsound(Message):
    """A finding on a run that makes its throughput no point of a series."""


def findings(parts: Sequence[FormatRecords], happened: Sequence[Event]) -> Iterator[Message]:
    """What speaks against a run, one sentence each; ``parts`` and ``happened`` as of a ``Reading``."""
    for part in parts:
        lines = part.table["line"]
        yield from _of_losses(part.table, part.not_numbers)
        yield from _told(BACKWARDS, lines[_backwards(part.table)])
        yield from _told(TWICE, lines[_copies(part.table)])
    for name, message in (("overflow", OVERFLOW), ("restart", RESTARTED)):
        yield from _told(message, [event.line for event in happened if event.event == name])
    going_on = [event.line for event in happened if event.event in GOING_ON]
    last = max([0, *going_on, *(part.table["line"][-1] for part in parts if len(part.table))])
    yield from _of_failure([event for event in happened if event.event == "failure" and event.line > last])


def _told(message: str, lines: Sequence[int] | Numbers) -> Iterator[Message]:
    """The sentence of a message about some lines, ascending, if there are any."""
    if len(lines):
        yield Message(message, count=len(lines), line=lines[0])


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
    back = (np.diff(times[order]) < STANDING) & (np.diff(ranks[order]) == 0)
    return np.sort(order[1:][back])


def _copies(records: RecordTable) -> Rows:
    """The rows of copies: all that such a record prints, a step and one number more at least, its rank printed before.

    Where steps count within epochs that nothing tells apart, those of two epochs may print the same. A clock that shows
    whole seconds, as that of a progress bar, tells little: the bar is drawn again for what is shown beside it.
    """
    columns = [name for name in records if name != "line"]
    telling = [name for name in columns if name in TELLING]
    if "loss" not in telling:
        telling = [name for name in telling if name != "elapsed" or not _is_cut_off(records[name])]
    apart = "steps_per_epoch" not in columns or not {"epoch", "time", "elapsed"}.isdisjoint(columns)
    place = next((name for name in ("step", "epochs_done") if name in records), None)
    if place is None or len(telling) < 2 or not apart or _ascends(records, place):
        return NO_ROWS
    rows = repeated([records[name] for name in columns])
    told = sum(~np.isnan(records[name][rows]) for name in telling)
    return rows[~np.isnan(records[place][rows]) & (told > 1)]


def repeated(columns: Sequence[NDArray[Any]]) -> Rows:
    """The rows, ascending, that have the same in all columns as one before them; what is missing is alike.

    What ``DataFrame.duplicated`` finds, without the second that importing pandas takes.
    """
    codes = [_codes(column) for column in columns]
    order = np.lexsort(codes)  # stable: of equal rows the first comes first
    is_same = np.logical_and.reduce([code[order[1:]] == code[order[:-1]] for code in codes])
    return np.sort(order[1:][is_same])


def _codes(column: NDArray[Any]) -> NDArray[Any]:
    """Numbers that are equal where the values of a column are, or are missing."""
    if column.dtype.kind == "O":
        texts: dict[object, int] = {}
        return np.fromiter((texts.setdefault(text, len(texts)) for text in column), np.intp, len(column))
    return np.unique(column, return_inverse=True)[1]


def _is_cut_off(seconds: Numbers) -> bool:
    """Whether a clock shows whole seconds."""
    known = seconds[~np.isnan(seconds)]
    return bool((known == np.floor(known)).all())


def _ascends(records: RecordTable, place: str) -> bool:
    """Whether runs, epochs in them and places in these ascend, of all records with one: none is printed twice."""
    records = records.columns(name for name in (RUN, "epoch", place) if name in records)
    if (nothing := np.isnan(records[place])).any():
        records = records.rows(~nothing)
    # Of many records some at a time: all that is compared would take as much memory as a column.
    parts = (records.rows(slice(start, start + BLOCK + 1)) for start in range(0, len(records), BLOCK))
    return all(_ascend(part, place) for part in parts)


def _ascend(records: RecordTable, place: str) -> bool:
    ascends = np.zeros(len(records) - 1, np.bool_)
    for name in (place, "epoch", RUN):
        if name in records:
            before, after = records[name][:-1], records[name][1:]
            ascends = (after > before) | ((after == before) & ascends)
    return bool(ascends.all())


def _of_failure(failures: Sequence[Event]) -> Iterator[Message]:
    """The last failure that says why, of those after the last line of a run that goes on: what it survives is none."""
    telling = [failure for failure in failures if not failure.text.endswith(":")]
    for failure in (telling or failures)[-1:]:
        yield Unsound(FAILED, line=failure.line, text=failure.text[:LONGEST_TEXT])
