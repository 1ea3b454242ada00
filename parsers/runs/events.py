"""Events: what happened at a line of a log, such as a checkpoint or a failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..grammar.field import TIMES, WHOLE_LINE
from ..grammar.variant import EVENTS
from ..io.cache import pd
from ..scanning.columns import Array, VariantLines
from .facts import Fact
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


def frame(happened: Sequence[Event]) -> pd.DataFrame:
    """One row an event: ``line`` (int64), ``event``, ``text`` and ``time`` (datetime64[us])."""
    return pd.DataFrame(list(happened), columns=list(COLUMNS)).astype(COLUMNS)


def begins_once(starts: Sequence[Event]) -> bool:
    """Whether these starts, each with a time, are those of the ranks of one run."""
    return all(event.time - starts[0].time <= APART for event in starts)


def time_to_train(happened: Iterable[Event]) -> Iterator[Fact]:
    """The minutes from the first start of the run to its last stop after that, where both print a time.

    A run that begins anew, later than its ranks do, was not trained all the time between the two.
    """
    limits = [event for event in happened if event.event in ("run_start", "run_stop") and not np.isnat(event.time)]
    starts, stops = ([event for event in limits if event.event == name] for name in ("run_start", "run_stop"))
    if starts and stops and begins_once(starts) and stops[-1].time > starts[0].time:
        minutes = (stops[-1].time - starts[0].time) / np.timedelta64(1, "m")
        lines = Provenance("lines", (starts[0].line, stops[-1].line))
        yield Fact("minutes_to_train", round(float(minutes), 3), lines)


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
        names[_took_part(column)] = NAMES.index(name)
    stamps = np.full(len(texts), NEVER) if times is None else times
    rows = np.flatnonzero(names > NO_NAME)
    return lines.numbers()[rows], names[rows], texts[rows], stamps[rows]


def _took_part(column: Array) -> Array:
    """Which lines have a field: a text that they lack is empty or None, a number is NaN."""
    return column.astype(np.bool_) if column.dtype == object else column == column  # noqa: PLR0124 - NaN is not itself
