"""Ingesting: the logs of sources become run folders of a suite, each with a run.json that says where it is from.

A run folder is made under a hidden name, and gets its own when it is complete: no reader sees half of it.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..io.errors import FormatError, LogError, ParserError, WrappedError, reason_of
from ..io.files import (
    CHUNK,
    ERRORS,
    SUFFIXES,
    data_of,
    ending,
    leading_out,
    locked,
    opened,
    pieces_of,
    sha256_of,
    unfinished,
    unpacked,
    write,
    write_pieces,
    writing,
)
from ..io.git import is_changed
from ..io.message import counted
from ..io.printable import shell_quoted
from ..runs.run_folder import LOG, READ, RUN_FILE, SIDE_FILES, heading
from ..runs.runfile import LOG_SUFFIXES, UNPACKED, describes, unknown_schema
from ..scanning.detection import detect, formats
from ..scanning.source import is_text
from ..unknown.answer import Accepted, Question, answer
from .sources import Candidate, LeftOut, Sources, fetch, is_archive, is_url, names

if TYPE_CHECKING:
    from ..sharing.workers import Workers

MOST_OPTIONS = 5  # that take in what was skipped: a folder of more programs is not read with each
LONGEST = 200  # bytes of a label; a name on a disk may have 255
NO_METRIC_LINE = "does not contain metric lines of a known format."
NOT_NAMED = "does not contain metric lines of a known format; name the file itself to take it."
OF_UNKNOWN_PROGRAM = "is the log of a program that no format describes."
OF_ANOTHER = f"The {RUN_FILE} beside it describes another log and was not copied."
_ENDINGS = (".log", ".txt")
# What a shell, a pattern of logs in a page or another file system would take for more than a letter of the name.
_NOT_IN_NAMES = re.compile(r"[^\w.+=@,-]+")
_HEAD = 1 << 16
_LARGEST_RUN_FILE = 16 << 20

Document = dict[str, Any]


class SuiteError(ParserError):
    """A folder cannot be filled."""


@dataclass(frozen=True)
class Ingested:
    """A log and its run folder, ``label``/``repeat`` in the suite; ``is_new``: whether it was not there before.

    ``found``: where the log was found. ``sha256``: of the file there, and ``content`` of its text, which is the same
    where it is not packed. ``format``: name of its format, None where none is known. ``remarks``: a sentence each.
    ``staged``: the folder that was made of it, which waits for its name.
    """

    found: str
    label: str
    repeat: int
    sha256: str
    content: str
    format: str | None
    remarks: tuple[str, ...]
    staged: Path
    is_new: bool = True


Event = Ingested | LeftOut


# ---- the suite


class Suite:
    """The runs of a folder by label and repeat, each known by the SHA-256 of the log that it was made from.

    ``staging``: a hidden folder beside the runs, in which they are made before they get their names.
    """

    def __init__(self, path: Path, staging: Path) -> None:
        self.path, self.staging = path, staging
        self._repeats: dict[str, dict[str, int]] = defaultdict(dict)
        for run in sorted(path.glob(f"*/*/{RUN_FILE}")):
            if run.parent.name.isdigit():
                self._note(run.parent.parent.name, int(run.parent.name), _digests(run))

    def _note(self, label: str, number: int, sha256: Iterable[str]) -> None:
        for digest in sha256:
            self._repeats[label].setdefault(digest, number)

    def add(self, log: Ingested) -> Ingested:
        """Give the run folder of a log its name: the repeat that it wants, or the next one that is free.

        One whose log is there already is removed. Raises SuiteError where a link would lead out of the suite.
        """
        known = self._repeats[log.label]
        if (there := known.get(log.content, known.get(log.sha256))) is not None:
            shutil.rmtree(log.staged)
            return replace(log, repeat=there, is_new=False)
        case = self.path / log.label
        if leading_out([case], self.path):
            raise SuiteError(f"{case}: is a link that leads out of the folder; nothing is written there.")
        case.mkdir(exist_ok=True)
        number = log.repeat
        while os.path.lexists(case / str(number)):  # nobody else makes one: the suite is held
            number += 1
        log.staged.rename(case / str(number))
        self._note(log.label, number, (log.sha256, log.content))
        other = () if number == log.repeat else (f"Another log has the same label; stored as repeat {number}.",)
        return replace(log, repeat=number, remarks=(*log.remarks, *other))


def _digests(run: Path) -> list[str]:
    """The SHA-256 of the log that a run was made from, and of what was packed in it, as far as its run.json tells.

    Raises SuiteError where its schema is one that this version does not know: the log might be taken in twice.
    """
    try:
        said: Any = json.loads(data_of(run))
        places = (said.get("ingested"), said.get("source"), said.get("log"))
    except (OSError, ValueError, RecursionError, AttributeError):
        return []
    if refusal := unknown_schema(said):
        raise SuiteError(f"{run}: {refusal}")
    place = next((place for place in places if isinstance(place, dict) and isinstance(place.get("sha256"), str)), {})
    return [place[key] for key in ("sha256", UNPACKED) if isinstance(place.get(key), str)]


@contextmanager
def claimed(path: Path) -> Iterator[Suite]:
    """The suite of a folder, which is made where there is none, held as the only one who ingests into it.

    Raises SuiteError where another process holds it, WriteError where it cannot be written.
    """
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with writing(path):
            is_held = locked(path, lock)
        if not is_held:
            raise SuiteError(f"{path}: another process is ingesting into it; wait until it has finished.")
        with unfinished(path) as staging:
            yield Suite(path, staging)
    finally:
        os.close(lock)


# ---- one log


def take(candidate: Candidate | LeftOut, staging: Path, read: str | None = None) -> Event:
    """Make a run folder of a candidate below ``staging``; what is left out already stays so.

    ``read``: what a number of it measures; of a log that nobody named only where it holds that number. Raises
    WriteError where nothing can be written.
    """
    if isinstance(candidate, LeftOut):
        return candidate
    try:
        with writing(staging):
            fetched = tempfile.TemporaryDirectory(dir=staging)
        with fetched as place:
            # What is not on this machine is brought into one folder.
            path = _local(candidate.place, Path(place, "fetched"))
            content = _content(path, candidate)
            is_read = read is not None and (candidate.named or _holds(path, read))
            name, remarks = _format(path, replace(candidate, named=True) if is_read else candidate)
            remarks = () if is_read and name is None else remarks  # it is read as was said
            beside = {of: _local(at, Path(place, of)) for of, at in candidate.of_its_run.items()}
            folder = staging / uuid4().hex
            sha256, said = _stage(path, candidate, beside, folder, content, {READ: read} if is_read else {})
    except LeftOut as error:
        return error.of(candidate.name)
    except OSError as error:
        return LeftOut(f"cannot be read: {error.strerror}.", candidate.name, is_unreadable=True)
    case, repeat = label(candidate)
    return Ingested(candidate.name, case, repeat or 1, sha256, content or sha256, name, remarks + said, folder)


def _holds(path: Path, read: str) -> bool:
    """Whether a log holds the number that somebody says the meaning of."""
    try:
        return isinstance(answer(path, read), Accepted)
    except LogError:
        return False


def _option_for(path: Path) -> str:
    """The option that says what the speed of a log is, of a program that no format describes; empty where none does."""
    try:
        found = answer(path)
    except LogError:
        return ""
    if isinstance(found, Accepted):
        return found.speed.read
    return found.candidates[0].read if isinstance(found, Question) else ""


def _local(place: str, path: Path) -> Path:
    """A local file with the bytes of a place: ``path`` where they are not on this machine."""
    if not is_url(place):
        return Path(place)
    fetch(place, path)
    return path


def _content(path: Path, candidate: Candidate) -> str:
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
            stream = unpacked(file)
            if not is_text(head := stream.read(_HEAD)):
                raise LeftOut("is a binary file.", is_unreadable=candidate.named)
            digest = hashlib.sha256(head)
            for chunk in pieces_of(stream, CHUNK) if is_packed else ():
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
        option = _option_for(path) if Path(candidate.path).suffix in LOG_SUFFIXES else ""
        raise LeftOut(OF_UNKNOWN_PROGRAM if option else NOT_NAMED, read=option)
    return (found.name, ()) if found else (None, (NO_METRIC_LINE,))


def _stage(
    log: Path, candidate: Candidate, beside: Mapping[str, Path], folder: Path, content: str, said_of: Document
) -> tuple[str, tuple[str, ...]]:
    """Make a run folder of a log; ``beside`` are the files of its run, by name. The SHA-256 of the log, and remarks.

    The log is copied as it is, packed or not. ``content``: as of ``_content``. ``said_of``: what run.json is to say
    besides. Raises WriteError where a file cannot be written, LeftOut where the run.json beside it cannot be read,
    OSError where a file cannot.
    """
    with writing(folder):
        folder.mkdir()
    with opened(log) as file:
        name = LOG + ending(file.peek(_HEAD))
        size = write_pieces(folder / name, pieces_of(file, CHUNK))
    sha256 = sha256_of(folder / name)
    described = {"file": name, "sha256": sha256, "bytes": size}
    changed = {} if candidate.blob is None else {"changed": is_changed(log, candidate.blob)}
    packed = {UNPACKED: content} if content else {}
    # Bytes of a name that are no UTF-8 are spelt out: no reader takes half a surrogate pair for text.
    found = {name: _spelt(said) if isinstance(said, str) else said for name, said in candidate.origin.items()}
    origin = {**found, **changed, "sha256": sha256, **packed, "bytes": size}
    run = _run(candidate, beside, sha256)
    if run is None:
        document = {**heading(), "suite": folder.parent.parent.name, "case": {}, "source": origin, "log": described}
    else:
        document = {**run, "ingested": origin, "log": {**run["log"], **described}}
    document |= said_of
    for name in beside.keys() & {*(SIDE_FILES if run else ())}:
        write(folder, name, data_of(beside[name]))
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write(folder, RUN_FILE, text.encode("utf-8", "backslashreplace"))
    return sha256, (OF_ANOTHER,) if RUN_FILE in beside and run is None else ()


def _spelt(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _run(candidate: Candidate, beside: Mapping[str, Path], sha256: str) -> Document | None:
    """What the run.json beside a log says, where it is of this log.

    Raises LeftOut where it has a schema that this version does not know: it may be of this log or not.
    """
    path = beside.get(RUN_FILE)
    if path is None or path.stat().st_size > _LARGEST_RUN_FILE:
        return None
    try:
        run: Document = json.loads(data_of(path))
        run["case"].items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if refusal := unknown_schema(run):
        raise LeftOut(f"the {RUN_FILE} beside it {refusal}", is_unreadable=True)
    return run if describes(run, Path(candidate.path), sha256) else None


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
    name = "__".join(filter(None, (_NOT_IN_NAMES.sub("-", part).lstrip(".-") for part in parts))) or "log"
    text = name.encode()
    if len(text) <= LONGEST:
        return name
    digest = hashlib.sha256(text).hexdigest()[:8]
    return f"{digest}-{text[-LONGEST + len(digest) + 1 :].decode(errors='ignore')}"


# ---- all of them


def ingest(sources: Sequence[str], into: Path, workers: "Workers", read: str | None = None) -> Iterator[Event]:
    """Ingest the logs of sources (paths and URLs) into a suite; yields what became of each file.

    A text with metric lines of a known format is a log, and so is any text that a source names itself. ``workers``
    see the same folders as this process. ``read``: what a number of the logs measures, an option. Raises ParserError
    where the suite cannot be filled, and where there are none.
    """
    for source in sources:
        if not is_url(source) and Path(source).resolve().is_relative_to(into.resolve()):
            raise SuiteError(f"{source}: is inside the output folder {into}; choose another folder with --into.")
    formats()  # workers that are forked have them then
    with claimed(into) as suite:
        found = Sources(suite.staging, into)
        # In their order, so that repeats are numbered in it, too.
        candidates = chain.from_iterable(found.candidates(source) for source in sources)
        do = partial(take, staging=suite.staging.resolve(), read=read)
        with workers.each(do, candidates, lambda one: 0 if isinstance(one, LeftOut) else one.size) as results:
            for taken in results:
                yield taken if isinstance(taken, LeftOut) else suite.add(taken)


def sentences(events: Sequence[Event], into: Path, sources: Sequence[str]) -> Iterator[str]:
    """What became of the files of some sources, one sentence a line; of logs that were skipped what takes them in."""
    logs = [event for event in events if isinstance(event, Ingested)]
    new = Counter(log.format or "unknown format" for log in logs if log.is_new)
    listed = ", ".join(f"{count} {name}" for name, count in sorted(new.items()))
    yield f"Added {counted(new.total(), 'log')} to {into}{': ' + listed if listed else ''}."
    if there := len(logs) - new.total():
        yield f"Already there: {counted(there, 'log')}."
    yield from (f"{log.label}/{log.repeat}: {remark}" for log in logs for remark in log.remarks)
    skipped = Counter(e.reason for e in events if isinstance(e, LeftOut) and not e.is_unreadable)
    for reason, count in skipped.most_common():
        yield f"Skipped {counted(count, 'file')}: {reason} List them with --json."
    options = Counter(event.read for event in events if isinstance(event, LeftOut) and event.read)
    for option, count in options.most_common(MOST_OPTIONS):
        words = " ".join(map(shell_quoted, ("ingest", *sources, "--into", into, "--read", option)))
        yield f"To take {count} of them: tachograph {words}"
    if unread := len(unreadable(events)):
        yield f"{counted(unread, 'file')} could not be read."


def objects(events: Iterable[Event]) -> Iterator[str]:
    """A JSON object for each file: what became of it, or why it was left out."""
    for event in events:
        if isinstance(event, LeftOut):
            status = "unreadable" if event.is_unreadable else "skipped"
            read = {"read": event.read} if event.read else {}
            yield json.dumps({"found": event.name, "status": status, "reason": event.reason, **read})
            continue
        said = {
            "found": event.found,
            "run": f"{event.label}/{event.repeat}",
            "status": "new" if event.is_new else "already there",
            "sha256": event.sha256,
            "format": event.format,
            "remarks": list(event.remarks),
        }
        yield json.dumps(said)


def unreadable(events: Iterable[Event]) -> list[LeftOut]:
    """What may have been a log, but was unreadable."""
    return [event for event in events if isinstance(event, LeftOut) and event.is_unreadable]
