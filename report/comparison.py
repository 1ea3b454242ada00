"""Comparisons: the numbers of a page that stand side by side, and what differs beyond what is compared."""

from collections.abc import Callable, Iterator, Sequence
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
    """The rows and columns of a page that do not compare like with like.

    Rows are compared in all tables, columns in those that show one framework or how it scales. ``cells``: all cells of
    the page, in its order. Only throughputs are compared, and none that are quoted.
    """
    for table in page.tables:
        width = len(table.columns)
        own = [cell for cell in cells if cell.table == table.name]
        rows = [own[start : start + width] for start in range(0, len(own), width)]
        yield from (found for row in rows for found in _across(page, _compared(row)))
        # Side by side the columns are compared; a table of one framework shows how it scales, too.
        scaled = {column.column for column in table.columns if column.quantity == "scaling_efficiency"}
        for column, down in zip(table.columns, zip(*rows, strict=True), strict=True):
            if column.column in scaled or _is_of_one_framework(table):
                yield from _down(_compared(down), of_rules if column.column in scaled else _no_rules)
        yield from (found for row in rows for found in _between_tables(page, row))


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


def _no_rules(_: Sequence[Side]) -> Iterator[Difference]:
    return iter(())


def _down(column: Sequence[Cell], rules: Callable[[Sequence[Side]], Iterator[Difference]]) -> Iterator[Comparison]:
    sides: list[Side] = [(cell.row, cell) for cell in column]
    if len(sides) > 1 and (differences := (*rules(sides), *of_runs(sides))):
        yield Comparison(column[0].table, column[0].column, False, differences)


def _between_tables(page: Page, row: Sequence[Cell]) -> Iterator[Comparison]:
    """The numbers that the quotients of a row are made of, where they stand in several tables and so in no one row."""
    titles = {table.name: table.title for table in page.tables}
    quotients = [cell.quotient for cell in row if cell.quotient]
    parts = _compared([part for quotient in quotients for part in (quotient.of, quotient.against)])
    sides: list[Side] = [(titles[part.table], part) for part in parts]
    if len({part.table for part in parts}) > 1 and (differences := (*of_rules(sides), *of_runs(sides))):
        yield Comparison(row[0].table, row[0].row, True, differences)
