"""A series of detached runs: submitted at once, side by side as far as is wanted, and collected as they end."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from parsers.io.printable import say, shell_quoted
from parsers.runs.run_folder import FAILED, INTERRUPTED

from ..backends import slurm as queue
from ..backends.slurm import JobState, Slurm
from ..runs.folders import RunFolder, claimed, submitted_below
from .detached import collect, submit
from .runner import Runner
from .series import INTERRUPTED_EXIT, PlannedRun, cleared, collected, is_done, is_submitted, notices, why

_LOOK = 2.0  # seconds between two questions to the queue


@dataclass
class DetachedSeries:
    """Runs as jobs that nobody waits for; `parallel` of them side by side, None for as many as the cluster takes."""

    place: Slurm
    planned: Sequence[PlannedRun]
    parallel: int | None = None
    redacts: bool = True
    jobs: list[str] = field(default_factory=list)

    def submit(self) -> list[RunFolder]:
        """Submit what is neither done nor submitted already; returns the folders of all runs that are submitted now.

        Raises click.ClickException where Slurm refuses a job, or a folder cannot be written.
        """
        for notice in notices(self.place, self.planned):
            say(notice, err=True)
        return [run.folder for run in self.planned if not is_done(run, self.place) and self._is_submitted(run)]

    def _is_submitted(self, run: PlannedRun) -> bool:
        """Submit a run, unless its job is under way; false where another runner has done it meanwhile."""
        try:
            with claimed(run.folder):
                if is_done(run, self.place):
                    return False
                self._submit(run)
        except OSError as error:
            raise click.ClickException(f"{run.folder.path} could not be written: {error.strerror}.") from error
        return True

    def _submit(self, run: PlannedRun) -> None:
        if is_submitted(run, self.place):
            number = queue.number(run.folder.unfinished)
            say(f"{run.folder.path} is submitted already as Slurm job {number}.", err=True)
        else:
            cleared(run.folder, self.place)
            number = submit(run.job, run.folder, self.place, after=self._after(), redacts=self.redacts)
            say(f"{run.folder.path} is submitted as Slurm job {number}.", err=True)
        self.jobs.append(number)

    def _after(self) -> str | None:
        """The job whose end makes room for the next one."""
        return self.jobs[-self.parallel] if self.parallel and len(self.jobs) >= self.parallel else None


@dataclass
class Collection:
    """Run folders that detached jobs fill, as they are found when somebody looks."""

    done: list[Path] = field(default_factory=list)
    failed: list[Path] = field(default_factory=list)
    told: dict[Path, str] = field(default_factory=dict)

    def look(self, folders: Sequence[RunFolder]) -> list[RunFolder]:
        """Fill the folders whose jobs have ended, say what became of them, and return the others.

        The state of a job is said where it is another one than at the last look.
        """
        return [folder for folder in folders if not self._is_filled(folder)]

    def wait(self, folders: Sequence[RunFolder]) -> None:
        """Fill all folders as their jobs end; a signal cancels the jobs.

        Raises click.exceptions.Exit after that.
        """
        with collected() as signals:
            left = self.look(folders)
            cancelled = False
            while left:
                time.sleep(_LOOK)
                if signals and not cancelled:
                    cancelled = True
                    _cancel(left)
                left = self.look(left)
        if signals:
            raise click.exceptions.Exit(INTERRUPTED_EXIT)

    def report(self, left: Sequence[RunFolder]) -> None:
        """Say how many runs have ended; raises click.ClickException where some of them failed."""
        waits = f"; not ended: {len(left)}, collect them later" if left else ""
        counts = f"Runs done: {len(self.done)}, failed: {len(self.failed)}{waits}"
        if self.failed:
            raise click.ClickException(f"{counts}. Failed: {', '.join(map(str, self.failed))}.")
        say(f"{counts}.", err=True)

    def _is_filled(self, folder: RunFolder) -> bool:
        try:
            with claimed(folder):
                if not folder.is_submitted():  # another one has collected it
                    return True
                found = collect(folder)
        except OSError as error:
            raise click.ClickException(f"{folder.path} could not be written: {error.strerror}.") from error
        if found is None or isinstance(found, JobState):
            self._tell(folder, found)
            return False
        if found["status"] in (FAILED, INTERRUPTED):
            self.failed.append(folder.path)
            for line in why(folder, found["reason"], found["last_lines"]):
                say(line, err=True)
        else:
            self.done.append(folder.path)
            say(f"{folder.path} is done.", err=True)
        return True

    def _tell(self, folder: RunFolder, state: JobState | None) -> None:
        """Say the state of a job, unless it is the one that was said last."""
        name = "unknown, as Slurm does not answer" if state is None else str(state.name)
        if self.told.get(folder.path) != name:
            self.told[folder.path] = name
            number = queue.number(folder.unfinished)
            say(f"{folder.path}: Slurm job {number} is {state or name}.", err=True)


def submitted_all(runner: Runner, planned: Sequence[PlannedRun], parallel: int | None) -> list[RunFolder]:
    """Submit runs as a runner would execute them; returns the folders of those that are submitted now.

    Raises click.UsageError where that cannot be: it is Slurm that runs them, and nobody watches them meanwhile.
    """
    if not isinstance(runner.place, Slurm):
        raise click.UsageError("--parallel and --detach require --on slurm.")
    if runner.timeout or runner.stall_ends:
        watched = "--timeout and --stall-ends require somebody who watches the run, so neither --parallel nor --detach"
        raise click.UsageError(f'{watched}; set a time limit in the site file, such as time = "02:00:00".')
    return DetachedSeries(runner.place, planned, parallel, runner.redacts).submit()


def tell_how_to_collect(folders: Sequence[RunFolder]) -> None:
    """Say the command that collects submitted runs."""
    if folders:
        top = os.path.commonpath([folder.path.parent.parent for folder in folders])
        say(f"Collect them with `tachograph launch --collect {shell_quoted(top)}`.", err=True)


def collected_all(folders: Sequence[RunFolder]) -> None:
    """Wait for submitted runs; raises click.ClickException where some failed, click.exceptions.Exit after a signal."""
    collection = Collection()
    collection.wait(folders)
    collection.report([])


def collect_below(top: Path) -> None:
    """Fill the run folders below `top` whose jobs have ended, and say the states of the others.

    Raises click.ClickException where runs failed.
    """
    folders = list(submitted_below(top))
    if not folders:
        say(f"No submitted runs in {top}.", err=True)
        return
    collection = Collection()
    collection.report(collection.look(folders))


def _cancel(folders: Sequence[RunFolder]) -> None:
    for folder in folders:
        number = queue.number(folder.unfinished)
        if number and not queue.cancelled(number):
            say(f"Slurm job {number} may still be running; cancel it with `scancel {number}`.", err=True)
