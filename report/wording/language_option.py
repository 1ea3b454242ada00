"""The option of the terminal commands for the language of what they print."""

from typing import TYPE_CHECKING

import click

from parsers.io.errors import said_of
from parsers.io.message import Message
from parsers.io.printable import Unreadable

if TYPE_CHECKING:
    from .words import Translate

LANGUAGE = click.option("--lang", "language", default="en", show_default=True, help="Language of the output.")


def translate_to(language: str) -> "Translate":
    """What gives the text for a key of the catalogues in a language; raises Unreadable where it has no catalogue."""
    from .words import Translator, WordsError

    try:
        return Translator(language).translate
    except WordsError as error:
        raise Unreadable(error) from error


def wrong_use(translate: "Translate", key: str, **values: object) -> click.UsageError:
    """The error of a command that is used in a wrong way, in the language of ``translate``."""
    from .words import worded

    return click.UsageError(worded(Message(key, **values), translate))


def told_in(error: Exception, translate: "Translate") -> str:
    """What an error says, in the language of ``translate``."""
    from .words import worded

    return worded(said_of(error), translate)
