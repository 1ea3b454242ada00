"""Drawing: a process of its own that draws charts while pages are written."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Self

from markupsafe import Markup

from ..charts import chart
from ..charts.chart import Chart
from ..charts.page_charts import page_charts
from ..charts.panels import PanelChart
from ..evidence.cell import Cell
from ..pagefile.page import Page


class ChartProcess:
    """Draws charts in a process of its own, which starts at once; a context, at whose end it stops."""

    def __init__(self) -> None:
        # A fork of a process that has drawn a chart itself would wait for ever.
        self._process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        self._process.submit(chart.get_ready)  # Where that fails, so does each chart, which tells it.

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.shutdown(cancel_futures=True)

    def draw(self, wanted: Chart) -> Future[str]:
        """A chart as ``chart.svg`` makes it."""
        return self._process.submit(chart.svg, wanted)


@dataclass(frozen=True)
class Drawing:
    """A chart of a run that is drawn, or being drawn."""

    chart: chart.Chart
    drawn: Future[str]

    @property
    def svg(self) -> Markup:
        """The picture that stands in the page of its table."""
        return Markup(self.drawn.result())  # noqa: S704 - it escapes


def drawings(
    page: Page, cells: Sequence[Cell], language: str, process: ChartProcess
) -> tuple[list[PanelChart], list[Drawing]]:
    """The charts of the tables of a page in one language, and of its runs, which the process begins to draw.

    Raises WordsError.
    """
    found = page_charts(page, cells, language)
    panels = [one for one in found if isinstance(one, PanelChart)]
    return panels, [Drawing(one, process.draw(one)) for one in found if isinstance(one, Chart)]
