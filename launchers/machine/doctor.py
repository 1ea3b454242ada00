"""The doctor: what would spoil a measurement on this machine, found before hours are spent."""

from __future__ import annotations

import os
import re
import shutil
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from tabulate import tabulate

from parsers.io.files import text_of
from parsers.io.printable import printable
from parsers.runs.run_folder import Environment

from ..recipes.checkout import Checkout, Diagnosis, Level
from ..recipes.recipe import ROOM, SYNTHETIC, Recipe
from . import facts
from .cards import FALLEN, AmdCard, CardAnswer, NvidiaCard, cards, cuda_driver, nvidia_driver
from .telemetry import FOREIGN, RunLoad, below, program

_GIB = 2**30
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  nothing is written there
LOOK = 0.5  # seconds over which the load of others is taken
_IDLE_UTILISATION = 5  # %
_IDLE_MEMORY = 1024  # MiB
# The needs of a recipe, between commas: a package with or without its version, a file of requirements, or words.
_COMMA = re.compile(r",(?: and)?\s*(?![^()]*\))")
_PACKAGE = re.compile(r"([\w.-]+)(?: (\d[\d.]*))?")
_REQUIREMENT = re.compile(r"^(?!.*(?:;|://))(\w[\w.-]*)", re.MULTILINE)  # without conditions and addresses


@dataclass
class Launch:
    """What a launch would use; None where any will do, or nothing tells.

    `environ`: the environment in which the native program would be started. `cards`: on all `nodes`. `synthetic`: data
    that the program makes. `on`: what starts it on other nodes, where nobody knows what cards there are. `inside`: asks
    the Python of a container, in place of that of `environ`.
    """

    environ: Mapping[str, str]
    recipe: Recipe | None = None
    repo: Path | None = None
    data: Path | None = None
    cards: int | None = None
    nodes: int = 1
    device: str | None = None
    synthetic: bool = False
    on: str | None = None
    inside: Callable[[], Environment] | None = None

    def can(self, device: str) -> bool:
        """Whether it may train on a device, by what was asked and what the recipe can."""
        return self.device in {None, device} and (self.recipe is None or bool(self.recipe.precisions(device)))

    @cached_property
    def python(self) -> Environment | None:
        """What the native Python says of itself; None where it does not answer."""
        try:
            return self.inside() if self.inside else facts.native_python(self.environ)
        except facts.NoPythonError:
            return None

    @cached_property
    def packages(self) -> dict[str, str]:
        """The versions of its packages by names as package registries compare them."""
        packages = self.python["packages"] if self.python else {}
        return {_normal(name): version for name, version in packages.items()}

    @cached_property
    def frameworks(self) -> Mapping[str, Mapping[str, str | None]]:
        """Its frameworks that the needs of the recipe name; all where they name none."""
        found = self.python["frameworks"] if self.python else {}
        needs = self.recipe.facts["needs"].lower() if self.recipe else ""
        return {name: build for name, build in found.items() if name in needs} or found


Findings = Iterator[Diagnosis]


def examine(launch: Launch) -> Findings:
    """Look at all that a launch needs, and say of each thing whether it is good, and what to do where it is not.

    What belongs to a recipe is looked at only where there is one, its checkout and its data only where something tells
    where they are. Of the disk the folder in which this process stands counts, for logs go below it.
    """
    with cards() as found:
        of_python = (_python(launch), _needs(launch), _versions(launch))
        of_machine = (_cards(launch, found), _load(launch), _storage(launch, found), _variables(launch))
        for finding in chain(*of_python, *of_machine, _data(launch), _checkout(launch)):
            yield finding._replace(advice=None) if finding.level == "ok" else finding


def shown(findings: Iterable[Diagnosis]) -> str:
    """Lay findings out for a terminal, a line each, the advice in a line below; ends with a newline."""
    rows = [(level, subject, "\n".join(map(printable, filter(None, rest)))) for subject, level, *rest in findings]
    return f"{tabulate(rows, tablefmt='plain', disable_numparse=True)}\n"


