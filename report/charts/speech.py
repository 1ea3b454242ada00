"""Speech: the words of a chart in one language."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from babel.support import Translations

from ..words import words


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
