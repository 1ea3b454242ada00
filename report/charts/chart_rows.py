"""Rows of a table as charts show them: their titles, the numbers in them and the places without one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..evidence.quotient import unlike
from ..pagefile.page import CellPlace, Page, Table
from ..wording.words import Translator
from .chart_words import label
from .figure import Figure, figures
from .palette import look

COLUMNS = 40


@dataclass(frozen=True)
class ChartPlace:
    """A place of a row: the title of its column, and its number, if any.

    ``short``: what stands for the title on a narrow screen, if anything does. ``taken``: what its column takes the case
    of the row for, in words. ``look``: the class of its colour.
    """

    place: CellPlace
    column: str
    short: str
    taken: str
    look: str
    figure: Figure | None


@dataclass(frozen=True)
class ChartRow:
    """A row of a table that has a number: its ``number`` from 0, its title, that of its group, and its places."""

    number: int
    title: str
    group: str
    shown: Sequence[ChartPlace]

    @property
    def precision(self) -> object:
        """The precision that all its places have by their labels; None where they differ."""
        found = {shown.place.labels.get("precision") for shown in self.shown}
        return found.pop() if len(found) == 1 else None

    @property
    def top(self) -> float:
        """Where its longest bar ends, with its repeats."""
        return max(max(shown.figure.value, *shown.figure.spread) for shown in self.shown if shown.figure)

    @property
    def fastest(self) -> str | None:
        """The column with the highest throughput of the case; None where no two are compared.

        A number whose log contradicts its label is not of the case, and a quoted one is not proven.
        """
        there = [shown for shown in self.shown if shown.figure and not shown.figure.cell.certain_disagreements]
        measured = [shown for shown in there if shown.figure and not shown.figure.is_quoted] or there
        if len({shown.place.column.column for shown in measured}) < 2:
            return None
        first = max(measured, key=lambda shown: shown.figure.value if shown.figure else 0)
        others = [shown.figure.cell for shown in measured if shown is not first and shown.figure]
        is_compared = first.figure and any(unlike(cell, first.figure.cell, ()) is None for cell in others)
        return first.column if is_compared else None


def chart_rows(page: Page, table: Table, cells: Sequence[Cell], translator: Translator) -> list[ChartRow]:
    """The rows of a table that have a throughput, with all its columns of throughputs; ``cells``: those of the page."""
    found = {id(figure.cell): figure for figure in figures(table, cells)}
    placed = [(place, cell) for place, cell in zip(page.places(), cells, strict=True) if place.table is table]
    drawn = [one for one in placed if one[1].shown.quantity.is_throughput]
    rows = []
    for number, (_, group) in enumerate(groupby(drawn, key=lambda one: id(one[0].row))):
        of_row = list(group)
        shown = [_shown(page, place, cell, found.get(id(cell)), translator) for place, cell in of_row]
        if any(one.figure for one in shown):
            row = of_row[0][0].row
            title, group_title = (written(page, table, row, raw) for raw in (row.title, row.group))
            words = [label(translator.translate(text), COLUMNS) for text in (title, group_title)]
            rows.append(ChartRow(number, words[0], words[1], shown))
    return rows


def _shown(page: Page, place: CellPlace, cell: Cell, figure: Figure | None, translator: Translator) -> ChartPlace:
    title = label(translator.translate(cell.column), COLUMNS)
    taken = [label(translator.translate(text), COLUMNS) for text in page.taken(place)]
    said = translator.enumerated(taken) if taken else ""
    short = short_title(page, place, cell, translator)
    return ChartPlace(place, title, short, said, look(page.columns[place.column.column].title), figure)


def short_title(page: Page, place: CellPlace, cell: Cell, translator: Translator) -> str:
    """What stands for the title of a column on a narrow screen; empty for one that is not called as the page does."""
    column = page.columns[place.column.column]
    return label(translator.translate(column.short), COLUMNS) if column.short and cell.column == column.title else ""


def names_its_columns(rows: Sequence[ChartRow]) -> bool:
    """Whether a panel is a row, whose bars are of columns; of one column a panel is a group, whose bars are of rows."""
    return len(rows[0].shown) > 1
