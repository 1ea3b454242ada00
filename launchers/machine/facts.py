"""The machine a run uses, as far as it can explain the run's speed: hardware, native Python, variables."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import click
import psutil

from parsers.io.input_file import opened
from parsers.runs.run_folder import Environment

from . import cards

_ROOM = Path(__file__).resolve().parents[1]
_QUESTION = _ROOM / "recipes" / "native_python.py"
_CPU_INFO = Path("/proc/cpuinfo")
_VARIABLES = _ROOM / "variables.toml"
# What decides which Python answers, and what it can import.
_SEARCH = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
_IS_DIGEST = re.compile("[0-9a-f]{64}").fullmatch
_LONGEST = 600  # seconds that a native Python may take to answer
# The folders of an absolute path, which stands at the begin of a word or behind the sign of an option.
_FOLDERS = re.compile(r"(?<![^\s:,;='\"])(?:file:)?/(?:[^/\s:,;='\"]*/)*")


def describe(environ: Mapping[str, str], python: str | None = "python", *, of_image: bool = True) -> Environment:
    """Describe this machine for a program that runs in the environment `environ`, ready for JSON.

    `python`: what starts the native Python, a name on PATH or a path; None where no Python trains. `of_image`: whether
    also container_digest, for which an image file is read whole.

    os, kernel, cpu (its brand), cores (logical), memory_gib; container (the image, or what kind; None where none can
    be told); python, packages (versions by name) and frameworks (by name: version, cuda, cudnn, nccl of its build, or
    error) of the native Python; gpus (names), gpu_memory_mib, driver, cuda_driver, topology (a row a card, in the
    words of `nvidia-smi topo -m`); variables (those of variables.toml that are set).
    Raises click.ClickException where `python` does not answer.
    """
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    digest = container_digest(environ, Path("/")) if of_image else None
    image: Environment = {"container_digest": digest} if digest else {}
    inside: Environment = native_python(environ, python) if python else {}
    with cards.cards() as of_any, cards.nvidia_cards() as found:
        graphics: Environment = {
            "gpus": of_any.names if of_any else [],
            "gpu_memory_mib": [card.memory_mib for card in found],
            "driver": cards.nvidia_driver() if found else None,
            "cuda_driver": cards.cuda_driver() if found else None,
            "topology": [[card.interconnect(other) for other in found] for card in found],
        }
    return {
        "os": system,
        "kernel": platform.release(),
        "cpu": processor(),
        "cores": psutil.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "container": container(environ, Path("/")),
        **image,
        **inside,
        **graphics,
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
    environ: Mapping[str, str], python: str = "python", inside: Sequence[str] = (), question: str = str(_QUESTION)
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
    product = environ.get("NVIDIA_PRODUCT_NAME", "")
    version = environ.get(f"NVIDIA_{product.upper()}_VERSION", "")
    image_file = environ.get("APPTAINER_CONTAINER") or environ.get("SINGULARITY_CONTAINER") or ""
    candidates = (
        Path(image_file).name,
        environ.get("APPTAINER_NAME") or environ.get("SINGULARITY_NAME"),
        _of_podman(root, "image"),
        Path(environ.get("SLURM_CONTAINER", "")).name,
        f"NVIDIA {product} {version}".strip() if product else None,
        "podman" if (root / "run" / ".containerenv").exists() else None,
        "docker" if (root / ".dockerenv").exists() else None,
    )
    return next(filter(None, candidates), None)


def container_digest(environ: Mapping[str, str], root: Path) -> str | None:
    """Return `sha256:` and the digest of the image whose container is `root`; None where nothing in it tells.

    That is the SHA-256 of the image file of Apptainer, and the number that Podman writes into its containers.
    """
    file = Path(environ.get("APPTAINER_CONTAINER") or environ.get("SINGULARITY_CONTAINER") or root)
    try:
        return file_digest(file)
    except OSError:
        number = _of_podman(root, "imageid")
        return f"sha256:{number}" if number and _IS_DIGEST(number) else None


def file_digest(image: Path) -> str:
    """Return `sha256:` and the SHA-256 of an image file, which is read again only if it changed; raises OSError."""
    found = image.stat()
    return _file_digest(image, found.st_size, found.st_mtime_ns)


@cache
def _file_digest(image: Path, _size: int, _changed: int) -> str:
    with opened(image) as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _of_podman(root: Path, key: str) -> str | None:
    """Read a key of the file that Podman lays into its containers; an unprivileged one leaves it empty."""
    try:
        lines = (root / "run" / ".containerenv").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    pairs = dict(line.partition("=")[::2] for line in lines)
    return pairs.get(key, "").strip('"') or None


def processor() -> str:
    """Return the brand of the processor, or its architecture where nothing tells."""
    name = re.compile(r"^[ \t]*model name[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
    brands = name.findall(_CPU_INFO.read_text(encoding="utf-8", errors="replace")) if _CPU_INFO.is_file() else []
    brands = brands or name.findall(cards.printed("lscpu"))  # it knows the names of Arm's
    return brands[-1] if brands else platform.machine()
