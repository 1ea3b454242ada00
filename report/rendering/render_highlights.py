"""Rendering highlights: what a page finds, as sentences that are computed from its numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.io.message import Message

from ..charts.palette import look
from ..evidence.cell import Cell
from ..evidence.quotient import DIFFERS, OTHER_CASE, unlike
from ..measuring.number import printed, quotient
from ..measuring.protocol import Protocol
from ..pagefile.page import CellPlace, Highlight
from ..pagefile.parts import Case
from ..wording import markdown
from ..wording.words import worded
from .page_text import PageText

FASTEST = "{case}: {column} is fastest"
FASTEST_ONE = "{column} is fastest"
FIRST = "{case}: {column}"
IN_BRIEF = {
    OTHER_CASE: "not comparable: the log's configuration does not match its label",
    DIFFERS: "not comparable: {fact} {of} and {against}",
}
RATIO = Protocol(decimals=2)


@dataclass(frozen=True)
class PageFinding:
    """One highlight as Markdown: its sentences, or the ``case``, what is ``found`` there, and the ``details``.

    ``look``: the class of the colour of the framework that it is about; empty for all.
    """

    sentences: str
    case: str
    found: str
    details: str
    look: str = ""


def highlights(page: PageText) -> Iterator[PageFinding]:
    """The highlights of a page in its order; none of what has no numbers."""
    for highlight in page.page.highlights:
        found = _found(page, highlight)
        if any(cell.value for _, cell in found):
            yield _fastest(page, highlight.fastest, found) if highlight.fastest else _scaling(page, highlight, found)


def _found(page: PageText, highlight: Highlight) -> list[tuple[CellPlace, Cell]]:
    """The numbers that a highlight is about, once each: those of the first table that has any."""
    placed = zip(page.page.places(), page.cells, strict=True)
    found = [(place, cell) for place, cell in placed if highlight.is_of(place)]
    return [(place, cell) for place, cell in found if cell.table == found[0][1].table]


def _fastest(page: PageText, case: Case, found: Sequence[tuple[CellPlace, Cell]]) -> PageFinding:
    there = [cell for _, cell in found if cell.value]
    # A number whose log contradicts its label is not one of the case, and a quoted one is not proven.
    first = max(there, key=lambda cell: (not cell.certain_disagreements, not cell.rests_on_quotes, cell.value or 0))
    is_compared = any(cell is not first and unlike(cell, first, ()) is None for cell in there)
    is_fastest = is_compared and not first.certain_disagreements
    where, column = _worded(page, case), _column(page, first)
    head = page.say(FASTEST if is_fastest else FIRST, case=where, column=column)
    number, unit = page.qualified_number(first), markdown.text(first.shown.unit)
    each = [_compared(page, cell, first) for _, cell in found if cell is not first]
    others = [page.say("{said}.", said=page.joined(each))] if each else []
    told = page.sentences([page.say("**{head}**, {number} {unit}.", head=head, number=number, unit=unit), *others])
    details = page.sentences([page.say("{number} {unit}.", number=number, unit=unit), *others])
    short = page.say(FASTEST_ONE, column=column) if is_fastest else column
    place = next(place for place, cell in found if cell is first)
    return PageFinding(told, where, short, details, look(page.page.columns[place.column.column].title))


def _compared(page: PageText, cell: Cell, first: Cell) -> str:
    """Another number beside the first one: their ratio, or why there is none."""
    column = _column(page, cell)
    if not cell.value:
        return page.say("{column}: no log", column=column)
    number = page.qualified_number(cell)
    if reason := unlike(cell, first, ()):
        said = worded(Message(IN_BRIEF[reason.key], **reason.values), page.translate, markdown.text)
        return page.say("{column}: {number} ({said})", column=column, number=number, said=said)
    ratio = printed(quotient(cell.value, first.value or 1), RATIO)
    return page.say("{column}: {number} ({ratio}×)", column=column, number=number, ratio=ratio)


def _scaling(page: PageText, highlight: Highlight, found: Sequence[tuple[CellPlace, Cell]]) -> PageFinding:
    there = [(place, cell) for place, cell in found if cell.value]
    low, high = (choose(there, key=lambda one: one[1].value or 0) for choose in (min, max))
    ends = {"low": page.qualified_number(low[1]), "high": page.qualified_number(high[1])}
    places = {"lowest": _of(page, highlight, *low), "highest": _of(page, highlight, *high)}
    case = _worded(page, highlight.case)
    head = page.say("Scaling efficiency, {case}: {low} to {high}", case=case, **ends)
    told = page.say("**{head}**. Lowest: {lowest}; highest: {highest}.", head=head, **places)
    details = page.say("Lowest: {lowest}; highest: {highest}.", **places)
    return PageFinding(
        told, page.say("Scaling efficiency, {case}", case=case), page.say("{low} to {high}", **ends), details
    )


def _of(page: PageText, highlight: Highlight, place: CellPlace, cell: Cell) -> str:
    """The column of a number, with what of its case the highlight does not say."""
    case = {axis: value for axis, value in place.row.case.items() if axis not in highlight.case}
    return page.enumerated([_column(page, cell), *([_worded(page, case)] if case else [])])


def _column(page: PageText, cell: Cell) -> str:
    return markdown.text(page.translate(cell.column))


def _worded(page: PageText, case: Case) -> str:
    """A case as a title: the cards of a device, then its other axes."""
    labels = {axis: markdown.text(page.translate(page.page.label(axis, value))) for axis, value in case.items()}
    if {"cards", "device"} <= labels.keys():
        labels["cards"] = f"{labels['cards']} × {labels.pop('device')}"
    return page.enumerated(labels.values())
