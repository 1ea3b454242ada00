"""Archiving a page: all that its numbers rest on, rendered once more from just that, in one file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.io.atomic_write import unfinished, write
from parsers.io.errors import WriteError
from parsers.io.input_file import text_of
from parsers.runs.runfile import sha256_of
from parsers.sharing.workers import ALL_CORES, Workers

from ...evidence.case_evidence import cells, forget
from ...evidence.cell import Cell
from ...pagefile.page_file import find, load
from ...views.publish import PublishedPage
from ...wording.words import languages as all_languages
from . import checksums
from .archive_layout import CHECKSUMS, PAGES, ArchiveError, files_below
from .archived_files import CopyRuns, PageSources, copied_runs
from .rendered_again import inside, rendered
from .zip_archive import check_names, pack

OTHER_NUMBER = (
    "{slug}: from the files of the archive the number would be {made} and not {stated}; what makes the difference lies "
    "outside of the run folders that the page names."
)
NO_NUMBERS = "{page}: has no number to be archived; give the folder of its logs with --logs."


@dataclass(frozen=True)
class Archived:
    """What an archive holds: so many ``files``, and a page with so many ``numbers``; ``sha256``: its own."""

    files: int
    numbers: int
    sha256: str


def archive(
    page: str,
    logs: Path,
    languages: Sequence[str],
    out: Path,
    copy_runs: CopyRuns = copied_runs,
    workers: Workers = ALL_CORES,
) -> Archived:
    """Archive a page, by its name or its path, with its logs below a folder, rendered in languages (all if none).

    ``copy_runs``: copies the runs, perhaps without the names that they hold. The same page and logs give the same
    bytes, whenever and wherever they are archived. Raises PageError, LogError, WriteError, WordsError, and
    ArchiveError where the archive would not give the numbers of the page.
    """
    file, out = find(page).absolute(), out.absolute()
    forget()
    sources = _sources(file, logs.absolute(), workers)
    try:
        with unfinished(out.parent, out) as place:
            folder = place / "archive"
            made = _made(sources, folder, languages, copy_runs, workers)
            names = files_below(folder)
            check_names(names, out)
            write(folder, CHECKSUMS, checksums.text(checksums.checksums_of(folder, names)).encode())
            names.append(CHECKSUMS)
            pack(folder, names, out)
    except WriteError as error:
        raise WriteError(out, error.reason) from error
    return Archived(len(names), _numbers(made.cells), sha256_of(out))


def _made(
    sources: PageSources, folder: Path, languages: Sequence[str], copy_runs: CopyRuns, workers: Workers
) -> PublishedPage:
    """Put all files of an archive into a folder but the list of their checksums; raises as ``archive`` does."""
    sources.copy(folder, copy_runs)
    with inside(folder):
        made = rendered(sources.file.name, languages or all_languages(), Path(PAGES), workers)
    _refuse_other_numbers(sources.cells, made.cells)
    return made


def _sources(file: Path, logs: Path, workers: Workers) -> PageSources:
    """What a page is made of; raises ArchiveError where it has no number."""
    page = load(file)
    found = list(cells(page, logs, workers))
    if not _numbers(found):
        raise ArchiveError(NO_NUMBERS, page=file.stem)
    return PageSources(file, text_of(file), page, found, logs)


def _numbers(found: Sequence[Cell]) -> int:
    return sum(cell.digits is not None for cell in found)


def _refuse_other_numbers(stated: Iterable[Cell], made: Iterable[Cell]) -> None:
    """Raise ArchiveError where the files of an archive do not give the digits of the page."""
    for one, other in zip(stated, made, strict=True):
        if one.digits != other.digits:
            digits = [cell.digits or "-" for cell in (one, other)]
            raise ArchiveError(OTHER_NUMBER, slug=one.slug, stated=digits[0], made=digits[1])
