"""Findings: what the highlights of a page find in its numbers, as data: who is first, and how the others compare."""

from collections.abc import Iterable, Iterator, Sequence

from parsers.io.message import Message

from ..evidence.case_evidence import column_title
from ..evidence.cell import Cell
from ..evidence.quotient import unlike
from ..measure.number import quotient
from ..pagefile.page import CellPlace, Highlight, Page
from ..pagefile.parts import Axis, Case
from .model import Compared, Finding

FASTEST = "{column} is fastest"
HIGHEST = "{column} has the highest number"
Found = Sequence[tuple[CellPlace, Cell]]


def findings(page: Page, cells: Sequence[Cell]) -> Iterator[Finding]:
    """The findings of a page in its order; none of what has no numbers."""
    for highlight in page.highlights:
        cases = [(case, _found(page, cells, highlight, case)) for case in highlight.cases]
        there = [(case, found) for case, found in cases if any(cell.value for _, cell in found)]
        if there and highlight.fastest:
            yield from _fastest(there)
        elif there:
            yield _ends(page, highlight, *there[0])


def _found(page: Page, cells: Sequence[Cell], highlight: Highlight, case: Case) -> Found:
    """The numbers that a highlight is about in a case, once each: those of the first table that has any."""
    placed = zip(page.places(), cells, strict=True)
    found = [(place, cell) for place, cell in placed if highlight.is_of(place, case)]
    return [(place, cell) for place, cell in found if cell.table == found[0][1].table]


def _fastest(there: Sequence[tuple[Case, Found]]) -> Iterator[Finding]:
    """One finding for all cases where the same column is first in each, else one for each case."""
    firsts = [_first(found) for _, found in there]
    if len({(cell.column, verdict) for cell, verdict in firsts}) > 1:
        for alone in there:
            yield from _fastest([alone])
        return
    case = there[0][0]
    open_axes = {axis for other, _ in there for axis in other if other[axis] != case[axis]}
    shared = {str(axis): value for axis, value in case.items() if axis not in open_axes}
    each = [{str(axis): value for axis, value in other.items() if axis in open_axes} for other, _ in there]
    others = [
        [_compared(cell, first) for _, cell in found if cell is not first]
        for (first, _), (_, found) in zip(firsts, there, strict=True)
    ]
    first, verdict = firsts[0]
    ids = [cell.slug for cell, _ in firsts]
    yield Finding("fastest", first.column, shared, ids, verdict, each, others)


def _first(found: Found) -> tuple[Cell, str]:
    """The number that is told first, and what is said of its column beside those of the others, if anything."""
    there = [cell for _, cell in found if cell.value]
    # A number with a qualifier, such as another batch size, is not one of the case, and a quoted one is not proven.
    first = max(there, key=lambda cell: (not _is_doubted(cell), not cell.rests_on_quotes, cell.value or 0))
    others = [cell for cell in there if cell is not first]
    compared = [cell for cell in others if not (cell.cautions or is_contradicted(cell)) and not unlike(cell, first, ())]
    if compared and not _is_doubted(first) and _is_above(first, compared):
        return first, FASTEST
    return first, HIGHEST if others and _is_above(first, others) else ""


def is_contradicted(cell: Cell) -> bool:
    """Whether another source of a log says something else than a number that rests on it."""
    rests = cell.shown.quantity.rests_on_throughput
    return rests and any(proof.measurement.status == "contradicted" for proof in cell.proofs)


def _is_doubted(cell: Cell) -> bool:
    return bool(cell.qualifier) or is_contradicted(cell)


def _is_above(first: Cell, others: Iterable[Cell]) -> bool:
    return all((cell.value or 0) <= (first.value or 0) for cell in others)


def _compared(cell: Cell, first: Cell) -> Compared:
    """Another number beside the first one."""
    if not cell.value:
        return Compared(cell.column)
    if reason := unlike(cell, first, ()):
        return Compared(cell.column, cell.slug, reason=reason)
    is_doubted = cell.cautions or first.cautions
    return Compared(cell.column, cell.slug, None if is_doubted else quotient(cell.value, first.value or 1))


def _ends(page: Page, highlight: Highlight, case: Case, found: Found) -> Finding:
    """From the lowest to the highest of numbers; those that the page doubts only where there are no others."""
    there = [one for one in found if one[1].value]
    sure = [one for one in there if not one[1].cautions] or there
    low, high = (of(sure, key=lambda one: one[1].value or 0) for of in (min, max))
    is_alone = low[1] is high[1]
    places = [_place(page, case, *one, is_named=is_alone and bool(highlight.highest)) for one in (low, high)]
    against = low[0].column.against
    title = column_title(page, low[0].column) if against and against.column else low[0].table.title
    told = {str(axis): value for axis, value in case.items()}
    return Finding(highlight.kind, title, told, [low[1].slug, high[1].slug], places=places)  # type: ignore[arg-type]


def _place(page: Page, told: Case, place: CellPlace, cell: Cell, *, is_named: bool) -> list[Message]:
    """The column of a number, where there are several or it ``is_named``, and what of its row is not yet told."""
    group = place.row.group if "{" not in place.row.group else ""
    case = {
        axis: value for axis, value in place.row.case.items() if axis not in told and page.label(axis, value) != group
    }
    row = [Message(group)] if group else []
    row += [named(page, axis, value) for axis, value in _by_cards(case)]
    shown = {column.column for column in place.table.columns if column.quantity is place.column.quantity}
    is_known = len(shown) == 1 and row and not is_named
    return row if is_known else [Message(cell.column), *row]


def _by_cards(case: Case) -> list[tuple[str, object]]:
    """The axes of a case; a device is said with its cards."""
    pairs: dict[str, object] = {str(axis): value for axis, value in case.items()}
    if {"cards", "device"} <= pairs.keys():
        pairs["cards"] = (pairs["cards"], pairs.pop("device"))
    return list(pairs.items())


# What a number is of, where its page does not label it: one, and several.
UNITS = {
    "cards": ("{count} card", "{count} cards"),
    "nodes": ("{count} machine", "{count} machines"),
    "batch_size": ("BS={count}", "BS={count}"),
}
CARDS_AND_DEVICE: tuple[Axis, ...] = ("cards", "device")
CARDS_OF = "{cards} × {device}"


def named(page: Page, axis: str, value: object) -> Message:
    """A value of an axis as a title; the cards of a device as a pair of both."""
    if isinstance(value, tuple):
        cards, device = (page.label(of, one) for of, one in zip(CARDS_AND_DEVICE, value, strict=True))
        return Message(CARDS_OF, cards=cards, device=Message(device))
    if axis in UNITS and str(value) not in page.labels.get(axis, {}):  # type: ignore[call-overload]
        return Message(UNITS[axis][0 if value == 1 else 1], count=value)
    return Message(page.label(axis, value))  # type: ignore[arg-type]
