"""The commands that compare two sides of runs, and that show the history of suites."""

import json
import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from parsers.io.printable import say
from parsers.sharing import JOBS, SCHEDULER

from ..wording.language_option import LANGUAGE

if TYPE_CHECKING:
    from .comparison import Comparison
    from .history import History
    from .target import Target

ONE_TARGET = "--target and --board both say what is to be reached; give one of them."
NO_TARGET_OF_BOARD = "The board {board} has no target; state one with --target."
PATH = partial(click.Path, path_type=Path)

OF_BOTH = (
    click.option(
        "--gate",
        metavar="PERCENT",
        help="Smallest slowdown that matters; sets the exit status.  [default: no gate, verdicts for 3%]",
    ),
    click.option(
        "--protocol",
        metavar="NAME|key=value,...",
        help="Protocol.  [default: the first that all runs of a case allow, without their first 10% of records]",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object per case."),
    click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report."),
    JOBS,
    SCHEDULER,
    LANGUAGE,
    click.option("--html", "html_file", type=PATH(dir_okay=False), help="Also write a self-contained HTML page."),
)


def _of_both(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of both; those of its output go to ``_show``."""
    for option in reversed(OF_BOTH):
        command = option(command)
    return command


@click.command()
@click.argument("a", type=PATH())
@click.argument("b", type=PATH())
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME=PERCENT[,lower|higher]",
    help="How much worse a final metric of B, or its loss at the same steps, may be than that of A.",
)
@click.option(
    "--target",
    metavar="NAME=VALUE[,lower|higher]",
    help="Compare the time until a metric is reached instead of the speed.",
)
@click.option("--board", metavar="NAME|FILE", help="The same, with the target, the runs and the test of a leaderboard.")
@click.option("--logs", type=PATH(exists=True, file_okay=False), help="Folder of the logs of pages.  [default: logs]")
@_of_both
def compare(
    a: Path,
    b: Path,
    metrics: tuple[str, ...],
    target: str | None,
    board: str | None,
    logs: Path | None,
    **of_both: Any,
) -> None:
    """Compare the runs of B with those of A: is B slower, or is it noise, and what differs?

    A and B are logs, run folders, cases with their repeats, suites, any folders of logs, pages, by name or file, or
    reports of pages (PAGE.report.json). Cases are paired by name, and measured by one protocol over the steps that all
    their runs have. The noise is that between repeats, so each side needs at least two runs of a case, better three to
    five, run alternately (A B B A). A verdict is slower, faster, same or unknown.

    Speeds are compared where a unit of work is shown to be the same on both sides, and the losses at equal work are;
    else the time to a target is: --target, --board, that of MLPerf's logs, or the loss that A ends with. A better loss
    or metric never fails.

    With --gate, exit status 1 if a case is slower, or its loss or a metric is worse; 3 if that is not known, or B lacks
    a case; else 0. Exit status 2 if a side cannot be read.

    \b
    Examples:
      tachograph compare logs/before logs/after
      tachograph compare logs/main logs/branch --gate 3% --markdown > comment.md
      tachograph compare logs/main logs/branch --gate 3% --metric loss=2% --metric top1=0.5%
      tachograph compare old-record new-record --board modded-nanogpt
    """
    from ..views.publish import LOGS
    from .comparison import compare as compared

    limits = {name.strip(): told for name, _, told in (metric.rpartition("=") for metric in metrics)}
    _show(partial(compared, a, b, metrics=limits, target=_target(target, board), logs=logs or LOGS), **of_both)


def _target(stated: str | None, board: str | None) -> "str | Target | None":
    """What is to be reached, as stated or as a board asks for it; raises BoardError."""
    if board is None:
        return stated
    if stated:
        raise click.UsageError(ONE_TARGET)
    from ..audit.board import board_of
    from .target import Target

    rules = board_of(board)
    if rules.target is None:
        raise click.UsageError(NO_TARGET_OF_BOARD.format(board=board))
    return Target(rules.metric.series[0], rules.target, "lower", rules.seeds, rules.p_value)


def _show(
    find: "Callable[..., Comparison | History]",
    *,
    gate: str | None,
    protocol: str | None,
    jobs: int | None,
    scheduler: str | None,
    as_json: bool,
    wants_markdown: bool,
    language: str,
    html_file: Path | None,
) -> None:
    """Print what is found, and write its page; exit with the status that a gate gives it."""
    from parsers.io.console import show
    from parsers.io.files import whole
    from parsers.sharing.workers import Workers

    from ..wording.words import Translator
    from .effect import GATE

    found = find(protocol=protocol, gate=gate or GATE, workers=Workers(jobs, scheduler))
    said, translate = found.document(), Translator(language).translate
    if html_file:
        with whole(html_file) as made:
            made.write_text(said.html(language, html_file.absolute().parent), encoding="utf-8")
    if as_json:
        for one in found.objects():
            say(json.dumps(one, ensure_ascii=False))
    else:
        show(said.markdown(translate) if wants_markdown else said.terminal(translate, colour=sys.stdout.isatty()))
    sys.exit(found.status if gate else 0)


@click.command()
@click.argument("suites", nargs=-1, required=True, type=PATH(exists=True, readable=False))
@click.option(
    "--by",
    type=click.Choice(["date", "commit", "name"]),
    default="date",
    show_default=True,
    help="Order of the runs; where most say no date, that of their commits in git, else of their names.",
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Leave out runs that began before this day (UTC).")
@_of_both
def history(
    suites: tuple[Path, ...], by: Literal["date", "commit", "name"], since: datetime | None, **of_both: Any
) -> None:
    """Show how fast the cases of SUITES ran over time, and where their speed changed.

    A suite is a folder of run folders; cases with the same name, also in several suites, are one case. A change of
    speed is confirmed by its runs alone, whatever their noise is like; what differs there, such as a driver or a
    commit, is named. What was read is kept in the user's cache.

    With --gate, exit status 1 if the newest segment of a case is slower than the one before; 3 if that is not known;
    else 0. Exit status 2 if a suite cannot be read.

    \b
    Examples:
      tachograph history logs/nightly
      tachograph history logs/nightly --by commit --gate 3%
      tachograph history logs/2026-* --html history.html
    """
    from .history import history as found_history

    _show(partial(found_history, *suites, by=by, since=since), **of_both)
