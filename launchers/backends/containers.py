"""Containers: a job within an image, by docker, podman, apptainer or enroot.

The folders of the job are mounted at the paths that they have outside, its output comes out as that of any program.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.io.files import sha256_of
from parsers.io.printable import printable, shell_quoted
from parsers.runs.run_folder import Environment

from ..job import Job
from ..machine import facts
from ..recipes.recipe import ROOM
from ..run.execution import MARK

if TYPE_CHECKING:
    from .site_file import ContainerSite

_RUNTIMES = tomllib.loads((ROOM / "runtimes.toml").read_text(encoding="utf-8"))
_INSTALLED = ("docker", "podman", "apptainer")  # what is looked for where neither site nor image says
_OF_FILES = {".sif": "apptainer", ".sqsh": "enroot"}
_ALWAYS = ("MASTER", "NODE_RANK", "POD_IP", "PYTHONUNBUFFERED", "REPO", "WORK", MARK)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_INSIDE = "/opt/tachograph/native_python.py"
# mpirun gives other machines no variable by itself, and a container has none. These belong to libraries that train,
# whether or not one is kept in run.json (machine.matters); without them the nodes of a job would differ.
_PREFIXES = (
    *("CUDA_", "CUDNN_", "FLAGS_", "GLOO_", "HF_", "HOROVOD_", "MKL_", "MXNET_", "NCCL_", "NVIDIA_", "OMP_", "PADDLE_"),
    *("PYTORCH_", "TF_", "TORCH_", "UCX_"),
)


def carried(environment: Mapping[str, str]) -> set[str]:
    """The names of the variables of an environment that decide how a job trains, and how fast."""
    matters = facts.matters(environment)
    return {name for name in environment if name.startswith(_PREFIXES)} | matters.keys()


def with_meeting(job: Job) -> str:
    """Return the command of a job, behind what lets its nodes meet by address where they do; a script of bash."""
    meet = f"{(ROOM / 'meet.bash').read_text(encoding='utf-8')}meet || exit\n" if job.meets_by_address else ""
    return f"{meet}{job.command}"


@dataclass(frozen=True)
class Container:
    """An image, what runs it, and what a site says of containers."""

    image: str
    runtime: str
    site: ContainerSite

    def command(self, job: Job, name: str | None = None) -> str:
        """Return the line of shell that starts the job inside, in place of its command; it needs what that needs.

        Folders stand in it as seen from REPO, because it is published. `name`: what the container is called, where its
        runtime gives names.
        """
        seen = [os.path.relpath(folder, job.repo.resolve()) for folder in job.folders]
        folders = ['"$REPO"' if path == "." else f'"$(realpath "$REPO"/{shell_quoted(path)})"' for path in seen]
        line = self._line(job, [*folders, '"$WORK"'], name=name)
        return f"{line} bash -c {shell_quoted(with_meeting(job))}"

    def _line(self, job: Job, folders: Sequence[str], mounts: Sequence[str] = (), name: str | None = None) -> str:
        """The line of shell to which a program and its arguments are added.

        `folders`: as the shell reads them. `mounts`: further ones, `SOURCE:PATH:ro`.
        """
        how: dict[str, Any] = {"variable": "", "gpus": "", "shm": "", "name": "", **_RUNTIMES[self.runtime]}
        more = [*self.site.mounts, *mounts]
        if self.runtime == "enroot":  # it has other flags than :ro, and asks for none
            more = [":".join(mount.split(":")[:2]) for mount in more]
        variables = sorted({*_ALWAYS, *carried(job.environment)})
        options = [how["gpus"]] if job.device == "gpu" else []
        options += [how["shm"].format(self.site.shm), how["name"].format(name) if name else ""]
        mounted = [how["mount"].format(f"{folder}:{folder}") for folder in folders]
        rest = [*map(how["mount"].format, more), *map(how["variable"].format, variables)]
        words = [*filter(None, rest), *self.site.options, self.image]
        before = [*how["start"], *filter(None, options)]
        return " ".join([*map(shell_quoted, before), *mounted, *map(shell_quoted, words)])

    def described(self, job: Job, *, is_here: bool) -> Environment:
        """What run.json says of the environment inside; `is_here`: whether this machine runs it and can look inside."""
        of_image: Environment = {"container_digest": self._digest} if self._digest else {}
        inside: Environment = self.native_python(job) if is_here and job.python else {}
        return {"container": self.name, "container_runtime": self.runtime, **of_image, **inside}

    @property
    def name(self) -> str:
        """The image as it is kept: an image file without its folder."""
        return Path(self.image).name if Path(self.image).is_file() else self.image

    @property
    def is_of_a_service(self) -> bool:
        """Whether what runs inside does not descend from who started it."""
        return self.runtime in ("docker", "podman")

    def remove(self, name: str) -> None:
        """End what may go on of a container when nobody is left who waits for it."""
        if self.is_of_a_service:
            self._asked("kill", name)  # alone, `rm --force` of podman waits for 10 s
            self._asked("rm", "--force", name)

    def first_process(self, name: str) -> int | None:
        """The number that this machine knows the first process of a container by; None before it runs."""
        said = self._asked("container", "inspect", "--format={{.State.Pid}}", name).strip()
        return int(said) or None if said.isdecimal() else None

    def _asked(self, *words: str) -> str:
        """What a command of the runtime prints; nothing where it fails. No signal from the keyboard reaches it."""
        command, quiet = [self.runtime, *words], subprocess.DEVNULL
        try:
            answer = subprocess.run(
                command, stdin=quiet, capture_output=True, text=True, check=True, start_new_session=True
            )
        except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
            return ""
        return answer.stdout

    def native_python(self, job: Job) -> Environment:
        """What the Python inside says of itself, see `facts.native_python`; raises as that does."""
        line = self._line(job, [*map(shell_quoted, job.folders)], [f"{facts.QUESTION}:{_INSIDE}:ro"])
        inside = ["bash", "-c", f'exec {line} "$@"', "bash"]
        return facts.native_python(job.environment, Path(job.python or "python").name, inside, _INSIDE)

    @cached_property
    def _digest(self) -> str | None:
        """The digest of the image: of a file its SHA-256, else that by which a registry or the runtime knows it."""
        if Path(self.image).is_file():
            return f"sha256:{sha256_of(Path(self.image))}"
        text = self.image
        if self.is_of_a_service and "@sha256:" not in text:
            text = self._asked("image", "inspect", "--format={{.RepoDigests}} sha256:{{.Id}}", self.image)
        found = _DIGEST.search(text)
        return found[0] if found else None


def contained(image: str, site: ContainerSite, *, on_slurm: bool, is_dry: bool = False) -> Container:
    """Return the container of an image, and what runs it: as the site says, as the image is named, or as is installed.

    `is_dry`: whether it need not be installed, because only a script is printed.
    Raises click.UsageError where nothing can run it.
    """
    if image.startswith("-") or not image or any(c.isspace() or not c.isprintable() for c in image):
        raise click.UsageError(f"--container {printable(image)!r} is not the name of an image.")
    path = Path(image)
    runtime = site.runtime or _OF_FILES.get(path.suffix) or next(filter(shutil.which, _INSTALLED), None)
    if not (is_dry or (runtime and (on_slurm or shutil.which(runtime)))):
        raise click.UsageError(f"--container requires {runtime or 'docker, podman or apptainer'} on PATH.")
    return Container(os.fspath(path.resolve()) if path.is_file() else image, runtime or _INSTALLED[0], site)
