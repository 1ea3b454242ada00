"""The command line: the commands of all rooms as one, and what a command of one room needs of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parsers.io.printable import Commands, PrintableStream

if TYPE_CHECKING:
    from launchers.run.series import WantedRun
    from parsers.scrubbing.copies import Secrets

HELP = """Benchmark pages in which every number links to the log lines it was computed from.

\b
Examples:
  tachograph show train.log
  tachograph report --lang zh
"""
ROOMS = ("launchers", "parsers", "report")


class _Rooms(Commands):
    """The commands of all rooms, of which one is imported when a command of it, or the list of all, is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(name for room in ROOMS for name in _commands_of(room))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; the rooms are looked through in their order."""
        return next((found for room in ROOMS if (found := _commands_of(room).get(cmd_name))), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that arguments name; the error of a name that is none has the nearest."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not (near := get_close_matches(args[0], self.list_commands(ctx), 1)):
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from error


@cache
def _commands_of(room: str) -> dict[str, click.Command]:
    """The commands of a room by their names, each with what it needs of another room."""
    found = {str(command.name): command for command in import_module(f"{room}.commands").commands}
    needs: dict[str, dict[str, Callable[..., object]]] = {
        "scrub": {"secrets": secrets},
        "launch": {"page_names": _page_names, "lacking": _lacking, "measured": _measured},
        "run": {"measured": _measured, "comparison": _comparison},
    }
    return found | {name: _given(found[name], **needs[name]) for name in needs.keys() & found.keys()}


def command_line() -> click.Group:
    """All commands of all rooms."""
    group = _Rooms("tachograph", help=HELP)
    return click.version_option(package_name="tachograph", prog_name="tachograph")(group)


def main() -> None:
    """Run the command."""
    import atexit
    import gc
    import sys
    import warnings

    # A warning of Python is for who writes programs; what a reader of a log must know is told in sentences.
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    # What a command imports and reads lives as long as it does: to look through it again and again takes a tenth of the
    # time, and once more at the end half a second where many logs were read.
    gc.set_threshold(1_000_000)
    atexit.register(gc.freeze)
    # Nothing gets through to a terminal that acts there, whoever prints it: a command, a library, Python itself.
    sys.stdout, sys.stderr = PrintableStream(sys.stdout), PrintableStream(sys.stderr)
    command_line()()


def _given(command: click.Command, **functions: Callable[..., object]) -> click.Command:
    """A command whose function is also given functions of rooms that its own may not import."""
    bound = copy(command)
    if command.callback:
        bound.callback = partial(command.callback, **functions)
    return bound


def secrets() -> Secrets:
    """How credentials are taken out of what is published."""
    from launchers.secrets.redaction import Redactor, redact_document
    from parsers.scrubbing.copies import Secrets

    return Secrets(Redactor, redact_document)


def _page_names() -> list[str]:
    """The names of all pages."""
    from report.pagefile.page_file import names

    return names()


def _lacking(page: str, logs: Path, repeats: int | None, only: Mapping[str, str]) -> list[WantedRun]:
    """The runs that a page lacks."""
    from launchers.run.series import WantedRun
    from report.pagefile.launch_file import load_launches
    from report.pagefile.page_file import find, load
    from report.results.plan import missing

    wanted = load(find(page))
    launches = load_launches(find(page), wanted)
    return [
        WantedRun(run.recipe, run.options, run.extra, run.folder)
        for run in missing(wanted, launches, logs, repeats=repeats, only=only)
    ]


def _measured(case: Path, language: str) -> tuple[str, bool]:
    """What the finished runs of a case give, and whether each gives a throughput; raises ParserError."""
    from report.terminal.show_text import repeats_shown
    from report.wording.words import Translator

    return repeats_shown(case, Translator(language).translate)


def _comparison(language: str) -> Callable[[Path, Path], str]:
    """What compares two cases and says the outcome; raises ExtraError."""
    from parsers.io.errors import extra
    from report.comparing.comparison import compare
    from report.wording.words import Translator

    translate = Translator(language).translate
    with extra("compare", "Comparisons need"):
        import scipy.special  # noqa: F401 - before hours of training, not behind them
    return lambda a, b: compare(a, b).document().terminal(translate, colour=False)
