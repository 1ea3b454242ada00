"""Commands of this room: which formats are known, and the records of a log for people who want the data frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .general.command import draft_format
from .ingesting.command import ingest
from .io.errors import ParserError
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
    from .io.errors import told
    from .io.message import counted
    from .runs.reading import read
    from .runs.record_file import write

    if any(out.exists() and log.exists() and out.samefile(log) for log in logs):
        raise Unreadable(f"--out {printable(out)} is one of the logs; write the records into another file.")
    tables, unreadable = [], []
    for log in logs:
        try:
            tables.append((printable(log), read(log, format=format_).parts[0].table))
        except (ParserError, OSError) as error:
            unreadable.append(told(error))
    if tables:
        try:
            write(tables, out)
        except ParserError as error:
            raise Unreadable(error) from error
        count = counted(sum(len(table) for _, table in tables), "record")
        say(f"Wrote {count} from {counted(len(tables), 'log')} to {out}.")
    if unreadable:
        raise Unreadable(*unreadable)


commands: list[click.Command] = [formats, draft_format, ingest, parse, scrub]
