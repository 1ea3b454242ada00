"""Writing a table of records to a file whose ending says the form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .errors import ParserError
from .lazy import pd

_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": lambda table, path: table.to_csv(path, index=False),
    ".jsonl": lambda table, path: table.to_json(path, orient="records", lines=True, date_format="iso"),
    ".parquet": lambda table, path: table.to_parquet(path, index=False),
}


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a table as csv, json lines or parquet.

    Raises ParserError for another ending, a missing package, or a file that cannot be written.
    """
    writer = _WRITERS.get(path.suffix)
    if writer is None:
        raise ParserError(f"{path}: the ending says how to write; {', '.join(_WRITERS)} are possible.")
    try:
        writer(table, path)
    except OSError as error:
        raise ParserError(f"{path}: cannot be written: {error.strerror or error}.") from error
    except ImportError as error:
        raise ParserError(
            f"{path}: parquet needs the package pyarrow, which is not installed; .csv and .jsonl need nothing."
        ) from error
