"""Plans: from a recipe, a command, or what a page still lacks, to the runs that are wanted, and in which order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, groupby, islice, product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import click

from parsers.io.printable import say
from parsers.runs.run_folder import DONE

from ..backends.place import Place
from ..job import CannotRunHere, Job, of_recipe
from ..recipes.checkout import Checkout
from ..recipes.recipe import Recipe, find
from .folder import RunFolder, done_below, submitted_below
from .runner import differing
from .series import PlannedRun

_IN_CASE_NAME = ("BATCH_SIZE", "PRECISION", "NODES", "CARDS")


class WantedRun(NamedTuple):
    """One run that a page lacks: `options` are launcher variables, `extra` arguments of the native program."""

    recipe: str
    options: Mapping[str, str]
    extra: Sequence[str]
    folder: Path


@dataclass(frozen=True)
class Planner:
    """`checkouts`: those of which each recipe takes its own; none where only scripts are printed.

    `data`: None for where the recipe or page says it is.
    """

    place: Place
    checkouts: Sequence[Checkout] = ()
    data: Path | None = None

    def of_recipe(self, name: str, options: Mapping[str, Sequence[str]], suite: Path, repeats: int) -> list[PlannedRun]:
        """Plan `repeats` runs, below the folder `suite`, of the case of each combination of the values of `options`.

        Cases run alternately. Of several checkouts of its repository each has the same cases, alternately, too, in a
        suite that its folder names.
        """
        recipe, cases = find(name), []
        fitting = self._fitting(recipe)
        if len(fitting) < 2:
            suites = {suite: self._checkout(recipe)}
        else:
            suites = {suite_of(suite, one.repo.resolve().name): one for one in fitting}
            if len(suites) < len(fitting):
                folders = ", ".join(str(one.repo) for one in fitting)
                raise click.UsageError(f"Checkouts to compare need folders of different names; given: {folders}.")
        swept = [name for name, values in options.items() if len(values) > 1 and name not in _IN_CASE_NAME]
        for values in product(*options.values()):
            chosen = dict(zip(options, values, strict=True))
            more = "".join(f"_{name.lower()}{chosen[name]}" for name in swept)
            for folder, one in suites.items():
                job = self._job(recipe, one, chosen)
                case = folder / f"{job.case_name}{more}"
                cases.append([PlannedRun(job, RunFolder(case / str(number))) for number in range(1, repeats + 1)])
        return alternating(cases)

    def of_page(self, wanted: Iterable[WantedRun]) -> list[PlannedRun]:
        """Plan the runs that a page lacks, its cases alternately; says which cannot run here.

        Raises click.UsageError where none can.
        """
        cases, refused = list[list[PlannedRun]](), dict[str, None]()
        for _, repeats in groupby(wanted, lambda run: run.folder.parent):
            first, *others = repeats
            recipe = find(first.recipe)
            try:
                job = self._job(recipe, self._checkout(recipe), {**first.options, "EXTRA": shlex.join(first.extra)})
            except CannotRunHere as error:
                refused[error.message] = None
            else:
                cases.append([PlannedRun(job, RunFolder(run.folder)) for run in (first, *others)])
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
        free = (
            folder for folder in folders if folder.status() != DONE and not (folder.submission() or folder.is_held())
        )
        return [PlannedRun(adapted, folder) for folder in islice(free, repeats)]

    def _others(self, job: Job, case: Path) -> Iterator[str]:
        """How the finished and the submitted runs in the folder of a case, repeats of each other, differ from a job."""
        finished: Iterator[Mapping[str, Any]] = (RunFolder(path).facts() for path in done_below(case))
        submitted = (found["facts"] for folder in submitted_below(case) if (found := folder.submission()))
        if known := next(chain(finished, submitted), None):
            yield from differing(job, self.place, known)

    def _job(self, recipe: Recipe, checkout: Checkout | None, options: Mapping[str, str]) -> Job:
        return self.place.adapted(of_recipe(recipe, checkout, self.data, options, by_card=self.place.starts_tasks))

    def _fitting(self, recipe: Recipe) -> list[Checkout]:
        return [one for one in self.checkouts if one.is_of(recipe.facts["repository"])]

    def _checkout(self, recipe: Recipe) -> Checkout | None:
        """The checkout of a recipe: the one of its repository, or the only one there is if nothing says whose it is."""
        if not self.checkouts:
            return None
        wanted, fitting = recipe.facts["repository"], self._fitting(recipe)
        # One whose remote is not known is taken for the right one.
        chosen = fitting or [one for one in self.checkouts if len(self.checkouts) == 1 and not one.repository]
        if len(chosen) != 1:
            given = ", ".join(str(one.repository or one.repo) for one in self.checkouts)
            raise click.UsageError(f"{recipe.name} requires one checkout of {wanted} as --repo; given: {given}.")
        return chosen[0]


def alternating(cases: Sequence[Sequence[PlannedRun]]) -> list[PlannedRun]:
    """The runs of several cases, repeat by repeat, every other time in the opposite order: A B B A A B.

    So a machine that becomes slower from run to run slows all cases down alike.
    """
    rounds = enumerate(zip_longest(*cases))
    return [run for number, runs in rounds for run in (runs[::-1] if number % 2 else runs) if run is not None]


def suite_of(suite: Path, side: str) -> Path:
    """The suite of the runs in another folder, beside that of the runs from here."""
    label = re.sub(r"[^\w.+-]+", "-", side).strip("-.") or "other"
    return suite.with_name(f"{suite.name}@{label}")
