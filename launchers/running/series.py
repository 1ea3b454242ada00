"""A series: several runs, one after the other, of which those that are done are not repeated."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ..io.output import one_line, say
from ..io.shell_quoting import quoted, readable
from ..machine import gpus
from ..native import checkout
from ..secrets.published_run import variables
from .folders import DONE, FAILED, RunFolder, claimed
from .jobs import Job
from .places import Local, Place
from .runner import Runner

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


_HEAD = """#!/usr/bin/env bash
# Logs are written to the folders of a launch, but without a run.json, so a launch does not touch them.
set -uo pipefail
export PYTHONUNBUFFERED=1
"""
_INTERRUPTED = 130  # as a shell says it


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

    def script(self) -> Iterator[str]:
        """Write what is not done yet as a shell script that needs nothing of this project, a part a run."""
        for remark in _of_checkouts(self.planned):
            say(remark, err=True)
        yield _HEAD
        for run in self.planned:
            if not _is_done(run):
                yield readable(_part(self.runner.place, run.job, run.folder.path.resolve()))

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
        suites = ", ".join(dict.fromkeys(str(run.folder.path.parent.parent) for run in self.planned))
        say(f"All runs are done ({len(self.planned)}), see {suites}.", err=True)

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
        if _is_done(run):
            return
        with claimed(run.folder, signals):
            if _is_done(run):  # by the runner that held it until now
                return
            if run.folder.unfinished.exists():
                self.runner.place.finish(run.folder.unfinished)
            for kept in run.folder.put_aside():
                say(f"Rerunning {run.folder.path}; the previous attempt is kept as {kept.name}.", err=True)
            facts = self.runner.run(run.job, run.folder, title, signals)
        self.runner.screen.finish(signals)
        if facts["status"] == FAILED:
            self.failed.append(run.folder.path)
            for line in _why(run.folder, facts["reason"], facts["last_lines"]):
                say(line, err=True)
        if signals:
            say(f"{run.folder.path} is marked as {facts['status']}; run the same command again to continue.", err=True)
            raise click.exceptions.Exit(_INTERRUPTED)


def _unwritten(folder: RunFolder, error: OSError) -> str:
    kept = f"; the output so far is in {folder.unfinished}" if folder.unfinished.exists() else ""
    return f"{folder.path} could not be written: {error.strerror}{kept}."


def _is_done(run: PlannedRun) -> bool:
    if run.folder.status() != DONE:
        return False
    if not run.folder.is_intact():
        message = f"{run.folder.log} is not the log that its run.json describes"
        raise click.ClickException(f"{message}; move the folder away to rerun the case.")
    if differing := list(_differences(run.job, run.folder.facts())):
        message = f"{run.folder.path} contains a different run ({', '.join(differing)})"
        raise click.ClickException(f"{message}; choose another folder with --into.")
    say(f"{run.folder.path} is already done.", err=True)
    return True


def _differences(job: Job, facts: Mapping[str, Any]) -> Iterator[str]:
    """What a run that is there says otherwise than a job."""
    found = {"recipe": facts.get("recipe"), **facts.get("variables", {})}
    hidden = variables(job.settings)
    for name, value in {"recipe": job.recipe.name, **job.settings}.items():
        if found.get(name) not in {value, hidden.get(name)}:
            yield f"{name}={found.get(name)}, not {value}"


def notices(place: Place, planned: Iterable[PlannedRun]) -> Iterator[str]:
    """Say in a sentence each what somebody should know before the runs begin."""
    yield from _of_checkouts(planned)
    if isinstance(place, Local):
        with gpus.cards() as cards:
            if not cards:
                yield "No NVIDIA GPU responds on this machine, so telemetry is not recorded."


def _of_checkouts(planned: Iterable[PlannedRun]) -> Iterator[str]:
    meant = {(run.job.repo, run.job.recipe.facts["repository"]): run.job.recipe for run in planned}
    for (repo, _), recipe in meant.items():
        yield from map(str, checkout.remarks(checkout.describe(repo), recipe.facts))


def _why(folder: RunFolder, reason: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [f"  {line}" for line in lines]
    yield from ["Last lines of the log:", *shown] if shown else []
    yield f"{folder.path} failed. {reason}"


def _part(place: Place, job: Job, folder: Path) -> str:
    repo = quoted(job.repo.resolve())
    title = f"{one_line(folder.parent.name)}, repeat {folder.name}"
    head = f"\n# {title}\nexport REPO={repo}\nmkdir -p {quoted(folder)}\n"
    return head + place.script(job, folder)
