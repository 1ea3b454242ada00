"""Capture: a process of its own that keeps what a job prints.

It outlives the runner: what was printed before the runner died is kept, and the job, which nobody waits for any more,
is ended. It does nothing but copy, so neither a slow terminal nor a busy runner holds up the training.
"""

from __future__ import annotations

import fcntl
import math
import os
import select
import selectors
import signal
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from parsers.runs.run_folder import CLOCK, CLOCK_COLUMNS, LOG

from ..secrets.redaction import Redactor
from .folder import GRACE, ORPHANED, end_job_in_background

_CHUNK = 65536
_HOLD = 0.5  # seconds for which a line that has not ended is held


class Captured(NamedTuple):
    """What became of the output: how many secrets were redacted, and why the rest of it could not be written."""

    redacted: int
    problem: str | None


class Capture:
    """Copies what arrives at `source` into the log and clock of `folder`, until all writers have closed it.

    `mark`: that of the job, which is ended when the runner has died or nothing can be written. `redactor`: takes
    secrets out; None keeps all bytes as they are.
    """

    def __init__(self, source: int, folder: Path, mark: str, redactor: Redactor | None) -> None:
        self._line, theirs = get_context("fork").Pipe()
        arguments = (source, self._line, theirs, folder, mark, redactor)
        self._process = get_context("fork").Process(target=_capture, args=arguments)
        self._process.start()
        theirs.close()
        os.close(source)

    def finish(self, patience: float) -> Captured:
        """Wait for the end of the output, no longer than `patience` seconds, and say what became of it."""
        try:
            if not self._line.poll(patience):
                self._line.send(None)
            return Captured(*self._line.recv())
        except (EOFError, OSError):
            return Captured(0, "the process that wrote the log died")
        finally:
            self._process.join()
            self._line.close()


def keep(source: int, folder: Path, redactor: Redactor | None) -> Captured:
    """Do the same in this process, with nobody to report to but who asked, until all writers have closed `source`.

    What asks a job to end is not for this process, which ends with the job.
    """
    _ignore_signals()
    log = _KeptLog(folder, redactor)
    while True:
        chunk = os.read(source, _CHUNK) if select.select([source], [], [], _HOLD)[0] else None
        if chunk == b"":
            break
        log.take(chunk or b"")  # after a failure the rest is passed over, so that the job does not stand still
    log.close()
    return Captured(redactor.count if redactor else 0, log.problem)


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _capture(
    source: int, ours: Connection, line: Connection, folder: Path, mark: str, redactor: Redactor | None
) -> None:
    ours.close()  # so that the line ends with the runner
    os.setsid()  # what is meant for the runner and its group is not meant for this process
    _ignore_signals()
    log = _KeptLog(folder, redactor)
    for chunk in _chunks(source, line, mark, folder / ORPHANED):
        if not log.take(chunk):
            end_job_in_background(mark)
    log.close()
    with suppress(OSError):  # the runner may be dead
        line.send((redactor.count if redactor else 0, log.problem))


def _chunks(source: int, line: Connection, mark: str, orphaned: Path) -> Iterator[bytes]:
    """What arrives, until all writers have closed the source, the runner asks for the end, or is dead for a while.

    Where nothing arrives, that is nothing again and again. The death of the runner is told by the file `orphaned`.
    """
    deadline = math.inf
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        selector.register(line, selectors.EVENT_READ)
        while time.monotonic() < deadline:
            ready = [key.fileobj for key, _ in selector.select(_HOLD)]
            if line in ready:
                if not _is_dead(line):
                    break
                selector.unregister(line)
                with suppress(OSError):  # a disk may be full; then another runner is refused, and does not wait
                    orphaned.touch()
                end_job_in_background(mark)
                deadline = time.monotonic() + 2 * GRACE
            elif source in ready:
                if not (chunk := os.read(source, _CHUNK)):
                    return
                yield chunk
            else:
                yield b""
    if rest := _waiting(source):
        yield rest


def _waiting(source: int) -> bytes:
    """What has arrived already; whoever holds the source open without being of the job may go on writing."""
    count = int.from_bytes(fcntl.ioctl(source, termios.FIONREAD, bytes(4)), sys.byteorder)
    return os.read(source, count) if count else b""


def _is_dead(line: Connection) -> bool:
    """Whether the runner at the other end has died; otherwise it has asked for the end."""
    try:
        line.recv()
    except EOFError:
        return True
    return False


class _KeptLog:
    """The log and its clock; both are closed to further bytes once one could not be written."""

    def __init__(self, folder: Path, redactor: Redactor | None) -> None:
        self.problem: str | None = None
        self._redactor = redactor
        self._held_until = math.inf
        self._lines = 0
        self._is_cut = False
        self._log = (folder / LOG).open("wb", buffering=0)
        self._clock = (folder / CLOCK).open("w", encoding="ascii")
        self._clock.write(f"{','.join(CLOCK_COLUMNS)}\n")

    def take(self, chunk: bytes) -> bool:
        """Keep a chunk, which may be empty; False when that failed just now."""
        if self.problem:
            return True
        try:
            self._tick(chunk)
            self._write(self._redacted(chunk, self._redactor) if self._redactor else chunk)
        except OSError as error:
            self.problem = f"the log could not be written: {error.strerror}"
        return not self.problem

    def close(self) -> None:
        """Keep what was held back, and close both files."""
        try:
            if not self.problem:
                self._write(self._redactor.finish() if self._redactor else b"")
            if self._is_cut:
                self._clock.write(f"{self._lines + 1},{time.time():.3f}\n")
            self._clock.close()
        except OSError as error:
            self.problem = self.problem or f"the log could not be written: {error.strerror}"
        self._log.close()

    def _redacted(self, chunk: bytes, redactor: Redactor) -> bytes:
        """What may be written now: whole lines, and after a while what is held of one that has not ended."""
        text, now = redactor.feed(chunk), time.monotonic()
        if not text and now >= self._held_until:
            text = redactor.finish()
        if not redactor.holds:
            self._held_until = math.inf
        elif text or self._held_until == math.inf:
            self._held_until = now + _HOLD
        return text

    def _tick(self, chunk: bytes) -> None:
        if ended := chunk.count(b"\n"):
            self._clock.write(f"{self._lines + 1},{time.time():.3f}\n")
            self._lines += ended
        if chunk:
            self._is_cut = not chunk.endswith(b"\n")

    def _write(self, text: bytes) -> None:
        while text:
            text = text[self._log.write(text) or 0 :]
