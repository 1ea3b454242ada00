"""Staging: a candidate that is a log becomes a run folder, complete under a hidden name: no reader sees half of it."""

import errno
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..io import files
from ..io.errors import FormatError, LogError, ParserError, WrappedError, reason_of
from ..io.files import write, write_pieces
from ..io.packed import ERRORS, ending
from ..origins import archive
from ..origins.found_file import LeftOut
from ..runs.git_files import is_changed
from ..runs.run_folder import LOG, READ, RUN_FILE, SIDE_FILES, heading
from ..runs.runfile import CONFIGURATIONS, UNPACKED, describes, sha256_of, unknown_schema
from ..scanning.detection import detect, formats
from ..scanning.source import Source, is_text
from .file_systems import NotTakenError, fetch, is_url
from .sources import Candidate

NO_METRIC_LINE = "does not contain metric lines of a known format."
_CHUNK = 1 << 20
_HEAD = 1 << 16
_LARGEST_RUN_FILE = 16 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)

Task = tuple[Candidate, frozenset[str]]
Document = dict[str, Any]


class StagingError(ParserError):
    """Nothing can be written where run folders are made."""


@dataclass(frozen=True)
class Taken:
    """A candidate that is a log: the SHA-256 of the file as found, and the name of its format where one is known.

    ``content``: the SHA-256 of its text, which is that of the file where it is not packed. ``staged``: the run folder
    that was made of it; None where the log was there already.
    """

    candidate: Candidate
    sha256: str
    content: str
    format: str | None
    staged: Path | None
    remarks: tuple[str, ...] = ()


def take(task: Task | LeftOut, staging: Path, read: str | None = None) -> Taken | LeftOut:
    """Take a candidate in, with which comes the SHA-256 of what is there already under its label.

    ``staging``: where run folders are made. ``read``: what a number of it measures. What is left out already stays so.
    Raises StagingError where nothing can be written there.
    """
    return task if isinstance(task, LeftOut) else _take(*task, staging, read)


def _take(candidate: Candidate, known: frozenset[str], staging: Path, read: str | None) -> Taken | LeftOut:
    try:
        with _local(candidate.place) as path:
            head = _head(path)
            _refuse_other_files(path, head, candidate)
            sha256 = sha256_of(path) if known else ""
            unpacked = _unpacked(path) if ending(head) else ""
            name, remarks = _format(path, candidate)
            if known & {sha256, unpacked}:
                return Taken(candidate, sha256, unpacked or sha256, name, None, remarks)
            places = {**candidate.beside_log, **candidate.configurations}
            # What is not on this machine is brought into the folder that its log was brought into.
            beside = {name: _brought(place, path.with_name(name)) for name, place in places.items()}
            staged = stage(path, candidate, beside, staging, unpacked, read)
            content = unpacked or staged.sha256
            return Taken(candidate, staged.sha256, content, name, staged.folder, remarks + staged.remarks)
    except NotTakenError as error:
        return error.of(candidate.name)
    except OSError as error:
        if error.errno in _FULL:
            raise StagingError(f"{error.filename or staging}: cannot be written: {error.strerror}.") from error
        return LeftOut(candidate.name, f"cannot be read: {error.strerror}.", is_unreadable=True)


@contextmanager
def _local(place: str) -> Iterator[Path]:
    """A local file with the bytes of a place."""
    with tempfile.TemporaryDirectory(prefix="tachograph-") if is_url(place) else nullcontext("") as folder:
        yield _brought(place, Path(folder, "fetched"))


def _brought(place: str, path: Path) -> Path:
    """A local file with the bytes of a place: that of ``path`` where they are not on this machine."""
    if not is_url(place):
        return Path(place)
    fetch(place, path)
    return path


def _refuse_other_files(path: Path, head: bytes, candidate: Candidate) -> None:
    """Raise NotTakenError for what is no text; a file that the user named is unreadable then."""
    if not head:
        raise NotTakenError("is empty.", is_unreadable=candidate.named)
    if archive.begins_archive(head) or (ending(head) and archive.is_archive(path)):
        raise NotTakenError("is an archive inside a source; pass it as a SOURCE.", is_unreadable=candidate.named)
    if ending(head):
        with _told(path, named=candidate.named):
            head = next(Source(path).blocks(), b"")[:_HEAD]
    if not is_text(head):
        raise NotTakenError("is a binary file.", is_unreadable=candidate.named)


def _head(path: Path) -> bytes:
    with files.opened(path) as file:
        return file.read(_HEAD)


def _unpacked(path: Path) -> str:
    """The SHA-256 of what is packed in a file; raises NotTakenError where it is broken, or becomes more than it may."""
    digest = hashlib.sha256()
    try:
        with archive.opened(path) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except archive.BROKEN as error:
        raise NotTakenError(f"cannot be read: {reason_of(error)}.", is_unreadable=True) from error
    return digest.hexdigest()


