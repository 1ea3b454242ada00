"""Planning: from a recipe, or from what a page still lacks, to the runs that are wanted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Protocol

import click

from ..io.output import say
from ..native import checkout, recipes
from ..native.recipes import Recipe
from .folders import RunFolder
from .jobs import CannotRunHere, Job
from .places import Place
from .series import PlannedRun


class WantedRun(Protocol):
    """One run that a page lacks."""

    @property
    def recipe(self) -> str:
        """The name of the recipe."""

    @property
    def options(self) -> Mapping[str, str]:
        """Launcher variables."""

    @property
    def extra(self) -> Sequence[str]:
        """Arguments of the native program."""

    @property
    def folder(self) -> Path:
        """The run folder to fill."""


@dataclass(frozen=True)
class Planner:
    """`repos`: checkouts, of which each recipe takes its own. `data`: None for where the recipe or page says it is."""

    repos: Sequence[Path]
    data: Path | None
    place: Place

    def of_recipe(self, name: str, options: Mapping[str, str], suite: Path, repeats: int) -> list[PlannedRun]:
        """Plan `repeats` runs of one case under the folder `suite`."""
        job = self._job(name, options)
        case = suite / job.case_name
        return [PlannedRun(job, RunFolder(case / str(number))) for number in range(1, repeats + 1)]

    def of_page(self, wanted: Iterable[WantedRun]) -> list[PlannedRun]:
        """Plan the runs that a page lacks; says which cannot run here. Raises click.UsageError where none can."""
        planned, refused = [], dict[str, None]()
        for _, repeats in groupby(wanted, lambda run: run.folder.parent):
            runs = list(repeats)
            try:
                job = self._of_page(runs[0])
            except CannotRunHere as error:
                refused[error.message] = None
            else:
                planned += [PlannedRun(job, RunFolder(run.folder)) for run in runs]
        if refused and not planned:
            raise click.UsageError(" ".join(refused))
        for sentence in refused:
            say(f"Skipped: {sentence}", err=True)
        return planned

    def _of_page(self, run: WantedRun) -> Job:
        job = self._job(run.recipe, {**run.options, "EXTRA": shlex.join(run.extra)})
        meant, found = job.recipe.facts["repository"], checkout.origin(job.repo)
        if found and not checkout.is_of(job.repo, meant):
            message = (
                f"{job.recipe.name} requires a checkout of {meant} as --repo; {job.repo} is a checkout of {found}."
            )
            raise click.UsageError(message)
        return job

    def _job(self, name: str, options: Mapping[str, str]) -> Job:
        if name not in recipes.names():
            raise click.UsageError(f"No recipe is named {name}; recipes: {', '.join(recipes.names())}.")
        recipe = recipes.read(name)
        return self.place.adapted(Job(recipe, self._repo(recipe), self.data, options))

    def _repo(self, recipe: Recipe) -> Path:
        """The checkout of a recipe: the one that is called like its repository, or the only one there is."""
        wanted = recipe.facts["repository"]
        fitting = [repo for repo in self.repos if checkout.is_of(repo, wanted)]
        if len(fitting) != 1 and len(self.repos) != 1:
            given = ", ".join(map(str, self.repos)) or "none"
            raise click.UsageError(f"{recipe.name} requires one checkout of {wanted} as --repo; given: {given}.")
        return (fitting or self.repos)[0]


def suite(folder: Path, options: Mapping[str, str]) -> Path:
    """Return the folder of a suite; that of a further node is its own, because all nodes may share one disk."""
    rank = options.get("NODE_RANK", "0")
    return folder if rank == "0" else folder.with_name(f"{folder.name}-node{rank}")
