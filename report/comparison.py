"""Comparisons: the numbers of a page that stand side by side, and what differs beyond what is compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .cell import Cell
from .common_rule import Common, by_one_rule
from .likeness import Difference, Side, of_rules, of_runs
from .page import Page, Table


@dataclass(frozen=True)
class Comparison:
    """The numbers of one row or one column of a table that are not compared like with like.

    ``table``: its name. ``title``: that of the row or the column. ``differences``: what differs. ``is_of_rules``:
    whether a rule favours one side; ``common`` then holds the numbers by one rule, where there is one.
    """

    table: str
    title: str
    is_row: bool
    differences: tuple[Difference, ...]
    is_of_rules: bool = False
    common: tuple[Common, ...] = ()


def comparisons(page: Page, cells: Sequence[Cell]) -> Iterator[Comparison]:
    """The rows of a page that do not compare like with like, and such columns of tables that show one framework.

    ``cells``: all cells of the page, in its order. Only throughputs are compared.
    """
    for table in page.tables:
        width = len(table.columns)
        own = [cell for cell in cells if cell.table == table.name]
        rows = [own[start : start + width] for start in range(0, len(own), width)]
        yield from (found for row in rows for found in _across(page, _compared(row)))
        # Side by side the columns are compared; a table of one framework shows how it scales, too.
        if _is_of_one_framework(table):
            yield from (found for column in zip(*rows, strict=True) for found in _down(_compared(column)))


def _compared(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.printed is not None and cell.shown.quantity == "throughput"]


def _is_of_one_framework(table: Table) -> bool:
    return len({column.column for column in table.columns}) == 1


def _across(page: Page, row: Sequence[Cell]) -> Iterator[Comparison]:
    if len(row) < 2:
        return
    sides: list[Side] = [(cell.column, cell) for cell in row]
    of_the_rules, of_the_runs = tuple(of_rules(sides)), tuple(of_runs(sides))
    common = by_one_rule(page.unit, row) if of_the_rules else ()
    if differences := (*of_the_rules, *of_the_runs):
        yield Comparison(row[0].table, row[0].row, True, differences, bool(of_the_rules), common)


def _down(column: Sequence[Cell]) -> Iterator[Comparison]:
    sides: list[Side] = [(cell.row, cell) for cell in column]
    if len(sides) > 1 and (differences := tuple(of_runs(sides))):
        yield Comparison(column[0].table, column[0].column, False, differences)
