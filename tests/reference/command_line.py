"""The reference of the commands, made of what click knows of them."""

import inspect
from dataclasses import dataclass

import click

import tachograph
from tests.reference.templates import TEMPLATES

# Where the text of a command ends and its examples begin; click keeps the lines after its mark as they are.
_EXAMPLES = "\b\nExamples:\n"
_ON_ONE_LINE = 10_000


@dataclass(frozen=True)
class Entry:
    """One command as its help tells it."""

    command: click.Command
    context: click.Context

    @property
    def name(self) -> str:
        """What is typed: ``tachograph show``."""
        return self.context.command_path

    @property
    def usage(self) -> str:
        """Its line of usage."""
        return self.command.get_usage(self.context).removeprefix("Usage: ")

    @property
    def about(self) -> str:
        """What it does, in paragraphs."""
        return self._help[0].strip()

    @property
    def examples(self) -> str:
        """Its examples, a line each."""
        return inspect.cleandoc(self._help[1])

    @property
    def options(self) -> list[tuple[str, str]]:
        """Its options and their meanings, for the cells of a table; --help is left out, for every command has it."""
        options = (parameter for parameter in self.command.params if isinstance(parameter, click.Option))
        records = (option.get_help_record(self.context) for option in options)
        return [(_celled(names), _celled(meaning)) for names, meaning in filter(None, records)]

    @property
    def _help(self) -> tuple[str, str]:
        about, _, examples = inspect.cleandoc(self.command.help or "").partition(_EXAMPLES)
        return about, examples


def page() -> str:
    """The reference in Markdown."""
    return TEMPLATES.get_template("cli.md.jinja").render(commands=entries())


def entries() -> list[Entry]:
    """All commands but the hidden ones, by name."""
    group = tachograph.command_line()
    parent = click.Context(group, info_name="tachograph")
    found = {name: group.commands[name] for name in group.list_commands(parent)}
    return [
        Entry(command, click.Context(command, parent, name, terminal_width=_ON_ONE_LINE))
        for name, command in found.items()
        if not command.hidden
    ]


def _celled(said: str) -> str:
    """A text that does not end the cell of a table."""
    return said.replace("|", "\\|")
