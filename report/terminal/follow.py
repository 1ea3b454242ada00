"""A log that is still written: it is read again whenever it has changed, and its summary shown anew."""

import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from rich.live import Live

from parsers.io.console import Text
from parsers.io.console import live as live_console
from parsers.io.console import show as show_page
from parsers.io.errors import LogError
from parsers.io.message import Message
from parsers.io.printable import say

from ..wording.words import Translate, worded

LOOK_EVERY = 0.5  # seconds; a display that changes faster is hard to read
REST = 4  # times as long as it takes to read the log, which the job whose log it is should not notice
WAITING = "{log}: does not exist yet; waiting for it."
NOT_REGULAR = "is not a regular file; only regular files can be followed."
Look = tuple[int, str, bool]


def follow(log: Path, look: Callable[[], Look], translate: Translate, *, as_display: bool) -> None:
    """Show until Ctrl-C what ``look`` says of a log: exit status, text, and whether that is for stderr.

    ``as_display``: in place of what was shown before, where there is a terminal. Raises LogError for what is no file.
    """
    console = live_console()
    with suppress(KeyboardInterrupt):
        if as_display and console.is_interactive:
            with Live(console=console, auto_refresh=False, vertical_overflow="visible") as live:
                for _, text, _ in _looks(log, look, translate):
                    live.update(Text.from_ansi(text), refresh=True)
        for _, text, is_error in _looks(log, look, translate):
            if is_error:
                say(text, err=True)
            else:
                show_page(text)
                sys.stdout.flush()


def _looks(log: Path, look: Callable[[], Look], translate: Translate) -> Iterator[Look]:
    for is_there in _changes(log):
        yield look() if is_there else (0, worded(Message(WAITING, log=log), translate), True)


def _changes(log: Path) -> Iterator[bool]:
    """Whether there is a log, first now and then whenever it was written, cut, renamed or replaced."""
    before: object = ()
    while True:
        now = _state(log)
        start = time.monotonic()
        if now != before:
            before = now
            yield now is not None
        time.sleep(max(LOOK_EVERY, REST * (time.monotonic() - start)))


def _state(log: Path) -> tuple[int, ...] | None:
    """What is another once a log has changed; None where there is none."""
    try:
        now = log.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(now.st_mode):
        raise LogError.at(log, NOT_REGULAR)
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns
