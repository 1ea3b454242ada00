"""The queue of Slurm: which job belongs to a run folder, how long it has run, and its cancellation."""

from __future__ import annotations

import math
import subprocess
from datetime import datetime
from pathlib import Path

from ..io.regular_file import text_of
from .folders import SUBMITTED

_WAITING = {"PENDING", "CONFIGURING", "REQUEUED", "SUSPENDED"}


def number(folder: Path) -> str:
    """The number of the job of a run folder; nothing where it has ended or was not submitted."""
    submitted = folder / SUBMITTED
    # slurm.bash removes the number of a job that has ended, and writes it in one piece.
    return text_of(submitted).partition(";")[0].strip() if submitted.exists() else ""


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
