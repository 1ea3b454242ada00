"""Commands of this room: which formats are known, a grammar for a log of none, and the records of a log as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .ingesting.command import ingest
from .io.errors import FormatError, ParserError, WriteError, reason_of
from .io.message import counted, joined
from .io.printable import printable, say
from .io.refusal import Unreadable
from .scrubbing.command import scrub

if TYPE_CHECKING:
    from .general.drafting import Draft
    from .grammar.format import Format


CLAIMED = "is of the known format {name}; read it with `tachograph show`."
NO_DRAFT = "no grammar can be drafted for it: {reasons}."
NO_SCOPE = "has no throughput whose scope is unknown; omit --scope."
NOT_A_GRAMMAR = "the name of a grammar ends in .lark."
# A log that cannot be read is told when its turn comes: it does not keep the others.
LOGS = click.argument("logs", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
FORMAT = click.option("--format", "format_", metavar="NAME|FILE.lark", help="Log format.  [default: detected]")
READ = click.option("--read", metavar="NAME=UNIT", help="What a number of the log measures, such as dt=ms/step.")


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
    from .ranks.ranked_reading import by_rank, read
    from .runs.record_file import write

    if any(out.exists() and log.exists() and out.samefile(log) for log in logs):
        raise Unreadable(f"--out {printable(out)} is one of the logs; write the records into another file.")
    tables, unreadable = [], []
    for log in logs:
        try:
            found = read(log, format=format_)
            tables += [(printable(path), table) for path, table in by_rank(found)]
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


@click.command("format")
@click.argument("log", type=click.Path(readable=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Output file: NAME.lark.")
@click.option("--scope", type=click.Choice(["card", "node", "job"]), help="Whose the throughput is, if you know it.")
def draft_format(log: Path, out: Path, scope: str | None) -> None:
    """Draft a grammar for LOG, of a program that no known format describes.

    Numbers are named by the words and units beside them. A number whose meaning the log does not prove is left out,
    and whose it is (of a card, a node or the job) is unknown unless you say so with --scope, or write it into the
    grammar. A few lines of the log are put into the folder NAME, to test the grammar by; review them before you publish
    them.

    All commands know the grammars in the folder that $TACHOGRAPH_FORMATS names.

    \b
    Examples:
      tachograph format train.log --out my.lark
      tachograph show train.log --format my.lark
      tachograph format train.log --scope job --out formats/my.lark
    """
    if out.suffix != ".lark":
        raise click.BadParameter(f"{out}: {NOT_A_GRAMMAR}", param_hint="--out")
    try:
        drafted = _drafted(log)
        _write(_of_scope(drafted, log, scope) if scope else drafted, log, out)
    except ParserError as error:
        raise Unreadable(error) from error


def _drafted(log: Path) -> Draft:
    from .general.drafting import NoDraft, draft
    from .scanning.detection import detect, formats

    if claimed := detect(log, formats()):
        raise FormatError.at(log, CLAIMED, name=claimed.name)
    found = draft(log)
    if isinstance(found, NoDraft):
        raise FormatError.at(log, NO_DRAFT, reasons=joined("{first}; {second}", found.reasons))
    return found


def _of_scope(found: Draft, log: Path, scope: str) -> Draft:
    from .general.drafting import of_scope

    if (stated := of_scope(found, scope)) is None:
        raise FormatError.at(log, NO_SCOPE)
    return stated


def _write(found: Draft, log: Path, out: Path) -> None:
    from .general.drafting import excerpt
    from .io.atomic_write import whole

    golden = out.with_suffix("") / f"{log.name.partition('.')[0]}.log"
    try:
        golden.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(golden.parent, reason_of(error)) from error
    with whole(out) as unfinished:
        unfinished.write_text(found.text, encoding="utf-8")
    with whole(golden) as unfinished:
        unfinished.write_bytes(excerpt(log, found.reading))
    columns = ", ".join(found.columns)
    say(f"Wrote {out}: it reads {found.used} of {counted(found.total, 'line')} of {log}, with {columns}.")
    for assumed in found.assumed:
        say(f"Assumed: {assumed}.")
    say(f"Wrote {golden}: some of its lines. Read the log with: tachograph show {log} --format {out}")


commands: list[click.Command] = [formats, draft_format, ingest, parse, scrub]
