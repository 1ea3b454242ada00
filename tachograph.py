"""Tachograph: benchmark pages in which every number links to the log lines it was computed from.

The names that people import, brought in on first use, and the command's entry point.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click import Group

    from launchers.secrets.redaction import Redactor
    from parsers.io.errors import FormatError, GrammarError, LogError, ParserError
    from parsers.ranks.ranked_reading import read, survey
    from parsers.runs.reading import Reading
    from report.comparing.history.history_notebook import History, history
    from report.comparing.notebook import Comparison, compare
    from report.evidence.plan import PlannedLaunch
    from report.measuring.measurement import Measurement, measure
    from report.measuring.protocol import Protocol

__all__ = [
    "Comparison",
    "FormatError",
    "GrammarError",
    "History",
    "LogError",
    "Measurement",
    "ParserError",
    "Protocol",
    "Reading",
    "compare",
    "history",
    "main",
    "measure",
    "read",
    "survey",
]

HELP = """Benchmark pages in which every number links to the log lines it was computed from.

\b
Examples:
  tachograph show train.log
  tachograph report --lang zh
"""

_HOMES = {
    "Comparison": "report.comparing.notebook",
    "FormatError": "parsers.io.errors",
    "GrammarError": "parsers.io.errors",
    "History": "report.comparing.history.history_notebook",
    "LogError": "parsers.io.errors",
    "Measurement": "report.measuring.measurement",
    "ParserError": "parsers.io.errors",
    "Protocol": "report.measuring.protocol",
    "Reading": "parsers.runs.reading",
    "compare": "report.comparing.notebook",
    "history": "report.comparing.history.history_notebook",
    "measure": "report.measuring.measurement",
    "read": "parsers.ranks.ranked_reading",
    "survey": "parsers.ranks.ranked_reading",
}


def __getattr__(name: str) -> Any:
    """Bring in a public name when it is first used, so that ``tachograph --help`` answers at once."""
    if name not in _HOMES:
        raise AttributeError(f"tachograph has no {name!r}; it has {', '.join(__all__)}.")
    return getattr(import_module(_HOMES[name]), name)


class _Neighbours:
    """What the commands of one room may ask of another: `launch` about pages, `scrub` about credentials."""

    @staticmethod
    def names() -> list[str]:
        """List the names of all pages."""
        from report.pagefile.page_file import names

        return names()

    @staticmethod
    def lacking(page: str, logs: Path, repeats: int | None, only: "Mapping[str, str]") -> "list[PlannedLaunch]":
        """List the runs that a page lacks; says which cells no launcher can fill."""
        import click

        from parsers.io.printable import say
        from report.evidence.plan import missing, unplanned
        from report.pagefile.page_file import PageError, find, load

        try:
            wanted = load(find(page))
            lacking = list(missing(wanted, logs, repeats=repeats, only=only))
            for sentence in unplanned(wanted, logs, only=only):
                say(sentence, err=True)
            return lacking
        except PageError as error:
            raise click.UsageError(str(error)) from error

    @staticmethod
    def measured(case: Path, language: str) -> str:
        """Say what the finished runs of a case give; raises click.ClickException where one cannot be read."""
        from parsers.io.errors import ParserError
        from parsers.io.refusal import Unreadable
        from report.terminal.repeats_text import repeats_shown
        from report.wording.language_option import told_in, translate_to

        translate = translate_to(language)
        try:
            return repeats_shown(case, translate)
        except ParserError as error:
            raise Unreadable(told_in(error, translate)) from error

    @staticmethod
    def comparison(language: str) -> "Callable[[Path, Path], str]":
        """What compares two cases and says the outcome; raises click.ClickException where an extra is missing."""
        from parsers.io.errors import ParserError
        from parsers.io.extras import extra
        from parsers.io.refusal import Unreadable
        from report.comparing.notebook import compare
        from report.comparing.output.comparison_text import terminal
        from report.wording.language_option import told_in, translate_to

        translate = translate_to(language)

        def compared(a: Path, b: Path) -> str:
            try:
                return terminal(compare(a, b), translate, colour=False)
            except ParserError as error:
                raise Unreadable(told_in(error, translate)) from error

        try:
            with extra("compare", "Comparisons need"):
                import scipy.special  # noqa: F401 - before hours of training, not behind them
        except ParserError as error:
            raise Unreadable(told_in(error, translate)) from error
        return compared

    @classmethod
    def scrubbed(cls, logs: Path, paths: "Sequence[str]", out: Path) -> None:
        """Copy runs of a folder of logs without the names and credentials that they hold; raises ParserError."""
        from tempfile import TemporaryDirectory

        from parsers.io.errors import ParserError
        from parsers.scrubbing.copies import NamedLog, copied

        with TemporaryDirectory(dir=out.parent) as place:
            outcome = copied([NamedLog(logs / path, logs) for path in paths], Path(place), cls())
            if outcome.problems:
                raise ParserError("{problems}", problems="; ".join(outcome.problems))
            if (made := Path(place, logs.name)).is_dir():  # else names were replaced, and no log is found there
                made.rename(out)

    @staticmethod
    def stream() -> "Redactor":
        """Take credentials out of a log, from its begin."""
        from launchers.secrets.redaction import Redactor

        return Redactor()

    @staticmethod
    def document(value: Any) -> Any:
        """Take credentials out of a document of JSON."""
        from launchers.secrets.published_run import redact_document

        return redact_document(value)


def command_line() -> "Group":
    """All commands of all rooms, as one."""
    import click

    from parsers.io.refusal import Commands

    rooms = ("parsers", "report", "launchers")
    commands = [command for room in rooms for command in import_module(f"{room}.commands").commands]
    group = Commands("tachograph", commands={command.name: command for command in commands}, help=HELP)
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
    _make_printable()
    command_line()(obj=_Neighbours())


def _make_printable() -> None:
    """Let nothing through to a terminal that acts there, whoever prints it: a command, a library, Python itself."""
    import sys

    from parsers.io.printable import PrintableStream

    sys.stdout, sys.stderr = PrintableStream(sys.stdout), PrintableStream(sys.stderr)


if __name__ == "__main__":
    main()
