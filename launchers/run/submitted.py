"""Submitted runs: jobs that Slurm runs while nobody waits, and whose run folders are filled after their end.

At submission the unfinished folder of a run gets what is known of it; the job itself keeps its log there, with its
clock and without secrets, and says where it runs and how it ends. Who collects it later needs nothing else.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import BinaryIO

import click

from parsers.io.atomic_write import replace_file
from parsers.io.input_file import data_of, opened
from parsers.io.printable import say, shell_quoted
from parsers.runs.run_folder import CLOCK, DONE, FAILED, INTERRUPTED, LOG, SCRIPT, RunJson

from ..backends import slurm
from ..backends.slurm import JobState, Slurm
from ..job import Job
from ..secrets.redaction import PLACEHOLDER, Redactor, public, secret_values
from .capture import keep
from .folder import BEGUN, ENDED, KEPT, OUTPUT, SUBMISSION, SUBMITTED, RunFolder, claimed, submitted_below
from .runner import Runner, finished, now, of_status, redact_script
from .series import ALONE, INTERRUPTED_EXIT, Series, collected, tell_failure, written

_LOOK = 2.0  # seconds between two questions to the queue
_CHUNK = 1 << 20


def submit(series: Series, parallel: int | None) -> list[RunFolder]:
    """Submit what is neither done nor submitted to Slurm; returns the folders of all runs that are submitted now.

    `parallel`: so many of them side by side, None for as many as the cluster takes. Raises click.UsageError where
    nobody could watch the runs as asked, click.ClickException where Slurm refuses a job.
    """
    runner, place = series.runner, series.runner.place
    if not isinstance(place, Slurm):
        raise click.UsageError("--parallel and --detach require --on slurm.")
    if held := slurm.allocation():
        message = f"--parallel and --detach submit further jobs, not into the Slurm allocation {held}"
        raise click.UsageError(f"{message}; omit them, or start outside of it.")
    if runner.timeout or runner.stall_ends:
        watched = "--timeout and --stall-ends cannot be used with --parallel or --detach, since nobody watches the run"
        raise click.UsageError(f'{watched}; set a time limit in the site file, such as time = "02:00:00".')
    for run in series.planned:
        if run.job.recipe and run.job.recipe.is_alone:
            raise click.UsageError(ALONE.format(name=run.job.name, advice="omit --parallel and --detach"))
    series.notify()
    folders, jobs = [], list[str]()
    for run in series.planned:
        if series.is_done(run):
            continue
        with written(run.folder), claimed(run.folder):
            if series.is_done(run):  # by another runner meanwhile
                continue
            if series.is_submitted(run):
                number = slurm.number(run.folder.unfinished)
                say(f"{run.folder.path} is submitted already as Slurm job {number}.", err=True)
            else:
                series.clear(run.folder)
                # The end of this job makes room for the next one.
                after = jobs[-parallel] if parallel and len(jobs) >= parallel else None
                number = _submit(runner, place, run.job, run.folder, after)
                say(f"{run.folder.path} is submitted as Slurm job {number}.", err=True)
        jobs.append(number)
        folders.append(run.folder)
    return folders


def _submit(runner: Runner, place: Slurm, job: Job, folder: RunFolder, after: str | None) -> str:
    """Submit the job of a run whose folder is claimed to Slurm, and return its number.

    `after`: the number of a job that must have ended before. Raises click.ClickException where Slurm refuses it,
    OSError where the folder cannot be written.
    """
    begun = runner.begin(job, folder)
    folder.work.mkdir(exist_ok=True)
    placed = replace(job, environment={**job.environment, "WORK": str(folder.work.resolve())})
    number = place.submit(placed, folder.unfinished.resolve(), after=after, redacts=runner.redacts)
    if runner.redacts:
        redact_script(folder.unfinished / SCRIPT, job.command)  # Slurm has its own copy
        begun = replace(begun, facts=public(begun.facts))
    replace_file(folder.unfinished / SUBMISSION, json.dumps(asdict(begun)).encode())
    return number


def keep_output(source: int, folder: Path, *, redacts: bool) -> None:
    """Keep what a submitted job prints, as it arrives at `source`, in its folder, and say there what became of it."""
    captured = keep(source, folder, Redactor(secret_values(os.environ)) if redacts else None)
    replace_file(folder / KEPT, json.dumps(captured._asdict()).encode())


def _completed_log(unfinished: Path, *, redacts: bool) -> tuple[int, str | None]:
    """Add to the log what a job printed outside of it, and return how many secrets it lacks and what is wrong.

    That is all of it where the job could not keep a log itself; then nothing tells when its lines arrived.
    """
    redacted, problem = _kept(unfinished) if (unfinished / CLOCK).exists() else (0, None)
    redactor = Redactor(secret_values(os.environ)) if redacts else None
    with _appended(unfinished / LOG) as log, suppress(FileNotFoundError), opened(unfinished / OUTPUT) as rest:
        while chunk := rest.read(_CHUNK):
            log.write(redactor.feed(chunk) if redactor else chunk)
        log.write(redactor.finish() if redactor else b"")
    (unfinished / OUTPUT).unlink(missing_ok=True)  # it is not redacted, and must not come a second time
    return redacted + (redactor.count if redactor else 0), problem


def _appended(path: Path) -> BinaryIO:
    """Open a file of a run folder to write at its end; raises OSError where a link stands there."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666), "ab")


