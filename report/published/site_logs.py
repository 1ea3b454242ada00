"""Logs of a site: the files that may be logs by their names, in folders and in archives, and what these names state."""

import re
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from parsers.io.containment import is_spelt_inside, leading_out
from parsers.io.errors import ParserError
from parsers.io.limits import Allowance, TooLargeError, unpacking_many
from parsers.io.message import Message
from parsers.origins.archive import ARCHIVE_NAME, BROKEN, is_archive, unpack
from parsers.origins.found_file import File
from parsers.runs.facts import Fact, name_facts
from parsers.runs.reading import Reading
from parsers.runs.runfile import files_of_run

from ..evidence.as_read import AsRead, as_read
from .labels import Label, Value, merged, name_of, read_label

MOST_ARCHIVES = 100  # of a site

_NAMED_LOG = re.compile(r"log|\.(?:txt|out|jsonl?)(?:\.\w{2,4})?$", re.IGNORECASE)
_NO_LOG = re.compile(
    r"\.(?:md|rst|py|sh|ya?ml|toml|cfg|png|jpe?g|svg|gif|pdf|html?|ipynb|patch|diff|csv|wav|c|cc|cpp|cu|h)$"
    r"|^(?:requirements[\w.-]*|cmakelists|license|readme)\.txt$|^changelog(?:\.\w{2,4})?$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][a-z0-9]+|\d+[a-z]+")


def may_be_log(path: str) -> bool:
    """Whether nothing in the name of a file says that it is no log."""
    return not _NO_LOG.search(path.rpartition("/")[2])


def is_named_log(path: str) -> bool:
    """Whether the name of a file, or that of a folder that it lies in, says that it is a log."""
    return _NAMED_LOG.search(path) is not None and may_be_log(path)


def is_named_archive(path: str) -> bool:
    """Whether the name of a file says that it is an archive."""
    return ARCHIVE_NAME.search(path) is not None


@dataclass(frozen=True)
class Log:
    """A log below the folder of logs: its path there, and the case that its names state.

    ``unpacked``: where its bytes lie if it is one of an archive; its path goes on with that in the archive.
    """

    root: Path
    path: str
    unpacked: Path | None = None

    @property
    def file(self) -> Path:
        """Where its bytes lie."""
        return self.unpacked or self.root / self.path

    @property
    def folder(self) -> str:
        """The path of its folder; "" for a log that lies in the folder of logs itself."""
        return self.path.rpartition("/")[0]

    @cached_property
    def shown(self) -> AsRead | None:
        """What is in it; None where that is no log of a known speed, cannot be read, or leads out of the folder."""
        if not self.unpacked and leading_out(files_of_run(self.file), self.root):
            return None
        try:
            found = as_read(self.file)
        except (ParserError, OSError):
            return None
        return found if found.has_records else None

    @property
    def reading(self) -> Reading | None:
        """What is in it; None where ``shown`` is."""
        return self.shown.reading if self.shown else None

    @property
    def without(self) -> Message | None:
        """How it was read, where no known format reads its speed."""
        return self.shown.without if self.shown else None

    @property
    def bytes(self) -> int:
        """The size of the file; 0 where it is gone."""
        return self.file.stat().st_size if self.file.is_file() else 0

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
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The names of its folders and its own without ending, the outermost first."""
        path = PurePosixPath(self.path)
        return tuple(filter(None, map(name_of, (*path.parent.parts, path.stem))))

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


def with_names(log: Log) -> Log:
    """A log that knows what its names say: it goes with it from one process to another."""
    _ = log.named
    return log


class Archives:
    """The logs in the archives below a folder, each archive unpacked once, into a folder that goes with this object.

    All of them together may unpack to as much as ``unpacking_many`` allows; what comes after that is left out.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, tuple[Log, ...]] = {}

    def logs(self, path: str) -> tuple[Log, ...]:
        """The files of an archive that may be logs by their names in it; none where it cannot be read."""
        if path not in self._known:
            self._known[path] = self._unpacked(path) if len(self._known) < MOST_ARCHIVES else ()
        return self._known[path]

    @cached_property
    def _allowance(self) -> Allowance:
        return unpacking_many()

    @cached_property
    def _spool(self) -> Path:
        spool = Path(tempfile.mkdtemp(prefix="tachograph-"))
        weakref.finalize(self, shutil.rmtree, spool, ignore_errors=True)
        return spool

    def _unpacked(self, path: str) -> tuple[Log, ...]:
        try:
            if not is_archive(self._root / path):
                return ()
            into = self._spool / str(len(self._known))
            into.mkdir()
            files = [one for one in unpack(self._root / path, into, self._allowance) if isinstance(one, File)]
        except (*BROKEN, TooLargeError):
            return ()
        # A name that comes twice is that of the later file, as for whoever unpacks the archive.
        named = {f"{path}/{PurePosixPath(one.path)}": Path(one.place) for one in files if is_spelt_inside(one.path)}
        return tuple(Log(self._root, name, place) for name, place in named.items() if is_named_log(name))


def _spelt(fact: Fact) -> Value | None:
    """The value of a fact in the words of labels; None for what they do not know, such as a model."""
    if isinstance(fact.value, int):
        return fact.value
    return read_label(str(fact.value)).case.get(fact.name)
