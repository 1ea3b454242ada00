"""The commands of pages: report, why, export, archive and verify."""

import re
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.commands import FORMAT, READ
from parsers.io.printable import say, say_text
from parsers.sharing import JOBS, SCHEDULER

from ..wording.language_option import LANGUAGE

if TYPE_CHECKING:
    from ..audit.rulings import Finding
    from ..results.model import Report, Result

    # A number to explain, with its title; of a document that others wrote also the ruling on it.
    Asked = tuple[Report | None, Result | None, str, Finding | None]

FOUND_NOTHING = DIFFERS = 1  # exit statuses
DOCUMENTS = (".md", ".markdown", ".html", ".htm", ".json", ".csv", ".tsv")  # the ends of their names
TARGETS = ("csv", "github-action-benchmark")
ENDING = ".tach.zip"


@click.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@click.option(
    "--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of logs.  [default: logs]"
)
@click.option("--lang", "languages", multiple=True, help="Language; repeatable.  [default: all]")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("pages"),
    show_default=True,
    help="Output folder.",
)
@click.option("--html", "as_html", is_flag=True, help="Write a website instead: OUT/index.html.")
@click.option("--json", "as_json", is_flag=True, help="Also print the report of each page as JSON, one a line.")
@JOBS
@SCHEDULER
def report(
    pages: tuple[str, ...],
    logs: Path | None,
    languages: tuple[str, ...],
    out: Path,
    as_html: bool,
    as_json: bool,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    """Render pages as Markdown: OUT/PAGE.LANG.md, its evidence in OUT/PAGE.evidence.LANG.md, and for programs in
    OUT/PAGE.report.json. PAGE is a name in report/pages or a path; default: all pages, if any of them has a log. A page
    without numbers is not written, nor one whose published logs are not here: where they are is printed. Exit status 1
    if a PAGE is not written. With --scheduler, the logs, and with --html OUT, must be on disks shared by all workers.

    With --html, write a static site: search for numbers in its index, and click a number to see its log lines. It
    replaces an earlier site in OUT once complete; other files there are kept.

    \b
    Examples:
      tachograph report
      tachograph report resnet50 --logs ../Perf --lang zh --out site
      tachograph report my-page.toml --json
      tachograph report --html --out site
    """
    from parsers.sharing.workers import Workers

    from ..wording.words import Translator
    from .publish import publish, why_empty
    from .site import publish_site

    for language in languages:
        Translator(language)  # of a wrong language no log is read
    left_out, write = False, publish_site if as_html else publish
    for published in write(pages, logs, languages, out, Workers(jobs, scheduler)):
        left_out |= not published.files
        if as_json:
            say(published.report.to_json().replace("\n", ""))
        else:
            say(published.done)
            for told in why_empty(published.report) if published.files or logs or not published.page.source else ():
                say(told, err=True)
    sys.exit(FOUND_NOTHING if pages and left_out else 0)


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
    the page; of a DOCUMENT (Markdown, HTML, JSON, CSV) that others wrote its digits, ROW/COLUMN, or either with its
    line: 12:399.5. Prints the log, the lines used and why others are skipped, the values, each step of the protocol,
    scaling and rounding, what the other sources of the log say, and the results of other windows and statistics; of a
    log whose sources contradict each other both sides. Of a number without a log it prints which other numbers give
    it, or who published it. A run folder stands for its LOG.

    With --values it prints the numbers that the statistic is taken of, before scaling and rounding: throughputs as the
    log prints them, or seconds; without a stated protocol, and of estimate=clock, the work and the seconds of each
    interval, of which the number is the one sum over the other. An empty line separates repeats.

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
        if not Path(target).exists() and (near := get_close_matches(target, names(), 1)):
            raise click.UsageError(f"{target}: file not found; did you mean the page {near[0]}?")
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


@click.command()
@click.argument("target", type=click.Choice(TARGETS), metavar="TARGET")
@click.argument("sources", nargs=-1, required=True, metavar="PAGE|REPORT...")
@click.option("--out", type=click.Path(path_type=Path), help="Output file.  [default: standard output]")
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the logs of pages.  [default: logs]",
)
def export(target: str, sources: tuple[str, ...], out: Path | None, logs: Path | None) -> None:
    """Export the numbers of pages to another program, with the digits of the page.

    TARGET is csv or github-action-benchmark (its tool customBiggerIsBetter). A PAGE is named as for report; a REPORT is
    the file PAGE.report.json beside a rendered page, which needs no logs. Each number has its unit, scope, protocol,
    and its logs with SHA-256 and lines. Empty cells are not exported; figures that are quoted, and numbers of which
    less is better, only to csv. What is left out is counted on standard error.

    Exit status 1 if nothing is exported, 2 for wrong use or unreadable input.

    \b
    Examples:
      tachograph export csv cpu-demo --out cpu-demo.csv
      tachograph export csv pages/resnet50.report.json
      tachograph export github-action-benchmark my-page.toml --logs runs > benchmark.json
    """
    from parsers.io.files import whole

    from ..results.model import SUFFIX, read_report
    from .export import exported, rows
    from .publish import LOGS, read_pages

    files = {source: Path(source) for source in sources if source.endswith(SUFFIX)}
    pages = [source for source in dict.fromkeys(sources) if source not in files]
    reports = [*(page.report for page in read_pages(pages, logs or LOGS, Path())), *map(read_report, files.values())]
    found = [row for report in reports for row in rows(report)]
    data, taken = exported(target, found)
    if data and out:
        with whole(out) as unfinished:
            unfinished.write_bytes(data)
    else:
        sys.stdout.write(data.decode())
    cells = sum(len(report.results) for report in reports)
    say(f"Exported {taken} of {cells} cells; {cells - len(found)} are empty.", err=True)
    sys.exit(0 if data else FOUND_NOTHING)


