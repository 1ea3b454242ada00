"""Execution: one command runs to its end, in time or not, and its output is kept."""

from __future__ import annotations

import fcntl
import math
import os
import select
import subprocess
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from parsers.runs.run_folder import LOG

from ..runs import processes
from ..runs.folders import MARKED
from ..secrets.redaction import Redactor
from .capture import Capture, Captured
from .stall import Stall

_TICK = 0.2
_PIPE = 1 << 20  # bytes that may wait, so that a burst of output does not hold up the training


@dataclass(frozen=True)
class Ended:
    """How an execution ended: its exit status (negative: the number of a signal), what ended it, and its output.

    `stall`: what it lacked where it did not get on at the end, `stalled`: whether it was ended for that.
    """

    exit_status: int
    interrupted: bool
    timed_out: bool
    output: Captured
    stall: str | None = None
    stalled: bool = False


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    signals: Sequence[int],
    *,
    redactor: Redactor | None = None,
    timeout: float | None = None,
    stall: Stall | None = None,
    meanwhile: Iterable[AbstractContextManager[object]] = (),
) -> Ended:
    """Execute a command whose log goes into `folder`; raises OSError where it cannot be started.

    `signals`: those received so far; the first one ends the command, a second one kills it. `timeout`: seconds after
    which it is ended. `stall`: what watches whether it gets on. `meanwhile`: what is done as long as it runs. No
    process of the command is left at the end.
    """
    mark = uuid.uuid4().hex
    (folder / LOG).touch()
    (folder / MARKED).write_text(mark, encoding="ascii")
    try:
        process, readable = _started(command, {**environment, processes.MARK: mark}, folder)
        capture = Capture(readable, folder, mark, redactor)
        with ExitStack() as stack:
            for context in meanwhile:  # begun here, because a process with threads had better not be forked
                stack.enter_context(context)
            timed_out, stalled = _wait(process, mark, signals, timeout, stall)
            # Whoever is left of the job may hold the output open.
            processes.end(mark)
            output = capture.finish(processes.GRACE)
    finally:
        processes.kill(mark)
        (folder / MARKED).unlink(missing_ok=True)
    return Ended(process.returncode, bool(signals), timed_out, output, stall.said if stall else None, stalled)


def _started(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a command in `folder`; returns its process, and the end of a pipe where all that it prints comes out."""
    readable, writable = _pipe()
    # A session of its own, so that a signal from the terminal does not reach it before it reaches us.
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
    return process, readable


def _pipe() -> tuple[int, int]:
    readable, writable = os.pipe()
    with suppress(OSError):  # a user may have only so many large pipes
        fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, _PIPE)
    return readable, writable


def _wait(
    process: subprocess.Popen[bytes], mark: str, signals: Sequence[int], timeout: float | None, stall: Stall | None
) -> tuple[bool, bool]:
    """Wait for the end of a process; end it at a signal, when its time is over, or when it has stalled.

    Returns whether its time was over, and whether it was ended because it had stalled.
    """
    deadline = time.monotonic() + timeout if timeout else math.inf
    asked = is_over = is_stalled = False
    end = os.pidfd_open(process.pid)  # it wakes at once, where Popen.wait looks again and again
    while not select.select([end], [], [], _TICK)[0]:
        is_over |= time.monotonic() > deadline
        is_stalled |= not asked and stall is not None and stall.ends_now()
        if (signals or is_over or is_stalled) and not asked:
            asked = True
            processes.end_in_background(mark)
        if len(signals) > 1:
            processes.kill(mark)
    os.close(end)
    process.wait()
    return is_over, is_stalled
