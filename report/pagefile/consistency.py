"""Consistency: whether the parts of a page file fit together."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from typing import Any

from parsers.io.files import is_spelt_inside
from parsers.io.message import Message, joined
from parsers.io.validation import Mistake

from ..measure.protocol import ProtocolError
from .page import Caution, CellPlace, Page, Quote, each_case
from .parts import Axis, Case, with_only
from .toml_lines import Key

SAME_NAME = "two tables are named {name}; use unique names."
UNKNOWN_COLUMN = "table {table} refers to an unknown column {column}; columns: {known}."
LOGS_LEAVE = (
    "columns.{column}: the logs of a cell of table {table} are {pattern}, which leaves the log folder; "
    "use a path below it."
)
OF_PROTOCOL = "table {table} overrides the protocol of column {column}: {said}"
NO_CARDS = "table {table} has a {quantity} whose case does not specify cards."
NO_TABLE_SHOWS = (
    "table {table} has a {quantity} that needs the throughput of column {column} for {case}, which no table shows."
)
NEAREST_HAS = "{said} The nearest one has {axes}."
NO_LOGS = "columns.{column} has neither logs nor a quote; state where its logs are."
NO_SOURCE = "a quote refers to an unknown source {source}; sources: {known}."
NO_FASTEST = "fastest matches no cell: no table shows the throughput of {case}."
NO_CASE = "a caution does not match any cell: no table shows column {column} with {case}."
NO_CELL = "a quote does not match any cell: no table shows column {column} with {case}."
SEVERAL_QUOTES = "table {table} has several quotes for one cell: {figures}; keep one."
NO_VALUE = "{key}: no table has {axis} {value}."
NO_VALUE_BUT = "{key}: no table has {axis} {value}; did you mean {nearest}?"

# A mistake: the keys where it may be stated, of which the first that the page file states has it, and what is wrong.
Found = tuple[Sequence[Key], Message]


@dataclass(frozen=True)
class _Stated:
    """A cell and where it is stated: the key of its table, and those of its row and its column in it."""

    place: CellPlace
    table: Key
    row: Key
    column: Key


def mistakes(page: Page) -> Iterator[Found]:
    """What in one part of a page contradicts another, a sentence each."""
    yield from _of_tables(page)
    places = page.places()
    cells = [
        _Stated(next(places), key, (*key, "rows", row), (*key, "columns", column))
        for key, table in page.stated_tables
        for row, column in product(range(len(table.rows)), range(len(table.columns)))
    ]
    throughputs = [cell for cell in cells if cell.place.column.quantity.is_throughput]
    yield from _of_names(page, cells)
    for cell in cells:
        yield from _of_cell(page, cell)
    yield from _of_quotients(cells, throughputs)
    yield from _of_quotes(page, [cell.place for cell in throughputs])
    yield from _of_fastest(page)


def _of_tables(page: Page) -> Iterator[Found]:
    """Names of tables and columns, and what is drawn over time."""
    names: set[str] = set()
    known = ", ".join(page.columns)
    for key, table in page.stated_tables:
        if table.name in names:
            yield [(*key, "name")], Message(SAME_NAME, name=repr(table.name))
        names.add(table.name)
        for number, column in enumerate(table.columns):
            of = (*key, "columns", number)
            for at, name in ((of, column.column), ((*of, "against"), column.against and column.against.column)):
                if name is not None and name not in page.columns:
                    yield [at], Message(UNKNOWN_COLUMN, table=table.name, column=repr(name), known=known)
    for name, one in page.columns.items():
        if not one.runs and all(quote.column != name for quote in page.quotes):
            yield [("columns", name)], Message(NO_LOGS, column=name)


def _of_names(page: Page, cells: Sequence[_Stated]) -> Iterator[Found]:
    """Names of values that no cell has."""
    shown: dict[Axis, dict[str, None]] = {}
    for cell in cells:
        for axis, value in (*cell.place.labels.items(), *cell.place.case.items()):
            shown.setdefault(axis, {})[str(value)] = None
    parts: list[tuple[Key, Mapping[Axis, Mapping[str, object]]]] = [(("names",), page.labels)]
    parts += [(("columns", name, "names"), column.names) for name, column in page.columns.items()]
    for key, axis, value in ((key, axis, one) for key, axes in parts for axis, ones in axes.items() for one in ones):
        if value not in (known := shown.get(axis, {})):
            at = ".".join(map(str, (*key, axis)))
            told = {"key": at, "axis": Message(axis.replace("_", " ")), "value": repr(value)}
            spelt = {one.lower(): one for one in known}
            close = get_close_matches(value.lower(), spelt, 1)
            said = Message(NO_VALUE_BUT, **told, nearest=repr(spelt[close[0]])) if close else Message(NO_VALUE, **told)
            yield [(*key, axis, value)], said


def _of_cell(page: Page, cell: _Stated) -> Iterator[Found]:
    """Titles of a row that name more than its case, logs that are elsewhere, and a protocol that cannot be."""
    place, table = cell.place, cell.place.table
    try:
        for title in (place.row.title, place.row.group):
            with_only((*table.case, *place.row.case))(title)
    except Mistake as error:
        yield [cell.row], error.message
    name = place.column.column
    run = next((run for run in page.columns[name].runs if run.covers(place.case)), None)
    with suppress(KeyError):  # the case does not say all, and the cell says so
        for pattern in run.patterns(page.of_model(place.case)) if run else ():
            if not is_spelt_inside(pattern):
                said = Message(LOGS_LEAVE, column=name, table=table.name, pattern=repr(pattern))
                yield [("columns", name, "logs")], said
    try:
        if run and place.column.protocol:
            run.protocol.overridden(place.column.protocol)
    except ProtocolError as error:
        said = Message(OF_PROTOCOL, table=table.name, column=repr(name), said=error.message)
        yield [(*cell.column, "protocol")], said


def _of_quotients(cells: Sequence[_Stated], throughputs: Sequence[_Stated]) -> Iterator[Found]:
    """What is computed from throughputs that no table shows."""
    shown: dict[str, list[Case]] = {}
    for cell in throughputs:
        shown.setdefault(cell.place.column.column, []).append(cell.place.labels)
    for cell in cells:
        table, quantity = cell.place.table.name, cell.place.column.quantity
        if quantity.origin == "scaling" and "cards" not in cell.place.case:
            yield [cell.table], Message(NO_CARDS, table=table, quantity=quantity.name)
        for column, case in needed(cell.place) if quantity.is_quotient else ():
            if case not in shown.get(column, []):
                told = {"column": repr(column), "case": _worded(case)}
                said = Message(NO_TABLE_SHOWS, table=table, quantity=quantity.name, **told)
                at = [(*cell.column, "against"), (*cell.table, "against"), cell.column]
                yield at, _nearest(said, case, shown.get(column, []))


def needed(place: CellPlace) -> list[tuple[str, Case]]:
    """The throughputs that the quotient at a place is made of; of a scaling efficiency only the first.

    Each is a column and a case as tables state it.
    What a scaling efficiency is compared with is whatever the page shows for fewer cards.
    """
    own, against = (place.column.column, place.labels), place.column.against
    return [own, (against.column or own[0], {**place.labels, **against.case})] if against else [own]


def _of_quotes(page: Page, places: Sequence[CellPlace]) -> Iterator[Found]:
    """Quotes and cautions of no cell, and several quotes of one; ``places``: those of throughputs."""
    for number, quote in enumerate(page.quotes):
        if quote.source not in page.sources:
            known = ", ".join(page.sources) or Message("none")
            yield [("quotes", number)], Message(NO_SOURCE, source=repr(quote.source), known=known)
    parts: list[tuple[Key, str, Quote | Caution]] = []
    parts += [(("quotes", number), NO_CELL, quote) for number, quote in enumerate(page.quotes)]
    parts += [(("cautions", number, "case"), NO_CASE, caution) for number, caution in enumerate(page.cautions)]
    for key, none, one in parts:
        if not any(one.is_of(place.column.column, place.case) for place in places):
            told = Message(none, column=repr(one.column), case=_worded(one.case))
            yield [key], _nearest(told, one.case, [p.case for p in places if p.column.column == one.column])
    for place in places:
        quotes = [quote for quote in page.quotes if quote.is_of(place.column.column, place.case)]
        if len({quote.value for quote in quotes}) > 1:
            several = joined("{first} and {second}", (Message(quote.value) for quote in quotes))
            said = Message(SEVERAL_QUOTES, table=place.table.name, figures=several)
            yield [("quotes", page.quotes.index(quotes[-1]))], said


def _of_fastest(page: Page) -> Iterator[Found]:
    for number, cases in enumerate(page.fastest):
        for case in each_case(cases):
            if not any(place.is_throughput_of(case) for place in page.places()):
                yield [("fastest", number)], Message(NO_FASTEST, case=_worded(case))


def _nearest(said: Message, case: Mapping[Axis, Any], shown: Sequence[Case]) -> Message:
    """What a case lacks, with how the one that differs least from it differs, if that is in one axis."""
    differing = [
        {axis: other[axis] for axis, value in case.items() if axis in other and str(other[axis]) != str(value)}
        for other in shown
    ]
    nearest = next((other for other in differing if len(other) == 1), None)
    return Message(NEAREST_HAS, said=said, axes=_worded(nearest)) if nearest else said


def _worded(case: Mapping[Axis, Any]) -> str | Message:
    return ", ".join(f"{axis} {value}" for axis, value in case.items()) or Message("any case")
