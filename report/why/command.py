"""The command that explains a number."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import FORMAT, READ
from parsers.io.printable import say
from parsers.io.refusal import Unreadable

from ..wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

if TYPE_CHECKING:
    from ..wording.words import Translate
    from .explanation import Explanation
    from .published_cell import RuledNumber

FOUND_NOTHING = 1
FOR_A_LOG = "{option} is for a log; the page says it of the cell {cell}."
NO_CELL_GIVEN = "{page} is a page; pass a cell as well, such as main/1/paddle."
LOGS_OF_A_PAGE = "--logs applies to a page; pass a page and a cell."
TWO_OUTPUTS = "Pass --json or --values, not both."
NO_VALUES = "{title}: no values of a log are used."


@click.command()
@click.argument("target", metavar="PAGE|LOG|DOCUMENT")
@click.argument("cell", required=False)
@click.option(
    "--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of the page's logs."
)
@click.option("--protocol", "stated", metavar="NAME|key=value,...", help="Protocol, for a log.  [default: as for show]")
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes), for a log.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process), for a log.")
@FORMAT
@READ
@click.option("--json", "wants_json", is_flag=True, help="Print one JSON object with all lines and values.")
@click.option("--values", "wants_values", is_flag=True, help="Print only the numbers used, one per line.")
@LANGUAGE
def why(
    target: str,
    cell: str | None,
    logs: Path | None,
    stated: str | None,
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    read: str | None,
    wants_json: bool,
    wants_values: bool,
    language: str,
) -> None:
    """Explain a number: the CELL of a PAGE, a number of a DOCUMENT, or the throughput of a LOG.

    CELL is the address of a number, which links to it end with (main/v100-fp32-8/paddle), digits that are unique on the
    page, or TABLE/ROW/COLUMN as they are titled; of a DOCUMENT (Markdown, HTML, JSON, CSV) that others wrote its
    digits, ROW/COLUMN, or either with its line: 12:399.5. An evidence number of earlier versions (e12) still works.
    Prints the log, the lines used and why others are skipped, the values, each step of the protocol, scaling and
    rounding, what the other sources of the log say, and the results of other windows and statistics; of a log whose
    sources contradict each other both sides. Of a number without a log it prints which other numbers of its table give
    or contradict it. A run folder stands for its LOG.

    With --values it prints the numbers that the statistic is taken of, before scaling and rounding: throughputs as the
    log prints them, or seconds; without a stated protocol, and of estimate=clock, the work and the seconds of each
    stretch, of which the number is the one sum over the other. An empty line separates repeats.

    Exit status 1 if a log gives no throughput, 2 for wrong use or unreadable input.

    \b
    Examples:
      tachograph why cpu-demo resnet50/1/paddleclas
      tachograph why resnet50 10984.436 --logs ../Perf
      tachograph why README.md 10984.436 --logs logs
      tachograph why train.log --protocol tipc --cards 8
      tachograph why train.log --values | sort -n
    """
    translate = translate_to(language)
    if wants_json and wants_values:
        raise wrong_use(translate, TWO_OUTPUTS)
    of_log = {"--protocol": stated, "--cards": cards, "--batch-size": batch_size, "--format": format_, "--read": read}
    given = {option: said for option, said in of_log.items() if said is not None}
    if cell is not None:
        if given:
            raise wrong_use(translate, FOR_A_LOG, option=next(iter(given)), cell=cell)
        explained = _of_cell(target, cell, logs, translate)
    else:
        _refuse_page(target, logs, translate)
        options = {"cards": cards, "batch_size": batch_size}
        explained = _of_log(Path(target), stated, options, {"format": format_, "read": read}, translate)
    if wants_values:
        _print_values(explained, translate)
    else:
        _print(explained, translate, wants_json=wants_json)


def _refuse_page(target: str, logs: Path | None, translate: "Translate") -> None:
    from ..pagefile.page_file import names

    if target.endswith(".toml") or (target in names() and not Path(target).is_file()):
        raise wrong_use(translate, NO_CELL_GIVEN, page=target)
    if logs is not None:
        raise wrong_use(translate, LOGS_OF_A_PAGE)


def _of_cell(page: str, cell: str, logs: Path | None, translate: "Translate") -> "Explanation | RuledNumber":
    from parsers.io.errors import ParserError

    from ..measure.diagnostics import NoMeasurement
    from ..pagefile.page_file import PageError
    from ..views.publish import LOGS
    from .cell_name import NoCellError
    from .explanation import of_cell
    from .published_cell import ENDINGS, of_published

    try:
        if page.lower().endswith(ENDINGS):
            return of_published(Path(page), cell, logs)
        return of_cell(page, cell, logs or LOGS)
    except (PageError, NoCellError, NoMeasurement, ParserError, OSError) as error:
        raise Unreadable(told_in(error, translate)) from error


def _of_log(
    log: Path,
    stated: str | None,
    options: Mapping[str, int | None],
    how: Mapping[str, str | None],
    translate: "Translate",
) -> "Explanation":
    from parsers.io.errors import ParserError
    from parsers.runs.facts import Fact
    from parsers.runs.provenance import option
    from parsers.runs.runfile import log_of

    from ..measure.diagnostics import NoMeasurement
    from ..measure.protocol import Protocol, ProtocolError
    from .explanation import of_log

    given = [Fact(name, number, option(name)) for name, number in options.items() if number]
    try:
        return of_log(log_of(log), Protocol.parse(stated) if stated else None, given, **how)
    except (ProtocolError, ParserError) as error:
        raise Unreadable(told_in(error, translate)) from error
    except NoMeasurement as error:
        say(f"Error: {told_in(error, translate)}", err=True)
        sys.exit(FOUND_NOTHING)


def _print(explained: "Explanation | RuledNumber", translate: "Translate", *, wants_json: bool) -> None:
    from parsers.io.console import show

    from ..audit.output import number_as_json
    from ..wording.words import worded
    from .explanation import as_json
    from .explanation_text import shown
    from .published_cell import RuledNumber

    if isinstance(explained, RuledNumber):
        told = json.dumps(number_as_json(explained.finding), ensure_ascii=False)
        for line in [told] if wants_json else [explained.title, worded(explained.said, translate)]:
            say(line)
    elif wants_json:
        say(json.dumps(as_json(explained), ensure_ascii=False))
    else:
        show(shown(explained, translate, colour=sys.stdout.isatty()))


def _print_values(explained: "Explanation | RuledNumber", translate: "Translate") -> None:
    from .published_cell import RuledNumber

    if isinstance(explained, RuledNumber):
        raise wrong_use(translate, NO_VALUES, title=explained.title)
    logs = ("".join("\t".join(map(repr, row)) + "\n" for row in derived.rows) for derived in explained.derivations)
    sys.stdout.write("\n".join(logs))
