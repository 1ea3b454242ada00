"""Printable: text from outside as it is shown, where nothing of it can act, hide or pass for a line of ours.

Errors of commands quote such text: they are one line each, whatever it holds.
"""

import io
import os
import re
import shlex
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from .errors import TachographError, told

# All but ASCII that is seen. Blanks of other widths are seen, too, though Python does not call them printable.
_SUSPECT = re.compile(r"[^ -~]")
# What Python calls printable, though no font draws it: fillers, and what changes the look of the letter before it.
_IGNORABLE = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")
_SUSPECT_BUT_LAYOUT = re.compile(r"[^ -~\n\t]")


def printable(said: object) -> str:
    """A text on one line of which every character is seen; others are escaped: ``\\x1b``, ``\\n``, ``\\u202e``."""
    text = str(said)
    return text if _is_seen(text) else _SUSPECT.sub(_seen, text)


def printable_lines(text: str) -> str:
    """The same, but what is laid out stays: newlines and tabs. JSON that was put into lines says the same as before."""
    return _SUSPECT_BUT_LAYOUT.sub(_seen, text) if _is_suspect(text) else text


def _is_suspect(text: str) -> bool:
    return not _is_seen(text.replace("\n", "").replace("\t", ""))


def _is_seen(text: str) -> bool:
    return text.isprintable() and (text.isascii() or not _IGNORABLE.search(text))


def _seen(found: re.Match[str]) -> str:
    character = found[0]
    if _is_seen(character) or unicodedata.category(character) == "Zs":
        return character
    if character < " ":
        return ascii(character)[1:-1]
    # As JSON spells it, so that what was JSON still is.
    return re.sub("(....)", r"\\u\1", character.encode("utf-16-be", "surrogatepass").hex())


def say(line: object, *, err: bool = False) -> None:
    """Print one line, to standard error where ``err`` says so."""
    click.echo(printable(line), err=err)


def say_text(text: str) -> None:
    """Print a text of several lines, which ends with a newline unless it is empty."""
    click.echo(printable_lines(text), nl=False)


def shell_quoted(text: object) -> str:
    """A text as one word of a shell, all of it seen; one with other characters needs bash, ksh or zsh."""
    word = str(text)
    return shlex.quote(word) if _is_seen(word) else f"$'{''.join(map(_octal, word))}'"


def _octal(character: str) -> str:
    """A character as it stands within ``$'...'``."""
    if _is_seen(character) and character not in "\\'":
        return character
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


class PrintableStream(io.TextIOBase):
    """Standard output or standard error, all text of which is made printable on its way.

    It has no ``buffer``: bytes, which nobody would look at, have no way past it.
    """

    def __init__(self, stream: TextIO) -> None:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what another encoding lacks is escaped, too
        self._stream = stream
        for name in ("flush", "isatty", "fileno", "writable"):
            setattr(self, name, getattr(stream, name))

    def write(self, text: str) -> int:
        """Write a text, of which only what is seen, newlines and tabs stay as they are."""
        self._stream.write(printable_lines(text))
        return len(text)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """How characters become bytes."""
        return self._stream.encoding


class Unreadable(click.ClickException):
    """Wrong use or unreadable input: one sentence on stderr for each thing that is wrong, exit status 2."""

    exit_code = 2

    def __init__(self, *found: object) -> None:
        super().__init__("\nError: ".join(map(printable, found)))


class Commands(click.Group):
    """Commands whose errors are one line each, whatever arguments and names they quote."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the options that stand before the command."""
        with _on_one_line():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the arguments of the command, and run it."""
        with _on_one_line():
            return super().invoke(ctx)


@contextmanager
def _on_one_line() -> Iterator[None]:
    try:
        yield
    except Unreadable:
        raise
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)
        raise
    except BrokenPipeError:
        raise  # whoever read the output has gone, and click ends in silence
    except (TachographError, OSError) as error:
        # What refuses is English, as help and the errors of click are.
        if isinstance(error, OSError) and error.strerror is None:
            raise
        raise Unreadable(told(error)) from error
