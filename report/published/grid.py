"""Grids: the cells of a table as they stand, or with its rows for columns, each with its place on the page."""

from dataclasses import dataclass
from functools import cached_property

from .document import DocumentTable
from .labels import Label, read_label
from .printed_cell import PrintedCell

Place = tuple[int, int]


@dataclass(frozen=True)
class CellGrid:
    """The words of a table: ``heads`` one a column, ``rows`` as many cells each.

    ``is_turned``: whether the columns are the rows of the table.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_turned: bool = False

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """What the head of each column says."""
        return tuple(map(read_label, self.heads))

    @cached_property
    def printed(self) -> tuple[tuple[PrintedCell | None, ...], ...]:
        """The number of each cell, a column each, where the cell holds one and no more."""
        return tuple(tuple(PrintedCell.of(row[column]) for row in self.rows) for column in range(len(self.heads)))

    def column(self, number: int) -> tuple[str, ...]:
        """The words of a column."""
        return tuple(row[number] for row in self.rows)

    def place(self, row: int, column: int) -> Place:
        """The row and the column of a cell in its table."""
        return (column - 1, row + 1) if self.is_turned else (row, column)


def grids(table: DocumentTable) -> tuple[CellGrid, CellGrid]:
    """A table as it stands, and turned: its rows, which the cells of its first column name, as columns."""
    heads = tuple(cell.plain for cell in table.head)
    for column in range(1, len(heads)):
        if not heads[column]:  # that of a column before stands over several
            heads = (*heads[:column], heads[column - 1], *heads[column + 1 :])
    rows = tuple(tuple(cell.plain for cell in row) for row in table.rows)
    across = list(zip(heads, *rows, strict=True))
    return CellGrid(heads, rows), CellGrid(across[0], tuple(across[1:]), is_turned=True)
