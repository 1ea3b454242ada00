"""Kubernetes as a place where jobs run: manifests to look at and to apply, a Job, or a PyTorchJob on several nodes.

Of several nodes the training operator of Kubeflow tells each pod where they meet (MASTER_ADDR, MASTER_PORT) and its
rank (RANK); https://www.kubeflow.org/docs/components/trainer/legacy-v1/reference/distributed-training/.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click
import yaml

from parsers.runs.run_folder import RunJson

from ..job import CannotRunHere, Job
from .job_script import rendered
from .place import Start
from .site_file import KubernetesSite, Site

_LONGEST_NAME = 52  # of 63, because the operator adds a word and a number for each pod
ONLY_WRITES = "--on kubernetes only writes manifests: add --dry-run, and give its output to `kubectl apply -f -`."
_HEADING = """# kubectl apply -f FILE; kubectl logs -f PODS > train.log; tachograph ingest train.log
"""


@dataclass(frozen=True)
class Kubernetes:
    """A cluster that Kubernetes manages; `image`: that of the container in which jobs run."""

    site: Site
    image: str
    edited: ClassVar[str | None] = None
    container: ClassVar[None] = None
    starts_tasks: ClassVar[bool] = False
    heading: ClassVar[str] = _HEADING

    def adapted(self, job: Job) -> Job:
        """The same job; raises jobs.CannotRunHere where something must start each card on several nodes."""
        if job.tasks == "card" and job.nodes > 1:
            message = f"{job.name} on {job.nodes} nodes wants a task for each GPU, which a PyTorchJob does not start"
            raise CannotRunHere(f"{message}; use --on slurm or --on mpirun.")
        return job

    def start(self, job: Job, folder: Path) -> Start:
        """Raise click.UsageError: nothing is started from here."""
        raise click.UsageError(ONLY_WRITES)

    def script(self, job: Job, folder: Path) -> str:
        """The manifest."""
        return f"---\n{_as_yaml(manifest(job, folder, self.site, self.image))}"

    def ran(self, folder: Path) -> float:
        """Nothing waits in a queue."""
        return math.inf

    def finish(self, folder: Path) -> None:
        """Nothing is left."""

    def described(self, folder: Path) -> RunJson:
        """Nothing."""
        return {}


def manifest(job: Job, folder: Path, site: Site, image: str) -> dict[str, Any]:
    """Return the manifest of the job that is the run of `folder`: a batch/v1 Job, a PyTorchJob for several nodes."""
    name, wants = _name(f"{folder.parent.name}-{folder.name}"), site.kubernetes
    space = {"namespace": wants.namespace} if wants.namespace else {}
    metadata = {"name": name, **space, "labels": _labels(wants)}
    pod = _pod(job, site, image)
    if job.nodes == 1:
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": metadata,
            "spec": {"backoffLimit": 0, "template": pod},  # a second try would be another run
        }
    replicas = {"Master": 1, "Worker": job.nodes - 1}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": metadata,
        "spec": {
            "runPolicy": {"backoffLimit": 0, "cleanPodPolicy": "None"},  # pods that are gone have no log
            "pytorchReplicaSpecs": {
                kind: {"replicas": count, "restartPolicy": "Never", "template": pod} for kind, count in replicas.items()
            },
        },
    }


def _pod(job: Job, site: Site, image: str) -> dict[str, Any]:
    wants = site.kubernetes
    volumes = [*_volumes(job, wants), ("shm", "/dev/shm", {"emptyDir": {"medium": "Memory", "sizeLimit": wants.shm}})]  # noqa: S108
    gpus = {"resources": {"limits": {wants.gpu: str(job.cards_per_node)}}} if job.device == "gpu" else {}
    container = {
        "name": "pytorch",  # what the operator calls the one that it looks after
        "image": image,
        "command": ["bash", "-c", rendered("kubernetes", job, site)],
        "env": [
            {"name": "REPO", "value": str(job.repo.resolve())},
            {"name": "PYTHONUNBUFFERED", "value": "1"},
        ],
        **gpus,
        "volumeMounts": [{"name": name, "mountPath": path} for name, path, _ in volumes],
    }
    spec = {
        "restartPolicy": "Never",
        **({"nodeSelector": wants.node_selector} if wants.node_selector else {}),
        "containers": [container],
        "volumes": [{"name": name, **source} for name, _, source in volumes],
    }
    return {"metadata": {"labels": _labels(wants)}, "spec": spec}


def _volumes(job: Job, wants: KubernetesSite) -> list[tuple[str, str, dict[str, Any]]]:
    """The name, path and source of each volume: the claims of the site, else the folders of the job on its node."""
    if wants.claims:
        claims = enumerate(wants.claims.items(), 1)
        return [(f"claim-{n}", path, {"persistentVolumeClaim": {"claimName": name}}) for n, (path, name) in claims]
    folders = enumerate(map(str, job.folders), 1)
    return [(f"folder-{n}", path, {"hostPath": {"path": path, "type": "Directory"}}) for n, path in folders]


def _labels(wants: KubernetesSite) -> dict[str, str]:
    return {"app.kubernetes.io/managed-by": "tachograph", **wants.labels}


def _name(text: str) -> str:
    """A text as a name that Kubernetes takes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[-_LONGEST_NAME:].strip("-")


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as they are, and a pod that stands twice in a manifest twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _as_yaml(document: dict[str, Any]) -> str:
    return str(yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=math.inf))
