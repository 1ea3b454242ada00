"""The command that explains a number."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.commands import FORMAT, READ
from parsers.io.printable import say, say_text

from ..wording.language_option import LANGUAGE

if TYPE_CHECKING:
    from ..audit.rulings import Finding
    from ..results.model import Report, Result

    # A number to explain, with its title; of a document that others wrote also the ruling on it.
    Asked = tuple[Report | None, Result | None, str, Finding | None]

FOUND_NOTHING = 1
DOCUMENTS = (".md", ".markdown", ".html", ".htm", ".json", ".csv", ".tsv")  # the ends of their names


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
    wants_values: bool,
    language: str,
) -> None:
    """Explain a number: the CELL of a PAGE, a number of a DOCUMENT, or the throughput of a LOG.

    PAGE is a page file, its name, its PAGE.report.json, or a page that report wrote beside that, which needs no logs.
    CELL is the address of a number, which links to it end with (main/v100-fp32-8/paddle), or digits that are unique on
    the page; of a DOCUMENT (Markdown, HTML, JSON, CSV) that others wrote its
    digits, ROW/COLUMN, or either with its line: 12:399.5. Prints the log, the lines used and why others are skipped,
    the values, each step of the protocol, scaling and rounding, what the other sources of the log say, and the results
    of other windows and statistics; of a log whose sources contradict each other both sides. Of a number without a log
    it prints which other numbers give it, or who published it. A run folder stands for its LOG.

    With --values it prints the numbers that the statistic is taken of, before scaling and rounding: throughputs as the
    log prints them, or seconds; without a stated protocol, and of estimate=clock, the work and the seconds of each
    stretch, of which the number is the one sum over the other. An empty line separates repeats.

    Exit status 1 if a log gives no throughput, 2 for wrong use or unreadable input.

    \b
    Examples:
      tachograph why cpu-demo resnet50/1/paddleclas
      tachograph why resnet50 10984.436 --logs ../Perf
      tachograph why pages/resnet50.report.json 10984.436
      tachograph why README.md 10984.436 --logs logs
      tachograph why train.log --protocol tipc --cards 8
      tachograph why train.log --values | sort -n
    """
    from ..pagefile.page_file import names
    from ..wording.words import Translator, worded
    from .view import View
    from .why import explained, rows

    options = {"protocol": stated, "cards": cards, "batch_size": batch_size, "format": format_, "read": read}
    given = [name for name, said in options.items() if said is not None]
    if cell is not None:
        if given:
            raise click.UsageError(f"--{given[0].replace('_', '-')} is for a log; the page says it of the cell {cell}.")
        report, result, title, finding = _of_cell(target, cell, logs)
    else:
        if logs is not None or target.endswith(".toml") or (target in names() and not Path(target).is_file()):
            raise click.UsageError(f"{target} is no log; of a page pass a cell as well, such as main/1/paddle.")
        report, result, title, finding = _of_log(Path(target), options, language)
    view = View(report, language) if report else None
    if wants_values:
        found = rows(report, result) if report and result else []
        if not any(found):
            raise click.UsageError(f"{title}: no values of a log are used.")
        runs = ("".join("\t".join(map(repr, row)) + "\n" for row in of_run) for of_run in found)
        sys.stdout.write("\n".join(runs))
        return
    if view and result:
        say_text(explained(view, result, title))
    else:
        say(title)
    if finding is not None:
        from ..audit.recover import ruled

        say(worded(ruled(finding), Translator(language).translate))


def _of_cell(page: str, cell: str, logs: Path | None) -> "Asked":
    from ..results.model import SUFFIX, read_report, report_beside
    from .publish import LOGS, read_pages
    from .why import named

    path = Path(page)
    if page.endswith(SUFFIX):
        report = read_report(path)
    elif beside := report_beside(path):
        report = read_report(beside)
    elif page.lower().endswith(DOCUMENTS):
        from ..audit.recover import of_document

        return of_document(path, cell, logs)
    else:
        (found,) = read_pages([page], logs or LOGS, Path())
        report = found.report
    result = named(report, cell)
    return report, result, f"{report.page.name} {result.id}: {result.row}, {result.column}", None


def _of_log(log: Path, options: Mapping[str, Any], language: str) -> "Asked":
    from ..measure.diagnostics import NoMeasurement
    from ..results.measured_log import open as measured
    from ..results.run import report_of_log
    from ..wording.words import Translator, worded

    try:
        found = measured(log, **options)
        name = str(found.reading.folder or found.reading.path)
        report = report_of_log(name, found)
    except NoMeasurement as error:
        say(f"Error: {log}: {worded(error.message, Translator(language).translate)}", err=True)
        sys.exit(FOUND_NOTHING)
    return report, report.results[0], name, None
