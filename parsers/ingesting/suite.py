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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..io.errors import LogError, ParserError
from ..io.files import data_of, leading_out, locked, opened, unfinished, write, write_pieces, writing
from ..io.git import is_changed
from ..io.packed import ending
from ..runs.run_folder import LOG, READ, RUN_FILE, SIDE_FILES, heading
from ..runs.runfile import CONFIGURATIONS, UNPACKED, describes, log_of, run_file, sha256_of, unknown_schema
from .archive import LeftOut
from .sources import Candidate

NOT_KEPT = 'its run folder is there already and is not changed: add "read": {read} to its {run_file} to keep that.'
CHANGED = "{log} does not match the SHA-256 in its run.json; remove the folder to ingest it again."
OF_ANOTHER = f"The {RUN_FILE} beside it describes another log and was not copied."
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)
_CHUNK = 1 << 20
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

    def add(self, log: Ingested, read: str | None) -> Ingested:
        """Give the run folder of a log its name: the repeat that it wants, or the next one that is free.

        One whose log is there already is removed; what speaks against the run that is there is remarked, and what is
        ``read`` if it does not keep that. Raises SuiteError where a link would lead out of the suite.
        """
        known = self._repeats[log.label]
        if (there := known.get(log.content, known.get(log.sha256))) is not None:
            shutil.rmtree(log.staged)
            remarks = (*log.remarks, *self._problems(log.label, there, read))
            return replace(log, repeat=there, remarks=remarks, is_new=False)
        case = self.path / log.label
        if leading_out([case], self.path):
            raise SuiteError(f"{case}: is a link that leads out of the folder; nothing is written there.")
        case.mkdir(exist_ok=True)
        number = log.repeat
        while not _renamed(log.staged, case / str(number)):
            number += 1
        self._note(log.label, number, (log.sha256, log.content))
        is_another = number != log.repeat
        remarks = (*log.remarks, f"Another log has the same label; stored as repeat {number}.")
        return replace(log, repeat=number, remarks=remarks if is_another else log.remarks)

    def _problems(self, label: str, number: int, read: str | None) -> Iterator[str]:
        """What speaks against a run that is there: its log was changed or is gone, or what is ``read`` is not kept."""
        try:
            log = log_of(self.path / label / str(number))
            run = run_file(log)
            has_changed = describes(run, log, sha256_of(log)) is False
        except LogError as error:
            yield str(error)
            return
        if has_changed:
            yield CHANGED.format(log=log.name)
        if read is not None and run.get(READ) != read:
            yield NOT_KEPT.format(read=json.dumps(read), run_file=RUN_FILE)

    def _note(self, label: str, number: int, sha256: Iterable[str]) -> None:
        for digest in sha256:
            self._repeats[label].setdefault(digest, number)


@contextmanager
def claimed(path: Path) -> Iterator[Suite]:
    """The suite of a folder, which is made where there is none, held as the only one who ingests into it.

    Raises SuiteError where another process holds it, WriteError where it cannot be written.
    """
    is_new = not path.exists()
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
        if is_new:
            with suppress(OSError):  # something is in it
                path.rmdir()


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


def stage(
    log: Path, candidate: Candidate, beside: Mapping[str, Path], folder: Path, content: str, read: str | None
) -> tuple[str, tuple[str, ...]]:
    """Make a run folder of a log; ``beside`` are the files of its run, by name. The SHA-256 of the log, and remarks.

    The log is copied as it is, packed or not. ``content``: the SHA-256 of what is packed in it; empty where it is not
    packed. ``read``: as run.json is to say it. Raises WriteError where a file cannot be written, LeftOut where the
    run.json beside it cannot be read, OSError where a file cannot.
    """
    with writing(folder):
        folder.mkdir()
    described = _kept(log, folder)
    sha256 = str(described["sha256"])
    changed = {} if candidate.blob is None else {"changed": is_changed(log, candidate.blob)}
    packed = {UNPACKED: content} if content else {}
    origin = {**candidate.origin, **changed, "sha256": sha256, **packed, "bytes": described["bytes"]}
    run = _run(candidate, beside, sha256)
    if run is None:
        suite = folder.parent.parent.name
        document = {**heading(), "suite": suite, "case": {}, "source": origin, "log": described}
    else:
        document = {**run, "ingested": origin, "log": {**run["log"], **described}}
    if read is not None:
        document[READ] = read
    is_of_another = RUN_FILE in beside and run is None
    own = {*(SIDE_FILES if run else ()), *(() if is_of_another else CONFIGURATIONS)}
    for name in beside.keys() & own:
        write(folder, name, data_of(beside[name]))
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write(folder, RUN_FILE, text.encode("utf-8", "backslashreplace"))
    return sha256, (OF_ANOTHER,) if is_of_another else ()


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
