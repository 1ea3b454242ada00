"""The doctor: what would spoil a measurement on this machine, found before hours are spent."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from parsers.runs.run_folder import Environment

from ..recipes import checkout
from ..recipes.recipe import Recipe
from . import gpus, machine_facts
from .doctor_cards import ALL, Wants, cards_findings
from .doctor_python import python_findings, wanted
from .doctor_variables import variables_findings
from .findings import Diagnosis, Level

_GIB = 2**30
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  nothing is written there
_NO_DATA = Diagnosis("data", "bad", "The recipe trains on synthetic data and does not read a data set.", "Omit --data.")
_FILE_NAME = re.compile(r"\b[\w-]+\.[a-z]{2,}\b")


def examine(
    recipe: Recipe | None,
    repo: Path | None,
    data: Path | None,
    environ: Mapping[str, str],
    wants: Wants = ALL,
    inside: Callable[[], Environment] | None = None,
) -> Iterator[Diagnosis]:
    """Look at all that a run needs, and say of each thing whether it is good, and what to do where it is not.

    What belongs to a recipe is looked at only where there is one, its checkout and its data only where `repo` or
    `data` tells where they are. `environ` is the environment in which the native program would be started. Of the
    disk the folder in which this process stands counts, for logs go below it. `wants`: what a launch would use.
    `inside`: asks the Python of a container, in place of that of `environ`.
    """
    native: Mapping[str, Any] = {"frameworks": {}}
    try:
        native = inside() if inside else machine_facts.native_python(environ)
        yield from python_findings(recipe, repo, native)
    except machine_facts.NoPythonError as error:
        yield Diagnosis("python", "bad", f"{error.said}.", error.advice)
    with gpus.cards() as cards:
        yield from cards_findings(recipe, cards, wanted(native["frameworks"], recipe), environ, wants)
        yield from _storage_findings(repo, max(1, len(cards)))
    yield from variables_findings(environ)
    if recipe is not None:
        yield from _precision_findings(recipe, wants)
        yield from _data_findings(recipe, repo, data)
        yield from _checkout_findings(recipe, repo)


def _precision_findings(recipe: Recipe, wants: Wants) -> Iterator[Diagnosis]:
    possible = [*recipe.precisions("gpu"), *recipe.precisions("cpu")]
    if wants.precision and wants.precision not in possible:
        said = f"The recipe does not train in {wants.precision}."
        yield Diagnosis("precision", "bad", said, f"Choose one of {', '.join(dict.fromkeys(possible))}.")


def _storage_findings(repo: Path | None, cards: int) -> Iterator[Diagnosis]:
    yield _disk("disk of the logs", Path(), scarce=_GIB, too_little=_GIB // 10)
    if repo is not None:  # native programs write checkpoints into it
        yield _disk("disk of the checkout", repo, scarce=10 * _GIB, too_little=_GIB)
    if _SHARED_MEMORY.is_dir():
        yield _shared_memory(shutil.disk_usage(_SHARED_MEMORY).free, cards)


def _disk(subject: str, folder: Path, scarce: int, too_little: int) -> Diagnosis:
    free = shutil.disk_usage(folder).free
    if not os.access(folder, os.W_OK):
        return Diagnosis(subject, "bad", "Not writable.", "Choose a writable folder.")
    said = f"{free / _GIB:.1f} GiB free."
    if free >= scarce:
        return Diagnosis(subject, "ok", said)
    advice = f"Free up space: at least {scarce / _GIB:.0f} GiB are recommended."
    return Diagnosis(subject, "bad" if free < too_little else "warning", said, advice)


def _shared_memory(free: int, cards: int) -> Diagnosis:
    """Judge the memory through which data loaders hand over batches: 1 GiB a card; 64 MiB, Docker's default, is bad."""
    said = f"{free / _GIB:.1f} GiB free in {_SHARED_MEMORY} for {cards} {'GPU' if cards == 1 else 'GPUs'}."
    if free >= cards * _GIB:
        return Diagnosis("shared memory", "ok", said)
    advice = f"Provide {cards} GiB (in Docker: --shm-size={cards}g or --ipc=host), or data loaders may crash or stall."
    return Diagnosis("shared memory", "bad" if free <= 64 * 2**20 else "warning", said, advice)


def _data_findings(recipe: Recipe, repo: Path | None, data: Path | None) -> Iterator[Diagnosis]:
    if recipe.data == "synthetic":
        yield from [_NO_DATA] if data else []
        return
    default = recipe.defaults.get("DATA")
    if data is None and repo is not None and default:
        data = repo / default
    if data is None:
        return
    expected = recipe.facts["data"]
    if not data.exists():
        advice = f"The recipe expects {expected}; put it there, or set its location with --data."
        yield Diagnosis("data", "bad", f"{data} does not exist.", advice)
        return
    missing = [name for name in _FILE_NAME.findall(expected) if not (data / name).exists()]
    level: Level = "warning" if missing else "ok"
    said = f"{data} is missing {', '.join(missing)}." if missing else f"{data} exists."
    yield Diagnosis("data", level, said, f"The recipe expects {expected}." if missing else None)


def _checkout_findings(recipe: Recipe, repo: Path | None) -> Iterator[Diagnosis]:
    if repo is None:
        return
    remarks = list(checkout.remarks(checkout.describe(repo), recipe.facts))
    for remark in remarks:
        yield Diagnosis("checkout", "bad" if remark.is_wrong else "warning", f"{remark.said}.", remark.advice)
    if not remarks:
        yield Diagnosis("checkout", "ok", f"At the pinned commit {recipe.facts['commit'][:12]}, without local changes.")
