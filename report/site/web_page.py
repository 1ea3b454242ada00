"""Web pages: a page and its cells become HTML in one language, of the same parts as the Markdown."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markupsafe import Markup

from ..charts.page_charts import chart_sources
from ..charts.palette import look
from ..charts.panels import PanelChart
from ..evidence.cell import Cell
from ..pagefile.page import Block, Table
from ..rendering import render_remarks
from ..rendering.page_text import MISSING
from ..rendering.publish import PublishedPage
from ..rendering.render import LOG_COLUMNS, SECTIONS, Renderer
from ..rendering.render_table import ResultsTable
from ..wording import markdown
from ..wording.markdown import path_address
from . import hypertext
from .drawing import Drawing
from .hypertext import plain
from .table_data import compared, data_files, data_name
from .templating import environment

# Where the raw logs are, as seen from a page.
LOGS = Path("logs")
LONGEST_NAME = 251  # bytes that a file system takes, less those of .txt
ANCHORS = ("results", "tested", "environment", "set-up", "steps", "logs")
ALWAYS = ("results", "logs")


class WebPage(Renderer):
    """Renders one page in one language as HTML.

    ``languages``: all that the site is in. ``logs``: the folder of logs. ``charts``: those of its tables in its
    language. ``runs``: those of runs. ``reloads``: whether it comes again when the site is built anew.
    """

    def __init__(
        self,
        published: PublishedPage,
        languages: Sequence[str],
        logs: Path,
        language: str,
        charts: Sequence[PanelChart],
        runs: Sequence[Drawing],
        *,
        reloads: bool = False,
    ) -> None:
        super().__init__(published.page, published.cells, language, logs, Path(), published.unlike)
        self.name, self.language, self.languages = published.name, language, languages
        self.reloads = reloads
        page = published.page
        stated = (page.results, page.tested, self.environment(), page.setup, page.steps)
        self.stated = dict(zip(ANCHORS, stated, strict=False))
        self.charts, self.runs = charts, runs

    def html(self) -> str:
        """The whole page."""
        text = self._of_file("page.html.jinja", {language: self.address(language) for language in self.languages})
        targets = self._targets()
        return re.sub(r'(?<=href="#)[^"]+', lambda found: targets.get(unquote(found[0]), found[0]), text)

    def _targets(self) -> dict[str, str]:
        """The ids of headings by what links in Markdown call them: text of a page file leads to both pages."""
        titles = {f"table-{table.name}": self.translate(table.title) for table in self.page.tables}
        titles |= dict(self.sections())
        return {called: one for one, title in titles.items() if (called := markdown.anchor(title)) not in titles}

    def _of_file(self, template: str, files: Mapping[str, str]) -> str:
        """A file of the site by its template; ``files``: the same by their languages."""
        of_site = {"language": self.language, "languages": self.languages, "reloads": self.reloads}
        home = index_name(self.language, self.languages)
        of_page = {"page": self.page, "missing": MISSING, "files": files, "home": home}
        return environment().get_template(template).render(p=self, say=self.say, **of_site, **of_page)

    def address(self, language: str) -> str:
        """The page in a language, as seen from the index."""
        return path_address(file_name(self.name, language))

    def sections(self) -> list[tuple[str, str]]:
        """The sections that the page has: the anchor, the same in every language, and the title in this one."""
        there = ((a, self.say(title)) for a, title in zip(ANCHORS, SECTIONS, strict=True))
        return [(anchor, title) for anchor, title in there if anchor in ALWAYS or self.stated[anchor]]

    def section(self, blocks: Sequence[Block], title: str) -> Markup:
        """The blocks of a section as the page file states them; its tables are labelled by the title of the section."""
        return hypertext.html(self.blocks(blocks), title)

    def results(self, shown: ResultsTable) -> Markup:
        """A table of results, whose numbers open their evidence."""
        kind = "results grouped" if any(row.group for row in shown.table.rows) else "results"
        former = {self.anchors[cell]: anchor for cell, anchor in self.former_anchors.items()}
        looks, shorts = self._looks(shown.table), self._shorts(shown)
        return hypertext.html(shown.markdown, self.translate(shown.table.title), kind, former, looks, shorts)

    def _looks(self, table: Table) -> list[str]:
        """The colours of the columns of a table that compares frameworks; none for others."""
        looks = [look(self.page.columns[column.column].title) for column in table.columns]
        return looks if len(set(looks)) > 1 else []

    def _shorts(self, shown: ResultsTable) -> list[tuple[str, str]]:
        """The head of each column of a table, or its begin, and what stands for it on a narrow screen."""
        names = {column.column for column in shown.table.columns}
        return [self._short(shown, at, len(names) > 1) for at in range(len(shown.table.columns))]

    def _short(self, shown: ResultsTable, at: int, is_one_of_several: bool) -> tuple[str, str]:
        of_page, cell = self.page.columns[shown.table.columns[at].column], shown.rows[0][at]
        short = self.translate(of_page.short)
        if shown.caption or self.is_told_by_title(cell.shown):
            return self.translate(of_page.title), short
        narrow = self.translate(f"narrow_{cell.shown.quantity}")
        head = shown.title(at)
        return head, self.enumerated([short or self.translate(of_page.title), narrow]) if is_one_of_several else narrow

    def charts_of(self, table: Table) -> list[PanelChart]:
        """The charts of the numbers of a table."""
        return [chart for chart in self.charts if chart.table == table.name]

    def comparison_of(self, table: Table) -> dict[str, Any] | None:
        """What a comparison of two columns or runs of a table needs, with their titles; None where it has no two."""
        found = compared(self.page, table, self.cells)
        if found is None:
            return None
        width = len(table.columns)
        own = [cell for cell in self.cells if cell.table == table.name]
        titles = [plain(self.titles(own[at])[1]) for at in found["columns"]]
        return found | {"titles": titles, "row_titles": [plain(self.titles(cell)[0]) for cell in own[::width]]}

    def data_address(self, table: Table, kind: str) -> str:
        """The file of a table as CSV or JSON, as seen from this one."""
        return path_address(data_name(self.name, self.page.tables.index(table) + 1, table, kind))

    def data(self) -> Iterator[tuple[str, str]]:
        """The names and the texts of the files of its tables, the same in every language."""
        addresses = {cell: f"{self.address(self.language)}#{anchor}" for cell, anchor in self.anchors.items()}
        return data_files(self.name, self.page, self.cells, addresses)

    def drawn_files(self) -> Iterator[tuple[str, str]]:
        """The names and the texts of the files of its charts, in its language."""
        sources = chart_sources(self.page, self.cells, self)
        return ((self._drawn_file(chart), chart.svg(sources[chart.table])) for chart in self.charts)

    def drawn_address(self, chart: PanelChart) -> str:
        """The file of a chart, as seen from this one."""
        return path_address(self._drawn_file(chart))

    def _drawn_file(self, chart: PanelChart) -> str:
        return f"data/{self.name}.{chart.name}.{self.language}.svg"

    def description(self) -> str:
        """What the page finds, or holds, in a sentence or two without markup."""
        return plain(next(iter(self.highlights()), self.summary()))

    def runs_of(self, table: Table) -> list[Drawing]:
        """The charts of single runs behind the numbers of a table, which are evidence."""
        return [drawing for drawing in self.runs if drawing.chart.table == table.name]

    def anchor_of(self, cell: Cell) -> str | None:
        """The anchor of the evidence of a cell, which is the same in every language; None for an empty cell."""
        return self.anchors.get(cell)

    def anchored(self, cell: Cell) -> str:
        """The digits of a cell as a link: what they lead to is not in this page."""
        return self.number(cell)

    def proofs_address(self, language: str) -> str:
        """The page of the evidence in a language, as seen from this one."""
        return path_address(proofs_name(self.name, language))

    def proofs_html(self) -> str:
        """The page of the evidence, whose numbers lead to those of the page."""
        files = {language: self.proofs_address(language) for language in self.languages}
        return self.leading_to(self.address(self.language))._of_file("proofs.html.jinja", files)

    def remarks_of(self, cell: Cell) -> list[str]:
        """What a reader of a number must know, in this language, as Markdown."""
        return list(dict.fromkeys(render_remarks.sentences(self, cell)))

    def log_columns(self) -> list[str]:
        """The titles of the columns of the table of logs."""
        return [self.translate(title) for title in LOG_COLUMNS]

    def log_address(self, path: str) -> str:
        """Where the site has a copy of a log, as seen from this page."""
        return path_address(copy_of(path).as_posix())

    def published_address(self, path: str) -> str | None:
        """Where others published a log; None for logs of our own."""
        return super()._address(path) if self.page.source and self.page.source.has(path) else None

    def _address(self, log: str) -> str:
        return self.log_address(log)


def copy_of(log: str) -> Path:
    """Where the copy of a log is in the site: a text whatever the log is called, so that nothing runs it.

    `.txt` is its only ending: a server such as Apache may also act on one before it. No folder has such a name, so that
    the copy of one log is never where another one needs a folder; nor do two logs have the same copy.
    """
    *folders, name = Path(log).parts
    inert = name.replace("%", "%25").replace(",", "%2C").replace(".", ",")
    if len(os.fsencode(inert)) > LONGEST_NAME:
        inert = f"{inert[:40]}%{sha256(os.fsencode(name)).hexdigest()}"
    return LOGS.joinpath(*(re.sub(r"\.txt_*\Z", r"\g<0>_", folder) for folder in folders), f"{inert}.txt")


def file_name(name: str, language: str) -> str:
    """The file of a page in a language."""
    return f"{name}.{language}.html"


def proofs_name(name: str, language: str) -> str:
    """The file of the evidence of a page in a language."""
    return file_name(f"{name}.evidence", language)


def index_name(language: str, languages: Sequence[str]) -> str:
    """The file of the index in a language: index.html is English, or the first language where that is left out."""
    first = "en" if "en" in languages else languages[0]
    # A page has the name of its language after a point, so that none of them is an index.
    return "index.html" if language == first else f"index-{language}.html"
