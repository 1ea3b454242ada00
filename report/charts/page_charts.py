"""The charts of a page: one of each of its tables, and runs over time that a table names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from ..evidence.cell import Cell
from ..pagefile.page import Page, Table
from ..wording import markdown
from ..wording.page_words import page_words
from ..wording.run_months import run_months
from ..wording.words import Translator
from .bars import bars
from .chart import Chart, svg
from .efficiency import efficiency
from .panels import PanelChart
from .run_charts import over_time
from .spread import spread

AnyChart = Chart | PanelChart

SOURCE = "Source: {sources}."


def page_charts(page: Page, cells: Sequence[Cell], language: str) -> list[AnyChart]:
    """The charts of a page in a language, in the order of its tables.

    ``cells``: all cells of the page. A table without two throughputs and without repeats has none. Raises
    WordsError for a language without catalogue, LogError where a side file of a run that is drawn over time is broken.
    """
    translator, numbered = Translator(language, page_words(page, language)), enumerate(page.tables, 1)
    named = ((chart_name(number, table), table) for number, table in numbered)
    drawn = partial(_charts, page=page, cells=cells, translator=translator, language=language)
    return [chart for name, table in named for chart in drawn(name, table)]


def _charts(
    name: str, table: Table, *, page: Page, cells: Sequence[Cell], translator: Translator, language: str
) -> Iterator[AnyChart]:
    drawn = {"bars": bars, "scaling": efficiency, "spread": spread}
    wanted = (drawn[kind](page, table, cells, f"{name}-{kind}", translator) for kind in table.charts)
    yield from islice(filter(None, wanted), 1)
    yield from over_time(page, table, cells, name, translator, language)


def chart_name(number: int, table: Table) -> str:
    """A name that can stand in a path and in HTML, whatever a page calls its table; the number keeps it its own."""
    plain = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-")
    return f"{number}-{plain[:40]}".strip("-")


def chart_files(name: str, page: Page, cells: Sequence[Cell], language: str) -> "ChartFiles":
    """The charts of a page in a language; ``name``: that of the page file."""
    charts, translator = page_charts(page, cells, language), Translator(language, page_words(page, language))
    return ChartFiles(name, language, charts, chart_sources(page, cells, translator))


def chart_sources(page: Page, cells: Sequence[Cell], translator: Translator) -> dict[str, str]:
    """What stands below a chart that is taken out of a page, by the name of its table; ``cells``: those of the page."""
    tables = {table.name: [cell for cell in cells if cell.table == table.name] for table in page.tables}
    behind = {name: [one for cell in own for one in (cell, *cell.parts)] for name, own in tables.items()}
    return {table: translator.sentences(_source(page, own, translator)) for table, own in behind.items()}


def _source(page: Page, cells: Sequence[Cell], translator: Translator) -> Iterator[str]:
    """Of what a chart of some cells of a page is, whose logs these are or whom it quotes, and of when."""
    yield translator.say("{said}.", said=translator.translate(page.title))
    found: list[str] = []
    if page.source and any(page.source.has(proof.log) for cell in cells for proof in cell.proofs):
        found.append(page.source.repository.removeprefix("https://"))
    quoted = dict.fromkeys(cell.quoted.source for cell in cells if cell.quoted)
    found += [translator.translate(page.sources[name].title) for name in quoted]
    if found:
        yield translator.say(SOURCE, sources=translator.joined(found))
    yield from filter(None, [run_months(cells, translator)])


@dataclass(frozen=True)
class ChartFiles:
    """The charts of one page in one language as files PAGE.CHART.LANG.svg of a folder.

    ``sources``: what stands below the charts of a table, by its name.
    """

    page: str
    language: str
    charts: Sequence[AnyChart]
    sources: Mapping[str, str]

    def texts(self) -> Mapping[str, str]:
        """The text of each file, by its name."""
        return {self._file(chart): self._svg(chart) for chart in self.charts}

    def of(self, table: Table) -> str:
        """The charts of a table as images in Markdown; empty where it has none."""
        return "\n\n".join(self._image(chart) for chart in self.charts if chart.table == table.name)

    def _image(self, chart: AnyChart) -> str:
        """A chart as an image, told by its title: the table above has the numbers, the file a description."""
        return f"!{markdown.link(markdown.text(chart.title), markdown.path_address(self._file(chart)))}"

    def _file(self, chart: AnyChart) -> str:
        return f"{self.page}.{chart.name}.{self.language}.svg"

    def _svg(self, chart: AnyChart) -> str:
        return chart.svg(self.sources[chart.table]) if isinstance(chart, PanelChart) else svg(chart, standalone=True)
