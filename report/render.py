"""Rendering: a page and its cells become Markdown in one language."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tabulate import tabulate

from . import markdown
from .evidence import Cell, Disagreement, Proof, Reason, column_title
from .page import Block, Code, Grid, Page, Table
from .protocol import Protocol
from .words import words

MISSING = "-"
SECTIONS = ("What is tested", "Environment", "Set-up", "Test steps", "Results", "Raw logs")


class Renderer:
    """Renders one page in one language.

    ``logs``: the folder of logs, ``out``: the folder of the rendered page; links to logs of our own lead from here to
    there. ``translate`` looks a text up in the catalogue.
    """

    def __init__(self, page: Page, cells: Sequence[Cell], language: str, logs: Path, out: Path) -> None:
        self.page, self.cells, self.logs, self.out = page, cells, logs, out
        self.translate = words(language).gettext
        self.numbers = {id(cell): n for n, cell in enumerate((c for c in cells if c.printed), 1)}

    def markdown(self) -> str:
        """The whole page."""
        environment = Environment(
            loader=FileSystemLoader(Path(__file__).with_name("templates")),
            extensions=["jinja2.ext.i18n"],
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            undefined=StrictUndefined,
            autoescape=False,  # noqa: S701 - Markdown has its own escapes: markdown.text and markdown.code
        )
        environment.filters |= {"text": markdown.text, "code": markdown.code, "anchor": markdown.anchor}
        template = environment.get_template("page.md.jinja")
        return template.render(
            page=self.page, say=self.say, translate=self.translate, r=self, sections=SECTIONS, missing=MISSING
        )

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
        """One table of results; every number leads to its evidence."""
        width = len(table.columns)
        header = [table.corner, *(column_title(self.page, column) for column in table.columns)]
        numbers = [cell for cell in self.cells if cell.table == table.name]
        rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
        body = [[markdown.text(self.translate(row[0].row)), *map(self._number, row)] for row in rows]
        return self.grid([[markdown.text(self.translate(title)) for title in header], *body])

    def _number(self, cell: Cell) -> str:
        if cell.printed is None:
            return MISSING
        mark = "†" if cell.disagreements else ""
        return markdown.link(cell.printed, f"#e{self.numbers[id(cell)]}") + mark

    @staticmethod
    def grid(rows: Sequence[Sequence[str]], translate: Any = str) -> str:
        """A Markdown table whose first row is its head; Chinese columns align."""
        head, *body = [[translate(text) if text else "" for text in row] for row in rows]
        return tabulate(body, headers=head, tablefmt="pipe", disable_numparse=True)

    def evidence(self, table: Table) -> str:
        """The proofs of all numbers of one table: which log, which lines, which protocol."""
        head = [self.translate(title) for title in ("Number", "Log", "Lines", "Protocol")]
        body = [row for cell in self.cells if cell.table == table.name and cell.printed for row in self._proofs(cell)]
        return self.grid([head, *body]) if body else ""

    def _proofs(self, cell: Cell) -> Iterable[list[str]]:
        number = f'<a id="e{self.numbers[id(cell)]}"></a>{cell.printed}'
        protocol = self.sentence(cell.protocol, len(cell.proofs)) if cell.protocol else ""
        for proof in cell.proofs:
            yield [number, self.log(proof), self._lines(proof), protocol]
            number = protocol = ""

    def _lines(self, proof: Proof) -> str:
        lines = proof.measurement.lines
        return self.say(
            "{first} to {last}, {count} used",
            first=lines[0],
            last=lines[-1],
            count=proof.measurement.records_used,
        )

    def log(self, proof: Proof) -> str:
        """A link to a log: to where it was published when others made it, else to our own copy."""
        return markdown.link(markdown.text(Path(proof.log).name), self._address(proof))

    def _address(self, proof: Proof) -> str:
        if self.page.source:
            return self.page.source.url.format(commit=self.page.source.commit, path=proof.log)
        return Path(os.path.relpath(self.logs / proof.log, self.out)).as_posix()

    def sentence(self, protocol: Protocol, runs: int) -> str:
        """A protocol in one readable line of this language, and in the words that the command line takes."""
        shown = [step for step in protocol.steps() if runs > 1 or not step[0].startswith("repeats_")]
        steps = self.translate("joiner").join(self.say(key, **values) for key, values in shown)
        return f"{steps} ({markdown.code(protocol.words())})"

    def remarks(self) -> list[str]:
        """What the logs say otherwise than the labels of the cells, once each."""
        return list(dict.fromkeys(self._remark(cell, d) for cell in self.cells for d in cell.disagreements))

    def _remark(self, cell: Cell, disagreement: Disagreement) -> str:
        place = f"{markdown.text(self.translate(cell.row))}, {markdown.text(self.translate(cell.column))}"
        said = self.say(
            "The label says {fact} {label}, but {witness} says {said}.",
            fact=self.translate(disagreement.fact),
            label=markdown.text(disagreement.label),
            witness=self._witness(disagreement.witness),
            said=markdown.text(disagreement.said),
        )
        return f"{cell.printed} ({place}): {said}"

    def _witness(self, witness: str) -> str:
        number = witness.removeprefix("line ")
        return self.say("line {number}", number=number) if number.isdigit() else self.translate(witness)

    def empty(self) -> str:
        """The cells without evidence, each with the reason."""
        head = [self.translate(title) for title in ("Table", "Row", "Column", "Reason")]
        body = [self._emptiness(cell, cell.reason) for cell in self.cells if cell.reason]
        return self.grid([head, *body]) if body else ""

    def _emptiness(self, cell: Cell, reason: Reason) -> list[str]:
        title = next(table.title for table in self.page.tables if table.name == cell.table)
        why = self.say(reason.message, **reason.values)
        return [*(markdown.text(self.translate(text)) for text in (title, cell.row, cell.column)), markdown.text(why)]

    def logs_table(self) -> str:
        """All logs of the page, once each."""
        head = [self.translate(title) for title in ("Log", "Format", "Size", "SHA-256")]
        proofs = {proof.log: proof for cell in self.cells for proof in cell.proofs}
        body = [self._log_row(proof) for _, proof in sorted(proofs.items())]
        return self.grid([head, *body]) if body else ""

    def _log_row(self, proof: Proof) -> list[str]:
        reading = proof.reading
        name = reading.format.name if reading.format else MISSING
        return [self.log(proof), markdown.code(name), self._size(proof), markdown.code(reading.sha256)]

    def _size(self, proof: Proof) -> str:
        return self.say("{count} lines", count=proof.reading.account.total)
