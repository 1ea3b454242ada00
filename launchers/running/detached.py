"""Detached runs: jobs that a cluster runs while nobody waits, and whose run folders are filled after their end.

At submission the unfinished folder of a run gets what is known of it; the job itself keeps its log there, with its
clock and without secrets, and says where it runs and how it ends. Who collects it later needs nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from parsers.io.atomic_write import replace_file
from parsers.io.input_file import data_of, opened
from parsers.runs.run_folder import CLOCK, LOG, PATCH, SCRIPT, Environment, RunJson

from ..clusters import queue
from ..clusters.queue import JobState
from ..clusters.slurm import Slurm, begin_of, end_of
from ..jobs.job import Job
from ..jobs.source_patch import patch
from ..runs.folders import KEPT, OUTPUT, SUBMISSION, SUBMITTED, RunFolder
from ..secrets.published_run import public
from ..secrets.redaction import PLACEHOLDER, Redactor, secret_values
from . import nodes
from .capture import keep
from .run_facts import known, make_public, now, of_nodes, outcome

_CHUNK = 1 << 20
_COMPLETED, _CANCELLED = "COMPLETED", "CANCELLED"
_BY_SLURM = {"BOOT_FAIL", "DEADLINE", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}


def submit(job: Job, folder: RunFolder, place: Slurm, *, after: str | None, redacts: bool) -> str:
    """Submit the job of a run whose folder is claimed, and return its number.

    `after`: the number of a job that must have ended before. `redacts`: whether secrets are taken out of what is kept.
    Raises click.ClickException where Slurm refuses it, OSError where the folder cannot be written.
    """
    changes = patch(job.work_tree)
    facts: RunJson = {**known(job, folder, place, changes), "start": now()}
    unfinished = folder.start()
    if changes:
        (unfinished / PATCH).write_bytes(changes)
    number = place.submit(job, unfinished.resolve(), after=after, redacts=redacts)
    if redacts:
        make_public(unfinished / SCRIPT, job.command)  # Slurm has its own copy
    stated = {"facts": public(facts) if redacts else facts, "metric": job.metric, "device": job.device}
    replace_file(unfinished / SUBMISSION, json.dumps({**stated, "redacts": redacts}).encode())
    return number


def keep_output(source: int, folder: Path, *, redacts: bool) -> None:
    """Keep what a job prints, as it arrives at `source`, in its folder, and say there what became of it."""
    captured = keep(source, folder, Redactor(secret_values(os.environ)) if redacts else None)
    replace_file(folder / KEPT, json.dumps(captured._asdict()).encode())


def collect(folder: RunFolder) -> JobState | RunJson | None:
    """Fill the claimed folder of a run whose job has ended, and return what its run.json says.

    Where the job has not ended, return its state; None where Slurm does not answer.
    Raises click.ClickException where what the submission left cannot be read.
    """
    submission = folder.submission()
    state = queue.state(queue.number(folder.unfinished))
    return state if state is None or state.is_going else _filled(folder, submission, state)


def _filled(folder: RunFolder, submission: Mapping[str, Any], state: JobState) -> RunJson:
    unfinished, number = folder.unfinished, queue.number(folder.unfinished)
    redacts = bool(submission["redacts"])
    begin, end = begin_of(unfinished), end_of(unfinished)
    redacted, problem = _completed_log(unfinished, redacts)
    facts: RunJson = submission["facts"]
    foreign = nodes.foreign(unfinished)
    observed = of_nodes(nodes.collect(unfinished), facts["environment"])
    facts = {**facts, **_observed(submission, observed), **Slurm().described(unfinished)}
    facts |= {"foreign": foreign} if foreign else {}
    facts |= {"start": begin.time if begin else facts["start"], "end": end.time if end else now()}
    status = end.exit_status if end else int(state.name != _COMPLETED)
    facts |= outcome(
        unfinished / LOG,
        submission["metric"],
        status,
        redacted,
        reason=problem or _reason(number, state, status, is_told=end is not None),
        interrupted=state.name == _CANCELLED,
    )
    for name in (SUBMITTED, SUBMISSION, KEPT):
        (unfinished / name).unlink(missing_ok=True)
    facts = public(facts) if redacts else facts
    folder.publish(facts)
    return facts


def _observed(submission: Mapping[str, Any], observed: list[Environment]) -> RunJson:
    """What the nodes said of themselves, in place of what is known of the machine that submitted the job."""
    if not observed:
        return {}
    gpus = observed[0]["gpus"]
    device = {"device": gpus[0]} if submission["device"] == "gpu" and gpus else {}
    return {"case": {**submission["facts"]["case"], **device}, "environment": observed[0], "nodes": observed}


def _reason(number: str, state: JobState, exit_status: int, *, is_told: bool) -> str | None:
    if state.name == _CANCELLED:
        return f"Slurm job {number} was cancelled."
    if state.name in _BY_SLURM:
        return f"Slurm ended job {number}: {state.name}."
    if state.name is None and not is_told:
        return f"Slurm no longer knows how job {number} ended, and its job script did not say so."
    return f"Exit status {exit_status}." if exit_status else None


def _completed_log(unfinished: Path, redacts: bool) -> tuple[int, str | None]:
    """Add to the log what the job printed outside of it, and return how many secrets it lacks and what is wrong.

    That is all of it where the job could not keep a log itself; then nothing tells when its lines arrived.
    """
    has_clock = (unfinished / CLOCK).exists()
    redacted, problem = _kept(unfinished) if has_clock else (0, None)
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
    """What became of the log that the job kept: secrets that were replaced, and why the rest is missing."""
    try:
        found = json.loads(data_of(unfinished / KEPT))
        problem = found["problem"]
        return int(found["redacted"]), f"The log is incomplete: {problem}." if problem else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # it was killed with the job
        return data_of(unfinished / LOG).count(PLACEHOLDER), None
