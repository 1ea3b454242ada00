"""Charts of the site: each as a picture in its page, and as an interactive one on a page of its own."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from markupsafe import Markup

from ..cell import Cell
from ..charts import chart
from ..charts.page_charts import page_charts
from ..page import Page
from .pen import Pen


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


def drawings(page: Page, cells: Sequence[Cell], language: str, pen: Pen) -> list[Drawing]:
    """The charts of a page in one language, which the pen begins to draw; raises WordsError."""
    return [Drawing(found, pen.draw(found)) for found in page_charts(page, cells, language)]
