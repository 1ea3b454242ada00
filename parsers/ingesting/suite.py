"""A suite: the folder of run folders that logs are ingested into, and which bytes are there already."""

import errno
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..io.errors import LogError, ParserError
from ..io.files import data_of, leading_out, locked
from ..runs.run_folder import READ, RUN_FILE
from ..runs.runfile import UNPACKED, describes, log_of, run_file, sha256_of, unknown_schema

STAGING = ".ingest"
NOT_KEPT = 'its run folder is there already and is not changed: add "read": {read} to its {run_file} to keep that.'
CHANGED = "{log} does not match the SHA-256 in its run.json; remove the folder to ingest it again."
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


class SuiteError(ParserError):
    """A folder cannot be filled."""


class Suite:
    """The runs of a folder by label and repeat, each known by the SHA-256 of the log that it was made from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._repeats: dict[str, dict[str, int]] = defaultdict(dict)
        self._labels: dict[str, set[str]] = defaultdict(set)
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
        folder = self.path / label / str(number)
        try:
            log = log_of(folder)
            run = run_file(log)
            is_changed = describes(run, log, sha256_of(log)) is False
        except LogError as error:
            return (str(error),)
        changed = (CHANGED.format(log=log.name),) if is_changed else ()
        is_kept = read is None or run.get(READ) == read
        return changed if is_kept else (*changed, NOT_KEPT.format(read=json.dumps(read), run_file=RUN_FILE))

    def labels(self, sha256: str) -> list[str]:
        """All labels under which a log is there."""
        return sorted(self._labels.get(sha256, ()))

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
            self._labels[digest].add(label)


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
