"""A place where a job runs: this machine, those that mpirun reaches, manifests for Kubernetes; what places share."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.io.printable import printable, shell_quoted
from parsers.runs.run_folder import LOG, SCRIPT, RunJson

from ..job import CannotRunHere, Job
from ..machine.telemetry import Members, below
from .containers import Container, carried, with_meeting

if TYPE_CHECKING:
    from .site_file import Site

# What mpirun hands on beside the variables that decide how a job trains.
_EXPORTED = {"REPO", "RUN", "TACHOGRAPH", "PATH", "PYTHONPATH", "PYTHONUNBUFFERED", "LD_LIBRARY_PATH"}
_HOST = re.compile(r"(?P<name>[\w.-]+)(:(?P<slots>[1-9]\d*))?", re.ASCII)
_LONGEST_NAME = 52  # of the 63 that Kubernetes has, because a number is added for each pod
_ONLY_WRITES = "--on kubernetes only writes manifests: add --dry-run, and give its output to `kubectl apply -f -`."
_SHELL_HEADING = """#!/usr/bin/env bash
# Logs are written to the folders of a launch, but without a run.json, so a launch does not touch them.
set -uo pipefail
export PYTHONUNBUFFERED=1
"""


class Place:
    """Where a job runs.

    `container`: the one in which jobs run. `heading`: what the scripts of several jobs begin with. `is_here`: whether
    it is this machine. `starts_tasks`: whether it starts the tasks of a job itself, one a node or one a card, by a job
    script. `only_writes`: why it only writes a script; empty where it can start one.
    """

    container: Container | None = None
    heading: str = _SHELL_HEADING
    is_here: bool = False
    starts_tasks: bool = False
    only_writes: str = ""

    def adapted(self, job: Job) -> Job:
        """Return the job as this place runs it. Raises click.UsageError where it cannot run here."""
        raise NotImplementedError

    def job_script(self, job: Job) -> str:
        """The text of the job script, which needs REPO and WORK; nothing where a job needs none."""
        return ""

    def command(self, job: Job, folder: Path, environment: Mapping[str, str]) -> list[str]:
        """The arguments that start a job in an environment; its script, if there is one, lies in `folder`."""
        raise NotImplementedError

    def start(self, job: Job, folder: Path) -> tuple[list[str], Mapping[str, str]]:
        """Write the job script into `folder`, an unfinished run folder; returns the command, and its environment.

        The environment of the job has WORK, the work folder of the run.
        """
        environment = job.environment
        if script := self.job_script(job):
            (folder / SCRIPT).write_text(script, encoding="utf-8")
            program = Path(sys.executable).with_name("tachograph")  # by it, nodes observe themselves
            observer = {"TACHOGRAPH": str(program)} if program.is_file() else {}
            environment = {**observer, **environment, "RUN": str(folder)}
        return self.command(job, folder, environment), environment

    def line(self, job: Job, folder: Path) -> str:
        """What a shell reads to do what `command` does, with the log in `folder`."""
        words = self.command(job, folder, job.environment)
        return f"{' '.join(map(shell_quoted, words))} 2>&1 | tee {shell_quoted(folder / LOG)}"

    def script(self, job: Job, folder: Path) -> str:
        """Write what `start` would do for `folder`, the run folder, as a part of a script after the `heading`."""
        repo = f"export REPO={shell_quoted(job.repo.resolve())}"
        if job.recipe and not job.repo.exists():
            repo = f': "${{REPO:?set it to a checkout of {job.recipe.facts["repository"]}}}"'
        run, work = shell_quoted(folder), shell_quoted(folder.with_name(f".{folder.name}.work"))
        lines = [f"\n# {printable(folder.parent.name)}, repeat {folder.name}", repo, f"export WORK={work}"]
        lines.append(f'mkdir -p {run} "$WORK"')
        if script := self.job_script(job):
            end = "JOB"
            while end in script.splitlines():
                end += "_"
            lines.append(f"cat > {shell_quoted(folder / SCRIPT)} <<'{end}'\n{script.rstrip()}\n{end}")
        return "\n".join([*lines, self.line(job, folder), ""])

    def members(self, folder: Path) -> Members | None:
        """The processes of the run that fills `folder`; None where they are not on this machine."""
        return None

    def finish(self, folder: Path) -> None:
        """End what goes on after the execution in `folder`, and remove what is not to be kept of it."""

    def described(self) -> RunJson:
        """What run.json says of where jobs run."""
        return {}


@dataclass
class Local(Place):
    """This machine, alone or as one of several on each of which somebody starts the same job."""

    container: Container | None = None
    is_here: bool = True

    def adapted(self, job: Job) -> Job:
        """The same job."""
        if job.needs_starter:
            by_hand = ", or --master and --node-rank on each node" if job.tasks == "node" else ""
            message = f"{job.name} on {job.nodes} nodes requires --on slurm or --on mpirun{by_hand}."
            raise CannotRunHere(message)
        return job

    def command(self, job: Job, folder: Path, environment: Mapping[str, str]) -> list[str]:
        """The native command, in a container where there is one."""
        return ["bash", "-c", self._text(job, _container_name(folder))]

    def members(self, folder: Path) -> Members:
        """The processes of the run; those of a container may descend from a service."""
        if self.container and self.container.is_of_a_service:
            return below(partial(self.container.first_process, _container_name(folder)), with_root=True)
        return below(os.getpid)

    def line(self, job: Job, folder: Path) -> str:
        """The native command, and its log."""
        meeting = {name: job.environment.get(name) for name in ("MASTER", "NODE_RANK") if job.nodes > 1}
        exports = "".join(f"export {name}={shell_quoted(value)}\n" for name, value in meeting.items() if value)
        return f"{exports}({self._text(job)}) 2>&1 | tee {shell_quoted(folder / LOG)}"

    def _text(self, job: Job, name: str | None = None) -> str:
        return self.container.command(job, name) if self.container else with_meeting(job)

    def finish(self, folder: Path) -> None:
        """End a container that may go on, because whoever started it was killed."""
        if self.container:
            self.container.remove(_container_name(folder))


def _container_name(folder: Path) -> str:
    """What the container of a run is called: the same for every runner that fills its folder."""
    return f"tachograph-{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]}"


@dataclass
class MpiRun(Place):
    """Machines that mpirun of Open MPI reaches; `hosts` as for its option -H."""

    hosts: str
    site: Site
    starts_tasks: bool = True

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks mpirun starts; raises click.UsageError where the hosts cannot take it."""
        hosts_of_tasks(self.hosts, job.nodes, job.tasks_per_node)
        return job

    def job_script(self, job: Job) -> str:
        """The file that mpirun starts everywhere."""
        return rendered("mpirun.sh.jinja", job, self.site)

    def command(self, job: Job, folder: Path, environment: Mapping[str, str]) -> list[str]:
        """The arguments of mpirun."""
        hosts = hosts_of_tasks(self.hosts, job.nodes, job.tasks_per_node)
        # Another port for each of several launches at the same time.
        start = ["env", f"MASTER={hosts[0]}:{20000 + os.getpid() % 10000}", "mpirun"]
        # A host a task, in the order of the ranks: else mpirun would begin with this machine, wherever it stands in the
        # list, and rank 0 would not be where MASTER says. For that it must not cut names at their first dot.
        start += ["-H", ",".join(hosts), "-np", str(len(hosts)), "--map-by", "seq"]
        start += ["--mca", "orte_keep_fqdn_hostnames", "1"]
        # With tags, because every node may print its own throughput. Without a binding, because a launcher that has one
        # task a node needs all its cores.
        start += ["--tag-output", "--bind-to", "none"]
        for name in sorted(carried(environment) | _EXPORTED & environment.keys() | {"MASTER", "WORK"}):
            start += ["-x", name]
        return [*start, "bash", str(folder / SCRIPT)]


