"""Side files of a run: tables of numbers that the launcher writes beside a log."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from ..io.errors import LogError
from ..io.lazy import pd
from ..io.regular import opened
from .runfile import describes, run_file

GREATEST = 1e12  # no time, size or clock that a side file states comes near it


def side_file(log: Path, sha256: str, name: str) -> Path | None:
    """The side file of a log's run; None where there is none, or where no run.json says that it is of this very log.

    ``sha256`` is that of the log. Raises LogError when run.json is broken.
    """
    path = log.with_name(name)
    return path if path.exists() and describes(run_file(log), log, sha256) else None


def side_table(path: Path, columns: Sequence[str], needed: Sequence[str]) -> pd.DataFrame:
    """The table of a side file: these columns, float64, one row a physical line from the second on; NaN where empty.

    Raises LogError that names the line where the file has other columns, no number, or an empty cell of a ``needed``
    column.
    """
    rows = list(_rows(path, len(columns)))
    if not rows or rows[0] != list(columns):
        raise LogError(f"{path}: line 1 is no head of this file; it is {','.join(columns)}.")
    texts = pd.DataFrame(rows[1:], columns=list(columns), dtype=object)
    numbers = pd.DataFrame({name: pd.to_numeric(texts[name], errors="coerce").astype(np.float64) for name in columns})
    allowed = (numbers.abs() < GREATEST) | ((texts == "") & ~numbers.columns.isin(needed))
    for row, column in np.argwhere(~allowed.to_numpy())[:1]:
        raise LogError(f"{path}: line {row + 2}: {columns[column]} is {texts.iat[row, column]!r}; it is a number.")
    return numbers


def _rows(path: Path, width: int) -> Iterator[list[str]]:
    number = 0
    try:
        with TextIOWrapper(opened(path), encoding="utf-8", errors="replace", newline="\n") as file:
            for number, row in enumerate(csv.reader(file, quoting=csv.QUOTE_NONE), 1):
                if len(row) != width:
                    raise LogError(f"{path}: line {number} has {len(row)} columns; there are {width}.")
                yield row
    except csv.Error as error:
        raise LogError(f"{path}: line {number + 1} is no line of a table ({error}).") from error
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror}.") from error


def times(seconds: pd.Series[float]) -> pd.Series[pd.Timestamp]:
    """Unix seconds as datetime64[us] in UTC, exact to the millisecond that a side file states."""
    return pd.to_datetime((seconds * 1000).round().astype(np.int64), unit="ms").astype("datetime64[us]")
