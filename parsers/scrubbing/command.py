"""The command that makes copies of logs which may be published."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..io.message import counted
from ..io.printable import Unreadable, say

if TYPE_CHECKING:
    from .copies import ScrubOutcome, Secrets

KINDS = {
    "host": "host name",
    "user": "user name",
    "email": "e-mail address",
    "address": "private address",
    "credential": "credential",
}


@click.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Output folder.")
@click.option("--format", "format_", metavar="NAME|FILE.lark", help="Log format.  [default: detected]")
@click.option("--host", "hosts", multiple=True, metavar="NAME", help="Host name to replace anywhere.")
@click.option("--user", "users", multiple=True, metavar="NAME", help="User name to replace anywhere.")
@click.option("--keep", multiple=True, metavar="NAME", help="Name to keep.")
def scrub(
    logs: tuple[Path, ...],
    out: Path,
    format_: str | None,
    hosts: tuple[str, ...],
    users: tuple[str, ...],
    keep: tuple[str, ...],
    secrets: "Callable[[], Secrets]",
) -> None:
    """Write anonymized copies of LOGS that give the same results.

    Names of hosts and users, home folders, e-mail addresses, private addresses and credentials are replaced, the same
    name by the same placeholder in all copies. A log may also be a run folder, or a folder of them; the other files
    of a run are copied as well. Names without a recognizable marker are not detected: review the copies before
    publishing, and pass such names with --host or --user.

    \b
    Examples:
      tachograph scrub train.log --out public
      tachograph scrub logs/my-suite --out public --user jdoe
    """
    from ..io.errors import ParserError, told
    from .copies import copied, sources
    from .identities import Identity

    if not all((*hosts, *users, *keep)):
        raise click.UsageError("--host, --user and --keep must not be empty.")
    given = [Identity(kind, os.fsencode(name)) for kind, names in (("host", hosts), ("user", users)) for name in names]
    try:
        outcome = copied(sources(logs), out, secrets(), given=given, keep=map(os.fsencode, keep), format=format_)
    except (ParserError, OSError) as error:
        raise Unreadable(told(error)) from error
    for line in _told(outcome, out):
        say(line)
    if outcome.problems:
        raise Unreadable(*outcome.problems)


def _told(outcome: "ScrubOutcome", out: Path) -> Iterator[str]:
    """How many of each kind; never which, for what is printed here may be published, too."""
    copies = len(outcome.copies)
    yield f"Wrote 1 copy to {out}." if copies == 1 else f"Wrote {copies} copies to {out}."
    if outcome.copies and not outcome.replaced:
        yield "No names, addresses or credentials found."
    for kind, noun in KINDS.items():
        if replaced := outcome.replaced.get(kind):
            different = f", {len(replaced.distinct)} distinct" if replaced.distinct else ""
            count, _, words = counted(replaced.occurrences, noun).partition(" ")
            yield f"{count:>8} {words}{different}, first at {replaced.copy}:{replaced.line}"
