"""Archives: the report of a page, its page file, and the logs that both rest on, in one zip file.

To verify an archive is to make its report again from the page file and the logs in it, and to compare both texts. The
same page and logs give the same bytes. ``manifest-sha256.txt`` lists the SHA-256 of every other file, as ``sha256sum
--check`` reads it, so that a change of what no number rests on is found as well.
"""

import re
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from tempfile import gettempdir
from typing import NamedTuple

from parsers.ingesting.sources import BROKEN, LeftOut, broken_because, of_zip
from parsers.io.errors import CANNOT_BE_READ, LogError, ParserError, TachographError, WriteError, reason_of
from parsers.io.files import (
    check_members,
    data_of,
    is_spelt_inside,
    leading_out,
    opened,
    text_of,
    unfinished,
    unpacking,
    whole,
    write,
    write_pieces,
    writing,
)
from parsers.runs.run_folder import RUN_FILE
from parsers.runs.runfile import files_of_run, sha256_of
from parsers.sharing.workers import ALL_CORES, Workers

from ..audit.own_pages import altered
from ..pagefile.page import Page
from ..pagefile.page_file import files_beside, find
from ..results.model import SUFFIX, Report
from ..results.quality import reference_logs
from ..results.resolve import wanted
from ..results.store import outside
from ..wording.words import english
from .publish import PublishedPage, read_pages

PAGE, LOGS = "page", "logs"  # the folders of an archive
MANIFEST = "manifest-sha256.txt"
LAUNCH = ".launch.toml"  # beside the page file, if launchers made the runs
MADE_BY = f"tachograph {version('tachograph')}"
EPOCH = (1980, 1, 1, 0, 0, 0)  # no zip file can state an earlier time
LONGEST_VALUE = 160  # characters that are told of a line
LONGEST_NAME, LONGEST_PART = 1000, 255  # characters of a name; bytes between two slashes, as file systems have it
_PIECE = 1 << 20
LARGEST = 1 << 20  # of a file of a run folder, in bytes
# What a line of a report is of.
_NAME = re.compile(r'(?:{"id": )?"([^"]+)"')
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")


class ArchiveError(ParserError):
    """An archive that cannot be made, or a file that is not an archive or not a safe one."""


class Difference(NamedTuple):
    """What is not as it was archived: a ``file`` of an archive, and what is wrong."""

    file: str
    said: str


@dataclass(frozen=True)
class Verified:
    """What verifying an archive found; ``sha256`` is that of the archive, ``files`` how many it holds.

    ``made_by``: the program and its version. ``report``: as made again, None where it could not be.
    """

    sha256: str
    files: int
    made_by: str
    differences: list[Difference]
    report: Report | None = None


# ---- writing


def archive(page: str, logs: Path, out: Path, workers: Workers = ALL_CORES) -> tuple[int, int]:
    """Archive a page, by its name or its path, with its logs below a folder: how many files, and how many numbers.

    Raises PageError, LogError, WriteError, and ArchiveError where the page has no number or the archive would not give
    its numbers.
    """
    file, logs, out = find(page).absolute(), logs.absolute(), out.absolute()
    (stated,) = read_pages([str(file)], logs, out.parent, workers)
    if not any(result.digits for result in stated.report.results):
        raise ArchiveError(f"{file.stem}: has no number to be archived; give the folder of its logs with --logs.")
    try:
        with unfinished(out.parent, out) as place:
            folder = place / "archive"
            _collect(stated, file, logs, folder)
            with chdir(folder):
                made = _made_again(file.stem, workers)
            for one in stated.report.results:
                if (digits := made.by_id[one.id].digits) != one.digits:
                    other = f"the number would be {digits or '-'} and not {one.digits or '-'}"
                    why = "what makes the difference lies outside of the run folders that the page names."
                    raise ArchiveError(f"{one.id}: from the files of the archive {other}; {why}")
            write(folder, f"{PAGE}/{file.stem}{SUFFIX}", made.to_json().encode())
            _refuse_unsafe(_names(folder), out)
            write(folder, MANIFEST, _manifest(folder).encode())
            names = _names(folder)
            _pack(folder, names, out)
    except WriteError as error:
        raise WriteError(out, error.reason) from error
    return len(names), sum(result.digits is not None for result in made.results)


