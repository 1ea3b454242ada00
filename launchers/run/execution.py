"""Execution: one command runs to its end, in time or not, while its output is kept, and a stall is told."""

from __future__ import annotations

import fcntl
import math
import os
import re
import select
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

from parsers.io.input_file import opened
from parsers.runs.run_folder import LOG

from ..secrets.redaction import Redactor
from .capture import Capture, Captured
from .folder import GRACE, MARK, MARKED, end_job, end_job_in_background, kill_job
from .screen import escaped

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
        process, readable = _started(command, {**environment, MARK: mark}, folder)
        capture = Capture(readable, folder, mark, redactor)
        with ExitStack() as stack:
            for context in meanwhile:  # begun here, because a process with threads had better not be forked
                stack.enter_context(context)
            timed_out, stalled = _wait(process, mark, signals, timeout, stall)
            # Whoever is left of the job may hold the output open.
            end_job(mark)
            output = capture.finish(GRACE)
    finally:
        kill_job(mark)
        (folder / MARKED).unlink(missing_ok=True)
    return Ended(process.returncode, bool(signals), timed_out, output, stall.said if stall else None, stalled)


def _started(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a command in `folder`; returns its process, and the end of a pipe where all that it prints comes out."""
    readable, writable = os.pipe()
    with suppress(OSError):  # a user may have only so many large pipes
        fcntl.fcntl(writable, fcntl.F_SETPIPE_SZ, _PIPE)
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
            end_job_in_background(mark)
        if len(signals) > 1:
            kill_job(mark)
    os.close(end)
    process.wait()
    return is_over, is_stalled


_LOOK = 1.0  # seconds between two looks at a log
_LAST_LINES = 20
_LONGEST_LINE = 1 << 16  # bytes; of a longer one each piece is looked at
_LONGEST_MATCH = 1 << 12  # bytes; a match that is cut where a long line is cut is found again with so many before it


def lines(log: BinaryIO) -> Iterator[bytes]:
    """The lines of an open log from where it stands, a very long one in pieces."""
    return iter(partial(log.readline, _LONGEST_LINE), b"")


def last_lines(log: Path) -> list[str]:
    """The last lines of a log, as text."""
    with opened(log) as file:
        file.seek(max(0, log.stat().st_size - 16384))
        return [line.decode("utf-8", "replace") for line in file.read().splitlines()[-_LAST_LINES:]]


@dataclass
class Stall:
    """Watches the log of one run, and calls `tell` with what is to be reported of it.

    Until a line matches `metric` nothing else counts as getting on, because a job that waits for its other nodes may
    say so again and again; afterwards, and where it is None, whatever is printed does. `limit`: the seconds without
    that are a stall; 0 for none. `ends`: whether it ends the run. `ran`: for how many seconds the job has run, for it
    may have been queued.
    """

    log: Path
    metric: str | None
    limit: float
    ends: bool
    ran: Callable[[], float]
    tell: Callable[[str], None]
    said: str | None = field(default=None, init=False)
    _since: float = field(default_factory=time.monotonic, init=False)
    _next: float = field(default=0.0, init=False)
    _size: int = field(default=0, init=False)
    _rest: bytes = field(default=b"", init=False)  # of the line that has not ended, as far as it was read
    _trains: bool = field(default=False, init=False)

    def ends_now(self) -> bool:
        """Look at the log, at most once a second, tell a stall that begins, and return whether the run is to end."""
        now = time.monotonic()
        if self.limit and now >= self._next:
            self._next = now + _LOOK
            self._look(now)
        return self.ends and self.said is not None

    def _look(self, now: float) -> None:
        if self._has_got_on():
            self._since, self.said = now, None
        elif not self.said and now - self._since >= self.limit:
            self._since = max(self._since, now - self.ran())
            if now - self._since >= self.limit:
                self._say()

    def _has_got_on(self) -> bool:
        with opened(self.log) as file:
            if file.seek(0, os.SEEK_END) == self._size:
                return False
            file.seek(self._size)
            self._trains = self._trains or self.metric is None or self._has_metric(file, self.metric)
            self._size = file.seek(0, os.SEEK_END) if self._trains else file.tell()
        return self._trains

    def _has_metric(self, file: BinaryIO, metric: str) -> bool:
        """Whether a line matches of what an open log has from where it stands; it is read to its end."""
        matches = re.compile(metric.encode()).search
        for piece in lines(file):
            line = self._rest + piece
            if matches(line):
                return True
            self._rest = b"" if line.endswith(b"\n") else line if len(line) < _LONGEST_LINE else line[-_LONGEST_MATCH:]
        return False

    def _say(self) -> None:
        what = "no output" if self._trains or self.metric is None else f"no log line matching {self.metric}"
        self.said = f"{what} for {self.limit:.0f} s"
        shown = "".join(f"\n  {escaped(line)}" for line in last_lines(self.log))
        last = f"Last lines of the log:{shown}\n" if shown else "The log is empty. "
        goes_on = "It continues; stop it with Ctrl-C, or let --stall-ends stop stalled runs."
        self.tell(f"The run has stalled: {self.said}. {last}{'It is stopped.' if self.ends else goes_on}")
