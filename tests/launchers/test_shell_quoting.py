"""Scripts that are printed: all of them is seen, and they do what they say."""

from __future__ import annotations

import subprocess

import pytest

from parsers.io.printable import shell_quoted, shell_script
from tests.hostile_text import HOSTILE, NAME, unseen


@pytest.mark.parametrize("text", [HOSTILE, NAME, "it's", "批", "a\\b'\n", "\udcff"])
def test_a_quoted_word_is_the_same_word_in_bash(text: str) -> None:
    done = subprocess.run(["bash", "-c", f"printf %s {shell_quoted(text)}"], capture_output=True, check=True)
    assert done.stdout.decode("utf-8", "surrogateescape") == text
    assert unseen(shell_quoted(text)) == set()
    assert "\n" not in shell_quoted(text)


@pytest.mark.parametrize("text", ["\u202e it's \\ \x1b", "plain\t"])
def test_a_script_that_is_quoted_as_a_whole_does_the_same(text: str) -> None:
    script = shell_script(f"cat <<'END'\n{text}\nEND\necho done\n")
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, text=True)
    assert (done.stdout, unseen(script)) == (f"{text}\ndone\n", set())


@pytest.mark.parametrize("unseen", ["\u3164", "\u115f", "\ufe0f", "\u034f", "\u180b"])
def test_a_filler_that_no_font_draws_is_spelt(unseen: str) -> None:
    assert unseen not in shell_quoted(f"a{unseen}b")
    assert unseen not in shell_script(f"echo a{unseen}b\n")
