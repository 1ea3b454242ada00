"""Consistency: whether the parts of a page file fit together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import product

from parsers.io.files import is_spelt_inside
from parsers.io.message import Message
from parsers.io.validation import Mistake

from ..measure.protocol import ProtocolError
from .page import CellPlace, OfCells, Page, each_case
from .parts import Axis, Case, with_only, worded
from .toml_lines import Key

# A mistake: the keys where it may be stated, of which the first that the page file states has it, and what is wrong.
Found = tuple[Sequence[Key], Message | str]


def mistakes(page: Page) -> Iterator[Found]:
    """What in one part of a page contradicts another, a sentence each."""
    yield from _of_names(page)
    places = page.places()
    # Each cell with the keys of its row and its column.
    cells = [
        (next(places), (*key, "rows", row), (*key, "columns", column))
        for key, table in page.stated_tables
        for row, column in product(range(len(table.rows)), range(len(table.columns)))
    ]
    throughputs = [place for place, _, _ in cells if place.column.quantity.is_throughput]
    yield from _of_labels(page, [place for place, _, _ in cells])
    for place, row_key, column_key in cells:
        yield from _of_cell(page, place, row_key, column_key)
        yield from _of_quotient(place, column_key, throughputs)
    yield from _of_quotes(page, throughputs)
    for number, cases in enumerate(page.fastest):
        for case in each_case(cases):
            if not any(place.is_throughput_of(case) for place in throughputs):
                said = f"fastest matches no cell: no table shows the throughput of {worded(case)}."
                yield [("fastest", number)], said


def _of_names(page: Page) -> Iterator[Found]:
    """Tables of one name, columns that the page does not have, and columns without any figure."""
    names: set[str] = set()
    for key, table in page.stated_tables:
        if table.name in names:
            yield [(*key, "name")], f"two tables are named {table.name!r}; use unique names."
        names.add(table.name)
        for number, column in enumerate(table.columns):
            of = (*key, "columns", number)
            for at, name in ((of, column.column), ((*of, "against"), column.against and column.against.column)):
                if name is not None and name not in page.columns:
                    known = ", ".join(page.columns)
                    yield [at], f"table {table.name} refers to an unknown column {name!r}; columns: {known}."
    for name, one in page.columns.items():
        if not one.runs and all(quote.column != name for quote in page.quotes):
            yield [("columns", name)], f"columns.{name} has neither logs nor a quote; state where its logs are."


def _of_labels(page: Page, places: Iterable[CellPlace]) -> Iterator[Found]:
    """Names of values that no cell has."""
    shown: dict[Axis, dict[str, None]] = {}
    for place in places:
        for axis, value in (*place.labels.items(), *place.case.items()):
            shown.setdefault(axis, {})[str(value)] = None
    parts: list[tuple[Key, Mapping[Axis, Mapping[str, object]]]] = [(("names",), page.labels)]
    parts += [(("columns", name, "names"), column.names) for name, column in page.columns.items()]
    for key, axis, value in ((key, axis, one) for key, axes in parts for axis, ones in axes.items() for one in ones):
        if value not in (known := shown.get(axis, {})):
            spelt = {one.lower(): one for one in known}
            close = get_close_matches(value.lower(), spelt, 1)
            more = f"; did you mean {spelt[close[0]]!r}?" if close else "."
            said = f"{'.'.join(map(str, (*key, axis)))}: no table has {axis.replace('_', ' ')} {value!r}{more}"
            yield [(*key, axis, value)], said


def _of_cell(page: Page, place: CellPlace, row_key: Key, column_key: Key) -> Iterator[Found]:
    """Titles of a row that name more than its case, logs that are elsewhere, and a protocol that cannot be."""
    table, name = place.table, place.column.column
    try:
        for title in (place.row.title, place.row.group):
            with_only((*table.case, *place.row.case))(title)
    except Mistake as error:
        yield [row_key], error.message
    run = next((run for run in page.columns[name].runs if run.covers(place.case)), None)
    with suppress(KeyError):  # the case does not say all, and the cell says so
        for pattern in run.patterns(page.of_model(place.case)) if run else ():
            if not is_spelt_inside(pattern):
                of = f"columns.{name}: the logs of a cell of table {table.name} are {pattern!r}"
                yield [("columns", name, "logs")], f"{of}, which leaves the log folder; use a path below it."
    try:
        if run and place.column.protocol:
            run.protocol.overridden(place.column.protocol)
    except ProtocolError as error:
        said = f"table {table.name} overrides the protocol of column {name!r}: {error}"
        yield [(*column_key, "protocol")], said


def _of_quotient(place: CellPlace, key: Key, throughputs: Iterable[CellPlace]) -> Iterator[Found]:
    """What is computed from throughputs that no table shows."""
    quantity = place.column.quantity
    has = f"table {place.table.name} has a {quantity.name}"
    if quantity.origin == "scaling" and "cards" not in place.case:
        yield [key[:-2]], f"{has} whose case does not specify cards."
    for column, case in needed(place) if quantity.is_quotient else ():
        if all(one.column.column != column or one.labels != case for one in throughputs):
            said = f"{has} that needs the throughput of column {column!r} for {worded(case)}, which no table shows."
            yield [(*key, "against"), (*key[:-2], "against"), key], said


def needed(place: CellPlace) -> list[tuple[str, Case]]:
    """The throughputs that the quotient at a place is made of; of a scaling efficiency only the first.

    Each is a column and a case as tables state it.
    What a scaling efficiency is compared with is whatever the page shows for fewer cards.
    """
    own, against = (place.column.column, place.labels), place.column.against
    return [own, (against.column or own[0], {**place.labels, **against.case})] if against else [own]


def _of_quotes(page: Page, throughputs: Sequence[CellPlace]) -> Iterator[Found]:
    """Quotes and cautions of no cell, and several quotes of one."""
    for number, quote in enumerate(page.quotes):
        if quote.source not in page.sources:
            known = ", ".join(page.sources) or "none"
            yield [("quotes", number)], f"a quote refers to an unknown source {quote.source!r}; sources: {known}."
    parts: list[tuple[Key, str, OfCells]] = []
    parts += [(("quotes", number), "a quote does", quote) for number, quote in enumerate(page.quotes)]
    parts += [(("cautions", number, "case"), "a caution does", one) for number, one in enumerate(page.cautions)]
    for key, one_does, one in parts:
        if not any(one.is_of(place.column.column, place.case) for place in throughputs):
            yield [key], f"{one_does} not match any cell: no table shows column {one.column!r} with {worded(one.case)}."
    for place in throughputs:
        quotes = [quote for quote in page.quotes if quote.is_of(place.column.column, place.case)]
        if len({quote.value for quote in quotes}) > 1:
            figures = " and ".join(quote.value for quote in quotes)
            said = f"table {place.table.name} has several quotes for one cell: {figures}; keep one."
            yield [("quotes", page.quotes.index(quotes[-1]))], said
