"""Changed pages: those that are not as they were at a revision of git."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.runs.git_files import blobs_of, commit_of, is_changed, top_of

from ..whole_page import evidence_beside

NO_CHECKOUT = "{page} is in no git checkout, so --since cannot tell whether it changed."
NO_REVISION = "{top} has no revision {revision}, or git cannot read it."


class RevisionError(ParserError):
    """A revision that a checkout does not have, or a page that is in no checkout."""


def changed_since(pages: Iterable[Path], revision: str) -> frozenset[Path]:
    """The pages that are new since a revision, or that changed, or whose evidence files did; raises RevisionError.

    Files are compared as they lie on disk; what git ignores, it cannot tell from what is new.
    """
    return frozenset(page for page in pages if any(_is_changed(file, revision) for file in _files(page)))


def _files(page: Path) -> list[Path]:
    evidence = evidence_beside(page)
    return [page, evidence] if evidence else [page]


def _is_changed(file: Path, revision: str) -> bool:
    place = file.parent.resolve() / file.name
    top = top_of(place.parent)
    if top is None:
        raise RevisionError(NO_CHECKOUT, page=file)
    blob = _blobs(top, revision).get(place.relative_to(top).as_posix())
    return blob is None or place.is_symlink() or is_changed(place, blob)


@cache
def _blobs(top: Path, revision: str) -> dict[str, str]:
    commit = commit_of(top, revision)
    if commit is None:
        raise RevisionError(NO_REVISION, top=top, revision=repr(revision))
    return blobs_of(top, commit)
