"""The site: published pages and the logs that may back their numbers, each with what its names and links say of it."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from parsers.io.containment import leading_out
from parsers.io.errors import ParserError
from parsers.runs.facts import Fact, name_facts
from parsers.runs.reading import Reading, survey
from parsers.runs.runfile import files_of_run

from .document import Document, DocumentText, Link
from .labels import Label, Value, merged, read_label

_NAMED_LOG = re.compile(r"log|\.(?:txt|out|jsonl?)(?:\.\w{2,4})?$", re.IGNORECASE)
_NO_LOG = re.compile(r"\.(?:md|py|sh|ya?ml|toml|cfg|png|jpe?g|svg|gif|pdf|html?|ipynb|patch|diff|csv)$", re.IGNORECASE)
_WORD = re.compile(r"[a-z][a-z0-9]+|\d+[a-z]+")


@dataclass(frozen=True)
class Log:
    """A log below the folder of logs: its path there, and the case that its names state."""

    root: Path
    path: str

    @cached_property
    def reading(self) -> Reading | None:
        """What is in it; None where it is not in a known log format, cannot be read, or leads out of the folder."""
        if leading_out(files_of_run(self.root / self.path), self.root):
            return None
        try:
            found = survey(self.root / self.path)
        except (ParserError, OSError):
            return None
        return found if found.format else None

    @property
    def bytes(self) -> int:
        """The size of the file; 0 where it is gone."""
        path = self.root / self.path
        return path.stat().st_size if path.is_file() else 0

    @cached_property
    def named(self) -> Mapping[str, Value]:
        """What its name and those of its folders say, the innermost first."""
        facts = {fact.name: _spelt(fact) for fact in name_facts(Path(self.path))}
        folders = [read_label(part) for part in Path(self.path).parts[::-1]]
        return merged([Label({a: v for a, v in facts.items() if v is not None}), *folders])

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of its path, in small letters."""
        return frozenset(_WORD.findall(self.path.lower().replace("_", " ")))

    @cached_property
    def told(self) -> tuple[Fact, ...]:
        """Every fact that a source states, not only those that are believed; the lines of the log come first."""
        if self.reading is None:
            return ()
        facts = self.reading.facts
        every = [*facts.values(), *(other for _, other in facts.contradictions)]
        return tuple(sorted(every, key=lambda fact: fact.source.is_name))

    def says(self, axis: str) -> list[Fact]:
        """What its own lines and its run.json state of an axis; where these are silent, what its name does."""
        said = [fact for fact in self.told if fact.name == axis]
        own = [fact for fact in said if not fact.source.is_name]
        return own or said


@dataclass(frozen=True)
class Backing:
    """A log that a page links to, or that lies beside it: ``said`` is the case that its link, else its name, states."""

    log: Log
    said: Mapping[str, Value]
    page: Path | None = None
    link: Link | None = None


@dataclass(frozen=True)
class DeadLink:
    """A link of a page that leads to no file, the case that its words state, and the name of the file."""

    page: Path
    link: Link
    said: Mapping[str, Value]
    name: str


class PublishedSite:
    """Pages and the logs below one folder; ``root`` is the folder that holds the pages, ``logs`` that of the logs."""

    def __init__(self, documents: Sequence[Document], root: Path, logs: Path) -> None:
        self.documents, self.root, self.logs_root = documents, root.resolve(), logs.resolve()
        self.unfollowed: list[str] = []
        self.logs = {path: Log(self.logs_root, path) for path in self._paths()}
        self.dead: list[DeadLink] = []
        linked = [backing for document in documents for backing in self._linked(document)]
        known = {backing.log.path for backing in linked}
        self.by_name = [Backing(log, log.named) for log in self.logs.values()]
        self.backings = linked + [backing for backing in self.by_name if backing.log.path not in known]

    def folder_of(self, page: Path) -> str:
        """The folder of a page below that of the pages, which is also that of its logs below theirs."""
        folder = os.path.relpath(page.resolve().parent, self.root)
        return "" if folder == "." else folder

    def target(self, page: Path, address: str) -> str | None:
        """The path that an address on a page leads to, below the folder of logs; None where it leaves the site."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return None
        if parts.scheme or parts.netloc or not parts.path or "\0" in unquote(parts.path):
            return None
        path = os.path.normpath(Path(self.folder_of(page), unquote(parts.path)))
        return None if path.startswith(("..", "/")) else path

    def _paths(self) -> Iterator[str]:
        """Every file below the folder of logs whose name or folder says that it is a log; no hidden ones."""
        for folder, folders, names in os.walk(self.logs_root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            may_hold_logs = (*folders, *filter(_NAMED_LOG.search, names))
            self.unfollowed += [path for name in may_hold_logs if (path := self._leaving(folder, name))]
            for name in sorted(names):
                path = os.path.relpath(Path(folder, name), self.logs_root)
                is_named = not name.startswith(".") and _NAMED_LOG.search(path) and not _NO_LOG.search(name)
                if is_named and self._is_file(path):
                    yield path

    def _leaving(self, folder: str, name: str) -> str:
        """The path of a link out of the folder of logs; nothing for what is none."""
        place = Path(folder, name)
        leaves = place.is_symlink() and leading_out([place], self.logs_root)
        return os.path.relpath(place, self.logs_root) if leaves else ""

    def _may_be_log(self, path: str) -> bool:
        return self._is_file(path) and not _NO_LOG.search(path)

    def _is_file(self, path: str) -> bool:
        """Whether a path below the folder of logs is a file there; one that a link puts there from outside is none."""
        place = self.logs_root / path
        # Unlike Path.is_file(), this says of a name that is too long for a file that there is none.
        return os.path.isfile(place) and leading_out([place], self.logs_root) is None  # noqa: PTH113

    def _linked(self, document: Document) -> Iterator[Backing]:
        for link, headings in document.links:
            path = self.target(document.path, link.address)
            if path is None:
                continue
            said = merged([read_label(link.text), *(read_label(heading.plain) for heading in headings[::-1])])
            if path in self.logs or self._may_be_log(path):
                log = self.logs.setdefault(path, Log(self.logs_root, path))
                yield Backing(log, merged([Label(_of_link(link, headings)), Label(log.named)]), document.path, link)
            elif _is_dead(self.logs_root / path, self.root / path) and read_label(link.text).case:
                self.dead.append(DeadLink(document.path, link, said, Path(path).name))


def _of_link(link: Link, headings: tuple[DocumentText, ...]) -> Mapping[str, Value]:
    return merged([read_label(link.text), *(read_label(heading.plain) for heading in headings[:0:-1])])


def _is_dead(*places: Path) -> bool:
    return not any(os.path.exists(place) for place in places)  # noqa: PTH110


def _spelt(fact: Fact) -> Value | None:
    """The value of a fact in the words of labels; None for what they do not know, such as a model."""
    if isinstance(fact.value, int):
        return fact.value
    return read_label(str(fact.value)).case.get(fact.name)
