"""Commands of this room: what is in a log, and the pages."""

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.commands import FORMAT, LOGS, READ
from parsers.io.printable import Unreadable, printable, say
from parsers.sharing import JOBS, SCHEDULER

from .audit.command import audit, recover
from .comparing.command import compare, history
from .drafting.command import init
from .views.commands import archive, export, report, verify, why
from .wording.language_option import LANGUAGE

if TYPE_CHECKING:
    from parsers.sharing.workers import Workers


FOUND_NOTHING = 1
SHOW_FAILED = "{log}: cannot be shown; this is a defect of Tachograph: {error}."


@click.command()
@LOGS
@click.option(
    "--protocol",
    "stated",
    metavar="NAME|key=value,...",
    help="Protocol.  [default: work over time in the steady part; --explain states the rule]",
)
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes).")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process).")
@FORMAT
@READ
@click.option("--all", "wants_all", is_flag=True, help="Show all facts, checks, unmatched lines and warnings.")
@click.option("--explain", "explains", is_flag=True, help="Show the rule, and how the number came out by it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line, with all of it.")
@JOBS
@SCHEDULER
@LANGUAGE
def show(
    logs: tuple[Path, ...],
    stated: str | None,
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    read: str | None,
    wants_all: bool,
    explains: bool,
    as_json: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
) -> None:
    """Show how fast LOGS ran: status, throughput, and what other sources in the log say of it.

    The status is confirmed, unchecked (no second source states the work of a step), contradicted (both sides are shown,
    and no number) or refused (no throughput). A run folder stands for its log. A folder with one log for each rank
    (rank_0.log, workerlog.0, torchrun --log-dir) is read as one run. With --scheduler,
    LOGS must be on a disk shared by all workers. Exit status 1 if a log gives no throughput, 2 if one cannot be read.

    \b
    Examples:
      tachograph show train.log
      tachograph show train.log --explain
      tachograph show train.log --all --cards 8
      tachograph show logs/lab/resnet50/1
      tachograph show outputs/ranks
      tachograph show logs/*/*.log.gz --protocol skip_records=5,statistic=median --json
    """
    from parsers.sharing.workers import Workers

    from .measure.protocol import Protocol
    from .wording.words import Translator

    Translator(language)  # of a wrong language no log is read
    protocol = Protocol.parse(stated) if stated else None
    options = {"protocol": protocol, "cards": cards, "batch_size": batch_size, "format": format_, "read": read}
    wanted = {"wants_all": wants_all, "explains": explains}
    how = (options, wanted, as_json, _terminal(), language)
    sys.exit(max(_print(*found) for found in _shown(logs, Workers(jobs, scheduler), *how)))


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

    from .results import measured_log  # noqa: F401
    from .terminal import show_json, show_text  # noqa: F401

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
    from parsers.io.errors import ParserError, told

    from .results.measured_log import open as open_log
    from .terminal.show_json import as_json, error_as_json
    from .terminal.show_text import shown

    options, wanted, wants_json, (width, colour), language = how
    try:
        found = open_log(log, **options)
        status = FOUND_NOTHING if found.reason else 0
        if not wants_json:
            return status, shown(found, language, colour=colour, width=width, **wanted), False
        text = json.dumps(as_json(found), ensure_ascii=False)
    except (ParserError, Unreadable, OSError) as error:
        said = told(error)
    except Exception as error:  # noqa: BLE001 - a defect that one log meets hides nothing of the others
        name = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        said = SHOW_FAILED.format(log=log, error=name)
    else:
        return status, printable(text) + "\n", False
    if wants_json:
        return Unreadable.exit_code, printable(json.dumps(error_as_json(log, said), ensure_ascii=False)) + "\n", False
    return Unreadable.exit_code, f"Error: {said}", True


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
    why,
    compare,
    history,
    export,
    audit,
    recover,
    archive,
    verify,
]
