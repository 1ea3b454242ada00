"""Places: where a job runs, on this machine or on several by what a cluster has already."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .folders import LOG, OUTPUT, SCRIPT
from .jobs import Job
from .machine import matters
from .recipes import ROOM

_PORT = 29500


@dataclass(frozen=True)
class Start:
    """What the runner executes, and in which environment."""

    command: list[str]
    environment: Mapping[str, str]


class Place(Protocol):
    """Where a job runs."""

    def adapted(self, job: Job) -> Job:
        """The job as this place runs it. Raises click.UsageError where it cannot run here."""

    def start(self, job: Job, folder: Path) -> Start:
        """Prepare `folder`, an unfinished run folder, and say what is to be executed."""

    def script(self, job: Job, folder: Path) -> str:
        """Write what `start` would do as a shell script for `folder`, the run folder, that needs REPO alone."""


class Local:
    """This machine, alone or as one of several on each of which somebody starts the same job."""

    def adapted(self, job: Job) -> Job:
        """The same job."""
        if job.nodes > 1 and (job.tasks == "card" or not job.variables.get("MASTER")):
            by_hand = ", or --master and --node-rank on each" if job.tasks == "node" else ""
            message = f"{job.recipe.name} runs on {job.nodes} nodes with --on slurm or --on mpirun{by_hand}."
            raise click.UsageError(message)
        return job

    def start(self, job: Job, folder: Path) -> Start:
        """Start the launcher itself."""
        return Start(["bash", str(job.recipe.path)], job.environment)

    def script(self, job: Job, folder: Path) -> str:
        """The native command, and its log."""
        values = {name: job.variables[name] for name in ("MASTER", "NODE_RANK") if job.nodes > 1}
        exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())
        return f"{exports}({job.command}) 2>&1 | tee {_quoted(folder / LOG)}\n"


@dataclass(frozen=True)
class Slurm:
    """A cluster that Slurm manages. `edited`: a job script to be submitted in place of the rendered one."""

    edited: str | None = None

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks Slurm starts."""
        return _started_from_outside(job, "sbatch")

    def start(self, job: Job, folder: Path) -> Start:
        """Write the job script, submit it, and follow what the job prints."""
        (folder / SCRIPT).write_text(self.edited or _rendered("slurm", job), encoding="utf-8")
        command = ["bash", str(ROOM / "slurm.bash"), str(folder / SCRIPT), str(folder / OUTPUT)]
        return Start(command, _of_nodes(job, folder))

    def script(self, job: Job, folder: Path) -> str:
        """The job script, submitted."""
        text = self.edited or _rendered("slurm", job)
        return f"sbatch --wait --output={_quoted(folder / LOG)} <<'JOB'\n{text}JOB\n"


@dataclass(frozen=True)
class MpiRun:
    """Machines that mpirun of Open MPI reaches; `hosts` as for its option -H."""

    hosts: str

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks mpirun starts."""
        return _started_from_outside(job, "mpirun")

    def start(self, job: Job, folder: Path) -> Start:
        """Write the file that mpirun starts everywhere, and start mpirun."""
        (folder / SCRIPT).write_text(_rendered("mpirun", job), encoding="utf-8")
        environment = {**_of_nodes(job, folder), "MASTER": self._master()}
        return Start(self._command(job, folder / SCRIPT, environment), environment)

    def script(self, job: Job, folder: Path) -> str:
        """The file that mpirun starts, and mpirun."""
        write = f"cat > {_quoted(folder / SCRIPT)} <<'JOB'\n{_rendered('mpirun', job)}JOB\n"
        command = shlex.join(self._command(job, folder / SCRIPT, {"REPO": "", "MASTER": ""}))
        return f"{write}MASTER={shlex.quote(self._master())} {command} 2>&1 | tee {_quoted(folder / LOG)}\n"

    def _master(self) -> str:
        return f"{self.hosts.partition(',')[0].partition(':')[0]}:{_PORT}"

    def _command(self, job: Job, script: Path, environment: Mapping[str, str]) -> list[str]:
        tasks = ["-np", str(job.cards)] if job.tasks == "card" else ["-np", str(job.nodes), "--map-by", "node"]
        exported = [word for name in sorted(environment.keys() & _carried(environment)) for word in ("-x", name)]
        # With tags, because every node may print its own throughput. Without a binding, because a launcher that has one
        # task a node needs all its cores.
        how = ["--tag-output", "--bind-to", "none"]
        return ["mpirun", "-H", self.hosts, *tasks, *how, *exported, "bash", str(script)]


def chosen(on: str | None, hosts: str | None, script: Path | None) -> Place:
    """Return the place that the options of a launch name; raises click.UsageError where they contradict each other."""
    if (on == "mpirun") != bool(hosts):
        raise click.UsageError("--on mpirun and -H go together, such as --on mpirun -H a:8,b:8.")
    if script and on != "slurm":
        raise click.UsageError("--script is a job script for --on slurm.")
    if on == "slurm":
        return Slurm(script.read_text(encoding="utf-8") if script else None)
    return MpiRun(str(hosts)) if on else Local()


def _started_from_outside(job: Job, program: str) -> Job:
    if shutil.which(program) is None:
        raise click.UsageError(f"{program} is not on PATH; without it the job can run on this machine only.")
    return replace(job, options={**job.options, "TASKS": "card"}) if job.tasks == "card" else job


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
        device=job.device,
        command=job.command,
    )


def _of_nodes(job: Job, folder: Path) -> dict[str, str]:
    """The environment of a job on several nodes; they observe themselves where this command can be started there."""
    program = Path(sys.executable).with_name("tachograph")
    observer = {"TACHOGRAPH": str(program)} if program.is_file() else {}
    return {**observer, **job.environment, "RUN": str(folder)}


def _carried(environment: Mapping[str, str]) -> set[str]:
    """The names of the variables that mpirun has to carry to other machines."""
    own = {"REPO", "MASTER", "RUN", "TACHOGRAPH", "PATH", "PYTHONPATH", "PYTHONUNBUFFERED", "LD_LIBRARY_PATH"}
    return own | matters(environment).keys()


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
