"""The command that turns the logs of other people into run folders."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..io.console import Text
from ..io.console import live as live_console
from ..io.printable import Unreadable, say
from ..sharing.workers_option import JOBS, SCHEDULER

if TYPE_CHECKING:
    from ..scrubbing.scrub import Secrets
    from ..sharing.workers import Workers
    from .ingest import Event

_TICK = 0.2  # seconds


def followed(events: "Iterable[Event]") -> "Iterator[Event]":
    """The same events, with a line below that counts them."""
    from rich.live import Live  # other commands do without this, and without all that ingesting needs

    from .ingest import Ingested

    console = live_console(err=True)
    if not console.is_terminal:
        yield from events
        return
    logs, shown, start = 0, 0.0, time.monotonic()
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for count, event in enumerate(events, 1):
            logs += isinstance(event, Ingested)
            if (now := time.monotonic()) - shown >= _TICK:
                shown = now
                name = event.found if isinstance(event, Ingested) else getattr(event, "name", "")
                live.update(_line(str(name), count, logs, now - start), refresh=True)
            yield event


def _line(name: str, count: int, logs: int, seconds: float) -> Text:
    """How many files, how long, and the last of them."""
    elapsed = time.strftime("%H:%M:%S", time.gmtime(seconds))
    return Text(f"{logs} logs of {count} files  {elapsed}  {name}", style="bold", no_wrap=True, overflow="ellipsis")


FOUND_NOTHING = 1


OPTIONS = (
    click.argument("sources", nargs=-1, required=True, metavar="SOURCE..."),
    click.option("--into", required=True, type=click.Path(file_okay=False, path_type=Path), help="Output folder."),
    JOBS,
    SCHEDULER,
    click.option("--read", metavar="NAME=UNIT", help="What a number of the logs measures, such as dt=ms/step."),
    click.option("--scrub", is_flag=True, help="Replace names, addresses and credentials."),
    click.option("--verbose", is_flag=True, help="List every skipped file."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object per log and unreadable file."),
)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    return reduce(lambda given, option: option(given), reversed(OPTIONS), command)


@click.command()
@_options
def ingest(
    sources: tuple[str, ...],
    into: Path,
    *,
    verbose: bool,
    as_json: bool,
    secrets: "Callable[[], Secrets]",
    **how: Any,
) -> None:
    """Turn the logs of SOURCES into run folders: INTO/CASE/REPEAT/train.log with a run.json that records its origin.

    SOURCE is a log, a folder, a tar or zip archive, a git checkout, or a URL (http://, s3:// and others supported by
    fsspec). All text files with metric lines of a known format are logs, and what SOURCES name. Existing run folders
    are not changed. An archive or compressed log may unpack to 64 MiB, 250 times its size, or $TACHOGRAPH_UNPACKED_GIB,
    whichever is largest; an archive may have 65,536 members, and a download 64 GiB. With --scheduler, SOURCES, INTO and
    $TMPDIR must be on disks shared by all workers.

    Exit status 1 if a file was unreadable or no log was found, 2 for wrong use.

    \b
    Examples:
      tachograph ingest ../Perf --into logs/perf
      tachograph ingest results.tar.gz more.zip train.log.gz --into logs/lab
      tachograph ingest s3://bucket/runs/ --into logs/cloud --scheduler tcp://head:8786
    """
    from .ingest import IngestTally
    from .sources import missing

    # One that is missing beside others does not stop these: it is told with what else is unreadable.
    if len(gone := missing(sources)) == len(sources):
        raise Unreadable(*(f"{source}: file or folder not found." for source in gone))
    tally = IngestTally(verbose=verbose)
    for event in _events(sources, into, secrets, **how):
        tally.add(event)
    for line in tally.objects() if as_json else tally.sentences(into):
        say(line)
    for line in tally.problems():
        say(line, err=True)
    sys.exit(0 if tally.is_well else FOUND_NOTHING)


def _events(
    sources: tuple[str, ...],
    into: Path,
    secrets: "Callable[[], Secrets]",
    *,
    jobs: int | None,
    scheduler: str | None,
    read: str | None,
    scrub: bool,
) -> "Iterator[Event]":
    """What becomes of each file, as it happens; raises Unreadable where the work cannot be done."""
    from ..io.errors import ParserError
    from ..sharing.workers import Workers
    from ..unknown.option import parse_option

    try:
        if read is not None:
            parse_option(read)
        yield from followed(_found(sources, into, Workers(jobs, scheduler), read, secrets() if scrub else None))
    except ParserError as error:
        raise Unreadable(error) from error


def _found(
    sources: tuple[str, ...], into: Path, workers: "Workers", read: str | None, secrets: "Secrets | None"
) -> "Iterator[Event]":
    """What becomes of each file, names replaced where there are secrets to look for."""
    from .ingest import ingest as ingested
    from .ingest import ingest_scrubbed

    if secrets is None:
        return ingested(sources, into, workers, read)
    return ingest_scrubbed(sources, into, workers, secrets, read)
