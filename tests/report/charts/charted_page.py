"""A page with two frameworks on 1, 8 and 32 cards, whose logs are repeated, and what its charts hold."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from report.charts.chart import Chart
from report.charts.page_charts import page_charts
from report.charts.panels import ChartPoint, PanelChart

from report.evidence.case_evidence import cells
from report.evidence.cell import Quoted
from report.pagefile.page import Page
from report.pagefile.page_file import load
from tests.report.compared_page import put
from tests.report.page_text import HEAD, column

PAGE = (
    HEAD
    + column("a", "a{cards}-*/train.log", "plain,decimals=1")
    + column("b", "b{cards}-*/train.log", "plain,decimals=1")
    + """
[[tables]]
name = "t"
title = "Scores"
corner = "Cards"
case = { batch_size = 64, precision = "fp32" }
columns = [{ column = "a" }, { column = "b" }]
rows = [
    { title = "{cards} cards", case = { cards = 1 } },
    { title = "{cards} cards", case = { cards = 8 } },
    { title = "{cards} cards", case = { cards = 32 } },
]
"""
)
SPEEDS: Mapping[str, tuple[float, ...]] = {
    "a1": (400.0, 410.0, 390.0),
    "a8": (3000.0,),
    "a32": (11000.0,),
    "b1": (380.5,),
    "b8": (2900.0, 2950.0),
    "b32": (9000.0,),
}
SVG = "{http://www.w3.org/2000/svg}"


def make(folder: Path, speeds: Mapping[str, tuple[float, ...]] = SPEEDS, page: str = PAGE) -> Page:
    """Put the page and its logs into a folder; a run a speed."""
    (folder / "page.toml").write_text(page, encoding="utf-8")
    (folder / "logs").mkdir(exist_ok=True)
    for run, values in speeds.items():
        for number, value in enumerate(values):
            put(folder, f"{run}-{number}", (value,) * 30, cards=int(run[1:]))
    return load(folder / "page.toml")


def charts(folder: Path, language: str = "en", **made: Any) -> dict[str, PanelChart]:
    """The charts of the tables of the page, by their names."""
    page = make(folder, **made)
    found = page_charts(page, list(cells(page, folder / "logs")), language)
    return {chart.name: chart for chart in found if isinstance(chart, PanelChart)}


def runs(folder: Path, language: str = "en", **made: Any) -> dict[str, Chart]:
    """The charts of the runs of the page, by their names."""
    page = make(folder, **made)
    found = page_charts(page, list(cells(page, folder / "logs")), language)
    return {chart.name: chart for chart in found if isinstance(chart, Chart)}


def points(chart: PanelChart) -> list[tuple[str, str, ChartPoint]]:
    """The numbers of a chart: the titles of their panel and of their line, and what is drawn."""
    lines = ((panel.title, line) for panel in chart.panels for line in panel.lines)
    return [(title, line.title, point) for title, line in lines for point in line.points]


def with_quote(folder: Path, language: str = "en", page: str = PAGE) -> dict[str, PanelChart]:
    """The charts of the page whose last cell has no log but a quoted figure."""
    made = make(folder, {run: speeds for run, speeds in SPEEDS.items() if run != "b32"}, page)
    *measured, empty = cells(made, folder / "logs")
    quoted = replace(empty, quoted=Quoted("8000.50", "s"))
    found = page_charts(made, [*measured, quoted], language)
    return {chart.name: chart for chart in found if isinstance(chart, PanelChart)}


def data(chart: Chart) -> list[dict[str, Any]]:
    """All rows of data of a chart."""
    return [row for rows in chart.spec["datasets"].values() for row in rows]


def numbers(chart: Chart, *fields: str) -> list[tuple[Any, ...]]:
    """These fields of all rows of data that have them, once each, in their order."""
    found = (tuple(row[field] for field in fields) for row in data(chart) if set(fields) <= row.keys())
    return list(dict.fromkeys(found))


def parsed(drawn: str) -> ElementTree.Element:
    """An SVG as a tree; raises where it is not well-formed."""
    return ElementTree.fromstring(drawn)  # noqa: S314 - made by the program itself


def texts(drawn: str) -> list[str]:
    """The texts that an SVG shows."""
    return ["".join(text.itertext()) for text in parsed(drawn).iter(f"{SVG}text")]
