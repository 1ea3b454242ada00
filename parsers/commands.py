"""Commands of this room: which formats are known, and the records of a log for people who want the data frame."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .ingesting.command import ingest
from .printable import printable, say
from .refusal import Unreadable
from .scrubbing.command import scrub

if TYPE_CHECKING:
    from .format import Format

# A log that cannot be read is told when its turn comes: it does not keep the others.
LOGS = click.argument("logs", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
FORMAT = click.option(
    "--format", "format_", metavar="NAME|FILE.lark", help="Read as this format; by default it is found by itself."
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def formats(as_json: bool) -> None:
    """List the log formats that are known.

    \b
    Examples:
      tachograph formats
      tachograph formats --json
    """
    from .detect import grammars
    from .errors import ParserError
    from .format import load

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


def _line(fmt: "Format", *, as_json: bool) -> str:
    if not as_json:
        return f"{fmt.name:<24}{fmt.about}"
    kinds = sorted({variant.record for variant in fmt.variants})
    return json.dumps({"format": fmt.name, "about": fmt.about, "line_kinds": kinds}, ensure_ascii=False)


@click.command()
@LOGS
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A .csv, .jsonl or .parquet file.")
@FORMAT
def parse(logs: tuple[Path, ...], out: Path, format_: str | None) -> None:
    """Write the records of LOGS as a table: one row a metric line, with its log and its physical line number.

    In a .csv an apostrophe stands before a text that a spreadsheet would take for a formula, such as a name that begins
    with =, and a carriage return in a text is written as \\r.

    \b
    Examples:
      tachograph parse train.log --out records.csv
      tachograph parse runs/*/train.log.gz --out records.parquet
    """
    from .errors import ParserError, told
    from .lazy import pd
    from .reading import read
    from .sentence import counted
    from .writing import write

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
        say(f"Wrote {counted(len(records), 'record')} of {counted(len(tables), 'log')} to {out}.")
    if unreadable:
        raise Unreadable(*unreadable)


commands: list[click.Command] = [formats, ingest, parse, scrub]
