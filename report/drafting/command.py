"""The command that drafts a page file."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from parsers.commands import READ
from parsers.io.printable import say, shell_quoted
from parsers.sharing import JOBS, SCHEDULER

FOUND_NOTHING = 1
SUFFIX = ".toml"
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
@JOBS
@SCHEDULER
def init(
    page: Path,
    logs: tuple[Path, ...],
    folder: Path | None,
    cards: int | None,
    batch_size: int | None,
    read: str | None,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    """Draft the page file PAGE from LOGS: logs, run folders, or folders of them.

    Columns are the frameworks where these ran the same cases; else there is a row for each case, called by what its
    logs state and their paths say, and a column for each quantity that all logs give. Texts are in all languages.
    Files that are left out are listed with the reason. An existing file is never overwritten.

    Exit status 1 if no log gives a throughput; nothing is written then.

    \b
    Examples:
      tachograph init page logs/nanogpt
      tachograph init my-page.toml logs/lab/resnet50 logs/lab/bert
      tachograph init page ../results/a.log ../results/b.log --read dt=ms/step
    """
    from parsers.io.files import whole
    from parsers.sharing.workers import Workers
    from parsers.unknown.option import parse_option

    from ..views.publish import LOGS
    from .draft import NothingToDraftError, draft_page
    from .logs import named_logs

    states = [(name, count) for name, count in (("cards", cards), ("batch_size", batch_size)) if count]
    path = page if page.suffix == SUFFIX else page.with_name(page.name + SUFFIX)
    if os.path.lexists(path):
        raise click.UsageError(f"{path} exists already; an existing file is never overwritten.")
    try:
        if read:
            parse_option(read)
        named = named_logs(logs, folder, LOGS)
        draft = draft_page(named, path, states, read, Workers(jobs, scheduler))
        with whole(path) as made:
            made.write_text(draft.text, encoding="utf-8")
    except NothingToDraftError as error:
        _tell(error.left_out)
        say(error, err=True)
        sys.exit(FOUND_NOTHING)
    _tell(draft.left_out)
    say(f"Wrote {path} (cells: {len(draft.cases)}, logs: {draft.logs}).")
    words = ["tachograph", "report", str(path), *(() if named.folder == LOGS else ("--logs", str(named.folder)))]
    say(f"Next: `{' '.join(map(shell_quoted, words))}` renders the page in all languages.")


def _tell(left_out: Sequence[str]) -> None:
    """Say why files are left out; of many the first."""
    for said in left_out[:MOST_LEFT_OUT]:
        say(said, err=True)
    if (more := len(left_out) - MOST_LEFT_OUT) > 0:
        say(f"{more} more files are left out.", err=True)
