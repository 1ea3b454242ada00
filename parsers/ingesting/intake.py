"""The intake: one candidate is looked at and, where it is a log, becomes a staged run folder."""

import errno
import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..io import input_file
from ..io.compression import ERRORS, ending
from ..io.errors import FormatError, LogError, WrappedError, reason_of
from ..origins.archive import BROKEN, begins_archive, is_archive, opened
from ..origins.found_file import LeftOut
from ..runs.runfile import sha256_of
from ..scanning.detection import detected, formats, refuse_wrapped
from ..scanning.source import Source, is_text
from ..scanning.text import LogText
from .candidate import Candidate, NotTakenError
from .remote import fetch, is_url
from .staging import Staged, StagingError, stage

NO_METRIC_LINE = "does not contain metric lines of a known format."
_CHUNK = 1 << 20
_HEAD = 1 << 16
_FULL = (errno.ENOSPC, errno.EDQUOT)

Task = tuple[Candidate, frozenset[str]]


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


def take(task: Task | LeftOut, staging: Path) -> Taken | LeftOut:
    """Take a candidate in, with which comes the SHA-256 of what is there already under its label.

    ``staging``: where run folders are made. What is left out already stays so.
    Raises StagingError where nothing can be written there.
    """
    return task if isinstance(task, LeftOut) else _take(*task, staging)


def _take(candidate: Candidate, known: frozenset[str], staging: Path) -> Taken | LeftOut:
    try:
        with _local(candidate.place) as path:
            head = _head(path)
            _refuse_other_files(path, head, candidate)
            sha256 = sha256_of(path) if known else ""
            unpacked = _unpacked(path) if ending(head) else ""
            name, remarks = _format(path, candidate)
            if known & {sha256, unpacked}:
                return Taken(candidate, sha256, unpacked or sha256, name, None, remarks)
            staged = _staged(path, candidate, staging, unpacked)
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
    if not is_url(place):
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix="tachograph-") as folder:
        path = Path(folder, "fetched")
        fetch(place, path)
        yield path


def _staged(path: Path, candidate: Candidate, staging: Path, unpacked: str) -> Staged:
    # What is not on this machine is brought into the folder that its log was brought into.
    beside = {name: _brought(place, path.with_name(name)) for name, place in _beside(candidate).items()}
    return stage(path, candidate, beside, staging, unpacked)


def _beside(candidate: Candidate) -> dict[str, str]:
    """The places of all that is copied with a log, by name."""
    return {**candidate.beside_log, **candidate.configurations}


def _brought(place: str, path: Path) -> Path:
    if not is_url(place):
        return Path(place)
    fetch(place, path)
    return path


def _refuse_other_files(path: Path, head: bytes, candidate: Candidate) -> None:
    """Raise NotTakenError for what is no text; a file that the user named is unreadable then."""
    if not head:
        raise NotTakenError("is empty.", is_unreadable=candidate.named)
    if begins_archive(head) or (ending(head) and is_archive(path)):
        raise NotTakenError("is an archive inside a source; pass it as a SOURCE.", is_unreadable=candidate.named)
    if ending(head):
        with _told(path, named=candidate.named):
            head = next(Source(path).blocks(), b"")[:_HEAD]
    if not is_text(head):
        raise NotTakenError("is a binary file.", is_unreadable=candidate.named)


def _head(path: Path) -> bytes:
    with input_file.opened(path) as file:
        return file.read(_HEAD)


def _unpacked(path: Path) -> str:
    """The SHA-256 of what is packed in a file; raises NotTakenError where it is broken, or becomes more than it may."""
    digest = hashlib.sha256()
    try:
        with opened(path) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except BROKEN as error:
        raise NotTakenError(f"cannot be read: {reason_of(error)}.", is_unreadable=True) from error
    return digest.hexdigest()


def _format(path: Path, candidate: Candidate) -> tuple[str | None, tuple[str, ...]]:
    """The name of the format of a log, and what there is to remark."""
    try:
        with _told(path, named=candidate.named):
            text = LogText(path)
            found = detected(text, formats())
            if found is None:
                refuse_wrapped(text, formats())
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
