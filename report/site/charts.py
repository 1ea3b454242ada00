"""Charts of the site: each as a picture in its page, and as an interactive one on a page of its own."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from ..cell import Cell
from ..charts import chart
from ..charts.page_charts import page_charts
from ..page import Page


@dataclass(frozen=True)
class Drawing:
    """A chart that is drawn, or being drawn."""

    chart: chart.Chart
    drawn: Future[str]

    @property
    def svg(self) -> Markup:
        """The picture that stands in the page of its table."""
        return Markup(self.drawn.result())  # noqa: S704 - it escapes

    @property
    def fragment(self) -> Markup:
        """What stands on a page of its own, where ``bundle`` makes it interactive."""
        return Markup(chart.fragment(self.chart, self.drawn.result()))  # noqa: S704 - it escapes


@cache
def _pen() -> ThreadPoolExecutor:
    """Draws charts while pages are written: most of it is no work of Python's."""
    return ThreadPoolExecutor(1)


def drawings(page: Page, cells: Sequence[Cell], language: str) -> list[Drawing]:
    """The charts of a page in one language; raises WordsError."""
    return [Drawing(found, _pen().submit(chart.svg, found)) for found in page_charts(page, cells, language)]


def bundle() -> Future[str]:
    """The script that makes the charts of a page interactive; it loads nothing."""
    return _pen().submit(chart.bundle)
