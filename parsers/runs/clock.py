"""The clock of a run: when each line of its log arrived, for logs that print no time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..io.errors import LogError
from ..io.lazy import pd
from .run_folder import CLOCK, CLOCK_COLUMNS
from .sidefile import side_file, side_table, times

# What the column `time` of records means when no line prints it.
ARRIVAL = Field("time", "ARRIVAL")
NOT_ASCENDING = "line {line}: line is {said}; line numbers must be whole numbers, start at 1 or later and ascend."


def clock(log: Path, sha256: str) -> pd.DataFrame | None:
    """The ``clock.csv`` beside a log: ``line`` (int64, from 1, ascending) and ``time`` (datetime64[us], UTC).

    A row says that the lines from ``line`` up to the next row's arrived at ``time``. ``sha256`` is that of the log;
    None where there is no clock, or where no run.json says that it is of this very log. Raises LogError, which names
    the line, when it is broken.
    """
    path = side_file(log, sha256, CLOCK)
    if path is None:
        return None
    table = side_table(path, CLOCK_COLUMNS, CLOCK_COLUMNS)
    lines = table["line"].to_numpy()
    wrong = ~(lines % 1 == 0) | (np.diff(lines, prepend=0) <= 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise LogError.at(path, NOT_ASCENDING, line=row + 2, said=f"{lines[row]:g}")
    return pd.DataFrame({"line": lines.astype(np.int64), "time": times(table["time"])})


def arrivals(clock: pd.DataFrame, lines: NDArray[np.int64]) -> NDArray[np.datetime64]:
    """When lines (physical numbers from 1) arrived (datetime64[us], UTC); NaT for lines before those of the clock."""
    rows = np.searchsorted(clock["line"].to_numpy(), lines, side="right") - 1
    known = np.append(clock["time"].to_numpy(), np.datetime64("NaT", "us"))
    found: NDArray[np.datetime64] = known[rows]  # -1 is the last one, which is not a time
    return found
