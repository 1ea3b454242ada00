"""The command that exports numbers to other programs."""

import sys
from pathlib import Path

import click

from parsers.io.printable import say

FOUND_NOTHING = 1
TARGETS = ("csv", "github-action-benchmark")


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
