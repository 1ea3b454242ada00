"""Extras: packages that one command needs, and that are not installed for all."""

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import ParserError
from .message import Message

MISSING = "{what} the package {package}, which is not installed; {install}."
INSTALL = 'run `pip install "tachograph[{extra}]"`'


class ExtraError(ParserError):
    """An extra is not installed; the message names it, and how to install it."""


def install(extra: str) -> str:
    """What installs an extra beside the rest."""
    return INSTALL.format(extra=extra)


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Around imports that only the extra ``name`` brings; ``what`` needs them, and begins the sentence of the error.

    Raises ExtraError where one is missing.
    """
    try:
        yield
    except ImportError as error:
        install = Message(INSTALL, extra=name)
        raise ExtraError(MISSING, what=Message(what), package=error.name, install=install) from error
