"""The command that drafts a page file."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import READ
from parsers.io.printable import say, shell_quoted
from parsers.sharing import JOBS, SCHEDULER

if TYPE_CHECKING:
    from parsers.io.message import Message

FOUND_NOTHING = 1
SUFFIX = ".toml"
EXISTS = "{path} exists already; an existing file is never overwritten."
WROTE = "Wrote {path} (cells: {cells}, logs: {logs})."
NEXT = "Next: `{command}` renders the page in all languages."
MORE_LEFT_OUT = "{count} more files are left out; --verbose lists them."
MOST_LEFT_OUT = 12


@click.command()
@click.argument("page", type=click.Path(path_type=Path))
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--logs",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs that `report` is to use.  [default: logs, or the folder that LOGS share]",
)
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes), if LOGS lack it.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process), if LOGS lack it.")
@READ
@click.option("--verbose", is_flag=True, help="List every file that is left out.")
@JOBS
@SCHEDULER
def init(
    page: Path,
    logs: tuple[Path, ...],
    folder: Path | None,
    cards: int | None,
    batch_size: int | None,
    read: str | None,
    verbose: bool,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    """Draft the page file PAGE from LOGS: logs, run folders, or folders of them.

    Columns are the frameworks; rows are whatever else differs, by what the logs state and their paths say. Texts are
    in all languages. Files that are left out are listed with the reason. An existing
    file is never overwritten.

    Exit status 1 if no log gives a throughput; nothing is written then.

    \b
    Examples:
      tachograph init page logs/nanogpt
      tachograph init my-page.toml logs/lab/resnet50 logs/lab/bert
      tachograph init page ../results/a.log ../results/b.log --read dt=ms/step
    """
    from parsers.io.files import write_new
    from parsers.sharing.workers import Workers
    from parsers.unknown.option import parse_option

    from ..views.publish import LOGS
    from ..wording.words import english
    from .draft import NothingToDraftError, draft_page
    from .logs import named_logs

    states = [(name, count) for name, count in (("cards", cards), ("batch_size", batch_size)) if count]
    path = page if page.suffix == SUFFIX else page.with_name(page.name + SUFFIX)
    if os.path.lexists(path):
        raise click.UsageError(EXISTS.format(path=path))
    try:
        if read:
            parse_option(read)
        named = named_logs(logs, folder, LOGS)
        draft = draft_page(named, path, states, read, Workers(jobs, scheduler))
        write_new(path, draft.text.encode())
    except NothingToDraftError as error:
        _tell(error.left_out, verbose=verbose)
        say(english(error.message), err=True)
        sys.exit(FOUND_NOTHING)
    _tell(draft.left_out, verbose=verbose)
    say(WROTE.format(path=path, cells=len(draft.cases), logs=draft.logs))
    say(NEXT.format(command=_next(path, named.folder, LOGS)))


def _tell(left_out: Sequence["Message"], *, verbose: bool) -> None:
    """Say why files are left out; of many the first."""
    from ..wording.words import english

    shown = left_out if verbose else left_out[:MOST_LEFT_OUT]
    for said in shown:
        say(english(said), err=True)
    if more := len(left_out) - len(shown):
        say(MORE_LEFT_OUT.format(count=more), err=True)


def _next(path: Path, folder: Path, default: Path) -> str:
    """The command that renders the page."""
    words = ["tachograph", "report", str(path), *(() if folder == default else ("--logs", str(folder)))]
    return " ".join(map(shell_quoted, words))
