"""Rendering: a page and its cells become Markdown in one language."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tabulate import tabulate

from parsers.io.printable import printable_lines

from ..evidence.cell import Cell, Exhibit, anchors, coverage
from ..evidence.comparison import Comparison
from ..evidence.quotient import MISSING as MISSING_PART
from ..measuring.protocol import Message
from ..measuring.quantity import Shown
from ..measuring.reason import Reason
from ..pagefile.page import Block, Code, Grid, Page, Table
from ..wording import markdown
from ..wording.short_path import short_paths
from ..wording.words import words
from . import render_evidence, render_figures, render_likeness, render_remarks

MISSING = "-"
LOG_COLUMNS = ("Log", "Format", "Size", "SHA-256")
SECTIONS = ("What is tested", "Environment", "Set-up", "Test steps", "Results", "Raw logs")


class Renderer:
    """Renders one page in one language.

    ``logs``: the folder of logs, ``out``: the folder of the rendered page; links to logs of our own lead from here to
    there. ``unlike``: the comparisons that are not like with like.
    """

    def __init__(
        self,
        page: Page,
        cells: Sequence[Cell],
        language: str,
        logs: Path,
        out: Path,
        unlike: Sequence[Comparison] = (),
    ) -> None:
        self.page, self.cells, self.logs, self.out, self.unlike = page, cells, logs, out, unlike
        self.catalogue = words(language)
        self.anchors = anchors(cells)
        self.coverage = coverage(cells)
        self.exhibits = {e.path: e for cell in cells for proof in cell.proofs for e in proof.exhibits}
        self._names = short_paths(self.exhibits.keys())

    def markdown(self, charts_of: Callable[[Table], str] = lambda _: "") -> str:
        """The whole page; ``charts_of``: what shows the charts of a table, in Markdown."""
        environment = Environment(
            loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
            extensions=["jinja2.ext.i18n"],
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            undefined=StrictUndefined,
            autoescape=False,  # noqa: S701 - Markdown has its own escapes: markdown.text and markdown.code
        )
        environment.filters |= {"text": markdown.text, "code": markdown.code, "anchor": markdown.anchor}
        environment.globals["charts_of"] = charts_of
        template = environment.get_template("page.md.jinja")
        said = {"say": self.say, "translate": self.translate, "sections": SECTIONS, "missing": MISSING}
        return printable_lines(template.render(page=self.page, r=self, **said))

    def translate(self, text: str) -> str:
        """A text in this language; an empty one stays empty, for which gettext keeps its header."""
        return self.catalogue.gettext(text) if text else ""

    def say(self, message: str, **values: object) -> str:
        """A message of the template in this language, with its values filled in."""
        return self.translate(message).format(**values)

    def blocks(self, blocks: Iterable[Block]) -> str:
        """The parts of a section, as the page states them."""
        return "\n\n".join(map(self._block, blocks))

    def _block(self, block: Block) -> str:
        if isinstance(block, Code):
            return markdown.fenced(block.code, block.language)
        if isinstance(block, Grid):
            return self.grid([block.columns, *block.rows], self.translate)
        return self.translate(block).strip()

    def table(self, table: Table) -> str:
        """One table of results; every number leads to its evidence, every quoted figure to its source."""
        width = len(table.columns)
        numbers = [cell for cell in self.cells if cell.table == table.name]
        rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
        header = [self.translate(table.corner), *(self._column(cell.column, cell.shown) for cell in rows[0])]
        body = [[markdown.text(self.translate(row[0].row)), *map(self._marked, row)] for row in rows]
        return self.grid([[markdown.text(title) for title in header], *body])

    def _column(self, title: str, shown: Shown) -> str:
        """The title of a column; one that does not show the throughput of the page says what it shows, and its unit.

        A speed-up is of two columns and has no unit: its title says of which.
        """
        if shown.quantity in ("throughput", "speed_up"):
            return self.translate(title)
        quantity = self.translate(shown.quantity)
        return self.say("{title}, {quantity} ({unit})", title=self.translate(title), quantity=quantity, unit=shown.unit)

    def _marked(self, cell: Cell) -> str:
        if cell.digits is None:
            return MISSING
        remarked = "†" if cell.printed and (cell.disagreements or cell.remarks) else ""
        return self.number(cell) + remarked + ("‡" if cell.rests_on_quotes else "")

    def number(self, cell: Cell) -> str:
        """The digits of a cell that is not empty, as a link to their evidence or their source."""
        return markdown.link(str(cell.digits), f"#{self.anchors[id(cell)]}")

    def anchored(self, cell: Cell) -> str:
        """The digits of a cell that is not empty, at the place that links to them lead to."""
        return f'<a id="{self.anchors[id(cell)]}"></a>{cell.digits}'

    @staticmethod
    def grid(rows: Sequence[Sequence[str]], translate: Any = str) -> str:
        """A Markdown table whose first row is its head; Chinese columns align."""
        head, *body = [[translate(text) for text in row] for row in rows]
        return tabulate(body, headers=head, tablefmt="pipe", disable_numparse=True)

    def evidence(self, table: Table) -> str:
        """The proofs of all numbers of one table: which log, which lines, which protocol."""
        return render_evidence.evidence(self, [cell for cell in self.cells if cell.table == table.name])

    def computed(self, table: Table) -> str:
        """How the numbers of one table that are computed from others come from them."""
        return render_figures.computed(self, [cell for cell in self.cells if cell.table == table.name])

    def quoted(self, table: Table) -> str:
        """The quoted figures of one table, each with its source."""
        return render_figures.quoted(self, [cell for cell in self.cells if cell.table == table.name])

    def sources(self) -> str:
        """Where the quoted figures were published, and what must be known of them."""
        return render_figures.sources(self)

    def covered(self) -> str:
        """How many cells of each table are measured, quoted and missing."""
        return render_figures.covered(self)

    def differences(self, table: Table) -> list[str]:
        """What keeps the numbers of one table from being compared like with like, one sentence a row or column."""
        return render_likeness.remarks(self, table.corner, self._unlike(table))

    def common(self, table: Table) -> str:
        """The numbers of one table by one rule; empty where their own rules favour none."""
        return render_likeness.common(self, table.corner, self._unlike(table))

    def _unlike(self, table: Table) -> list[Comparison]:
        return [comparison for comparison in self.unlike if comparison.table == table.name]

    def log(self, exhibit: Exhibit) -> str:
        """A link to a log: to where it was published when others made it, else to our own copy."""
        return markdown.link(markdown.text(self.called(exhibit)), self._address(exhibit.path))

    def called(self, exhibit: Exhibit) -> str:
        """What a log is called: its name, with as many folders before it as tell it from other logs of the page."""
        return self._names[exhibit.path]

    def _address(self, log: str) -> str:
        if self.page.source:
            path = markdown.path_address(log).removeprefix("./")
            return self.page.source.url.format(commit=self.page.source.commit, path=path)
        return markdown.path_address(Path(os.path.relpath(self.logs / log, self.out)).as_posix())

    def sentence(self, stated: Iterable[Message], words: str, *, several: bool) -> str:
        """A rule in one readable line of this language, and in the words that the command line takes.

        ``several``: whether there are several runs, without which nothing is said of how they are put together.
        """
        shown = [step for step in stated if several or not step[0].startswith("repeats_")]
        steps = self.translate("joiner").join(self.say(key, **values) for key, values in shown)
        return self.say("{sentence} ({code})", sentence=steps, code=markdown.code(words))

    def remarks(self) -> list[str]:
        """What the logs say otherwise than the labels of the cells, and their warnings: a sentence, with its cells."""
        return render_remarks.remarks(self)

    def place(self, cell: Cell) -> str:
        """The number of a cell, and where it stands."""
        number = self.number(cell)
        table, row, column = self._coordinates(cell)
        return self.say("{number} ({table}, {row}, {column})", number=number, table=table, row=row, column=column)

    def titles(self, cell: Cell) -> tuple[str, str]:
        """Row and column of a cell as they are titled in this language."""
        return markdown.text(self.translate(cell.row)), markdown.text(self._column(cell.column, cell.shown))

    def _coordinates(self, cell: Cell) -> tuple[str, str, str]:
        return markdown.text(self.translate(self._title(cell))), *self.titles(cell)

    def _title(self, cell: Cell) -> str:
        return next(table.title for table in self.page.tables if table.name == cell.table)

    def empty(self) -> str:
        """The cells without evidence, each with the reason; not those that only lack what another cell lacks."""
        head = [self.translate(title) for title in ("Table", "Row", "Column", "Reason")]
        empty = (cell for cell in self.cells if not cell.digits and cell.reason != Reason(MISSING_PART))
        body = [self._emptiness(cell, cell.reason) for cell in empty if cell.reason]
        return self.grid([head, *body]) if body else ""

    def _emptiness(self, cell: Cell, reason: Reason) -> list[str]:
        why = self.say(reason.message, **reason.values)
        return [*self._coordinates(cell), markdown.text(why)]

    def listed(self) -> list[Exhibit]:
        """All logs of the page, once each, by their paths."""
        return [exhibit for _, exhibit in sorted(self.exhibits.items())]

    def logs_table(self) -> str:
        """All logs of the page, once each."""
        head = [self.translate(title) for title in LOG_COLUMNS]
        body = [self._log_row(exhibit) for exhibit in self.listed()]
        return self.grid([head, *body]) if body else ""

    def _log_row(self, exhibit: Exhibit) -> list[str]:
        name = markdown.code(exhibit.format or MISSING)
        return [self.log(exhibit), name, self.length(exhibit), markdown.code(exhibit.sha256)]

    def length(self, exhibit: Exhibit) -> str:
        """How long a log is."""
        return self.say("{count} lines", count=exhibit.total)
