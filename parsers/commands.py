"""Commands of this room: which formats are known, a grammar for a log of none, and the records of a log as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .ingesting.command import ingest
from .io.errors import FormatError, ParserError, WriteError, reason_of
from .io.message import counted
from .io.printable import Unreadable, printable, say
from .scrubbing.command import scrub

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .grammar.format import Format
    from .runs.reading import Reading
    from .unknown.speed import Speed


CLAIMED = "is of the known format {name}; read it with `tachograph show`."
NO_DRAFT = "does not say how fast it trained; `tachograph show {log}` lists what --read could say of its numbers."
NOT_A_GRAMMAR = "the name of a grammar ends in .lark."
# Of the lines that go beside a grammar to test it by.
MOST_READ = 20
MOST_OTHER = 10
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
    from .runs.ranks import by_rank, read
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
@READ
@click.option("--scope", type=click.Choice(["card", "node", "job"]), help="Whose the throughput is, if you know it.")
def draft_format(log: Path, out: Path, read: str | None, scope: str | None) -> None:
    """Draft a grammar for LOG, of a program that no known format describes.

    The grammar reads the log as `tachograph show` does without one, or with the same --read. A few lines of the log are
    put into the folder NAME, to test the grammar by; review them before you publish them.

    All commands know the grammars in the folder that $TACHOGRAPH_FORMATS names.

    \b
    Examples:
      tachograph format train.log --out my.lark
      tachograph show train.log --format my.lark
      tachograph format train.log --read 'tok_s=tokens/s of card' --out formats/my.lark
    """
    from .unknown.draft import draft

    if out.suffix != ".lark":
        raise click.BadParameter(f"{out}: {NOT_A_GRAMMAR}", param_hint="--out")
    try:
        _write(draft(_speed(log, read, scope)), log, out)
    except ParserError as error:
        raise Unreadable(error) from error


def _speed(log: Path, read: str | None, scope: str | None) -> Speed:
    """What is known of the numbers of a log, or what somebody says of one; raises ParserError."""
    from .scanning.detection import detect, formats
    from .unknown.answer import Accepted, answer

    if read is None and (claimed := detect(log, formats())):
        raise FormatError.at(log, CLAIMED, name=claimed.name)
    found = answer(log, read)
    if isinstance(found, Accepted) and scope:
        found = answer(log, found.speed.option.of(scope))
    if not isinstance(found, Accepted):
        raise FormatError.at(log, NO_DRAFT, log=log)
    return found.speed


def _write(grammar: str, log: Path, out: Path) -> None:
    from .io.files import whole
    from .runs.reading import survey

    golden = out.with_suffix("") / f"{log.name.partition('.')[0]}.log"
    try:
        golden.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(golden.parent, reason_of(error)) from error
    with whole(out) as unfinished:
        unfinished.write_text(grammar, encoding="utf-8")
    reading = survey(log, format=out)
    with whole(golden) as unfinished:
        unfinished.write_bytes(b"".join(_excerpt(log, reading)))
    columns = ", ".join(dict.fromkeys(name for _, name in reading.fields))
    lines = counted(reading.account.total, "line")
    say(f"Wrote {out}: it reads {reading.account.matched} of {lines} of {log}, with {columns}.")
    say(f"Wrote {golden}: some of its lines. Read the log with: tachograph show {log} --format {out}")


def _excerpt(log: Path, reading: Reading) -> Iterator[bytes]:
    """The first lines of a log that a reading has records of, and the first others, in their order and as they are."""
    from .scanning.detection import known_shapes
    from .scanning.text import LogText

    read, others = set(reading.records["line"].tolist()[:MOST_READ]), 0
    for lines in LogText(log).blocks(known_shapes(())):
        for row in range(len(lines)):
            number = lines.before + row + 1
            others += number not in read
            if number in read or others <= MOST_OTHER:
                yield lines.data[int(lines.starts[row]) : int(lines.ends[row])]
        if lines.before + len(lines) >= max(read, default=0):
            return


commands: list[click.Command] = [formats, draft_format, ingest, parse, scrub]
