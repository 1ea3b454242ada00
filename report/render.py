"""Rendering: a page and its cells become Markdown in one language."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tabulate import tabulate

from . import markdown, render_likeness
from .cell import Cell, Disagreement, Exhibit
from .comparison import Comparison
from .page import Block, Code, Grid, Page, Table
from .protocol import Message
from .quantity import Shown
from .reason import Reason
from .words import words

MISSING = "-"
# What is done with the numbers of several runs, and how the result is printed.
NOT_OF_ONE_RUN = ("repeats_", "decimals", "significant", "rounding_")
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
        """One table of results; every number leads to its evidence."""
        width = len(table.columns)
        numbers = [cell for cell in self.cells if cell.table == table.name]
        rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
        header = [self.translate(table.corner), *(self._column(cell.column, cell.shown) for cell in rows[0])]
        body = [[markdown.text(self.translate(row[0].row)), *map(self._marked, row)] for row in rows]
        return self.grid([[markdown.text(title) for title in header], *body])

    def _column(self, title: str, shown: Shown) -> str:
        """The title of a column; one that does not show the throughput of the page says what it shows, and its unit."""
        if shown.quantity == "throughput":
            return self.translate(title)
        quantity = self.translate(shown.quantity)
        return self.say("{title}, {quantity} ({unit})", title=self.translate(title), quantity=quantity, unit=shown.unit)

    def _marked(self, cell: Cell) -> str:
        if cell.printed is None:
            return MISSING
        return self.number(cell) + ("†" if cell.disagreements or cell.remarks else "")

    def number(self, cell: Cell) -> str:
        """The number of a cell that has one, as a link to its evidence."""
        return markdown.link(str(cell.printed), f"#e{self.numbers[id(cell)]}")

    @staticmethod
    def grid(rows: Sequence[Sequence[str]], translate: Any = str) -> str:
        """A Markdown table whose first row is its head; Chinese columns align."""
        head, *body = [[translate(text) for text in row] for row in rows]
        return tabulate(body, headers=head, tablefmt="pipe", disable_numparse=True)

    def evidence(self, table: Table) -> str:
        """The proofs of all numbers of one table: which log, which lines, which protocol."""
        head = [self.translate(title) for title in ("Number", "Log", "Lines", "Protocol")]
        body = [row for cell in self.cells if cell.table == table.name and cell.printed for row in self._proofs(cell)]
        return self.grid([head, *body]) if body else ""

    def differences(self, table: Table) -> list[str]:
        """What keeps the numbers of one table from being compared like with like, one sentence a row or column."""
        return render_likeness.remarks(self, table.corner, self._unlike(table))

    def common(self, table: Table) -> str:
        """The numbers of one table by one rule; empty where their own rules favour none."""
        return render_likeness.common(self, table.corner, self._unlike(table))

    def _unlike(self, table: Table) -> list[Comparison]:
        return [comparison for comparison in self.unlike if comparison.table == table.name]

    def _proofs(self, cell: Cell) -> Iterable[list[str]]:
        number = f'<a id="e{self.numbers[id(cell)]}"></a>{cell.printed}'
        rules = list(self._rules(cell))
        for proof in cell.proofs:
            # One rule for each file of a proof; they stand beside the first proof only.
            for exhibit, rule in zip(proof.exhibits, rules, strict=True):
                yield [number, self.log(exhibit), self._lines(exhibit), rule]
                number = ""
            rules = [""] * len(rules)

    def _rules(self, cell: Cell) -> Iterable[str]:
        """The rule of the number, then the protocol of a log that is there for its throughput or its window."""
        stated = cell.shown.steps(cell.protocol) if cell.protocol else ()
        yield self.sentence(stated, cell.words, several=len(cell.proofs) > 1)
        if cell.protocol and len(cell.proofs[0].exhibits) > 1:
            of_one_run = [step for step in cell.protocol.steps() if not step[0].startswith(NOT_OF_ONE_RUN)]
            yield self.sentence(of_one_run, cell.protocol.words(), several=False)

    def _lines(self, exhibit: Exhibit) -> str:
        first, last = exhibit.lines
        if first == last:
            return self.say("line {line}", line=first)
        return self.say("{first} to {last}, {count} used", first=first, last=last, count=exhibit.used)

    def log(self, exhibit: Exhibit) -> str:
        """A link to a log: to where it was published when others made it, else to our own copy."""
        return markdown.link(markdown.text(Path(exhibit.path).name), self._address(exhibit.path))

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
        places: dict[str, dict[str, None]] = {}
        for cell in self.cells:
            for said in self._said(cell) if cell.printed else ():
                places.setdefault(said, {})[self._place(cell)] = None
        joiner = self.translate("joiner")
        return [self.say("{cells}: {said}", cells=joiner.join(cells), said=said) for said, cells in places.items()]

    def _place(self, cell: Cell) -> str:
        number = self.number(cell)
        table, row, column = self._coordinates(cell)
        return self.say("{number} ({table}, {row}, {column})", number=number, table=table, row=row, column=column)

    def _coordinates(self, cell: Cell) -> tuple[str, str, str]:
        """Table, row and column of a cell as they are titled in this language."""
        table, row = self.translate(self._title(cell)), self.translate(cell.row)
        return markdown.text(table), markdown.text(row), markdown.text(self._column(cell.column, cell.shown))

    def _title(self, cell: Cell) -> str:
        return next(table.title for table in self.page.tables if table.name == cell.table)

    def _said(self, cell: Cell) -> Iterable[str]:
        yield from map(self._disagreement, cell.disagreements)
        for remark in cell.remarks:
            yield self.say(remark.message, **self._values(remark.values))

    def _values(self, values: Mapping[str, str]) -> dict[str, str]:
        """The values of a remark: its fact and witnesses in this language, all others as they are."""
        speak = {"fact": self.translate, "witness": self._witness, "denier": self._witness}
        return {name: markdown.text(speak.get(name, str)(value)) for name, value in values.items()}

    def _disagreement(self, disagreement: Disagreement) -> str:
        return self.say(
            "The label says {fact} {label}, but {witness} says {said}.",
            fact=self.translate(disagreement.fact),
            label=markdown.text(disagreement.label),
            witness=self._witness(disagreement.witness),
            said=markdown.text(disagreement.said),
        )

    def _witness(self, witness: str) -> str:
        if witness.endswith(", as one node"):
            return self.say("{witness}, as one node", witness=self._witness(witness.removesuffix(", as one node")))
        for both in ("{first} over cards of {second}", "{first} and {second}"):
            first, found, second = witness.partition(both.removeprefix("{first}").removesuffix("{second}"))
            if found:
                return self.say(both, first=self._witness(first), second=self._witness(second))
        number = witness.removeprefix("line ")
        return self.say("line {number}", number=number) if number.isdigit() else self.translate(witness)

    def empty(self) -> str:
        """The cells without evidence, each with the reason."""
        head = [self.translate(title) for title in ("Table", "Row", "Column", "Reason")]
        body = [self._emptiness(cell, cell.reason) for cell in self.cells if cell.reason]
        return self.grid([head, *body]) if body else ""

    def _emptiness(self, cell: Cell, reason: Reason) -> list[str]:
        why = self.say(reason.message, **reason.values)
        return [*self._coordinates(cell), markdown.text(why)]

    def logs_table(self) -> str:
        """All logs of the page, once each."""
        head = [self.translate(title) for title in ("Log", "Format", "Size", "SHA-256")]
        exhibits = {e.path: e for cell in self.cells for proof in cell.proofs for e in proof.exhibits}
        body = [self._log_row(exhibit) for _, exhibit in sorted(exhibits.items())]
        return self.grid([head, *body]) if body else ""

    def _log_row(self, exhibit: Exhibit) -> list[str]:
        size = self.say("{count} lines", count=exhibit.total)
        name = markdown.code(exhibit.format or MISSING)
        return [self.log(exhibit), name, size, markdown.code(exhibit.sha256)]
