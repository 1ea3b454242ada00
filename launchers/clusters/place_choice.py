"""The choice of a place, by the options of a launch."""

from __future__ import annotations

import os
from pathlib import Path

import click

from parsers.io.input_file import text_of

from . import site_file
from .containers import contained
from .kubernetes import Kubernetes
from .mpirun import MpiRun
from .place import Local, Place
from .site_file import Site
from .slurm import Slurm


def chosen(
    on: str | None, hosts: str | None, script: Path | None, site: Path | None = None, image: str | None = None
) -> Place:
    """Return the place that the options of a launch name.

    `site`: a site file, None for the usual one. `image`: that of a container, None for the one that the site names.
    Raises click.UsageError where they contradict each other, or the site file cannot be read.
    """
    if (on == "mpirun") != bool(hosts):
        raise click.UsageError("--on mpirun and -H must be used together, such as --on mpirun -H a:8,b:8.")
    if script and on != "slurm":
        raise click.UsageError("--script requires --on slurm.")
    if image and (on == "mpirun" or script):
        raise click.UsageError("--container does not go with --on mpirun or --script.")
    if site and not (on or image):
        raise click.UsageError("--site requires --on or --container.")
    if not (on or image):
        return Local()
    said = site_file.read(site, os.environ)
    if on == "kubernetes":
        return _kubernetes(said, image)
    container = contained(image, said.container, on_slurm=on == "slurm") if image else None
    if on == "slurm":
        return Slurm(said, _edited(script) if script else None, container)
    return MpiRun(str(hosts), said) if on else Local(container)


def _kubernetes(site: Site, image: str | None) -> Kubernetes:
    if not (named := image or site.kubernetes.image):
        raise click.UsageError("--on kubernetes requires --container IMAGE, or kubernetes.image in the site file.")
    return Kubernetes(site, named)


def _edited(script: Path) -> str:
    try:
        return text_of(script)
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise click.UsageError(f"{script} cannot be read: {what}.") from error
