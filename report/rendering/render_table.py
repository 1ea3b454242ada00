"""Rendering a table of results: its numbers with what is said of them, its groups of rows, and the notes below it."""

from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..pagefile.page import CellPlace, Table, TableColumn, TableRow
from ..wording import markdown
from ..wording.words import worded
from .footnotes import TITLES, Place, footnotes
from .page_text import MISSING, PageText

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
        return [worded(note, self.page.translate, markdown.text) for note in self._footnotes.notes]

    @property
    def caption(self) -> str:
        """What all its numbers are, where that is not the throughput of the page nor told by their titles."""
        kinds = {(cell.shown.quantity, cell.shown.unit) for cell in self.rows[0]}
        quantity, unit = next(iter(kinds))
        if len(kinds) > 1 or len(self.table.columns) == 1 or quantity.is_told_by_title:
            return ""
        name = self.page.translate(quantity.name).capitalize()
        return self.page.say("{quantity} ({unit}).", quantity=name, unit=markdown.text(unit))

    @property
    def markdown(self) -> str:
        """The table itself; the numbers of its notes stand behind the titles and the numbers that they are of."""
        body: list[list[str]] = []
        group = ""
        for number, (row, cells) in enumerate(zip(self.table.rows, self.rows, strict=True)):
            if (heading := self._written(row, row.group)) != group:
                group = heading
                body.append(self._heading(row, group))
            title = self._noted(self._written(row, row.title), (number, TITLES))
            body.append([title, *(self._marked(cell, (number, at)) for at, cell in enumerate(cells))])
        return self.page.grid([self._head(), *body], figures=True)

    def _head(self) -> list[str]:
        titles = [self.page.translate(self.table.corner), *map(self._title, self.rows[0])]
        return [self._noted(markdown.text(title), (TITLES, at)) for at, title in enumerate(titles, start=TITLES)]

    def _title(self, cell: Cell) -> str:
        """The title of a column, which says what it shows where the caption does not."""
        return self.page.translate(cell.column) if self.caption else self.page.column_title(cell.column, cell.shown)

    def _heading(self, row: TableRow, group: str) -> list[str]:
        taken = [self._taken(row, column) if group else "" for column in self.table.columns]
        return [f"**{group}**" if group else "", *taken]

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
        return f"{number}<br>{below}" if below else number

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
