"""The file that the records of logs are written to: some at a time, so that a large log is in memory once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..io.cache import pd
from ..io.errors import ParserError, install
from ..io.files import whole
from ..scanning.record_table import RecordTable

UNKNOWN_ENDING = "unknown file extension; use one of {endings}."
NO_PYARROW = "writing Parquet requires the package pyarrow, which is not installed; run `{command}`, or use .csv."
ROWS = 1 << 13
# A spreadsheet takes a cell that begins so for a formula, unless it is a number; OWASP lists them.
_FORMULA = re.compile(r"(?=[=+\-@\t\r\n＝＋－＠])(?![+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z)")

Tables = Sequence[tuple[str, RecordTable]]


def write(tables: Tables, path: Path) -> None:
    """Write the records of logs, each with the name of its log, as csv or parquet, whole or not at all.

    In csv an apostrophe stands before a text that would be a formula. Raises ParserError for another ending, a missing
    package, or a file that cannot be written.
    """
    writers = {".csv": _write_csv, ".parquet": _write_parquet}
    if path.suffix not in writers:
        raise ParserError.at(path, UNKNOWN_ENDING, endings=", ".join(writers))
    try:
        with whole(path) as unfinished:
            writers[path.suffix](_frames(tables), unfinished)
    except ImportError as error:
        raise ParserError.at(path, NO_PYARROW, command=install("parquet")) from error


def no_formula(text: str) -> str:
    """A text with an apostrophe before what would be a formula."""
    mark = "'" if _FORMULA.match(text) else ""
    # A carriage return begins a row for some readers, and is not quoted.
    return f"{mark}{text}".replace("\r", r"\r")


def _write_csv(frames: Iterator[pd.DataFrame], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, rows in enumerate(frames):
            for name in rows.columns[rows.dtypes.map(pd.api.types.is_string_dtype)]:
                rows[name] = rows[name].map(no_formula, na_action="ignore")
            rows.to_csv(file, index=False, header=not number, lineterminator="\n")


def _write_parquet(frames: Iterator[pd.DataFrame], path: Path) -> None:
    pd.concat(frames, ignore_index=True).to_parquet(path, index=False)


def _frames(tables: Tables) -> Iterator[pd.DataFrame]:
    """The records of all tables, so many at a time, with the columns of all; what is not there is missing.

    Whole numbers that some records lack are floating; texts of one log beside numbers of another stay what they are.
    """
    types: dict[str, list[object]] = {}
    for _, table in tables:
        for name in table:
            types.setdefault(name, []).append(table[name].dtype)
    floating = {name for name, of in types.items() if len(of) < len(tables) or len({*of}) > 1}
    for log, table in tables:
        for start in range(0, len(table), ROWS):
            rows = table.rows(slice(start, start + ROWS)).frame.reindex(columns=[*types])
            rows = rows.astype({name: np.float64 for name in floating if rows[name].dtype.kind in "iu"})
            rows.insert(0, "log", log)
            yield rows
