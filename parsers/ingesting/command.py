"""The command that turns the logs of other people into run folders."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..io.console import live
from ..io.errors import ParserError
from ..io.printable import Unreadable, say
from ..sharing import JOBS, SCHEDULER

if TYPE_CHECKING:
    from .ingest import Event

FOUND_NOTHING = 1


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--into", required=True, type=click.Path(file_okay=False, path_type=Path), help="Output folder.")
@JOBS
@SCHEDULER
@click.option("--read", metavar="NAME=UNIT", help="What a number of the logs measures, such as dt=ms/step.")
@click.option("--verbose", is_flag=True, help="List every skipped file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per log and unreadable file.")
def ingest(
    sources: tuple[str, ...],
    into: Path,
    jobs: int | None,
    scheduler: str | None,
    read: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Turn the logs of SOURCES into run folders: INTO/CASE/REPEAT/train.log with a run.json that records its origin.

    SOURCE is a log, a folder, a tar or zip archive, a git checkout, or a URL (http://, s3:// and others supported by
    fsspec; no redirect to another host is followed). All text files with metric lines of a known format are logs, and
    what SOURCES name. Existing run folders are not changed. An archive or compressed log may unpack to 64 MiB, 250
    times its size, or $TACHOGRAPH_UNPACKED_GIB, whichever is largest; an archive may have 65,536 members, and a
    download 64 GiB. With --scheduler, SOURCES and INTO must be on disks shared by all workers.

    Exit status 1 if a file was unreadable or no log was found, 2 for wrong use.

    \b
    Examples:
      tachograph ingest ../Perf --into logs/perf
      tachograph ingest results.tar.gz more.zip train.log.gz --into logs/lab
      tachograph ingest s3://bucket/runs/ --into logs/cloud --scheduler tcp://head:8786
    """
    from ..sharing.workers import Workers
    from ..unknown.option import parse_option
    from .ingest import Ingested, objects, sentences, unreadable
    from .ingest import ingest as ingested
    from .sources import missing

    # One that is missing beside others does not stop these: it is told with what else is unreadable.
    if len(gone := missing(sources)) == len(sources):
        raise Unreadable(*(f"{source}: file or folder not found." for source in gone))
    try:
        if read is not None:
            parse_option(read)
        events = list(_followed(ingested(sources, into, Workers(jobs, scheduler), read)))
    except ParserError as error:
        raise Unreadable(error) from error
    for line in objects(events) if as_json else sentences(events, into, verbose=verbose):
        say(line)
    problems = [f"Error: {left.name}: {left.reason}" for left in unreadable(events)]
    if not problems and not any(isinstance(event, Ingested) for event in events):
        problems = ["Error: No logs found."]
    for line in problems:
        say(line, err=True)
    sys.exit(FOUND_NOTHING if problems else 0)


def _followed(events: "Iterable[Event]") -> "Iterable[Event]":
    """The same events, on a terminal with a line below that counts them."""
    console = live(err=True)
    if not console.is_terminal:
        return events
    from rich.progress import Progress, TextColumn, TimeElapsedColumn  # other commands do without this

    with Progress(TextColumn("{task.completed} files"), TimeElapsedColumn(), console=console, transient=True) as shown:
        return list(shown.track(events))
