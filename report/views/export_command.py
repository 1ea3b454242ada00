"""The command that exports numbers to other programs."""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.commands import FORMAT, READ
from parsers.io.printable import say
from parsers.sharing import JOBS, SCHEDULER

if TYPE_CHECKING:
    from parsers.sharing.workers import Workers

    from ..results.model import Report

FOUND_NOTHING = 1


@click.command()
@click.argument("target")
@click.argument("sources", nargs=-1, required=True, metavar="PAGE|REPORT|LOG...")
@click.option("--out", type=click.Path(path_type=Path), help="Output file.  [default: standard output]")
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the logs of pages.  [default: logs]",
)
@click.option("--protocol", "stated", metavar="NAME|key=value,...", help="Protocol, for logs.  [default: as for show]")
@click.option("--cards", type=click.IntRange(min=1), help="Total number of GPUs (or processes), for logs.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Batch size per GPU (or process), for logs.")
@FORMAT
@READ
@JOBS
@SCHEDULER
def export(
    target: str,
    sources: tuple[str, ...],
    out: Path | None,
    logs: Path | None,
    stated: str | None,
    jobs: int | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Export the numbers of pages, or the throughput of logs, to another program, with the digits of the page.

    TARGET is csv, parquet, github-action-benchmark, github-action-benchmark-smaller or openmetrics. A PAGE is named as
    for report; a REPORT is the file PAGE.report.json beside a rendered page, which needs no logs; a run folder stands
    for its LOG. Each number has its unit, scope, protocol, and its logs with SHA-256 and lines, where the format has
    room. Empty cells are not exported; quoted figures only to csv and parquet, where they are marked. What is left out
    is counted on standard error.

    Exit status 1 if nothing is exported, 2 for wrong use or unreadable input.

    \b
    Examples:
      tachograph export csv cpu-demo --out cpu-demo.csv
      tachograph export csv pages/resnet50.report.json
      tachograph export github-action-benchmark my-page.toml --logs runs > benchmark.json
      tachograph export openmetrics logs/lab/*/1 --cards 8
    """
    from parsers.io.files import whole
    from parsers.sharing.workers import Workers

    from ..measure.protocol import Protocol
    from .export import FORMATS, exported, rows

    if target not in FORMATS:
        near = get_close_matches(target, FORMATS, 1)
        known = f"did you mean {near[0]}?" if near else f"use one of {', '.join(FORMATS)}."
        raise click.UsageError(f"No target is named {target!r}; {known}")
    chosen = FORMATS[target]
    if out is None and not chosen.is_text:
        raise click.UsageError(f"{target} is not a single text file; give --out.")
    options |= {"protocol": Protocol.parse(stated) if stated else None, "format": options.pop("format_")}
    reports, said = _reports(sources, logs, options, Workers(jobs, scheduler))
    found = [row for name, report in reports for row in rows(name, report)]
    data, left_out = exported(chosen, found)
    if data and out:
        with whole(out) as unfinished:
            unfinished.write_bytes(data)
    else:
        sys.stdout.write(data.decode())
    said += [f"Not exported: {count} {reason}." for reason, count in left_out.items()]
    if out and data:
        said.append(f"Exported {len(found) - left_out.total()} of {len(found)} numbers to {out}.")
    for one in said:
        say(one, err=True)
    sys.exit(0 if data else FOUND_NOTHING)


def _reports(
    sources: Sequence[str], logs: Path | None, options: dict[str, Any], workers: "Workers"
) -> tuple[list[tuple[str, "Report"]], list[str]]:
    """The reports of pages, report files and logs by name, each source once, and a sentence on what has no number.

    A source is a page if it is a path ending in .toml, or the name of a page of ours where there is no such file.
    ``options``: those of ``open``. Raises ParserError where one cannot be read.
    """
    from ..pagefile.page_file import names
    from ..results.model import SUFFIX, read_report
    from .publish import LOGS, read_pages

    pages, files, paths = list[str](), list[Path](), list[Path]()
    for source in dict.fromkeys(sources):
        if source.endswith(".toml") or (source in names() and not Path(source).exists()):
            pages.append(source)
        else:
            (files if source.endswith(SUFFIX) else paths).append(Path(source))
    folder = logs or LOGS
    reports = [page.report for page in (read_pages(pages, folder, Path(), workers) if pages else ())]
    reports += map(read_report, files)
    named = [(report.page.name, report) for report in reports]
    said = [
        f"{name}: {empty} of {len(report.results)} cells are empty and not exported."
        for name, report in named
        if (empty := sum(result.digits is None for result in report.results))
    ]
    with workers.each(partial(_of_log, options), paths, _size) as results:
        for result in results:
            if isinstance(result, str):
                said.append(result)
            else:
                named.append(result)
    return named, said


def _size(path: Path) -> int:
    """The bytes of a log; 0 where it is gone, or a folder."""
    return path.stat().st_size if path.is_file() else 0


def _of_log(options: dict[str, Any], path: Path) -> "tuple[str, Report] | str":
    """The name and the report of a log, or why it has no number; workers do this."""
    from ..measure.diagnostics import NoMeasurement
    from ..results.measured_log import open as measured
    from ..results.run import report_of_log
    from ..wording.words import english

    try:
        found = measured(path, **options)
        report = report_of_log(str(found.reading.path), found)
        if (reason := report.results[0].reason) is None:
            return str(found.reading.folder or found.reading.path), report
        said = reason.message
    except NoMeasurement as error:
        said = error.message
    return f"{path}: not exported, no throughput: {english(said)}"
