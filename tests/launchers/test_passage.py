"""What is shown of the output of a training program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launchers.run.screen import Passage
from tests.hostile_text import HOSTILE


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"),
        (b" 10%\r 20%\x1b[K\b\b", " 10%\r 20%\x1b[K\b\b"),
        ("批 ░▒▓\t1\n".encode(), "批 ░▒▓\t1\n"),
        (b"\x1b]52;c;x\x07", r"\x1b]52;c;x\x07"),
        (b"\x1b\x1b[0m]0;t\x07", "\\x1b\x1b[0m]0;t\\x07"),
        (b"\x1b[2J\x1b[1A\x1bc", r"\x1b[2J\x1b[1A\x1bc"),
        ("\x9b2J\u202e".encode(), r"\x9b2J\u202e"),
        (b"\x9b2J\xff", r"\x9b2J\xff"),
    ],
)
def test_colours_and_progress_bars_pass_and_all_else_is_escaped(printed: bytes, shown: str) -> None:
    assert Passage().through(printed, is_last=True).decode() == shown


@given(st.lists(st.binary(max_size=6) | st.sampled_from([b"\x1b", b"[3", b"1m", HOSTILE.encode()])))
def test_it_does_not_matter_how_the_output_is_cut(pieces: list[bytes]) -> None:
    passage = Passage()
    shown = b"".join(map(passage.through, pieces)) + passage.through(b"", is_last=True)
    assert shown == Passage().through(b"".join(pieces), is_last=True)
