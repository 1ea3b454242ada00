"""Ingesting: the logs of sources become run folders of a suite."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..io.compression import SUFFIXES
from ..origins.found_file import LeftOut, names
from ..scanning.detection import formats
from .candidate import Candidate
from .intake import Taken, Task, take
from .remote import is_url
from .sources import Sources
from .staging import StagingError
from .suite import Suite, SuiteError, claimed

if TYPE_CHECKING:
    from ..sharing.workers import Workers

JOINT = "__"
LONGEST = 200  # bytes; a name on a disk may have 255
_ENDINGS = (".log", ".txt")
# What a shell, a pattern of logs in a page or another file system would take for more than a letter of the name.
_NOT_IN_NAMES = re.compile(r"[^\w.+=@,-]+")


def label(candidate: Candidate) -> tuple[str, int | None]:
    """The name of the case of a log, and the number of its repeat where its run folder gives one.

    The name comes from the path alone, whatever else is ingested: the names of all its folders, then that of the file
    without its ending. The log of a run folder is named after the folder.
    """
    parts = [*candidate.prefix, *names(candidate.path)]
    if not candidate.is_of_a_run:
        return _joined([*parts[:-1], _stem(parts[-1])]), None
    *case, repeat = parts[:-1] or [""]
    is_number = bool(re.fullmatch(r"[1-9][0-9]{0,8}", repeat)) and bool(case)
    return (_joined(case), int(repeat)) if is_number else (_joined([*case, repeat]), None)


def _stem(name: str) -> str:
    for endings in (SUFFIXES, _ENDINGS):
        name = next((name.removesuffix(end) for end in endings if name.endswith(end) and name != end), name)
    return name


def _joined(parts: Sequence[str]) -> str:
    said = [_NOT_IN_NAMES.sub("-", part).lstrip(".-") for part in parts]
    return _shortened(JOINT.join(filter(None, said)) or "log")


def _shortened(name: str) -> str:
    """A name that is too long keeps its end, which says most, after a digest of the whole."""
    text = name.encode()
    if len(text) <= LONGEST:
        return name
    digest = hashlib.sha256(text).hexdigest()[:8]
    return f"{digest}-{text[-LONGEST + len(digest) + 1 :].decode(errors='ignore')}"


@dataclass(frozen=True)
class Ingested:
    """A log and its run folder, ``label``/``repeat`` in the suite; ``is_new``: whether it was not there before.

    ``found``: where the log was found. ``sha256``: of the file there. ``content``: of its text, which is the same where
    it is not packed. ``format``: name of its format, None where none is known. ``remarks``: a sentence each.
    """

    found: str
    label: str
    repeat: int
    is_new: bool
    sha256: str
    content: str
    format: str | None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Copies:
    """One and the same log, packed or not, under several labels of a suite; ``sha256`` is that of its text."""

    sha256: str
    labels: tuple[str, ...]


Event = Ingested | LeftOut | Copies


def ingest(sources: Sequence[str], into: Path, workers: "Workers") -> Iterator[Event]:
    """Ingest the logs of sources (paths and URLs) into a suite; yields what became of each file, then the copies.

    A text with metric lines of a known format is a log, and so is any text that a source names itself. ``workers``
    see the same folders as this process. Raises ParserError where the suite cannot be filled, and where there are none.
    """
    _refuse_own(sources, into)
    formats()  # workers that are forked have them then
    with claimed(into) as suite, TemporaryDirectory(prefix="tachograph-") as spool:
        found = Sources(Path(spool), into)
        intake = _Ingestion(suite, workers)
        yield from intake.run(chain.from_iterable(found.candidates(source) for source in sources))
        yield from copies(suite, intake.seen)


def copies(suite: Suite, logs: Iterable[str]) -> Iterator[Copies]:
    """Those of some logs, by the SHA-256 of their texts, that are in a suite under several labels."""
    for sha256 in logs:
        if len(labels := suite.labels(sha256)) > 1:
            yield Copies(sha256, tuple(labels))


def _refuse_own(sources: Sequence[str], into: Path) -> None:
    for source in sources:
        if not is_url(source) and Path(source).resolve().is_relative_to(into.resolve()):
            raise SuiteError(f"{source}: is inside the output folder {into}; choose another folder with --into.")


class _Ingestion:
    """One ingest; ``seen`` are the SHA-256 of the texts of its logs, in their order."""

    def __init__(self, suite: Suite, workers: "Workers") -> None:
        self._suite, self._workers = suite, workers
        self.seen: dict[str, None] = {}

    def run(self, candidates: Iterable[Candidate | LeftOut]) -> Iterator[Ingested | LeftOut]:
        """What becomes of candidates, in their order, so that repeats are numbered in it, too."""
        taken_in = partial(take, staging=self._suite.staging.resolve())
        with self._workers.each(taken_in, map(self._task, candidates), _size) as results:
            yield from map(self._ended, results)

    def _task(self, found: Candidate | LeftOut) -> Task | LeftOut:
        return found if isinstance(found, LeftOut) else (found, self._suite.known(label(found)[0]))

    def _ended(self, taken: Taken | LeftOut) -> Ingested | LeftOut:
        if isinstance(taken, LeftOut):
            return taken
        self.seen[taken.content] = None
        name, wanted = label(taken.candidate)
        there = self._suite.repeat(name, taken.content, taken.sha256)
        if there:
            number, remarks = there, self._suite.problems(name, there)
        else:
            number, remarks = self._published(taken, name, wanted or 1)
        remarks = taken.remarks + remarks
        found = taken.candidate.name
        return Ingested(found, name, number, there is None, taken.sha256, taken.content, taken.format, remarks)

    def _published(self, taken: Taken, name: str, wanted: int) -> tuple[int, tuple[str, ...]]:
        if taken.staged is None:
            raise StagingError(f"{self._suite.path}: a run of {name} was removed during ingestion; ingest again.")
        number = self._suite.publish(taken.staged, name, {taken.sha256, taken.content}, wanted)
        is_another = number != wanted
        return number, (f"Another log has the same label; stored as repeat {number}.",) if is_another else ()


def _size(task: Task | LeftOut) -> int:
    return 0 if isinstance(task, LeftOut) else task[0].size
