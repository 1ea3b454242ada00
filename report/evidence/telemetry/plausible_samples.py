"""Plausible samples: those of telemetry that can be of their run; of all others it is said how many they are and where.

A row may be of another time where a file is put together by hand, and a driver may tell a negative or a huge number
while a card fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from parsers.io.lazy import pd
from parsers.io.message import Message
from parsers.runs.runfile import RunFile
from parsers.runs.side_files import COUNTED_COLUMNS, MEMORY_COLUMNS, Telemetry

# A run.json says whole seconds, and the clocks of the machines of a run may differ.
MARGIN = np.timedelta64(60, "s")
ROUNDED = 1  # MiB
MOST_RANGES = 4

NEGATIVE = "Rows of {file} with negative numbers, left out: {count} (lines {lines})."
TOO_MUCH = "Rows of {file} with more memory than the {most} MiB of a card, left out: {count} (lines {lines})."
OF_OTHER_TIME = "Rows of {file} from outside the time of the run, left out: {count} (lines {lines})."


def plausible(found: Telemetry, run: RunFile) -> tuple[Telemetry, tuple[Message, ...]]:
    """Telemetry without the rows that cannot be of its run, and a sentence for each kind of them.

    ``run``: the run.json of the run, empty where there is none. It says from when to when the run lasted and how much
    memory its cards have; what it does not say is not checked.
    """
    wrong = np.zeros(len(found.samples), bool)
    said = []
    for key, told, rows in _checks(found.samples, run):
        new = rows & ~wrong
        if new.any():
            lines = found.samples["line"].to_numpy()[new].tolist()
            said.append(Message(key, **told, file=found.path.name, count=len(lines), lines=_ranges(lines)))
        wrong |= rows
    return (replace(found, samples=found.samples[~wrong]) if said else found), tuple(said)


def _checks(samples: pd.DataFrame, run: RunFile) -> Iterator[tuple[str, dict[str, str], NDArray[np.bool_]]]:
    """What may be wrong with rows, with what its sentence says beside their lines, and with which rows it is."""
    first, last = (_time(run, key) for key in ("start", "end"))
    times = samples["time"].to_numpy("datetime64[us]")
    before = times < first - MARGIN if first is not None else np.zeros(len(samples), bool)
    yield OF_OTHER_TIME, {}, before | (times > last + MARGIN) if last is not None else before
    counted = samples[[name for name in COUNTED_COLUMNS if name in samples]]
    yield NEGATIVE, {}, (counted < 0).any(axis=1).to_numpy()
    if "card" in samples and (most := _memory_of_a_card(run)):
        held = samples[[name for name in MEMORY_COLUMNS if name in samples]]
        yield TOO_MUCH, {"most": f"{most:g}"}, (held > most + ROUNDED).any(axis=1).to_numpy()


def _time(run: RunFile, key: str) -> np.datetime64 | None:
    """A time of a run.json in UTC; None where it says none, or not in which time zone."""
    try:
        said = datetime.fromisoformat(str(run.get(key)))
    except ValueError:
        return None
    return None if said.tzinfo is None else np.datetime64(int(said.timestamp() * 1e6), "us")


def _memory_of_a_card(run: RunFile) -> float | None:
    """The memory (MiB) of the largest card of all machines; None where a run.json does not say it of any."""
    nodes = run.get("nodes")
    machines = nodes if isinstance(nodes, list) and nodes else [run.get("environment")]
    sizes = [size for machine in machines if isinstance(machine, dict) for size in _sizes(machine)]
    return max(sizes, default=None)


def _sizes(machine: dict[str, object]) -> list[float]:
    told = machine.get("gpu_memory_mib")
    return [size for size in told if isinstance(size, int | float) and size > 0] if isinstance(told, list) else []


def _ranges(lines: Sequence[int]) -> str:
    """Ascending numbers as ranges, at most some of them: ``2–5, 9``."""
    starts = [at for at in range(len(lines)) if at == 0 or lines[at] > lines[at - 1] + 1]
    ends = [*(at - 1 for at in starts[1:]), len(lines) - 1]
    each = [(lines[start], lines[end]) for start, end in zip(starts, ends, strict=True)]
    told = [f"{first}" if first == last else f"{first}–{last}" for first, last in each[:MOST_RANGES]]
    return ", ".join([*told, "…"] if len(each) > MOST_RANGES else told)
