"""The screen: what a job prints, as a terminal may show it."""

from __future__ import annotations

import codecs
import os
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from parsers.io.files import opened

_RESET = b"\x1b[0m"
# Colours, and what a progress bar needs within its own line: to go back, and to erase the rest. All else that a
# terminal would obey could reach lines of others, the clipboard or the title of the window.
_COLOUR_OR_OTHER = re.compile(r"(\x1b\[[0-9;]{0,32}[mK])|[^ -~\n\r\t\b]")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;]{0,32})?\Z")
_CHUNK = 1 << 16
_TICK = 0.2


class Passage:
    """Lets the text of a program through, piece by piece, as it comes; what a terminal must not obey is escaped."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""

    def through(self, piece: bytes, *, is_last: bool = False) -> bytes:
        """Return what is shown of a piece, and of what was held back of the one before."""
        text = self._held + self._decoder.decode(piece, is_last)
        unfinished = None if is_last else _UNFINISHED.search(text)
        self._held = unfinished[0] if unfinished else ""
        return _COLOUR_OR_OTHER.sub(_shown, text.removesuffix(self._held)).encode("utf-8", "backslashreplace")


def _shown(found: re.Match[str]) -> str:
    is_seen = found[1] or found[0].isprintable() or unicodedata.category(found[0]) == "Zs"
    return found[0] if is_seen else ascii(found[0])[1:-1]


class Screen:
    """Shows the log of one run after another on the open file `out`.

    It reads the log, not the job, and on a thread of its own: a terminal that is slow, or stopped, holds up neither the
    training nor the runner.
    """

    def __init__(self, out: int) -> None:
        self._out = out
        self._thread: threading.Thread | None = None

    @contextmanager
    def following(self, log: Path) -> Iterator[None]:
        """Follow `log`."""
        left = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(log, left), daemon=True)
        self._thread.start()
        try:
            yield
        finally:
            left.set()

    def finish(self, signals: Sequence[int]) -> None:
        """Wait until the terminal has taken all of the log that was followed last, or a signal has come."""
        while self._thread and self._thread.is_alive() and not signals:
            self._thread.join(_TICK)

    def _follow(self, log: Path, left: threading.Event) -> None:
        passage, is_last, is_coloured = Passage(), False, False
        while not log.exists() and not left.wait(_TICK):  # a cluster may let the job wait
            pass
        with suppress(OSError), opened(log) as file:  # a job may put something else there
            while not is_last:
                is_last = left.wait(_TICK)
                while chunk := file.read(_CHUNK):
                    self._write(shown := passage.through(chunk))
                    is_coloured |= b"\x1b" in shown
            self._write(passage.through(b"", is_last=True))
            self._write(_RESET if is_coloured else b"")  # no colour lasts longer than the log

    def _write(self, shown: bytes) -> None:
        while shown:
            shown = shown[os.write(self._out, shown) :]
