"""Execution: one command runs to its end, in time or not, and its output is kept."""

from __future__ import annotations

import fcntl
import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import processes
from .capture import Capture, Captured
from .redaction import Redactor
from .screen import Follower

_TICK = 0.2
_PIPE = 1 << 20  # bytes that may wait, so that a burst of output does not hold up the training


@dataclass(frozen=True)
class Ended:
    """How an execution ended: its exit status (negative: the number of a signal), what ended it, and its output."""

    exit_status: int
    interrupted: bool
    timed_out: bool
    output: Captured


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    follower: Follower,
    redactor: Redactor | None,
    timeout: float | None,
) -> Ended:
    """Execute a command whose log goes into `folder`; raises OSError where it cannot be started.

    `timeout`: seconds after which it is ended. SIGINT and SIGTERM end it as well, a second one at once.
    """
    readable, writable = os.pipe()
    fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, _PIPE)
    # A session of its own, so that a signal reaches the whole job, and reaches it once.
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=writable,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    os.close(writable)
    capture = Capture(readable, folder, process.pid, redactor)
    with _signals_end(process) as signals:
        timed_out = _wait(process, follower, timeout)
        # Whoever is left of the job may hold the output open.
        processes.end(process.pid)
        output = capture.finish(processes.GRACE)
    return Ended(process.returncode, bool(signals), timed_out, output)


def _wait(process: subprocess.Popen[bytes], follower: Follower, timeout: float | None) -> bool:
    """Wait for the end of a process, and end it when its time is over; returns whether that was so."""
    deadline = time.monotonic() + timeout if timeout else math.inf
    is_over = False
    end = os.pidfd_open(process.pid)  # it wakes at once, where Popen.wait looks again and again
    while not select.select([end], [], [], _TICK)[0]:
        follower.show()
        if time.monotonic() > deadline and not is_over:
            is_over = True
            _in_background(processes.end, process.pid)
    os.close(end)
    process.wait()
    return is_over


@contextmanager
def _signals_end(process: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """End the job at SIGINT and SIGTERM, a second one kills it; yields the numbers received so far."""
    received: list[int] = []

    def end(number: int, _frame: object) -> None:
        received.append(number)
        _in_background(processes.kill if len(received) > 1 else processes.end, process.pid)

    earlier = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _in_background(do: Callable[[int], None], group: int) -> None:
    threading.Thread(target=do, args=(group,), daemon=True).start()
