"""Processes of a job: the group that it was started in, and all that descend from it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import psutil

GRACE = 10.0
_LOOK = 0.05


def end(group: int, *, grace: float = GRACE) -> None:
    """Ask all processes of a job to end, and after `grace` seconds kill those that did not.

    `group`: the process that leads the job, and the group of the same number. Returns when all are gone, or killed.
    """
    asked = members(group)
    _each(asked, psutil.Process.terminate)
    deadline = time.monotonic() + grace
    while any(map(_alive, asked)) and time.monotonic() < deadline:
        time.sleep(_LOOK)
    kill(group, asked)


def kill(group: int, known: Iterable[psutil.Process] = ()) -> None:
    """Kill all processes of a job, and those of `known` that are left."""
    _each({*known, *members(group)}, psutil.Process.kill)


def members(group: int) -> set[psutil.Process]:
    """All processes of a job: its group, and what descends from its leader in groups of their own."""
    found: set[psutil.Process] = set()
    for pid in (pid for pid in psutil.pids() if _group(pid) == group):
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            found |= {process, *process.children(recursive=True)}
    return found


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:
        return None


def _alive(process: psutil.Process) -> bool:
    # psutil's own wait would take the exit status away from whoever started the process.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _each(processes: Iterable[psutil.Process], do: Callable[[psutil.Process], None]) -> None:
    for process in processes:
        try:
            do(process)  # psutil refuses a process that has taken over the number of one that is gone
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
