"""Charts of the site: each as a picture in its page, and as an interactive one on a page of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ..cell import Cell
from ..charts import chart
from ..charts.page_charts import page_charts
from ..page import Page


@dataclass(frozen=True)
class Drawing:
    """One chart of a table in one language: its ``alternative`` is what it shows, in words.

    ``svg`` stands in the page of the table, ``fragment`` on a page of its own, where ``bundle`` makes it interactive.
    """

    table: str
    name: str
    title: str
    alternative: str
    svg: Markup
    fragment: Markup


def drawings(page: Page, cells: Sequence[Cell], language: str) -> list[Drawing]:
    """The charts of a page in one language; raises WordsError."""
    return [_drawing(found) for found in page_charts(page, cells, language)]


def _drawing(found: chart.Chart) -> Drawing:
    svg = chart.svg(found)
    drawn, interactive = Markup(svg), Markup(chart.fragment(found, svg))  # noqa: S704 - these escape
    return Drawing(found.table or "", found.name, found.title, found.alternative, drawn, interactive)


def bundle() -> str:
    """The script that makes the charts of a page interactive; it loads nothing."""
    return chart.bundle()
