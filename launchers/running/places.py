"""Places: where a job runs, on this machine or on several by what a cluster has already."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Protocol

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..io.output import say
from ..io.regular_file import text_of
from ..io.shell_quoting import here_document, quoted
from ..machine.machine_facts import matters
from ..native.recipes import ROOM
from . import hosts as machines
from . import queue
from .folders import LOG, OUTPUT, SCRIPT, SUBMITTED
from .jobs import CannotRunHere, Job

# mpirun gives other machines no variable by itself. These belong to libraries that train, whether or not one is kept in
# run.json (machine.matters); without them the nodes of a job would differ.
_PREFIXES = (
    *("CUDA_", "CUDNN_", "FLAGS_", "GLOO_", "HF_", "HOROVOD_", "MKL_", "MXNET_", "NCCL_", "NVIDIA_", "OMP_", "PADDLE_"),
    *("PYTORCH_", "TF_", "TORCH_", "UCX_"),
)
_OURS = {"REPO", "MASTER", "RUN", "TACHOGRAPH", "PATH", "PYTHONPATH", "PYTHONUNBUFFERED", "LD_LIBRARY_PATH"}


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

    def adapted(self, job: Job) -> Job:
        """The job as this place runs it. Raises click.UsageError where it cannot run here."""

    def start(self, job: Job, folder: Path) -> Start:
        """Prepare `folder`, an unfinished run folder, and say what is to be executed."""

    def script(self, job: Job, folder: Path) -> str:
        """Write what `start` would do as a shell script for `folder`, the run folder, that needs REPO alone."""

    def ran(self, folder: Path) -> float:
        """For how many seconds the job of `folder` has run at most; 0 where it waits in a queue."""

    def finish(self, folder: Path) -> None:
        """End what goes on after the execution in `folder`, and remove what is not to be kept of it."""


class Local:
    """This machine, alone or as one of several on each of which somebody starts the same job."""

    edited: ClassVar[str | None] = None

    def adapted(self, job: Job) -> Job:
        """The same job."""
        if job.nodes > 1 and (job.tasks == "card" or not job.variables.get("MASTER")):
            by_hand = ", or --master and --node-rank on each node" if job.tasks == "node" else ""
            message = f"{job.recipe.name} on {job.nodes} nodes requires --on slurm or --on mpirun{by_hand}."
            raise CannotRunHere(message)
        return job

    def start(self, job: Job, folder: Path) -> Start:
        """Start the launcher itself."""
        return Start(["bash", str(job.recipe.path)], job.environment)

    def script(self, job: Job, folder: Path) -> str:
        """The native command, and its log."""
        values = {name: job.variables[name] for name in ("MASTER", "NODE_RANK") if job.nodes > 1}
        exports = "".join(f"export {name}={quoted(value)}\n" for name, value in values.items())
        if job.meets_by_address:
            exports += f"{(ROOM / 'meet.bash').read_text(encoding='utf-8')}meet\n"
        return f"{exports}({job.command}) 2>&1 | tee {quoted(folder / LOG)}\n"

    def ran(self, folder: Path) -> float:
        """It began at once."""
        return math.inf

    def finish(self, folder: Path) -> None:
        """Nothing is left."""


@dataclass(frozen=True)
class Slurm:
    """A cluster that Slurm manages."""

    edited: str | None = None

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks Slurm starts."""
        return _started_from_outside(job, "sbatch")

    def start(self, job: Job, folder: Path) -> Start:
        """Write the job script, submit it, and follow what the job prints."""
        (folder / SCRIPT).write_text(self.edited or _rendered("slurm", job), encoding="utf-8")
        submission = [*self._options(folder / OUTPUT), str(folder / SCRIPT)]
        command = ["bash", str(ROOM / "slurm.bash"), str(folder / OUTPUT), *submission]
        return Start(command, _of_nodes(job, folder))

    def script(self, job: Job, folder: Path) -> str:
        """The job script, submitted."""
        text = self.edited or _rendered("slurm", job)
        return f"{' '.join(map(quoted, ['sbatch', *self._options(folder / LOG)]))} {here_document(text)}"

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

    def _options(self, output: Path) -> list[str]:
        # A job that is requeued would be two executions in one log. A site may have another default for what a job gets
        # of the environment. In the name of the output, sbatch reads %j and others as patterns unless they are escaped.
        escaped = re.sub(r"([\\%])", r"\\\1", str(output))
        return ["--wait", "--no-requeue", "--export=ALL", f"--output={escaped}"]