def _format(path: Path, candidate: Candidate) -> tuple[str | None, tuple[str, ...]]:
    """The name of the format of a log, and what there is to remark."""
    try:
        with _told(path, named=candidate.named):
            found = detect(path, formats())
    except FormatError as error:
        return None, (error.what,)
    if found is None and not candidate.named:
        raise NotTakenError(NO_METRIC_LINE, is_common=True)
    return (found.name, ()) if found else (None, (NO_METRIC_LINE,))


@contextmanager
def _told(path: Path, *, named: bool) -> Iterator[None]:
    """Turn LogError into NotTakenError: what breaks off or was wrapped is unreadable, a shape of no log is no log."""
    try:
        yield
    except LogError as error:
        is_broken = isinstance(error, WrappedError) or isinstance(error.__cause__, (OSError, *ERRORS))
        raise NotTakenError(error.what, is_unreadable=named or is_broken) from error


@dataclass(frozen=True)
class Staged:
    """A run folder that waits for its name, and the SHA-256 of the log that it was made from."""

    folder: Path
    sha256: str
    remarks: tuple[str, ...] = ()


def stage(
    log: Path,
    candidate: Candidate,
    beside: Mapping[str, Path],
    staging: Path,
    unpacked: str = "",
    read: str | None = None,
) -> Staged:
    """Make a run folder of a log below ``staging``; ``beside`` are the files of its run, by name.

    The log is copied as it is, packed or not. ``unpacked``: the SHA-256 of what is packed in it; empty where it is not
    packed. ``read``: as run.json is to say it. Raises StagingError where the folder cannot be made, WriteError where a
    file cannot be written, OSError where one cannot be read.
    """
    folder = staging / uuid4().hex
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise StagingError(f"{staging.parent}: cannot be filled: {error.strerror}.") from error
    described = _kept(_chunks(log), folder)
    sha256 = str(described["sha256"])
    origin = _origin(log, candidate, sha256, unpacked)
    run = _run(candidate, beside, sha256)
    if run is None:
        document = {**_beginning(staging), "case": {}, "source": origin, "log": described}
    else:
        document = {**run, "ingested": origin, "log": {**run["log"], **described}}
        for name in beside.keys() & set(SIDE_FILES):
            shutil.copyfile(beside[name], folder / name)
    if read is not None:
        document[READ] = read
    is_of_another = RUN_FILE in beside and run is None
    for name in () if is_of_another else beside.keys() & set(CONFIGURATIONS):
        shutil.copyfile(beside[name], folder / name)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write(folder, RUN_FILE, text.encode("utf-8", "backslashreplace"))
    return Staged(
        folder,
        sha256,
        (f"The {RUN_FILE} beside it describes another log and was not copied.",) if is_of_another else (),
    )


@cache
def _beginning(staging: Path) -> Document:
    return {**heading(), "suite": staging.parent.name}


def _chunks(log: Path) -> Iterator[bytes]:
    with files.opened(log) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _kept(chunks: Iterator[bytes], folder: Path) -> Document:
    """Write a log; returns its name, SHA-256, size and number of lines, a last one without newline counting.

    The lines are those of the file as it lies there; a packed one says nothing of them.
    """
    first = next(chunks, b"")
    path = folder / (LOG + ending(first))
    digest, lines, last = hashlib.sha256(), 0, b"\n"

    def counted() -> Iterator[bytes]:
        nonlocal lines, last
        for chunk in chain([first], chunks):
            digest.update(chunk)
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
            yield chunk

    size = write_pieces(path, counted())
    described: Document = {"file": path.name, "sha256": digest.hexdigest(), "bytes": size}
    return described if path.name != LOG else {**described, "lines": lines + (last != b"\n")}


def _origin(log: Path, candidate: Candidate, sha256: str, unpacked: str) -> Document:
    """Where a log comes from, and what it was there."""
    changed = {} if candidate.blob is None else {"changed": is_changed(log, candidate.blob)}
    content = {UNPACKED: unpacked} if unpacked else {}
    return {**candidate.origin, **changed, "sha256": sha256, **content, "bytes": log.stat().st_size}


def _run(candidate: Candidate, beside: Mapping[str, Path], sha256: str) -> Document | None:
    """What the run.json beside a log says, where it is of this log.

    Raises NotTakenError where it has a schema that this version does not know: it may be of this log or not.
    """
    path = beside.get(RUN_FILE)
    if path is None or path.stat().st_size > _LARGEST_RUN_FILE:
        return None
    try:
        run: Document = json.loads(files.data_of(path))
        run["case"].items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if refusal := unknown_schema(run):
        raise NotTakenError(f"the {RUN_FILE} beside it {refusal}", is_unreadable=True)
    return run if describes(run, Path(candidate.path), sha256) else None
