"""Texts of small page files: the head and the columns that these share; each test writes its own tables below them."""

from pathlib import Path

from parsers.sharing.workers import ALONE
from report.pagefile.page_file import load
from report.results.build import build
from report.results.model import Report, Result
from report.results.store import LogStore
from report.views.markdown import texts
from report.wording.words import languages

HEAD = """
title = "T"
model = "M"
unit = "images/s"
tested = ["What is tested."]
"""


def column(name: str, logs: str, protocol: str = "plain", *, keys: str = "", of_runs: str = "") -> str:
    """A column that has its name in capitals as its title, with one kind of run; other keys of both, a line each."""
    return f"""
[columns.{name}]
title = "{name.upper()}"
{keys}
[[columns.{name}.runs]]
logs = "{logs}"
protocol = "{protocol}"
{of_runs}
"""


def table(columns: str, case: str, rows: str = '{ title = "one" }', *, name: str = "t", keys: str = "") -> str:
    """A table that has its name in capitals as its title; other keys of it, a line each."""
    return f"""
[[tables]]
name = "{name}"
title = "{name.upper()}"
case = {{ {case} }}
columns = [{columns}]
rows = [{rows}]
{keys}
"""


def report_of(page: Path, logs: Path) -> Report:
    """The report of a page file."""
    return build(page.stem, load(page), "", LogStore(logs, ALONE), page.parent)


def results_of(page: Path, logs: Path) -> list[Result]:
    return report_of(page, logs).results


def said_of(report: Report, result: Result) -> list[str]:
    """What a reader of a number must know: the notes that are about it, and what is told with the evidence."""
    notes = [note for table in report.page.tables for note in table.notes if result.id in note.results]
    return [*(str(note.results[result.id] or note.said) for note in notes), *map(str, result.details)]


def written(report: Report, language: str) -> str:
    """The text of a page, and that of its evidence."""
    return "\n".join(texts(report, language, languages()).values())
