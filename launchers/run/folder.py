"""Run folders: how one is filled and held, what lies in it and beside it meanwhile, and the processes of its job."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import click

from parsers.io.errors import ParserError
from parsers.io.files import data_of, locked, opened, replace_file, sha256_of, text_of
from parsers.runs.run_folder import DONE, LOG, RUN_FILE, LogFile, RunJson
from parsers.runs.runfile import run_file

from .execution import MARKED, end_job

LOCK, SUBMITTED = "lock", "submitted"
SLURM_OUTPUT = "slurm.out"  # what a submitted job says; the log is not in it
NODE = "node"  # node0.json and node0.csv are what the first node of a job writes


@dataclass(frozen=True)
class RunFolder:
    """The folder logs/<suite>/<case>/<repeat>.

    It is filled under another name and renamed, so a reader never sees half a run.
    """

    path: Path

    @property
    def unfinished(self) -> Path:
        """The name of the folder as long as the run is going on."""
        return self.beside("unfinished")

    @property
    def work(self) -> Path:
        """Where the program of the run writes: logs of its launcher, outputs, checkpoints.

        It lies outside of the run folder, since nothing in it is free of secrets. Of a run that is done it is removed.
        """
        return self.beside("work")

    def beside(self, what: str) -> Path:
        """A hidden neighbour, such as the `lock` that a runner holds, or what tells of the Slurm job for the folder."""
        return self.path.with_name(f".{self.path.name}.{what}")

    def status(self) -> str | None:
        """`done`, `failed` or `interrupted`; None where there is no such run.

        Raises click.ClickException for a folder whose facts cannot be read by this version.
        """
        return str(self.facts()["status"]) if self.path.exists() else None

    def facts(self) -> dict[str, Any]:
        """What run.json says.

        Raises click.ClickException where it cannot be read, states no status, or has a schema that is not known.
        """
        try:
            found = run_file(self.path / LOG)
        except ParserError as error:
            raise click.ClickException(f"{error} Move the folder away to rerun the case.") from error
        if "status" not in found:
            has = f"{self.path} does not contain a {RUN_FILE} with a status"
            raise click.ClickException(f"{has}; move the folder away to rerun the case.")
        return found

    def is_held(self) -> bool:
        """Whether another runner fills the folder now."""
        try:
            with suppress(OSError), holding(self.beside(LOCK), os.O_RDWR, ""):
                pass
        except click.ClickException:
            return True
        return False

    def submission(self) -> dict[str, Any] | None:
        """The Slurm `job` that is to fill the folder, and the `facts` of its run; None where there is no such job.

        Raises click.ClickException where that cannot be read.
        """
        path = self.beside(SUBMITTED)
        if not os.path.lexists(path):
            return None
        with suppress(OSError, ValueError, TypeError, RecursionError):
            found = dict(json.loads(data_of(path)))
            if "facts" in found and str(found.get("job")).isdecimal():  # it becomes a word of commands
                return found
        raise click.ClickException(f"{path} is not what a submission left; remove it to rerun the case.")

    def put_aside(self) -> list[Path]:
        """Give what an earlier run left that was not done a name of its own, and return these names.

        They are hidden, so that nobody takes them for runs: .1.failed-20261121T091500, .1.unfinished-20261121T091500.
        """
        shutil.rmtree(self.work, ignore_errors=True)
        kept = []
        for path in filter(Path.exists, (self.path, self.unfinished)):
            status = self.status() if path == self.path else "unfinished"
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y%m%dT%H%M%S")
            names = (self.beside(f"{status}-{changed}{f'-{n}' if n > 1 else ''}") for n in count(1))
            kept.append(path.rename(next(name for name in names if not name.exists())))
        return kept

    def publish(self, facts: RunJson) -> None:
        """Write `facts` and those of the log, of which a last line without newline counts; give the folder its name."""
        log, lines, last = self.unfinished / LOG, 0, b"\n"
        with opened(log) as file:
            while chunk := file.read(1 << 20):
                lines, last = lines + chunk.count(b"\n"), chunk[-1:]
        size, cut = log.stat().st_size, last != b"\n"
        described: LogFile = {"file": LOG, "sha256": sha256_of(log), "bytes": size, "lines": lines + cut}
        document: RunJson = {**facts, "log": described}
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        # Of a command or a path a byte that is no UTF-8 cannot be told.
        replace_file(self.unfinished / RUN_FILE, text.encode(errors="replace"))
        self.unfinished.rename(self.path)


def done_below(case: Path) -> Iterator[Path]:
    """The folders of the done runs of a case; one that cannot be read is no reason to lose another."""
    for path in sorted(case.glob("[1-9]*")):
        with suppress(click.ClickException):
            if path.name.isdecimal() and RunFolder(path).status() == DONE:
                yield path


def submitted_below(top: Path) -> Iterator[RunFolder]:
    """The run folders below a folder that submitted jobs are to fill, in the order of their names."""
    for path in sorted(top.rglob(f".*.{SUBMITTED}")):
        if path.name.split(".")[1].isdecimal():
            yield RunFolder(path.with_name(path.name.split(".")[1]))


@contextmanager
def holding(path: Path, flags: int, refusal: str) -> Iterator[None]:
    """Hold a file or a folder that is opened so; raises click.ClickException where another process holds it."""
    lock = os.open(path, flags | os.O_NOFOLLOW, 0o666)
    try:
        if not locked(path, lock):
            raise click.ClickException(refusal)
        yield
    finally:
        os.close(lock)


@contextmanager
def claimed(folder: RunFolder) -> Iterator[None]:
    """Hold a run folder as the only runner, and end what is left of the job of a runner that was killed.

    Raises click.ClickException where another runner holds the folder.
    """
    folder.path.parent.mkdir(parents=True, exist_ok=True)
    refusal = f"{folder.path} is in use by another runner; wait until it has finished."
    with holding(folder.beside(LOCK), os.O_RDWR | os.O_CREAT, refusal):
        with suppress(FileNotFoundError):
            end_job(text_of(folder.unfinished / MARKED, errors="replace"))
        yield
        folder.beside(LOCK).unlink()
