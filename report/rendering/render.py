"""Rendering: a page and its cells become Markdown in one language."""

from collections.abc import Callable, Iterable
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from parsers.io.message import Message
from parsers.io.printable import printable_lines

from ..evidence.cell import Cell, Exhibit
from ..evidence.comparison import Comparison
from ..evidence.quotient import MISSING as MISSING_PART
from ..pagefile.page import Block, Code, Grid, Table
from ..wording import markdown
from ..wording.words import worded
from . import render_evidence, render_remarks
from .page_text import PageText

MISSING = "-"
LOG_COLUMNS = ("Log", "Format", "Size", "SHA-256")
SECTIONS = ("What is tested", "Environment", "Set-up", "Test steps", "Results", "Raw logs")


def _repeats_a_reason(cell: Cell) -> bool:
    """Whether a cell is empty for no reason but that another one is."""
    return cell.reason is not None and cell.reason.key == MISSING_PART


class Renderer(PageText):
    """Renders one page in one language: its sections, put together by a template."""

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
        header = [self.translate(table.corner), *(self.column_title(cell.column, cell.shown) for cell in rows[0])]
        body = [[markdown.text(self.translate(row[0].row)), *map(self._marked, row)] for row in rows]
        return self.grid([[markdown.text(title) for title in header], *body])

    def _marked(self, cell: Cell) -> str:
        if cell.digits is None:
            return MISSING
        remarked = "†" if cell.printed and (cell.disagreements or cell.remarks) else ""
        return self.number(cell) + remarked + ("‡" if cell.rests_on_quotes else "")

    def evidence(self, table: Table) -> str:
        """The proofs of all numbers of one table: which log, which lines, which protocol."""
        return render_evidence.evidence(self, [cell for cell in self.cells if cell.table == table.name])

    def ranks(self, table: Table) -> str:
        """How far the ranks behind the numbers of one table are apart."""
        return render_evidence.ranks(self, [cell for cell in self.cells if cell.table == table.name])

    def computed(self, table: Table) -> str:
        """How the numbers of one table that are computed from others come from them."""
        return render_evidence.computed(self, [cell for cell in self.cells if cell.table == table.name])

    def quoted(self, table: Table) -> str:
        """The quoted figures of one table, each with its source."""
        return render_evidence.quoted(self, [cell for cell in self.cells if cell.table == table.name])

    def sources(self) -> str:
        """Where the quoted figures were published, and what must be known of them."""
        return render_evidence.sources(self)

    def covered(self) -> str:
        """How many cells of each table are measured, quoted and missing."""
        return render_evidence.covered(self)

    def differences(self, table: Table) -> list[str]:
        """What keeps the numbers of one table from being compared like with like, one sentence a row or column."""
        return render_remarks.differences(self, table.corner, self._unlike(table))

    def common(self, table: Table) -> str:
        """The numbers of one table by one rule; empty where their own rules favour none."""
        return render_remarks.common(self, table.corner, self._unlike(table))

    def _unlike(self, table: Table) -> list[Comparison]:
        return [comparison for comparison in self.unlike if comparison.table == table.name]

    def remarks(self) -> list[str]:
        """What the logs say otherwise than the labels of the cells, and their warnings: a sentence, with its cells."""
        return render_remarks.remarks(self)

    def empty(self) -> str:
        """The cells without evidence, each with the reason; not those that only lack what another cell lacks."""
        head = [self.translate(title) for title in ("Table", "Row", "Column", "Reason")]
        empty = (cell for cell in self.cells if not cell.digits and not _repeats_a_reason(cell))
        body = [self._emptiness(cell, cell.reason) for cell in empty if cell.reason]
        return self.grid([head, *body]) if body else ""

    def _emptiness(self, cell: Cell, reason: Message) -> list[str]:
        return [*self.coordinates(cell), markdown.text(worded(reason, self.translate))]

    def logs_table(self) -> str:
        """All logs of the page, once each."""
        head = [self.translate(title) for title in LOG_COLUMNS]
        body = [self._log_row(exhibit) for exhibit in self.listed()]
        return self.grid([head, *body]) if body else ""

    def _log_row(self, exhibit: Exhibit) -> list[str]:
        name = markdown.code(exhibit.format or MISSING)
        return [self.log(exhibit), name, self.length(exhibit), markdown.code(exhibit.sha256)]
