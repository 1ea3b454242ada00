"""Processes of a job: all that carry its mark, wherever they went."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

GRACE = 10.0  # seconds
# An environment variable: it is inherited by workers that lead sessions of their own and outlive who started them.
MARK = "TACHOGRAPH_RUN"
_LOOK = 0.05


def end(mark: str) -> None:
    """Ask all processes of the job with this mark to end, and after a grace kill those that did not."""
    asked = members(mark)
    _each(asked, psutil.Process.terminate)
    deadline = time.monotonic() + GRACE
    while any(map(_alive, asked)) and time.monotonic() < deadline:
        time.sleep(_LOOK)
    kill(mark)


def end_in_background(mark: str) -> None:
    """Do what `end` does without waiting for it."""
    threading.Thread(target=end, args=(mark,), daemon=True).start()


def kill(mark: str) -> None:
    """Kill all processes of the job with this mark."""
    _each(members(mark), psutil.Process.kill)


def members(mark: str) -> set[psutil.Process]:
    """All processes of the job with this mark."""
    found: set[psutil.Process] = set()
    for pid in psutil.pids():
        try:
            if f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.add(psutil.Process(pid))
        except (OSError, psutil.NoSuchProcess):
            continue
    return found


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
