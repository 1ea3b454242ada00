"""The files of charts: SVG beside a page in Markdown, and what shows them there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import markdown
from ..cell import Cell
from ..page import Page, Table
from .chart import Chart, svg
from .page_charts import page_charts


def chart_files(name: str, page: Page, cells: Sequence[Cell], language: str) -> "ChartFiles":
    """The charts of a page in a language; ``name``: that of the page file."""
    return ChartFiles(name, language, page_charts(page, cells, language))


@dataclass(frozen=True)
class ChartFiles:
    """The charts of one page in one language as files PAGE.CHART.LANG.svg of a folder."""

    page: str
    language: str
    charts: Sequence[Chart]

    def texts(self) -> Mapping[str, str]:
        """The text of each file, by its name."""
        return {self._file(chart): svg(chart, standalone=True) for chart in self.charts}

    def of(self, table: Table) -> str:
        """The charts of a table as images in Markdown; empty where it has none."""
        return "\n\n".join(self._image(chart) for chart in self.charts if chart.table == table.name)

    def _image(self, chart: Chart) -> str:
        return f"!{markdown.link(markdown.text(chart.alternative), markdown.path_address(self._file(chart)))}"

    def _file(self, chart: Chart) -> str:
        return f"{self.page}.{chart.name}.{self.language}.svg"
