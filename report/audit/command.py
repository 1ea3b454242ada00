"""Commands: audit published pages, and recover the protocol of published numbers."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.message import Message
from parsers.io.printable import say
from parsers.io.refusal import Unreadable
from parsers.sharing.workers_option import JOBS, SCHEDULER

from ..wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

if TYPE_CHECKING:
    from ..wording.words import Translate
    from .audited_pages import Named, Unlike

TO_MEND = 1
ONE_NUMBER_A_LOG = "Give --published once per log; logs: {logs}, numbers: {numbers}."
WARNING = "warning: {said}"
PAST = "{file}: {page}: {digits} is no longer {verdict}."


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="MARKDOWN...", type=click.Path(path_type=Path))
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs.  [default: common folder of the pages]",
)
@click.option("--page", "page_files", multiple=True, metavar="PAGE", help="Page file that states logs and protocols.")
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="FRACTION",
    help="Relative tolerance for the verdict 'near'.",
)
@click.option("--accept", type=click.Path(dir_okay=False, path_type=Path), help="TOML file of known findings.")
@click.option("--strict", is_flag=True, help="Fail on unexplained numbers, too.")
@click.option("--all", "everything", is_flag=True, help="Also show matching numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report.")
@JOBS
@SCHEDULER
@LANGUAGE
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Also write JUnit XML for CI.")
def audit(
    pages: tuple[Path, ...],
    logs: Path | None,
    page_files: tuple[str, ...],
    tolerance: float,
    accept: Path | None,
    strict: bool,
    everything: bool,
    as_json: bool,
    wants_markdown: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
    junit: Path | None,
) -> None:
    """Check the numbers in the tables of published pages against their logs.

    MARKDOWN is a page or a folder of pages. The case of each number is read from its labels, its log found by links and
    names, and its protocol recovered from all numbers of its column unless a page file states it. Exit status 1 if
    any number is not exact, near, quoted, unexplained or accepted, 2 if a page cannot be read. With --scheduler, the
    logs must be on a disk shared by all workers.

    \b
    Examples:
      tachograph audit ../Perf
      tachograph audit README.md docs/results.zh.md --logs logs --accept known.toml
      tachograph audit ../Perf --json
      tachograph audit ../Perf --markdown --lang zh
    """
    from parsers.io.errors import ParserError
    from parsers.sharing.workers import Workers

    from ..pagefile.page_file import find, load
    from .audited_pages import audit_files, markdown_files
    from .finding import read_accepted, with_accepted

    translate = translate_to(language)
    try:
        workers = Workers(jobs, scheduler)
        known = read_accepted(accept) if accept else []
        stated = [load(find(name)) for name in page_files]
        found = audit_files(markdown_files(pages), logs, stated, tolerance, workers)
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error
    marked, past = with_accepted(found.findings, known)
    for entry in past:
        _warn(
            Message(PAST, file=accept, page=entry.page, digits=entry.published, verdict=Message(entry.verdict)),
            translate,
        )
    if junit:
        _write_junit(junit, marked, translate, strict=strict)
    _print(marked, found.unlike, translate, everything=everything, as_json=as_json, wants_markdown=wants_markdown)
    sys.exit(TO_MEND if any(finding.fails(strict=strict) for _, finding in marked) else 0)


def _write_junit(path: Path, found: "list[Named]", translate: "Translate", *, strict: bool) -> None:
    from parsers.io.atomic_write import whole
    from parsers.io.errors import WriteError

    from .printing import junit

    try:
        with whole(path) as unfinished:
            unfinished.write_text(junit(found, translate, strict=strict), encoding="utf-8")
    except WriteError as error:
        raise Unreadable(told_in(error, translate)) from error


def _print(
    found: "list[Named]",
    unlike: "list[Unlike]",
    translate: "Translate",
    *,
    everything: bool,
    as_json: bool,
    wants_markdown: bool,
) -> None:
    """Print the findings, then the rows that are not directly comparable: in Markdown, else as warnings."""
    from parsers.io.console import show

    from . import printing
    from .finding import as_json as json_of

    if wants_markdown:
        show(printing.as_markdown(found, unlike, translate))
        return
    if as_json:
        for page, finding in found:
            say(json.dumps(json_of(finding, page, translate), ensure_ascii=False))
    else:
        table = printing.terminal(found, everything=everything, colour=sys.stdout.isatty(), translate=translate)
        show(table)
    sys.stdout.flush()
    for row in unlike:
        _warn(row.told, translate)


def _warn(said: Message, translate: "Translate") -> None:
    from ..wording.words import worded

    say(worded(Message(WARNING, said=said), translate), err=True)


@click.command()
@LOGS
@click.option("--published", multiple=True, required=True, metavar="NUMBER", help="Published number; one per log.")
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes).")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process).")
@FORMAT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@LANGUAGE
def recover(
    logs: tuple[Path, ...],
    published: tuple[str, ...],
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    as_json: bool,
    language: str,
) -> None:
    """Find the protocols that reproduce published numbers from LOGS, simplest first.

    Search several logs of one column at once: a single log matches many protocols by chance, and the probability is
    printed. Exit status 1 if a number is not explained.

    \b
    Examples:
      tachograph recover train.log --published 2791.98
      tachograph recover gpu1.log gpu8.log --published 370.194 --published 2791.98
    """
    from parsers.io.errors import ParserError

    from ..recovery.recovery_answers import describe, recovered
    from ..wording.words import worded

    translate = translate_to(language)
    if len(published) != len(logs):
        raise wrong_use(translate, ONE_NUMBER_A_LOG, logs=len(logs), numbers=len(published))
    try:
        found = recovered(logs, published, {"cards": cards, "batch_size": batch_size}, format_)
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error
    for one in found:
        if as_json:
            say(json.dumps(one.as_json(), ensure_ascii=False))
        else:
            for line in describe(one):
                say(worded(line, translate))
    sys.exit(0 if all(one.best and one.best.is_finding for one in found) else TO_MEND)