def _kept(unfinished: Path) -> tuple[int, str | None]:
    """What became of the log that a job kept: secrets that were replaced, and why the rest is missing."""
    try:
        found = json.loads(data_of(unfinished / KEPT))
        problem = found["problem"]
        return int(found["redacted"]), f"The log is incomplete: {problem}." if problem else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # it was killed with the job
        return data_of(unfinished / LOG).count(PLACEHOLDER), None


def wait(folders: Sequence[RunFolder]) -> None:
    """Fill all folders as their jobs end; a signal cancels the jobs.

    Raises click.ClickException where some failed, click.exceptions.Exit after a signal.
    """
    told = dict[Path, str]()
    with collected() as signals:
        left, is_cancelled = _look(folders, told), False
        while left:
            time.sleep(_LOOK)
            if signals and not is_cancelled:
                is_cancelled = True
                for folder in left:
                    slurm.cancel(folder.unfinished)
            left = _look(left, told)
    if signals:
        raise click.exceptions.Exit(INTERRUPTED_EXIT)
    _report(told)


def collect_below(top: Path) -> None:
    """Fill the run folders below `top` whose jobs have ended, and say the states of the others.

    Raises click.ClickException where runs failed.
    """
    folders = list(submitted_below(top))
    if not folders:
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
        with written(folder), claimed(folder):
            if not folder.is_submitted():  # another one has collected it
                continue
            found = _collect(folder)
        if isinstance(found, JobState):
            left.append(folder)
            if told.get(folder.path) != found.name:
                say(f"{folder.path}: Slurm job {slurm.number(folder.unfinished)} is {found}.", err=True)
            told[folder.path] = str(found.name)
            continue
        told[folder.path] = found["status"]
        if found["status"] == DONE:
            say(f"{folder.path} is done.", err=True)
        else:
            tell_failure(folder, found)
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
    told = slurm.told(unfinished)
    redacted, problem = _completed_log(unfinished, redacts=begun.redacts)
    status = int(state.name != slurm.COMPLETED) if told.exit_status is None else told.exit_status
    reason = problem or _reason_of_slurm(number, state, status, is_told=told.end is not None)
    where: RunJson = {"scheduler": told.scheduler} if told.scheduler else {}
    facts: RunJson = {**begun.facts, **where, "start": told.start or begun.facts["start"], "end": told.end or now()}
    for name in (SUBMITTED, SUBMISSION, KEPT, BEGUN, ENDED):
        (unfinished / name).unlink(missing_ok=True)
    begun = replace(begun, facts=facts)
    return finished(folder, begun, status, redacted, reason, interrupted=state.name == slurm.CANCELLED)


def _reason_of_slurm(number: str, state: JobState, exit_status: int, *, is_told: bool) -> str | None:
    if state.name == slurm.CANCELLED:
        return f"Slurm job {number} was cancelled."
    if state.name in slurm.BY_SLURM:
        return f"Slurm ended job {number}: {state.name}."
    if state.name is None and not is_told:
        return f"Slurm no longer knows how job {number} ended, and its job script did not say so."
    return of_status(exit_status)
