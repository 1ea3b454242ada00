"""Comparisons: the numbers of a page that stand side by side, and what differs beyond what is compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..measure.diagnostics import Code, NoMeasurement, say
from ..measure.measure import run_of
from ..measure.measurement import Measurement, combine
from ..measure.protocol import Protocol
from ..measure.stated import readable
from ..pagefile.page import Page, Table
from .case_evidence import by_protocol, reading_of_case
from .cell import Cell, Proof
from .comparability import Difference, Side, of_rules, of_runs
from .reason import NoEvidenceError

WARM_UP = 10
# The first that all logs of a row allow; each reads one record at a time, so that a median of them can be had.
RULES = tuple((records, estimate) for records in ("step", "epoch") for estimate in ("instant", "reported", "duration"))


@dataclass(frozen=True)
class Common:
    """A cell by the common rule of its row.

    ``protocol``: the rule as its log allows it; of several runs that of the first. ``number``: in the unit of the page.
    ``ratio``: to the first cell of the row by this rule, ``published_ratio``: by the published numbers; None to a 0.
    """

    cell: Cell
    protocol: Protocol
    number: float
    ratio: float | None
    published_ratio: float | None


def by_one_rule(unit: str, row: Sequence[Cell]) -> tuple[Common, ...]:
    """Measure the cells of a row, which all have a throughput in ``unit``, by one rule; empty where none fits all logs.

    It is the median of all records but the first 10, of a log with fewer than 20 but the first half, so that neither a
    slow start nor an outlier nor a stalled end counts; of several runs it is the median.
    """
    for records, estimate in RULES:
        try:
            return tuple(_common(row, [_runs(unit, cell, records, estimate) for cell in row]))
        except (NoMeasurement, NoEvidenceError):
            continue
    return ()


def _common(row: Sequence[Cell], measured: Sequence[Sequence[tuple[Protocol, Measurement]]]) -> Iterator[Common]:
    numbers = [combine([found for _, found in runs], runs[0][0]) for runs in measured]
    for cell, runs, number in zip(row, measured, numbers, strict=True):
        published_ratio = _ratio(cell.number or 0, row[0].number or 0)
        yield Common(cell, runs[0][0], number, _ratio(number, numbers[0]), published_ratio)


def _ratio(number: float, first: float) -> float | None:
    return number / first if first else None


def _runs(unit: str, cell: Cell, records: str, estimate: str) -> list[tuple[Protocol, Measurement]]:
    rule = {"records": records, "estimate": estimate, "statistic": "median", "repeats": "median"}
    protocols = [_without_warm_up(cell, proof, rule) for proof in cell.proofs]
    return [
        (protocol, by_protocol(unit, cell, proof, protocol))
        for protocol, proof in zip(protocols, cell.proofs, strict=True)
    ]


def _without_warm_up(cell: Cell, proof: Proof, rule: Mapping[str, str]) -> Protocol:
    """The rule as a log allows it."""
    stated, reason = Protocol.of(rule), NoMeasurement(say(Code.NO_RECORDS))
    for run in run_of(reading_of_case(cell, proof), stated):
        try:
            return Protocol.of({**rule, "skip_records": min(WARM_UP, len(readable(run, stated)) // 2)})
        except NoMeasurement as error:
            reason = error
    raise reason


@dataclass(frozen=True)
class UnlikeNumbers:
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


def comparisons(page: Page, cells: Sequence[Cell]) -> Iterator[UnlikeNumbers]:
    """The rows and columns of a page that are not directly comparable.

    Rows are compared in all tables, columns in those that show one framework or how it scales. ``cells``: all cells of
    the page, in its order. Only throughputs are compared, and none that are quoted.
    """
    for table in page.tables:
        width = len(table.columns)
        own = [cell for cell in cells if cell.table == table.name]
        rows = [own[start : start + width] for start in range(0, len(own), width)]
        yield from (found for row in rows for found in _across(_compared(row)))
        # Side by side the columns are compared; a table of one framework shows how it scales, too.
        scaled = {column.column for column in table.columns if column.quantity.is_over_fewest_cards}
        for column, down in zip(table.columns, zip(*rows, strict=True), strict=True):
            if column.column in scaled or _is_of_one_framework(table):
                yield from _down(_compared(down), of_rules if column.column in scaled else _no_rules)
        yield from (found for row in rows for found in _between_tables(page, row))


def _compared(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.printed is not None and cell.shown.quantity.is_throughput]


def _is_of_one_framework(table: Table) -> bool:
    return len({column.column for column in table.columns}) == 1


def _across(row: Sequence[Cell]) -> Iterator[UnlikeNumbers]:
    if len(row) < 2:
        return
    sides: list[Side] = [(cell.column, cell) for cell in row]
    of_the_rules, of_the_runs = tuple(of_rules(sides)), tuple(of_runs(sides))
    common = by_one_rule(row[0].shown.rate, row) if of_the_rules else ()
    if differences := (*of_the_rules, *of_the_runs):
        yield UnlikeNumbers(row[0].table, row[0].row, True, differences, bool(of_the_rules), common)


def _no_rules(_: Sequence[Side]) -> Iterator[Difference]:
    return iter(())


def _down(column: Sequence[Cell], rules: Callable[[Sequence[Side]], Iterator[Difference]]) -> Iterator[UnlikeNumbers]:
    sides: list[Side] = [(cell.row, cell) for cell in column]
    if len(sides) > 1 and (differences := (*rules(sides), *of_runs(sides))):
        yield UnlikeNumbers(column[0].table, column[0].column, False, differences)


def _between_tables(page: Page, row: Sequence[Cell]) -> Iterator[UnlikeNumbers]:
    """The numbers that the quotients of a row are made of, where they stand in several tables and so in no one row."""
    titles = {table.name: table.title for table in page.tables}
    quotients = [cell.quotient for cell in row if cell.quotient]
    parts = _compared([part for quotient in quotients for part in (quotient.of, quotient.against)])
    sides: list[Side] = [(titles[part.table], part) for part in parts]
    if len({part.table for part in parts}) > 1 and (differences := (*of_rules(sides), *of_runs(sides))):
        yield UnlikeNumbers(row[0].table, row[0].row, True, differences)