def _collect(page: PublishedPage, file: Path, logs: Path, folder: Path) -> None:
    """Copy into a folder what a page is made of; raises LogError and WriteError."""
    launch = file.with_name(f"{file.stem}{LAUNCH}")
    for source in (file, *files_beside(text_of(file), file), *([launch] if launch.is_file() else [])):
        _copy(source, folder / PAGE / source.relative_to(file.parent))
    for source in sorted({file for path in logs_of_page(page.page, logs) for file in _of_run(logs / path)}):
        _copy(source, folder / LOGS / source.relative_to(logs))


def logs_of_page(page: Page, logs: Path) -> list[str]:
    """The logs that a page names, those of references and those that are no evidence too, below their folder."""
    paths = dict.fromkeys((*(one.path for one in wanted(page, logs)), *reference_logs(page, logs)))
    return sorted(path for path in paths if not outside(logs, path))


def _of_run(log: Path) -> Iterator[Path]:
    """A log, or the logs of a folder of ranks, and its side files; of a run folder all small files, such as patches."""
    yield from (file for file in files_of_run(log) if file.is_file())
    if log.is_dir():
        yield from (file for file in log.rglob("*") if file.is_file() and leading_out([file], log) is None)
    if log.with_name(RUN_FILE).is_file():
        regular = (file for file in log.parent.iterdir() if file.is_file() and not file.is_symlink())
        yield from (file for file in regular if file.name[0] != "." and file.stat().st_size <= LARGEST)


def _copy(source: Path, place: Path) -> None:
    """Copy the bytes of a file, and nothing else of it; raises LogError and WriteError."""
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened(source) as file, writing(place), place.open("wb") as target:
            shutil.copyfileobj(file, target)
    except OSError as error:
        raise LogError.at(source, CANNOT_BE_READ, reason=reason_of(error)) from error


