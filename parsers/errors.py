"""Errors of this room: one sentence each that says what was found, where, and what is possible."""


class ParserError(Exception):
    """Base of all errors that a user of the parsers can cause."""


class GrammarError(ParserError):
    """A grammar has a mistake; the message names file, line and what is known."""


class LogError(ParserError):
    """A log cannot be read: it is missing, a folder, empty, binary or broken."""


class FormatError(ParserError):
    """No format, or more than one, fits a log; the message lists the known ones."""
