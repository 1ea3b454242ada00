"""Backends: where a job runs, here, in a container, by mpirun, Slurm or Kubernetes, as the options of a launch say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .place import Place


def chosen(
    on: str | None,
    hosts: str | None,
    site: Path | None = None,
    image: str | None = None,
    *,
    is_dry: bool = False,
) -> Place:
    """Return the place that the options of a launch name.

    `site`: a site file, None for the usual one. `image`: that of a container. `is_dry`: whether only a script is
    printed, for which the programs that run it need not be here.
    Raises click.UsageError where the options contradict each other, the site file cannot be read, or a program is
    missing.
    """
    if (on == "mpirun") != bool(hosts):
        raise click.UsageError("--on mpirun and -H must be used together, such as --on mpirun -H a:8,b:8.")
    if image and on == "mpirun":
        raise click.UsageError("--container does not go with --on mpirun.")
    if site and not (on or image):
        raise click.UsageError("--site requires --on or --container.")
    from . import place

    if not (on or image):
        return place.Local()
    from . import site_file
    from .containers import contained
    from .slurm import Slurm

    said = site_file.read(site, os.environ)
    if on == "kubernetes":
        return place.Kubernetes(said, image or said.kubernetes.image or "")
    container = contained(image, said.container, on_slurm=on == "slurm", is_dry=is_dry) if image else None
    if on is None:
        return place.Local(container)
    program = "mpirun" if on == "mpirun" else "sbatch"
    if not (is_dry or shutil.which(program)):
        raise click.UsageError(f"{program} is not on PATH; without it, the job can only run on this machine.")
    if on == "mpirun":
        return place.MpiRun(str(hosts), said)
    return Slurm(said, container)
