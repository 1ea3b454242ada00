"""Figures: the numbers of a table as charts draw them, each with the digits that stand on the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..evidence.cell import Cell
from ..evidence.quotient import SIZE
from ..pagefile.page import Table

QUOTED_MARK = "‡"


@dataclass(frozen=True)
class Figure:
    """One number of a table.

    ``row`` and ``column``: where it stands in the table, from 0. ``of``: the name of the column of the page that it is
    of. ``value``: in the unit of the page. ``printed``: its digits on the page. ``repeats``: the values of the runs
    behind it. ``is_quoted``: whether it is stated by a source without logs.
    """

    row: int
    column: int
    of: str
    cell: Cell
    value: float
    printed: str
    repeats: tuple[float, ...] = ()
    is_quoted: bool = False

    @property
    def digits(self) -> str:
        """Its digits as a chart shows them: a quoted number carries its mark."""
        return f"{self.printed}{QUOTED_MARK}" if self.is_quoted else self.printed

    @property
    def unit(self) -> str:
        """What the number counts, that of the page."""
        return self.cell.shown.unit

    @property
    def spread(self) -> tuple[float, float]:
        """The lowest and the highest repeat; the value itself where there is one run, or a quote."""
        return (min(self.repeats), max(self.repeats)) if self.repeats else (self.value, self.value)

    @property
    def is_spread(self) -> bool:
        """Whether several runs are behind the number."""
        return len(self.repeats) > 1

    @property
    def cards(self) -> int | None:
        """The number of cards of its case; None where the case does not say it."""
        said = self.cell.case.get("cards")
        return said if isinstance(said, int) and said > 0 else None

    @property
    def is_apart(self) -> bool:
        """Whether it is not comparable with its neighbours: its log contradicts its label, or the page says so."""
        return bool(self.cell.certain_disagreements or self.cell.cautions)

    @property
    def is_of_its_size(self) -> bool:
        """Whether no log behind it says another number of nodes or cards, or another batch size, than its case."""
        return all(found.fact not in SIZE for found in self.cell.certain_disagreements)


def figures(table: Table, cells: Sequence[Cell]) -> list[Figure]:
    """The throughputs of a table that have a number, in the order of the table.

    ``cells``: those of the page, of which each table has all columns of its rows, one row after the other.
    """
    own = [cell for cell in cells if cell.table == table.name]
    found = (_figure(number, table, cell) for number, cell in enumerate(own))
    return [figure for figure in found if figure and figure.cell.shown.quantity.is_throughput]


def _figure(number: int, table: Table, cell: Cell) -> Figure | None:
    row, column = divmod(number, len(table.columns))
    place = (row, column, table.columns[column].column, cell)
    if cell.printed is not None and cell.number is not None:
        repeats = tuple(proof.measurement.value for proof in cell.proofs)
        return Figure(*place, cell.number, cell.printed, repeats)
    quoted = cell.quoted
    if quoted is None:
        return None
    return Figure(*place, float(quoted.digits), quoted.digits, is_quoted=True)
