"""The telemetry of a run: what its graphics cards, and its processes, did, once a second."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..io.errors import LogError
from ..io.lazy import pd
from .run_folder import (
    CARD_PROCESS_COLUMNS,
    CARD_PROCESSES,
    LATER_COLUMNS,
    PROCESS_COLUMNS,
    PROCESSES,
    TELEMETRY,
    TELEMETRY_COLUMNS,
)
from .runfile import sha256_of
from .sidefile import side_file, side_table, times

# What no card and no process has less than none of, and how much of its memory (MiB) a card tells of.
COUNTED_COLUMNS = ("utilisation", "memory", "power", "sm_clock", "memory_clock", "process_memory", "processes", "load")
MEMORY_COLUMNS = ("memory", "process_memory")
NO_CARD = "line {line}: card is {said}; expected a card number from 0."
NO_PROCESS = "line {line}: pid is {said}; expected a process number from 0."


@dataclass(frozen=True)
class Telemetry:
    """The ``gpu.csv`` of a run, its ``gpu_processes.csv`` or its ``cpu.csv``.

    ``samples``: DataFrame, one row a row of the file, in its order: ``line`` (int64, physical number from 1), ``time``
    (datetime64[us], UTC), and the columns of ``run_folder`` in their units: ``card`` and ``pid`` int64, ``name`` text
    (empty where it is not known), all others float64, NaN where the file does not tell. ``lines``: how many physical
    lines the file has, its head included.
    """

    path: Path
    sha256: str
    lines: int
    samples: pd.DataFrame


def telemetry(log: Path, sha256: str) -> Telemetry | None:
    """The ``gpu.csv`` beside a log, whose sha256 is given.

    None where there is none, or where no run.json says that it is of this very log. Raises LogError, which names the
    line, when it is broken.
    """
    path = side_file(log, sha256, TELEMETRY)
    return None if path is None else telemetry_file(path)


def telemetry_file(path: Path) -> Telemetry:
    """What a ``gpu.csv`` says; raises LogError, which names the line, when it is broken."""
    return _telemetry(
        path, _whole(path, side_table(path, TELEMETRY_COLUMNS, TELEMETRY_COLUMNS[:2], LATER_COLUMNS), "card")
    )


def card_processes(log: Path, sha256: str) -> Telemetry | None:
    """The ``gpu_processes.csv`` beside a log, whose sha256 is given; None, and LogError, as of ``telemetry``."""
    path = side_file(log, sha256, CARD_PROCESSES)
    if path is None:
        return None
    table = side_table(path, CARD_PROCESS_COLUMNS, CARD_PROCESS_COLUMNS[:3], words=("name",))
    return _telemetry(path, _whole(path, _whole(path, table, "card"), "pid"))


def _whole(path: Path, table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The table with a column of whole numbers from 0; raises LogError for another one, which names the line."""
    numbers = table[column].to_numpy()
    wrong = ~(numbers % 1 == 0) | (numbers < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        message = NO_CARD if column == "card" else NO_PROCESS
        raise LogError.at(path, message, line=row + 2, said=f"{numbers[row]:g}")
    return table.assign(**{column: numbers.astype(np.int64)})


def process_telemetry(log: Path, sha256: str) -> Telemetry | None:
    """The ``cpu.csv`` beside a log, whose sha256 is given; None, and LogError, as of ``telemetry``."""
    path = side_file(log, sha256, PROCESSES)
    return None if path is None else _telemetry(path, side_table(path, PROCESS_COLUMNS, PROCESS_COLUMNS[:2]))


def _telemetry(path: Path, table: pd.DataFrame) -> Telemetry:
    samples = table.assign(time=times(table["time"]))
    samples.insert(0, "line", np.arange(2, len(table) + 2))
    return Telemetry(path, sha256_of(path), len(table) + 1, samples)
