"""A series: several runs, one after the other, of which those that are done are not repeated."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import click

from parsers.io.printable import say
from parsers.runs.run_folder import DONE, FAILED

from ..clusters.place import Local, Place
from ..jobs.job import Job
from ..machine import vendors
from ..machine.telemetry import foreign_remark
from ..runs.folders import RunFolder, claimed
from .run_facts import differing
from .runner import Runner
from .stall import first_raised

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def collected() -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP instead of obeying them; yields the numbers received so far."""
    received: list[int] = []

    def collect(number: int, _frame: object) -> None:
        received.append(number)

    earlier = {number: signal.signal(number, collect) for number in _ASKING}
    try:
        yield received
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


INTERRUPTED_EXIT = 130  # as a shell says it


@dataclass(frozen=True)
class PlannedRun:
    """One run that is wanted: a job, and the folder that it fills."""

    job: Job
    folder: RunFolder


@dataclass
class RunSeries:
    """Executes runs in order. After one that failed, the further runs of the same case are left out."""

    runner: Runner
    planned: Sequence[PlannedRun]
    failed: list[Path] = field(default_factory=list)
    submitted: list[Path] = field(default_factory=list)

    def script(self) -> Iterator[str]:
        """Write what is not done yet as a shell script that needs nothing of this project, a part a run."""
        for remark in _of_checkouts(self.planned):
            say(remark, err=True)
        yield self.runner.place.heading
        for run in self.planned:
            if not is_done(run, self.runner.place):
                yield self.runner.place.script(run.job, run.folder.path.resolve())

    def execute(self) -> None:
        """Execute what is not done yet.

        Raises click.ClickException at the end when runs failed, and click.exceptions.Exit when one was interrupted.
        """
        if not self.planned:
            say("Nothing to run.", err=True)
            return
        for notice in notices(self.runner.place, self.planned):
            say(notice, err=True)
        with collected() as signals:
            left_out = [run for number, run in enumerate(self.planned, 1) if not self._tried(run, number, signals)]
        if self.failed:
            raise click.ClickException(self._failures(len(left_out)))
        if not self.submitted:
            say(f"All runs are done ({len(self.planned)}), see {suites(self.planned)}.", err=True)

    def _failures(self, left_out: int) -> str:
        count = f"{len(self.failed)} of {len(self.planned)} runs failed"
        others = f" (skipped after a failure of the same case: {left_out})" if left_out else ""
        retry = "`tachograph doctor` may show why; the same command retries them"
        return f"{count}{others}: {', '.join(map(str, self.failed))}. {retry}."

    def _tried(self, run: PlannedRun, number: int, signals: Sequence[int]) -> bool:
        """Execute a run, unless one of its case failed."""
        case, repeat = run.folder.path.parent, run.folder.path.name
        if case in {path.parent for path in self.failed}:
            return False
        try:
            self._execute(run, f"{case.name} repeat {repeat}, run {number} of {len(self.planned)}", signals)
        except OSError as error:
            raise click.ClickException(_unwritten(run.folder, error)) from error
        return True

    def _execute(self, run: PlannedRun, title: str, signals: Sequence[int]) -> None:
        if is_done(run, self.runner.place):
            return
        if is_submitted(run, self.runner.place):
            say(f"{run.folder.path} is submitted already; collect it with --collect.", err=True)
            self.submitted.append(run.folder.path)
            return
        with claimed(run.folder, signals):
            if is_done(run, self.runner.place):  # by the runner that held it until now
                return
            cleared(run.folder, self.runner.place)
            facts = self.runner.run(run.job, run.folder, title, signals)
        self.runner.screen.finish(signals)
        if "foreign" in facts and (remark := foreign_remark(facts["foreign"])):
            say(f"{run.folder.path}: {remark}", err=True)
        if facts["status"] == FAILED:
            self.failed.append(run.folder.path)
            is_shown = self.runner.screen.is_where_messages_are
            for line in why(run.folder, facts["reason"], facts["last_lines"], is_shown=is_shown):
                say(line, err=True)
        if signals:
            say(f"{run.folder.path} is marked as {facts['status']}; run the same command again to continue.", err=True)
            raise click.exceptions.Exit(INTERRUPTED_EXIT)


def _unwritten(folder: RunFolder, error: OSError) -> str:
    kept = f"; the output so far is in {folder.unfinished}" if folder.unfinished.exists() else ""
    return f"{folder.path} could not be written: {error.strerror}{kept}."


def cleared(folder: RunFolder, place: Place) -> None:
    """Put aside what an earlier run left in a claimed folder, and end its job."""
    if folder.unfinished.exists():
        place.finish(folder.unfinished)
    for kept in folder.put_aside():
        say(f"Rerunning {folder.path}; the previous attempt is kept as {kept.name}.", err=True)


def suites(planned: Iterable[PlannedRun]) -> str:
    """The folders of the suites of runs, in words."""
    return ", ".join(dict.fromkeys(str(run.folder.path.parent.parent) for run in planned))


def is_done(run: PlannedRun, place: Place) -> bool:
    """Whether a run is done, which is said; raises click.ClickException where its folder holds another one."""
    if run.folder.status() != DONE:
        return False
    if not run.folder.is_intact():
        message = f"{run.folder.log} is not the log that its run.json describes"
        raise click.ClickException(f"{message}; move the folder away to rerun the case.")
    _refuse_others(run, place, run.folder.facts())
    say(f"{run.folder.path} is already done.", err=True)
    return True


def is_submitted(run: PlannedRun, place: Place) -> bool:
    """Whether a run is submitted; raises click.ClickException where that is another one."""
    if not run.folder.is_submitted():
        return False
    _refuse_others(run, place, run.folder.submission()["facts"])
    return True


def _refuse_others(run: PlannedRun, place: Place, facts: Mapping[str, Any]) -> None:
    if found := differing(run.job, place, facts):
        message = f"{run.folder.path} contains a different run ({', '.join(found)})"
        raise click.ClickException(f"{message}; choose another folder with --into.")


def notices(place: Place, planned: Iterable[PlannedRun]) -> Iterator[str]:
    """Say in a sentence each what somebody should know before the runs begin."""
    yield from _of_checkouts(planned)
    if isinstance(place, Local):
        with vendors.cards() as cards:
            if cards is None:
                yield "No GPU responds on this machine, so GPU telemetry is not recorded."


def _of_checkouts(planned: Iterable[PlannedRun]) -> Iterator[str]:
    meant = {(run.job.repo, run.job.name): run.job for run in planned}
    yield from dict.fromkeys(chain.from_iterable(job.remarks() for job in meant.values()))


def why(folder: RunFolder, reason: str, lines: Sequence[str], *, is_shown: bool = False) -> Iterator[str]:
    """Say in a line each why a run failed, the last lines of its log first, unless the screen has just shown these.

    Launchers of several processes end a log with what they say of these; its first traceback is what went wrong.
    """
    yield from ["Last lines of the log:", *(f"  {line}" for line in lines)] if lines and not is_shown else []
    raised = first_raised(folder.log)
    if raised and not any(raised[1] in line for line in lines):
        yield f"First traceback in the log, line {raised[0]}: {raised[1]}"
    yield f"{folder.path} failed. {reason}"
