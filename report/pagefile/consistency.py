"""Consistency: whether the parts of a page file fit together."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from parsers.io.containment import is_spelt_inside
from parsers.io.message import Message, joined
from parsers.io.validation import Mistake

from ..measure.protocol import ProtocolError
from .page import CellPlace, Page
from .parts import Case, with_only
from .publications import Caution, Quote
from .values import mistakes_of_values

SAME_NAME = "two tables are named {name}; use unique names."
UNKNOWN_COLUMN = "table {table} refers to an unknown column {column}; columns: {known}."
LOGS_LEAVE = (
    "columns.{column}: the logs of a cell of table {table} are {pattern}, which leaves the log folder; "
    "use a path below it."
)
NOT_SHOWN = (
    "over_time of table {table} asks for the throughput of column {column} for {case}, which the table does not show."
)
OF_PROTOCOL = "table {table} overrides the protocol of column {column}: {said}"
NO_CARDS = "table {table} has a {quantity} whose case does not specify cards."
NO_TABLE_SHOWS = (
    "table {table} has a {quantity} that needs the throughput of column {column} for {case}, which no table shows."
)
NEAREST_HAS = "{said} The nearest one has {axes}."
NO_SOURCE = "a quote refers to an unknown source {source}; sources: {known}."
NO_SOURCE_OF_FIGURES = "table {table} refers to an unknown source {source}; sources: {known}."
NO_HIGHLIGHT = "a highlight ({kind}) matches no cell: no table shows the {quantity} of {case}."
NO_CASE = "a caution does not match any cell: no table shows column {column} with {case}."
NO_CELL = "a quote does not match any cell: no table shows column {column} with {case}."
SEVERAL_QUOTES = "table {table} has several quotes for one cell: {figures}; keep one."


def mistakes(page: Page) -> Iterator[Message]:
    """What in one part of a page contradicts another, a sentence each."""
    yield from _of_tables(page)
    yield from _of_logs(page)
    yield from mistakes_of_values(page)
    yield from _of_quotients(page)
    yield from _of_quotes(page)
    yield from _of_cautions(page)
    yield from _of_runs_over_time(page)
    yield from _of_protocols(page)
    yield from _of_titles(page)
    yield from _of_highlights(page)


def _of_titles(page: Page) -> Iterator[Message]:
    """Titles of rows that name more than their case."""
    for place in page.places():
        case: Case = {**place.table.case, **place.row.case}
        try:
            for title in (place.row.title, place.row.group):
                with_only(case)(title)
        except Mistake as error:
            yield error.message


def _of_highlights(page: Page) -> Iterator[Message]:
    for number, highlight in enumerate(page.highlights):
        for case in highlight.cases:
            if not any(highlight.is_of(place, case) for place in page.places()):
                told = {"kind": highlight.kind, "quantity": highlight.quantity, "case": _worded(case)}
                yield Message(NO_HIGHLIGHT, key=f"highlights.{number}", **told)


def _of_tables(page: Page) -> Iterator[Message]:
    names = [table.name for table in page.tables]
    yield from (Message(SAME_NAME, name=repr(name)) for name in names if names.count(name) > 1)
    for table in page.tables:
        for column in table.columns:
            for name in (column.column, column.against and column.against.column):
                if name is not None and name not in page.columns:
                    known = ", ".join(page.columns)
                    yield Message(UNKNOWN_COLUMN, table=table.name, column=repr(name), known=known)


def _of_logs(page: Page) -> Iterator[Message]:
    """Patterns that stay below the folder of logs only until a case is filled in."""
    for place in page.places():
        run = next((run for run in page.columns[place.column.column].runs if run.covers(place.case)), None)
        with suppress(KeyError):  # the case does not say all, and the cell says so
            for pattern in run.patterns(page.of_model(place.case)) if run else ():
                if not is_spelt_inside(pattern):
                    column, table = place.column.column, place.table.name
                    yield Message(LOGS_LEAVE, column=column, table=table, pattern=repr(pattern))


def _of_runs_over_time(page: Page) -> Iterator[Message]:
    for table in page.tables:
        places = [place for place in page.places() if place.table is table and place.column.quantity.is_throughput]
        for wanted in table.over_time:
            if not any(wanted.is_of(place.column.column, place.case) for place in places):
                yield Message(NOT_SHOWN, table=table.name, column=repr(wanted.column), case=_worded(wanted.case))


def _of_protocols(page: Page) -> Iterator[Message]:
    for place in page.places():
        run = next((run for run in page.columns[place.column.column].runs if run.covers(place.case)), None)
        try:
            if run and place.column.protocol:
                run.protocol.overridden(place.column.protocol)
        except ProtocolError as error:
            column = repr(place.column.column)
            yield Message(OF_PROTOCOL, table=place.table.name, column=column, said=error.message)


def _of_quotients(page: Page) -> Iterator[Message]:
    shown = [(place.column.column, place.labels) for place in page.places() if place.column.quantity.is_throughput]
    for place in page.places():
        quantity = place.column.quantity
        if quantity.is_over_fewest_cards and "cards" not in place.case:
            yield Message(NO_CARDS, table=place.table.name, quantity=quantity.name)
        if quantity.is_quotient:
            for column, case in needed(place):
                if (column, case) not in shown:
                    told = {"table": place.table.name, "quantity": quantity.name}
                    said = Message(NO_TABLE_SHOWS, **told, column=repr(column), case=_worded(case))
                    yield _with_nearest(said, case, [other for name, other in shown if name == column])


def _with_nearest(said: Message, case: Case, shown: Sequence[Case]) -> Message:
    """What a case lacks, with how the one that differs least from it differs, if that is in one axis."""
    differing = [{axis: value for axis, value in other.items() if case.get(axis) != value} for other in shown]
    nearest = next((other for other in differing if len(other) == 1), None)
    # The line is that of the table, or of the key.
    told = {**{name: said.values[name] for name in ("table", "key") if name in said.values}, "said": said}
    return Message(NEAREST_HAS, **told, axes=_worded(nearest)) if nearest else said


def needed(place: CellPlace) -> list[tuple[str, Case]]:
    """The throughputs that the quotient at a place is made of; of a scaling efficiency only the first.

    Each is a column and a case as tables state it.
    What a scaling efficiency is compared with is whatever the page shows for fewer cards.
    """
    own, against = (place.column.column, place.labels), place.column.against
    return [own, (against.column or own[0], {**place.labels, **against.case})] if against else [own]


def _worded(case: Case) -> str | Message:
    return ", ".join(f"{axis} {value}" for axis, value in case.items()) or Message("any case")


def _of_cautions(page: Page) -> Iterator[Message]:
    places = [place for place in page.places() if place.column.quantity.is_throughput]
    for number, caution in enumerate(page.cautions):
        if not any(caution.is_of(place.column.column, place.case) for place in places):
            yield _unmatched(NO_CASE, f"cautions.{number}", caution, places)


def _unmatched(said: str, key: str, part: Caution | Quote, places: Sequence[CellPlace]) -> Message:
    """What no cell is matched by, with the cell of its column that comes nearest."""
    told = Message(said, key=key, column=repr(part.column), case=_worded(part.case))
    shown = [one.case for one in places if one.column.column == part.column]
    return _with_nearest(told, part.case, [{axis: case[axis] for axis in part.case if axis in case} for case in shown])


def _of_quotes(page: Page) -> Iterator[Message]:
    for table in page.tables:
        if table.source is not None and table.source not in page.sources:
            known = ", ".join(page.sources) or Message("none")
            yield Message(NO_SOURCE_OF_FIGURES, table=table.name, source=repr(table.source), known=known)
    places = [place for place in page.places() if place.column.quantity.is_throughput]
    for number, quote in enumerate(page.quotes):
        if quote.source not in page.sources:
            known = ", ".join(page.sources) or Message("none")
            yield Message(NO_SOURCE, key=f"quotes.{number}", source=repr(quote.source), known=known)
        if not any(quote.is_of(place.column.column, place.case) for place in places):
            yield _unmatched(NO_CELL, f"quotes.{number}", quote, places)
    for place in places:
        figures = [quote for quote in page.quotes if quote.is_of(place.column.column, place.case)]
        if len({quote.value for quote in figures}) > 1:
            several = joined("{first} and {second}", (Message(quote.value) for quote in figures))
            yield Message(SEVERAL_QUOTES, table=place.table.name, figures=several)