def hosts_of_tasks(hosts: str, nodes: int, tasks_per_node: int) -> list[str]:
    """Return the host of each task in the order of the ranks; those of a node stand together.

    `hosts`: as for the option -H of mpirun, names with the number of tasks that each may have, such as a:8,b:8; the
    slots of one that is named twice add up. One host takes the part of several nodes only where there are fewer hosts
    than nodes.
    Raises click.UsageError where one cannot be read, CannotRunHere where there are too few.
    """
    slots = Counter[str]()
    for entry in hosts.split(","):
        if not (found := _HOST.fullmatch(entry)):
            possible = "expected host names or IPv4 addresses with their slots, such as a:8,b:8"
            raise click.UsageError(f"-H {hosts} contains {entry!r}; {possible}.")
        slots[found["name"]] += int(found["slots"] or 1)
    free = [name for turn in range(nodes) for name, count in slots.items() if count // tasks_per_node > turn]
    if len(free) < nodes:
        holds = f"-H {hosts} has slots for {len(free)} of {nodes} nodes (tasks per node: {tasks_per_node})"
        raise CannotRunHere(f"{holds}; set the slots of each machine, such as a:{tasks_per_node},b:{tasks_per_node}.")
    return [name for name in free[:nodes] for _ in range(tasks_per_node)]


@dataclass
class Kubernetes(Place):
    """A cluster that Kubernetes manages, for which a manifest is written: an Indexed Job with a pod a node.

    The pods of several nodes know each other by a headless service; the first is JOB-0.SERVICE, see
    https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication/. `image`: that of the container in which
    jobs run.
    """

    site: Site
    image: str
    only_writes: str = _ONLY_WRITES
    heading: str = "# kubectl apply -f FILE; kubectl logs -f PODS > train.log; tachograph ingest train.log\n"

    def __post_init__(self) -> None:
        if not self.image:
            raise click.UsageError("--on kubernetes requires --container IMAGE, or kubernetes.image in the site file.")

    def adapted(self, job: Job) -> Job:
        """The same job; raises click.UsageError where its checkout is not known.

        Raises CannotRunHere where something must start each card on several nodes.
        """
        if not job.repo.exists():
            raise click.UsageError("--on kubernetes requires --repo, because a manifest has the path of the checkout.")
        if job.tasks == "card" and job.nodes > 1:
            message = f"{job.name} on {job.nodes} nodes wants a task for each GPU, which a Job does not start"
            raise CannotRunHere(f"{message}; use --on slurm or --on mpirun.")
        return job

    def script(self, job: Job, folder: Path) -> str:
        """The manifest of the job that is the run of `folder`."""
        # The claims of the site, else the folders of the job on its node.
        claims = self.site.kubernetes.claims.items()
        volumes = [(path, {"persistentVolumeClaim": {"claimName": claim}}) for path, claim in claims]
        if not claims:
            volumes = [(str(path), {"hostPath": {"path": str(path), "type": "Directory"}}) for path in job.folders]
        # A name of a service, which begins with a letter: a digest of SUITE/CASE/REPEAT, and these as far as they fit.
        run = "-".join(folder.parts[-3:])
        name = f"run-{hashlib.sha256(os.fsencode(run)).hexdigest()[:8]}-{re.sub(r'[^a-z0-9]+', '-', run.lower())}"
        values = {"name": name[:_LONGEST_NAME].rstrip("-"), "repo": str(job.repo.resolve()), "volumes": volumes}
        return rendered("kubernetes.yaml.jinja", job, self.site, image=self.image, **values)


def rendered(template: str, job: Job, site: Site, **more: object) -> str:
    """Return what starts a job, from one of our templates; `more`: further names that it reads, or other values."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - a shell script, whose values are names and numbers of a checked job
    )
    environment.filters["quoted"] = partial(json.dumps, ensure_ascii=False)
    values = {"job": job, "site": site, "command": with_meeting(job), **more}
    return environment.get_template(template).render(values)
