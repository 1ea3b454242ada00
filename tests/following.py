"""A child process that follows a log, and what it prints."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any, Self

from tests.commandline import PROJECT

COMMAND = [sys.executable, "-c", "import tachograph; tachograph.main()", "show", "--follow"]
PATIENCE = 60  # seconds until a test gives up


def environment() -> dict[str, str]:
    """That of a terminal of 160 columns."""
    return {**os.environ, "PYTHONPATH": str(PROJECT), "TERM": "xterm", "COLUMNS": "160", "LINES": "40"}


class _Stream:
    """The lines of a stream of another process, as they come."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream, self._lines = stream, Queue[str]()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with self._stream:
            for line in self._stream:
                self._lines.put(line)

    def next(self) -> str:
        return self._lines.get(timeout=PATIENCE)

    def join(self) -> None:
        self._reader.join()


class Follower:
    """``tachograph show --follow`` with these arguments, until the end of the block."""

    def __init__(self, *arguments: str | Path) -> None:
        self._child = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._child.stdout
        assert self._child.stderr
        self._out, self._err = _Stream(self._child.stdout), _Stream(self._child.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait()
        self._out.join()
        self._err.join()

    def line(self) -> str:
        """The next line of stdout."""
        return self._out.next()

    def record(self) -> dict[str, Any]:
        """The next line of stdout, which is a JSON object."""
        found: dict[str, Any] = json.loads(self.line())
        return found

    def notice(self) -> str:
        """The next line of stderr."""
        return self._err.next()

    def interrupt(self) -> int:
        """Do as Ctrl-C does; returns the exit status."""
        self._child.send_signal(signal.SIGINT)
        return self._child.wait(PATIENCE)


def on_a_terminal(log: Path, until: str) -> tuple[str, int]:
    """What a terminal is sent until a text stands there and Ctrl-C is pressed, and the exit status."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([*COMMAND, str(log)], env=environment(), stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = _read_until(ours, until.encode())
    child.send_signal(signal.SIGINT)
    shown += _read_until(ours, None)
    os.close(ours)
    return shown.decode(), child.wait(PATIENCE)


def _read_until(terminal: int, text: bytes | None) -> bytes:
    """What the other end of a terminal writes until a text stands there, or until it is closed."""
    shown, deadline = b"", time.monotonic() + PATIENCE
    while (text is None or text not in shown) and select.select([terminal], [], [], deadline - time.monotonic())[0]:
        try:
            shown += os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
    return shown
