"""Slurm as a place where jobs run."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, NamedTuple

import click

from parsers.io.input_file import text_of
from parsers.io.printable import printable, say, shell_quoted
from parsers.runs.run_folder import LOG, SCRIPT, RunJson, Scheduler

from ..jobs.job import Job
from ..recipes.recipe import ROOM
from ..runs.folders import BEGUN, ENDED, OUTPUT, SUBMITTED
from . import queue
from .containers import Container
from .job_script import here_document, rendered
from .place import SHELL_HEADING, Start, of_nodes, shell_part, started_from_outside
from .site_file import NO_SITE, Site


@dataclass(frozen=True)
class Slurm:
    """A cluster that Slurm manages."""

    site: Site = NO_SITE
    edited: str | None = None
    container: Container | None = None
    heading: ClassVar[str] = SHELL_HEADING

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks Slurm starts."""
        adapted = started_from_outside(job, "sbatch")
        return self.container.of_tasks(adapted) if self.container else adapted

    def start(self, job: Job, folder: Path) -> Start:
        """Write the job script, submit it, and follow what the job prints."""
        (folder / SCRIPT).write_text(self._text(job), encoding="utf-8")
        submission = ["--wait", *self._options(folder / OUTPUT), str(folder / SCRIPT)]
        command = ["bash", str(ROOM / "slurm.bash"), str(folder / OUTPUT), *submission]
        return Start(command, of_nodes(job, folder))

    def submit(self, job: Job, folder: Path, *, after: str | None, redacts: bool) -> str:
        """Write the job script into `folder`, submit it so that nobody needs to wait for it, and return its number.

        `after`: the number of a job that must have ended before. `redacts`: whether the job takes secrets out of what
        it keeps. Raises click.ClickException where Slurm refuses it.
        """
        (folder / SCRIPT).write_text(self._text(job, detached=True, redacts=redacts), encoding="utf-8")
        waits = [f"--dependency=afterany:{after}"] if after else []
        command = ["sbatch", "--parsable", *waits, *self._options(folder / OUTPUT), str(folder / SCRIPT)]
        environment = of_nodes(job, folder)
        answer = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise click.ClickException(printable(f"Slurm refused the job: {answer.stderr.strip()}."))
        (folder / SUBMITTED).write_text(answer.stdout, encoding="utf-8")
        return queue.number(folder)

    def script(self, job: Job, folder: Path) -> str:
        """The job script, submitted."""
        words = ["sbatch", "--wait", *self._options(folder / LOG)]
        return shell_part(job, folder, f"{' '.join(map(shell_quoted, words))} {here_document(self._text(job))}")

    def ran(self, folder: Path) -> float:
        """What the queue says; without an answer the job has long begun."""
        return queue.ran(queue.number(folder))

    def finish(self, folder: Path) -> None:
        """Cancel a job that may go on, and remove what it printed, because that is not redacted."""
        number = queue.number(folder)
        if number and not queue.cancelled(number):
            say(f"Slurm job {number} may still be running; cancel it with `scancel {number}`.", err=True)
        for path in (folder / OUTPUT, folder / SUBMITTED):
            path.unlink(missing_ok=True)

    def described(self, folder: Path) -> RunJson:
        """The number of the job, its partition and its nodes; nothing where a job script of the user did not say so."""
        begin = begin_of(folder)
        for name in (BEGUN, ENDED):
            (folder / name).unlink(missing_ok=True)
        if begin is None:
            return {}
        told: Scheduler = {"name": "slurm", "job": begin.job, "partition": begin.partition, "nodes": begin.nodes}
        return {"scheduler": told}

    def _text(self, job: Job, **how: bool) -> str:
        if self.edited:
            return self.edited
        values: dict[str, object] = {"detached": False, "redacts": True, "begun": BEGUN, "ended": ENDED, **how}
        if self.container:  # where the nodes of Paddle's launcher meet is then found inside
            values |= {"command": self.container.command(job), "meets_by_address": False}
        values["container"] = self.container.srun_options(job) if self.container else ""
        values["finds_processes"] = not (self.container and self.container.is_of_a_service)
        own = Path(self.site.slurm.template) if self.site.slurm.template else None
        return rendered("slurm", job, self.site, own, **values)

    def _options(self, output: Path) -> list[str]:
        # A job that is requeued would be two executions in one log. A site may have another default for what a job gets
        # of the environment. In the name of the output, sbatch reads %j and others as patterns unless they are escaped.
        escaped = re.sub(r"([\\%])", r"\\\1", str(output))
        # Here and not in the script, which is published with the run: who pays is nobody's business.
        account = [f"--account={self.site.slurm.account}"] if self.site.slurm.account else []
        return ["--no-requeue", "--export=ALL", *account, f"--output={escaped}"]


class JobBegin(NamedTuple):
    """What a job script said at its begin."""

    job: str
    partition: str
    nodes: str
    time: str


class JobEnd(NamedTuple):
    """What a job script said at its end."""

    exit_status: int
    time: str


def begin_of(folder: Path) -> JobBegin | None:
    """What the job of a run folder said at its begin; None for a script of the user that says nothing."""
    told = _lines(folder / BEGUN)
    return JobBegin(*told) if len(told) == len(JobBegin._fields) and _is_time(told[3]) else None


def end_of(folder: Path) -> JobEnd | None:
    """What the job of a run folder said at its end; None where it was killed, or its script says nothing."""
    told = _lines(folder / ENDED)
    is_whole = len(told) == len(JobEnd._fields) and told[0].isdecimal() and _is_time(told[1])
    return JobEnd(int(told[0]), told[1]) if is_whole else None


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _lines(file: Path) -> list[str]:
    try:
        return text_of(file, errors="replace").splitlines()
    except OSError:
        return []
