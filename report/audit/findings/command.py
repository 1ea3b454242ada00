"""Commands: audit published pages, and recover the protocol of published numbers."""

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.message import Message
from parsers.io.printable import say, say_lines
from parsers.io.refusal import Unreadable
from parsers.sharing.workers_option import JOBS, SCHEDULER

from ...wording.language_option import LANGUAGE, told_in, translate_to, wrong_use
from .allowance import ALLOWABLE

if TYPE_CHECKING:
    from parsers.sharing.workers import Workers

    from ...wording.words import Translate
    from ..audited_pages import Audited, Named, Unlike

TO_MEND = 1
FILE = click.Path(dir_okay=False, path_type=Path)
WARNING = "warning: {said}"
ONE_NUMBER_A_LOG = "Give --published once per log; logs: {logs}, numbers: {numbers}."
BASELINE_MISSING = "--write-baseline needs a file: give --baseline."
UNCHANGED = "No page changed since {revision}."
PAST = "{file}: {page}: {digits} is no longer '{verdict}'."


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
@click.option("--accept", type=FILE, help="TOML file of known findings.")
@click.option(
    "--baseline",
    type=FILE,
    help="Such a file, of findings that were there before.",
)
@click.option("--write-baseline", "writes", is_flag=True, help="Write all findings into the file of --baseline.")
@click.option("--since", metavar="REVISION", help="Report only pages changed since a git revision.")
@click.option(
    "--allow", multiple=True, type=click.Choice(ALLOWABLE), help="Accept pages without numbers or numbers without logs."
)
@click.option("--strict", is_flag=True, help="Fail on unexplained numbers, too.")
@click.option("--all", "everything", is_flag=True, help="Also show matching numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report.")
@JOBS
@SCHEDULER
@LANGUAGE
@click.option("--junit", type=FILE, help="Also write JUnit XML for CI.")
@click.option("--sarif", type=FILE, help="Also write SARIF 2.1.0 for code scanning.")
def audit(
    pages: tuple[Path, ...],
    logs: Path | None,
    page_files: tuple[str, ...],
    tolerance: float,
    accept: Path | None,
    baseline: Path | None,
    writes: bool,
    since: str | None,
    allow: tuple[str, ...],
    strict: bool,
    everything: bool,
    as_json: bool,
    wants_markdown: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
    junit: Path | None,
    sarif: Path | None,
) -> None:
    """Check the numbers in the tables of published pages against their logs.

    MARKDOWN is a page or a folder of pages. The case of each number is read from its labels, its log found by links and
    names, and its protocol recovered from all numbers of its column unless a page file states it. A page that `report`
    wrote is rendered again from its page file and logs, and every line that differs is shown.

    Exit status 1 if any number is not exact, near, quoted, unexplained or accepted, or there is no number at all; 2 if
    a page cannot be read. With --scheduler, the logs must be on a disk shared by all workers.

    \b
    Examples:
      tachograph audit ../Perf
      tachograph audit README.md docs/results.zh.md --logs logs --accept known.toml
      tachograph audit docs --baseline baseline.toml --write-baseline
      tachograph audit docs --baseline baseline.toml --since origin/main --sarif audit.sarif
      tachograph audit ../Perf --json
      tachograph audit ../Perf --markdown --lang zh
    """
    from parsers.io.errors import ParserError
    from parsers.sharing.workers import Workers

    from ..audited_pages import markdown_files
    from . import printing
    from .changed_pages import changed_since
    from .known_findings import allowed
    from .known_findings import baseline as baseline_of
    from .sarif import sarif as sarif_of

    translate = translate_to(language)
    if writes and baseline is None:
        raise wrong_use(translate, BASELINE_MISSING)
    try:
        files = markdown_files(pages)
        only = changed_since(files, since) if since else None
        if only is not None and not only:
            _say(Message(UNCHANGED, revision=since), translate)
            sys.exit(0)
        found = _audited(files, logs, page_files, tolerance, Workers(jobs, scheduler), only)
        lists = (accept, None if writes else baseline)
        marked = _accepted(list(allowed(found.findings, allow)), lists, files if only is None else only, translate)
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error
    texts = {
        junit: partial(printing.junit, marked, translate, strict=strict),
        sarif: partial(sarif_of, marked, translate),
    }
    if baseline and writes:
        texts[baseline] = partial(baseline_of, marked, baseline.parent)
    _write_files(texts, translate)
    _print(marked, found.unlike, translate, everything=everything, as_json=as_json, wants_markdown=wants_markdown)
    sys.exit(TO_MEND if not writes and any(finding.fails(strict=strict) for _, finding in marked) else 0)


def _audited(
    files: "Sequence[Path]",
    logs: Path | None,
    page_files: "Sequence[str]",
    tolerance: float,
    workers: "Workers",
    only: "Collection[Path] | None",
) -> "Audited":
    from ...pagefile.page_file import find, parse, read_text
    from ..audited_pages import audit_files

    texts = {path: read_text(path) for path in map(find, page_files)}
    stated = [parse(text, path) for path, text in texts.items()]
    own = {path.stem: text for path, text in texts.items()}
    return audit_files(files, logs, stated, tolerance, workers, own, only)


def _accepted(
    found: "list[Named]", lists: "Sequence[Path | None]", files: "Collection[Path]", translate: "Translate"
) -> "list[Named]":
    """The findings, those that some files accept marked so; what they accept of these pages in vain is told."""
    from ..finding import read_accepted, with_accepted
    from .known_findings import of_others

    for path in filter(None, lists):
        found, past = with_accepted(found, read_accepted(path), path.parent)
        others = of_others(past, path.parent, files)
        for entry in past:
            if entry not in others:
                told = {"page": entry.page, "digits": entry.published, "verdict": Message(entry.verdict)}
                _warn(Message(PAST, file=path, **told), translate)
    return found


def _write_files(texts: "Mapping[Path | None, Callable[[], str]]", translate: "Translate") -> None:
    from parsers.io.atomic_write import write_texts
    from parsers.io.errors import WriteError

    try:
        write_texts(texts)
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

    from ..finding import as_json as json_of
    from . import printing

    if wants_markdown:
        show(printing.as_markdown(found, unlike, translate))
        return
    if as_json:
        texts = (json.dumps(json_of(finding, page, translate), ensure_ascii=False) for page, finding in found)
        say_lines(texts)
    else:
        table = printing.terminal(found, everything=everything, colour=sys.stdout.isatty(), translate=translate)
        show(table)
    sys.stdout.flush()
    for row in unlike:
        _warn(row.told, translate)


def _warn(said: Message, translate: "Translate") -> None:
    _say(Message(WARNING, said=said), translate)


def _say(said: Message, translate: "Translate") -> None:
    from ...wording.words import worded

    say(worded(said, translate), err=True)


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

    from ...recovery.recovery_answers import describe, recovered
    from ...wording.words import worded

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
