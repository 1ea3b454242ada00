"""Writing a table of records to a file whose ending says the form."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from .errors import ParserError
from .lazy import pd
from .whole import whole

# A spreadsheet takes a cell that begins so for a formula, unless it is a number; OWASP lists them.
_FORMULA = re.compile(r"(?=[=+\-@\t\r\n＝＋－＠])(?![+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z)")


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    texts = table.select_dtypes(exclude=["number", "datetime"]).columns
    table.assign(**{name: table[name].map(_as_text, na_action="ignore") for name in texts}).to_csv(path, index=False)


def _as_text(cell: object) -> object:
    """A cell with an apostrophe before what would be a formula; what is no text as it is."""
    if not isinstance(cell, str):
        return cell
    mark = "'" if _FORMULA.match(cell) else ""
    # A carriage return begins a row for some readers, and is not quoted.
    return f"{mark}{cell}".replace("\r", r"\r")


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": _write_csv,
    ".jsonl": lambda table, path: table.to_json(path, orient="records", lines=True, date_format="iso"),
    ".parquet": lambda table, path: table.to_parquet(path, index=False),
}


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a table as csv, json lines or parquet, whole or not at all.

    In csv an apostrophe stands before a text that would be a formula.

    Raises ParserError for another ending, a missing package, or a file that cannot be written.
    """
    writer = _WRITERS.get(path.suffix)
    if writer is None:
        raise ParserError(f"{path}: the ending says how to write; {', '.join(_WRITERS)} are possible.")
    try:
        with whole(path) as unfinished:
            writer(table, unfinished)
    except ImportError as error:
        raise ParserError(
            f"{path}: parquet needs the package pyarrow, which is not installed; .csv and .jsonl need nothing."
        ) from error
