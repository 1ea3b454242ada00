"""Commands: rule on the numbers of documents, and recover the protocol of published numbers."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.message import Message
from parsers.io.printable import Unreadable, say, say_lines
from parsers.sharing.workers_option import JOBS

from ..wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

if TYPE_CHECKING:
    from ..wording.words import Translate
    from .accepted import Accepted
    from .audited import Audit

TO_MEND = 1
FILE = click.Path(dir_okay=False, path_type=Path)
WARNING = "warning: {said}"
ONE_NUMBER_A_LOG = "Give --published once per log; logs: {logs}, numbers: {numbers}."
BASELINE_MISSING = "--write-baseline needs a file: give --baseline."
OVERWRITES = "{file} is a document that is audited; write to another file."
UNCHANGED = "No document changed since {revision}."
PAST = "{file}: {document}: {digits} is no longer '{ruling}'."


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="DOCUMENT...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs.  [default: common folder of the documents]",
)
@click.option("--board", metavar="NAME|FILE", help="Rules of a leaderboard; prints a verdict on each record.")
@click.option("--accept", type=FILE, help="TOML file of known findings.")
@click.option("--baseline", type=FILE, help="Such a file, of findings that were there before.")
@click.option("--write-baseline", "writes", is_flag=True, help="Write all findings into the file of --baseline.")
@click.option("--since", metavar="REVISION", help="Report only documents changed since a git revision.")
@click.option("--strict", is_flag=True, help="Fail on every measurement that is not proved.")
@click.option("--all", "everything", is_flag=True, help="Show all numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--markdown", "wants_markdown", is_flag=True, help="Print a Markdown report.")
@JOBS
@LANGUAGE
@click.option("--junit", type=FILE, help="Also write JUnit XML for CI.")
@click.option("--sarif", type=FILE, help="Also write SARIF 2.1.0 for code scanning.")
def audit(
    places: tuple[Path, ...],
    logs: Path | None,
    board: str | None,
    accept: Path | None,
    baseline: Path | None,
    writes: bool,
    since: str | None,
    strict: bool,
    everything: bool,
    as_json: bool,
    wants_markdown: bool,
    jobs: int | None,
    language: str,
    junit: Path | None,
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
      tachograph audit README.md docs/results.zh.md --logs logs --accept known.toml
      tachograph audit docs --baseline baseline.toml --write-baseline
      tachograph audit docs --baseline baseline.toml --since origin/main --sarif audit.sarif
      tachograph audit ../Perf --json
      tachograph audit records/2026-11-29_NewRecord --board modded-nanogpt --markdown
    """
    from parsers.io.errors import ParserError
    from parsers.sharing.workers import Workers

    from . import output
    from .accepted import baseline as baseline_of
    from .audited import audited
    from .board import board_of
    from .sarif import sarif as sarif_of

    translate = translate_to(language)
    if writes and baseline is None:
        raise wrong_use(translate, BASELINE_MISSING)
    outputs = [path for path in (junit, sarif, baseline if writes else None) if path]
    if over := next((path for path in outputs for place in places if path.resolve() == place.resolve()), None):
        raise wrong_use(translate, OVERWRITES, file=over)
    try:
        rules = None if board is None else board_of(board)
        found = audited(places, logs, since=since, board=rules, workers=Workers(jobs, None))
        if found is None:
            _say(Message(UNCHANGED, revision=since), translate)
            sys.exit(0)
        for path in filter(None, (accept, None if writes else baseline)):
            found, past = found.with_accepted(path)
            _warn_of(past, path, translate)
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error
    texts: dict[Path | None, Callable[[], str]] = {
        junit: partial(output.junit, found, translate, strict=strict),
        sarif: partial(sarif_of, found, translate),
    }
    if baseline and writes:
        wanted = {"strict": strict, "asks_proof": bool(found.verdicts)}
        texts[baseline] = partial(baseline_of, found.findings, found.root, baseline.parent, **wanted)
    _write_files(texts, translate)
    _print(found, translate, everything=everything, strict=strict, as_json=as_json, wants_markdown=wants_markdown)
    sys.exit(TO_MEND if not writes and found.fails(strict=strict) else 0)


def _warn_of(past: "Sequence[Accepted]", file: Path, translate: "Translate") -> None:
    for one in past:
        told = {"document": one.document, "digits": one.digits, "ruling": Message(one.ruling)}
        _say(Message(WARNING, said=Message(PAST, file=file, **told)), translate)


def _write_files(texts: "Mapping[Path | None, Callable[[], str]]", translate: "Translate") -> None:
    from parsers.io.errors import WriteError
    from parsers.io.files import write_texts

    try:
        write_texts(texts)
    except WriteError as error:
        raise Unreadable(told_in(error, translate)) from error


def _print(
    found: "Audit", translate: "Translate", *, everything: bool, strict: bool, as_json: bool, wants_markdown: bool
) -> None:
    from parsers.io.console import show

    from . import output

    if wants_markdown:
        show(output.as_markdown(found, translate))
    elif as_json:
        say_lines(json.dumps(one, ensure_ascii=False) for one in output.as_json(found))
    else:
        show(
            output.terminal(
                found, everything=everything, strict=strict, colour=sys.stdout.isatty(), translate=translate
            )
        )


def _say(said: Message, translate: "Translate") -> None:
    from ..wording.words import worded

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