def _names(folder: Path) -> list[str]:
    """The names of all files below a folder, in the order of an archive."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _manifest(folder: Path) -> str:
    """The SHA-256 and the name of each file below a folder but this list."""
    return "".join(f"{sha256_of(folder / name)}  {name}\n" for name in _names(folder) if name != MANIFEST)


def _pack(folder: Path, names: Sequence[str], out: Path) -> None:
    """Write files into a zip file in which nothing depends on when, where and by whom it is written."""
    check_members(len(names))
    with whole(out) as made, zipfile.ZipFile(made, "w") as packed:
        packed.comment = MADE_BY.encode()
        for name in names:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
            entry.file_size = (folder / name).stat().st_size  # large ones need other headers
            with opened(folder / name) as source, packed.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _PIECE)


# ---- reading


def verify(path: Path, workers: Workers = ALL_CORES) -> Verified:
    """Make the report of an archive again from what else is in it, and compare all that it says.

    Nothing but the archive and this version of Tachograph is used. Raises ArchiveError for what is not an archive or
    is made to do harm, LogError where it cannot be read.
    """
    with unfinished(Path(gettempdir())) as place:
        folder = place / "archive"
        name, comment, damaged = _unpacked(path, folder)
        changed = damaged or list(_unlike_listed(folder))
        found, made = (sha256_of(path), len(_names(folder)), comment), None
        if not damaged:
            try:
                with chdir(folder):
                    made = _made_again(name, workers)
                changed += _differences(_text(folder / PAGE / f"{name}{SUFFIX}"), made)
            except ParserError as error:
                said = f"The report could not be made again: {english(error.message)}"
                changed.append(Difference(f"{PAGE}/{name}.toml", said))
    return Verified(*found, changed, made)


def _made_again(name: str, workers: Workers) -> Report:
    """The report of the page in the archive whose folder is the current one; raises PageError, LogError."""
    (page,) = read_pages([f"{PAGE}/{name}.toml"], Path(LOGS), Path(PAGE), workers)
    return page.report


def _differences(stated: str, made: Report) -> Iterator[Difference]:
    """What a report does not say as made again: of each line, which is of one result, run or log, what differs."""
    file, right = f"{PAGE}/{made.page.name}{SUFFIX}", made.to_json()
    lines = stated.split("\n")
    for one in altered(stated, right):
        name = _NAME.match(lines[one.line - 1])
        said, now = (
            text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…" for text in (one.stood, one.right)
        )
        place = f"line {one.line}" + (f", {name[1]}" if name else "")
        yield Difference(file, f"{place}: made again from page file and logs it is {now}, not {said}.")


def _text(path: Path) -> str:
    return data_of(path).decode("utf-8", "replace")


# ---- unpacking


def _unpacked(archive: Path, folder: Path) -> tuple[str, str, list[Difference]]:
    """Unpack an archive into a new folder: the name of its page, who made it, and the files whose bytes are broken.

    Raises ArchiveError for what is not an archive, and for one that is made to do harm: that has links, names which
    lead out or are there twice, or that unpacks to more than it may.
    """
    damaged = []
    try:
        with opened(archive) as file, zipfile.ZipFile(file) as packed:
            names, comment = packed.namelist(), packed.comment.decode("utf-8", "replace")
        check_members(len(names))
        _refuse_unsafe(names, archive)
        for entry in of_zip(archive, unpacking(archive.stat().st_size)):
            if isinstance(entry, LeftOut):
                raise ArchiveError.at(archive, f"its file {entry.name!r} cannot be unpacked: {entry.reason}")
            name, pieces = entry
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            try:
                write_pieces(folder / name, pieces)
            except TachographError:
                raise
            except BROKEN as error:
                damaged.append(Difference(name, f"Its bytes changed: {broken_because(error)}."))
    except ArchiveError:
        raise
    except TachographError as error:
        raise ArchiveError.at(archive, CANNOT_BE_READ, reason=error.message) from error
    except OSError as error:
        raise ArchiveError.at(archive, CANNOT_BE_READ, reason=reason_of(error)) from error
    except BROKEN as error:
        raise ArchiveError.at(archive, "is not a zip archive, or is incomplete.") from error
    reports = [name for name in names if name.startswith(f"{PAGE}/") and name.endswith(SUFFIX)]
    if len(reports) != 1 or MANIFEST not in names:
        held = f"{len(reports)} reports and {int(MANIFEST in names)} manifests"
        raise ArchiveError.at(archive, f"is not an archive of Tachograph: it holds {held}; expected one each.")
    return PurePosixPath(reports[0]).name.removesuffix(SUFFIX), comment, damaged


def _unlike_listed(folder: Path) -> Iterator[Difference]:
    """The files of an unpacked archive that are not those which its manifest lists."""
    stated, made = _text(folder / MANIFEST), _manifest(folder)
    lines = ([line.partition("  ") for line in text.splitlines()] for text in (stated, made))
    listed, there = ({name: sha256 for sha256, _, name in of} for of in lines)
    unlike = sorted(name for name in listed.keys() | there.keys() if listed.get(name) != there.get(name))
    for name in unlike:
        if name not in there:
            yield Difference(name, "The file is missing.")
        elif name not in listed:
            yield Difference(name, f"{MANIFEST} does not list this file.")
        else:
            yield Difference(name, f"Its bytes changed: the SHA-256 is not the one that {MANIFEST} lists.")
    if not unlike and stated != made:
        yield Difference(MANIFEST, "It lists the files of the archive otherwise than it was written.")


def _refuse_unsafe(names: Sequence[str], archive: Path) -> None:
    """Raise ArchiveError for a name that no archive has, or that is there twice, as file and file or as folder too."""
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    seen: set[str] = set()
    for name in names:
        if name in seen or name in folders or not _is_safe(name):
            said = "which is there twice, leads out of the archive, or is no file of an archive."
            raise ArchiveError.at(archive, f"holds {name!r}, {said}")
        seen.add(name)


def _is_safe(name: str) -> bool:
    """Whether a name is that of a file of an archive: relative, spelt in one way, and safe on every system."""
    path = PurePosixPath(name)
    try:
        sizes = [len(part.encode()) for part in path.parts]
    except UnicodeEncodeError:
        return False
    is_of_archive = name == MANIFEST or (len(sizes) > 1 and path.parts[0] in (PAGE, LOGS))
    is_plain = name == path.as_posix() and is_spelt_inside(name) and not _UNSAFE.search(name)
    return is_of_archive and is_plain and len(name) <= LONGEST_NAME and max(sizes) <= LONGEST_PART
