"""The site: published pages and the logs that may back their numbers, each with what its names and links say of it."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from parsers.io.containment import is_spelt_inside, leading_out
from parsers.origins.address import file_of, repository_of
from parsers.runs.git_files import git, is_changed, top_of
from parsers.sharing.workers import ALONE, Workers

from .document import Document, DocumentText, Link
from .labels import Label, Value, merged, read_label
from .printed_cell import PrintedCell
from .site_logs import Archives, Log, is_named_archive, is_named_log, may_be_log, with_names

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
LONGEST_REVISION = 4  # names: those of a branch may hold slashes


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
    """Pages and the logs below one folder; ``root`` is the folder that holds the pages, ``logs`` that of the logs.

    ``documents``: the pages; those that other processes still read are awaited last. ``workers`` read names of logs.
    """

    def __init__(self, documents: Iterable[Document], root: Path, logs: Path, workers: Workers = ALONE) -> None:
        self.root, self.logs_root = root.resolve(), logs.resolve()
        self.unfollowed: list[str] = []
        self._archives = Archives(self.logs_root)
        logs_found = [log for path in self._paths() for log in self._logs_of(path)]
        with workers.each(with_names, logs_found, lambda _: 0) as named:
            self.logs = {log.path: log for log in named}
        self.by_name = [Backing(log, log.named) for log in self.logs.values()]
        self.documents = list(documents)
        self.dead: list[DeadLink] = []
        linked = [backing for document in self.documents for backing in self._linked(document)]
        known = {backing.log.path for backing in linked}
        self.backings = linked + [backing for backing in self.by_name if backing.log.path not in known]

    def leave_out(self, paths: Collection[str]) -> None:
        """Take some files for no logs, unless a page links to them."""
        self.by_name = [backing for backing in self.by_name if backing.log.path not in paths]
        self.backings = [backing for backing in self.backings if backing.link or backing.log.path not in paths]

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
        if parts.scheme and parts.netloc:
            return self._in_checkout(address)
        if parts.scheme or parts.netloc or not parts.path or "\0" in unquote(parts.path):
            return None
        path = os.path.normpath(Path(self.folder_of(page), unquote(parts.path)))
        found = next(self._elsewhere(page, unquote(parts.path)), path) if self._is_elsewhere(path) else path
        return None if found.startswith(("..", "/")) else found

    def _is_elsewhere(self, path: str) -> bool:
        """Whether the folder of logs is another one than that of the pages, and has nothing at a path."""
        return self.logs_root != self.root and (path.startswith("..") or not os.path.exists(self.logs_root / path))  # noqa: PTH110

    def _elsewhere(self, page: Path, address: str) -> Iterator[str]:
        """What an address may lead to below the folder of logs, where that is named: by its place, or by its end.

        The end is what follows the name of that folder, else as much of it as is there, a folder at least.
        """
        place = os.path.realpath(page.resolve().parent / address)
        if os.path.exists(place) and Path(place).is_relative_to(self.logs_root):  # noqa: PTH110
            yield os.path.relpath(place, self.logs_root)
        parts = [part for part in Path(os.path.normpath(address)).parts if part not in ("..", "/")]
        named = [parts[at + 1 :] for at, part in enumerate(parts) if part == self.logs_root.name]
        for end in (*named, *(parts[at:] for at in range(len(parts) - 1))):
            if end and os.path.exists(self.logs_root.joinpath(*end)):  # noqa: PTH110
                yield "/".join(end)

    @staticmethod
    def _is_outside(page: Path, address: str) -> bool:
        """Whether an address on a page leads to a log that is there, but not below the folder of logs."""
        path = unquote(address)
        return is_named_log(path) and "\0" not in path and os.path.isfile(page.resolve().parent / path)  # noqa: PTH113

    @cached_property
    def _checkout(self) -> tuple[Path, str] | None:
        """The folder of the checkout that holds the pages, and the URL of its repository."""
        top = top_of(self.root)
        repository = repository_of(top) if top else None
        return (top, repository) if top and repository else None

    def _in_checkout(self, url: str) -> str | None:
        """The path of a file of the checkout's own repository; None where the checkout has it not, or another one."""
        names = file_of(url, self._checkout[1]) if self._checkout else ()
        for count in range(1, min(len(names) - 1, LONGEST_REVISION) + 1):
            path = "/".join(names[count:])
            if self._checkout and is_spelt_inside(path) and os.path.exists(place := self._checkout[0] / path):  # noqa: PTH110
                known = os.path.relpath(place, self.logs_root if place.is_relative_to(self.logs_root) else self.root)
                return None if known.startswith("..") or self._was_other("/".join(names[:count]), path) else known
        return None

    def _was_other(self, revision: str, path: str) -> bool:
        """Whether a file of the checkout is not known to be that of a commit; branches and tags move with it."""
        top = self._checkout[0] if self._checkout else self.root
        if not _COMMIT.fullmatch(revision) or (top / path).is_dir():
            return False
        blob = git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}:{path}")
        return not blob or is_changed(top / path, blob.strip())

    def _logs_of(self, path: str) -> Sequence[Log]:
        """The log at a path, or those of the archive there."""
        return self._archives.logs(path) if is_named_archive(path) else [Log(self.logs_root, path)]

    def _paths(self) -> Iterator[str]:
        """Every file below the folder of logs whose name or folder says that it is a log; no hidden ones."""
        for folder, folders, names in os.walk(self.logs_root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            may_hold_logs = (*folders, *filter(is_named_log, names))
            self.unfollowed += [path for name in may_hold_logs if (path := self._leaving(folder, name))]
            for name in sorted(names):
                path = os.path.relpath(Path(folder, name), self.logs_root)
                if not name.startswith(".") and is_named_log(path) and self._is_file_of(folder, path):
                    yield path

    def _leaving(self, folder: str, name: str) -> str:
        """The path of a link out of the folder of logs; nothing for what is none."""
        place = Path(folder, name)
        leaves = place.is_symlink() and leading_out([place], self.logs_root)
        return os.path.relpath(place, self.logs_root) if leaves else ""

    def _may_be_log(self, path: str) -> bool:
        return self._is_file(path) and may_be_log(path)

    def _is_file(self, path: str) -> bool:
        """Whether a path below the folder of logs is a file there; one that a link puts there from outside is none."""
        place = self.logs_root / path
        # Unlike Path.is_file(), this says of a name that is too long for a file that there is none.
        return os.path.isfile(place) and leading_out([place], self.logs_root) is None  # noqa: PTH113

    def _is_file_of(self, folder: str, path: str) -> bool:
        """Whether a name in a folder that was walked through is that of a file; only a link may lead out from there."""
        place = os.path.join(folder, os.path.basename(path))  # noqa: PTH118, PTH119 - of every file of a site
        return self._is_file(path) if os.path.islink(place) else os.path.isfile(place)  # noqa: PTH113, PTH114

    def _linked(self, document: Document) -> Iterator[Backing]:
        for link, headings in document.links:
            path = self.target(document.path, link.address)
            if path is None:
                self.unfollowed += [link.address] if self._is_outside(document.path, link.address) else []
                continue
            said = merged([read_label(link.text), *(read_label(heading.plain) for heading in headings[::-1])])
            if path in self.logs or self._may_be_log(path):
                own = [self.logs.setdefault(log.path, log) for log in self._logs_of(path)]
                # Of several logs in an archive the link does not say which it means; their names do.
                for log in own if len(own) == 1 else ():
                    yield Backing(log, merged([Label(_of_link(link, headings)), Label(log.named)]), document.path, link)
            elif _is_dead(self.logs_root / path, self.root / path) and _names_a_log(link):
                self.dead.append(DeadLink(document.path, link, said, Path(path).name))


def _of_link(link: Link, headings: tuple[DocumentText, ...]) -> Mapping[str, Value]:
    return merged([read_label(link.text), *(read_label(heading.plain) for heading in headings[:0:-1])])


def _names_a_log(link: Link) -> bool:
    """Whether a link may be meant to lead to the log of a number: it names a case, or is the number itself."""
    return bool(read_label(link.text).case) or PrintedCell.of(link.text) is not None


def _is_dead(*places: Path) -> bool:
    return not any(os.path.exists(place) for place in places)  # noqa: PTH110
