"""Ingesting: the logs of sources become run folders of a suite, as they are or without the names in them."""

import hashlib
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..io.files import data_of
from ..io.message import counted
from ..io.packed import SUFFIXES
from ..origins.found_file import LeftOut, names
from ..runs.run_folder import RUN_FILE
from ..scanning.detection import formats
from ..scrubbing import copies as scrubbing
from ..scrubbing.identities import Identity
from ..scrubbing.scrub import Secrets
from .file_systems import is_url
from .sources import Candidate, Sources
from .staging import StagingError, Taken, Task, take
from .suite import Suite, SuiteError, claimed

if TYPE_CHECKING:
    from ..sharing.workers import Workers

JOINT = "__"
LONGEST = 200  # bytes; a name on a disk may have 255
UNKNOWN = "unknown format"
MOST_NAMES = 10
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


def ingest(sources: Sequence[str], into: Path, workers: "Workers", read: str | None = None) -> Iterator[Event]:
    """Ingest the logs of sources (paths and URLs) into a suite; yields what became of each file, then the copies.

    A text with metric lines of a known format is a log, and so is any text that a source names itself. ``workers``
    see the same folders as this process. ``read``: what a number of the logs measures. Raises ParserError where the
    suite cannot be filled, and where there are none.
    """
    _refuse_own(sources, into)
    formats()  # workers that are forked have them then
    with claimed(into) as suite, TemporaryDirectory(prefix="tachograph-") as spool:
        found = Sources(Path(spool), into)
        # In their order, so that repeats are numbered in it, too.
        candidates = chain.from_iterable(found.candidates(source) for source in sources)
        tasks = (one if isinstance(one, LeftOut) else (one, suite.known(label(one)[0])) for one in candidates)
        seen: dict[str, None] = {}
        with workers.each(partial(take, staging=suite.staging.resolve(), read=read), tasks, _size) as results:
            for taken in results:
                if isinstance(taken, LeftOut):
                    yield taken
                else:
                    seen[taken.content] = None
                    yield _ingested(suite, taken, read)
        yield from copies(suite, seen)


def copies(suite: Suite, logs: Iterable[str]) -> Iterator[Copies]:
    """Those of some logs, by the SHA-256 of their texts, that are in a suite under several labels."""
    for sha256 in logs:
        if len(labels := suite.labels(sha256)) > 1:
            yield Copies(sha256, tuple(labels))


def _refuse_own(sources: Sequence[str], into: Path) -> None:
    for source in sources:
        if not is_url(source) and Path(source).resolve().is_relative_to(into.resolve()):
            raise SuiteError(f"{source}: is inside the output folder {into}; choose another folder with --into.")


def _ingested(suite: Suite, taken: Taken, read: str | None) -> Ingested:
    name, wanted = label(taken.candidate)
    there = suite.repeat(name, taken.content, taken.sha256)
    number, remarks = (
        (there, suite.problems(name, there, read)) if there else _published(suite, taken, name, wanted or 1)
    )
    remarks = taken.remarks + remarks
    found = taken.candidate.name
    return Ingested(found, name, number, there is None, taken.sha256, taken.content, taken.format, remarks)


def _published(suite: Suite, taken: Taken, name: str, wanted: int) -> tuple[int, tuple[str, ...]]:
    if taken.staged is None:
        raise StagingError(f"{suite.path}: a run of {name} was removed during ingestion; ingest again.")
    number = suite.publish(taken.staged, name, {taken.sha256, taken.content}, wanted)
    is_another = number != wanted
    return number, (f"Another log has the same label; stored as repeat {number}.",) if is_another else ()


def _size(task: Task | LeftOut) -> int:
    return 0 if isinstance(task, LeftOut) else task[0].size


def ingest_scrubbed(
    found: Sequence[str], into: Path, workers: "Workers", secrets: Secrets, read: str | None = None
) -> Iterator[Event]:
    """As ``ingest``, with every name in logs, in what lies beside them and in their run.json replaced.

    The logs become a suite that is thrown away, and its copies are kept: a name has the same placeholder in all logs
    of one call. A log is there already when the one that was found is, whatever was replaced in it. Raises ParserError
    where the suite cannot be filled.
    """
    with TemporaryDirectory(prefix="tachograph-") as spool:
        named = Path(spool, "named", into.resolve().name)  # a run.json holds the name of its suite
        taken = list(ingest(found, named, workers, read))
        yield from (event for event in taken if isinstance(event, LeftOut))
        logs = {event.sha256: event for event in taken if isinstance(event, Ingested)}
        if logs:
            nameless = Path(spool, "nameless")
            outcome = scrubbing.copied(scrubbing.sources([named]), nameless, secrets, given=_named_by(logs.values()))
            yield from (LeftOut(problem, "is not ingested", is_unreadable=True) for problem in outcome.problems)
            yield from _renamed(nameless, into, logs, read)


