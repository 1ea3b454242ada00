"""The command that drafts a grammar for a log that no format claims."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..io.errors import FormatError, ParserError
from ..io.message import counted, joined
from ..io.printable import say
from ..io.refusal import Unreadable

if TYPE_CHECKING:
    from .drafting import Draft

CLAIMED = "is of the known format {name}; read it with `tachograph show`."
NO_DRAFT = "no grammar can be drafted for it: {reasons}."
NOT_A_GRAMMAR = "the name of a grammar ends in .lark."


@click.command("format")
@click.argument("log", type=click.Path(readable=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Output file: NAME.lark.")
def draft_format(log: Path, out: Path) -> None:
    """Draft a grammar for LOG, of a program that no known format describes.

    Numbers are named by the words and units beside them. A number whose meaning the log does not prove is left out,
    and whose it is (of a card, a node or the job) is unknown until you write it into the grammar. A few lines of the
    log are put into the folder NAME, to test the grammar by; review them before you publish them.

    \b
    Examples:
      tachograph format train.log --out my.lark
      tachograph show train.log --format my.lark
    """
    if out.suffix != ".lark":
        raise click.BadParameter(f"{out}: {NOT_A_GRAMMAR}", param_hint="--out")
    try:
        _write(_drafted(log), log, out)
    except ParserError as error:
        raise Unreadable(error) from error


def _drafted(log: Path) -> "Draft":
    from ..scanning.detection import detect, formats
    from .drafting import NoDraft, draft

    if claimed := detect(log, formats()):
        raise FormatError.at(log, CLAIMED, name=claimed.name)
    found = draft(log)
    if isinstance(found, NoDraft):
        raise FormatError.at(log, NO_DRAFT, reasons=joined("{first}; {second}", found.reasons))
    return found


def _write(found: "Draft", log: Path, out: Path) -> None:
    from ..io.atomic_write import whole
    from .drafting import excerpt

    with whole(out) as unfinished:
        unfinished.write_text(found.text, encoding="utf-8")
    golden = out.with_suffix("") / f"{log.name.partition('.')[0]}.log"
    golden.parent.mkdir(parents=True, exist_ok=True)
    with whole(golden) as unfinished:
        unfinished.write_bytes(excerpt(log, found.reading))
    columns = ", ".join(found.columns)
    say(f"Wrote {out}: it reads {found.used} of {counted(found.total, 'line')} of {log}, with {columns}.")
    for assumed in found.assumed:
        say(f"Assumed: {assumed}.")
    say(f"Wrote {golden}: some of its lines. Read the log with: tachograph show {log} --format {out}")
