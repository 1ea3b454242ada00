"""Output of this room: a line each, whatever the texts from outside in it hold.

The face of the program makes all else printable on its way to the terminal; it cannot know where a line is to end.
"""

import click


def say(line: object, *, err: bool = False) -> None:
    """Print one line, to standard error where ``err`` says so."""
    click.echo(one_line(line), err=err, color=True)  # nothing is to be taken out of it unseen


def say_text(text: str) -> None:
    """Print a text of several lines, which ends with a newline unless it is empty."""
    click.echo(text, nl=False, color=True)


def one_line(text: object) -> str:
    """A text whose newlines are shown and not obeyed."""
    return str(text).replace("\n", "\\n")
