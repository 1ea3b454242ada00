"""Commands: rule on the numbers of documents, and recover the protocol of published numbers."""

import json
import sys
from pathlib import Path

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.printable import say, say_text
from parsers.sharing import JOBS

from ..wording.language_option import LANGUAGE

TO_MEND = 1
FILE = click.Path(dir_okay=False, path_type=Path)
ONE_NUMBER_A_LOG = "Give --published once per log; logs: {logs}, numbers: {numbers}."
OVERWRITES = "{file} is a document that is audited; write to another file."


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="DOCUMENT...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs.  [default: common folder of the documents]",
)
@click.option("--board", metavar="NAME|FILE", help="Rules of a leaderboard; prints a verdict on each record.")
@click.option("--baseline", type=FILE, help="What --sarif wrote before; only other findings fail.")
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
    strict: bool,
    everything: bool,
    as_json: bool,
    wants_markdown: bool,
    jobs: int | None,
    language: str,
    sarif: Path | None,
) -> None:
    """Rule on every number of documents by the logs beside them.

    DOCUMENT is a page (Markdown, HTML, JSON) or a folder of Markdown pages. A number is proved by its digits:
    where a line, a series or a protocol of the logs gives it and its neighbours, and accident hardly would. Numbers
    that follow from others are derived. The account of each document adds up to all of its numbers. A page that
    `report` wrote is rendered again from its page file and logs, and every line that differs is shown.

    Exit status 1 if a number is contradicted; with --board also if all runs of a record fail, or a number is derived
    from unproved ones; 2 if a document cannot be read.

    \b
    Examples:
      tachograph audit ../Perf
      tachograph audit README.md docs/results.zh.md --logs logs
      tachograph audit docs --sarif baseline.sarif
      tachograph audit docs --baseline baseline.sarif --json
      tachograph audit records/2026-11-29_NewRecord --board modded-nanogpt --markdown
    """
    from parsers.io.console import show
    from parsers.io.files import whole
    from parsers.sharing.workers import Workers

    from ..wording.words import Translator
    from . import output
    from .audited import audited
    from .board import board_of

    translate = Translator(language).translate
    if sarif and any(sarif.resolve() == place.resolve() for place in places):
        raise click.UsageError(OVERWRITES.format(file=sarif))
    found = audited(places, logs, board=None if board is None else board_of(board), workers=Workers(jobs, None))
    found = found.with_baseline(baseline) if baseline else found
    if sarif:
        with whole(sarif) as made:
            made.write_text(output.sarif(found, translate), encoding="utf-8")
    if wants_markdown:
        show(output.as_markdown(found, translate))
    elif as_json:
        say_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in output.as_json(found)))
    else:
        show(output.terminal(found, everything=everything, strict=strict, translate=translate))
    sys.exit(TO_MEND if found.failed or found.failing(strict=strict) else 0)


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

    from ..wording.words import Translator, worded
    from .output import number_as_json, said
    from .recover import recovered
    from .rulings import Ruling

    translate = Translator(language).translate
    if len(published) != len(logs):
        raise click.UsageError(ONE_NUMBER_A_LOG.format(logs=len(logs), numbers=len(published)))
    found = recovered(logs, published, {"cards": cards, "batch_size": batch_size}, format_)
    for one in found:
        say(json.dumps(number_as_json(one), ensure_ascii=False) if as_json else worded(said(one), translate))
    sys.exit(0 if all(one.ruling == Ruling.PROVED for one in found) else TO_MEND)
