"""An image of bash and Python, made of the files of this machine alone, and a podman that runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

IMAGE = "localhost/small:1"
_PYTHON = Path("/usr/bin/python3")  # of the distribution, whose library lies in one folder
_PROGRAMS = ("bash", "env", "cat", "sleep")
_SKIPPED = {"test", "tests", "__pycache__", "idlelib", "turtledemo", "lib2to3", "ensurepip"}
_CONFIGURATION = """
[containers]
cgroups = "enabled"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
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
    (top / "containers.conf").write_text(_CONFIGURATION + 'runtime = "runc"\n', encoding="utf-8")
    (top / "storage.conf").write_text(_STORAGE.format(top=top), encoding="utf-8")
    found = {
        "CONTAINERS_CONF": str(top / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(top / "storage.conf"),
    }
    _pack(top / "image.tar")
    command = ["podman", "import", str(top / "image.tar"), IMAGE]
    subprocess.run(command, env=os.environ | found, check=True, capture_output=True)
    return found


def _pack(path: Path) -> None:
    programs = [Path("/usr/bin", name) for name in _PROGRAMS] + [_PYTHON.resolve()]
    libraries = {library for program in programs for library in _libraries(program)}
    with tarfile.open(path, "w") as tar:
        for folder in ("tmp", "etc", "proc", "sys", "dev", "run", "opt"):
            _add_folder(tar, folder)
        for file in [*programs, *sorted(libraries)]:
            tar.add(file.resolve(), str(file).lstrip("/"))
        name = _PYTHON.resolve().name
        tar.add(f"/usr/lib/{name}", f"usr/lib/{name}", filter=lambda entry: None if _is_skipped(entry) else entry)
        for link, target in (("bin", "usr/bin"), ("usr/bin/python", name), ("usr/bin/sh", "bash")):
            _add_link(tar, link, target)


def _libraries(program: Path) -> list[Path]:
    answer = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [Path(word) for word in answer.split() if word.startswith("/")]


def _is_skipped(entry: tarfile.TarInfo) -> bool:
    return bool(_SKIPPED & set(entry.name.split("/"))) or "/config-" in entry.name


def _add_folder(tar: tarfile.TarFile, name: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, 0o755
    tar.addfile(entry)


def _add_link(tar: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    tar.addfile(entry)
