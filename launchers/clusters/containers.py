"""Containers: a job within an image, by docker, podman, apptainer, enroot, or pyxis, which is enroot by Slurm.

The folders of the job are mounted at the paths that they have outside, its output comes out as that of any program.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from parsers.io.input_file import opened
from parsers.io.printable import printable, shell_quoted
from parsers.runs.run_folder import Environment

from ..jobs.job import CannotRunHere, Job
from ..machine import facts
from ..native.recipes import ROOM
from ..runs import processes
from .carried import carried
from .site_file import ContainerSite

PYXIS = "pyxis"
_HERE = ("docker", "podman", "apptainer", "enroot")
# By how the name of an image ends, what runs it; any other comes from a registry.
_OF_FILES = {".sif": "apptainer", ".sqsh": "enroot"}
_ALWAYS = ("MASTER", "NODE_RANK", "POD_IP", "PYTHONUNBUFFERED", "REPO", processes.MARK)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_QUESTION = ROOM / "native" / "native_python.py"
_INSIDE = "/opt/tachograph/native_python.py"


@dataclass(frozen=True)
class Container:
    """An image, what runs it, and what a site says of containers."""

    image: str
    runtime: str
    site: ContainerSite

    def of_tasks(self, job: Job) -> Job:
        """The job; raises jobs.CannotRunHere where Slurm starts a task for each card, in a container each."""
        if job.tasks == "card" and self.runtime != PYXIS:
            message = f"{job.name} wants a task for each GPU, and {self.runtime} would not connect them"
            raise CannotRunHere(f"{message}; set container.runtime in the site file to pyxis.")
        return job

    def command(self, job: Job) -> str:
        """Return the line of shell that starts the job inside, in place of its command; it needs what that needs."""
        if self.runtime == PYXIS:
            return self.inner(job)
        return _spelt(job, self._words(job, _marks(job), ["bash", "-c", self.inner(job)]))

    def words(self, job: Job, *program: str, name: str | None = None, mounts: Sequence[str] = ()) -> list[str]:
        """Return the arguments that start a program inside, with the folders of a job.

        `name`: what the container is called, where its runtime gives names. `mounts`: further ones, `SOURCE:PATH:ro`.
        """
        return self._words(job, [*map(str, job.folders)], program, name, mounts)

    def srun_options(self, job: Job) -> str:
        """Return the options of srun for pyxis as a part of a line of shell; nothing for another runtime."""
        if self.runtime != PYXIS:
            return ""
        mounts = ",".join([*(f"{folder}:{folder}" for folder in _marks(job)), *self.site.mounts])
        options = [f"--container-image={self.image}", f"--container-mounts={mounts}", "--no-container-mount-home"]
        return _spelt(job, [*options, *self.site.options])

    def _words(
        self,
        job: Job,
        folders: Sequence[str],
        program: Sequence[str],
        name: str | None = None,
        mounts: Sequence[str] = (),
    ) -> list[str]:
        every = [*(f"{folder}:{folder}" for folder in folders), *self.site.mounts, *mounts]
        heads = {"docker": self._docker, "podman": self._podman, "apptainer": self._apptainer, "enroot": self._enroot}
        return [*heads[self.runtime](job, name, every), *self.site.options, self.image, *program]

    def described(self, job: Job, *, is_here: bool) -> Environment:
        """What run.json says of the environment inside; `is_here`: whether this machine runs it and can look inside."""
        digest = self._digest()
        of_image: Environment = {"container_digest": digest} if digest else {}
        inside: Environment = self.native_python(job) if is_here and job.python else {}
        return {"container": self.name, "container_runtime": self.runtime, **of_image, **inside}

    @property
    def name(self) -> str:
        """The image as it is kept: an image file without its folder."""
        return Path(self.image).name if self._is_file() else self.image

    @property
    def runs_here(self) -> bool:
        """Whether this machine can run it; that of a login node need not."""
        return self.runtime != PYXIS and shutil.which(self.runtime) is not None

    def remove(self, name: str) -> None:
        """End what may go on of a container when nobody is left who waits for it."""
        if self.is_of_a_service:
            command = [self.runtime, "rm", "--force", name]
            subprocess.run(command, start_new_session=True, capture_output=True, check=False)

    @property
    def is_of_a_service(self) -> bool:
        """Whether what runs inside does not descend from who started it."""
        return self.runtime in ("docker", "podman")

    def first_process(self, name: str) -> int | None:
        """The number that this machine knows the first process of a container by; None before it runs."""
        command = [self.runtime, "container", "inspect", "--format={{.State.Pid}}", name]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
            return int(answer.stdout) or None
        except (OSError, subprocess.SubprocessError, ValueError):
            return None

    def inner(self, job: Job) -> str:
        """Return the script that runs inside; it needs what the command of the job needs."""
        meet = f"{(ROOM / 'meet.bash').read_text(encoding='utf-8')}meet\n" if job.meets_by_address else ""
        return f"{meet}{job.command}"

    def native_python(self, job: Job) -> Environment:
        """What the Python inside says of itself, see `facts.native_python`; raises as that does."""
        inside = self.words(job, mounts=[f"{_QUESTION}:{_INSIDE}:ro"])
        return facts.native_python(job.environment, Path(job.python or "python").name, inside, _INSIDE)

    def _environment(self, job: Job) -> list[str]:
        return [f"--env={name}" for name in sorted({*_ALWAYS, *carried(job.environment)})]

    def _docker(self, job: Job, name: str | None, mounts: Sequence[str]) -> list[str]:
        # Its daemon may lock memory for cards and networks; without an init, a shell as first process takes no signal.
        limits = ["--init", "--ulimit=memlock=-1", "--ulimit=stack=67108864"]
        gpus = ["--gpus=all"] if job.device == "gpu" else []
        return ["docker", "run", *limits, *gpus, *self._common(job, name, mounts)]

    def _podman(self, job: Job, name: str | None, mounts: Sequence[str]) -> list[str]:
        gpus = ["--device=nvidia.com/gpu=all"] if job.device == "gpu" else []
        return ["podman", "run", "--security-opt=label=disable", *gpus, *self._common(job, name, mounts)]

    def _common(self, job: Job, name: str | None, mounts: Sequence[str]) -> list[str]:
        named = [f"--name={name}"] if name else []
        how = ["--rm", "--network=host", f"--shm-size={self.site.shm}", *named]
        return [*how, *(f"--volume={mount}" for mount in mounts), *self._environment(job)]

    def _apptainer(self, job: Job, _name: str | None, mounts: Sequence[str]) -> list[str]:
        # It takes the environment with it, and so the packages of the Python outside.
        gpus = ["--nv"] if job.device == "gpu" else []
        binds = [f"--bind={mount}" for mount in mounts]
        return ["env", "--unset=PYTHONPATH", "apptainer", "exec", *gpus, *binds]

    def _enroot(self, job: Job, _name: str | None, mounts: Sequence[str]) -> list[str]:
        spelt = [":".join(mount.split(":")[:2]) for mount in mounts]
        return ["enroot", "start", *(f"--mount={mount}" for mount in spelt), *self._environment(job)]

    def _is_file(self) -> bool:
        return Path(self.image).is_file()

    def _digest(self) -> str | None:
        """The digest of the image: of a file its SHA-256, else that by which a registry or the runtime knows it."""
        if self._is_file():
            with opened(Path(self.image)) as file:
                return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
        if found := _DIGEST.search(self.image):
            return found[0]
        return self._inspected() if self.is_of_a_service else None

    def _inspected(self) -> str | None:
        command = [self.runtime, "image", "inspect", self.image]
        try:
            answer = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
            (told,) = json.loads(answer)
            known = [*(told.get("RepoDigests") or []), told.get("Digest") or "", f"sha256:{told['Id'][-64:]}"]
        except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError, AttributeError):
            return None
        return next((found[0] for text in known if (found := _DIGEST.search(str(text)))), None)


def _marks(job: Job) -> list[str]:
    return [f"@FOLDER{number}@" for number in range(len(job.folders))]


def _spelt(job: Job, words: Sequence[str]) -> str:
    """Words as a part of a line of shell where the folders of a job stand as seen from REPO: it is published."""
    line = " ".join(map(shell_quoted, words))
    for mark, folder in zip(_marks(job), job.folders, strict=True):
        seen = os.path.relpath(folder, job.repo.resolve())
        line = line.replace(mark, '"$REPO"' if seen == "." else f'"$(realpath "$REPO"/{shell_quoted(seen)})"')
    return line


def contained(image: str, site: ContainerSite, *, on_slurm: bool) -> Container:
    """Return the container of an image, and what runs it: as the site says, as the image is named, or as is installed.

    Raises click.UsageError where nothing can.
    """
    if image.startswith("-") or not image or any(c.isspace() or not c.isprintable() for c in image):
        raise click.UsageError(f"--container {printable(image)!r} is not the name of an image.")
    runtime = site.runtime or _OF_FILES.get(Path(image).suffix) or _installed()
    if runtime == PYXIS:
        if not on_slurm:
            raise click.UsageError("container.runtime is pyxis, which requires --on slurm.")
    elif runtime is None or (shutil.which(runtime) is None and not on_slurm):
        raise click.UsageError(f"--container requires {runtime or 'docker, podman or apptainer'} on PATH.")
    path = Path(image)
    return Container(os.fspath(path.resolve()) if path.is_file() else image, runtime, site)


def _installed() -> str | None:
    return next((name for name in _HERE[:3] if shutil.which(name)), None)
