"""Events: what happened at a line of a log, such as a checkpoint or a failure."""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from .compiler import WHOLE
from .facts import Fact
from .field import TIMES
from .lines import Lines

EVENTS = ("run_start", "run_stop", "checkpoint", "evaluation", "overflow", "restart", "failure")
COLUMNS = {"line": "int64", "event": "str", "text": "str", "time": "datetime64[us]"}
NO_EVENTS = pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS)
NEVER = np.datetime64("NaT", "us")

Row = tuple[int, str, str, np.datetime64]


def events(found: Iterable[Lines]) -> pd.DataFrame:
    """One row an event, in file order.

    ``line`` (int64, physical number from 1), ``event`` (its name in the vocabulary), ``text`` (the line without what
    job launchers put before it) and ``time`` (datetime64[us]; NaT where the line has none).
    """
    rows: dict[tuple[int, str], Row] = {}
    for row in sorted((row for lines in found for row in _rows(lines)), key=lambda row: row[:2]):
        rows.setdefault(row[:2], row)
    return _table(list(rows.values())) if rows else NO_EVENTS.copy()


def _table(rows: Iterable[Row]) -> pd.DataFrame:
    lines, names, texts, times = map(list, zip(*rows, strict=True))
    return pd.DataFrame(
        {
            "line": np.array(lines, np.int64),
            "event": pd.array(names, dtype="str"),
            "text": pd.array(texts, dtype="str"),
            "time": np.array(times, NEVER.dtype),
        }
    )


def time_to_train(events: pd.DataFrame) -> Iterator[Fact]:
    """The minutes from the first start of the run to its last stop after that, where both print a time."""
    if not {"run_start", "run_stop"}.issubset(events["event"]):
        return
    timed = events[events["time"].notna()]
    starts, stops = (timed[timed["event"] == name] for name in ("run_start", "run_stop"))
    if len(starts) and len(stops) and stops["time"].iloc[-1] > starts["time"].iloc[0]:
        minutes = (stops["time"].iloc[-1] - starts["time"].iloc[0]).total_seconds() / 60
        yield Fact("minutes_to_train", round(minutes, 3), f"line {starts['line'].iloc[0]} to {stops['line'].iloc[-1]}")


def _rows(lines: Lines) -> Iterator[Row]:
    stamp = next((field.name for field in lines.variant.fields if field.type in TIMES), "")
    named = {name: lines.take(name) for name in EVENTS if name in {field.name for field in lines.variant.fields}}
    texts, times = lines.take(WHOLE.name), lines.take(stamp)
    for row, number in enumerate(lines.numbers().tolist()):
        name = next((name for name, column in named.items() if column is not None and _took_part(column[row])), None)
        if name and texts is not None:
            yield number, name, str(texts[row]).strip(), NEVER if times is None else times[row]


def _took_part(value: object) -> bool:
    """Whether a line has a field: a text that it lacks is empty, a number is NaN."""
    return bool(value == value and value not in ("", None))  # noqa: PLR0124 - NaN is not itself
