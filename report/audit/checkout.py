"""A checkout: its documents with their claims, its data files, and which of these a document or a claim leads to."""

import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import unquote

from parsers.io.files import leading_out

from ..results.model import SUFFIX
from .claims import Claim, claims_of
from .documents import text_of
from .evidence import is_data, namesakes

DOCUMENTS = ("*.md", "*.markdown")  # of a folder, by the patterns of their names
_REPOSITORY = re.compile(r"https?://github\.com/[^/]+/[^/]+/(?:blob|tree|raw)/[^/]+/(.+)")
_ELSEWHERE = re.compile(r"[a-z]+:|#|//", re.IGNORECASE)
_LINK_TARGET = re.compile(r"\]\(([^()\s]+)")
_PICTURE = re.compile(r"\.(?:png|jpe?g|svg|gif|webp)$", re.IGNORECASE)


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
            path = _relative(place.resolve() if place.is_dir() else place.parent.resolve() / place.name, root)
            found = _files(root, path) if place.is_dir() else [path]
            documents |= dict.fromkeys(one for one in found if not place.is_dir() or is_named(one, patterns))
        return cls(root, tuple(documents), _relative(evidence, root))

    @cached_property
    def data(self) -> list[str]:
        """The files that may be evidence, in order."""
        documents = set(self.documents)
        files = (one for one in _files(self.root, self.logs) if is_data(one) and one not in documents)
        return [one for one in files if not one.endswith(SUFFIX)]

    @cached_property
    def claims(self) -> list[Claim]:
        """Every number of the documents, in their order."""
        return [claim for document in self.documents for claim in claims_of(self.root, document)]

    @cached_property
    def _data(self) -> frozenset[str]:
        return frozenset(self.data)

    @cached_property
    def _below(self) -> dict[str, list[str]]:
        """All data files below each folder; "" is the root."""
        found: dict[str, list[str]] = {}
        for path in self.data:
            folder = path
            while folder:
                folder = posixpath.dirname(folder)
                found.setdefault(folder, []).append(path)
        return found

    def below(self, folder: str) -> list[str]:
        """The data files below a folder."""
        return self._below.get(folder, [])

    def target(self, document: str, link: str) -> str | None:
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

    def targets(self, claim: Claim) -> list[str]:
        """The paths that the links of a claim's row lead to, pictures aside."""
        found = (self.target(claim.document, link) for link in claim.links if not _PICTURE.search(link))
        return list(dict.fromkeys(filter(None, found)))

    def linked(self, claim: Claim) -> list[str]:
        """The data files that the links of a claim's row lead to: files, or all below a folder."""
        found: list[str] = []
        for path in self.targets(claim):
            found += [path] if path in self._data else self.below(path) if path != "." else []
        return list(dict.fromkeys(found))

    def linked_documents(self, claim: Claim) -> list[str]:
        """The other documents that the links of a claim's row lead to."""
        return [path for path in self.targets(claim) if path in self.documents and path != claim.document]

    def dead(self, claim: Claim) -> str | None:
        """What a link of a claim's row leads to that is not in the checkout; None where all is there."""
        gone = (path for path in self.targets(claim) if is_data(path) and not os.path.exists(self.root / path))  # noqa: PTH110 - a name may be none that a file can have
        return next(gone, None)

    @cache  # noqa: B019 - a checkout lives as long as its audit
    def led_to(self, document: str) -> list[str]:
        """The documents that any link of a document leads to, or that lie in a folder that one does."""
        links = _LINK_TARGET.findall(text_of(self.root / document))
        targets = {self.target(document, link) for link in links} - {None, ""}
        return [one for one in self.documents if one in targets or posixpath.dirname(one) in targets]

    def around(self, claim: Claim) -> list[str]:
        """The data files that share the folder of what a claim's row leads to; else those below its document.

        Where there are none, those that are called as the document is. There are none where the row leads to what is
        not in the checkout: what lies here is of something else.
        """
        folders = {posixpath.dirname(path) for path in (*self.linked(claim), *self.linked_documents(claim))}
        if folders:
            return list(dict.fromkeys(path for folder in sorted(folders) for path in self.below(folder)))
        if self.targets(claim):
            return []
        beside = self.below(posixpath.dirname(claim.document))
        return beside or namesakes(claim.document, self.data) or (self.data if self.logs else [])


def is_named(path: str, patterns: Iterable[str]) -> bool:
    """Whether the name of a file is as one of some patterns."""
    name = posixpath.basename(path).lower()
    return any(fnmatch(name, pattern) for pattern in patterns)


def _relative(path: Path, root: Path) -> str:
    found = os.path.relpath(path, root).replace(os.sep, "/")
    return "" if found == "." else found


def _files(root: Path, folder: str) -> list[str]:
    """The files below a folder, in order, without hidden ones and those that lead out of the root."""
    found: list[str] = []
    for place, folders, names in os.walk(root / folder):
        folders[:] = [one for one in folders if not one.startswith(".")]
        below = _relative(Path(place), root)
        files = (Path(place, name) for name in names if not name.startswith("."))
        found += [posixpath.join(below, one.name) for one in files if not one.is_symlink() or _is_within(one, root)]
    return sorted(found)


def _is_within(link: Path, root: Path) -> bool:
    return link.exists() and leading_out([link], root) is None
