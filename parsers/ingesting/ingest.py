"""Ingesting: the logs of sources become run folders of a suite, each with a run.json that says where it is from."""

import hashlib
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from ..io.errors import FormatError, LogError, WrappedError, reason_of
from ..io.files import opened
from ..io.message import counted
from ..io.packed import ERRORS, SUFFIXES, ending
from ..io.packed import unpacked as unpacked_stream
from ..scanning.detection import detect, formats
from ..scanning.source import is_text
from .archive import LeftOut, is_archive, names
from .sources import Candidate, Sources, fetch, is_url
from .suite import Ingested, SuiteError, claimed, stage

if TYPE_CHECKING:
    from ..sharing.workers import Workers

JOINT = "__"
LONGEST = 200  # bytes; a name on a disk may have 255
UNKNOWN = "unknown format"
NO_METRIC_LINE = "does not contain metric lines of a known format."
_ENDINGS = (".log", ".txt")
# What a shell, a pattern of logs in a page or another file system would take for more than a letter of the name.
_NOT_IN_NAMES = re.compile(r"[^\w.+=@,-]+")
_CHUNK = 1 << 20
_HEAD = 1 << 16


def label(candidate: Candidate) -> tuple[str, int | None]:
    """The name of the case of a log, and the number of its repeat where its run folder gives one.

    The name comes from the path alone, whatever else is ingested: the names of all its folders, then that of the file
    without its ending. The log of a run folder is named after the folder.
    """
    parts = [*candidate.prefix, *names(candidate.path)]
    if not candidate.is_of_a_run:
        name = parts[-1]
        for endings in (SUFFIXES, _ENDINGS):
            name = next((name.removesuffix(end) for end in endings if name.endswith(end) and name != end), name)
        return _joined([*parts[:-1], name]), None
    *case, repeat = parts[:-1] or [""]
    is_number = bool(re.fullmatch(r"[1-9][0-9]{0,8}", repeat)) and bool(case)
    return (_joined(case), int(repeat)) if is_number else (_joined([*case, repeat]), None)


def _joined(parts: Sequence[str]) -> str:
    """One name of several; one that is too long keeps its end, which says most, after a digest of the whole."""
    said = [_NOT_IN_NAMES.sub("-", part).lstrip(".-") for part in parts]
    name = JOINT.join(filter(None, said)) or "log"
    text = name.encode()
    if len(text) <= LONGEST:
        return name
    digest = hashlib.sha256(text).hexdigest()[:8]
    return f"{digest}-{text[-LONGEST + len(digest) + 1 :].decode(errors='ignore')}"


def take(candidate: Candidate | LeftOut, staging: Path, read: str | None = None) -> Ingested | LeftOut:
    """Make a run folder of a candidate below ``staging``; what is left out already stays so.

    ``read``: what a number of it measures. Raises WriteError where nothing can be written.
    """
    if isinstance(candidate, LeftOut):
        return candidate
    try:
        with tempfile.TemporaryDirectory(dir=staging) as fetched:
            path = _local(candidate.place, Path(fetched, "fetched"))
            content = _unpacked(path, candidate)
            name, remarks = _format(path, candidate)
            # What is not on this machine is brought into the folder that its log was brought into.
            beside = {of: _local(place, Path(fetched, of)) for of, place in candidate.of_its_run.items()}
            folder = staging / uuid4().hex
            sha256, said = stage(path, candidate, beside, folder, content, read)
    except LeftOut as error:
        return error.of(candidate.name)
    except OSError as error:
        return LeftOut(f"cannot be read: {error.strerror}.", candidate.name, is_unreadable=True)
    case, repeat = label(candidate)
    return Ingested(candidate.name, case, repeat or 1, sha256, content or sha256, name, remarks + said, folder)


def _local(place: str, path: Path) -> Path:
    """A local file with the bytes of a place: ``path`` where they are not on this machine."""
    if not is_url(place):
        return Path(place)
    fetch(place, path)
    return path


