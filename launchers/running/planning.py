"""Planning: from a recipe, or from what a page still lacks, to the runs that are wanted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, groupby, islice
from pathlib import Path
from typing import Protocol

import click

from parsers.io.printable import say
from parsers.runs.run_folder import DONE

from ..clusters.place import Place
from ..jobs.job import CannotRunHere, Job
from ..jobs.recipe_job import RecipeJob
from ..recipes.checkout import Checkout, refuse_other
from ..recipes.recipe import Recipe, find
from ..runs.folders import RunFolder, submitted_below
from .compared_checkouts import alternating, label_of, suite_of
from .run_facts import differing
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
    """`repos`: checkouts, of which each recipe takes its own. `data`: None for where the recipe or page says it is.

    `own`: the scripts of recipes that are neither part of Tachograph nor in a folder of TACHOGRAPH_RECIPES.
    """

    repos: Sequence[Path]
    data: Path | None
    place: Place
    own: Sequence[Path] = ()

    def of_recipe(self, name: str, options: Mapping[str, str], suite: Path, repeats: int) -> list[PlannedRun]:
        """Plan `repeats` runs of one case under the folder `suite`.

        Of several checkouts of its repository all run alternately, each under a suite that its folder names, too.
        """
        fitting = self._fitting(find(name, self.own))
        if len(fitting) < 2:
            return self._of_checkout(name, options, suite, repeats)
        labels = [label_of(repo.resolve().name) for repo in fitting]
        if len({*labels}) < len(labels):
            raise click.UsageError(f"Checkouts to compare need folders of different names; given: {', '.join(labels)}.")
        each = [replace(self, repos=(repo,)) for repo in fitting]
        suites = [suite_of(suite, label) for label in labels]
        runs = [one._of_checkout(name, options, of, repeats) for one, of in zip(each, suites, strict=True)]
        return alternating(runs)

    def _of_checkout(self, name: str, options: Mapping[str, str], suite: Path, repeats: int) -> list[PlannedRun]:
        job = self._job(name, options)
        case = suite / job.case_name
        return [PlannedRun(job, RunFolder(case / str(number))) for number in range(1, repeats + 1)]

    def of_page(self, wanted: Iterable[WantedRun]) -> list[PlannedRun]:
        """Plan the runs that a page lacks, its cases alternately; says which cannot run here.

        Raises click.UsageError where none can.
        """
        cases, refused = list[list[PlannedRun]](), dict[str, None]()
        for _, repeats in groupby(wanted, lambda run: run.folder.parent):
            runs = list(repeats)
            try:
                job = self._of_page(runs[0])
            except CannotRunHere as error:
                refused[error.message] = None
            else:
                cases.append([PlannedRun(job, RunFolder(run.folder)) for run in runs])
        if refused and not cases:
            raise click.UsageError(" ".join(refused))
        for sentence in refused:
            say(f"Skipped: {sentence}", err=True)
        return alternating(cases)

    def of_command(self, job: Job, suite: Path, repeats: int) -> list[PlannedRun]:
        """Plan `repeats` more runs of a command under the folder `suite`.

        They are repeats of the runs there that differ in nothing; else their case has a folder with a number.
        """
        adapted = self.place.adapted(job)
        numbered = (suite / f"{job.case_name}{f'-{number}' if number > 1 else ''}" for number in count(1))
        case = next(folder for folder in numbered if not any(self._others(adapted, folder)))
        folders = (RunFolder(case / str(number)) for number in count(1))
        return [PlannedRun(adapted, folder) for folder in islice(filter(_is_free, folders), repeats)]

    def _others(self, job: Job, case: Path) -> Iterator[str]:
        """How the finished and the submitted runs in the folder of a case, repeats of each other, differ from a job."""
        folders = (RunFolder(path) for path in case.glob("[1-9]*"))
        finished = (folder.facts() for folder in folders if folder.status() == DONE)
        submitted = (folder.submission()["facts"] for folder in submitted_below(case))
        if known := next(chain(finished, submitted), None):
            yield from differing(job, self.place, known)

    def _of_page(self, run: WantedRun) -> Job:
        return self._job(run.recipe, {**run.options, "EXTRA": shlex.join(run.extra)})

    def _job(self, name: str, options: Mapping[str, str]) -> Job:
        recipe = find(name, self.own)
        repo = self._repo(recipe)
        refuse_other(repo, recipe.name, recipe.facts["repository"])
        return self.place.adapted(RecipeJob(recipe, repo, self.data, options))

    def _repo(self, recipe: Recipe) -> Path:
        """The checkout of a recipe: the one that is called like its repository, or the only one there is."""
        wanted, fitting = recipe.facts["repository"], self._fitting(recipe)
        if len(fitting) != 1 and len(self.repos) != 1:
            given = ", ".join(map(str, self.repos)) or "none"
            raise click.UsageError(f"{recipe.name} requires one checkout of {wanted} as --repo; given: {given}.")
        return (fitting or self.repos)[0]

    def _fitting(self, recipe: Recipe) -> list[Path]:
        return [repo for repo in self.repos if Checkout(repo).is_of(recipe.facts["repository"])]


def _is_free(folder: RunFolder) -> bool:
    """Whether a run may fill a folder: none has, and no submitted job is about to."""
    return folder.status() != DONE and not folder.is_submitted()


def suite(folder: Path, options: Mapping[str, str]) -> Path:
    """Return the folder of a suite; that of a further node is its own, because all nodes may share one disk."""
    rank = options.get("NODE_RANK", "0")
    return folder if rank == "0" else folder.with_name(f"{folder.name}-node{rank}")
