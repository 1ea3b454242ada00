"""Errors of this room: one sentence each that says what was found, where, and what is possible."""

import os
from pathlib import Path
from typing import Self

from .message import Message

CANNOT_BE_READ = "cannot be read: {reason}."
CANNOT_BE_WRITTEN = "{path}: cannot be written: {reason}."


class MessageError(Exception):
    """An error that is told by a message, which is given as a ``Message`` or as its key and values."""

    def __init__(self, told: Message | str, /, **values: object) -> None:
        self.message = told if isinstance(told, Message) else Message(told, **values)
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)


class ParserError(MessageError):
    """Base of all errors that a user of the parsers can cause."""

    @classmethod
    def at(cls, path: object, what: Message | str, /, **values: object) -> Self:
        """The error of a file: what is wrong follows the path."""
        return cls("{path}: {what}", path=path, what=what if isinstance(what, Message) else Message(what, **values))

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


class WriteError(ParserError):
    """A file cannot be written: ``path`` and the ``reason``, a message or in the words of the system."""

    def __init__(self, path: Path, reason: Message | str) -> None:
        super().__init__(CANNOT_BE_WRITTEN, path=path, reason=Message(reason) if isinstance(reason, str) else reason)
        self.path, self.reason, self.args = path, reason, (path, reason)  # with args alone it is made again elsewhere

    def moved(self, made: Path, folder: Path) -> "WriteError":
        """The same of the place in ``folder`` that a file in ``made`` was to have."""
        is_inside = self.path.is_relative_to(made)
        return WriteError(folder / self.path.relative_to(made), self.reason) if is_inside else self


def told(error: Exception) -> str:
    """An error as one sentence: that of the system with the name of the file, and without the number it has there."""
    if isinstance(error, OSError) and error.strerror:
        file = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return f"{file}cannot be read or written: {error.strerror}."
    return str(error)