@click.command()
@click.argument("page")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help=f"Output file.  [default: PAGE{ENDING}]")
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs.  [default: logs]",
)
def archive(page: str, out: Path | None, logs: Path | None) -> None:
    """Put a page and everything its numbers were computed from into one zip file: its report (PAGE.report.json), page
    file, logs with the files beside them, and checksums. PAGE is as for report.

    The same page and logs give the same bytes. Of run folders, all files of up to 1 MiB are archived, with the names
    of people and machines in them: to publish none, archive logs that `scrub` copied. Exit status 2 if the page has no
    number.

    \b
    Examples:
      tachograph archive my-page.toml
      tachograph archive resnet50 --logs ../Perf --out resnet50.tach.zip
      tachograph archive my-page.toml --logs public
    """
    from parsers.io.files import sha256_of

    from ..pagefile.page_file import find
    from .archive import archive as archived
    from .publish import LOGS

    place = out or Path(f"{find(page).stem}{ENDING}")
    files, numbers = archived(page, logs or LOGS, place)
    say(f"{place}: {files} files, {numbers} numbers. SHA-256: {sha256_of(place)}")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def verify(file: Path) -> None:
    """Verify an archive of a page: check the SHA-256 of every file, make its report again from the archived page file
    and logs, and compare everything that the report says.

    Nothing else is needed, and no network. Exit status 1 if anything differs, 2 if FILE is not an archive. Whoever can
    replace the whole archive can make one that verifies: compare its SHA-256 with the one that was published.

    \b
    Example:
      tachograph verify my-page.tach.zip
    """
    from .archive import MADE_BY
    from .archive import verify as verified

    found = verified(file.absolute())
    if found.made_by != MADE_BY:
        by = found.made_by if re.fullmatch(r"tachograph [\w.+-]{1,40}", found.made_by) else "another program"
        say(f"{file.name}: Made by {by}; {MADE_BY} may say the same otherwise.", err=True)
    for one in found.differences:
        say(f"{one.file}: {one.said}")
    if found.differences:
        say(f"Differences: {len(found.differences)}.")
    elif found.report:
        numbers = [result for result in found.report.results if result.digits is not None]
        quoted = sum(result.rests_on_quotes for result in numbers)
        again = f"{len(numbers) - quoted} numbers were made again from {len(found.report.logs)} files and are the same."
        say(f"{found.files} files have their checksums; {again}")
        if quoted:
            say(f"Quoted figures, or computed from these, without logs: {quoted}.")
    say(f"SHA-256 of the archive: {found.sha256}")
    sys.exit(DIFFERS if found.differences else 0)
