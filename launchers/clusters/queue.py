"""The queue of Slurm: which job belongs to a run folder, its state, how long it has run, and its cancellation."""

from __future__ import annotations

import math
import re
import subprocess
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from parsers.io.input_file import text_of

from ..run.folder import SUBMITTED

_WAITING = {"PENDING", "CONFIGURING", "REQUEUED", "SUSPENDED"}


# The states of a job that has not ended, as squeue and sacct spell them.
_GOING = _WAITING | {"RUNNING", "COMPLETING", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED", "REQUEUE_HOLD"}
_NUMBER = re.compile("[1-9][0-9]{0,18}", re.ASCII)
_UNKNOWN = "Invalid job id"


class JobState(NamedTuple):
    """A job's state by its name, None where Slurm has forgotten it, how long it ran, and its nodes or why it waits."""

    name: str | None
    elapsed: str = ""
    where: str = ""

    @property
    def is_going(self) -> bool:
        """Whether it waits or runs."""
        return self.name in _GOING

    def __str__(self) -> str:
        where = "" if self.where == "(None)" else self.where
        return " ".join(filter(None, [self.name or "forgotten by Slurm", self.elapsed, where]))


def state(job: str) -> JobState | None:
    """The state of a job, of the queue or else of the accounting; None where Slurm does not answer."""
    if not job:
        return JobState(None)
    queued = _asked("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T|%M|%R")
    if queued.stdout.strip():
        return JobState(*queued.stdout.splitlines()[0].split("|")[:3])
    if queued.returncode and _UNKNOWN not in queued.stderr:
        return None
    kept = _asked(
        "sacct", "--noheader", "--parsable2", "--allocations", f"--jobs={job}", "--format=State,Elapsed,NodeList"
    )
    name, _, rest = kept.stdout.partition("|")
    # "CANCELLED by 1000"
    return JobState(name.split()[0], *rest.splitlines()[0].split("|")[:2]) if name.strip() else JobState(None)


def _asked(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:  # no such program here
        return subprocess.CompletedProcess(command, 1, "", str(error.strerror))


def number(folder: Path) -> str:
    """The number of the job of a run folder; nothing where it has ended or was not submitted."""
    submitted = folder / SUBMITTED
    # slurm.bash removes the number of a job that has ended, and writes it in one piece.
    found = text_of(submitted, errors="replace").partition(";")[0].strip() if submitted.exists() else ""
    return found if _NUMBER.fullmatch(found) else ""  # it becomes a word of commands that could take it for an option


def ran(job: str) -> float:
    """For how many seconds a job has run; 0 where it waits, and infinity where the queue does not say."""
    command = ["squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T %S"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split() if job else []
    if len(answer) != 2:
        return math.inf
    state, start = answer
    return 0.0 if state in _WAITING else _seconds_since(start)


def cancelled(job: str) -> bool:
    """Cancel a job, and say whether that could be asked for."""
    # In a session of its own, so that nobody's impatience at the keyboard ends it.
    return not subprocess.run(["scancel", job], start_new_session=True, capture_output=True, check=False).returncode


def _seconds_since(start: str) -> float:
    try:
        return (datetime.now() - datetime.fromisoformat(start)).total_seconds()  # both are local times
    except ValueError:  # N/A
        return math.inf
