"""Words in one language: gettext catalogues, read as they are written (.po), and messages put into their words.

This is the one place where what code tells becomes a sentence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, reduce
from gettext import GNUTranslations, c2py
from pathlib import Path
from string import Formatter
from typing import Protocol

from parsers.io.errors import ParserError
from parsers.io.message import Message

FORMATTER = Formatter()
# Ideographs, and the punctuation between them.
CHINESE = re.compile("[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uff65]")
FOLDER = Path(__file__).parents[1] / "words"


NO_CATALOGUE = "No translation for {language}; available: {languages}."
NOT_AN_ENTRY = "line {line} is neither a comment nor a part of a message."
# A line of a catalogue: what it says, maybe of which part of a message.
LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr(?:\[\d\])?) )?("(?:[^"\\]|\\.)*")')


class WordsError(ParserError):
    """A language without a catalogue, or a catalogue with a mistake."""


class Catalogue(GNUTranslations):
    """The messages of a language; ``ngettext`` has the form of a count."""

    def __init__(self, messages: Mapping[str | tuple[str, int], str]) -> None:
        super().__init__()
        self._catalog = messages
        self.plural = c2py(re.search(r"plural=([^;]+);", messages[""])[1])  # type: ignore[index]

    def has(self, text: str) -> bool:
        """Whether a text is translated."""
        return text in self._catalog

    def forms(self, key: str) -> tuple[str, ...]:
        """What a key says: one text, or one for a count of 1 and one for others; none of what the catalogue lacks."""
        plural = (self._catalog.get((key, form)) for form in (0, 1))
        return tuple(filter(None, (self._catalog.get(key), *plural)))


def languages(folder: Path = FOLDER) -> list[str]:
    """The languages that have a catalogue, by the names of their files."""
    return sorted(path.stem for path in folder.glob("*.po"))


@cache
def words(language: str, folder: Path = FOLDER) -> Catalogue:
    """The catalogue of a language; raises WordsError when there is none or it is broken. English words stand in."""
    path = folder / f"{language}.po"
    if not path.is_file():
        raise WordsError(NO_CATALOGUE, language=repr(language), languages=", ".join(languages(folder)))
    return Catalogue(_messages(path))


def _messages(path: Path) -> dict[str | tuple[str, int], str]:
    """The messages of a catalogue (.po) as gettext holds them; those of a count with the number of their form."""
    found: list[dict[str, str]] = []
    part = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        if not (said := LINE.fullmatch(line)):
            raise WordsError.at(path, NOT_AN_ENTRY, line=number)
        part = said[1] or part
        if said[1] == "msgid":
            found.append({})
        found[-1][part] = found[-1].get(part, "") + ast.literal_eval(said[2])
    texts = dict[str | tuple[str, int], str]()
    for message in found:
        for name, text in message.items():
            if name.startswith("msgstr") and text:
                texts[(message["msgid"], int(name[7])) if name[6:] else message["msgid"]] = text
    return texts


class Translator:
    """What is said in one language; ``own``: what texts of a page are in it, as its page file says."""

    def __init__(self, language: str, own: Mapping[str, str] | None = None) -> None:
        self.catalogue, self._own = words(language), own or {}

    def translate(self, text: str, plural: str = "", count: int = 1, /) -> str:
        """A text in this language, in the form of a count where it has a plural.

        An empty one stays empty, for which gettext keeps its header.
        """
        if plural:
            return str(self.catalogue.ngettext(text, plural, count))
        return self._own.get(text) or (self.catalogue.gettext(text) if text else "")

    def say(self, message: str, **values: object) -> str:
        """A message of the template in this language, with its values filled in."""
        return filled(self.translate(message), values)

    def sentences(self, said: Iterable[str]) -> str:
        """Several sentences with the blank of the language between them; empty where there are none."""
        parts = list(said)
        return reduce(lambda first, second: self.say("{first} {second}", first=first, second=second), parts or [""])

    def joined(self, texts: Iterable[str]) -> str:
        """Several texts, which may hold commas, as one list."""
        return self.translate("joiner").join(texts)

    def enumerated(self, texts: Iterable[str]) -> str:
        """Several texts one after the other, with the comma of the language; empty where there are none."""
        parts = list(texts)
        return reduce(lambda first, second: self.say("{first}, {second}", first=first, second=second), parts or [""])

    def specified(self, texts: Iterable[str]) -> str:
        """Several texts of which each says more precisely what the one before it is of, such as a case by its axes."""
        parts = list(texts)
        return reduce(lambda whole, part: self.say("{whole}, {part}", whole=whole, part=part), parts or [""])


# Whose a throughput is, as words that follow its unit.
WHOSE: Mapping[str | None, Message] = {
    "job": Message(" of the whole job"),
    "node": Message(" of one node"),
    "card": Message(" of one card"),
}


def whose(scope: str | None) -> Message:
    """Whose a throughput is, as words that follow its unit; empty where that is not known."""
    return WHOSE.get(scope, Message(""))


class Translate(Protocol):
    """What gives the text for a key of the catalogues; for one with a plural, the form of a count."""

    def __call__(self, text: str, plural: str = "", count: int = 1, /) -> str:
        """The text."""
        ...


def worded(message: Message, translate: Translate, shown: Callable[[str], str] = str) -> str:
    """A message in the language of ``translate``, which gives the text for a key of the catalogues.

    ``shown``: what makes a text safe where the sentence is to stand, such as the escapes of Markdown; the values go
    through it, the words of the message do not.
    """
    if not message.values:
        return translate(message.key)
    values = {name: shown(_said(value, translate)) for name, value in message.values.items()}
    if message.plural:
        return filled(translate(message.key, message.plural, message.count), values)
    return filled(translate(message.key), values)


def english(message: Message) -> str:
    """A message in English, in which commands say what they did."""
    return worded(message, Translator("en").translate)


def filled(template: str, values: Mapping[str, object]) -> str:
    """A template with its values.

    Its blank beside a value goes where Chinese stands on both sides of it: a blank sets off Latin words and digits.
    """
    if template.isascii():
        return template.format(**values)
    told = ""
    for literal, name, spec, _ in FORMATTER.parse(template):
        told = _beside(told, literal)
        if name is not None:
            told = _beside(told, format(values[name], (spec or "").format(**values)))
    return told


def _beside(before: str, after: str) -> str:
    if before.endswith(" ") and CHINESE.match(before[-2:-1]) and CHINESE.match(after[:1]):
        return before[:-1] + after
    if after.startswith(" ") and CHINESE.match(before[-1:]) and CHINESE.match(after[1:2]):
        return before + after[1:]
    return before + after


def _said(value: str | Message, translate: Translate) -> str:
    return worded(value, translate) if isinstance(value, Message) else value
