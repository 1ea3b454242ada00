"""The pen: a process of its own that draws charts while pages are written."""

import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Self

from ..charts import chart
from ..charts.chart import Chart


class Pen:
    """Draws charts in a process of its own, which starts at once; a context, at whose end it stops."""

    def __init__(self) -> None:
        # A fork of a process that has drawn a chart itself would wait for ever.
        self._process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        self._process.submit(chart.get_ready)  # Where that fails, so does each chart, which tells it.

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.shutdown(cancel_futures=True)

    def draw(self, drawn: Chart) -> Future[str]:
        """A chart as ``chart.svg`` makes it."""
        return self._process.submit(chart.svg, drawn)

    def bundle(self) -> Future[str]:
        """The script that makes the charts of a page interactive; it loads nothing."""
        return self._process.submit(chart.bundle)
