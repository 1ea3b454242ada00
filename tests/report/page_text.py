"""Texts of small page files: the head and the columns that these share; each test writes its own tables below them."""

from collections.abc import Sequence
from pathlib import Path

from report.evidence.cell import Cell
from report.pagefile.page import Page
from report.results.build import build
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


def written(page: Page, cells: Sequence[Cell], language: str, logs: Path) -> str:
    """The text of a page, and that of its evidence."""
    report = build("page", page, "", cells, logs, logs)
    return "\n".join(texts(report, language, languages()).values())
