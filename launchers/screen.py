"""The screen: what a job prints, as it is kept in the log, and below it a line that says how far things are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

_CHUNK = 65536


class Screen:
    """Follows the log of one run after another on `out`.

    It reads the log, not the job: a terminal that is slow, or stopped, does not hold up the training. The progress
    line goes to standard error, and only where that is a terminal.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._console = Console(stderr=True)

    @contextmanager
    def following(self, log: Path, title: str) -> Iterator[Follower]:
        """Follow `log`, which may not be there yet; `title` is the run in a few words."""
        follower = Follower(log, self._out)
        if not self._console.is_terminal:
            yield follower
            follower.show()
            return
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            progress = ProgressFollower(log, self._out, live, title)
            yield progress
            live.stop()
            Follower.show(progress)


class Follower:
    """Copies a log that grows."""

    def __init__(self, log: Path, out: BinaryIO) -> None:
        self._path, self._out = log, out
        self._shown = 0

    def show(self) -> None:
        """Copy what has come since the last time."""
        while chunk := self._new():
            self._shown += len(chunk)
            self._out.write(chunk)
            self._out.flush()

    def _new(self) -> bytes:
        try:
            with self._path.open("rb") as file:
                file.seek(self._shown)
                return file.read(_CHUNK)
        except FileNotFoundError:
            return b""


class ProgressFollower(Follower):
    """Copies whole lines of a log that grows, above a line with the title, the time so far and the last line."""

    def __init__(self, log: Path, out: BinaryIO, live: Live, title: str) -> None:
        super().__init__(log, out)
        self._live, self._title = live, title
        self._start = time.monotonic()
        self._last = ""

    def show(self) -> None:
        """Copy the whole lines that have come since the last time, and renew the line below."""
        if chunk := self._whole_lines():
            self._live.stop()
            self._shown += len(chunk)
            self._out.write(chunk)
            self._out.flush()
            self._last = chunk.splitlines()[-1].decode("utf-8", "replace")
            self._live.start()
        self._live.update(self._progress(), refresh=True)

    def _whole_lines(self) -> bytes:
        chunk = self._new()
        return chunk[: chunk.rfind(b"\n") + 1] or (chunk if len(chunk) == _CHUNK else b"")

    def _progress(self) -> Text:
        elapsed = time.strftime("%H:%M:%S", time.gmtime(time.monotonic() - self._start))
        last = "".join(letter for letter in self._last if letter.isprintable())
        return Text(f"{self._title}  {elapsed}  {last}", style="bold", no_wrap=True, overflow="ellipsis")
