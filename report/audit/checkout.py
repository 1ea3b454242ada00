"""A checkout: its documents with their claims, its data files, and which of these a document or a claim leads to."""

import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from parsers.io.errors import LogError
from parsers.io.files import leading_out
from parsers.runs.runfile import DEEPEST, TOO_DEEP

from ..results.model import SUFFIX
from .claims import Claim, claims_of
from .documents import text_of
from .evidence import is_data

DOCUMENTS = ("*.md", "*.markdown")  # of a folder, by the patterns of their names
_REPOSITORY = re.compile(r"https?://github\.com/[^/]+/[^/]+/(?:blob|tree|raw)/[^/]+/(.+)")
_ELSEWHERE = re.compile(r"[a-z]+:|#|//", re.IGNORECASE)
_LINK_TARGET = re.compile(r"\]\(([^()\s]+)")
_PICTURE = re.compile(r"\.(?:png|jpe?g|svg|gif|webp)$", re.IGNORECASE)


class Reach(NamedTuple):
    """Where the links of a row lead: the data files that they name, or that are below a folder, and other documents.

    ``around``: the data files that share a folder with these; else those below its document, and where there are none,
    those that are called as the document is. ``near``: both. ``dead``: what is not there, if anything.
    """

    linked: list[str]
    documents: list[str]
    around: list[str]
    near: frozenset[str]
    dead: str | None


@dataclass(eq=False)
class Checkout:
    """A folder in which documents and logs lie; all paths are POSIX paths from ``root``.

    ``documents``: what claims are read from. ``logs``: the folder below ``root`` whose files are evidence, "" for all
    of them. What is a document is no evidence, nor the report of a page of ours, which was made of logs; nor is
    what is hidden, or a link that leads out of the folder.
    """

    root: Path
    documents: Sequence[str]
    logs: str = ""

    @classmethod
    def of(cls, places: Sequence[Path], logs: Path | None = None, patterns: Sequence[str] = DOCUMENTS) -> "Checkout":
        """The documents that are named, and those in the folders that are, by the patterns of their names.

        Evidence is what lies in ``logs``, by default in the folder that holds all of the places.
        """
        folders = [place if place.is_dir() else place.parent for place in places]
        common = Path(os.path.commonpath([folder.resolve() for folder in folders]))
        evidence = logs.resolve() if logs else common
        root = Path(os.path.commonpath([common, evidence]))
        documents: dict[str, None] = {}
        for place in places:
            if place.is_dir():
                found = _files(root, _relative(place.resolve(), root))
                documents |= dict.fromkeys(one for one in found if is_named(one, patterns))
            else:
                documents[_relative(place.parent.resolve() / place.name, root)] = None
        return cls(root, tuple(documents), _relative(evidence, root))

    @cached_property
    def data(self) -> dict[str, None]:
        """The files that may be evidence, in order."""
        documents = set(self.documents)
        files = (one for one in _files(self.root, self.logs) if is_data(one) and one not in documents)
        return dict.fromkeys(one for one in files if not one.endswith(SUFFIX))

    @cached_property
    def claims(self) -> list[Claim]:
        """Every number of the documents, in their order."""
        return [claim for document in self.documents for claim in claims_of(self.root, document)]

    @cached_property
    def below(self) -> dict[str, list[str]]:
        """All data files below each folder that has some; "" is the root."""
        found: dict[str, list[str]] = {}
        for path in self.data:
            folder = path
            while folder:
                folder = posixpath.dirname(folder)
                found.setdefault(folder, []).append(path)
        return found

    def _target(self, document: str, link: str) -> str | None:
        """The path that a link of a document leads to; None where it leads out of the checkout.

        A link to a file of any repository of GitHub is taken for one to this checkout, as pages link to their own.
        """
        if found := _REPOSITORY.match(link):
            path = found[1]
        elif _ELSEWHERE.match(link):
            return None
        else:
            path = link[1:] if link.startswith("/") else posixpath.join(posixpath.dirname(document), link)
        path = posixpath.normpath(unquote(path.partition("#")[0].partition("?")[0])).rstrip("/")
        return None if path.startswith("..") else path

    def reach(self, claim: Claim) -> Reach:
        """Where the row of a claim leads to."""
        return self._reach(claim.document, claim.links)

    @cache  # noqa: B019 - a checkout lives as long as its audit
    def _reach(self, document: str, links: tuple[str, ...]) -> Reach:
        led = (self._target(document, link) for link in links if not _PICTURE.search(link))
        targets = dict.fromkeys(filter(None, led))
        some = ([path] if path in self.data else self.below.get(path, []) for path in targets)
        linked = list(dict.fromkeys(one for paths in some for one in paths))
        documents = [path for path in targets if path in self.documents and path != document]
        gone = (path for path in targets if is_data(path) and not os.path.exists(self.root / path))  # noqa: PTH110 - a name may be none that a file can have
        if folders := {posixpath.dirname(path) for path in (*linked, *documents)}:
            around = list(dict.fromkeys(one for folder in sorted(folders) for one in self.below.get(folder, [])))
        elif targets:  # what lies here is of something else
            around = []
        else:
            beside = self.below.get(posixpath.dirname(document))
            around = beside or namesakes(document, self.data) or (list(self.data) if self.logs else [])
        return Reach(linked, documents, around, frozenset((*around, *linked)), next(gone, None))

    @cache  # noqa: B019 - a checkout lives as long as its audit
    def led_to(self, document: str) -> list[str]:
        """The documents that any link of a document leads to, or that lie in a folder that one does."""
        links = _LINK_TARGET.findall(text_of(self.root / document))
        targets = {self._target(document, link) for link in links} - {None, ""}
        return [one for one in self.documents if one in targets or posixpath.dirname(one) in targets]


def namesakes(document: str, paths: Iterable[str]) -> list[str]:
    """The files below a folder, or under a name, that a document bears: ``gpt/README.md`` of ``raw/gpt/a.json``."""
    *folders, name = document.lower().split("/")
    own = {name.partition(".")[0], *folders[-1:]}
    return [path for path in paths if own & {part.partition(".")[0] for part in path.lower().split("/")}]


def is_named(path: str, patterns: Iterable[str]) -> bool:
    """Whether the name of a file is as one of some patterns, in any case of its letters."""
    name = posixpath.basename(path).lower()
    return any(fnmatchcase(name, pattern.lower()) for pattern in patterns)


def _relative(path: Path, root: Path) -> str:
    found = os.path.relpath(path, root).replace(os.sep, "/")
    return "" if found == "." else found


def _files(root: Path, folder: str) -> list[str]:
    """The files below a folder, in order, without hidden ones and those that lead out of the root.

    Raises LogError where folders are nested deeper than any of logs.
    """
    found: list[str] = []
    for place, folders, names in os.walk(root / folder):
        if len(Path(place).relative_to(root / folder).parts) > DEEPEST:
            raise LogError.at(root / folder, TOO_DEEP, count=DEEPEST)
        folders[:] = [one for one in folders if not one.startswith(".")]
        files = (Path(place, name) for name in names if not name.startswith("."))
        kept = (one for one in files if not one.is_symlink() or (one.exists() and leading_out([one], root) is None))
        found += [_relative(one, root) for one in kept]
    return sorted(found)
