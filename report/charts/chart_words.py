"""Labels: texts of pages and logs as they can stand in a chart, on one line and not too long."""

import re
import unicodedata

from wcwidth import wcswidth

CUT = "…"
# Liberation Sans at 12 px; a Chinese character takes two columns.
COLUMN = 7
# Longer texts are cut before they are broken into lines.
LONGEST = 400
# What stands together on a line: a word or a Chinese character, with the marks and the blank beside it.
_PIECE = re.compile(r"[（「《]*(?:[^\x20\u2e80-\uffef]+|[\u2e80-\uffef])[，。；：、）」》！？]*\x20*")


def label(raw: str, columns: int) -> str:
    """A text on one line of at most so many columns: blanks are single, a longer one ends with an ellipsis.

    Control and bidirectional marks, which would turn the text beside them around, are shown as ``�``.
    """
    line = " ".join("".join(map(_visible, raw)).split())
    # Marks that stand above a letter take no column, however many there are.
    fits = len(line) <= 2 * columns and _columns(line) <= columns
    return line if fits else f"{_head(line, columns - 1).rstrip()}{CUT}"


def wrapped(raw: str, columns: int) -> list[str]:
    """A text on lines of at most so many columns each, broken at blanks and between Chinese characters.

    No line begins with a mark that ends something, nor with what joins the words of a case.
    """
    lines = [""]
    for piece in _PIECE.findall(label(raw, LONGEST).replace(" · ", "\u00a0· ")):
        if lines[-1] and _columns(lines[-1] + piece.rstrip()) > columns:
            lines.append("")
        lines[-1] += piece
    return [label(line, columns) for line in lines]


def width(text: str) -> int:
    """How wide a label is at most, in pixels at 12 px."""
    return COLUMN * _columns(text)


def _visible(character: str) -> str:
    if character in "\n\r\t":
        return " "
    return "\ufffd" if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character


def _head(line: str, columns: int) -> str:
    """The longest beginning of a line that takes at most so many columns and has at most so many characters."""
    head = line[:columns]
    while _columns(head) > columns:
        head = head[:-1]
    return head


def _columns(line: str) -> int:
    columns = wcswidth(line)
    return columns if columns >= 0 else 2 * len(line)
