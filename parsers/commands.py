"""Commands of this room: which formats are known, and the records of a log for people who want the data frame."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .general.command import draft_format
from .ingesting.command import ingest
from .io.atomic_write import whole
from .io.errors import ParserError
from .io.extras import install
from .io.lazy import pd
from .io.printable import printable, say
from .io.refusal import Unreadable
from .scrubbing.command import scrub

if TYPE_CHECKING:
    from .grammar.format import Format


# A log that cannot be read is told when its turn comes: it does not keep the others.
LOGS = click.argument("logs", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
FORMAT = click.option("--format", "format_", metavar="NAME|FILE.lark", help="Log format.  [default: detected]")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def formats(as_json: bool) -> None:
    """List the known log formats.

    \b
    Examples:
      tachograph formats
      tachograph formats --json
    """
    from .grammar.format import load
    from .io.errors import ParserError
    from .scanning.detection import grammars

    mistakes = list[ParserError]()
    try:
        for path in grammars().values():
            try:
                say(_line(load(path), as_json=as_json))
            except ParserError as error:
                mistakes.append(error)
    except ParserError as error:
        raise Unreadable(error) from error
    if mistakes:
        raise Unreadable(*mistakes)


def _line(fmt: Format, *, as_json: bool) -> str:
    if not as_json:
        return f"{fmt.name:<24}{fmt.about}"
    kinds = sorted({variant.record for variant in fmt.variants})
    return json.dumps({"format": fmt.name, "about": fmt.about, "line_kinds": kinds}, ensure_ascii=False)


@click.command()
@LOGS
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Output file: .csv, .jsonl or .parquet.")
@FORMAT
def parse(logs: tuple[Path, ...], out: Path, format_: str | None) -> None:
    """Write the records of LOGS as a table: one row per metric line, with its log and line number.

    In .csv files, text that a spreadsheet would read as a formula, such as a name that begins with =, is prefixed with
    an apostrophe, and a carriage return is written as \\r.

    \b
    Examples:
      tachograph parse train.log --out records.csv
      tachograph parse runs/*/train.log.gz --out records.parquet
    """
    from .io.errors import ParserError, told
    from .io.lazy import pd
    from .io.message import counted
    from .runs.reading import read
    # EMPTY

    tables, unreadable = [], []
    for log in logs:
        try:
            tables.append(read(log, format=format_).records.assign(log=printable(log)))
        except (ParserError, OSError) as error:
            unreadable.append(told(error))
    if tables:
        records = pd.concat(tables, ignore_index=True)
        try:
            write(records[["log", *records.columns.drop("log")]], out)
        except ParserError as error:
            raise Unreadable(error) from error
        say(f"Wrote {counted(len(records), 'record')} from {counted(len(tables), 'log')} to {out}.")
    if unreadable:
        raise Unreadable(*unreadable)


commands: list[click.Command] = [formats, draft_format, ingest, parse, scrub]


UNKNOWN_ENDING = "unknown file extension; use one of {endings}."
NO_PYARROW = (
    "writing Parquet requires the package pyarrow, which is not installed; run `{command}`, or use .csv or .jsonl."
)
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
        raise ParserError.at(path, UNKNOWN_ENDING, endings=", ".join(_WRITERS))
    try:
        with whole(path) as unfinished:
            writer(table, unfinished)
    except ImportError as error:
        raise ParserError.at(path, NO_PYARROW, command=install("parquet")) from error
