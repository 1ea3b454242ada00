"""Commands of this room: what is in a log, and the pages."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import FORMAT, LOGS, Unreadable

if TYPE_CHECKING:
    from .evidence import Cell
    from .show import Summary

FOUND_NOTHING = 1


@click.command()
@LOGS
@click.option("--protocol", "stated", default="plain", show_default=True, metavar="NAME|key=value,...")
@click.option("--cards", type=click.IntRange(min=1), help="Cards of the run, in all.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per card.")
@FORMAT
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def show(
    logs: tuple[Path, ...],
    stated: str,
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    as_json: bool,
) -> None:
    """Show what is in LOGS: format, facts and their witnesses, throughput, how steady it is, the line account.

    Exit status 1 when a log gives no throughput, 2 when one cannot be read.

    \b
    Examples:
      tachograph show train.log
      tachograph show train.log --protocol tipc --cards 8
      tachograph show logs/*/*.log.gz --protocol skip_records=5,statistic=median --json
    """
    from parsers.facts import Fact

    from .protocol import Protocol, ProtocolError

    try:
        protocol = Protocol.parse(stated)
    except ProtocolError as error:
        raise Unreadable(str(error)) from error
    options = {"cards": cards, "batch_size": batch_size}
    given = tuple(Fact(name, number, f"--{name.replace('_', '-')}") for name, number in options.items() if number)
    worst = max(_shown(found, as_json) for found in _summaries(logs, protocol, given, format_))
    sys.exit(worst)


def _summaries(logs: tuple[Path, ...], *how: object) -> "Iterator[Summary | str]":
    """The summary of each log, or the sentence why it cannot be read, in order; several logs use all cores."""
    if len(logs) == 1:
        yield _summary(logs[0], *how)
        return
    with ProcessPoolExecutor() as pool:
        yield from pool.map(_summary, logs, *([argument] * len(logs) for argument in how))


def _summary(log: Path, *how: object) -> "Summary | str":
    from parsers.errors import ParserError

    from .show import summarise

    try:
        return summarise(log, *how)  # type: ignore[arg-type]
    except ParserError as error:
        return str(error)


def _shown(found: "Summary | str", as_json: bool) -> int:
    """Print one summary and return its exit status."""
    if isinstance(found, str):
        click.echo(f"Error: {found}", err=True)
        return Unreadable.exit_code
    if as_json:
        from .show import as_json as summary_json

        click.echo(json.dumps(summary_json(found), ensure_ascii=False))
    else:
        from rich.console import Console

        from .terminal import show as show_summary

        show_summary(found, Console(highlight=False))
    return 0 if found.measurement else FOUND_NOTHING


@click.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@click.option("--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of logs.")
@click.option("--lang", "languages", multiple=True, help="Language; may be given again.  [default: all]")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("pages"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print every cell, one JSON object a line.")
def report(pages: tuple[str, ...], logs: Path | None, languages: tuple[str, ...], out: Path, as_json: bool) -> None:
    """Render pages as Markdown: OUT/PAGE.LANG.md. PAGE is a name in report/pages or a path; without it all pages
    whose logs are there.

    \b
    Examples:
      tachograph report
      tachograph report resnet50 --logs ../Perf --lang zh --out site
      tachograph report my-page.toml --json
    """
    from .pagefile import PageError
    from .publish import publish
    from .words import WordsError

    try:
        for published in publish(pages, logs, languages, out):
            if as_json:
                _print_cells(published.name, published.page.unit, published.cells)
            else:
                click.echo(published.sentence)
    except (PageError, WordsError, OSError) as error:
        raise Unreadable(str(error)) from error


def _print_cells(name: str, unit: str, cells: "list[Cell]") -> None:
    from .publish import cell_json

    for cell in cells:
        click.echo(json.dumps({"page": name, **cell_json(cell, unit)}, ensure_ascii=False))


commands: list[click.Command] = [show, report]
