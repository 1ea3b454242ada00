"""A series: several runs, of which those that are done stay; they are executed one after the other, or submitted.

They are planned, in their order, from a recipe, a command, or what a page still lacks. To submit a run is to have the
same command executed by a Slurm job, for this run alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain, count, groupby, islice, product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import click

from parsers.io.files import replace_file, sha256_of
from parsers.io.printable import say
from parsers.runs.run_folder import DONE, FAILED, INTERRUPTED, LOG
from parsers.runs.runfile import describes

from ..backends import slurm
from ..backends.place import Place
from ..backends.slurm import Slurm
from ..job import CannotRunHere, Job, of_recipe
from ..machine.telemetry import foreign_remark
from ..recipes.checkout import Checkout
from ..recipes.recipe import Recipe, find
from ..secrets.redaction import public
from .folder import SLURM_OUTPUT, SUBMITTED, RunFolder, claimed, done_below, holding, submitted_below
from .runner import Runner, differing, redact_script
from .screen import Screen

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED_EXIT = 130  # as a shell says it
_IN_CASE_NAME = ("BATCH_SIZE", "PRECISION", "NODES", "CARDS")
_LOOK = 1.0  # seconds between two questions to the queue


@dataclass(frozen=True)
class PlannedRun:
    """One run that is wanted: a job, and the folder that it fills."""

    job: Job
    folder: RunFolder


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
        free = (one for one in folders if one.status() != DONE and not (one.submission() or one.is_held()))
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


@dataclass(frozen=True)
class Series:
    """Runs in the order in which they are wanted."""

    runner: Runner
    planned: Sequence[PlannedRun]

    def script(self) -> Iterator[str]:
        """Write what is not done yet as a shell script that needs nothing of this project, a part a run."""
        self._tell_remarks()
        yield self.runner.place.heading
        for run in self.planned:
            if self._status(run) != DONE:
                yield self.runner.place.script(run.job, run.folder.path.resolve())

    def execute(self) -> None:
        """Execute what is neither done nor submitted; after a run that failed, further ones of its case are left out.

        Raises click.ClickException at the end when runs failed, and click.exceptions.Exit when one was interrupted.
        """
        if not self.planned:
            say("Nothing to run.", err=True)
            return
        self._tell_remarks()
        status = dict[Path, str]()
        with _collected() as signals:
            for number, run in enumerate(self.planned, 1):
                path = run.folder.path
                if FAILED in {said for other, said in status.items() if other.parent == path.parent}:
                    continue
                title = f"{path.parent.name} repeat {path.name}, run {number} of {len(self.planned)}"
                status[path] = self._execute(run, title, signals)
                if signals:
                    say("The same command goes on with what is left.", err=True)
                    raise click.exceptions.Exit(_INTERRUPTED_EXIT)
        _report(status)

    def _execute(self, run: PlannedRun, title: str, signals: Sequence[int]) -> str:
        with self._begun(run) as status:
            if status:
                return status
            say(title, err=True)
            facts = self.runner.run(run.job, run.folder, signals)
        self.runner.screen.finish(signals)
        _tell_end(run.folder, facts)
        return facts["status"]

    def submit(self, parallel: int | None) -> list[RunFolder]:
        """Submit what is neither done nor submitted to Slurm; returns the folders of all runs that are submitted now.

        `parallel`: so many of them side by side, None for as many as the cluster takes. Raises click.UsageError where
        that is not possible, click.ClickException where Slurm refuses a job.
        """
        place = self.runner.place
        if not isinstance(place, Slurm):
            raise click.UsageError("--parallel and --detach require --on slurm.")
        if held := slurm.allocation():
            message = f"--parallel and --detach submit further jobs, not into the Slurm allocation {held}"
            raise click.UsageError(f"{message}; omit them, or start outside of it.")
        self._tell_remarks()
        program = os.environ.get("TACHOGRAPH") or str(Path(sys.executable).with_name("tachograph"))
        jobs = dict[str, RunFolder]()
        for run in self.planned:
            folder = run.folder
            with self._begun(run) as status:
                if status is None:
                    # The end of this job makes room for the next one.
                    after = [*jobs][-parallel] if parallel and len(jobs) >= parallel else None
                    command = [program, sys.argv[1], "--fills", str(folder.path.resolve()), *sys.argv[2:]]
                    number = place.submit(run.job, command, folder.beside(SLURM_OUTPUT).resolve(), after=after)
                    left = {"job": number, "facts": public(self.runner.asked(run.job, folder, run.job.source()[0]))}
                    replace_file(folder.beside(SUBMITTED), json.dumps(left).encode())
                    say(f"{folder.path} is submitted as Slurm job {number}.", err=True)
            if status != DONE and (submission := folder.submission()):
                jobs[submission["job"]] = folder
        return [*jobs.values()]

    @contextmanager
    def _begun(self, run: PlannedRun) -> Iterator[str | None]:
        """Hold the folder of a run, in which nothing is left; of one that is done or submitted only say which."""
        folder, job = run.folder, run.job
        with _written(folder), ExitStack() as held:
            status = self._status(run)
            if status is None:
                held.enter_context(claimed(folder))
                if job.recipe and job.recipe.facts.get("alone") == "yes":
                    why = f"{job.name} writes into its checkout, so two of its runs would mix their files"
                    refusal = f"{why}; wait until the run in {job.repo} has ended."
                    held.enter_context(holding(job.repo.resolve(), os.O_RDONLY, refusal))
                status = self._status(run)  # as another runner has left it meanwhile
            if status is None:
                if folder.unfinished.exists():
                    self.runner.place.finish(folder.unfinished)
                    redact_script(folder.unfinished, "")  # a runner that was killed has not
                for kept in folder.put_aside():
                    say(f"Rerunning {folder.path}; the previous attempt is kept as {kept.name}.", err=True)
            yield status

    def _status(self, run: PlannedRun) -> str | None:
        """Say that a run is done or submitted, and return which; None for neither.

        Raises click.ClickException where its folder holds another run.
        """
        path, submission = run.folder.path, run.folder.submission()
        if submission and submission["job"] != slurm.allocation() and slurm.state(submission["job"])[0]:
            status, facts = SUBMITTED, submission["facts"]
            said = f"{path} is submitted already as Slurm job {submission['job']}."
        elif run.folder.status() == DONE:
            status, facts, said, log = DONE, run.folder.facts(), f"{path} is already done.", path / LOG
            if not (log.is_file() and describes(facts, log, sha256_of(log))):
                message = f"{log} is not the log that its run.json describes"
                raise click.ClickException(f"{message}; move the folder away to rerun the case.")
        else:
            return None
        if found := differing(run.job, self.runner.place, facts):
            message = f"{path} contains a different run ({', '.join(found)})"
            raise click.ClickException(f"{message}; choose another folder with --into.")
        say(said, err=True)
        return status

    def _tell_remarks(self) -> None:
        """Say in a sentence each how the checkouts are not as their recipes mean."""
        jobs = {(run.job.repo, run.job.name): run.job for run in self.planned}
        known = ((job.checkout, job.recipe) for job in jobs.values() if job.recipe and job.repo.exists())
        found = (checkout.remarks(recipe.facts) for checkout, recipe in known)
        for remark in dict.fromkeys(map(str, chain.from_iterable(found))):
            say(remark, err=True)


@contextmanager
def _written(folder: RunFolder) -> Iterator[None]:
    """Say in a sentence what of a run folder could not be written; raises click.ClickException."""
    try:
        yield
    except OSError as error:
        kept = f"; the output so far is in {folder.unfinished}" if folder.unfinished.exists() else ""
        raise click.ClickException(f"{folder.path} could not be written: {error.strerror}{kept}.") from error


@contextmanager
def _collected() -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP instead of obeying them; yields the numbers received so far."""
    received: list[int] = []
    earlier = {number: signal.signal(number, lambda got, _: received.append(got)) for number in _ASKING}
    try:
        yield received
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _tell_end(folder: RunFolder, facts: Mapping[str, Any]) -> None:
    """Say what became of a run, and what others took of the machine meanwhile."""
    if "foreign" in facts and (remark := foreign_remark(facts["foreign"])):
        say(f"{folder.path}: {remark}", err=True)
    if facts["status"] == DONE:
        say(f"{folder.path} is done.", err=True)
        return
    if folder.work.is_dir() and any(folder.work.iterdir()):
        say(f"What the program wrote is kept in {folder.work} until the next attempt.", err=True)
    say(f"{folder.path} {facts['status']}. {facts['reason']}", err=True)


