"""Refusals: what is told where a command is used in a wrong way or meets what it cannot read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .errors import told
from .printable import printable


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
    except OSError as error:
        # What no command expected of a file, such as too long a name: the sentence of the system, with the name.
        if error.filename is None:
            raise
        raise Unreadable(told(error)) from error
