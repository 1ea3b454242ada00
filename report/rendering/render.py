"""Rendering: the parts of a page and its cells become Markdown in one language."""

from collections.abc import Iterable

from ..evidence.cell import Cell
from ..evidence.comparison import UnlikeNumbers
from ..evidence.ranks.exhibits import Exhibit
from ..evidence.reason import Remark
from ..pagefile.page import Block, Code, Grid, Prose, Table
from ..wording import markdown
from ..wording.run_months import run_months
from ..wording.words import worded
from . import render_environment, render_evidence, render_highlights, render_remarks
from .page_text import MISSING, PageText
from .render_table import ResultsTable

LOG_COLUMNS = ("Log", "Format", "Size", "SHA-256")
SECTIONS = ("Results", "What is tested", "Environment", "Set-up", "Test steps", "Raw logs")
RESULTS, *STATED, LOGS = SECTIONS
COUNTS = {
    "measured": "Measured from logs: {count}",
    "quoted": "quoted (‡, no public log): {count}",
    "missing": "missing: {count}",
}
FROM_QUOTED = "Numbers computed from quoted ones are marked ‡ as well."
LISTED = "{evidence}: format, size and SHA-256 of all logs ({count})."
PUBLISHED = "They were published in {repository} at commit {commit} ({licence})."
LINKED = "Each number links to its evidence; {missing} means no data."


def _repeats_a_reason(cell: Cell) -> bool:
    """Whether a cell is empty for no reason but that another one is."""
    return cell.reason is not None and cell.reason.code == Remark.MISSING_PART


class Renderer(PageText):
    """Renders the parts of one page in one language, which a template puts together."""

    def summary(self) -> str:
        """What the page shows, how many of its numbers are measured, quoted and missing, and when, in a line."""
        found = self.coverage
        counts = {"measured": found.measured, "quoted": found.quoted, "missing": found.missing}
        counted = [self.say(COUNTS[kind], count=count) for kind, count in counts.items() if count or kind == "measured"]
        unit = self.say("Unit: {unit}.", unit=self.enumerated(map(markdown.text, self.page.units)))
        told = [unit, self.say("{said}.", said=self.joined(counted))]
        if found.quoted and any(cell.rests_on_quotes and not cell.quoted for cell in self.cells):
            told.append(self.say(FROM_QUOTED))
        months = run_months(self.cells, self)
        return self.sentences([*told, *([months] if months else []), self.say(LINKED, missing=MISSING)])

    def blocks(self, blocks: Iterable[Block]) -> str:
        """The parts of a section, as the page states them."""
        return "\n\n".join(map(self._block, blocks))

    def _block(self, block: Block) -> str:
        if isinstance(block, Code):
            return markdown.fenced(block.code, block.language)
        if isinstance(block, Prose):
            return block.text(self.language)
        if isinstance(block, Grid):
            return self.grid([block.columns, *block.rows], self.translate)
        return self.translate(block).strip()

    def environment(self) -> list[Block]:
        """The machines and programs of the runs as their run.json say, and what the page states."""
        told = render_environment.environment(self)
        return [*([Prose(texts={self.language: told})] if told else []), *self.page.environment]

    def table(self, table: Table) -> ResultsTable:
        """One table of results, with its caption and its notes."""
        return ResultsTable(self, table)

    def highlights(self) -> list[str]:
        """What the page finds."""
        return list(render_highlights.highlights(self))

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

    def _unlike(self, table: Table) -> list[UnlikeNumbers]:
        return [comparison for comparison in self.unlike if comparison.table == table.name]

    def remarks(self) -> list[str]:
        """What the logs say otherwise than the labels of the cells, and their warnings: a sentence, with its cells."""
        return render_remarks.remarks(self)

    def empty(self) -> str:
        """The cells without evidence by table with the reason, those of a column that share it at once.

        Not those that only lack what another cell lacks.
        """
        found: dict[str, dict[tuple[str, str], list[str]]] = {}
        for cell in self.cells:
            if cell.reason and not cell.digits and not _repeats_a_reason(cell):
                table, row, column = self.coordinates(cell)
                reason = markdown.text(worded(cell.reason.message, self.translate))
                found.setdefault(table, {}).setdefault((column, reason), []).append(row)
        body: list[list[str]] = []
        for table, reasons in found.items():
            body.append([f"**{table}**", "", ""])
            body += [[self.joined(rows), column, reason] for (column, reason), rows in reasons.items()]
        head = [self.translate(title) for title in ("Row", "Column", "Reason")]
        return self.grid([head, *body]) if body else ""

    def logs_line(self, address: str) -> str:
        """How many logs the page is made of, at which address they are listed, and who published them."""
        if not self.exhibits:
            return self.say("This page does not have any logs.")
        told = [self.say(LISTED, count=len(self.exhibits), evidence=markdown.link(self.say("Evidence"), address))]
        if source := self.page.source:
            commit, licence = markdown.text(source.commit), markdown.text(source.licence)
            repository = markdown.shown_address(source.repository)
            told.append(self.say(PUBLISHED, repository=repository, commit=commit, licence=licence))
        return self.sentences(told)

    def logs_table(self) -> str:
        """All logs of the page, once each."""
        head = [self.translate(title) for title in LOG_COLUMNS]
        body = [self._log_row(exhibit) for exhibit in self.listed()]
        return self.grid([head, *body]) if body else ""

    def _log_row(self, exhibit: Exhibit) -> list[str]:
        name = markdown.code(exhibit.format or MISSING)
        return [self.log(exhibit), name, self.length(exhibit), markdown.code(exhibit.sha256)]
