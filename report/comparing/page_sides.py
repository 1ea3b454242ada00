"""Pages as sides of a comparison: the logs behind the cells of a page, today or as git has them at a revision."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from parsers.io.errors import LogError, ParserError
from parsers.io.git import commit_of, top_of

from ..pagefile.log_repository import brought
from ..pagefile.page import Page
from ..pagefile.page_file import find, load, names
from ..results.remarks import NoEvidenceError
from ..results.store import filled, logs_of, run_of
from .compared_runs import FoundRun, found_runs

NO_SIDE = "is neither a log, a folder, a page nor REVISION:PAGE; pages: {names}, or a path ending in .toml."
NO_REVISION = "{top} has no revision {revision}, or git cannot read it."
NO_CHECKOUT = "is in no git checkout, so it has no revision {revision}."
NOT_THERE = "does not exist at revision {revision}."
NO_LOG_OF_PAGE = "names no log that is in {logs}; state the folder of logs with --logs."
PAGE_FILE = ".toml"


def stated_runs(side: Path, logs: Path) -> list[FoundRun]:
    """The runs of a side: a log or a folder, a page by its name or its file, or ``REVISION:PAGE``; none is read.

    ``logs``: the folder of the logs of pages. Raises LogError where there are none, PageError for a page file with a
    mistake, ParserError for what is no side, and FetchError where git fails.
    """
    if side.exists() and side.suffix != PAGE_FILE:
        return found_runs(side)
    revision, colon, page = str(side).rpartition(":")
    if colon and not side.exists():
        return _at_revision(revision, page, logs, side)
    if side.suffix != PAGE_FILE and str(side) not in names():
        raise ParserError.at(side, NO_SIDE, names=", ".join(names()))
    return _of_page(find(str(side)), logs, side)


def _of_page(file: Path, logs: Path, side: Path) -> list[FoundRun]:
    """The logs that a page file names, each as a run of the first cell that it is behind."""
    found: dict[str, FoundRun] = {}
    for slug, path in _logs_of_cells(load(file), logs):
        found.setdefault(path, FoundRun(logs, path, slug))
    if not found:
        raise LogError.at(side, NO_LOG_OF_PAGE, logs=logs)
    return list(found.values())


def _logs_of_cells(page: Page, logs: Path) -> Iterator[tuple[str, str]]:
    """The address of each cell of a page, with the logs behind it, below the folder of logs."""
    for place in page.places():
        with suppress(NoEvidenceError):
            run = run_of(page.columns[place.column.column], place.case)
            yield from ((place.id, path) for path in logs_of(logs, filled(run, page.of_model(place.case), logs)))


def _at_revision(revision: str, page: str, logs: Path, side: Path) -> list[FoundRun]:
    """The same with the page file and the logs of a revision; logs that it does not have are those of today."""
    file = Path(page).resolve() if page.endswith(PAGE_FILE) else find(page)
    top = top_of(next(folder for folder in file.parents if folder.is_dir()))
    if top is None:
        raise ParserError.at(page, NO_CHECKOUT, revision=revision)
    commit = commit_of(top, revision)
    if commit is None:
        raise ParserError(NO_REVISION, top=top, revision=repr(revision))
    wanted = [path for one in (file, logs) if (path := _below(one, top)) is not None]
    folder = _below(file.parent, top)
    prose = f"/{folder}/**/*.md" if folder else "/**/*.md"  # which a page file may refer to
    place = brought(top.resolve().as_uri(), commit, [prose, *(f"/{path}" for path in wanted)])
    if not (place / wanted[0]).is_file():
        raise ParserError.at(page, NOT_THERE, revision=revision)
    has_logs = len(wanted) > 1 and (place / wanted[1]).is_dir()
    return _of_page(place / wanted[0], place / wanted[1] if has_logs else logs, side)


def _below(path: Path, top: Path) -> str | None:
    """A path as git spells it in a checkout; None for one that lies outside, or is the whole of it."""
    place, root = path.resolve(), top.resolve()
    return place.relative_to(root).as_posix() if place.is_relative_to(root) and place != root else None
