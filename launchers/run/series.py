"""A series: several runs, executed one after the other, of which those that are done stay."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import click

from parsers.io.input_file import opened
from parsers.io.locks import locked
from parsers.io.printable import say
from parsers.runs.run_folder import DONE, FAILED, SCRIPT, RunJson

from ..job import Job
from ..machine.cards import cards
from ..machine.telemetry import foreign_remark
from .execution import lines
from .folder import RunFolder, claimed
from .runner import Runner, differing, redact_script

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED_EXIT = 130  # as a shell says it
# The last line of a traceback, also behind the rank that some launchers put before each line.
_RAISED = re.compile(rb"(?:\[[\w:]+\]:? ?)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:: .*)?)\s*$", re.ASCII)
_TRACEBACK = b"Traceback (most recent call last):"


@dataclass(frozen=True)
class PlannedRun:
    """One run that is wanted: a job, and the folder that it fills."""

    job: Job
    folder: RunFolder


@dataclass
class Series:
    """Runs in the order in which they are wanted. After one that failed, further ones of its case are left out."""

    runner: Runner
    planned: Sequence[PlannedRun]
    failed: list[Path] = field(default_factory=list)
    submitted: list[Path] = field(default_factory=list)

    def script(self) -> Iterator[str]:
        """Write what is not done yet as a shell script that needs nothing of this project, a part a run."""
        for remark in self._remarks():
            say(remark, err=True)
        yield self.runner.place.heading
        for run in self.planned:
            if not self.is_done(run):
                yield self.runner.place.script(run.job, run.folder.path.resolve())

    def execute(self) -> None:
        """Execute what is not done yet.

        Raises click.ClickException at the end when runs failed, and click.exceptions.Exit when one was interrupted.
        """
        if not self.planned:
            say("Nothing to run.", err=True)
            return
        self.notify()
        left_out = 0
        with collected() as signals:
            for number, run in enumerate(self.planned, 1):
                case = run.folder.path.parent
                if case in {path.parent for path in self.failed}:
                    left_out += 1
                    continue
                title = f"{case.name} repeat {run.folder.path.name}, run {number} of {len(self.planned)}"
                with written(run.folder):
                    self._execute(run, title, signals)
        if self.failed:
            count = f"{len(self.failed)} of {len(self.planned)} runs failed"
            others = f" (skipped after a failure of the same case: {left_out})" if left_out else ""
            retry = "`tachograph doctor` may show why; the same command retries them"
            raise click.ClickException(f"{count}{others}: {', '.join(map(str, self.failed))}. {retry}.")
        if not self.submitted:
            suites = ", ".join(dict.fromkeys(str(run.folder.path.parent.parent) for run in self.planned))
            say(f"All runs are done ({len(self.planned)}), see {suites}.", err=True)

    def _execute(self, run: PlannedRun, title: str, signals: Sequence[int]) -> None:
        if self.is_done(run):
            return
        if self.is_submitted(run):
            say(f"{run.folder.path} is submitted already; collect it with --collect.", err=True)
            self.submitted.append(run.folder.path)
            return
        with claimed(run.folder, signals), _alone(run.job):
            if self.is_done(run):  # by the runner that held it until now
                return
            self.clear(run.folder)
            facts = self.runner.run(run.job, run.folder, title, signals)
        self.runner.screen.finish(signals)
        if "foreign" in facts and (remark := foreign_remark(facts["foreign"])):
            say(f"{run.folder.path}: {remark}", err=True)
        if facts["status"] == FAILED:
            self.failed.append(run.folder.path)
            tell_failure(run.folder, facts, is_shown=self.runner.screen.is_where_messages_are)
        if signals:
            say(f"{run.folder.path} is marked as {facts['status']}; the same command does it again.", err=True)
            raise click.exceptions.Exit(INTERRUPTED_EXIT)

    def clear(self, folder: RunFolder) -> None:
        """Put aside what an earlier run left in a claimed folder, and end its job."""
        if folder.unfinished.exists():
            self.runner.place.finish(folder.unfinished)
            redact_script(folder.unfinished / SCRIPT, "")  # a runner that was killed has not
        for kept in folder.put_aside():
            say(f"Rerunning {folder.path}; the previous attempt is kept as {kept.name}.", err=True)

    def is_done(self, run: PlannedRun) -> bool:
        """Whether a run is done, which is said; raises click.ClickException where its folder holds another one."""
        if run.folder.status() != DONE:
            return False
        if not run.folder.is_intact():
            message = f"{run.folder.log} is not the log that its run.json describes"
            raise click.ClickException(f"{message}; move the folder away to rerun the case.")
        self._refuse_others(run, run.folder.facts())
        say(f"{run.folder.path} is already done.", err=True)
        return True

    def is_submitted(self, run: PlannedRun) -> bool:
        """Whether a run is submitted; raises click.ClickException where that is another one."""
        if not run.folder.is_submitted():
            return False
        self._refuse_others(run, run.folder.submission().facts)
        return True

    def _refuse_others(self, run: PlannedRun, facts: Mapping[str, Any]) -> None:
        if found := differing(run.job, self.runner.place, facts):
            message = f"{run.folder.path} contains a different run ({', '.join(found)})"
            raise click.ClickException(f"{message}; choose another folder with --into.")

    def notify(self) -> None:
        """Say in a sentence each what somebody should know before the runs begin."""
        for remark in self._remarks():
            say(remark, err=True)
        if self.runner.place.is_here and any(run.job.device != "cpu" for run in self.planned):
            with cards() as found:
                if found is None:
                    say("No GPU responds on this machine, so GPU telemetry is not recorded.", err=True)

    def _remarks(self) -> Iterable[str]:
        jobs = {(run.job.repo, run.job.name): run.job for run in self.planned}
        return dict.fromkeys(chain.from_iterable(job.remarks() for job in jobs.values()))


ALONE = "{name} writes into its checkout, so two of its runs would mix their files; {advice}."


@contextmanager
def _alone(job: Job) -> Iterator[None]:
    """Hold the checkout of a recipe that writes into it; raises click.ClickException where another run holds it."""
    if not (job.recipe and job.recipe.is_alone):
        yield
        return
    held = os.open(job.repo, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not locked(job.repo, held):
            raise click.ClickException(
                ALONE.format(name=job.name, advice=f"wait until the run in {job.repo} has ended")
            )
        yield
    finally:
        os.close(held)


@contextmanager
def written(folder: RunFolder) -> Iterator[None]:
    """Say in a sentence what of a run folder could not be written; raises click.ClickException."""
    try:
        yield
    except OSError as error:
        kept = f"; the output so far is in {folder.unfinished}" if folder.unfinished.exists() else ""
        raise click.ClickException(f"{folder.path} could not be written: {error.strerror}{kept}.") from error


@contextmanager
def collected() -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP instead of obeying them; yields the numbers received so far."""
    received: list[int] = []
    earlier = {number: signal.signal(number, lambda got, _: received.append(got)) for number in _ASKING}
    try:
        yield received
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def tell_failure(folder: RunFolder, facts: RunJson, *, is_shown: bool = False) -> None:
    """Say why a run failed, the last lines of its log first, unless the screen has just shown these.

    Launchers of several processes end a log with what they say of these; its first traceback is what went wrong.
    """
    last = facts["last_lines"]
    if last and not is_shown:
        for line in ["Last lines of the log:", *(f"  {line}" for line in last)]:
            say(line, err=True)
    raised = _first_raised(folder.log)
    if raised and not any(raised[1] in line for line in last):
        say(f"First traceback in the log, line {raised[0]}: {raised[1]}", err=True)
    if folder.work.is_dir() and any(folder.work.iterdir()):
        say(f"What the program wrote is kept in {folder.work} until the next attempt.", err=True)
    say(f"{folder.path} failed. {facts['reason']}", err=True)


def _first_raised(log: Path) -> tuple[int, str] | None:
    """What the first traceback of a log says, with the number of its line; None where there is no traceback."""
    is_traceback, number = False, 1
    with opened(log) as file:
        for line in lines(file):
            is_traceback |= _TRACEBACK in line
            if is_traceback and (raised := _RAISED.match(line)):
                return number, raised[1].decode("utf-8", "replace")
            number += line.endswith(b"\n")
    return None
