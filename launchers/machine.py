"""The machine and the checkout a run uses, as far as they can explain its speed."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click
import cpuinfo
import psutil

# Asked of the `python` that the launchers start, which is rarely the one that runs this file.
_QUESTION = """
import json, platform, sys
from importlib import metadata
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps({"python": platform.python_version(), "packages": found}))
"""


def describe(packages: Sequence[str]) -> dict[str, Any]:
    """System, processor, memory, GPUs, and the native Python with those of `packages` that it has.

    Raises click.ClickException where `python` on PATH does not answer.
    """
    return {
        "os": _system(),
        "cpu": _processor(),
        "cores": psutil.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        **_native_python(packages),
        "gpus": _gpus(),
    }


def commit(repo: Path) -> str | None:
    """Return the commit of the checkout `repo`, or None where it is not a git checkout of its own."""
    if not (repo / ".git").exists():  # otherwise git would answer for a repository around it
        return None
    answer = subprocess.run(["git", "-C", str(repo), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


@cache  # it takes a second
def _processor() -> str:
    return str(cpuinfo.get_cpu_info().get("brand_raw", platform.machine()))


def _native_python(packages: Sequence[str]) -> dict[str, Any]:
    try:
        answer = subprocess.run(["python", "-c", _QUESTION, *packages], capture_output=True, text=True, check=True)
        return dict(json.loads(answer.stdout))
    except (OSError, subprocess.CalledProcessError, ValueError):
        message = "No working `python` was found on PATH; activate the environment of the native framework."
        raise click.ClickException(message) from None


def _gpus() -> list[str]:
    if shutil.which("nvidia-smi") is None:
        return []
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    return answer.stdout.splitlines() if answer.returncode == 0 else []
