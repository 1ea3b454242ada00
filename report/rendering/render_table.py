"""Rendering a table of results: its numbers with what is said of them, its groups of rows, and the notes below it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..evidence.circumstances import VERSION, library_of, of_cell
from ..evidence.comparability import ON_SIDES
from ..pagefile.page import CellPlace, Table, TableColumn, TableRow
from ..pagefile.parts import Circumstance
from ..wording import markdown
from ..wording.words import worded
from .footnotes import TITLES, footnotes
from .gathered_notes import Place
from .page_text import MISSING, PageText

FACTS: Mapping[Circumstance, str] = {
    "date": "Date",
    "framework_version": "Framework version",
    "cuda": "CUDA",
    "cudnn": "cuDNN",
    "driver": "Driver",
}
NOT_RECORDED = "not recorded"
OF_VERSION = "framework {version}"
QUOTED_FROM = "‡ Quoted from {sources}."
DATED = "{source} ({date})"
PLANNED = "Not measured yet: {count}. {corner}: {rows}. Columns: {columns}."
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class ResultsTable:
    """One table of results in one language; every number leads to its evidence, every quoted figure to its source."""

    def __init__(self, page: PageText, table: Table) -> None:
        self.page, self.table = page, table
        width, own = len(table.columns), [cell for cell in page.cells if cell.table == table.name]
        self.rows = [own[start : start + width] for start in range(0, len(own), width)]
        self._footnotes = footnotes(self.rows, [one for one in page.unlike if one.table == table.name])

    @property
    def notes(self) -> list[str]:
        """The notes of the table as sentences, in their order."""
        notes = self._footnotes.notes
        said = [worded(note, self.page.translate, markdown.text) for note in notes]
        # The name of a fact is a word within a sentence.
        begins = [note.key.startswith("{fact}") for note in notes]
        return [text[:1].upper() + text[1:] if one else text for text, one in zip(said, begins, strict=True)]

    @property
    def caption(self) -> str:
        """What all its numbers are, where that is not the throughput of the page nor told by their titles."""
        kinds = {(cell.shown.quantity, cell.shown.unit) for cell in self.rows[0]}
        quantity, unit = next(iter(kinds))
        if len(kinds) > 1 or len(self.table.columns) == 1 or self.page.is_told_by_title(self.rows[0][0].shown):
            return ""
        name = self.page.translate(quantity.name)
        if name.casefold() == self.page.translate(self.table.title).casefold():
            return self.page.say("Unit: {unit}.", unit=markdown.text(unit))
        return self.page.say("{quantity} ({unit}).", quantity=name[:1].upper() + name[1:], unit=markdown.text(unit))

    @property
    def is_empty(self) -> bool:
        """Whether it has no number, nor a note on why there is none."""
        return not self._footnotes.notes and not any(cell.digits for cells in self.rows for cell in cells)

    @property
    def quoted_from(self) -> str:
        """Where the figures were published that it quotes; empty where it quotes none."""
        names = dict.fromkeys(cell.quoted.source for cells in self.rows for cell in cells if cell.quoted)
        dates = {name: self.page.page.sources[name].date for name in names}
        told = [self.page.say(DATED, source=self.page.source(name), date=date) for name, date in dates.items()]
        return self.page.say(QUOTED_FROM, sources=self.page.joined(told)) if told else ""

    @property
    def markdown(self) -> str:
        """The table itself, or what it is to hold where it has no number yet.

        The numbers of its notes stand behind the titles and the numbers that they are of.
        """
        return self._planned() if self.is_empty else self._grid()

    def _planned(self) -> str:
        """The cases of a table without numbers, each title once."""
        titles = [markdown.text(self.title(at)) for at in range(len(self.rows[0]))]
        corner = markdown.text(self.page.translate(self.table.corner or "Row"))
        told = {"count": sum(map(len, self.rows)), "columns": self.page.enumerated(titles), "corner": corner}
        return self.page.say(PLANNED, **told, rows=self.page.joined(self._groups()))

    def _groups(self) -> Iterator[str]:
        """The titles of the rows, those of a group in one text after its own."""
        for group, rows in groupby(self.table.rows, lambda row: self._written(row, row.group)):
            titles = self.page.enumerated(self._written(row, row.title) for row in rows)
            yield self.page.say("{said} ({case})", case=group, said=titles) if group else titles

    def _grid(self) -> str:
        body: list[list[str]] = []
        group = ""
        for number, (row, cells) in enumerate(zip(self.table.rows, self.rows, strict=True)):
            if (heading := self._written(row, row.group)) != group:
                group = heading
                body.append(self._heading(row, group))
            title = self._noted(self._written(row, row.title), (number, TITLES))
            told = self._facts(cells)
            body.append([title, *(self._marked(cell, (number, at)) for at, cell in enumerate(cells)), *told])
        return self.page.grid([self._head(), *body], figures=len(self.table.columns))

    def _head(self) -> list[str]:
        facts = [self.page.translate(FACTS[name]) for name in self.table.facts]
        titles = [self.page.translate(self.table.corner), *map(self.title, range(len(self.rows[0]))), *facts]
        noted = [self._noted(markdown.text(title), (TITLES, at)) for at, title in enumerate(titles, start=TITLES)]
        versions = ["", *self._versions(), *("" for _ in facts)]
        return [f"{title}<br>*{version}*" if version else title for title, version in zip(noted, versions, strict=True)]

    def _versions(self) -> list[str]:
        """The framework version of each column, where all its runs have the same and no other column says it."""
        if VERSION in self.table.facts:
            return [""] * len(self.rows[0])
        return [self._version(column) for column in zip(*self.rows, strict=True)]

    def _version(self, column: Sequence[Cell]) -> str:
        measured = [cell for cell in column if cell.proofs]
        found = {self._named_version(cell) for cell in measured}
        is_of_all = len(found) == 1 and column[0].shown.quantity.is_throughput
        return markdown.text(found.pop()) if is_of_all else ""

    def _named_version(self, cell: Cell) -> str:
        """The version of the framework behind a number, with its name where that is known; empty without a version."""
        version, library = of_cell(cell).get(VERSION, ""), library_of(cell)
        named = f"{library} {version}" if library else self.page.say(OF_VERSION, version=version)
        return named if version else ""

    def title(self, at: int) -> str:
        """The title of a column, which says what it shows where the caption does not; whose it is, is said once."""
        cell, columns = self.rows[0][at], self.table.columns
        if self.caption:
            return self.page.translate(cell.column)
        is_said = at > 0 and len({column.column for column in columns}) == 1 and columns[at].title is None
        return self.page.quantity_title(cell.shown) if is_said else self.page.column_title(cell.column, cell.shown)

    def _heading(self, row: TableRow, group: str) -> list[str]:
        taken = [self._taken(row, column) if group else "" for column in self.table.columns]
        return [f"**{group}**" if group else "", *taken, *("" for _ in self.table.facts)]

    def _facts(self, cells: Sequence[Cell]) -> list[str]:
        """What the runs of a row were measured with; where they differ, of which columns that is so."""
        shown = [(at, cell) for at, cell in enumerate(cells) if cell.digits] if self.table.facts else []
        own = [one for one in shown if not one[1].parts] or shown
        told = [(self.title(at), self._measured(cell)) for at, cell in own]
        return [self._fact([(found.get(name, ""), title) for title, found in told]) for name in self.table.facts]

    def _measured(self, cell: Cell) -> Mapping[Circumstance, str]:
        """When a number was measured, or quoted from, and with what."""
        if cell.quoted:
            return {"date": self.page.page.sources[cell.quoted.source].date}
        told = of_cell(cell)
        library = library_of(cell)
        return {**told, VERSION: f"{library} {told[VERSION]}"} if library and VERSION in told else told

    def _fact(self, told: Sequence[tuple[str, str]]) -> str:
        if not told:
            return MISSING
        sides = {said: [title for other, title in told if other == said] for said, _ in told}
        written = {said: markdown.text(said) if said else self.page.translate(NOT_RECORDED) for said in sides}
        if len(sides) == 1:
            return next(iter(written.values()))
        each = [(written[said], markdown.text(self.page.enumerated(titles))) for said, titles in sides.items()]
        return self.page.joined(self.page.say(ON_SIDES, said=said, titles=titles) for said, titles in each)

    def _written(self, row: TableRow, title: str) -> str:
        return markdown.text(self.page.translate(written(self.page.page, self.table, row, title)))

    def _taken(self, row: TableRow, column: TableColumn) -> str:
        """What a column takes the case of a group of rows for; empty where that is what the heading says."""
        place = CellPlace(self.table, row, column, self.page.page.columns[column.column].aliases)
        labels = self.page.page.taken(place)
        is_one_number = not (column.against and column.against.column)
        said = self.page.enumerated(map(self.page.translate, labels)) if labels and is_one_number else ""
        return f"*{markdown.text(said)}*" if said else ""

    def _marked(self, cell: Cell, place: Place) -> str:
        """A number with what is said of it on a line below: nothing that could be read as a digit stands behind it."""
        number = MISSING if cell.digits is None else self.page.marked_number(cell)
        qualifier = self.page.qualifier(cell)
        below = self._noted(qualifier, place) if qualifier else self._note(place)
        return "<br>".join(filter(None, (number, below)))

    def _noted(self, title: str, place: Place) -> str:
        """A title with the numbers of its notes, raised where no digit stands before them."""
        numbers = self._footnotes.marks.get(place, ())
        if not numbers:
            return title
        if title[-1:].isdigit():
            return f"{title} {self._note(place)}"
        return title + ",".join(map(str, numbers)).translate(RAISED)

    def _note(self, place: Place) -> str:
        numbers = self._footnotes.marks.get(place, ())
        return self.page.say("(note {numbers})", numbers=self.page.enumerated(map(str, numbers))) if numbers else ""
