"""mpirun of Open MPI as a place where jobs run."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from parsers.io.printable import shell_quoted
from parsers.runs.run_folder import LOG, SCRIPT

from ..job import CannotRunHere, Job
from .containers import carried
from .place import Place, Start, here_document, of_nodes, rendered, shell_part, tasks_per_node
from .site_file import NO_SITE, Site

_TEMPLATE = "mpirun.sh.jinja"
_OURS = {"REPO", "WORK", "MASTER", "RUN", "TACHOGRAPH", "PATH", "PYTHONPATH", "PYTHONUNBUFFERED", "LD_LIBRARY_PATH"}
_HOST = re.compile(r"(?P<name>[\w.-]+)(:(?P<slots>[1-9]\d*))?", re.ASCII)


@dataclass
class MpiRun(Place):
    """Machines that mpirun of Open MPI reaches; `hosts` as for its option -H."""

    hosts: str
    site: Site = NO_SITE
    starts_tasks: bool = True

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks mpirun starts; raises click.UsageError where the hosts cannot take it."""
        self._hosts(job)
        return job

    def start(self, job: Job, folder: Path) -> Start:
        """Write the file that mpirun starts everywhere, and start mpirun."""
        (folder / SCRIPT).write_text(rendered(_TEMPLATE, job, self.site), encoding="utf-8")
        environment = {**of_nodes(job, folder), "MASTER": self._master(job)}
        return Start(self._command(job, folder / SCRIPT, environment), environment)

    def script(self, job: Job, folder: Path) -> str:
        """The file that mpirun starts, and mpirun."""
        write = f"cat > {shell_quoted(folder / SCRIPT)} {here_document(rendered(_TEMPLATE, job, self.site))}"
        words = self._command(job, folder / SCRIPT, {**job.environment, "MASTER": "", "WORK": ""})
        start = " ".join([f"MASTER={self._master(job)}", *map(shell_quoted, words)])
        return shell_part(job, folder, f"{write}{start} 2>&1 | tee {shell_quoted(folder / LOG)}\n")

    def _hosts(self, job: Job) -> list[str]:
        return hosts_of_tasks(self.hosts, job.nodes, tasks_per_node(job))

    def _master(self, job: Job) -> str:
        port = 20000 + os.getpid() % 10000  # another one for each of several launches at the same time
        return f"{self._hosts(job)[0]}:{port}"

    def _command(self, job: Job, script: Path, environment: Mapping[str, str]) -> list[str]:
        hosts = self._hosts(job)
        # A host a task, in the order of the ranks: else mpirun would begin with this machine, wherever it stands in the
        # list, and rank 0 would not be where MASTER says. For that it must not cut names at their first dot.
        placed = ["-H", ",".join(hosts), "-np", str(len(hosts)), "--map-by", "seq"]
        placed += ["--mca", "orte_keep_fqdn_hostnames", "1"]
        exported = [word for name in sorted(carried(environment) | _OURS & environment.keys()) for word in ("-x", name)]
        # With tags, because every node may print its own throughput. Without a binding, because a launcher that has one
        # task a node needs all its cores.
        how = ["--tag-output", "--bind-to", "none"]
        return ["mpirun", *placed, *how, *exported, "bash", str(script)]


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
