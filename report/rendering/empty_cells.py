"""Empty cells: why those of a page are empty that are, with the line of its page file where that can be mended."""

from collections.abc import Sequence

from parsers.io.message import Message

from ..evidence.case_evidence import OTHER_UNIT
from ..evidence.case_runs import NOT_FOUND, NOT_FOUND_BUT
from ..evidence.cell import Cell
from ..evidence.quotient import MISSING as MISSING_PART
from ..evidence.reason import LEADS_OUT, LEADS_OUT_HELP
from ..measure.quantities.speed import OTHER_UNIT as OTHER_UNIT_OF_FIGURE
from ..pagefile.page import Page
from ..pagefile.prose import as_stated
from ..pagefile.stated_lines import line_of

WHY_EMPTY = "{name}: {slug} is empty: {reason}"
WHY_SEVERAL_EMPTY = "{name}: {slug} and {count} more are empty: {reason}"
SEE_LINE = "{reason} See {file}, line {line}."
MORE_REASONS = "{name}: more reasons for empty cells: {count}; the evidence file of the page lists them."
MOST_REASONS = 12


def why_empty(name: str, stated: str, page: Page, cells: Sequence[Cell]) -> list[Message]:
    """A sentence for each reason why cells of a page are empty; not for cells that lack what others do.

    ``stated``: the text of the page file, which is called ``name``.
    """
    found: dict[object, list[Cell]] = {}
    for cell in cells:
        if cell.reason and not cell.digits and cell.reason.key != MISSING_PART:
            found.setdefault(_kind(cell, cell.reason), []).append(cell)
    each = []
    for alike in list(found.values())[:MOST_REASONS]:
        told = {"name": name, "slug": alike[0].slug, "reason": _reason(name, stated, page, cells, alike[0])}
        several = len(alike) > 1
        each.append(Message(WHY_SEVERAL_EMPTY, **told, count=len(alike) - 1) if several else Message(WHY_EMPTY, **told))
    more = len(found) - len(each)
    return [*each, Message(MORE_REASONS, name=name, count=more)] if more else each


def _kind(cell: Cell, reason: Message) -> object:
    """What a reason shares with others, of which one is told: of the logs that a table or its column lacks one is."""
    if reason.key == NOT_FOUND:
        return cell.table, NOT_FOUND
    return (cell.table, cell.column, NOT_FOUND_BUT) if reason.key == NOT_FOUND_BUT else reason


def _reason(name: str, stated: str, page: Page, cells: Sequence[Cell], cell: Cell) -> Message:
    """Why a cell is empty, and where to look."""
    reason = cell.reason or Message("")
    if reason.key == LEADS_OUT:
        return Message("{first} {second}", first=reason, second=Message(LEADS_OUT_HELP))
    key = _key_of(reason, page, cells, cell)
    line = line_of(as_stated(stated), Message("", key=key)) if key else None
    return Message(SEE_LINE, reason=reason, file=f"{name}.toml", line=line) if line else reason


def _key_of(reason: Message, page: Page, cells: Sequence[Cell], cell: Cell) -> str | None:
    """The key of the page file that a reason is about; None where it is about none."""
    if reason.key == NOT_FOUND_BUT:
        return _key_of_logs(page, cells, cell)
    why = reason.values.get("error", reason)
    is_unit = isinstance(why, Message) and why.key in (OTHER_UNIT, OTHER_UNIT_OF_FIGURE)
    return _key_of_unit(page, cell) if is_unit else None


def _key_of_logs(page: Page, cells: Sequence[Cell], cell: Cell) -> str | None:
    """The key that says where the logs of a cell are; None where each run of its column says so itself."""
    places = zip(page.places(), cells, strict=True)
    column = next(place.column.column for place, other in places if other is cell)
    return f"columns.{column}.logs" if page.columns[column].logs is not None else None


def _key_of_unit(page: Page, cell: Cell) -> str:
    """The key that says the unit of a cell: of its table, of one that this takes it from, or of the page."""
    numbers = {table.name: number for number, table in enumerate(page.tables)}
    table = page.tables[numbers[cell.table]]
    while table.like and page.tables[numbers[table.like]].unit == table.unit:
        table = page.tables[numbers[table.like]]
    return f"tables.{numbers[table.name]}.unit" if table.unit else "unit"
