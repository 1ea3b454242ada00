"""Places: where a job runs, on this machine or on several by what a cluster has already."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Protocol

import click

from parsers.io.printable import printable, shell_quoted, shell_script
from parsers.runs.run_folder import LOG, RunJson

from ..jobs.job import CannotRunHere, Job
from ..machine.telemetry import Members, below, within
from ..native.recipes import ROOM
from .containers import Container

SHELL_HEADING = """#!/usr/bin/env bash
# Logs are written to the folders of a launch, but without a run.json, so a launch does not touch them.
set -uo pipefail
export PYTHONUNBUFFERED=1
"""


@dataclass(frozen=True)
class Start:
    """What the runner executes, and in which environment."""

    command: list[str]
    environment: Mapping[str, str]


class Place(Protocol):
    """Where a job runs."""

    @property
    def edited(self) -> str | None:
        """A job script of the user that is run in place of the native command of the job; None for none."""

    @property
    def container(self) -> Container | None:
        """The container in which jobs run; None for none."""

    @property
    def heading(self) -> str:
        """What the scripts of several jobs begin with."""

    def adapted(self, job: Job) -> Job:
        """The job as this place runs it. Raises click.UsageError where it cannot run here."""

    def start(self, job: Job, folder: Path) -> Start:
        """Prepare `folder`, an unfinished run folder, and say what is to be executed."""

    def script(self, job: Job, folder: Path) -> str:
        """Write what `start` would do for `folder`, the run folder, as a part of a script after the `heading`."""

    def ran(self, folder: Path) -> float:
        """For how many seconds the job of `folder` has run at most; 0 where it waits in a queue."""

    def finish(self, folder: Path) -> None:
        """End what goes on after the execution in `folder`, and remove what is not to be kept of it."""

    def described(self, folder: Path) -> RunJson:
        """What run.json says of where the job of `folder` ran, after its end; removes what the job left for that."""


@dataclass(frozen=True)
class Local:
    """This machine, alone or as one of several on each of which somebody starts the same job."""

    container: Container | None = None
    edited: ClassVar[str | None] = None
    heading: ClassVar[str] = SHELL_HEADING

    def adapted(self, job: Job) -> Job:
        """The same job."""
        if job.needs_starter:
            by_hand = ", or --master and --node-rank on each node" if job.tasks == "node" else ""
            message = f"{job.name} on {job.nodes} nodes requires --on slurm or --on mpirun{by_hand}."
            raise CannotRunHere(message)
        return job

    def start(self, job: Job, folder: Path) -> Start:
        """Start the launcher itself, or its native command in a container."""
        if self.container is None:
            return Start([*job.start], job.environment)
        inside = ["bash", "-c", self.container.inner(job)]
        return Start(self.container.words(job, *inside, name=_container_name(folder)), job.environment)

    def members(self, folder: Path) -> Members:
        """The processes of the run that fills `folder`; those of a container may descend from a service."""
        if self.container and self.container.is_of_a_service:
            return within(partial(self.container.first_process, _container_name(folder)))
        return below(os.getpid())

    def script(self, job: Job, folder: Path) -> str:
        """The native command, and its log."""
        exports = "".join(f"export {name}={shell_quoted(value)}\n" for name, value in job.exported.items())
        command = self.container.command(job) if self.container else job.command
        if job.meets_by_address and not self.container:
            exports += f"{(ROOM / 'meet.bash').read_text(encoding='utf-8')}meet\n"
        return shell_part(job, folder, f"{exports}({command}) 2>&1 | tee {shell_quoted(folder / LOG)}\n")

    def ran(self, folder: Path) -> float:
        """It began at once."""
        return math.inf

    def finish(self, folder: Path) -> None:
        """End a container that may go on, because whoever started it was killed."""
        if self.container:
            self.container.remove(_container_name(folder))

    def described(self, folder: Path) -> RunJson:
        """Nothing but its environment."""
        return {}


def _container_name(folder: Path) -> str:
    """What the container of a run is called: the same for every runner that fills its folder."""
    return f"tachograph-{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]}"


def shell_part(job: Job, folder: Path, text: str) -> str:
    """Return the part of a shell script that runs a job for `folder`, around `text`, which needs REPO alone."""
    title = f"{printable(folder.parent.name)}, repeat {folder.name}"
    repo, run = shell_quoted(job.repo.resolve()), shell_quoted(folder)
    return shell_script(f"\n# {title}\nexport REPO={repo}\nmkdir -p {run}\n{text}")


def started_from_outside(job: Job, program: str) -> Job:
    """The job whose tasks a program starts; raises click.UsageError where that is not on PATH."""
    if shutil.which(program) is None:
        raise click.UsageError(f"{program} is not on PATH; without it, the job can only run on this machine.")
    return job.by_card() if job.tasks == "card" else job


def of_nodes(job: Job, folder: Path) -> dict[str, str]:
    """The environment of a job on several nodes; they observe themselves where this command can be started there."""
    program = Path(sys.executable).with_name("tachograph")
    observer = {"TACHOGRAPH": str(program)} if program.is_file() else {}
    return {**observer, **job.environment, "RUN": str(folder)}
