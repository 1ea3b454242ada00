"""Commands: rule on the numbers of documents, and recover the protocol of published numbers."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.message import Message
from parsers.io.printable import Unreadable, say, say_lines
from parsers.sharing.workers_option import JOBS

from ..wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

TO_MEND = 1
FILE = click.Path(dir_okay=False, path_type=Path)
WARNING = "warning: {said}"
ONE_NUMBER_A_LOG = "Give --published once per log; logs: {logs}, numbers: {numbers}."
BASELINE_MISSING = "--write-baseline needs a file: give --baseline."
OVERWRITES = "{file} is a document that is audited; write to another file."
PAST = "{file}: {document}: {digits} is no longer '{ruling}'."


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="DOCUMENT...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs.  [default: common folder of the documents]",
)
@click.option("--board", metavar="NAME|FILE", help="Rules of a leaderboard; prints a verdict on each record.")
@click.option("--baseline", type=FILE, help="TOML file of findings that are accepted.")
@click.option("--write-baseline", "writes", is_flag=True, help="Write all findings into the file of --baseline.")
@click.option("--strict", is_flag=True, help="Fail on every measurement that is not proved.")
@click.option("--all", "everything", is_flag=True, help="Show all numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report.")
@JOBS
@LANGUAGE
@click.option("--sarif", type=FILE, help="Also write SARIF 2.1.0 for code scanning.")
def audit(
    places: tuple[Path, ...],
    logs: Path | None,
    board: str | None,
    baseline: Path | None,
    writes: bool,
    strict: bool,
    everything: bool,
    as_json: bool,
    wants_markdown: bool,
    jobs: int | None,
    language: str,
    sarif: Path | None,
) -> None:
    """Rule on every number of documents by the logs beside them.

    DOCUMENT is a page (Markdown, HTML, JSON, CSV) or a folder of Markdown pages. A number is proved by its digits:
    where a line, a series or a protocol of the logs gives it and its neighbours, and accident hardly would. Numbers
    that follow from others are derived. The account of each document adds up to all of its numbers. A page that
    `report` wrote is rendered again from its page file and logs, and every line that differs is shown.

    Exit status 1 if a number is contradicted; with --board also if all runs of a record fail, or a number is derived
    from unproved ones; 2 if a document cannot be read.

    \b
    Examples:
      tachograph audit ../Perf
      tachograph audit README.md docs/results.zh.md --logs logs
      tachograph audit docs --baseline baseline.toml --write-baseline
      tachograph audit docs --baseline baseline.toml --sarif audit.sarif
      tachograph audit ../Perf --json
      tachograph audit records/2026-11-29_NewRecord --board modded-nanogpt --markdown
    """
    from parsers.io.console import show
    from parsers.io.errors import ParserError, WriteError
    from parsers.io.files import write_texts
    from parsers.sharing.workers import Workers

    from ..wording.words import worded
    from . import output
    from .audited import audited
    from .baseline import baseline as baseline_of
    from .board import board_of

    translate = translate_to(language)
    if writes and baseline is None:
        raise wrong_use(translate, BASELINE_MISSING)
    written = [path for path in (sarif, baseline if writes else None) if path]
    if over := next((path for path in written for place in places if path.resolve() == place.resolve()), None):
        raise wrong_use(translate, OVERWRITES, file=over)
    texts: dict[Path | None, Callable[[], str]] = {}
    try:
        found = audited(places, logs, board=None if board is None else board_of(board), workers=Workers(jobs, None))
        if baseline and writes:
            texts[baseline] = partial(baseline_of, found.failing(strict=strict), found.root, baseline.parent)
        elif baseline:
            found, past = found.with_accepted(baseline)
            for one in past:
                told = {"document": one.document, "digits": one.digits, "ruling": Message(one.ruling)}
                said = Message(WARNING, said=Message(PAST, file=baseline, **told))
                say(worded(said, translate), err=True)
        write_texts({**texts, sarif: partial(output.sarif, found, translate)})
    except (ParserError, WriteError) as error:
        raise Unreadable(told_in(error, translate)) from error
    if wants_markdown:
        show(output.as_markdown(found, translate))
    elif as_json:
        say_lines(json.dumps(one, ensure_ascii=False) for one in output.as_json(found))
    else:
        how = {"everything": everything, "strict": strict, "colour": sys.stdout.isatty()}
        show(output.terminal(found, **how, translate=translate))
    sys.exit(TO_MEND if not writes and (found.failed or found.failing(strict=strict)) else 0)


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

    Search several logs of one column at once: a single log matches many protocols by accident, and how often it would
    is printed. Exit status 1 if a number is not explained.

    \b
    Examples:
      tachograph recover train.log --published 2791.98
      tachograph recover gpu1.log gpu8.log --published 370.194 --published 2791.98
    """
    from parsers.io.errors import ParserError

    from ..wording.words import worded
    from .recover import recovered

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
            for line in one.lines():
                say(worded(line, translate))
    sys.exit(0 if all(one.hit for one in found) else TO_MEND)
