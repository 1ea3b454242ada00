"""The command that exports numbers to other programs."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.commands import FORMAT, READ
from parsers.io.message import Message
from parsers.io.printable import say
from parsers.io.refusal import Unreadable
from parsers.sharing.workers_option import JOBS, SCHEDULER

from ...wording.language_option import LANGUAGE, told_in, translate_to, wrong_use

if TYPE_CHECKING:
    from ...wording.words import Translate
    from .formats import Export, Format
    from .metrics import LogOptions

FOUND_NOTHING = 1
UNKNOWN_TARGET = "No target is named {target}; use one of {known}."
NEEDS_OUT = "{target} is not a single text file; give --out."
LEFT_OUT = "Not exported: {count} {reason}."
EXPORTED = "Exported {count} of {total} numbers to {out}."


@click.command()
@click.argument("target")
@click.argument("sources", nargs=-1, required=True, metavar="PAGE|LOG...")
@click.option("--out", type=click.Path(path_type=Path), help="Output file or folder.  [default: standard output]")
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
@LANGUAGE
def export(
    target: str,
    sources: tuple[str, ...],
    out: Path | None,
    logs: Path | None,
    stated: str | None,
    cards: int | None,
    batch_size: int | None,
    format_: str | None,
    read: str | None,
    jobs: int | None,
    scheduler: str | None,
    language: str,
) -> None:
    """Export the numbers of pages, or the throughput of logs, to another program, with the digits of the page.

    TARGET is a file format: csv, parquet, github-action-benchmark, github-action-benchmark-smaller,
    pytorch-benchmark, openmetrics; or a folder of files: tipc. A PAGE is named as for report; a run folder stands for
    its LOG. Each number has its unit, scope, protocol, and its logs with SHA-256 and lines, where the format has room.
    Empty cells are not exported; quoted figures only to csv and parquet, where they are marked. What is left out is
    counted on standard error.

    Exit status 1 if nothing is exported, 2 for wrong use or unreadable input.

    \b
    Examples:
      tachograph export csv cpu-demo --out cpu-demo.csv
      tachograph export github-action-benchmark my-page.toml --logs runs > benchmark.json
      tachograph export openmetrics logs/lab/*/1 --cards 8
      tachograph export tipc runs/*/train.log --out speeds
    """
    from parsers.io.errors import ParserError
    from parsers.sharing.workers import Workers

    from ...measure.protocol import ProtocolError
    from .formats import exported
    from .metrics import found_in

    translate = translate_to(language)
    chosen = _format(target, out, translate)
    try:
        options = _options(stated, {"cards": cards, "batch_size": batch_size}, format_, read)
        found = found_in(sources, logs, options, Workers(jobs, scheduler))
        done = exported(chosen, found.metrics)
        _write(chosen, done, out)
    except BrokenPipeError:
        raise  # whoever reads what is printed has seen enough; click ends without a word
    except (ParserError, ProtocolError, OSError) as error:
        raise Unreadable(told_in(error, translate)) from error
    left = [Message(LEFT_OUT, count=count, reason=Message(reason)) for reason, count in done.left_out.items()]
    total = len(found.metrics)
    written = [Message(EXPORTED, count=done.count, total=total, out=out)] if out and done.count else []
    for said in (*found.missing, *left, *written):
        _say(said, translate)
    sys.exit(0 if done.count else FOUND_NOTHING)


def _format(name: str, out: Path | None, translate: "Translate") -> "Format":
    from .formats import FORMATS

    if name not in FORMATS:
        raise wrong_use(translate, UNKNOWN_TARGET, target=repr(name), known=", ".join(FORMATS))
    target = FORMATS[name]
    if out is None and (target.is_folder or not target.is_text):
        raise wrong_use(translate, NEEDS_OUT, target=name)
    return target


def _options(
    stated: str | None, given: Mapping[str, int | None], format_: str | None, read: str | None
) -> "LogOptions":
    from parsers.runs.facts import Fact
    from parsers.runs.provenance import option

    from ...measure.protocol import Protocol
    from .metrics import LogOptions

    facts = tuple(Fact(name, number, option(name)) for name, number in given.items() if number)
    return LogOptions(Protocol.parse(stated) if stated else None, facts, format_, read)


def _write(target: "Format", done: "Export", out: Path | None) -> None:
    """Write the files, whole or not at all; raises WriteError. Without ``out`` the one text is printed."""
    from parsers.io.atomic_write import whole, write_whole

    if not done.files:
        return
    if target.is_folder:
        write_whole(out or Path(), done.files)
        return
    (data,) = done.files.values()
    if out is None:
        sys.stdout.write(data.decode())
        return
    with whole(out) as unfinished:
        unfinished.write_bytes(data)


def _say(said: Message, translate: "Translate") -> None:
    from ...wording.words import worded

    say(worded(said, translate), err=True)
