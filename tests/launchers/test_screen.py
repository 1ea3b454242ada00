"""What a terminal shows during a run: which one it is, and all that is printed."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest
from native_checkout import METRIC, PRINT, TOP, Native

from tests.hostile_text import CLIPBOARD, COLOUR, HOSTILE

pytestmark = pytest.mark.slow


def shown_on_a_terminal(native: Native) -> str:
    """What a terminal of 200 columns gets to see of a run."""
    ours, theirs = pty.openpty()
    environment = os.environ | native.environment | {"TERM": "xterm", "COLUMNS": "200"}
    command = [*native.command, *native.options, "--repeats", "1"]
    with subprocess.Popen(command, cwd=TOP, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        text = everything(ours)
    assert process.returncode == 0
    return text


def everything(terminal: int) -> str:
    """All that is written to a terminal until nobody holds it open."""
    pieces = []
    while piece := piece_of(terminal):
        pieces.append(piece)
    os.close(terminal)
    return b"".join(pieces).decode()


def piece_of(terminal: int) -> bytes:
    """The next piece; nothing at the end."""
    try:
        return os.read(terminal, 65536)
    except OSError:  # that is how Linux tells that the other end is closed
        return b""


def test_a_terminal_shows_which_run_it_is_and_all_that_is_printed(native: Native) -> None:
    shown = shown_on_a_terminal(native)
    assert f"ResNet50_bs64_fp32_N1C1 repeat 1, run 1 of 1\r\n{METRIC.strip()}\r\n" in shown


def test_a_terminal_obeys_nothing_of_what_is_printed(native: Native) -> None:
    native.trains(f"import time\n{PRINT}print({HOSTILE!r})\ntime.sleep(0.6)\nprint({HOSTILE!r}, end='')\n")
    shown = shown_on_a_terminal(native)
    assert CLIPBOARD not in shown
    assert not set(shown) & {"\x07", "\x9b", "\x85", "\u202e", "\u2066"}
    assert r"\x1b]52;c;ZXZpbA==\x07" in shown
    assert shown.rfind(COLOUR) < shown.rfind("\x1b[0m")
