"""The commands that put a page and everything behind its numbers into one file, and that verify such a file."""

import sys
from pathlib import Path

import click

from parsers.io.printable import say

ENDING = ".tach.zip"
DIFFERS = 1


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
    from ..views.publish import LOGS
    from .archive import archive as archived

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
        say(f"{file.name}: Made by {found.made_by}; {MADE_BY} may say the same otherwise.", err=True)
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
