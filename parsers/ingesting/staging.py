"""Staging: a run folder is made complete under a hidden name, so that a reader never sees half of it."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..io.atomic_write import begun, put, write
from ..io.compression import ending
from ..io.errors import ParserError
from ..io.input_file import data_of, opened
from ..runs.git_files import is_changed
from ..runs.run_folder import LOG, RUN_FILE, SCHEMA, SIDE_FILES
from ..runs.runfile import CONFIGURATIONS, UNPACKED, describes, unknown_schema
from .candidate import Candidate, NotTakenError

_CHUNK = 1 << 20
_LARGEST_RUN_FILE = 16 << 20

Document = dict[str, Any]


class StagingError(ParserError):
    """Nothing can be written where run folders are made."""


@dataclass(frozen=True)
class Staged:
    """A run folder that waits for its name, and the SHA-256 of the log that it was made from."""

    folder: Path
    sha256: str
    remarks: tuple[str, ...] = ()


def stage(log: Path, candidate: Candidate, beside: Mapping[str, Path], staging: Path, unpacked: str = "") -> Staged:
    """Make a run folder of a log below ``staging``; ``beside`` are the files of its run, by name.

    The log is copied as it is, packed or not. ``unpacked``: the SHA-256 of what is packed in it; empty where it is not
    packed. Raises StagingError where the folder cannot be made, WriteError where a file cannot be written, OSError
    where one cannot be read.
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
        document = {**_head(staging), "case": {}, "source": origin, "log": described}
    else:
        document = {**run, "ingested": origin, "log": {**run["log"], **described}}
        for name in beside.keys() & set(SIDE_FILES):
            shutil.copyfile(beside[name], folder / name)
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
def _head(staging: Path) -> Document:
    return {"schema": SCHEMA, "tachograph": version("tachograph"), "suite": staging.parent.name}


def _chunks(log: Path) -> Iterator[bytes]:
    with opened(log) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _kept(chunks: Iterator[bytes], folder: Path) -> Document:
    """Write a log; returns its name, SHA-256, size and number of lines, a last one without newline counting.

    The lines are those of the file as it lies there; a packed one says nothing of them.
    """
    chunk = next(chunks, b"")
    path = folder / (LOG + ending(chunk))
    digest, lines, last = hashlib.sha256(), 0, b"\n"
    with begun(path) as file:
        while chunk:
            put(chunk, file)
            digest.update(chunk)
            lines, last = lines + chunk.count(b"\n"), chunk[-1:]
            chunk = next(chunks, b"")
    described: Document = {"file": path.name, "sha256": digest.hexdigest(), "bytes": path.stat().st_size}
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
        run: Document = json.loads(data_of(path))
        run["case"].items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if refusal := unknown_schema(run):
        raise NotTakenError(f"the {RUN_FILE} beside it {refusal}", is_unreadable=True)
    return run if describes(run, Path(candidate.path), sha256) else None
