"""What the doctor finds in the native Python: whether it answers, its frameworks, what a recipe needs of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from parsers.io.input_file import text_of

from ..recipes.recipe import Recipe
from .findings import Diagnosis, Level

Frameworks = Mapping[str, Mapping[str, str | None]]
_PACKAGE = re.compile(r"([\w.-]+)(?: (\d[\d.]*))?")
_COMMA = re.compile(r",(?![^()]*\))")
_REQUIREMENT = re.compile(r"^(?!.*(?:;|://))(\w[\w.-]*)", re.MULTILINE)  # without conditions and addresses


def python_findings(recipe: Recipe | None, repo: Path | None, native: Mapping[str, Any]) -> Iterator[Diagnosis]:
    """Examine what the native Python said of itself (see `machine.native_python`)."""
    yield Diagnosis("python", "ok", f"Python {native['python']} with {len(native['packages'])} packages installed.")
    yield from _framework_findings(wanted(native["frameworks"], recipe), recipe)
    if recipe is not None:
        yield from _need_findings(recipe, repo, native["packages"])


def wanted(frameworks: Frameworks, recipe: Recipe | None) -> Frameworks:
    """Pick the frameworks that the recipe's needs name; all where they name none."""
    needs = recipe.facts["needs"].lower() if recipe else ""
    return {name: build for name, build in frameworks.items() if name in needs} or frameworks


def _framework_findings(frameworks: Frameworks, recipe: Recipe | None) -> Iterator[Diagnosis]:
    if not frameworks:
        level: Level = "warning" if recipe is None else "bad"
        advice = "Activate the training environment, or install the framework in it."
        yield Diagnosis("framework", level, "No supported framework is installed in the training Python.", advice)
    for name, build in frameworks.items():
        if "error" in build:
            advice = f"Fix the environment so that `python -c 'import {name}'` succeeds."
            yield Diagnosis("framework", "bad", f"{name} cannot be imported: {build['error']}.", advice)
        else:
            yield Diagnosis("framework", "ok", f"{name} {_build(build)}.")


def _build(build: Mapping[str, str | None]) -> str:
    spelt = {"cuda": "CUDA", "cudnn": "cuDNN", "nccl": "NCCL"}
    parts = [f"{spelt[key]} {build[key]}" for key in spelt if build.get(key)]
    without = " without CUDA" if "cuda" in build else ""
    return f"{build['version']}" + (f" with {', '.join(parts)}" if parts else without)


def _needs(text: str) -> list[str]:
    """The parts of a list in words: not split within parentheses, and without the `and` before the last one."""
    return [part.strip().removeprefix("and ") for part in _COMMA.split(text)]


def _need_findings(recipe: Recipe, repo: Path | None, packages: Mapping[str, str]) -> Iterator[Diagnosis]:
    installed = {_normal(name): version for name, version in packages.items()}
    for words in _needs(recipe.facts["needs"]):
        package = _PACKAGE.fullmatch(words)
        if words.endswith(".txt"):
            yield from _file_findings(words, repo, installed)
        elif package is None:
            advice = "See the native repository's documentation."
            yield Diagnosis(
                "needs", "warning", f"The recipe needs {words}, which cannot be checked automatically.", advice
            )
        else:
            yield _package_finding(package[1], package[2], installed, bool(recipe.precisions("cpu")))


def _file_findings(name: str, repo: Path | None, installed: Mapping[str, str]) -> Iterator[Diagnosis]:
    if repo is None:
        return
    if not (repo / name).is_file():
        yield Diagnosis("needs", "warning", f"The checkout has no {name}.", "Check that it is the right repository.")
        return
    text = text_of(repo / name, errors="replace")
    missing = [package for package in _REQUIREMENT.findall(text) if _normal(package) not in installed]
    advice = f"Run `python -m pip install -r {name}` in the checkout." if missing else None
    said = f"Not installed from {name}: {', '.join(missing)}." if missing else f"Everything in {name} is installed."
    yield Diagnosis("needs", "warning" if missing else "ok", said, advice)


def _package_finding(name: str, needed: str | None, installed: Mapping[str, str], cpu: bool) -> Diagnosis:
    known = [name, name.removesuffix("-gpu")] if cpu else [name]
    present = next((other for other in known if _normal(other) in installed), None)
    if present is None:
        advice = f"Install {name} in the training environment."
        return Diagnosis("needs", "warning", f"{name} is not installed in the native Python.", advice)
    found = installed[_normal(present)]
    if needed and not f"{found}.".startswith(f"{needed}."):
        advice = "Install that version; with another one, results may differ."
        return Diagnosis("needs", "warning", f"{present} {found} is installed; the recipe needs {needed}.", advice)
    return Diagnosis("needs", "ok", f"{present} {found} is installed.")


def _normal(name: str) -> str:
    """Spell the name of a package as package registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
