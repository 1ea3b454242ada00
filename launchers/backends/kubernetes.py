"""Kubernetes as a place where jobs run: a manifest to look at and to apply, an Indexed Job with a pod a node.

The pods of several nodes know each other by a headless service; the first is JOB-0.SERVICE, see
https://kubernetes.io/docs/tasks/job/job-with-pod-to-pod-communication/.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import click

from ..job import CannotRunHere, Job
from .place import Place, rendered
from .site_file import Site

_LONGEST_NAME = 52  # of 63, because a number is added for each pod
_ONLY_WRITES = "--on kubernetes only writes manifests: add --dry-run, and give its output to `kubectl apply -f -`."


@dataclass
class Kubernetes(Place):
    """A cluster that Kubernetes manages; `image`: that of the container in which jobs run."""

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
        values = {"name": _name(folder), "image": self.image, "repo": str(job.repo.resolve()), "volumes": volumes}
        return rendered("kubernetes.yaml.jinja", job, self.site, None, **values)


def _name(folder: Path) -> str:
    """SUITE-CASE-REPEAT as a name of a service, which begins with a letter; of one that is cut a digest stays."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(folder.parts[-3:]).lower()).strip("-")
    if not name[0].isalpha():
        name = f"run-{name}"
    if len(name) <= _LONGEST_NAME:
        return name
    begin = f"run-{hashlib.sha256(name.encode()).hexdigest()[:8]}-"
    return begin + name[len(begin) - _LONGEST_NAME :].lstrip("-")
