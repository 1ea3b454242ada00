"""Side files of a run: tables of numbers that the launcher writes beside a log."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.input_file import opened
from ..io.lazy import pd
from .runfile import describes, run_file

NO_HEAD = "line 1 is not the expected header {columns}."
NO_NUMBER = "line {line}: {column} is {said}; expected a number."
OTHER_WIDTH = "line {line} has {count} columns; expected {width}."
NO_ROW = "line {line} is not a valid table row ({reason})."
ONE_COLUMN = "line {line} has one column; expected {width}."
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
        raise LogError.at(path, NO_HEAD, columns=",".join(columns))
    texts = pd.DataFrame(rows[1:], columns=list(columns), dtype=object)
    numbers = pd.DataFrame({name: pd.to_numeric(texts[name], errors="coerce").astype(np.float64) for name in columns})
    allowed = (numbers.abs() < GREATEST) | ((texts == "") & ~numbers.columns.isin(needed))
    for row, column in np.argwhere(~allowed.to_numpy())[:1]:
        raise LogError.at(path, NO_NUMBER, line=row + 2, column=columns[column], said=repr(texts.iat[row, column]))
    return numbers


def _rows(path: Path, width: int) -> Iterator[list[str]]:
    number = 0
    try:
        with TextIOWrapper(opened(path), encoding="utf-8", errors="replace", newline="\n") as file:
            for number, row in enumerate(csv.reader(file, quoting=csv.QUOTE_NONE), 1):
                if len(row) != width:
                    key = ONE_COLUMN if len(row) == 1 else OTHER_WIDTH
                    raise LogError.at(path, key, line=number, count=len(row), width=width)
                yield row
    except csv.Error as error:
        raise LogError.at(path, NO_ROW, line=number + 1, reason=error) from error
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error


def times(seconds: pd.Series[float]) -> pd.Series[pd.Timestamp]:
    """Unix seconds as datetime64[us] in UTC, exact to the millisecond that a side file states."""
    return pd.to_datetime((seconds * 1000).round().astype(np.int64), unit="ms").astype("datetime64[us]")
