"""Commands of this room: what is in a log, and the pages."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.commands import FORMAT, LOGS
from parsers.io.extras import extra
from parsers.io.printable import printable, say
from parsers.io.refusal import Unreadable
from parsers.sharing.workers_option import JOBS, SCHEDULER

from .findings.command import audit, recover
from .site.command import serve
from .why.command import why
from .wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

if TYPE_CHECKING:
    from parsers.sharing.workers import Workers

    from .evidence.cell import Cell
    from .rendering.publish import PublishedPage

FOUND_NOTHING = 1
FOLLOWS_IN_ENGLISH = "--lang does not apply to --follow, which is in English."
FOLLOWS_BY_ITSELF = "--jobs and --scheduler do not apply to --follow, which reads one log."
FOLLOWS_ONE_LOG = "--follow takes one log; given: {count}."
FETCHES_BY_ITSELF = "--fetch takes no --logs: it brings the logs itself."
FOLDER_OF_RUNS = "is a folder of runs; pass a run, such as {run}."


@click.command()
@LOGS
@click.option(
    "--protocol",
    "stated",
    metavar="NAME|key=value,...",
    help="Protocol.  [default: printed throughput if available, otherwise computed; without warm-up]",
)
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes).")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process).")
@FORMAT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--follow", "follows", is_flag=True, help="Show one growing log live; stop with Ctrl-C.")
@JOBS
@SCHEDULER
@LANGUAGE
def show(
    logs: tuple[Path, ...],
    stated: str | None,
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    as_json: bool,
    follows: bool,
    jobs: int | None,
    scheduler: str | None,
    language: str,
) -> None:
    """Show what is in LOGS: format, run metadata and where it was found, throughput and its stability, line counts.

    A run folder stands for its log. With --follow, show the throughput of a running job; its log may be truncated,
    rotated, or not exist yet. With --scheduler, LOGS must be on a disk shared by all workers. Exit status 1 if a log
    gives no throughput, 2 if one cannot be read.

    \b
    Examples:
      tachograph show train.log
      tachograph show train.log --protocol tipc --cards 8
      tachograph show logs/lab/resnet50/1
      tachograph show logs/*/*.log.gz --protocol skip_records=5,statistic=median --json
      tachograph show --follow train.log --cards 8
    """
    from parsers.io.errors import ParserError
    from parsers.runs.facts import Fact
    from parsers.runs.provenance import option
    from parsers.sharing.workers import Workers

    from .measuring.protocol import Protocol, ProtocolError

    translate = translate_to(language)
    try:
        protocol = Protocol.parse(stated) if stated else None
    except ProtocolError as error:
        raise Unreadable(told_in(error, translate)) from error
    options = {"cards": cards, "batch_size": batch_size}
    given = tuple(Fact(name, number, option(name)) for name, number in options.items() if number)
    if follows:
        _follow(logs, language, jobs or scheduler, protocol, given, format_, as_json)
        return
    how = (protocol, given, format_, as_json, _terminal(), language)
    try:
        sys.exit(max(_print(*found) for found in _shown(logs, Workers(jobs, scheduler), *how)))
    except ParserError as error:
        raise Unreadable(told_in(error, translate)) from error


def _log(path: Path) -> Path:
    """The log of a run folder, or the path as it is.

    Raises LogError where a run.json is broken or names no log, and for a folder of runs.
    """
    from parsers.io.errors import LogError
    from parsers.runs.runfile import first_run, log_of

    if run := first_run(path):
        raise LogError.at(path, FOLDER_OF_RUNS, run=run)
    try:
        return log_of(path)
    except OSError:  # reading it tells what is wrong
        return path


def _follow(logs: Sequence[Path], language: str, shared: int | str | None, *how: Any) -> None:
    from parsers.io.errors import ParserError

    from .terminal.follow import follow

    translate = translate_to(language)
    if language != "en":
        raise wrong_use(translate, FOLLOWS_IN_ENGLISH)
    if shared:
        raise wrong_use(translate, FOLLOWS_BY_ITSELF)
    if len(logs) > 1:
        raise wrong_use(translate, FOLLOWS_ONE_LOG, count=len(logs))
    try:
        follow(_log(logs[0]), *how)
    except ParserError as error:
        raise Unreadable(error) from error


def _terminal() -> tuple[int, bool]:
    """The width of the terminal, and whether what is printed goes there."""
    from parsers.io.console import live

    return live().width, sys.stdout.isatty()


def _shown(logs: tuple[Path, ...], workers: "Workers", *how: object) -> Iterator[tuple[int, str]]:
    """Exit status and text of each log, in order; raises ParserError where the workers are gone."""
    if len(logs) > 1:
        _load_for_forks()
    with workers.each(partial(_show, how), logs, _bytes) as texts:
        yield from texts


def _load_for_forks() -> None:
    """Import what each log needs and load the formats, so that processes that are forked have them."""
    from parsers.io.errors import ParserError
    from parsers.scanning.detection import formats

    from .evidence import log_summary  # noqa: F401
    from .terminal import summary_text  # noqa: F401

    with suppress(ParserError):  # each log tells it
        formats()


def _bytes(path: Path) -> int:
    """The size of a log; that of the log of a run folder is as good as any other of its run."""
    with suppress(OSError):
        return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))
    return 0


def _show(how: tuple[Any, ...], log: Path) -> tuple[int, str]:
    """Exit status and text of one log; all work is done here, so that workers share it."""
    from parsers.io.errors import ParserError

    from .evidence.log_summary import as_json, summarise
    from .terminal.summary_text import shown

    protocol, given, format_, wants_json, (width, colour), language = how
    translate = translate_to(language)
    try:
        summary = summarise(_log(log), protocol, given, format_)
    except (ParserError, Unreadable) as error:
        return Unreadable.exit_code, f"Error: {told_in(error, translate)}"
    status = 0 if summary.measurement else FOUND_NOTHING
    if wants_json:
        return status, printable(json.dumps(as_json(summary), ensure_ascii=False)) + "\n"
    return status, shown(summary, translate, colour=colour, width=width)


def _print(status: int, text: str) -> int:
    from parsers.io.console import show as show_page

    if status == Unreadable.exit_code:
        say(text, err=True)
    else:
        show_page(text)
    return status


@click.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@click.option(
    "--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of logs.  [default: logs]"
)
@click.option("--fetch", is_flag=True, help="Fetch the logs that others published by git, as the pages name them.")
@click.option("--lang", "languages", multiple=True, help="Language; repeatable.  [default: all]")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("pages"),
    show_default=True,
    help="Output folder.",
)
@click.option("--charts", is_flag=True, help="Also draw charts (OUT/PAGE.CHART.LANG.svg) and embed them in the pages.")
@click.option("--html", "as_html", is_flag=True, help="Write a website instead: OUT/index.html.")
@click.option("--json", "as_json", is_flag=True, help="Also print one JSON object per cell and line.")
@JOBS
@SCHEDULER
def report(
    pages: tuple[str, ...],
    logs: Path | None,
    fetch: bool,
    languages: tuple[str, ...],
    out: Path,
    charts: bool,
    as_html: bool,
    as_json: bool,
    jobs: int | None,
    scheduler: str | None,
) -> None:
    """Render pages as Markdown: OUT/PAGE.LANG.md, and OUT/PAGE.evidence.json for programs. PAGE is a name in
    report/pages or a path; default: all pages with a log or a quoted figure, if any page has a log. Exit status 1 if
    a page has no numbers. With --scheduler, the logs, and with --html OUT, must be on disks shared by all workers.

    With --html, write a static site: search for numbers in its index, and click a number to see its log lines. It
    replaces an earlier site in OUT once complete; other files there are kept.

    \b
    Examples:
      tachograph report
      tachograph report resnet50 --fetch
      tachograph report resnet50 --logs ../Perf --lang zh --out site
      tachograph report cpu-demo --charts
      tachograph report my-page.toml --json
      tachograph report --html --out site
    """
    from parsers.io.errors import ParserError
    from parsers.sharing.workers import Workers

    from .wording.words import worded

    # What is told while pages are made in several languages, which nobody would read twice, is English.
    translate = translate_to(languages[0] if len(languages) == 1 else "en")
    empty = False
    if fetch and logs:
        raise wrong_use(translate, FETCHES_BY_ITSELF)
    try:
        logs = _fetched(pages) if fetch else logs
        asked = (pages, logs, languages, out, Workers(jobs, scheduler))
        made = _site(*asked) if as_html else _markdown(*asked, charts=charts)
        for published in made:
            empty |= published.is_empty
            if as_json:
                _print_cells(published.name, published.cells)
            else:
                say(worded(published.done, translate))
                if published.why_empty:
                    say(worded(published.why_empty, translate), err=True)
    except BrokenPipeError:
        raise  # whoever reads what is printed has seen enough; click ends without a word
    except (ParserError, OSError) as error:
        raise Unreadable(told_in(error, translate)) from error
    sys.exit(FOUND_NOTHING if empty else 0)


def _fetched(pages: Sequence[str]) -> Path:
    """The folder of the logs of pages, or of all that name a repository of theirs."""
    from .pagefile.log_repository import fetched
    from .pagefile.page_file import find, load, names

    found = {page: load(find(page)) for page in pages or names()}
    return fetched({name: page for name, page in found.items() if pages or page.source})


def _markdown(
    pages: Sequence[str], logs: Path | None, languages: Sequence[str], out: Path, workers: "Workers", *, charts: bool
) -> Iterator["PublishedPage"]:
    from .rendering.publish import publish

    if not charts:
        return publish(pages, logs, languages, out, workers=workers)
    with extra("charts", "Charts need"):
        from .charts.page_charts import chart_files

    return publish(pages, logs, languages, out, chart_files, workers=workers)


def _site(
    pages: Sequence[str], logs: Path | None, languages: Sequence[str], out: Path, workers: "Workers"
) -> Iterator["PublishedPage"]:
    with extra("charts", "The charts of a site need"):
        from .site.build import publish_site

    return publish_site(pages, logs, languages, out, workers)


def _print_cells(name: str, cells: "list[Cell]") -> None:
    from .rendering.publish import cell_json

    for cell in cells:
        say(json.dumps({"page": name, **cell_json(cell)}, ensure_ascii=False))


commands: list[click.Command] = [show, report, serve, why, audit, recover]
