"""Rendering highlights: what a page finds, in sentences that are computed from its numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from parsers.io.message import Message

from ..evidence.cell import Cell
from ..evidence.quotient import unlike
from ..evidence.reason import Remark
from ..measure.number import printed, quotient
from ..measure.protocol import Protocol
from ..measure.quantity import PERCENT
from ..pagefile.page import CellPlace, Highlight
from ..pagefile.parts import Axis, Case, Value
from ..wording import markdown
from ..wording.words import worded
from .gathered_notes import gists
from .page_text import PageText

FASTEST = "{column} is fastest"
HIGHEST = "{column} has the highest number"
IN_BRIEF: Mapping[StrEnum, str] = {
    Remark.OTHER_CASE: "not comparable: the log's configuration does not match its label",
    Remark.DIFFERS: "not comparable: {fact} {of} and {against}",
}
RANGE = "{title}, {case}: {range}"
# What a number is of, where its page does not label it: one, and several.
UNITS: Mapping[Axis, tuple[str, str]] = {
    "cards": ("{count} card", "{count} cards"),
    "nodes": ("{count} machine", "{count} machines"),
    "batch_size": ("BS={count}", "BS={count}"),
}
RATIO = Protocol(decimals=2)
Found = Sequence[tuple[CellPlace, Cell]]


def highlights(page: PageText) -> Iterator[str]:
    """The highlights of a page as Markdown, in its order; none of what has no numbers."""
    for highlight in page.page.highlights:
        cases = [(case, _found(page, highlight, case)) for case in highlight.cases]
        there = [(case, found) for case, found in cases if any(cell.value for _, cell in found)]
        if there and highlight.fastest:
            yield from _fastest(page, there)
        elif there:
            ((case, found),) = there
            yield _highest(page, case, found) if highlight.highest else _range(page, case, found)


def _found(page: PageText, highlight: Highlight, case: Case) -> list[tuple[CellPlace, Cell]]:
    """The numbers that a highlight is about in a case, once each: those of the first table that has any."""
    placed = zip(page.page.places(), page.cells, strict=True)
    found = [(place, cell) for place, cell in placed if highlight.is_of(place, case)]
    return [(place, cell) for place, cell in found if cell.table == found[0][1].table]


def _fastest(page: PageText, found: Sequence[tuple[Case, Found]]) -> Iterator[str]:
    """One sentence for all cases where the same column is the fastest in each, else one for each case."""
    firsts = [_first(cells) for _, cells in found]
    if len({(cell.column, said) for cell, said in firsts}) > 1:
        for alone in found:
            yield from _fastest(page, [alone])
        return
    (first, said), (case, _) = firsts[0], found[0]
    open_axes = {axis for other, _ in found for axis in other if other[axis] != case[axis]}
    shared = {axis: value for axis, value in case.items() if axis not in open_axes}
    each = [{axis: value for axis, value in other.items() if axis in open_axes} for other, _ in found]
    named = [_worded(page, shared)] if shared else []
    if open_axes:
        named.append(_both(page, [_worded(page, one) for one in each]))
    where, column = page.specified(named), _column(page, first)
    numbers = _numbers(page, [cell for cell, _ in firsts])
    others = [
        _others(page, cell, cells, one if open_axes else {})
        for (cell, _), (_, cells), one in zip(firsts, found, each, strict=True)
        if len(cells) > 1
    ]
    head = page.say("{case}: {said}", case=where, said=page.say(said, column=column) if said else column)
    yield page.sentences([page.say("**{head}**, {said}.", head=head, said=numbers), *others])


def _others(page: PageText, first: Cell, found: Found, case: Case) -> str:
    """The other numbers beside the first of their case; ``case``: what is told of it before them."""
    said = page.joined(_compared(page, other, first) for _, other in found if other is not first)
    said = page.say("{case}: {said}", case=_begun(_worded(page, case)), said=said) if case else said
    return page.say("{said}.", said=said)


def _first(found: Found) -> tuple[Cell, str]:
    """The number that is told first, and what is said of its column beside those of the others, if anything."""
    there = [cell for _, cell in found if cell.value]
    # A number with a qualifier, such as another batch size, is not one of the case, and a quoted one is not proven.
    first = max(there, key=lambda cell: (not cell.qualifier, not cell.rests_on_quotes, cell.value or 0))
    others = [cell for cell in there if cell is not first]
    compared = [cell for cell in others if not cell.cautions and unlike(cell, first, ()) is None]
    if compared and not first.qualifier and _is_above(first, compared):
        return first, FASTEST
    return first, HIGHEST if others and _is_above(first, others) else ""


def _is_above(first: Cell, others: Iterable[Cell]) -> bool:
    return all((cell.value or 0) <= (first.value or 0) for cell in others)


def _both(page: PageText, texts: Sequence[str]) -> str:
    *before, last = texts
    if not before:
        return last
    return page.say("{before} and {last}", before=page.enumerated(before), last=last)


def _numbers(page: PageText, cells: Sequence[Cell]) -> str:
    """Numbers with their unit, each with its own where there are notes on one of them, whose gist stands behind it."""
    unit = markdown.text(cells[0].shown.unit)
    if not any(_gists(page, cell) for cell in cells):
        return page.say("{high} {unit}", high=_both(page, [page.qualified_number(cell) for cell in cells]), unit=unit)
    return _both(page, [_noted(page, cell, unit) for cell in cells])


def _noted(page: PageText, cell: Cell, unit: str) -> str:
    number, notes = page.say("{high} {unit}", high=page.qualified_number(cell), unit=unit), _gists(page, cell)
    return page.say("{number} ({said})", number=number, said=page.joined(notes)) if notes else number


def _gists(page: PageText, cell: Cell) -> list[str]:
    return [worded(gist, page.translate, markdown.text) for gist in gists(cell)]


def _compared(page: PageText, cell: Cell, first: Cell) -> str:
    """Another number beside the first one: their ratio, or why there is none."""
    column = _column(page, cell)
    if not cell.value:
        return page.say("{column}: no log", column=column)
    number = page.qualified_number(cell)
    if reason := unlike(cell, first, ()):
        said = worded(Message(IN_BRIEF[reason.code], **reason.values), page.translate, markdown.text)
        return page.say("{column}: {number} ({said})", column=column, number=number, said=said)
    if cell.cautions or first.cautions:
        return page.say("{column}: {number}", column=column, number=number)
    ratio = printed(quotient(cell.value, first.value or 1), RATIO)
    said = page.joined([f"{ratio}×", *_gists(page, cell)])
    return page.say("{column}: {number} ({said})", column=column, number=number, said=said)


def _ends(found: Found) -> tuple[tuple[CellPlace, Cell], tuple[CellPlace, Cell]]:
    """The lowest and the highest of numbers."""
    there = [one for one in found if one[1].value]
    sure = [one for one in there if not one[1].cautions] or there
    return min(sure, key=_value), max(sure, key=_value)


def _value(placed: tuple[CellPlace, Cell]) -> float:
    return placed[1].value or 0


def _highest(page: PageText, case: Case, found: Found) -> str:
    low, high = _ends(found)
    where, is_alone = _worded(page, case), low[1] is high[1]
    top = {"highest": _of(page, case, *high, is_named=is_alone), "high": page.qualified_number(high[1])}
    top["unit"] = markdown.text(high[1].shown.unit)
    if is_alone:
        return page.say("**{case}: {high} {unit}**, {highest}.", case=where, **top)
    least = {"lowest": _of(page, case, *low), "low": page.qualified_number(low[1])}
    return page.say(
        "**{case}: highest with {highest}**, {high} {unit}; lowest with {lowest}, {low}.", case=where, **top, **least
    )


def _range(page: PageText, case: Case, found: Found) -> str:
    (low_place, low), (high_place, high) = _ends(found)
    about = {"title": _title(page, low_place, low), "case": _worded(page, case)}
    sign = "%" if low.shown.quantity.whole == PERCENT else ""
    ends = {"low": page.qualified_number(low, sign), "high": page.qualified_number(high, sign)}
    if low.digits == high.digits:
        return f"**{page.say(RANGE, **about, range=ends['low'])}**"
    head = page.say(RANGE, **about, range=page.say("{low} to {high}", **ends))
    places = {"lowest": _of(page, case, low_place, low), "highest": _of(page, case, high_place, high)}
    return page.say("**{head}**. Lowest: {lowest}; highest: {highest}.", head=head, **places)


def _title(page: PageText, place: CellPlace, cell: Cell) -> str:
    """What the numbers of a range are: a column against another, or their table and, beside others, the quantity."""
    against = place.column.against
    if against and against.column:
        return _column(page, cell)
    table, quantity = markdown.text(page.translate(place.table.title)), place.column.quantity
    is_alone = all(column.quantity is quantity for column in place.table.columns)
    return table if is_alone else page.specified([table, page.say(quantity.name)])


def _of(page: PageText, told: Case, place: CellPlace, cell: Cell, *, is_named: bool = False) -> str:
    """The column of a number, where there are several or it ``is_named``, and what of its row is not yet told."""
    group = place.row.group if "{" not in place.row.group else ""
    case = {
        axis: value
        for axis, value in place.row.case.items()
        if axis not in told and page.page.label(axis, value) != group
    }
    row = [markdown.text(page.translate(group))] if group else []
    row += [_worded(page, case)] if case else []
    shown = {column.column for column in place.table.columns if column.quantity is place.column.quantity}
    is_known = len(shown) == 1 and row and not is_named
    return page.specified(row if is_known else [_column(page, cell), *row])


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _column(page: PageText, cell: Cell) -> str:
    return markdown.text(page.translate(cell.column))


def _worded(page: PageText, case: Case) -> str:
    """A case as a title: the cards of a device, then its other axes."""
    labels = {axis: _label(page, axis, value) for axis, value in case.items()}
    if {"cards", "device"} <= labels.keys():
        cards = markdown.text(page.page.label("cards", case["cards"]))
        labels["cards"] = f"{cards} × {labels.pop('device')}"
    return page.specified(labels.values())


def _label(page: PageText, axis: Axis, value: Value) -> str:
    if axis in UNITS and str(value) not in page.page.labels.get(axis, {}):
        return page.say(UNITS[axis][0 if value == 1 else 1], count=value)
    return markdown.text(page.translate(page.page.label(axis, value)))
