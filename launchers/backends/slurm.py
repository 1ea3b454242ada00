"""Slurm as a place where jobs run: the job script, its submission, and what the queue says of it.

Slurm's own JSON is not read: versions differ in it, and many are built without.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from parsers.io.printable import printable, say, shell_quoted
from parsers.runs.run_folder import LOG, SCRIPT, RunJson

from ..job import CannotRunHere, Job
from .containers import Container
from .place import Place, rendered
from .site_file import NO_SITE, Site

_NO_ANSWER = "unknown, as Slurm does not answer"
# As squeue spells the states in which a job has ended. There are many others, and each version adds some.
_OVER = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED"}
_OVER |= {"REVOKED", "TIMEOUT"}


@dataclass
class Slurm(Place):
    """A cluster that Slurm manages."""

    site: Site = NO_SITE
    container: Container | None = None
    starts_tasks: bool = True

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks Slurm starts; raises click.UsageError where the allocation has too few nodes for it."""
        held = os.environ.get("SLURM_JOB_NUM_NODES", "0")
        if allocation() and held.isdecimal() and int(held) < job.nodes:
            message = f"The Slurm allocation {allocation()} has {held} of {job.nodes} nodes"
            raise click.UsageError(f"{message}; ask for more nodes, or start outside of it.")
        if job.tasks == "card" and self.container:
            message = f"{job.name} wants a task for each GPU, and containers would not connect them"
            raise CannotRunHere(f"{message}; omit --container.")
        return job

    def job_script(self, job: Job) -> str:
        """The job script, with its directives."""
        contained = {"command": self.container.command(job)} if self.container else {}
        is_of_a_service = self.container is not None and self.container.is_of_a_service
        return rendered("slurm.sh.jinja", job, self.site, is_of_a_service=is_of_a_service, **contained)

    def command(self, job: Job, folder: Path, environment: Mapping[str, str]) -> list[str]:
        """Run the job script in the allocation that this process is in."""
        return ["bash", str(folder / SCRIPT)]

    def line(self, job: Job, folder: Path) -> str:
        """Outside of an allocation, the job script is submitted."""
        words = ["sbatch", "--wait", *self._options(folder / LOG), str(folder / SCRIPT)]
        return super().line(job, folder) if allocation() else " ".join(map(shell_quoted, words))

    def submit(self, job: Job, command: Sequence[str], output: Path, *, after: str | None) -> str:
        """Submit a command that executes a job within an allocation of its own, and return the number of that.

        `output`: the file for what it says. `after`: the number of a job that must have ended before. Raises
        click.ClickException where Slurm refuses it.
        """
        directives = [line for line in self.job_script(job).splitlines() if line.startswith("#SBATCH")]
        line = f"exec {' '.join(map(shell_quoted, command))} > /dev/null\n"
        waits = [f"--dependency=afterany:{after}"] if after else []
        answer = subprocess.run(
            ["sbatch", "--parsable", *waits, *self._options(output)],
            input="\n".join(["#!/usr/bin/env bash", *directives, line]),
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise click.ClickException(printable(f"Slurm refused the job: {answer.stderr.strip()}."))
        return answer.stdout.partition(";")[0].strip()

    def described(self) -> RunJson:
        """The number of the allocation, its partition and its nodes."""
        partition, nodes = (os.environ.get(f"SLURM_JOB_{name}", "") for name in ("PARTITION", "NODELIST"))
        return {"scheduler": {"name": "slurm", "job": allocation(), "partition": partition, "nodes": nodes}}

    def _options(self, output: Path) -> list[str]:
        # A job that is requeued would be two executions in one log. A site may have another default for what a job gets
        # of the environment. In the name of the output, sbatch reads %j and others as patterns unless they are escaped.
        escaped = re.sub(r"([\\%])", r"\\\1", str(output))
        # Here and not in the script, which is published with the run: who pays is nobody's business.
        account = [f"--account={self.site.slurm.account}"] if self.site.slurm.account else []
        return ["--no-requeue", "--export=ALL", *account, f"--output={escaped}"]


def allocation() -> str:
    """The number of the Slurm allocation that this process is in; nothing outside of one."""
    return os.environ.get("SLURM_JOB_ID", "")


def state(job: str) -> tuple[bool, str]:
    """Whether a job waits or runs, and what the queue says of it: state, time, and its nodes or why it waits."""
    command = ["squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T %M %R"]
    try:
        queued = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # no such program here
        return True, _NO_ANSWER
    if said := queued.stdout.partition("\n")[0]:
        return said.partition(" ")[0] not in _OVER, said.removesuffix(" (None)")
    is_forgotten = queued.returncode == 0 or "Invalid job id" in queued.stderr
    return not is_forgotten, "forgotten by Slurm" if is_forgotten else _NO_ANSWER


def cancel(job: str) -> None:
    """Cancel a job that may go on, and say where that could not be asked for."""
    # In a session of its own, so that nobody's impatience at the keyboard ends it.
    if subprocess.run(["scancel", job], start_new_session=True, capture_output=True, check=False).returncode:
        say(f"Slurm job {job} may still be running; cancel it with `scancel {job}`.", err=True)
