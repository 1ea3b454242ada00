"""The charts of a page: bars and scaling curves of each of its tables, and runs over time that a table names."""

import re
from collections.abc import Iterator, Sequence

from ..cell import Cell
from ..page import Page, Table
from .bars import bars
from .chart import Chart
from .curves import curves
from .figure import figures
from .over_time import over_time
from .speech import speech


def page_charts(page: Page, cells: Sequence[Cell], language: str) -> list[Chart]:
    """The charts of a page in a language, in the order of its tables.

    ``cells``: all cells of the page. A table without two throughputs has no chart. Raises WordsError for a language
    without catalogue, LogError where a side file of a run that is drawn over time is broken.
    """
    return [chart for number, table in enumerate(page.tables, 1) for chart in _charts(number, table, cells, language)]


def _charts(number: int, table: Table, cells: Sequence[Cell], language: str) -> Iterator[Chart]:
    said, found = speech(language), figures(table, cells)
    name = _name(number, table)
    drawn = {"bars": bars, "scaling": curves}
    wanted = (drawn[kind](table, found, f"{name}-{kind}", said) for kind in table.charts)
    yield from filter(None, wanted)
    yield from over_time(table, cells, name, language)


def _name(number: int, table: Table) -> str:
    """A name that can stand in a path and in HTML, whatever a page calls its table; the number keeps it its own."""
    plain = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-")
    return f"{number}-{plain[:40]}".strip("-")
