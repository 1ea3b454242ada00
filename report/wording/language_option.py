"""The option of the terminal commands for the language of what they print."""

import click

LANGUAGE = click.option(
    "--lang", "language", default="en", show_default=True, help="Language of the output; errors are English."
)
