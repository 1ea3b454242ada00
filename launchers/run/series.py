"""A series: several runs, of which those that are done stay; they are executed one after the other, or submitted.

A job that is submitted to Slurm runs while nobody waits, and its run folder is filled after its end. At submission the
unfinished folder gets what is known of the run; the job itself keeps its log there, with its clock and without secrets,
and says where it runs and how it ends. Who collects it later needs nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

import click

from parsers.io.atomic_write import replace_file
from parsers.io.input_file import data_of, opened
from parsers.io.locks import locked
from parsers.io.printable import say, shell_quoted
from parsers.runs.run_folder import DONE, FAILED, INTERRUPTED, LOG, SCRIPT, RunJson

from ..backends import slurm
from ..backends.slurm import JobState, Slurm
from ..job import Job
from ..machine.telemetry import foreign_remark
from ..secrets.redaction import PLACEHOLDER, Redactor, public, secret_values
from .execution import Ended
from .folder import BEGUN, ENDED, OUTPUT, SUBMISSION, SUBMITTED, RunFolder, claimed, submitted_below
from .runner import Runner, differing, finished, now, redact_script

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_INTERRUPTED_EXIT = 130  # as a shell says it
_SUBMITTED = "submitted"
_LOOK = 2.0  # seconds between two questions to the queue
_ALONE = "{name} writes into its checkout, so two of its runs would mix their files; {advice}."


@dataclass(frozen=True)
class PlannedRun:
    """One run that is wanted: a job, and the folder that it fills."""

    job: Job
    folder: RunFolder


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
                    say(f"Interrupted: {path} is {status[path]}; the same command goes on.", err=True)
                    raise click.exceptions.Exit(_INTERRUPTED_EXIT)
        if failed := [str(path) for path, said in status.items() if said == FAILED]:
            retry = "`tachograph doctor` may show why; the same command retries them"
            raise click.ClickException(
                f"{len(failed)} of {len(self.planned)} runs failed: {', '.join(failed)}. {retry}."
            )
        if _SUBMITTED not in status.values():
            suites = ", ".join(dict.fromkeys(str(path.parent.parent) for path in status))
            say(f"All runs are done ({len(self.planned)}), see {suites}.", err=True)

    def _execute(self, run: PlannedRun, title: str, signals: Sequence[int]) -> str:
        with _written(run.folder), claimed(run.folder), _alone(run.job):
            if status := self._status(run):
                return status
            self._clear(run.folder)
            say(title, err=True)
            facts = self.runner.run(run.job, run.folder, signals)
        self.runner.screen.finish(signals)
        if "foreign" in facts and (remark := foreign_remark(facts["foreign"])):
            say(f"{run.folder.path}: {remark}", err=True)
        if facts["status"] == FAILED:
            _tell_failure(run.folder, facts)
        return facts["status"]

    def submit(self, parallel: int | None) -> list[RunFolder]:
        """Submit what is neither done nor submitted to Slurm; returns the folders of all runs that are submitted now.

        `parallel`: so many of them side by side, None for as many as the cluster takes. Raises click.UsageError where
        nobody could watch the runs as asked, click.ClickException where Slurm refuses a job.
        """
        runner, place = self.runner, self.runner.place
        if not isinstance(place, Slurm):
            raise click.UsageError("--parallel and --detach require --on slurm.")
        if held := slurm.allocation():
            message = f"--parallel and --detach submit further jobs, not into the Slurm allocation {held}"
            raise click.UsageError(f"{message}; omit them, or start outside of it.")
        if runner.timeout or runner.stall:
            watched = "--timeout and --stall cannot be used with --parallel or --detach, since nobody watches the run"
            raise click.UsageError(f'{watched}; set a time limit in the site file, such as time = "02:00:00".')
        for run in self.planned:
            if run.job.recipe and run.job.recipe.is_alone:
                raise click.UsageError(_ALONE.format(name=run.job.name, advice="omit --parallel and --detach"))
        self._tell_remarks()
        jobs = dict[str, RunFolder]()
        for job, folder in ((run.job, run.folder) for run in self.planned):
            with _written(folder), claimed(folder):
                status = self._status(PlannedRun(job, folder))
                if status is None:
                    self._clear(folder)
                    # The end of this job makes room for the next one.
                    after = [*jobs][-parallel] if parallel and len(jobs) >= parallel else None
                    begun = runner.begin(job, folder)
                    placed = replace(job, environment={**job.environment, "WORK": str(folder.work.resolve())})
                    place.submit(placed, folder.unfinished.resolve(), after=after, redacts=runner.redacts)
                    if runner.redacts:
                        redact_script(folder.unfinished / SCRIPT, job.command)  # Slurm has its own copy
                        begun = replace(begun, facts=public(begun.facts))
                    replace_file(folder.unfinished / SUBMISSION, json.dumps(asdict(begun)).encode())
                    say(f"{folder.path} is submitted as Slurm job {slurm.number(folder.unfinished)}.", err=True)
            if status != DONE:
                jobs[slurm.number(folder.unfinished)] = folder
        return [*jobs.values()]

    def _status(self, run: PlannedRun) -> str | None:
        """Say that a run is done or submitted, and return which; None for neither.

        Raises click.ClickException where its folder holds another run.
        """
        path, unfinished = run.folder.path, run.folder.unfinished
        if run.folder.is_submitted():
            status, facts = _SUBMITTED, run.folder.submission().facts
            said = f"{path} is submitted already as Slurm job {slurm.number(unfinished)}."
        elif run.folder.status() == DONE:
            status, facts, said = DONE, run.folder.facts(), f"{path} is already done."
            if not run.folder.is_intact():
                message = f"{run.folder.log} is not the log that its run.json describes"
                raise click.ClickException(f"{message}; move the folder away to rerun the case.")
        else:
            return None
        if found := differing(run.job, self.runner.place, facts):
            message = f"{path} contains a different run ({', '.join(found)})"
            raise click.ClickException(f"{message}; choose another folder with --into.")
        say(said, err=True)
        return status

    def _clear(self, folder: RunFolder) -> None:
        """Put aside what an earlier run left in a claimed folder, and end its job."""
        if folder.unfinished.exists():
            self.runner.place.finish(folder.unfinished)
            redact_script(folder.unfinished / SCRIPT, "")  # a runner that was killed has not
        for kept in folder.put_aside():
            say(f"Rerunning {folder.path}; the previous attempt is kept as {kept.name}.", err=True)

    def _tell_remarks(self) -> None:
        """Say in a sentence each what somebody should know before the runs begin."""
        jobs = {(run.job.repo, run.job.name): run.job for run in self.planned}
        for remark in dict.fromkeys(chain.from_iterable(job.remarks() for job in jobs.values())):
            say(remark, err=True)


@contextmanager
def _alone(job: Job) -> Iterator[None]:
    """Hold the checkout of a recipe that writes into it; raises click.ClickException where another run holds it."""
    held = os.open(job.repo, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if job.recipe and job.recipe.is_alone and not locked(job.repo, held):
            advice = f"wait until the run in {job.repo} has ended"
            raise click.ClickException(_ALONE.format(name=job.name, advice=advice))
        yield
    finally:
        os.close(held)


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


def _tell_failure(folder: RunFolder, facts: RunJson) -> None:
    if folder.work.is_dir() and any(folder.work.iterdir()):
        say(f"What the program wrote is kept in {folder.work} until the next attempt.", err=True)
    say(f"{folder.path} failed. {facts['reason']}", err=True)


def wait(folders: Sequence[RunFolder]) -> None:
    """Fill all folders as their jobs end; a signal cancels the jobs.

    Raises click.ClickException where some failed, click.exceptions.Exit after a signal.
    """
    told, is_cancelled = dict[Path, str](), False
    with _collected() as signals:
        while folders := _look(folders, told):
            if signals and not is_cancelled:
                is_cancelled = True
                for folder in folders:
                    slurm.cancel(folder.unfinished)
            time.sleep(_LOOK)
    if signals:
        raise click.exceptions.Exit(_INTERRUPTED_EXIT)
    _report(told)


def collect_below(top: Path) -> None:
    """Fill the run folders below `top` whose jobs have ended, and say the states of the others.

    Raises click.ClickException where runs failed.
    """
    if not (folders := list(submitted_below(top))):
        say(f"No submitted runs in {top}.", err=True)
        return
    told = dict[Path, str]()
    left = _look(folders, told)
    _report(told, f"; not ended: {len(left)}, collect them later" if left else "")


def tell_how_to_collect(folders: Sequence[RunFolder]) -> None:
    """Say the command that collects submitted runs."""
    if folders:
        top = os.path.commonpath([folder.path.parent.parent for folder in folders])
        say(f"Collect them with `tachograph launch --collect {shell_quoted(top)}`.", err=True)


def _look(folders: Sequence[RunFolder], told: dict[Path, str]) -> list[RunFolder]:
    """Fill the folders whose jobs have ended, say what became of them, and return the others.

    `told`: what was said last of each folder: the status of its run, or the state of its job, which is said again where
    it is another one.
    """
    left = []
    for folder in folders:
        with _written(folder), claimed(folder):
            if not folder.is_submitted():  # another one has collected it
                continue
            found = _collect(folder)
        if isinstance(found, JobState):
            left.append(folder)
            if told.get(folder.path) != str(found.name):
                say(f"{folder.path}: Slurm job {slurm.number(folder.unfinished)} is {found}.", err=True)
            told[folder.path] = str(found.name)
            continue
        told[folder.path] = found["status"]
        if found["status"] == DONE:
            say(f"{folder.path} is done.", err=True)
        else:
            for line in ["Last lines of the log:", *(f"  {line}" for line in found["last_lines"])]:
                say(line, err=True)
            _tell_failure(folder, found)
    return left


def _report(told: Mapping[Path, str], waits: str = "") -> None:
    """Say how many runs have ended; raises click.ClickException where some of them failed."""
    failed = [str(path) for path, status in told.items() if status in (FAILED, INTERRUPTED)]
    counts = f"Runs done: {list(told.values()).count(DONE)}, failed: {len(failed)}{waits}"
    if failed:
        raise click.ClickException(f"{counts}. Failed: {', '.join(failed)}.")
    say(f"{counts}.", err=True)


def _collect(folder: RunFolder) -> JobState | RunJson:
    """Fill the claimed folder of a run whose job has ended, and return what its run.json says; else the job's state.

    Raises click.ClickException where what the submission left cannot be read.
    """
    begun, unfinished = folder.submission(), folder.unfinished
    number = slurm.number(unfinished)
    state = slurm.state(number)
    if state.is_going:
        return state
    told, reason = slurm.told(unfinished), None
    if state.name == slurm.CANCELLED:
        reason = f"Slurm job {number} was cancelled."
    elif state.name in slurm.BY_SLURM:
        reason = f"Slurm ended job {number}: {state.name}."
    elif state.name is None and told.end is None:
        reason = f"Slurm no longer knows how job {number} ended, and its job script did not say so."
    status = int(state.name != slurm.COMPLETED) if told.exit_status is None else told.exit_status
    redacted = _completed_log(unfinished, redacts=begun.redacts)
    where: RunJson = {"scheduler": told.scheduler} if told.scheduler else {}
    facts: RunJson = {**begun.facts, **where, "start": told.start or begun.facts["start"], "end": told.end or now()}
    for name in (SUBMITTED, SUBMISSION, BEGUN, ENDED):
        (unfinished / name).unlink(missing_ok=True)
    return finished(folder, replace(begun, facts=facts), Ended(status, state.name == slurm.CANCELLED, reason, redacted))


def _completed_log(unfinished: Path, *, redacts: bool) -> int:
    """Add to the log what a job printed outside of it, and return how many secrets it lacks.

    That is all of it where the job could not keep a log itself; then nothing tells when its lines arrived.
    """
    log, output = unfinished / LOG, unfinished / OUTPUT
    rest, redactor = data_of(output) if output.exists() else b"", Redactor(secret_values(os.environ))
    with open(log, "ab", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o666)) as file:
        file.write(redactor.feed(rest) + redactor.finish() if redacts else rest)
    output.unlink(missing_ok=True)  # it is not redacted, and must not come a second time
    with opened(log) as file:
        return sum(line.count(PLACEHOLDER) for line in file) if redacts else 0
