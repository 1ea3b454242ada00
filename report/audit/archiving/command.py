"""The commands that put a page and everything behind its numbers into one file, and that verify such a file."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.io.message import Message
from parsers.io.printable import say
from parsers.io.refusal import Unreadable
from parsers.sharing.workers import ALL_CORES

from ...wording.language_option import LANGUAGE, told_in, translate_to
from .archive_layout import SUFFIX

if TYPE_CHECKING:
    from ...wording.words import Translate
    from .archived_files import CopyRuns
    from .verification import ArchiveDifference, Verified

DIFFERS = 1
MOST_DIFFERENCES = 100
WROTE = "{out}: {files} files, {numbers} numbers. SHA-256: {sha256}"
AT = "{file}: {said}"
AT_LINE = "{file}:{line}: {said}"
MORE = "Further differences: {count}; --json lists all."
VERIFIED = "{files} files have their checksums; {numbers} numbers were made again from {logs} files and are the same."
QUOTED = "Quoted figures, or computed from these, without logs: {count}."
SHA256 = "SHA-256 of the archive: {sha256}"
DIFFERENCES = "Differences: {count}."


@click.command()
@click.argument("page")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help=f"Output file.  [default: PAGE{SUFFIX}]")
@click.option(
    "--logs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of logs.  [default: logs]",
)
@click.option("--lang", "languages", multiple=True, help="Language of the pages; repeatable.  [default: all]")
@click.option("--scrub", "scrubs", is_flag=True, help="Archive anonymized copies of the logs, as `scrub` makes them.")
def archive(
    page: str,
    out: Path | None,
    logs: Path | None,
    languages: tuple[str, ...],
    *,
    scrubs: bool,
    scrubbed: "CopyRuns",
) -> None:
    """Put a page and everything its numbers were computed from into one zip file: logs with the files beside them, page
    file, grammars, protocols, rendered pages, evidence, and checksums. PAGE is as for report.

    The same page and logs give the same bytes. Of run folders, all files of up to 1 MiB are archived, with the names
    of people and machines in them unless --scrub is given. Exit status 2 if the page has no number.

    \b
    Examples:
      tachograph archive my-page.toml
      tachograph archive resnet50 --logs ../Perf --out resnet50.tach.zip
      tachograph archive my-page.toml --scrub
    """
    from parsers.io.errors import ParserError

    from ...pagefile.page_file import find
    from ...views.publish import LOGS
    from .archived_files import copied_runs
    from .archived_page import archive as archived

    translate = translate_to(languages[0] if len(languages) == 1 else "en")
    copy_runs = scrubbed if scrubs else copied_runs
    try:
        place = out or Path(f"{find(page).stem}{SUFFIX}")
        made = archived(page, logs or LOGS, languages, place, copy_runs, ALL_CORES)
    except (ParserError, OSError) as error:
        raise Unreadable(told_in(error, translate)) from error
    _say(Message(WROTE, out=place, files=made.files, numbers=made.numbers, sha256=made.sha256), translate)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per difference.")
@LANGUAGE
def verify(file: Path, as_json: bool, language: str) -> None:
    """Verify an archive of a page: check the SHA-256 of every file, compute every number again from the archived logs,
    and compare the rendered pages in full.

    Nothing else is needed, and no network. Exit status 1 if anything differs, 2 if FILE is not an archive. Whoever can
    replace the whole archive can make one that verifies: compare its SHA-256 with the one that was published.

    \b
    Examples:
      tachograph verify my-page.tach.zip
      tachograph verify my-page.tach.zip --json
    """
    from parsers.io.errors import ParserError

    from .verification import verify as verified

    translate = translate_to(language)
    try:
        found = verified(file.absolute())
    except (ParserError, OSError) as error:
        raise Unreadable(told_in(error, translate)) from error
    for name, note in found.notes:
        _say(Message(AT, file=name, said=note), translate, err=True)
    if as_json:
        for difference in found.differences:
            say(json.dumps(_as_json(difference, translate), ensure_ascii=False))
    else:
        _print(found, translate)
    sys.exit(DIFFERS if found.differences else 0)


def _print(found: "Verified", translate: "Translate") -> None:
    for difference in found.differences[:MOST_DIFFERENCES]:
        place = {"file": difference.file, "line": difference.line or ""}
        _say(Message(AT_LINE if difference.line else AT, **place, said=difference.said), translate)
    if (more := len(found.differences) - MOST_DIFFERENCES) > 0:
        _say(Message(MORE, count=more), translate)
    if found.differences:
        _say(Message(DIFFERENCES, count=len(found.differences)), translate)
    else:
        _say(Message(VERIFIED, files=found.files, numbers=found.numbers, logs=found.logs), translate)
        if found.quoted:
            _say(Message(QUOTED, count=found.quoted), translate)
    _say(Message(SHA256, sha256=found.sha256), translate)


def _as_json(difference: "ArchiveDifference", translate: "Translate") -> dict[str, Any]:
    from ...wording.words import worded

    place = {"file": difference.file, "line": difference.line}
    digits = {"printed": difference.printed, "computed": difference.computed}
    return {**place, **digits, "reason": worded(difference.said, translate)}


def _say(message: Message, translate: "Translate", *, err: bool = False) -> None:
    from ...wording.words import worded

    say(worded(message, translate), err=err)
