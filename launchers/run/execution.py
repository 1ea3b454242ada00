"""Execution: one command runs to its end, in time or not, while what it prints becomes a log with its clock."""

from __future__ import annotations

import fcntl
import math
import os
import select
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TextIO

import psutil

from parsers.runs.run_folder import CLOCK, CLOCK_COLUMNS, LOG

from ..secrets.redaction import Redactor

MARKED = "job.mark"  # of the processes of the job, as long as there may be any
# An environment variable: it is inherited by workers that lead sessions of their own and outlive who started them.
MARK = "TACHOGRAPH_RUN"
GRACE = 10.0  # seconds
_TICK = 0.2
_HOLD = 0.5  # seconds for which a line that has not ended is held
_CHUNK = 1 << 16
_PIPE = 1 << 20  # bytes that may wait, so that a burst of output does not hold up the training


class LogKeeper(threading.Thread):
    """Copies what arrives at `source` into the log and the clock of `folder`, until all writers have closed it.

    `redactor`: takes secrets out; None keeps all bytes as they are. When nothing more can be written `source` is closed
    and `problem` says why. It is a thread, so that neither a slow terminal nor a sample holds up the training.
    """

    def __init__(self, source: int, folder: Path, redactor: Redactor | None) -> None:
        super().__init__(daemon=True)
        self.problem: str | None = None
        self._source, self._folder, self._redactor = source, folder, redactor
        self._ends = threading.Event()

    def run(self) -> None:
        """Copy to the end."""
        try:
            with (
                (self._folder / LOG).open("wb", buffering=0) as log,
                (self._folder / CLOCK).open("w", encoding="ascii") as clock,
            ):
                self._copy(log, clock)
        except OSError as error:
            self.problem = f"the log could not be written: {error.strerror}"
        finally:
            os.close(self._source)

    def finish(self) -> None:
        """Wait for the end, but not for whoever holds the source open without being of the job."""
        self.join(GRACE)
        self._ends.set()
        self.join()

    def _copy(self, log: FileIO, clock: TextIO) -> None:
        clock.write(f"{','.join(CLOCK_COLUMNS)}\n")
        line, is_cut, is_last, held_until = 1, False, False, math.inf
        while not is_last:
            is_last = self._ends.is_set()
            is_ready = bool(select.select([self._source], [], [], _HOLD)[0])
            chunk = os.read(self._source, _PIPE if is_last else _CHUNK) if is_ready else b""
            is_last |= is_ready and not chunk
            if ended := chunk.count(b"\n"):
                clock.write(f"{line},{time.time():.3f}\n")
                line += ended
            is_cut = not chunk.endswith(b"\n") if chunk else is_cut
            if self._redactor:
                chunk = self._redactor.feed(chunk)
                if is_last or (not chunk and time.monotonic() >= held_until):
                    chunk += self._redactor.finish()
                if not self._redactor.holds:
                    held_until = math.inf
                elif chunk or held_until == math.inf:
                    held_until = time.monotonic() + _HOLD
            while chunk:
                chunk = chunk[log.write(chunk) or 0 :]
        if is_cut:
            clock.write(f"{line},{time.time():.3f}\n")


@dataclass(frozen=True)
class Ended:
    """How an execution ended: its exit status (negative: the number of a signal), and how many secrets its log lacks.

    `reason`: why it was ended before its time, or why its log is not whole; None where neither is so.
    """

    exit_status: int
    is_interrupted: bool
    reason: str | None
    redacted: int


def execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    signals: Sequence[int],
    redactor: Redactor | None = None,
    timeout: float | None = None,
    stall: float | None = None,
) -> Ended:
    """Execute a command whose log goes into `folder`; raises OSError where it cannot be started.

    `signals`: those received so far; the first one ends the command, a second one kills it. `timeout`: seconds after
    which it is ended, `stall`: seconds without output after which it is; None for never. No process of the
    command is left at the end.
    """
    mark, log = uuid.uuid4().hex, folder / LOG
    log.touch()
    (folder / MARKED).write_text(mark, encoding="ascii")
    readable, writable = os.pipe()
    with suppress(OSError):  # a user may have only so many large pipes
        fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, _PIPE)
    keeper, begin = LogKeeper(readable, folder, redactor), time.monotonic()

    def why_to_end() -> str | None:
        if signals:
            return "Interrupted."
        if timeout and time.monotonic() - begin > timeout:
            return "Time limit exceeded."
        if keeper.problem:
            return f"Stopped: {keeper.problem}."
        if stall and time.time() - log.stat().st_mtime > stall:
            return f"Stopped: no output for {stall:.0f} s."
        return None

    try:
        # A session of its own, so that a signal from the terminal does not reach it before it reaches us.
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=writable,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.close(writable)
        keeper.start()
        reason = _wait(process, mark, signals, why_to_end)
        end_job(mark)  # whoever is left of it may hold the output open
        keeper.finish()
    finally:
        signal_job(mark, signal.SIGKILL)
        (folder / MARKED).unlink(missing_ok=True)
    if reason is None and keeper.problem:
        reason = f"Stopped: {keeper.problem}."
    redacted = redactor.count if redactor else 0
    return Ended(process.returncode, bool(signals), "Interrupted." if signals else reason, redacted)


def _wait(
    process: subprocess.Popen[bytes], mark: str, signals: Sequence[int], why_to_end: Callable[[], str | None]
) -> str | None:
    """Wait for the end of a process, which is asked for when there is a reason; returns that."""
    reason, deadline = None, math.inf
    end = os.pidfd_open(process.pid)  # it wakes at once, where Popen.wait looks again and again
    while not select.select([end], [], [], _TICK)[0]:
        if reason is None and (reason := why_to_end()):
            deadline = time.monotonic() + GRACE
            signal_job(mark, signal.SIGTERM)
        if time.monotonic() > deadline or len(signals) > 1:
            signal_job(mark, signal.SIGKILL)
    os.close(end)
    process.wait()
    return reason


def end_job(mark: str) -> None:
    """Ask all processes of the job with this mark to end, and after a grace kill those that did not."""
    signal_job(mark, signal.SIGTERM)
    psutil.wait_procs(processes_of(mark), GRACE)
    signal_job(mark, signal.SIGKILL)


def signal_job(mark: str, number: int) -> None:
    """Send a signal to all processes of the job with this mark."""
    for process in processes_of(mark):
        with suppress(psutil.Error):
            process.send_signal(number)


def processes_of(mark: str) -> list[psutil.Process]:
    """All processes of the job with this mark."""
    found = psutil.process_iter(["environ"])
    return [process for process in found if (process.info["environ"] or {}).get(MARK) == mark]
