"""The command that shows the history of suites."""

import json
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from parsers.io.printable import say
from parsers.sharing.workers_option import JOBS, SCHEDULER

from ...wording.language_option import LANGUAGE
from ..share_option import ShareOption

if TYPE_CHECKING:
    from ...wording.words import Translate
    from .case_histories import CaseHistories

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("suites", nargs=-1, required=True, type=click.Path(exists=True, readable=False, path_type=Path))
@click.option(
    "--by",
    type=click.Choice(["date", "commit", "version"]),
    default="date",
    show_default=True,
    help="Order of the runs.",
)
@click.option(
    "--gate",
    type=ShareOption(),
    metavar="PERCENT",
    help="Smallest change that matters; sets the exit status.  [default: no gate, changes of 3%]",
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Leave out runs that began before this day (UTC).")
@click.option(
    "--protocol",
    metavar="NAME|key=value,...",
    help="Protocol.  [default: the first that a run allows, without the first 10% of its records]",
)
@click.option("--index", type=FILE, help="Parquet file of the index.  [default: in the user's cache]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per case.")
@click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report.")
@JOBS
@SCHEDULER
@LANGUAGE
@click.option("--html", "html_file", type=FILE, help="Also write a self-contained HTML page with charts.")
def history(
    suites: tuple[Path, ...],
    by: Literal["date", "commit", "version"],
    gate: float | None,
    since: datetime | None,
    protocol: str | None,
    index: Path | None,
    as_json: bool,
    wants_markdown: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
    html_file: Path | None,
) -> None:
    """Show the throughput of each case of SUITES over time, where it changed, and what else changed there.

    SUITES are folders of run folders; cases of one name are one case. Runs are ordered by the date when they began, by
    commit (in the order of their first runs) or by the version of the framework. A change counts if a t test at 0.1%
    confirms it and it is at least half of the gate. Where the machine or its software changed as well (driver, GPU,
    packages, variables), it is shown as a change of the environment. Runs of another unit, scope, format or protocol
    are a series of their own. Runs that failed, lost their loss (NaN) or give no throughput are gaps, with the reason.

    With --gate, exit status 1 if the newest segment of a case is slower than the one before; 3 if the newest runs are
    too few, too noisy or gaps; else 0, also where the environment changed. Exit status 2 if a suite cannot be read.

    What was read is kept in an index, which is made of the logs alone and can be deleted at any time.

    \b
    Examples:
      tachograph history logs/nightly
      tachograph history logs/nightly --by commit --gate 3%
      tachograph history logs/2026-* --html history.html --lang zh
    """
    from parsers.sharing.workers import Workers

    from ...measure.protocol import Protocol
    from ...wording.words import Translator
    from ..effect import GATE
    from .case_histories import case_histories

    translate = Translator(language).translate
    stated = Protocol.parse(protocol) if protocol else None
    workers = Workers(jobs, scheduler)
    found = case_histories(suites, by=by, protocol=stated, gate=gate or GATE, since=since, index=index, workers=workers)
    _write(found, language, html_file)
    _print(found, translate, as_json=as_json, wants_markdown=wants_markdown)
    sys.exit(found.status if gate else 0)


def _write(found: "CaseHistories", language: str, html_file: Path | None) -> None:
    from parsers.io.files import write_texts

    from .history_html import html

    if html_file:
        write_texts({html_file: partial(html, found, language, html_file.absolute().parent)})


def _print(found: "CaseHistories", translate: "Translate", *, as_json: bool, wants_markdown: bool) -> None:
    from parsers.io.console import show

    from .history_json import as_json as json_of
    from .history_text import as_markdown, terminal

    if as_json:
        for case in found.cases:
            say(json.dumps(json_of(case, found), ensure_ascii=False))
    elif wants_markdown:
        show(as_markdown(found, translate))
    else:
        show(terminal(found, translate, colour=sys.stdout.isatty()))
