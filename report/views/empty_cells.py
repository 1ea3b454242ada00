"""Empty cells: why those of a page are empty that are, with the line of its page file where that can be mended."""

from collections.abc import Sequence

from parsers.io.message import Message

from ..evidence.cell import Cell
from ..evidence.reason import Remark
from ..measure.diagnostics import Code, Diagnostic
from ..pagefile.page import Page
from ..pagefile.toml_lines import Key, line_of

WHY_EMPTY = "{name}: {slug} is empty: {reason}"
WHY_SEVERAL_EMPTY = "{name}: {slug} and {count} more are empty: {reason}"
SEE_LINE = "{reason} See {file}, line {line}."
MORE_REASONS = "{name}: more reasons for empty cells: {count}; the report of the page lists them."
MOST_REASONS = 12


def why_empty(name: str, stated: str, page: Page, cells: Sequence[Cell]) -> list[Message]:
    """A sentence for each reason why cells of a page are empty; not for cells that lack what others do.

    ``stated``: the text of the page file, which is called ``name``.
    """
    found: dict[object, list[Cell]] = {}
    for cell in cells:
        if cell.reason and not cell.digits and cell.reason.code != Remark.MISSING_PART:
            found.setdefault(_kind(cell, cell.reason), []).append(cell)
    each = []
    for alike in list(found.values())[:MOST_REASONS]:
        told = {"name": name, "slug": alike[0].slug, "reason": _reason(name, stated, page, cells, alike[0])}
        several = len(alike) > 1
        each.append(Message(WHY_SEVERAL_EMPTY, **told, count=len(alike) - 1) if several else Message(WHY_EMPTY, **told))
    more = len(found) - len(each)
    return [*each, Message(MORE_REASONS, name=name, count=more)] if more else each


def _kind(cell: Cell, reason: Diagnostic) -> object:
    """What a reason shares with others, of which one is told: of the logs that a table or its column lacks one is."""
    if reason.code == Remark.NOT_FOUND:
        return cell.table, reason.code
    return (cell.table, cell.column, reason.code) if reason.code == Remark.NOT_FOUND_BUT else reason


def _reason(name: str, stated: str, page: Page, cells: Sequence[Cell], cell: Cell) -> Message:
    """Why a cell is empty, and where to look."""
    if cell.reason is None:
        return Message("")
    keys = _keys_of(cell.reason, page, cells, cell)
    line = line_of(stated, *keys) if keys else None
    reason = cell.reason.message
    return Message(SEE_LINE, reason=reason, file=f"{name}.toml", line=line) if line else reason


def _keys_of(reason: Diagnostic, page: Page, cells: Sequence[Cell], cell: Cell) -> list[Key]:
    """The keys of the page file, the first of which that it states a reason is about; none where it is about none."""
    if reason.code == Remark.NOT_FOUND_BUT:
        return _key_of_logs(page, cells, cell)
    is_unit = reason.code == Remark.OTHER_UNIT or reason.values.get("cause") == Code.OTHER_UNIT
    return _keys_of_unit(page, cell) if is_unit else []


def _key_of_logs(page: Page, cells: Sequence[Cell], cell: Cell) -> list[Key]:
    """The key that says where the logs of a cell are; none where each run of its column says so itself."""
    places = zip(page.places(), cells, strict=True)
    column = next(place.column.column for place, other in places if other is cell)
    return [("columns", column, "logs")] if page.columns[column].logs is not None else []


def _keys_of_unit(page: Page, cell: Cell) -> list[Key]:
    """The keys that may say the unit of a cell: of its table, of those that this takes it from, and of the page."""
    place = next(place for place, table in page.stated_tables if table.name == cell.table)
    return [*((*place[:end], "unit") for end in range(len(place), 0, -2)), ("unit",)]
