"""The screen: what a job prints, as a terminal may show it, and below it a line that says how far things are."""

from __future__ import annotations

import codecs
import os
import re
import sys
import threading
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from parsers.io.input_file import opened

RESET = "\x1b[0m"
# Colours, and what a progress bar needs within its own line: to go back, and to erase the rest. All else that a
# terminal would obey could reach lines of others, the clipboard or the title of the window.
_COLOUR_OR_OTHER = re.compile(r"(\x1b\[[0-9;]{0,32}[mK])|[^ -~\n\r\t\b]")
# What is shown as it is, without being decoded: most of what programs print.
_PLAIN = bytes(range(ord(" "), ord("~") + 1)) + b"\n\r\t\b"
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;]{0,32})?\Z")


class Passage:
    """Lets the text of a program through, piece by piece, as it comes; what a terminal must not obey is escaped."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""
        self.is_coloured = False

    def through(self, piece: bytes, *, is_last: bool = False) -> bytes:
        """Return what is shown of a piece, and of what was held back of the one before."""
        if not (self._held or self._decoder.getstate()[0] or piece.translate(None, _PLAIN)):
            return piece
        text = self._held + self._decoder.decode(piece, is_last)
        unfinished = None if is_last else _UNFINISHED.search(text)
        self._held = unfinished[0] if unfinished else ""
        self.is_coloured |= "\x1b[" in text
        return _COLOUR_OR_OTHER.sub(_shown, text.removesuffix(self._held)).encode("utf-8", "backslashreplace")


def escaped(text: str) -> str:
    """A text on one line of which every character is seen."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _shown(found: re.Match[str]) -> str:
    is_seen = found[1] or found[0].isprintable() or unicodedata.category(found[0]) == "Zs"
    return found[0] if is_seen else ascii(found[0])[1:-1]


_CHUNK = 65536
_TICK = 0.2


class Screen:
    """Follows the log of one run after another on the open file `out`.

    It reads the log, not the job, and on a thread of its own: a terminal that is slow, or stopped, holds up neither the
    training nor the runner. The progress line goes to standard error, and only where that is a terminal.
    """

    def __init__(self, out: int) -> None:
        self._out = out
        self._console = Console(file=sys.__stderr__)  # whose control codes are its own; its text is escaped here
        self._thread: threading.Thread | None = None

    @property
    def is_where_messages_are(self) -> bool:
        """Whether the log is shown where standard error goes: whoever reads the messages has seen the log."""
        with suppress(OSError):
            return os.path.sameopenfile(self._out, sys.stderr.fileno())
        return False

    @contextmanager
    def following(self, log: Path, title: str) -> Iterator[None]:
        """Follow `log`; `title` is the run in a few words."""
        left = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(log, title, left), daemon=True)
        self._thread.start()
        try:
            yield
        finally:
            left.set()

    def tell(self, text: str) -> None:
        """Show a text on standard error, above the progress line, without waiting for a terminal that stands still."""
        shown = Text(text)
        threading.Thread(target=self._console.print, args=(shown,), kwargs={"soft_wrap": True}, daemon=True).start()

    def finish(self, signals: Sequence[int]) -> None:
        """Wait until the terminal has taken all of the log that was followed last, or a signal has come."""
        while self._thread and self._thread.is_alive() and not signals:
            self._thread.join(_TICK)

    def _follow(self, log: Path, title: str, left: threading.Event) -> None:
        with suppress(OSError), opened(log) as file:  # a job may put something else there
            if self._console.is_terminal:
                with self._live() as live:
                    _show(ProgressFollower(file, self._out, live, title), left)
            else:
                _show(Follower(file, self._out), left)

    def _live(self) -> Live:
        """The line; what others print meanwhile goes its own way, for the line would take it for styled text."""
        console = self._console
        return Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False)


def _show(follower: Follower, left: threading.Event) -> None:
    while not left.wait(_TICK):
        follower.show()
    follower.finish()


class Follower:
    """Shows a log that grows; see ``Passage`` for what of it."""

    def __init__(self, log: BinaryIO, out: int) -> None:
        self._log, self._out = log, out
        self._passage = Passage()

    def show(self) -> None:
        """Show what has come since the last time."""
        while chunk := self._log.read(_CHUNK):
            self._write(self._passage.through(chunk))

    def finish(self) -> None:
        """Show the rest; no colour lasts longer than the log."""
        self.show()
        self._end()

    def _end(self, rest: bytes = b"") -> None:
        self._write(self._passage.through(rest, is_last=True))
        self._uncolour()

    def _uncolour(self) -> None:
        if self._passage.is_coloured:
            self._write(RESET.encode())

    def _write(self, chunk: bytes) -> None:
        with suppress(OSError):  # who read along has seen enough; the run goes on, and so does its log
            while chunk:
                chunk = chunk[os.write(self._out, chunk) :]


class ProgressFollower(Follower):
    """Shows whole lines of a log that grows, above a line with the title, the time so far and the last line."""

    def __init__(self, log: BinaryIO, out: int, live: Live, title: str) -> None:
        super().__init__(log, out)
        self._live, self._title = live, title
        self._start = time.monotonic()
        self._rest, self._last = b"", ""

    def show(self) -> None:
        """Show the whole lines that have come since the last time, and renew the line below."""
        while chunk := self._log.read(_CHUNK):
            lines, newline, self._rest = (self._rest + chunk).rpartition(b"\n")
            if newline:
                self._live.stop()
                self._write(self._passage.through(lines + newline))
                self._uncolour()
                self._last = lines.rpartition(b"\n")[2].decode("utf-8", "replace")
                self._live.start()
        self._live.update(self._progress(), refresh=True)

    def finish(self) -> None:
        """Show the rest in place of the line."""
        self.show()
        self._live.stop()
        self._end(self._rest)

    def _progress(self) -> Text:
        elapsed = time.strftime("%H:%M:%S", time.gmtime(time.monotonic() - self._start))
        shown = escaped(f"{self._title}  {elapsed}  {self._last}")
        return Text(shown, style="bold", no_wrap=True, overflow="ellipsis")
