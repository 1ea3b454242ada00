"""mpirun of Open MPI as a place where jobs run."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from parsers.io.printable import shell_quoted
from parsers.runs.run_folder import LOG, SCRIPT, RunJson

from ..job import Job
from . import hosts as machines
from .carried import carried
from .job_script import here_document, rendered, tasks_per_node
from .place import SHELL_HEADING, Start, of_nodes, shell_part, started_from_outside
from .site_file import NO_SITE, Site

_OURS = {"REPO", "MASTER", "RUN", "TACHOGRAPH", "PATH", "PYTHONPATH", "PYTHONUNBUFFERED", "LD_LIBRARY_PATH"}


@dataclass(frozen=True)
class MpiRun:
    """Machines that mpirun of Open MPI reaches; `hosts` as for its option -H."""

    edited: ClassVar[str | None] = None
    container: ClassVar[None] = None
    starts_tasks: ClassVar[bool] = True
    heading: ClassVar[str] = SHELL_HEADING

    hosts: str
    site: Site = NO_SITE

    def adapted(self, job: Job) -> Job:
        """The job, whose tasks mpirun starts."""
        adapted = started_from_outside(job, "mpirun")
        self._hosts(adapted)
        return adapted

    def start(self, job: Job, folder: Path) -> Start:
        """Write the file that mpirun starts everywhere, and start mpirun."""
        (folder / SCRIPT).write_text(rendered("mpirun", job, self.site), encoding="utf-8")
        environment = {**of_nodes(job, folder), "MASTER": self._master(job)}
        return Start(self._command(job, folder / SCRIPT, environment), environment)

    def script(self, job: Job, folder: Path) -> str:
        """The file that mpirun starts, and mpirun."""
        write = f"cat > {shell_quoted(folder / SCRIPT)} {here_document(rendered('mpirun', job, self.site))}"
        words = self._command(job, folder / SCRIPT, {**job.environment, "MASTER": ""})
        start = (
            f"MASTER={self._master(job)} {' '.join(map(shell_quoted, words))} 2>&1 | tee {shell_quoted(folder / LOG)}\n"
        )
        return shell_part(job, folder, write + start)

    def ran(self, folder: Path) -> float:
        """It began at once."""
        return math.inf

    def finish(self, folder: Path) -> None:
        """Nothing is left."""

    def described(self, folder: Path) -> RunJson:
        """Nothing but the environment of the nodes."""
        return {}

    def _hosts(self, job: Job) -> list[str]:
        return machines.of_tasks(self.hosts, job.nodes, tasks_per_node(job))

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
