"""The machine a run uses, as far as it can explain the run's speed: hardware, native Python, variables."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import click
import psutil

from parsers.io.files import text_of
from parsers.runs.run_folder import Environment

from . import cards

_ROOM = Path(__file__).resolve().parents[1]
QUESTION = _ROOM / "recipes" / "native_python.py"
_CPU_INFO = Path("/proc/cpuinfo")
_VARIABLES = _ROOM / "variables.toml"
# What decides which Python answers, and what it can import.
_SEARCH = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
_MODEL = re.compile(r"^[ \t]*model name[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_IMAGE = re.compile('^image="(.+)"$', re.MULTILINE)
_LONGEST = 600  # seconds that a native Python may take to answer
# The folders of an absolute path, which stands at the begin of a word or behind the sign of an option.
_FOLDERS = re.compile(r"(?<![^\s:,;='\"])(?:file:)?/(?:[^/\s:,;='\"]*/)*")


def describe(environ: Mapping[str, str], python: str | None = "python") -> Environment:
    """Describe this machine for a program that runs in the environment `environ`, ready for JSON.

    `python`: what starts the native Python, a name on PATH or a path; None where no Python trains.

    logs/README.md says what each key means. Raises click.ClickException where `python` does not answer.
    """
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    inside: Environment = native_python(environ, python) if python else {}
    with cards.cards() as found:
        nvidia = [card for card in found if isinstance(card, cards.NvidiaCard)]
        return {
            "os": system,
            "kernel": platform.release(),
            "cpu": processor(),
            "cores": psutil.cpu_count(),
            "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
            "container": container(environ, Path("/")),
            **inside,
            "gpus": [card.name for card in found],
            "gpu_memory_mib": [card.memory_mib for card in nvidia],
            "driver": cards.nvidia_driver() if nvidia else None,
            "cuda_driver": cards.cuda_driver() if nvidia else None,
            "topology": cards.nvidia_topology() if nvidia else [],
            "variables": matters(environ),
        }


def matters(environ: Mapping[str, str]) -> dict[str, str]:
    """Pick the variables that can change speed: those that variables.toml lists, and no other.

    Of a path in a value its last name is kept: a library, not the folders of this machine.
    """
    groups = tomllib.loads(_VARIABLES.read_text(encoding="utf-8"))
    return {name: _FOLDERS.sub("", environ[name]) for names in groups.values() for name in names if name in environ}


class NoPythonError(click.ClickException):
    """No native Python answers; ``advice`` says what to do about it."""

    said = "No working `python` was found on PATH"
    advice = "activate the environment of the native framework."

    def __init__(self) -> None:
        super().__init__(f"{self.said}; {self.advice}")


def native_python(
    environ: Mapping[str, str], python: str = "python", inside: Sequence[str] = (), question: str = str(QUESTION)
) -> Environment:
    """Return python, packages and frameworks of the native `python`; it is asked once, for importing takes seconds.

    `inside`: the arguments that start a program in a container; `question`: where that finds `native_python.py`.
    Raises click.ClickException where it does not answer.
    """
    search = tuple((name, environ[name]) for name in _SEARCH if name in environ)
    found: Environment = json.loads(_asked((*inside, python, question), search))
    return found


@cache
def _asked(command: tuple[str, ...], search: tuple[tuple[str, str], ...]) -> str:
    others = {name: value for name, value in os.environ.items() if name not in _SEARCH}
    environment = {**others, **dict(search)}
    try:
        answer = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=_LONGEST
        )
        last = answer.stdout.decode().splitlines()[-1]  # the lines above are what Python's own start printed
        json.loads(last)["frameworks"]
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        raise NoPythonError from None
    return last


def container(environ: Mapping[str, str], root: Path) -> str | None:
    """Name the image of the container whose file system begins at `root`, or its kind, as far as either is known."""
    of_podman = root / "run" / ".containerenv"  # empty where podman is not root
    image = _IMAGE.search(text_of(of_podman)) if of_podman.is_file() else None
    product = environ.get("NVIDIA_PRODUCT_NAME", "")
    candidates = (
        Path(environ.get("APPTAINER_CONTAINER", "")).name,
        image[1] if image else None,
        f"NVIDIA {product} {environ.get(f'NVIDIA_{product.upper()}_VERSION', '')}".strip() if product else None,
        "podman" if of_podman.exists() else None,
        "docker" if (root / ".dockerenv").exists() else None,
    )
    return next(filter(None, candidates), None)


def processor() -> str:
    """Return the brand of the processor, or its architecture where nothing tells."""
    text = _CPU_INFO.read_text(encoding="utf-8", errors="replace") if _CPU_INFO.is_file() else ""
    if not _MODEL.search(text):
        with suppress(OSError, subprocess.SubprocessError):  # it knows the names of Arm's
            text = subprocess.check_output(["lscpu"], env={**os.environ, "LC_ALL": "C"}, text=True, timeout=10)
    found = _MODEL.search(text)
    return found[1] if found else platform.machine()