def _python(launch: Launch) -> Findings:
    if launch.python is None:
        yield Diagnosis("python", "bad", f"{facts.NoPythonError.said}.", facts.NoPythonError.advice)
        return
    said = f"Python {launch.python['python']} with {len(launch.packages)} packages installed."
    yield Diagnosis("python", "ok", said)
    if not launch.frameworks:
        advice = "Activate the training environment, or install the framework in it."
        said = "No supported framework is installed in the training Python."
        yield Diagnosis("framework", "bad" if launch.recipe else "warning", said, advice)
    for name, build in launch.frameworks.items():
        if "error" in build:
            advice = f"Fix the environment so that `python -c 'import {name}'` succeeds."
            yield Diagnosis("framework", "bad", f"{name} cannot be imported: {build['error']}.", advice)
            continue
        libraries = [f"{key} {version}" for key, version in build.items() if version and key != "version"]
        said = f"{name} {build['version']}" + (f" with {', '.join(libraries)}" if libraries else "")
        yield Diagnosis("framework", "ok", f"{said}.")


def _needs(launch: Launch) -> Findings:
    if launch.recipe is None or launch.python is None:
        return
    for need in _COMMA.split(launch.recipe.facts["needs"]):
        if need.endswith(".txt"):
            yield from _requirements(launch, need)
        elif package := _PACKAGE.fullmatch(need):
            yield _package(launch, package[1], package[2])
        else:
            yield Diagnosis("needs", "ok", f"The recipe needs {need}, which cannot be checked automatically.")


def _package(launch: Launch, name: str, version: str | None) -> Diagnosis:
    """Look for a package, also for the one of its name that trains on a CPU, where the launch may."""
    for_cpu = name.removesuffix("-gpu")
    names = [for_cpu] if launch.device == "cpu" else [name, for_cpu] if launch.can("cpu") else [name]
    present = next((one for one in names if _normal(one) in launch.packages), None)
    if present is None:
        advice = f"Install {names[0]} in the training environment."
        return Diagnosis("needs", "warning", f"{names[0]} is not installed in the native Python.", advice)
    found = launch.packages[_normal(present)]
    is_other = bool(version) and not f"{found}.".startswith(f"{version}.")
    said = f"{present} {found} is installed{f'; the recipe needs {version}' if is_other else ''}."
    advice = "Install that version; with another one, results may differ."
    return Diagnosis("needs", "warning" if is_other else "ok", said, advice)


def _requirements(launch: Launch, name: str) -> Findings:
    """Look for the packages that a file of the checkout lists, at its top or in the folder of the program."""
    if launch.repo is None or launch.recipe is None:
        return
    paths = [Path(folder, name) for folder in ["", *launch.recipe.folders]]
    path = next((path for path in paths if (launch.repo / path).is_file()), None)
    if path is None:
        said = f"The checkout has no {paths[-1]}."
        yield Diagnosis("needs", "warning", said, "Check that it is the right repository.")
        return
    listed = _REQUIREMENT.findall(text_of(launch.repo / path, errors="replace"))
    missing = ", ".join(package for package in listed if _normal(package) not in launch.packages)
    said = f"Not installed from {path}: {missing}." if missing else f"Everything in {path} is installed."
    advice = f"Run `python -m pip install -r {path}` in the checkout."
    yield Diagnosis("needs", "warning" if missing else "ok", said, advice)


