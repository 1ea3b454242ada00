"""Commands of this room: what is in a log, and the pages."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.printable import printable, say
from parsers.io.refusal import Unreadable
from parsers.sharing.workers_option import JOBS, SCHEDULER

from .audit.archiving.command import archive, verify
from .audit.findings.command import audit, recover
from .comparing.command import compare
from .comparing.history.command import history
from .rendering.drafting.command import init
from .rendering.exporting.command import export
from .site.command import report, serve
from .why.command import why
from .wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

if TYPE_CHECKING:
    from parsers.sharing.workers import Workers


FOUND_NOTHING = 1
FOLLOWS_BY_ITSELF = "--jobs and --scheduler do not apply to --follow, which reads one log."
FOLLOWS_ONE_LOG = "--follow takes one log; given: {count}."
SHOW_FAILED = "{log}: cannot be shown; this is a defect of Tachograph: {error}."
FOLDER_OF_RUNS = "is a folder of runs; pass a run, such as {run}."


@click.command()
@LOGS
@click.option(
    "--protocol",
    "stated",
    metavar="NAME|key=value,...",
    help="Protocol.  [default: printed throughput if available, otherwise computed; without warm-up]",
)
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes).")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process).")
@FORMAT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--follow", "follows", is_flag=True, help="Show one growing log live; stop with Ctrl-C.")
@JOBS
@SCHEDULER
@LANGUAGE
def show(
    logs: tuple[Path, ...],
    stated: str | None,
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    as_json: bool,
    follows: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
) -> None:
    """Show what is in LOGS: format, run metadata and where it was found, throughput and its stability, line counts.

    A run folder stands for its log. A folder with one log for each rank (rank_0.log, workerlog.0, torchrun --log-dir)
    is read as one run, and its slowest rank is named. With --follow, show the log of a running job again whenever it
    has grown; it may be truncated, rotated, or not exist yet. With --scheduler, LOGS must be on a disk shared by all
    workers. Exit status 1 if a log gives no throughput, 2 if one cannot be read.

    \b
    Examples:
      tachograph show train.log
      tachograph show train.log --protocol tipc --cards 8
      tachograph show logs/lab/resnet50/1
      tachograph show outputs/ranks
      tachograph show logs/*/*.log.gz --protocol skip_records=5,statistic=median --json
      tachograph show --follow train.log --cards 8
    """
    from parsers.io.errors import ParserError
    from parsers.runs.facts import Fact
    from parsers.runs.provenance import option
    from parsers.sharing.workers import Workers

    from .measure.protocol import Protocol, ProtocolError

    translate = translate_to(language)
    try:
        protocol = Protocol.parse(stated) if stated else None
    except ProtocolError as error:
        raise Unreadable(told_in(error, translate)) from error
    options = {"cards": cards, "batch_size": batch_size}
    given = tuple(Fact(name, number, option(name)) for name, number in options.items() if number)
    how = (protocol, given, format_, as_json, _terminal(), language)
    if follows:
        _follow(logs, jobs or scheduler, how)
        return
    try:
        sys.exit(max(_print(*found) for found in _shown(logs, Workers(jobs, scheduler), *how)))
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error


def _log(path: Path) -> Path:
    """The log of a run folder, or the path as it is.

    Raises LogError where a run.json is broken or names no log, and for a folder of runs.
    """
    from parsers.io.errors import LogError
    from parsers.runs.runfile import first_run, log_of

    if run := first_run(path):
        raise LogError.at(path, FOLDER_OF_RUNS, run=run)
    try:
        return log_of(path)
    except OSError:  # reading it tells what is wrong
        return path


def _follow(logs: Sequence[Path], shared: int | str | None, how: tuple[Any, ...]) -> None:
    from parsers.io.errors import ParserError
    from parsers.runs.reading import known_format

    from .terminal.follow import follow

    *_, format_, as_json, _, language = how
    translate = translate_to(language)
    if shared:
        raise wrong_use(translate, FOLLOWS_BY_ITSELF)
    if len(logs) > 1:
        raise wrong_use(translate, FOLLOWS_ONE_LOG, count=len(logs))
    try:
        if format_:
            known_format(format_)  # of a wrong one no log is waited for
        follow(log := _log(logs[0]), partial(_show, how, log), translate, as_display=not as_json)
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error


def _terminal() -> tuple[int, bool]:
    """The width of the terminal, and whether what is printed goes there."""
    from parsers.io.console import live

    return live().width, sys.stdout.isatty()


def _shown(logs: tuple[Path, ...], workers: "Workers", *how: object) -> Iterator[tuple[int, str, bool]]:
    """What ``_show`` returns of each log, in order; raises ParserError where the workers are gone."""
    if len(logs) > 1:
        _load_for_forks()
    with workers.each(partial(_show, how), logs, _bytes) as texts:
        yield from texts


def _load_for_forks() -> None:
    """Import what each log needs and load the formats, so that processes that are forked have them."""
    from parsers.io.errors import ParserError
    from parsers.scanning.detection import formats

    from .evidence import log_summary  # noqa: F401
    from .terminal import summary_text  # noqa: F401

    with suppress(ParserError):  # each log tells it
        formats()


def _bytes(path: Path) -> int:
    """The size of a log; that of the log of a run folder is as good as any other of its run."""
    with suppress(OSError):
        return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))
    return 0


def _show(how: tuple[Any, ...], log: Path) -> tuple[int, str, bool]:
    """Exit status and text of one log, and whether that is for stderr; all work is done here: workers share it.

    An error that nobody expected ends with its log: the others are shown.
    """
    from parsers.io.errors import ParserError
    from parsers.io.message import Message

    from .evidence.log_summary import as_json, summarise
    from .terminal.summary_text import shown
    from .wording.words import worded

    protocol, given, format_, wants_json, (width, colour), language = how
    translate = translate_to(language)
    try:
        summary = summarise(_log(log), protocol, given, format_)
        status = 0 if summary.measurement else FOUND_NOTHING
        if wants_json:
            return status, printable(json.dumps(as_json(summary), ensure_ascii=False)) + "\n", False
        return status, shown(summary, translate, colour=colour, width=width), False
    except (ParserError, Unreadable, OSError) as error:
        return Unreadable.exit_code, f"Error: {told_in(error, translate)}", True
    except Exception as error:  # noqa: BLE001 - a defect that one log meets hides nothing of the others
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if wants_json:
            found = {"log": str(log), "error": said}
            return FOUND_NOTHING, printable(json.dumps(found, ensure_ascii=False)) + "\n", False
        return FOUND_NOTHING, f"Error: {worded(Message(SHOW_FAILED, log=log, error=said), translate)}", True


def _print(status: int, text: str, is_error: bool) -> int:
    from parsers.io.console import show as show_page

    if is_error:
        say(text, err=True)
    else:
        show_page(text)
    return status


commands: list[click.Command] = [
    show,
    init,
    report,
    serve,
    why,
    compare,
    history,
    export,
    audit,
    recover,
    archive,
    verify,
]
