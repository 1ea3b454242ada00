"""Labels: texts of pages and logs as they can stand in a chart, on one line and not too long."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from babel.support import Translations
from wcwidth import wcswidth

from ..wording.words import words

CUT = "…"
# Liberation Sans at 12 px; a Chinese character takes two columns.
COLUMN = 7


def label(raw: str, columns: int) -> str:
    """A text on one line of at most so many columns: blanks are single, a longer one ends with an ellipsis.

    Control and bidirectional marks, which would turn the text beside them around, are shown as ``�``.
    """
    line = " ".join("".join(map(_visible, raw)).split())
    # Marks that stand above a letter take no column, however many there are.
    fits = len(line) <= 2 * columns and _columns(line) <= columns
    return line if fits else f"{_head(line, columns - 1).rstrip()}{CUT}"


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


@dataclass(frozen=True)
class Speech:
    """Says messages in the language of a catalogue."""

    catalogue: Translations

    def translate(self, text: str) -> str:
        """A text in this language; an empty one stays empty, for which gettext keeps its header."""
        return self.catalogue.gettext(text) if text else ""

    def say(self, message: str, **values: object) -> str:
        """A message in this language, with its values filled in."""
        return self.translate(message).format(**values)

    def sentences(self, said: Iterable[str]) -> str:
        """Several sentences one after the other, with a blank between them where the language has one."""
        return reduce(lambda first, second: self.say("{first} {second}", first=first, second=second), said)

    def joined(self, texts: Iterable[str]) -> str:
        """Several texts as one list."""
        return self.translate("joiner").join(texts)


def speech(language: str) -> Speech:
    """The speech of a language; raises WordsError where it has no catalogue."""
    return Speech(words(language))
