"""Commands of this room: the known formats, a grammar for a log of none, records as a table, logs in and copies out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .io.errors import FormatError, ParserError
from .io.message import counted
from .io.printable import Unreadable, printable, say
from .sharing import JOBS, SCHEDULER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .scrubbing.copies import ScrubOutcome, Secrets
    from .unknown.judge import Speed


CLAIMED = "is of the known format {name}; read it with `tachograph show`."
NO_DRAFT = "does not say how fast it trained; `tachograph show {log}` lists what --read could say of its numbers."
NOT_A_GRAMMAR = "the name of a grammar ends in .lark."
# A log that cannot be read is told when its turn comes: it does not keep the others.
LOGS = click.argument("logs", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
FORMAT = click.option("--format", "format_", metavar="NAME|FILE.lark", help="Log format.  [default: detected]")
READ = click.option("--read", metavar="NAME=UNIT", help="What a number of the log measures, such as dt=ms/step.")


@click.command()
def formats() -> None:
    """List the known log formats.

    \b
    Examples:
      tachograph formats
    """
    from .grammar.format import load
    from .scanning.detection import grammars

    unreadable = []
    try:
        for path in grammars().values():
            try:
                fmt = load(path)
                say(f"{fmt.name:<24} {fmt.about}")
            except ParserError as error:
                unreadable.append(error)
    except ParserError as error:
        unreadable.append(error)
    if unreadable:
        raise Unreadable(*unreadable)


@click.command()
@LOGS
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Output file: .csv or .parquet.")
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

    The grammar reads the log as `tachograph show` does without one, or with the same --read.

    All commands know the grammars in the folder that $TACHOGRAPH_FORMATS names.

    \b
    Examples:
      tachograph format train.log --out my.lark
      tachograph show train.log --format my.lark
      tachograph format train.log --read 'tok_s=tokens/s of card' --out formats/my.lark
    """
    from .io.files import whole, writing
    from .runs.reading import survey
    from .unknown.draft import draft

    if out.suffix != ".lark":
        raise click.BadParameter(f"{out}: {NOT_A_GRAMMAR}", param_hint="--out")
    try:
        grammar = draft(_speed(log, read, scope))
        with writing(out.parent):
            out.parent.mkdir(parents=True, exist_ok=True)
        with whole(out) as unfinished:
            unfinished.write_text(grammar, encoding="utf-8")
        reading = survey(log, format=out)
    except ParserError as error:
        raise Unreadable(error) from error
    columns = ", ".join(dict.fromkeys(name for _, name in reading.fields))
    lines = counted(reading.account.total, "line")
    say(f"Wrote {out}: it reads {reading.account.matched} of {lines} of {log}, with {columns}.")
    say(f"Read the log with: tachograph show {log} --format {out}")


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


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--into", required=True, type=click.Path(file_okay=False, path_type=Path), help="Output folder.")
@JOBS
@SCHEDULER
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file, those that are skipped too.")
@READ
def ingest(
    sources: tuple[str, ...],
    into: Path,
    jobs: int | None,
    scheduler: str | None,
    as_json: bool,
    read: str | None,
) -> None:
    """Turn the logs of SOURCES into run folders: INTO/CASE/REPEAT/train.log with a run.json that records its origin.

    SOURCE is a log, a folder, a tar or zip archive, a git checkout, or a URL (http://, s3:// and others supported by
    fsspec; no redirect to another host is followed). All text files with metric lines of a known format are logs, those
    that SOURCES name, and those with the number of --read, which run.json keeps. Existing run folders are not changed.
    An archive or compressed log may unpack to 64 MiB or 250 times its size, whichever is larger; an archive may have
    65,536 members, and a download 64 GiB. With --scheduler, SOURCES and INTO must be on disks shared by all workers.

    Exit status 1 if a file was unreadable or no log was found, 2 for wrong use.

    \b
    Examples:
      tachograph ingest ../Perf --into logs/perf
      tachograph ingest results.tar.gz more.zip train.log.gz --into logs/lab
      tachograph ingest s3://bucket/runs/ --into logs/cloud --scheduler tcp://head:8786
    """
    from .ingesting.ingest import Ingested, objects, sentences, unreadable
    from .ingesting.ingest import ingest as ingested
    from .ingesting.sources import missing
    from .sharing.workers import Workers
    from .unknown.option import parse_option

    # One that is missing beside others does not stop these: it is told with what else is unreadable.
    if len(gone := missing(sources)) == len(sources):
        raise Unreadable(*(f"{source}: file or folder not found." for source in gone))
    try:
        if read is not None:
            parse_option(read)
        events = list(ingested(sources, into, Workers(jobs, scheduler), read))
    except ParserError as error:
        raise Unreadable(error) from error
    for line in objects(events) if as_json else sentences(events, into, sources):
        say(line)
    problems = [f"Error: {left.name}: {left.reason}" for left in unreadable(events)]
    if not problems and not any(isinstance(event, Ingested) for event in events):
        problems = ["Error: No logs found."]
    for line in problems:
        say(line, err=True)
    sys.exit(1 if problems else 0)


KINDS = {
    "host": "host name",
    "user": "user name",
    "email": "e-mail address",
    "address": "private address",
    "credential": "credential",
}


@click.command()
@LOGS
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Output folder.")
@FORMAT
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="Host name to replace anywhere.")
@click.option("--user", "users", multiple=True, metavar="NAME", help="User name to replace anywhere.")
@click.option("--keep", multiple=True, metavar="NAME", help="Name to keep.")
def scrub(
    logs: tuple[Path, ...],
    out: Path,
    format_: str | None,
    hosts: tuple[str, ...],
    users: tuple[str, ...],
    keep: tuple[str, ...],
    secrets: Callable[[], Secrets],
) -> None:
    """Write anonymized copies of LOGS that give the same results.

    Names of hosts and users, home folders, e-mail addresses, private addresses and credentials are replaced, the same
    name by the same placeholder in all copies. A log may also be a run folder, or a folder of them; the other files
    of a run are copied as well. Names without a recognizable marker are not detected: review the copies before
    publishing, and pass such names with --host or --user.

    \b
    Examples:
      tachograph scrub train.log --out public
      tachograph scrub logs/my-suite --out public --user jdoe
    """
    from .io.errors import told
    from .scrubbing.copies import copied, sources
    from .scrubbing.identities import Identity

    if not all((*hosts, *users, *keep)):
        raise click.UsageError("--host, --user and --keep must not be empty.")
    given = [Identity(kind, os.fsencode(name)) for kind, names in (("host", hosts), ("user", users)) for name in names]
    try:
        outcome = copied(sources(logs), out, secrets(), given=given, keep=map(os.fsencode, keep), format=format_)
    except (ParserError, OSError) as error:
        raise Unreadable(told(error)) from error
    for line in _scrubbed(outcome, out):
        say(line)
    if outcome.problems:
        raise Unreadable(*outcome.problems)


def _scrubbed(outcome: ScrubOutcome, out: Path) -> Iterator[str]:
    """How many of each kind; never which, for what is printed here may be published, too."""
    copies = len(outcome.copies)
    yield f"Wrote 1 copy to {out}." if copies == 1 else f"Wrote {copies} copies to {out}."
    if copies and not outcome.replaced:
        yield "No names, addresses or credentials found."
    for kind, noun in KINDS.items():
        if count := outcome.replaced[kind]:
            yield f"Replaced {counted(count, noun)}."


commands: list[click.Command] = [formats, draft_format, ingest, parse, scrub]
