"""Events: what happened at a line of a log, such as a checkpoint or a failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from ..grammar.field import TIMES, WHOLE_LINE
from ..grammar.variant import EVENTS
from ..io.lazy import pd
from ..scanning.columns import VariantLines
from .facts import Fact
from .provenance import Provenance

COLUMNS = {"line": "int64", "event": "str", "text": "str", "time": "datetime64[us]"}
NEVER = np.datetime64("NaT", "us")


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
    ordered = sorted((event for lines in found for event in _rows(lines)), key=itemgetter(0, 1))
    return tuple(next(alike) for _, alike in groupby(ordered, key=itemgetter(0, 1)))


def frame(happened: Sequence[Event]) -> pd.DataFrame:
    """One row an event: ``line`` (int64), ``event``, ``text`` and ``time`` (datetime64[us])."""
    return pd.DataFrame(list(happened), columns=list(COLUMNS)).astype(COLUMNS)


def time_to_train(happened: Iterable[Event]) -> Iterator[Fact]:
    """The minutes from the first start of the run to its last stop after that, where both print a time."""
    timed = [event for event in happened if not np.isnat(event.time)]
    starts, stops = ([event for event in timed if event.event == name] for name in ("run_start", "run_stop"))
    if starts and stops and stops[-1].time > starts[0].time:
        minutes = (stops[-1].time - starts[0].time) / np.timedelta64(1, "m")
        lines = Provenance("lines", (starts[0].line, stops[-1].line))
        yield Fact("minutes_to_train", round(float(minutes), 3), lines)


def _rows(lines: VariantLines) -> Iterator[Event]:
    stamp = next((field.name for field in lines.variant.fields if field.type in TIMES), "")
    held = {field.name for field in lines.variant.fields}
    named = {name: column for name in EVENTS if name in held and (column := lines.take(name)) is not None}
    texts, times = lines.take(WHOLE_LINE.name), lines.take(stamp)
    if texts is None:
        return
    names = [""] * len(texts)
    for name, column in reversed(named.items()):  # the first that a line has counts
        names = [name if _took_part(said) else other for said, other in zip(column, names, strict=True)]
    stamps = repeat(NEVER) if times is None else times
    for number, name, text, time in zip(lines.numbers().tolist(), names, texts, stamps, strict=False):
        if name:
            yield Event(number, name, text.strip(), time)


def _took_part(value: object) -> bool:
    """Whether a line has a field: a text that it lacks is empty, a number is NaN."""
    return bool(value == value and value not in ("", None))  # noqa: PLR0124 - NaN is not itself