@dataclass(frozen=True)
class MpiRun:
    """Machines that mpirun of Open MPI reaches; `hosts` as for its option -H."""

    edited: ClassVar[str | None] = None

    hosts: str

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks mpirun starts."""
        adapted = _started_from_outside(job, "mpirun")
        self._hosts(adapted)
        return adapted

    def start(self, job: Job, folder: Path) -> Start:
        """Write the file that mpirun starts everywhere, and start mpirun."""
        (folder / SCRIPT).write_text(_rendered("mpirun", job), encoding="utf-8")
        environment = {**_of_nodes(job, folder), "MASTER": self._master(job)}
        return Start(self._command(job, folder / SCRIPT, environment), environment)

    def script(self, job: Job, folder: Path) -> str:
        """The file that mpirun starts, and mpirun."""
        write = f"cat > {quoted(folder / SCRIPT)} {here_document(_rendered('mpirun', job))}"
        words = self._command(job, folder / SCRIPT, {**job.environment, "MASTER": ""})
        return f"{write}MASTER={self._master(job)} {' '.join(map(quoted, words))} 2>&1 | tee {quoted(folder / LOG)}\n"

    def ran(self, folder: Path) -> float:
        """It began at once."""
        return math.inf

    def finish(self, folder: Path) -> None:
        """Nothing is left."""

    def _hosts(self, job: Job) -> list[str]:
        return machines.of_tasks(self.hosts, job.nodes, _tasks_per_node(job))

    def _master(self, job: Job) -> str:
        port = 20000 + os.getpid() % 10000  # another one for each of several launches at the same time
        return f"{self._hosts(job)[0]}:{port}"

    def _command(self, job: Job, script: Path, environment: Mapping[str, str]) -> list[str]:
        hosts = self._hosts(job)
        # A host a task, in the order of the ranks: else mpirun would begin with this machine, wherever it stands in the
        # list, and rank 0 would not be where MASTER says. For that it must not cut names at their first dot.
        placed = ["-H", ",".join(hosts), "-np", str(len(hosts)), "--map-by", "seq"]
        placed += ["--mca", "orte_keep_fqdn_hostnames", "1"]
        exported = [word for name in _carried(environment) for word in ("-x", name)]
        # With tags, because every node may print its own throughput. Without a binding, because a launcher that has one
        # task a node needs all its cores.
        how = ["--tag-output", "--bind-to", "none"]
        return ["mpirun", *placed, *how, *exported, "bash", str(script)]


def chosen(on: str | None, hosts: str | None, script: Path | None) -> Place:
    """Return the place that the options of a launch name; raises click.UsageError where they contradict each other."""
    if (on == "mpirun") != bool(hosts):
        raise click.UsageError("--on mpirun and -H must be used together, such as --on mpirun -H a:8,b:8.")
    if script and on != "slurm":
        raise click.UsageError("--script requires --on slurm.")
    if on == "slurm":
        return Slurm(_edited(script) if script else None)
    return MpiRun(str(hosts)) if on else Local()


def _edited(script: Path) -> str:
    try:
        return text_of(script)
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise click.UsageError(f"{script} cannot be read: {what}.") from error


def _started_from_outside(job: Job, program: str) -> Job:
    if shutil.which(program) is None:
        raise click.UsageError(f"{program} is not on PATH; without it, the job can only run on this machine.")
    return replace(job, options={**job.options, "TASKS": "card"}) if job.tasks == "card" else job


def _tasks_per_node(job: Job) -> int:
    return job.cards // job.nodes if job.tasks == "card" else 1


def _rendered(name: str, job: Job) -> str:
    environment = Environment(
        loader=FileSystemLoader(ROOM),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - a shell script, whose values are names and numbers of a checked job
    )
    return environment.get_template(f"{name}.sh.jinja").render(
        title=job.case_name,
        nodes=job.nodes,
        cards_per_node=job.cards // job.nodes,
        tasks=job.tasks,
        tasks_per_node=_tasks_per_node(job),
        device=job.device,
        command=job.command,
        meets_by_address=job.meets_by_address,
    )


def _of_nodes(job: Job, folder: Path) -> dict[str, str]:
    """The environment of a job on several nodes; they observe themselves where this command can be started there."""
    program = Path(sys.executable).with_name("tachograph")
    observer = {"TACHOGRAPH": str(program)} if program.is_file() else {}
    return {**observer, **job.environment, "RUN": str(folder)}


def _carried(environment: Mapping[str, str]) -> list[str]:
    """The names of the variables that mpirun has to carry to other machines."""
    prefixed = {name for name in environment if name.startswith(_PREFIXES)}
    return sorted(prefixed | _OURS & environment.keys() | matters(environment).keys())
