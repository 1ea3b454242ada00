"""Errors of this room: one sentence each that says what was found, where, and what is possible."""

import os


class ParserError(Exception):
    """Base of all errors that a user of the parsers can cause."""


class GrammarError(ParserError):
    """A grammar has a mistake; the message names file, line and what is known."""


class LogError(ParserError):
    """A log cannot be read: it is missing, a folder, empty, binary or broken."""


class FormatError(ParserError):
    """No format, or more than one, fits a log; the message lists the known ones."""


def told(error: Exception) -> str:
    """An error as one sentence: that of the system with the name of the file, and without the number it has there."""
    if isinstance(error, OSError) and error.strerror:
        file = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return f"{file}cannot be read or written: {error.strerror}."
    return str(error)
