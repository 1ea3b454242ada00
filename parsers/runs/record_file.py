"""The file that the records of logs are written to: some at a time, so that a large log is in memory once."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.format import METRICS
from ..io.errors import ParserError, install
from ..io.files import whole
from ..io.lazy import pd
from ..scanning.columns import Array
from ..scanning.record_table import RECORD, RecordTable

UNKNOWN_ENDING = "unknown file extension; use one of {endings}."
NO_PYARROW = (
    "writing Parquet requires the package pyarrow, which is not installed; run `{command}`, or use .csv or .jsonl."
)
LOG = "log"
ROWS = 1 << 13
# A spreadsheet takes a cell that begins so for a formula, unless it is a number; OWASP lists them.
_FORMULA = re.compile(r"(?=[=+\-@\t\r\n＝＋－＠])(?![+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z)")
_MICROSECONDS = {"D": 24 * 60 * 60 * 1_000_000, "s": 1_000_000, "ms": 1_000, "us": 1}

Tables = Sequence[tuple[str, RecordTable]]
Types = Mapping[str, np.dtype[Any]]
Cells = list[Any]


class Spelling(NamedTuple):
    """How cells are written: a text, which numbers are values, and a time, by the first unit that holds it exactly."""

    text: Callable[[str], str]
    are_values: Callable[[Array], NDArray[np.bool_]]
    units: Sequence[str]
    before_clock: str


def write(tables: Tables, path: Path) -> None:
    """Write the records of logs, each with the name of its log, as csv, json lines or parquet, whole or not at all.

    In csv an apostrophe stands before a text that would be a formula. Raises ParserError for another ending, a missing
    package, or a file that cannot be written.
    """
    writer = _WRITERS.get(path.suffix)
    if writer is None:
        raise ParserError.at(path, UNKNOWN_ENDING, endings=", ".join(_WRITERS))
    try:
        with whole(path) as unfinished:
            writer(tables, unfinished)
    except ImportError as error:
        raise ParserError.at(path, NO_PYARROW, command=install("parquet")) from error


def no_formula(text: str) -> str:
    """A text with an apostrophe before what would be a formula."""
    mark = "'" if _FORMULA.match(text) else ""
    # A carriage return begins a row for some readers, and is not quoted.
    return f"{mark}{text}".replace("\r", r"\r")


IN_CSV = Spelling(no_formula, lambda column: ~np.isnan(column), ("D", "s", "ms", "us"), " ")
IN_JSON = Spelling(str, np.isfinite, ("ms", "us"), "T")


def _write_csv(tables: Tables, path: Path) -> None:
    types = _types(tables)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([LOG, *types])
        for rows in _rows(tables, types, IN_CSV):
            out.writerows(rows)


def _write_json_lines(tables: Tables, path: Path) -> None:
    types = _types(tables)
    names, encoded = [LOG, *types], json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
    with path.open("w", encoding="utf-8", newline="") as file:
        for rows in _rows(tables, types, IN_JSON):
            file.writelines(f"{encoded(dict(zip(names, row, strict=True)))}\n" for row in rows)


def _write_parquet(tables: Tables, path: Path) -> None:
    records = pd.concat([table.frame.assign(**{LOG: log}) for log, table in tables], ignore_index=True)
    records[[LOG, *records.columns.drop(LOG)]].to_parquet(path, index=False)


_WRITERS = {".csv": _write_csv, ".jsonl": _write_json_lines, ".parquet": _write_parquet}


def _types(tables: Tables) -> Types:
    """The type of each column of all tables; whole numbers that some records lack are floating."""
    found: dict[str, list[np.dtype[Any]]] = {}
    for _, table in tables:
        for name in table:
            found.setdefault(name, []).append(table[name].dtype)
    for types in found.values():
        if len(types) < len(tables) and types[0].kind in "iu":
            types.append(np.dtype(np.float64))
    return {name: np.result_type(*types) for name, types in found.items()}


def _rows(tables: Tables, types: Types, spelling: Spelling) -> Iterator[Iterator[tuple[Any, ...]]]:
    """The rows of all tables, so many at a time; a cell that is not there is None."""
    for log, table in tables:
        for start in range(0, len(table), ROWS):
            part = table.rows(slice(start, start + ROWS))
            columns = [_column(part, name, types[name], spelling) for name in types]
            yield zip([spelling.text(log)] * len(part), *columns, strict=True)


def _column(part: RecordTable, name: str, type_: np.dtype[Any], spelling: Spelling) -> Cells:
    if name not in part:
        return [None] * len(part)
    if name == RECORD:
        return [METRICS[code] for code in part[name].tolist()]
    # Texts of one log beside numbers of another stay what they are.
    column = part[name] if type_.kind == "O" else part[name].astype(type_, copy=False)
    return _cells(column, spelling)


def _cells(column: Array, spelling: Spelling) -> Cells:
    """The values of a column as they are written."""
    if column.dtype.kind == "O":
        return [spelling.text(cell) if isinstance(cell, str) else cell for cell in column.tolist()]
    if column.dtype.kind == "M":
        return _times(column, spelling)
    cells: Cells = column.tolist()
    for row in np.flatnonzero(~spelling.are_values(column)).tolist():
        cells[row] = None
    return cells


def _times(column: NDArray[np.datetime64], spelling: Spelling) -> Cells:
    told = column[~np.isnat(column)].view(np.int64)
    unit = next(unit for unit in spelling.units if not (told % _MICROSECONDS[unit]).any())
    texts = np.datetime_as_string(column.astype(f"datetime64[{unit}]")).tolist()
    return [None if text == "NaT" else text.replace("T", spelling.before_clock) for text in texts]
