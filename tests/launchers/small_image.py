"""An image of bash and Python, made of the files of this machine alone, and a podman that runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

IMAGE = "localhost/small:1"
_PYTHON = Path("/usr/bin/python3")  # of the distribution, whose library lies in one folder
_PROGRAMS = ("bash", "env", "cat", "sleep")
_SKIPPED = shutil.ignore_patterns("test*", "__pycache__", "idlelib", "turtledemo", "lib2to3", "ensurepip", "config-*")
_CONFIGURATION = """
[containers]
cgroups = "enabled"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
"""
_STORAGE = """
[storage]
driver = "vfs"
graphroot = "{top}/graph"
runroot = "{top}/run"
"""
# What a machine allows that is itself a container; elsewhere they do no harm.
OPTIONS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1000:1000"]


def missing() -> str | None:
    """Say why no container can run here; None where one can."""
    if shutil.which("podman") is None or shutil.which("runc") is None:
        return "podman and runc of Debian are not installed"
    return None if _PYTHON.exists() and os.geteuid() == 0 else "the image is made of Debian's Python, by root"


def made(top: Path) -> dict[str, str]:
    """Make the image in a store under `top`; returns the variables by which podman finds it.

    `top`: a short path; where that of a socket below it is longer than 108 bytes, podman waits 20 s for each container.
    """
    (top / "containers.conf").write_text(_CONFIGURATION, encoding="utf-8")
    (top / "storage.conf").write_text(_STORAGE.format(top=top), encoding="utf-8")
    found = {
        "CONTAINERS_CONF": str(top / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(top / "storage.conf"),
    }
    _copy_programs(top / "root")
    subprocess.run(["tar", "-C", top / "root", "-cf", top / "image.tar", "."], check=True)
    command = ["podman", "import", str(top / "image.tar"), IMAGE]
    subprocess.run(command, env=os.environ | found, check=True, capture_output=True)
    return found


def _copy_programs(root: Path) -> None:
    programs = [Path("/usr/bin", name) for name in _PROGRAMS] + [_PYTHON.resolve()]
    linked = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    libraries = {Path(word) for word in linked.split() if word.startswith("/") and not word.endswith(":")}
    for file in [*programs, *libraries]:
        copy = root / str(file).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    name = _PYTHON.resolve().name
    shutil.copytree(f"/usr/lib/{name}", root / "usr/lib" / name, ignore=_SKIPPED, dirs_exist_ok=True)
    for folder in ("tmp", "etc", "proc", "sys", "dev", "run", "opt"):
        (root / folder).mkdir()
    for link, target in (("bin", "usr/bin"), ("usr/bin/python", name), ("usr/bin/sh", "bash")):
        (root / link).symlink_to(target)