def wait(folders: Sequence[RunFolder], screen: Screen) -> None:
    """Wait until the jobs of submitted runs have ended, one after the other, and show their logs meanwhile.

    A signal cancels the jobs. Raises click.ClickException where some failed, click.exceptions.Exit after a signal.
    """
    states, is_cancelled = dict[Path, str](), False
    with _collected() as signals:
        for folder in folders:
            with screen.following(folder.unfinished / LOG):
                while _look([folder], states):
                    if signals and not is_cancelled:
                        is_cancelled = True
                        for submission in filter(None, [one.submission() for one in folders]):
                            slurm.cancel(submission["job"])
                    time.sleep(_LOOK)
            screen.finish(signals)
    if signals:
        raise click.exceptions.Exit(_INTERRUPTED_EXIT)
    _report(states)


def collect_below(top: Path) -> None:
    """Say what became of the submitted runs below `top` whose jobs have ended, and the states of the others.

    Raises click.ClickException where runs failed.
    """
    if not (folders := list(submitted_below(top))):
        say(f"No submitted runs in {top}.", err=True)
        return
    states = dict[Path, str]()
    left = _look(folders, states)
    _report(states, f"; not ended: {len(left)}" if left else "")


def _look(folders: Sequence[RunFolder], states: dict[Path, str]) -> list[RunFolder]:
    """Say what became of the runs whose jobs have ended, and return the others.

    `states`: what was said last of each: the status of its run, or the state of its job, which is said again where it
    is another one.
    """
    left = []
    for folder in folders:
        if not (submission := folder.submission()):  # another one has said what became of it
            continue
        job, output = submission["job"], folder.beside(SLURM_OUTPUT)
        is_going, said = slurm.state(job)
        if is_going:
            left.append(folder)
            if states.get(folder.path) != (state := said.partition(" ")[0]):
                say(f"{folder.path}: Slurm job {job} is {said}.", err=True)
            states[folder.path] = state
            continue
        with _written(folder):
            folder.beside(SUBMITTED).unlink(missing_ok=True)
            if (status := folder.status()) is None:
                ended = f"Slurm job {job} has ended ({said}) without its run; what it said is in {output}"
                say(f"{folder.path}: {ended}.", err=True)
            else:
                output.unlink(missing_ok=True)
                _tell_end(folder, folder.facts())
        states[folder.path] = status or FAILED
    return left


def _report(states: Mapping[Path, str], waits: str = "") -> None:
    """Say how many runs have ended; raises click.ClickException where some of them failed."""
    failed = [str(path) for path, status in states.items() if status in (FAILED, INTERRUPTED)]
    counts = f"Runs done: {list(states.values()).count(DONE)}, failed: {len(failed)}{waits}"
    if failed:
        retry = "`tachograph doctor` may show why; the same command retries them"
        raise click.ClickException(f"{counts}. Failed: {', '.join(failed)}. {retry}.")
    say(f"{counts}.", err=True)
