"""Stalls: a job that makes no progress is reported while somebody can still do something about it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO

from parsers.io.input_file import opened

from .screen import escaped

_LAST_LINES = 20
_LONGEST_LINE = 1 << 16  # bytes; of a longer one each piece is looked at
_LONGEST_MATCH = 1 << 12  # bytes; a match that is cut where a long line is cut is found again with so many before it


def lines(log: BinaryIO) -> Iterator[bytes]:
    """The lines of an open log from where it stands, a very long one in pieces."""
    return iter(partial(log.readline, _LONGEST_LINE), b"")


def count(log: Path, pattern: str) -> int:
    """How many lines of a log match a regular expression."""
    matches = re.compile(pattern.encode()).search
    with opened(log) as file:
        return sum(1 for line in lines(file) if matches(line))


def last_lines(log: Path) -> list[str]:
    """The last lines of a log, as text."""
    with opened(log) as file:
        file.seek(max(0, log.stat().st_size - 16384))
        return [line.decode("utf-8", "replace") for line in file.read().splitlines()[-_LAST_LINES:]]


# The last line of a traceback, also behind the rank that some launchers put before each line.
_RAISED = re.compile(rb"(?:\[[\w:]+\]:? ?)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:: .*)?)\s*$", re.ASCII)
_TRACEBACK = b"Traceback (most recent call last):"


def first_raised(log: Path) -> tuple[int, str] | None:
    """What the first traceback of a log says, with the number of its line; None where there is no traceback."""
    is_traceback, number = False, 1
    with opened(log) as file:
        for line in lines(file):
            is_traceback |= _TRACEBACK in line
            if is_traceback and (raised := _RAISED.match(line)):
                return number, raised[1].decode("utf-8", "replace")
            number += line.endswith(b"\n")
    return None


_LOOK = 1.0


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
        then = (
            "stopping it" if self.ends else "it continues; stop it with Ctrl-C, or let --stall-ends stop stalled runs"
        )
        self.tell(f"The run has stalled: {self.said}. {last}The run has stalled; {then}.")
