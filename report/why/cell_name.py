"""The names of cells: the number of their evidence, the digits that they print, or their place."""

import re
from collections.abc import Iterator, Mapping, Sequence

from parsers.io.errors import MessageError
from parsers.io.message import Message, joined

from ..evidence.cell import Cell, anchors, commonest, number_of
from ..pagefile.page import Page

SHOWN = 8
NO_THROUGHPUT = "e{number} shows {quantity}; only a throughput can be explained."
QUOTED = "{digits} is quoted from {source}; there is no log to explain it."
EMPTY = "The cell {name} is empty: {reason}"
SEVERAL = "{count} cells match {name}: {cells}."
NO_MATCH = "No cell of the page matches {name}; cells: {cells}."
NO_NUMBERS = "No cell of the page has a number, so {name} cannot be found. {why}"
COMMONEST = "Most common reason: {reasons}"
SET_LOGS = "Set the log folder with --logs."
OF_CELL = "e{number} ({table}/{row}/{column}, {digits})"
AND_MORE = "{cells} and {count} more"


class NoCellError(MessageError):
    """A name that no cell of a page has, or several; one sentence says which there are."""


def named(page: Page, cells: Sequence[Cell], name: str) -> tuple[int, Cell]:
    """Return the cell of a name, and the number of its evidence.

    ``name``: ``e12`` or ``12``; the digits that only one cell prints; or ``TABLE/ROW/COLUMN``. Raises NoCellError for
    another name, and for a cell without a throughput.
    """
    names = anchors(cells)
    by_number = {number_of(names[cell]): cell for cell in cells if cell.printed is not None}
    found = _by_number(by_number, name) or _by_digits(by_number, name) or _by_place(page, by_number, name)
    if len(found) != 1:
        raise NoCellError(_other_than_one(page, cells, by_number, found, name))
    ((number, cell),) = found.items()
    if not cell.shown.quantity.is_throughput:
        quantity = Message(cell.shown.quantity.name)
        raise NoCellError(NO_THROUGHPUT, number=number, quantity=quantity)
    return number, cell


def _by_number(cells: Mapping[int, Cell], name: str) -> dict[int, Cell]:
    number = re.fullmatch(r"#?e?([0-9]{1,9})", name)
    return {n: cell for n, cell in cells.items() if number and n == int(number[1])}


def _by_digits(cells: Mapping[int, Cell], name: str) -> dict[int, Cell]:
    found = {number: cell for number, cell in cells.items() if cell.printed == name.replace(",", "")}
    # What is derived of a throughput may repeat its digits; only the throughput itself can be explained.
    return {number: cell for number, cell in found.items() if cell.shown.quantity.is_throughput} or found


def _by_place(page: Page, cells: Mapping[int, Cell], name: str) -> dict[int, Cell]:
    return {number: cell for number, cell in cells.items() if name in _places(page, cell)}


def _places(page: Page, cell: Cell) -> Iterator[str]:
    titles = [table.title for table in page.tables if table.name == cell.table]
    for table in (cell.table, *titles):
        yield f"{table}/{cell.row}/{cell.column}"


def _other_than_one(
    page: Page, cells: Sequence[Cell], known: Mapping[int, Cell], found: Mapping[int, Cell], name: str
) -> Message:
    quoted = next((c for c in cells if c.quoted and name in (c.quoted.digits, *_places(page, c))), None)
    if quoted and quoted.quoted and not found:
        source = page.sources[quoted.quoted.source].title
        return Message(QUOTED, digits=quoted.quoted.digits, source=repr(source))
    empty = next((cell for cell in cells if cell.reason and name in _places(page, cell)), None)
    if empty and not found:
        return Message(EMPTY, name=repr(name), reason=empty.reason)
    if not known:
        return Message(NO_NUMBERS, name=repr(name), why=_why_empty(cells))
    listed = _listed(found or {n: cell for n, cell in known.items() if cell.shown.quantity.is_throughput} or known)
    if found:
        return Message(SEVERAL, count=len(found), name=repr(name), cells=listed)
    return Message(NO_MATCH, name=repr(name), cells=listed)


def _why_empty(cells: Sequence[Cell]) -> Message:
    reasons = commonest(cells)
    return Message(COMMONEST, reasons=reasons) if reasons else Message(SET_LOGS)


def _listed(cells: Mapping[int, Cell]) -> Message:
    first = list(cells.items())[:SHOWN]
    said = [
        Message(OF_CELL, number=n, table=cell.table, row=cell.row, column=cell.column, digits=cell.printed)
        for n, cell in first
    ]
    listed, more = joined("{first}, {second}", said), len(cells) - len(said)
    return Message(AND_MORE, cells=listed, count=more) if more else listed
