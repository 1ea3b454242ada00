"""Consistency: whether the parts of a page file fit together."""

from collections.abc import Iterator
from contextlib import suppress

from parsers.io.containment import is_spelt_inside

from ..measuring.protocol import ProtocolError
from .page import CellPlace, Page
from .parts import Case, with_only


def mistakes(page: Page) -> Iterator[str]:
    """What in one part of a page contradicts another, a sentence each without its full stop."""
    yield from _of_tables(page)
    yield from _of_logs(page)
    yield from _of_quotients(page)
    yield from _of_quotes(page)
    yield from _of_runs_over_time(page)
    yield from _of_protocols(page)
    yield from _of_titles(page)


def _of_titles(page: Page) -> Iterator[str]:
    """Titles of rows that name more than their case."""
    for place in page.places():
        case: Case = {**place.table.case, **place.row.case}
        try:
            with_only(case)(place.row.title)
        except ValueError as error:
            yield str(error)


def _of_tables(page: Page) -> Iterator[str]:
    names = [table.name for table in page.tables]
    yield from (f"two tables are named {name!r}; use unique names" for name in names if names.count(name) > 1)
    for table in page.tables:
        for column in table.columns:
            for name in (column.column, column.against and column.against.column):
                if name is not None and name not in page.columns:
                    yield f"table {table.name} refers to an unknown column {name!r}; columns: {', '.join(page.columns)}"


def _of_logs(page: Page) -> Iterator[str]:
    """Patterns that stay below the folder of logs only until a case is filled in."""
    for place in page.places():
        run = next((run for run in page.columns[place.column.column].runs if run.covers(place.case)), None)
        with suppress(KeyError):  # the case does not say all, and the cell says so
            if run and not is_spelt_inside(pattern := run.pattern(place.case)):
                where = f"columns.{place.column.column}: the logs of a cell of table {place.table.name}"
                yield f"{where} are {pattern!r}, which leaves the log folder; use a path below it"


def _of_runs_over_time(page: Page) -> Iterator[str]:
    for table in page.tables:
        places = [place for place in page.places() if place.table is table and place.column.quantity.is_drawn]
        for wanted in table.over_time:
            if not any(wanted.is_of(place.column.column, place.case) for place in places):
                yield f"over_time of table {table.name} asks for {_of_none(wanted.column, wanted.case)}"


def _of_protocols(page: Page) -> Iterator[str]:
    for place in page.places():
        run = next((run for run in page.columns[place.column.column].runs if run.covers(place.case)), None)
        try:
            if run and place.column.protocol:
                run.protocol.overridden(place.column.protocol)
        except ProtocolError as error:
            yield f"table {place.table.name} overrides the protocol of column {place.column.column!r}: {error}"


def _of_quotients(page: Page) -> Iterator[str]:
    shown = [(place.column.column, place.case) for place in page.places() if place.column.quantity.is_throughput]
    for place in page.places():
        quantity = place.column.quantity
        if quantity.is_over_fewest_cards and "cards" not in place.case:
            yield f"table {place.table.name} has a {quantity.name} whose case does not specify cards"
        if quantity.is_quotient:
            for column, case in needed(place):
                if (column, case) not in shown:
                    yield f"table {place.table.name} has a {quantity.name} {_of_what(column, case)}"


def needed(place: CellPlace) -> list[tuple[str, Case]]:
    """The throughputs (column, case) that the quotient at a place is made of; of a scaling efficiency only the first.

    What a scaling efficiency is compared with is whatever the page shows for fewer cards.
    """
    own, against = (place.column.column, place.case), place.column.against
    return [own, (against.column or own[0], {**place.case, **against.case})] if against else [own]


def _of_what(column: str, case: Case) -> str:
    told = ", ".join(f"{axis} {value}" for axis, value in case.items())
    return f"that needs the throughput of column {column!r} for {told}, which no table shows"


def _of_none(column: str, case: Case) -> str:
    told = ", ".join(f"{axis} {value}" for axis, value in case.items()) or "any case"
    return f"the throughput of column {column!r} for {told}, which the table does not show"


def _of_quotes(page: Page) -> Iterator[str]:
    places = [place for place in page.places() if place.column.quantity.is_quoted]
    for number, quote in enumerate(page.quotes):
        if quote.source not in page.sources:
            known = ", ".join(page.sources) or "none"
            yield f"quotes.{number} refers to an unknown source {quote.source!r}; sources: {known}"
        if not any(quote.is_of(place.column.column, place.case) for place in places):
            yield f"quotes.{number} does not match any cell: no table shows column {quote.column!r} with this case"
    for place in places:
        figures = [quote for quote in page.quotes if quote.is_of(place.column.column, place.case)]
        if len({quote.value for quote in figures}) > 1:
            several = " and ".join(quote.value for quote in figures)
            yield f"table {place.table.name} has several quotes for one cell: {several}; keep one"
