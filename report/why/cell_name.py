"""The names of cells: the number of their evidence, the digits that they print, or their place."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ..evidence.cell import Cell, anchors, commonest, number_of
from ..pagefile.page import Page

SHOWN = 8


class NoCellError(ValueError):
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
        quantity = cell.shown.quantity.name.replace("_", " ")
        raise NoCellError(f"e{number} shows {quantity}; only a throughput can be explained.")
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
) -> str:
    quoted = next((c for c in cells if c.quoted and name in (c.quoted.digits, *_places(page, c))), None)
    if quoted and quoted.quoted and not found:
        source = page.sources[quoted.quoted.source].title
        return f"{quoted.quoted.digits} is quoted from {source!r}; there is no log to explain it."
    empty = next((cell for cell in cells if cell.reason and name in _places(page, cell)), None)
    if empty and not found:
        return f"The cell {name!r} is empty: {empty.reason}"
    listed = _listed(found or {n: cell for n, cell in known.items() if cell.shown.quantity.is_throughput} or known)
    if found:
        return f"{len(found)} cells match {name!r}: {listed}."
    if not known:
        return f"No cell of the page has a number, so {name!r} cannot be found. {_why_empty(cells)}"
    return f"No cell of the page matches {name!r}; cells: {listed}."


def _why_empty(cells: Sequence[Cell]) -> str:
    reasons = commonest(cells)
    return f"Most common reason: {reasons}" if reasons else "Set the log folder with --logs."


def _listed(cells: Mapping[int, Cell]) -> str:
    said = [f"e{n} ({cell.table}/{cell.row}/{cell.column}, {cell.printed})" for n, cell in list(cells.items())[:SHOWN]]
    more = len(cells) - len(said)
    return ", ".join(said) + (f" and {more} more" if more else "")
