"""The names of cells: their address, the digits that they print, their titles, or the number that they once had."""

import re
from collections.abc import Iterator, Sequence

from parsers.io.errors import MessageError
from parsers.io.message import Message, joined

from ..evidence.cell import Cell, commonest, former_anchors
from ..pagefile.page import Page

SHOWN = 8
NO_THROUGHPUT = "{slug} shows {quantity}; only what is read from the records of logs can be explained."
QUOTED = "{digits} is quoted from {source}; there is no log to explain it."
EMPTY = "The cell {name} is empty: {reason}"
SEVERAL = "{count} cells match {name}: {cells}."
NO_MATCH = "No cell of the page matches {name}; cells: {cells}."
NO_NUMBERS = "No cell of the page has a number, so {name} cannot be found. {why}"
COMMONEST = "Most common reason: {reasons}"
SET_LOGS = "Set the log folder with --logs."
OF_CELL = "{slug} ({digits})"
AND_MORE = "{cells} and {count} more"


class NoCellError(MessageError):
    """A name that no cell of a page has, or several; one sentence says which there are."""


def named(page: Page, cells: Sequence[Cell], name: str) -> Cell:
    """Return the cell of a name.

    ``name``: its address such as ``main/v100-fp32-8/paddle``; the digits that only one cell prints; its table, row and
    column as they are titled; or ``e12`` or ``12``, as it was called before. Raises NoCellError for another name, and
    for a cell that is not read from the records of logs.
    """
    filled = [cell for cell in cells if cell.printed is not None]
    found = _by_address(cells, name) or _by_digits(filled, name) or [c for c in filled if name in _places(page, c)]
    if len(found) != 1 or found[0].printed is None:
        raise NoCellError(_other_than_one(page, cells, filled, found, name))
    (cell,) = found
    if not (cell.shown.quantity.is_throughput or _is_of_records(cell)):
        raise NoCellError(NO_THROUGHPUT, slug=cell.slug, quantity=Message(cell.shown.quantity.name))
    return cell


def _is_of_records(cell: Cell) -> bool:
    """Whether it is not a throughput, but read from the records of logs in the same way."""
    return bool(cell.proofs) and all(proof.figure and len(proof.figure.measured.series) for proof in cell.proofs)


def _by_address(cells: Sequence[Cell], name: str) -> list[Cell]:
    asked = name.removeprefix("#")
    former = former_anchors(cells)
    number = re.fullmatch(r"e?([0-9]{1,9})", asked)
    once = f"e{int(number[1])}" if number else ""
    return [cell for cell in cells if asked == cell.slug or once == former.get(cell)]


def _by_digits(cells: Sequence[Cell], name: str) -> list[Cell]:
    found = [cell for cell in cells if cell.printed == name.replace(",", "")]
    # What is derived of a throughput may repeat its digits; only the throughput itself can be explained.
    return [cell for cell in found if cell.shown.quantity.is_throughput] or found


def _places(page: Page, cell: Cell) -> Iterator[str]:
    titles = [table.title for table in page.tables if table.name == cell.table]
    yield cell.slug
    for table in (cell.table, *titles):
        yield f"{table}/{cell.row}/{cell.column}"


def _other_than_one(
    page: Page, cells: Sequence[Cell], filled: Sequence[Cell], found: Sequence[Cell], name: str
) -> Message:
    """Why a name is not that of one cell with a number; ``filled``: those that have one, ``found``: those it names."""
    asked = name.removeprefix("#")
    quoted = next((c for c in cells if c.quoted and asked in (c.quoted.digits, *_places(page, c))), None)
    if quoted and quoted.quoted:
        source = page.sources[quoted.quoted.source].title
        return Message(QUOTED, digits=quoted.quoted.digits, source=repr(source))
    empty = next((cell for cell in cells if cell.reason and asked in _places(page, cell)), None)
    if empty and empty.reason:
        return Message(EMPTY, name=repr(name), reason=empty.reason.message)
    if not filled:
        return Message(NO_NUMBERS, name=repr(name), why=_why_empty(cells))
    listed = _listed(found or [cell for cell in filled if cell.shown.quantity.is_throughput] or filled)
    if found:
        return Message(SEVERAL, count=len(found), name=repr(name), cells=listed)
    return Message(NO_MATCH, name=repr(name), cells=listed)


def _why_empty(cells: Sequence[Cell]) -> Message:
    reasons = commonest(cells)
    return Message(COMMONEST, reasons=reasons) if reasons else Message(SET_LOGS)


def _listed(cells: Sequence[Cell]) -> Message:
    said = [Message(OF_CELL, slug=cell.slug, digits=cell.printed) for cell in cells[:SHOWN]]
    listed, more = joined("{first}, {second}", said), len(cells) - len(said)
    return Message(AND_MORE, cells=listed, count=more) if more else listed
