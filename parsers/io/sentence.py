"""Sentences that a reader of a log must know, in English and as a message that catalogues translate."""

from collections.abc import Mapping
from typing import Self


class Sentence(str):
    """A sentence in English that still knows its ``message`` and the ``values`` that were put into it."""

    __slots__ = ("message", "values")
    message: str
    values: Mapping[str, str]

    def __new__(cls, message: str, **values: object) -> Self:
        """Put the values into the braces of the message that have their names."""
        texts = {name: str(value) for name, value in values.items()}
        sentence = super().__new__(cls, message.format(**texts))
        sentence.message, sentence.values = message, texts
        return sentence

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        """What it is made of, for another process."""
        return (self.message,), dict(self.values)


def counted(count: int, noun: str) -> str:
    """A count and what it is of: ``1 record``, ``2 records``, ``3 addresses``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('s') else 's'}"
