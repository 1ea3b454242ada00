"""The command that compares two sides of runs."""

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.io.message import Message
from parsers.io.printable import say
from parsers.sharing.workers_option import JOBS, SCHEDULER

from ..wording.language_option import LANGUAGE
from .share_option import NamedShareOption, ShareOption

if TYPE_CHECKING:
    from ..wording.words import Translate
    from .sides import ComparedSides

FILE = click.Path(dir_okay=False, path_type=Path)
SIDE = click.Path(path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NO_SHARE_OF_LOSS = "expected a share of the loss such as 2% or 0.02, above 0 and below 100%."
WARNING = "warning: {said}"


@click.command()
@click.argument("a", type=SIDE)
@click.argument("b", type=SIDE)
@click.option(
    "--gate",
    type=ShareOption(),
    metavar="PERCENT",
    help="Smallest slowdown that matters; sets the exit status.  [default: no gate, verdicts for 3%]",
)
@click.option(
    "--protocol",
    metavar="NAME|key=value,...",
    help="Protocol.  [default: the first that all runs of a case allow, without their first 10% of records]",
)
@click.option(
    "--earlier",
    multiple=True,
    type=SIDE,
    help="Earlier repeats of the same cases on the same machine, which tell how much runs vary.",
)
@click.option(
    "--loss-tolerance",
    type=ShareOption(NO_SHARE_OF_LOSS),
    metavar="PERCENT",
    help="How far the losses of B may be from those of A at the same steps.  [default: the noise between repeats]",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=NamedShareOption(),
    metavar="NAME=PERCENT",
    help="How far a final metric of B, such as an accuracy, may be from that of A; NAME as the logs print it.",
)
@click.option("--logs", type=FOLDER, help="Folder of the logs of pages.  [default: logs]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per case.")
@click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report.")
@click.option("--no-links", "is_unlinked", is_flag=True, help="With --markdown: name files without links to them.")
@JOBS
@SCHEDULER
@LANGUAGE
@click.option("--html", "html_file", type=FILE, help="Also write a self-contained HTML page.")
@click.option("--junit", "junit_file", type=FILE, help="Also write JUnit XML for CI.")
def compare(
    a: Path,
    b: Path,
    gate: float | None,
    protocol: str | None,
    earlier: tuple[Path, ...],
    loss_tolerance: float | None,
    metrics: tuple[tuple[str, float], ...],
    logs: Path | None,
    as_json: bool,
    wants_markdown: bool,
    is_unlinked: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
    html_file: Path | None,
    junit_file: Path | None,
) -> None:
    """Compare the runs of B with those of A: is B slower, or is it noise, and what differs?

    A and B are logs, run folders, cases with their repeats, suites, or any folders of logs. Or they are pages, by name
    or file, or pages at a revision of git (REVISION:PAGE), whose logs are compared: those of the revision where it has
    the folder of logs, else those of today. Cases are paired by name, cells by their address, and measured by one
    protocol over the steps that all their runs have. The noise is that between repeats, never that within a run, so
    each side needs at least two runs of a case, better three to five. A verdict is slower, faster, same or unknown;
    "visible" is the smallest slowdown that would have been found. Run the sides alternately (A B B A): a drift of the
    machine makes the verdict unknown.

    Fast but wrong is marked: where logs print losses, B must train as A does. Its loss over the last tenth of the
    shared steps may be higher than that of A by no more than the noise between repeats, or 1%; with --loss-tolerance,
    the loss in each tenth of the steps must lie within it. Where batch, model, data or seeds differ, it is unknown.
    With --metric, the last value of a metric that the runs print beside their records must lie within its tolerance.

    With --gate, exit status 1 if a case is slower: by at least half of the gate, and with 99% confidence not by chance;
    or if its loss or metric is wrong; 3 if noise, a case that B lacks, or a loss or metric whose tolerance cannot be
    held against forbids an answer; else 0. Exit status 2 if a side cannot be read.

    \b
    Examples:
      tachograph compare logs/before logs/after
      tachograph compare logs/main logs/branch --gate 3% --junit compare.xml
      tachograph compare logs/main logs/branch --gate 3% --loss-tolerance 2% --metric top1=0.5%
      tachograph compare v1.0:my-page.toml my-page.toml
      tachograph compare logs/main logs/branch --earlier logs/last-week --markdown --lang zh
    """
    from parsers.sharing.workers import Workers

    from ..views.publish import LOGS
    from ..wording.words import Translator
    from . import notebook
    from .effect import GATE

    translate = Translator(language).translate
    found = notebook.compare(
        a,
        b,
        protocol=protocol,
        gate=gate or GATE,
        earlier=earlier,
        loss_tolerance=loss_tolerance,
        metrics=dict(metrics),
        workers=Workers(jobs, scheduler),
        logs=logs or LOGS,
    )
    _write(found, translate, language, html_file, junit_file)
    _print(found, translate, as_json=as_json, wants_markdown=wants_markdown, is_linked=not is_unlinked)
    sys.exit(found.status if gate else 0)


def _write(
    found: "ComparedSides", translate: "Translate", language: str, html_file: Path | None, junit_file: Path | None
) -> None:
    from parsers.io.files import write_texts

    from .output.comparison_exports import junit
    from .output.comparison_html import html

    texts: Mapping[Path | None, Callable[[], str]] = {
        html_file: partial(html, found, language, html_file.absolute().parent if html_file else Path()),
        junit_file: partial(junit, found, translate),
    }
    write_texts(texts)


def _print(
    found: "ComparedSides", translate: "Translate", *, as_json: bool, wants_markdown: bool, is_linked: bool
) -> None:
    from parsers.io.console import show

    from ..wording.words import worded
    from .output.comparison_exports import as_json as json_of
    from .output.comparison_text import as_markdown, terminal

    if as_json:
        for case in found.cases:
            say(json.dumps(json_of(case, found.gate), ensure_ascii=False))
    elif wants_markdown:
        show(as_markdown(found, translate, is_linked=is_linked))
        return
    else:
        show(terminal(found, translate, colour=sys.stdout.isatty()))
    sys.stdout.flush()
    for said in (one for side in found.left_out for one in side):
        say(worded(Message(WARNING, said=said), translate), err=True)
