"""Verifying an archive: its files are those that were archived, and its logs give every digit of its page again."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from parsers.io.errors import ParserError
from parsers.io.input_file import data_of
from parsers.io.message import Message
from parsers.runs.runfile import sha256_of
from parsers.sharing.workers import ALL_CORES, Workers

from ...rendering.markdown_page import page_name
from ...views.publish import PublishedPage
from ...wording.words import languages
from ..altered_text import altered
from . import checksums
from .archive_layout import CHECKSUMS, FORMATS, PAGE, PAGES, RULES, ArchiveError, files_below
from .archived_files import other_grammars, other_rules
from .rendered_again import inside, rendered
from .zip_archive import unpack

NOT_AN_ARCHIVE = "is not an archive of Tachograph: {file} is missing."
NO_PAGE_FILE = "is not an archive of Tachograph: it holds {count} page files; expected one."
OTHER_SHA256 = "Its bytes changed: the SHA-256 is not the one that {file} lists."
DAMAGED = "Its bytes changed: {reason}"
DAMAGED_LIST = "is damaged: {file} {reason}"
FOLLOWS = "Follows from that, here and at {count} more places of {files}: {first}"
NOT_LISTED = "{file} does not list this file."
IS_MISSING = "The file is missing."
OF_ARCHIVE = "This version has another grammar of this name or none; logs were read by that of the archive."
OF_VERSION = "This version has another; numbers were made again by its own."
NOT_MADE = "The page could not be made again: {reason}"
NOT_RENDERED_FROM = "It is not rendered from the page file and logs."
NOT_THERE = "It is rendered from the page file and logs, and is missing."
OTHER_LINE = "Rendered again, the line differs in its end or in bytes that are not text."
TO_BE = "Rendered again from its page file and logs, it says {right} here, not {stood}."
TO_BE_LEFT_OUT = "Rendered again from its page file and logs, it does not say this."


@dataclass(frozen=True)
class ArchiveDifference:
    """Something of an archive that is not as it was archived: a ``file`` of it, a line from 1, and what is wrong.

    ``printed`` and ``computed``: the digits of a page, and those that its logs give, where it is a number.
    """

    file: str
    line: int | None
    said: Message
    printed: str | None = None
    computed: str | None = None


@dataclass(frozen=True)
class Verified:
    """What verifying an archive found; ``sha256`` is that of the archive.

    ``files``: how many it holds. ``numbers``: how many cells of the page were made again, from so many ``logs``.
    ``quoted``: how many more are quoted figures, or computed from these, without logs. ``notes``: where this version
    has other grammars or rules than the archive, by the names of its files.
    """

    sha256: str
    files: int = 0
    numbers: int = 0
    quoted: int = 0
    logs: int = 0
    differences: list[ArchiveDifference] = field(default_factory=list)
    notes: list[tuple[str, Message]] = field(default_factory=list)


def verify(archive: Path, workers: Workers = ALL_CORES) -> Verified:
    """Check the SHA-256 of every file of an archive, render its page again and compare all that it says.

    Nothing but the archive and this version of Tachograph is used. Raises ArchiveError for what is not an archive or
    is made to do harm, LogError where it cannot be read.
    """
    sha256 = sha256_of(archive)
    with TemporaryDirectory() as place:
        folder = Path(place, "archive")
        folder.mkdir()
        broken = unpack(archive, folder)
        if CHECKSUMS in broken:
            raise ArchiveError.at(archive, DAMAGED_LIST, file=CHECKSUMS, reason=broken[CHECKSUMS])
        names = files_below(folder)
        said = {name: Message(DAMAGED, reason=reason) for name, reason in sorted(broken.items())}
        changed = [ArchiveDifference(name, None, reason) for name, reason in said.items()]
        if any(Path(name).parent == Path(PAGE) for name in broken):
            return Verified(sha256, len(names), differences=changed)
        file = page_file(archive, folder)
        changed += unlike_listed(folder, names, checksums.listed(folder, archive), broken)
        notes = [(f"{FORMATS}/{path.name}", Message(OF_ARCHIVE)) for path in other_grammars(folder)]
        notes += [(f"{RULES}/{name}", Message(OF_VERSION)) for name in other_rules(folder)]
        with inside(folder):
            made, differences = _compared(file, workers)
        return _verified(sha256, len(names), made, [*changed, *_following(differences, changed, broken)], notes)


def _following(
    differences: Sequence[ArchiveDifference], changed: Sequence[ArchiveDifference], broken: Mapping[str, Message]
) -> Iterator[ArchiveDifference]:
    """What the page made again differs in, beside the files that changed.

    Differences in these files say what changed; those in other files only follow from that, and are told as one.
    """
    files = {one.file for one in changed}
    yield from (one for one in differences if one.file in files - broken.keys())
    others = [one for one in differences if one.file not in files]
    if not files or len(others) < 2:
        yield from others
        return
    named = ", ".join(dict.fromkeys(one.file for one in others))
    told = Message(FOLLOWS, count=len(others) - 1, files=named, first=others[0].said)
    yield replace(others[0], said=told)


def _verified(
    sha256: str,
    files: int,
    made: PublishedPage | None,
    differences: list[ArchiveDifference],
    notes: list[tuple[str, Message]],
) -> Verified:
    if made is None:
        return Verified(sha256, files, differences=differences, notes=notes)
    cells = made.cells
    logs = {exhibit.path for cell in cells for proof in cell.proofs for exhibit in proof.exhibits}
    quoted = sum(cell.digits is not None and cell.rests_on_quotes for cell in cells)
    numbers = sum(cell.digits is not None for cell in cells) - quoted
    return Verified(sha256, files, numbers, quoted, len(logs), differences, notes)


def page_file(archive: Path, folder: Path) -> str:
    """The name of the page file of an archive; raises ArchiveError for what is not one."""
    if not (folder / CHECKSUMS).is_file():
        raise ArchiveError.at(archive, NOT_AN_ARCHIVE, file=CHECKSUMS)
    found = [path.name for path in (folder / PAGE).glob("*.toml") if path.is_file()]
    if len(found) != 1:
        raise ArchiveError.at(archive, NO_PAGE_FILE, count=len(found))
    return found[0]


def unlike_listed(
    folder: Path, names: Sequence[str], listed: Mapping[str, str], broken: Mapping[str, Message]
) -> Iterator[ArchiveDifference]:
    """The files that are not those of which the archive lists the checksums."""
    there = checksums.checksums_of(folder, [name for name in names if name not in broken])
    for name in sorted(listed.keys() | there.keys()):
        if name not in there and name not in broken:
            yield ArchiveDifference(name, None, Message(IS_MISSING))
        elif name not in listed:
            yield ArchiveDifference(name, None, Message(NOT_LISTED, file=CHECKSUMS))
        elif name in there and there[name] != listed[name]:
            yield ArchiveDifference(name, None, Message(OTHER_SHA256, file=CHECKSUMS))


def _compared(file: str, workers: Workers) -> tuple[PublishedPage | None, list[ArchiveDifference]]:
    """The page rendered again, where that can be done, and what its files in the archive say otherwise."""
    name = Path(file).stem
    there = {path.name for path in Path(PAGES).glob("*")}
    told = [language for language in languages() if page_name(name, language) in there] or languages()
    again = Path(os.path.relpath(mkdtemp(dir=".")))  # beside the pages, so that links are the same
    try:
        made = rendered(file, told, again, workers)
        return made, list(_unlike(name, there, again, workers))
    except ParserError as error:
        return None, [ArchiveDifference(f"{PAGE}/{file}", None, Message(NOT_MADE, reason=error.message))]


def _unlike(name: str, there: set[str], again: Path, workers: Workers) -> Iterator[ArchiveDifference]:
    """The places of the rendered files of an archive that are not as they were rendered again."""
    made = {path.name for path in again.iterdir()}
    yield from (ArchiveDifference(f"{PAGES}/{one}", None, Message(NOT_RENDERED_FROM)) for one in sorted(there - made))
    yield from (ArchiveDifference(f"{PAGES}/{one}", None, Message(NOT_THERE)) for one in sorted(made - there))
    unlike = [one for one in sorted(made & there) if data_of(Path(PAGES, one)) != data_of(again / one)]
    if not unlike:
        return
    named = [difference for one in unlike for difference in _altered_lines(one, again)]
    yield from named
    for one in unlike:
        if not any(difference.file == f"{PAGES}/{one}" for difference in named):
            yield ArchiveDifference(f"{PAGES}/{one}", _first_unlike(Path(PAGES, one), again / one), Message(OTHER_LINE))


def _altered_lines(name: str, again: Path) -> Iterator[ArchiveDifference]:
    """The lines of a file of an archive that are not as they were made again."""
    stood, right = (data_of(path).decode("utf-8", "replace") for path in (Path(PAGES, name), again / name))
    for alteration in altered(stood, right):
        was, is_to_be = alteration.excerpts
        said = Message(TO_BE, right=repr(is_to_be), stood=repr(was or "")) if is_to_be else Message(TO_BE_LEFT_OUT)
        yield ArchiveDifference(f"{PAGES}/{name}", alteration.line, said, was, is_to_be)


def _first_unlike(one: Path, other: Path) -> int:
    """The number of the first line in which two files differ."""
    lines = zip_longest(*(data_of(path).split(b"\n") for path in (one, other)))
    return next(number for number, (line, another) in enumerate(lines, 1) if line != another)