def _unpacked(path: Path, candidate: Candidate) -> str:
    """The SHA-256 of what is packed in a file; empty where it is not packed.

    Raises LeftOut for what is no text or broken; a file that the user named is unreadable then.
    """
    if not path.stat().st_size:
        raise LeftOut("is empty.", is_unreadable=candidate.named)
    if is_archive(path):
        raise LeftOut("is an archive inside a source; pass it as a SOURCE.", is_unreadable=candidate.named)
    with opened(path) as file:
        is_packed = bool(ending(file.peek(_HEAD)))
        try:
            stream = unpacked_stream(file)
            if not is_text(head := stream.read(_HEAD)):
                raise LeftOut("is a binary file.", is_unreadable=candidate.named)
            digest = hashlib.sha256(head)
            while is_packed and (chunk := stream.read(_CHUNK)):
                digest.update(chunk)
        except (OSError, *ERRORS) as error:
            raise LeftOut(f"cannot be read: {reason_of(error)}.", is_unreadable=True) from error
    return digest.hexdigest() if is_packed else ""


def _format(path: Path, candidate: Candidate) -> tuple[str | None, tuple[str, ...]]:
    """The name of the format of a log, and what there is to remark.

    Raises LeftOut: what breaks off or was wrapped is unreadable, a shape of no log is no log.
    """
    try:
        found = detect(path, formats())
    except FormatError as error:
        return None, (error.what,)
    except LogError as error:
        is_broken = isinstance(error, WrappedError) or isinstance(error.__cause__, (OSError, *ERRORS))
        raise LeftOut(error.what, is_unreadable=candidate.named or is_broken) from error
    if found is None and not candidate.named:
        raise LeftOut(NO_METRIC_LINE)
    return (found.name, ()) if found else (None, (NO_METRIC_LINE,))


Event = Ingested | LeftOut


def ingest(sources: Sequence[str], into: Path, workers: "Workers", read: str | None = None) -> Iterator[Event]:
    """Ingest the logs of sources (paths and URLs) into a suite; yields what became of each file.

    A text with metric lines of a known format is a log, and so is any text that a source names itself. ``workers``
    see the same folders as this process. ``read``: what a number of the logs measures. Raises ParserError where the
    suite cannot be filled, and where there are none.
    """
    for source in sources:
        if not is_url(source) and Path(source).resolve().is_relative_to(into.resolve()):
            raise SuiteError(f"{source}: is inside the output folder {into}; choose another folder with --into.")
    formats()  # workers that are forked have them then
    with claimed(into) as suite:
        found = Sources(suite.staging, into)
        # In their order, so that repeats are numbered in it, too.
        candidates = chain.from_iterable(found.candidates(source) for source in sources)
        with workers.each(partial(take, staging=suite.staging.resolve(), read=read), candidates, _size) as results:
            for taken in results:
                yield taken if isinstance(taken, LeftOut) else suite.add(taken, read)


def _size(candidate: Candidate | LeftOut) -> int:
    return 0 if isinstance(candidate, LeftOut) else candidate.size


class IngestTally:
    """Counts what became of files; with ``verbose`` it keeps the name of each that is left out."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
        self._logs: list[Ingested] = []
        self._unreadable: list[LeftOut] = []
        self._left_out: dict[str, list[str]] = defaultdict(list)

    def add(self, event: Event) -> None:
        """Count one more."""
        if isinstance(event, Ingested):
            self._logs.append(event)
        elif event.is_unreadable:
            self._unreadable.append(event)
        else:
            self._left_out[event.reason].append(event.name)

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
        for reason, left in sorted(self._left_out.items(), key=lambda of: -len(of[1])):
            listed = f"{', '.join(left)}." if self._verbose else "List them with --verbose."
            yield f"Skipped {counted(len(left), 'file')}: {reason} {listed}"
        if self._unreadable:
            yield f"{counted(len(self._unreadable), 'file')} could not be read."

    def objects(self) -> Iterator[str]:
        """A JSON object for each log, then for each unreadable file."""
        for log in self._logs:
            yield json.dumps(
                {
                    "found": log.found,
                    "run": f"{log.label}/{log.repeat}",
                    "status": "new" if log.is_new else "already there",
                    "sha256": log.sha256,
                    "format": log.format,
                    "remarks": list(log.remarks),
                }
            )
        for left in self._unreadable:
            yield json.dumps({"found": left.name, "status": "unreadable", "reason": left.reason})

    def problems(self) -> Iterator[str]:
        """What was unreadable, one sentence each."""
        yield from (f"Error: {left.name}: {left.reason}" for left in self._unreadable)
        if not (self._logs or self._unreadable):
            yield "Error: No logs found."