def _named_by(logs: Iterable[Ingested]) -> Iterator[Identity]:
    """Whom the places name where the logs were found; a label of a log no longer tells what a name in it is of."""
    return (one for log in logs for one in scrubbing.named_by(log.found))


def _renamed(nameless: Path, into: Path, logs: Mapping[str, Ingested], read: str | None) -> Iterator[Event]:
    with claimed(into) as suite:
        for run in sorted(nameless.rglob(RUN_FILE)):
            sha256 = _sha256_of_found(json.loads(data_of(run)), logs)
            label, wanted, log = run.parent.parent.name, int(run.parent.name), logs[sha256]
            number = there = suite.repeat(label, sha256, log.content)
            remarks = log.remarks + (suite.problems(label, there, read) if there else ())
            if number is None:
                staged = shutil.copytree(run.parent, suite.staging / uuid4().hex)
                number = suite.publish(staged, label, {sha256, log.content}, wanted)
            yield Ingested(log.found, label, number, there is None, sha256, log.content, log.format, remarks)
        yield from copies(suite, dict.fromkeys(log.content for log in logs.values()))


def _sha256_of_found(run: dict[str, Any], logs: Mapping[str, Ingested]) -> str:
    """The SHA-256 of the log that was found; a run that was ingested before also names that of its origin."""
    said: Iterator[str] = (run.get(place, {}).get("sha256") for place in ("ingested", "source", "log"))
    return next(sha256 for sha256 in said if sha256 in logs)


class IngestTally:
    """Counts what became of files; with ``verbose`` it keeps the name of each that is left out."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
        self._logs: list[Ingested] = []
        self._copies: list[Copies] = []
        self._unreadable: list[LeftOut] = []
        self._left_out: Counter[str] = Counter()
        self._names: dict[str, list[str]] = defaultdict(list)

    def add(self, event: Event) -> None:
        """Count one more."""
        if isinstance(event, Ingested):
            self._logs.append(event)
        elif isinstance(event, Copies):
            self._copies.append(event)
        elif event.is_unreadable:
            self._unreadable.append(event)
        else:
            self._left_out[event.reason] += 1
            if self._verbose or (not event.is_common and len(self._names[event.reason]) < MOST_NAMES):
                self._names[event.reason].append(event.name)

    @property
    def is_well(self) -> bool:
        """Whether there were logs, and nothing was unreadable."""
        return bool(self._logs) and not self._unreadable

    def sentences(self, into: Path) -> Iterator[str]:
        """A summary, one sentence a line."""
        new = Counter(log.format or UNKNOWN for log in self._logs if log.is_new)
        formats = ", ".join(f"{count} {name}" for name, count in sorted(new.items()))
        yield f"Added {counted(new.total(), 'log')} to {into}{': ' + formats if formats else ''}."
        if there := len(self._logs) - new.total():
            yield f"Already there: {counted(there, 'log')}."
        yield from (f"{log.label}/{log.repeat}: {remark}" for log in self._logs for remark in log.remarks)
        yield from (f"Identical logs: {', '.join(copies.labels)}." for copies in self._copies)
        for reason, count in self._left_out.most_common():
            yield f"Skipped {counted(count, 'file')}: {reason}{self._named(reason, count)}"
        if self._unreadable:
            yield f"{counted(len(self._unreadable), 'file')} could not be read."

    def objects(self) -> Iterator[str]:
        """A JSON object for each log, then for each unreadable file."""
        labels = {copies.sha256: copies.labels for copies in self._copies}
        for log in self._logs:
            found = {
                "found": log.found,
                "run": f"{log.label}/{log.repeat}",
                "status": "new" if log.is_new else "already there",
                "sha256": log.sha256,
                "format": log.format,
                "copies": [name for name in labels.get(log.content, ()) if name != log.label],
                "remarks": list(log.remarks),
            }
            yield json.dumps(found)
        for left in self._unreadable:
            found = {"found": left.name, "status": "unreadable", "reason": left.reason}
            yield json.dumps(found)

    def problems(self) -> Iterator[str]:
        """What was unreadable, one sentence each."""
        yield from (f"Error: {left.name}: {left.reason}" for left in self._unreadable)
        if not (self._logs or self._unreadable):
            yield "Error: No logs found."

    def _named(self, reason: str, count: int) -> str:
        """The names of files left out; those that are many, texts without metric lines, are named on demand only."""
        names = self._names[reason]
        if not names:
            return " List them with --verbose."
        more = f" and {count - len(names)} more; list all with --verbose" if count > len(names) else ""
        return f" {', '.join(names)}{more}."
