"""Passage: what a training program prints as it is shown while it runs. The log keeps it as it was printed."""

from __future__ import annotations

import codecs
import re
import unicodedata

RESET = "\x1b[0m"
# Colours, and what a progress bar needs within its own line: to go back, and to erase the rest. All else that a
# terminal would obey could reach lines of others, the clipboard or the title of the window.
_COLOUR_OR_OTHER = re.compile(r"(\x1b\[[0-9;]{0,32}[mK])|[^ -~\n\r\t\b]")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;]{0,32})?\Z")


class Passage:
    """Lets the text of a program through, piece by piece, as it comes; what a terminal must not obey is escaped."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode
        self._held = ""
        self.is_coloured = False

    def through(self, piece: bytes, *, is_last: bool = False) -> bytes:
        """Return what is shown of a piece, and of what was held back of the one before."""
        text = self._held + self._decode(piece, is_last)
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
