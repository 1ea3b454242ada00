"""The telemetry of a run: what its graphics cards, and its processes, did, once a second."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..io.errors import LogError
from ..io.lazy import pd
from .run_folder import (
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


@dataclass(frozen=True)
class Telemetry:
    """The ``gpu.csv`` of a run, or its ``cpu.csv``.

    ``samples``: DataFrame, one row a row of the file, in its order: ``line`` (int64, physical number from 1), ``time``
    (datetime64[us], UTC), and the columns of ``run_folder`` in their units: ``card`` int64, all others float64, NaN
    where the file does not tell. ``lines``: how many physical lines the file has, its head included.
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
    table = side_table(path, TELEMETRY_COLUMNS, TELEMETRY_COLUMNS[:2], LATER_COLUMNS)
    numbers = table["card"].to_numpy()
    wrong = ~(numbers % 1 == 0) | (numbers < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise LogError.at(path, NO_CARD, line=row + 2, said=f"{numbers[row]:g}")
    return _telemetry(path, table.assign(card=numbers.astype(np.int64)))


def process_telemetry(log: Path, sha256: str) -> Telemetry | None:
    """The ``cpu.csv`` beside a log, whose sha256 is given; None, and LogError, as of ``telemetry``."""
    path = side_file(log, sha256, PROCESSES)
    if path is None:
        return None
    # Files of older runs have the power of the processors behind what is read.
    return _telemetry(path, side_table(path, (*PROCESS_COLUMNS, "power"), PROCESS_COLUMNS[:2], ("power",)))


def _telemetry(path: Path, table: pd.DataFrame) -> Telemetry:
    samples = table.assign(time=times(table["time"]))
    samples.insert(0, "line", np.arange(2, len(table) + 2))
    return Telemetry(path, sha256_of(path), len(table) + 1, samples)
