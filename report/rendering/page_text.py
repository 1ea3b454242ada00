"""The text of a page in one language: its numbers, titles and logs as all its parts write them, with their links."""

import os
from collections.abc import Iterable, Sequence, Set
from copy import copy
from itertools import count
from pathlib import Path
from typing import Any, Self

from tabulate import tabulate

from parsers.io.message import Message

from ..evidence.cell import Cell, anchors, coverage, former_anchors
from ..evidence.comparison import UnlikeNumbers
from ..evidence.ranks.exhibits import Exhibit
from ..measure.protocol import Step
from ..measure.quantity import Shown
from ..pagefile.page import Page
from ..wording import markdown
from ..wording.page_words import page_words
from ..wording.words import Translator, worded

MISSING = "-"


class PageText(Translator):
    """What the writers of the parts of one page share in one language.

    ``logs``: the folder of logs, ``out``: the folder of the rendered page; links to logs of our own lead from here to
    there. ``unlike``: the comparisons that are not like with like. ``proofs``: the address of the file that holds the
    evidence, as seen from what is written; empty where that is the same file.
    """

    proofs = ""

    def __init__(
        self,
        page: Page,
        cells: Sequence[Cell],
        language: str,
        logs: Path,
        out: Path,
        unlike: Sequence[UnlikeNumbers] = (),
    ) -> None:
        super().__init__(language, page_words(page, language))
        self.language = language
        self.page, self.cells, self.logs, self.out, self.unlike = page, cells, logs, out, unlike
        self.anchors, self.former_anchors = anchors(cells), former_anchors(cells)
        self.coverage = coverage(cells)
        self.exhibits = {e.path: e for cell in cells for proof in cell.proofs for e in proof.exhibits}
        self._names = short_paths(self.exhibits.keys())

    def number(self, cell: Cell) -> str:
        """The digits of a cell that is not empty, as a link to their evidence or their source."""
        return markdown.link(str(cell.digits), f"{self.proofs}#{self.anchors[cell]}")

    def marked_number(self, cell: Cell, sign: str = "") -> str:
        """The same, marked where it rests on a quoted figure; ``sign``: one that belongs to the number, such as %."""
        return self.number(cell) + sign + ("‡" if cell.rests_on_quotes else "")

    def qualified_number(self, cell: Cell, sign: str = "") -> str:
        """The same, followed by what its log says otherwise than its label."""
        return " ".join(filter(None, (self.marked_number(cell, sign), self.qualifier(cell))))

    def qualifier(self, cell: Cell) -> str:
        """What its log says otherwise than its label, in brackets; empty where they agree."""
        return f"({markdown.text(worded(cell.qualifier, self.translate))})" if cell.qualifier else ""

    def leading_to(self, proofs: str) -> Self:
        """The same text as another file holds it: its numbers lead to the evidence at this address."""
        other = copy(self)
        other.proofs = proofs
        return other

    def anchored(self, cell: Cell) -> str:
        """The digits of a cell that is not empty, at the place that links to them lead to, those of before as well."""
        former = f'<a id="{self.former_anchors[cell]}"></a>'
        return f'<a id="{self.anchors[cell]}"></a>{former}{cell.digits}'

    @staticmethod
    def grid(rows: Sequence[Sequence[str]], translate: Any = str, *, figures: int = 0) -> str:
        """A Markdown table whose first row is its head; Chinese columns align.

        ``figures``: how many columns after the first are of numbers, which stand at the right; the links of numbers are
        long, and nothing is gained where they align.
        """
        head, *body = [[translate(text) for text in row] for row in rows]
        if not figures:
            return tabulate(body, headers=head, tablefmt="pipe", disable_numparse=True)
        lines = [head, [":--", *(["--:"] * figures + [":--"] * len(head))[: len(head) - 1]], *body]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def is_told_by_title(self, shown: Shown) -> bool:
        """Whether the title of a column alone says what it shows; its unit is that of the page then."""
        is_in_unit_of_page = shown.quantity.is_throughput and shown.rate == self.page.unit
        return is_in_unit_of_page or shown.quantity.is_over_another

    def column_title(self, title: str, shown: Shown) -> str:
        """The title of a column; one that does not show the throughput of the page says what it shows, and its unit.

        A speed-up is of two columns and has no unit: its title says of which.
        """
        if self.is_told_by_title(shown):
            return self.translate(title)
        quantity = self.translate(shown.quantity.name)
        if not shown.unit:
            return self.say("{title}, {quantity}", title=self.translate(title), quantity=quantity)
        return self.say("{title}, {quantity} ({unit})", title=self.translate(title), quantity=quantity, unit=shown.unit)

    def quantity_title(self, shown: Shown) -> str:
        """The title of a column of the same program as those before it: what it shows, and its unit."""
        name = self.translate(shown.quantity.name)
        quantity = name[:1].upper() + name[1:]
        return self.say("{quantity} ({unit})", quantity=quantity, unit=shown.unit) if shown.unit else quantity

    def place(self, cell: Cell) -> str:
        """The number of a cell, and where it stands."""
        number = self.number(cell)
        table, row, column = self.coordinates(cell)
        return self.say("{number} ({table}, {row}, {column})", number=number, table=table, row=row, column=column)

    def titles(self, cell: Cell) -> tuple[str, str]:
        """Row and column of a cell as they are titled in this language."""
        return markdown.text(self.translate(cell.row)), markdown.text(self.column_title(cell.column, cell.shown))

    def coordinates(self, cell: Cell) -> tuple[str, str, str]:
        """Table, row and column of a cell as they are titled in this language, as Markdown."""
        return markdown.text(self.translate(self._title(cell))), *self.titles(cell)

    def _title(self, cell: Cell) -> str:
        return next(table.title for table in self.page.tables if table.name == cell.table)

    def log(self, exhibit: Exhibit) -> str:
        """A link to a log: to where it was published when others made it, else to our own copy."""
        return markdown.link(markdown.text(self.called(exhibit)), self._address(exhibit.path))

    def source(self, name: str) -> str:
        """A link to where quoted figures were published, by the name that the page file gives it."""
        source = self.page.sources[name]
        return markdown.link(markdown.text(self.translate(source.title)), source.url)

    def lines(self, log: str, said: str, told: str | Message) -> str:
        """A link to lines of a log, which are ``told`` as their provenance is, and ``said`` as Markdown."""
        numbers = [*told.values.values()] if isinstance(told, Message) else []
        return markdown.link(said, f"{self._address(log)}#{'-'.join(f'L{number}' for number in numbers)}")

    def called(self, exhibit: Exhibit) -> str:
        """What a log is called: its name, with as many folders before it as tell it from other logs of the page."""
        return self._names[exhibit.path]

    def _address(self, log: str) -> str:
        if self.page.source and self.page.source.has(log):
            path = markdown.path_address(log).removeprefix("./")
            return self.page.source.url.format(commit=self.page.source.commit, path=path)
        return markdown.path_address(Path(os.path.relpath(self.logs / log, self.out)).as_posix())

    def listed(self) -> list[Exhibit]:
        """All logs of the page, once each, by their paths."""
        return [exhibit for _, exhibit in sorted(self.exhibits.items())]

    def length(self, exhibit: Exhibit) -> str:
        """How long a log is."""
        return self.say("{count} line" if exhibit.total == 1 else "{count} lines", count=exhibit.total)

    def sentence(self, stated: Iterable[Step], words: str, *, several: bool) -> str:
        """A rule in one readable line of this language, and in the words that the command line takes.

        ``several``: whether there are several runs, without which nothing is said of how they are put together.
        """
        shown = [step for step in stated if several or not step[0].startswith("repeats_")]
        steps = self.joined(self.say(key, **values) for key, values in shown)
        return self.say("{sentence} ({code})", sentence=steps, code=markdown.code(words))


def short_paths(paths: Set[str]) -> dict[str, str]:
    """What each path is called: its name, with as many folders before it as tell all files of that name apart."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(_end(path, 1), []).append(path)
    return {path: short for alike in by_name.values() for path, short in _told_apart(alike)}


def _told_apart(paths: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Different paths, each with its last parts; of all as many."""
    ends = ([_end(path, parts) for path in paths] for parts in count(1))
    return zip(paths, next(found for found in ends if len(set(found)) == len(paths)), strict=True)


def _end(path: str, parts: int) -> str:
    return "/".join(path.split("/")[-parts:])