def _versions(launch: Launch) -> Findings:
    """Name packages that a framework does not work with; bad where the program of the recipe is known to end by it."""
    packages = launch.packages
    for row in tomllib.loads((ROOM / "breaking_versions.toml").read_text(encoding="utf-8"))["versions"]:
        version = packages.get(row["package"], "")
        old = [name for name in row["with"] if () < _numbers(packages.get(name, "")) < _numbers(row["before"])]
        if old and _numbers(version) >= _numbers(row["from"]):
            is_stopped = launch.recipe and launch.recipe.facts.get("framework") in row.get("stops", ())
            level: Level = "bad" if is_stopped and (launch.cards or 1) >= row["cards"] else "warning"
            said = f"{row['package']} {version} with {old[0]} {packages[old[0]]} {row['does']} ({row['source']})."
            yield Diagnosis("versions", level, said, f"Install {row['package']} older than {row['from']}.")


def _cards(launch: Launch, found: Sequence[NvidiaCard | AmdCard]) -> Findings:
    if launch.device == "cpu":
        yield Diagnosis("cards", "ok", "GPUs are not used with --device cpu.")
        return
    if launch.on:  # nobody knows what cards there are
        return
    if not found:
        advice = "See what `nvidia-smi` says; in a container, start it with --gpus all (Docker) or --nv (Apptainer)"
        advice += "; some recipes can train with --device cpu." if launch.can("cpu") else "."
        level: Level = "bad" if launch.recipe else "warning"  # a launch would use one
        yield Diagnosis("cards", level, "No GPU is visible.", advice)
        return
    fallen = {card.index for card in found if card.name == FALLEN}
    nvidia = [card for card in found if isinstance(card, NvidiaCard)]
    for index in sorted(fallen):
        advice = "See `dmesg | grep Xid`; reset it with `nvidia-smi --gpu-reset`, or reboot."
        yield Diagnosis("cards", "bad", f"GPU {index} does not answer: it has fallen off its bus.", advice)
    if answers := [card.answer() for card in found if card.index not in fallen]:
        names = sorted({card.name for card in found} - {FALLEN})
        driver = f", driver {nvidia_driver()}" if nvidia else ""
        yield Diagnosis("cards", "ok", f"{len(answers)} of {', '.join(names)}{driver}.")
        wanted = -(-(launch.cards or 1) // launch.nodes)
        if wanted > len(answers):
            said = f"{wanted} GPUs are wanted on this machine; {len(answers)} answer."
            yield Diagnosis("cards", "bad", said, "Choose fewer with --cards, or several nodes with --nodes and --on.")
        yield from _idle(answers)
    if len(nvidia) > len(fallen):
        yield from _drivers(launch)


def _idle(answers: Sequence[CardAnswer]) -> Findings:
    busy = list[str]()
    for card, sample, processes in answers:
        names = sorted({program(process.number) or "unknown" for process in processes or ()})
        utilisation, memory = sample.utilisation or 0, sample.memory or 0
        if utilisation > _IDLE_UTILISATION or memory > _IDLE_MEMORY or names:
            programs = f"programs on it: {', '.join(names) or 'none'}"
            busy.append(f"GPU {card} is in use: {utilisation}% utilization, {memory} MiB used, {programs}.")
    advice = "Stop these processes or wait for them; throughput measured on a shared GPU is not valid."
    for said in busy or ["All GPUs are idle."]:
        yield Diagnosis("idle", "warning" if busy else "ok", said, advice)


def _drivers(launch: Launch) -> Findings:
    """Hold the frameworks against the driver of NVIDIA, and look whether they see its cards.

    Within a major version of CUDA an older driver does in most cases.
    """
    if launch.environ.get("CUDA_VISIBLE_DEVICES") in {"", "-1"}:
        advice = "Unset it, or set it to the GPUs to train on."
        yield Diagnosis("cards", "warning", "CUDA_VISIBLE_DEVICES hides all GPUs from the native program.", advice)
    driver = cuda_driver() or "unknown"
    for name, build in launch.frameworks.items():
        if "cuda" not in build:
            continue
        advice = f"Install a newer driver, or a build of {name} for CUDA {driver} or older."
        level: Level = "warning" if launch.can("cpu") else "bad"
        said = f"{name} is built without CUDA and cannot use GPUs."
        if cuda := build["cuda"]:
            wanted, known = _numbers(cuda)[:2], _numbers(driver)
            level = "ok" if wanted <= known else "bad" if wanted[:1] > known[:1] else "warning"
            said = f"The driver supports CUDA up to {driver}; {name} is built for {cuda}."
        yield Diagnosis("driver", level, said, advice)


def _load(launch: Launch) -> Findings:
    if launch.on:  # it runs elsewhere
        return
    load = RunLoad(below(os.getpid))
    time.sleep(LOOK)
    load.sample()
    found = load.foreign()
    said = f"Other processes take {found['cpu_percent']:.0f}% of the CPU (load average {found['load_average']:.1f})."
    advice = "Stop them or wait for them; throughput measured beside them may be too low."
    yield Diagnosis("load", "ok" if found["cpu_percent"] <= FOREIGN else "warning", said, advice)


def _storage(launch: Launch, found: Sequence[NvidiaCard | AmdCard]) -> Findings:
    free = shutil.disk_usage(Path()).free if os.access(Path(), os.W_OK) else 0
    said = f"{free / _GIB:.1f} GiB free in this folder." if free else "This folder is full, or not writable."
    advice = "Logs and checkpoints are written below it: choose a folder with at least 10 GiB."
    yield Diagnosis("disk", _enough(free, 10 * _GIB, _GIB), said, advice)
    if launch.on or not _SHARED_MEMORY.is_dir():  # with --on that of other nodes counts
        return
    # Data loaders hand over batches through it: 1 GiB a card; 64 MiB, Docker's default, is bad.
    free = shutil.disk_usage(_SHARED_MEMORY).free
    count = (launch.cards or 1) if launch.device == "cpu" else len(found) or 1
    said = f"{free / _GIB:.1f} GiB free in {_SHARED_MEMORY} for {count} training processes."
    advice = f"Provide {count} GiB (in Docker: --shm-size={count}g or --ipc=host), or data loaders may crash or stall."
    yield Diagnosis("shared memory", _enough(free, count * _GIB, 65 * 2**20), said, advice)


def _enough(free: int, wanted: int, least: int) -> Level:
    return "ok" if free >= wanted else "warning" if free >= least else "bad"


def _variables(launch: Launch) -> Findings:
    known = tomllib.loads((ROOM / "slowing_variables.toml").read_text(encoding="utf-8"))
    environ = launch.environ
    found = [name for name, entry in known.items() if re.fullmatch(entry["values"], environ.get(name, ""))]
    for name in found:
        said = f"{name}={environ[name]} {known[name]['does']}."
        yield Diagnosis("variables", "warning", said, f"Unset it with `unset {name}`, unless it is what you measure.")
    if not found:
        yield Diagnosis("variables", "ok", "No environment variable that is known to slow training down is set.")


def _data(launch: Launch) -> Findings:
    recipe, data = launch.recipe, launch.data
    if recipe is None or launch.synthetic or recipe.data == SYNTHETIC:
        return
    if data is None and launch.repo is not None and recipe.defaults.get("DATA"):
        data = launch.repo / recipe.defaults["DATA"]
    if data is None:
        return
    expected = recipe.facts["data"]
    if not data.exists():
        advice = f"The recipe expects {expected}; put it there, or set its location with --data."
        yield Diagnosis("data", "bad", f"{data} does not exist.", advice)
    else:
        yield Diagnosis("data", "ok", f"{data} exists; the recipe expects {expected}.")


def _checkout(launch: Launch) -> Findings:
    if launch.recipe is None or launch.repo is None:
        return
    differing = list(Checkout(launch.repo).remarks(launch.recipe.facts))
    commit = launch.recipe.facts["commit"][:12]
    yield from differing or [Diagnosis("checkout", "ok", f"At the pinned commit {commit}, without local changes.")]


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, at most three, to compare it with others."""
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])[:3]))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
