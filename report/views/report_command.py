"""The command that makes pages."""

import sys
from pathlib import Path

import click

from parsers.io.printable import say
from parsers.sharing import JOBS, SCHEDULER

FOUND_NOTHING = 1


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
    without numbers is not written, nor one whose logs others published without them: where they are is
    printed. Exit status 1 if a PAGE is not written. With --scheduler, the logs, and with --html OUT, must be on disks
    shared by all workers.

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
