"""Errors of this room: one sentence each that says what was found, where, and what is possible."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from .message import Message

OF_FILE = "{path}: {what}"
CANNOT_BE_USED = "cannot be read or written: {reason}."
CANNOT_BE_READ = "cannot be read: {reason}."
CUT_SHORT = "its compressed data is truncated"
NOT_INSTALLED = "{what} the package {package}, which is not installed; run `{command}`."
CANNOT_BE_WRITTEN = "{path}: cannot be written: {reason}."


class TachographError(Exception):
    """An error that is told by a message, which is given as a ``Message`` or as its key and values."""

    def __init__(self, told: Message | str, /, **values: object) -> None:
        self.message = told if isinstance(told, Message) else Message(told, **values)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)


class ParserError(TachographError):
    """Base of all errors that a user of the parsers can cause."""

    @classmethod
    def at(cls, path: object, what: Message | str, /, **values: object) -> Self:
        """The error of a file: what is wrong follows the path."""
        return cls(OF_FILE, path=path, what=what if isinstance(what, Message) else Message(what, **values))

    @property
    def what(self) -> str:
        """What is wrong, in English, without the path of the file."""
        return str(self.message.values.get("what", self.message))


class GrammarError(ParserError):
    """A grammar has a mistake; the message names file, line and what is known."""


class LogError(ParserError):
    """A log cannot be read: it is missing, a folder, empty, binary or broken."""


class WrappedError(LogError):
    """The lines of a log were cut at one width, and numbers with them."""


class FormatError(ParserError):
    """No format, or more than one, fits a log; the message lists the known ones."""


class ExtraError(ParserError):
    """An extra is not installed; the message names it, and how to install it."""


class WriteError(ParserError):
    """A file cannot be written: ``path`` and the ``reason``, a message or in the words of the system."""

    def __init__(self, path: Path, reason: Message | str) -> None:
        super().__init__(CANNOT_BE_WRITTEN, path=path, reason=Message(reason) if isinstance(reason, str) else reason)
        self.path, self.reason, self.args = path, reason, (path, reason)  # with args alone it is made again elsewhere

    def moved(self, made: Path, folder: Path) -> "WriteError":
        """The same of the place in ``folder`` that a file in ``made`` was to have."""
        is_inside = self.path.is_relative_to(made)
        return WriteError(folder / self.path.relative_to(made), self.reason) if is_inside else self


def reason_of(error: Exception) -> Message:
    """Why something cannot be read, to stand in ``CANNOT_BE_READ``: as the error says it, else as the system does."""
    if isinstance(error, TachographError):
        return error.message
    if isinstance(error, EOFError):
        return Message(CUT_SHORT)
    return Message(str(getattr(error, "strerror", None) or error).rstrip("."))


def said_of(error: Exception) -> Message:
    """What an error says: of one of the system with the name of the file, and without the number it has there."""
    if isinstance(error, TachographError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        said = Message(CANNOT_BE_USED, reason=Message(error.strerror))
        is_of_a_file = isinstance(error.filename, str | bytes)
        return Message(OF_FILE, path=os.fsdecode(error.filename), what=said) if is_of_a_file else said
    return Message(str(error))


def told(error: Exception) -> str:
    """What an error says, in English."""
    return str(said_of(error))


def install(extra: str) -> str:
    """What installs an extra beside the rest: beside a checkout, which stays the one that runs, by its path."""
    top = Path(__file__).parents[2]
    if (top / "setup.cfg").is_file():
        return f"pip install -e {shlex.quote(f'{top}[{extra}]')}"
    return f"pip install 'tachograph[{extra}]'"


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Around imports that only the extra ``name`` brings; ``what`` needs them, and begins the sentence of the error.

    Raises ExtraError where one is missing.
    """
    try:
        yield
    except ImportError as error:
        values = {"what": Message(what), "package": str(error.name).partition(".")[0], "command": install(name)}
        raise ExtraError(NOT_INSTALLED, **values) from error
