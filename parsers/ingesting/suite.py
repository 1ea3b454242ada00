"""A suite: the folder of run folders that logs are ingested into, and which bytes are there already.

A run folder is made under a hidden name, and gets its own when it is complete: no reader sees half of it.
"""

import errno
import hashlib
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from ..io.errors import LogError, ParserError
from ..io.files import data_of, leading_out, locked, opened, write, write_pieces
from ..io.git import is_changed
from ..io.packed import ending
from ..runs.run_folder import LOG, READ, RUN_FILE, SIDE_FILES, heading
from ..runs.runfile import CONFIGURATIONS, UNPACKED, describes, log_of, run_file, sha256_of, unknown_schema
from .sources import Candidate, NotTakenError

STAGING = ".ingest"
NOT_KEPT = 'its run folder is there already and is not changed: add "read": {read} to its {run_file} to keep that.'
CHANGED = "{log} does not match the SHA-256 in its run.json; remove the folder to ingest it again."
OF_ANOTHER = f"The {RUN_FILE} beside it describes another log and was not copied."
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)
_CHUNK = 1 << 20
_LARGEST_RUN_FILE = 16 << 20

Document = dict[str, Any]


class SuiteError(ParserError):
    """A folder cannot be filled."""


class Suite:
    """The runs of a folder by label and repeat, each known by the SHA-256 of the log that it was made from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._repeats: dict[str, dict[str, int]] = defaultdict(dict)
        for run in sorted(path.glob(f"*/*/{RUN_FILE}")):
            if not run.parent.name.startswith(".") and run.parent.name.isdigit():
                self._note(run.parent.parent.name, int(run.parent.name), _digests(run))

    @property
    def staging(self) -> Path:
        """A hidden folder beside the runs, in which they are made before they get their names."""
        return self.path / STAGING

    def known(self, label: str) -> frozenset[str]:
        """The SHA-256 of the logs that are there under a label, and of what is packed in them."""
        return frozenset(self._repeats.get(label, ()))

    def repeat(self, label: str, *sha256: str) -> int | None:
        """The number of the run of a log under a label, by any of its SHA-256; None where it is not there."""
        there = self._repeats.get(label, {})
        return next((there[digest] for digest in sha256 if digest in there), None)

    def problems(self, label: str, number: int, read: str | None = None) -> tuple[str, ...]:
        """What speaks against a run that is there: its log was changed or is gone, or what is ``read`` is not kept."""
        try:
            log = log_of(self.path / label / str(number))
            run = run_file(log)
            has_changed = describes(run, log, sha256_of(log)) is False
        except LogError as error:
            return (str(error),)
        changed = (CHANGED.format(log=log.name),) if has_changed else ()
        is_kept = read is None or run.get(READ) == read
        return changed if is_kept else (*changed, NOT_KEPT.format(read=json.dumps(read), run_file=RUN_FILE))

    def publish(self, staged: Path, label: str, sha256: Iterable[str], wanted: int = 1) -> int:
        """Give a staged run folder its name: the wanted number, or the next one that is free. Returns the number.

        ``sha256``: those of its log, and of what is packed in that. Raises SuiteError where a link would
        lead it out of the suite.
        """
        case = self.path / label
        if leading_out([case], self.path):
            raise SuiteError(f"{case}: is a link that leads out of the folder; nothing is written there.")
        case.mkdir(exist_ok=True)
        number = wanted
        while not _renamed(staged, case / str(number)):
            number += 1
        self._note(label, number, sha256)
        return number

    def _note(self, label: str, number: int, sha256: Iterable[str]) -> None:
        for digest in sha256:
            self._repeats[label].setdefault(digest, number)


@contextmanager
def claimed(path: Path) -> Iterator[Suite]:
    """The suite of a folder, which is made where there is none, held as the only one who ingests into it.

    Raises SuiteError where another process holds it, or it cannot be written.
    """
    is_new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with _held(path):
            suite = Suite(path)
            if suite.staging.is_symlink():
                raise SuiteError(
                    f"{suite.staging}: is a link; remove it, because runs are prepared in a folder of this name."
                )
            shutil.rmtree(suite.staging, ignore_errors=True)  # what an ingest that was killed left
            try:
                yield suite
            finally:
                shutil.rmtree(suite.staging, ignore_errors=True)
    except OSError as error:
        raise SuiteError(f"{path}: cannot be filled: {error.strerror}.") from error
    finally:
        if is_new:
            with suppress(OSError):  # something is in it
                path.rmdir()


@contextmanager
def _held(path: Path) -> Iterator[None]:
    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not locked(path, lock):
            raise SuiteError(f"{path}: another process is ingesting into it; wait until it has finished.")
        yield
    finally:
        os.close(lock)


def _renamed(folder: Path, name: Path) -> bool:
    """Give a folder a name, unless that is taken: then rename refuses, for there is something in the other folder."""
    try:
        folder.rename(name)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


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
    found = ([place.get("sha256"), place.get(UNPACKED)] for place in places if isinstance(place, dict))
    told = ([digest for digest in digests if digest and isinstance(digest, str)] for digests in found)
    return next(filter(None, told), [])


class Staged(NamedTuple):
    """A run folder that waits for its name, and the SHA-256 of the log that it was made from."""

    folder: Path
    sha256: str
    remarks: tuple[str, ...]


def stage(
    log: Path, candidate: Candidate, beside: Mapping[str, Path], staging: Path, unpacked: str, read: str | None
) -> Staged:
    """Make a run folder of a log below ``staging``; ``beside`` are the files of its run, by name.

    The log is copied as it is, packed or not. ``unpacked``: the SHA-256 of what is packed in it; empty where it is not
    packed. ``read``: as run.json is to say it. Raises SuiteError where the folder cannot be made, WriteError where a
    file cannot be written, NotTakenError where the run.json beside it cannot be read, OSError where a file cannot.
    """
    folder = staging / uuid4().hex
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise SuiteError(f"{staging.parent}: cannot be filled: {error.strerror}.") from error
    described = _kept(log, folder)
    sha256 = str(described["sha256"])
    changed = {} if candidate.blob is None else {"changed": is_changed(log, candidate.blob)}
    content = {UNPACKED: unpacked} if unpacked else {}
    origin = {**candidate.origin, **changed, "sha256": sha256, **content, "bytes": log.stat().st_size}
    run = _run(candidate, beside, sha256)
    if run is None:
        document = {**_heading(), "suite": staging.parent.name, "case": {}, "source": origin, "log": described}
    else:
        document = {**run, "ingested": origin, "log": {**run["log"], **described}}
    if read is not None:
        document[READ] = read
    is_of_another = RUN_FILE in beside and run is None
    own = {*(SIDE_FILES if run else ()), *(() if is_of_another else CONFIGURATIONS)}
    for name in beside.keys() & own:
        shutil.copyfile(beside[name], folder / name)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write(folder, RUN_FILE, text.encode("utf-8", "backslashreplace"))
    return Staged(folder, sha256, (OF_ANOTHER,) if is_of_another else ())


@cache
def _heading() -> Mapping[str, object]:
    return heading()


def _kept(log: Path, folder: Path) -> Document:
    """Copy a log; returns its name, SHA-256, size and number of lines, a last one without newline counting.

    The lines are those of the file as it lies there; a packed one says nothing of them.
    """
    digest, lines, last = hashlib.sha256(), 0, b"\n"

    def pieces() -> Iterator[bytes]:
        nonlocal lines, last
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
            yield chunk

    with opened(log) as file:
        name = LOG + ending(file.peek(_CHUNK))
        size = write_pieces(folder / name, pieces())
    described: Document = {"file": name, "sha256": digest.hexdigest(), "bytes": size}
    return described if name != LOG else {**described, "lines": lines + (last != b"\n")}


def _run(candidate: Candidate, beside: Mapping[str, Path], sha256: str) -> Document | None:
    """What the run.json beside a log says, where it is of this log.

    Raises NotTakenError where it has a schema that this version does not know: it may be of this log or not.
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
        raise NotTakenError(f"the {RUN_FILE} beside it {refusal}", is_unreadable=True)
    return run if describes(run, Path(candidate.path), sha256) else None
