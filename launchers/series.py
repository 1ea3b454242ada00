"""A series: several runs, one after the other, of which those that are done are not repeated."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from . import checkout, gpus
from .folders import RunFolder
from .jobs import Job
from .places import Local, Place
from .redaction import redact_text, secret_values
from .runner import Runner


@dataclass(frozen=True)
class Planned:
    """One run that is wanted: a job, and the folder that it fills."""

    job: Job
    folder: RunFolder


@dataclass
class Series:
    """Executes runs in order. After one that failed, the further runs of the same case are left out."""

    runner: Runner
    planned: Sequence[Planned]
    failed: list[Path] = field(default_factory=list)

    def script(self) -> Iterator[str]:
        """Write what is not done yet as a shell script that needs nothing of this project, a part a run."""
        yield "#!/usr/bin/env bash\nset -uo pipefail\nexport PYTHONUNBUFFERED=1\n"
        for run in self.planned:
            if run.folder.status() != "done":
                yield _part(self.runner.place, run.job, run.folder.path.resolve())

    def execute(self) -> None:
        """Execute what is not done yet.

        Raises click.ClickException at the end when runs failed, and click.Abort when one was interrupted.
        """
        if not self.planned:
            click.echo("There is nothing to run.", err=True)
            return
        for notice in notices(self.runner.place, self.planned):
            click.echo(notice, err=True)
        for number, run in enumerate(self.planned, 1):
            case, repeat = run.folder.path.parent, run.folder.path.name
            if case not in {path.parent for path in self.failed}:
                self._execute(run, f"{case.name} repeat {repeat}, run {number} of {len(self.planned)}")
        if self.failed:
            names = ", ".join(map(str, self.failed))
            count = f"{len(self.failed)} of {len(self.planned)} runs"
            raise click.ClickException(f"{count} failed: {names}; the same command runs them again.")

    def _execute(self, run: Planned, title: str) -> None:
        if _is_done(run):
            return
        with run.folder.claimed():
            if _is_done(run):  # by the runner that held it until now
                return
            facts = self._run(run, title)
        if facts["status"] == "interrupted":
            click.echo(f"{run.folder.path} is kept as interrupted; the same command runs it again.", err=True)
            raise click.Abort
        if facts["status"] == "failed":
            self.failed.append(run.folder.path)
            click.echo(_why(run.folder, facts["reason"], facts["last_lines"]), err=True)

    def _run(self, run: Planned, title: str) -> dict[str, Any]:
        try:
            return self.runner.run(run.job, run.folder, title)
        except OSError as error:
            kept = f"what was printed until then is in {run.folder.unfinished}"
            raise click.ClickException(f"{run.folder.path} could not be written: {error.strerror}; {kept}.") from error


def _is_done(run: Planned) -> bool:
    if run.folder.status() != "done":
        return False
    if differing := list(_differences(run.job, run.folder.facts())):
        message = f"{run.folder.path} holds another run, {', '.join(differing)}"
        raise click.ClickException(f"{message}; another folder can be given by --into.")
    click.echo(f"{run.folder.path} is done already.", err=True)
    return True


def _differences(job: Job, facts: Mapping[str, Any]) -> Iterator[str]:
    """What a run that is there says otherwise than a job."""
    wanted = {"recipe": job.recipe.name, **job.settings}
    found = {"recipe": facts.get("recipe"), **facts.get("variables", {})}
    for name, value in wanted.items():
        if found.get(name) not in {value, redact_text(value, secret_values(os.environ))[0]}:
            yield f"{name}={found.get(name)} and not {value}"


def notices(place: Place, planned: Iterable[Planned]) -> Iterator[str]:
    """Say in a sentence each what somebody should know before the runs begin."""
    for repo, recipe in {run.job.repo: run.job.recipe for run in planned}.items():
        yield from checkout.remarks(checkout.describe(repo), recipe.facts)
    if isinstance(place, Local):
        with gpus.cards() as cards:
            if not cards:
                yield "No NVIDIA GPU answers on this machine, so there is no telemetry."


def _why(folder: RunFolder, reason: str, lines: Iterable[str]) -> str:
    shown = "".join(f"\n  {line}" for line in lines)
    return f"{folder.path} failed. {reason} The last lines of its log:{shown}"


def _part(place: Place, job: Job, folder: Path) -> str:
    repo = shlex.quote(str(job.repo.resolve()))
    head = f"\n# {folder.parent.name}, repeat {folder.name}\nexport REPO={repo}\nmkdir -p {shlex.quote(str(folder))}\n"
    return head + place.script(job, folder)
