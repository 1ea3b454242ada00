"""Findings: what the highlights of a page find in its numbers, as data: who is first, and how the others compare."""

from collections.abc import Iterable, Iterator, Sequence

from parsers.io.message import Message

from ..measure.number import quotient
from ..pagefile.page import Highlight, Page
from ..pagefile.parts import Axis, Case
from .made import Made
from .model import Compared, Finding
from .resolve import unlike_parts

FASTEST = "{column} is fastest"
HIGHEST = "{column} has the highest number"


def findings(page: Page, made: Sequence[Made]) -> Iterator[Finding]:
    """The findings of a page in its order; none of what has no numbers."""
    for highlight in page.highlights:
        cases = [(case, _found(made, highlight, case)) for case in highlight.cases]
        there = [(case, found) for case, found in cases if any(one.result.value for one in found)]
        if there and highlight.fastest:
            yield from _fastest(there)
        elif there:
            yield _ends(page, highlight, *there[0])


def _found(made: Sequence[Made], highlight: Highlight, case: Case) -> list[Made]:
    """The numbers that a highlight is about in a case, once each: those of the first table that has any."""
    found = [one for one in made if highlight.is_of(one.place, case)]
    return [one for one in found if one.place.table is found[0].place.table]


def _fastest(there: Sequence[tuple[Case, Sequence[Made]]]) -> Iterator[Finding]:
    """One finding for all cases where the same column is first in each, else one for each case."""
    firsts = [_first(found) for _, found in there]
    if len({(one.result.column, verdict) for one, verdict in firsts}) > 1:
        for alone in there:
            yield from _fastest([alone])
        return
    case = there[0][0]
    open_axes = {axis for other, _ in there for axis in other if other[axis] != case[axis]}
    shared = {str(axis): value for axis, value in case.items() if axis not in open_axes}
    each = [{str(axis): value for axis, value in other.items() if axis in open_axes} for other, _ in there]
    others = [
        [_compared(one, first) for one in found if one is not first]
        for (first, _), (_, found) in zip(firsts, there, strict=True)
    ]
    first, verdict = firsts[0]
    ids = [one.result.id for one, _ in firsts]
    yield Finding("fastest", first.result.column, shared, ids, verdict, each, others)


def _first(found: Sequence[Made]) -> tuple[Made, str]:
    """The number that is told first, and what is said of its column beside those of the others, if anything."""
    there = [one for one in found if one.result.value]
    # A number with a qualifier, such as another batch size, is not one of the case, and a quoted one is not proven.
    first = max(there, key=lambda one: (not _is_doubted(one), not one.result.rests_on_quotes, one.result.value or 0))
    others = [one for one in there if one is not first]
    compared = [one for one in others if not (one.said or one.is_contradicted) and not unlike_parts(one, first)]
    if compared and not _is_doubted(first) and _is_above(first, compared):
        return first, FASTEST
    return first, HIGHEST if others and _is_above(first, others) else ""


def _is_doubted(one: Made) -> bool:
    return bool(one.denied or one.said) or one.is_contradicted


def _is_above(first: Made, others: Iterable[Made]) -> bool:
    return all((one.result.value or 0) <= (first.result.value or 0) for one in others)


def _compared(one: Made, first: Made) -> Compared:
    """Another number beside the first one."""
    if not one.result.value:
        return Compared(one.result.column)
    if reason := unlike_parts(one, first):
        return Compared(one.result.column, one.result.id, reason=reason)
    ratio = None if one.said or first.said else quotient(one.result.value, first.result.value or 1)
    return Compared(one.result.column, one.result.id, ratio)


def _ends(page: Page, highlight: Highlight, case: Case, found: Sequence[Made]) -> Finding:
    """From the lowest to the highest of numbers; those that the page doubts only where there are no others."""
    there = [one for one in found if one.result.value]
    sure = [one for one in there if not one.said] or there
    low, high = (of(sure, key=lambda one: one.result.value or 0) for of in (min, max))
    is_named = low is high and bool(highlight.highest)
    places = [_place(page, case, one, is_named=is_named) for one in (low, high)]
    against = low.place.column.against
    title = page.column_title(low.place.column) if against and against.column else low.place.table.title
    told = {str(axis): value for axis, value in case.items()}
    ids = [low.result.id, high.result.id]
    return Finding(highlight.kind, title, told, ids, places=places)  # type: ignore[arg-type]


def _place(page: Page, told: Case, one: Made, *, is_named: bool) -> list[Message]:
    """The column of a number, where there are several or it ``is_named``, and what of its row is not yet told."""
    place = one.place
    group = place.row.group if "{" not in place.row.group else ""
    case = {
        axis: value for axis, value in place.row.case.items() if axis not in told and page.label(axis, value) != group
    }
    row = [Message(group)] if group else []
    row += [named(page, axis, value) for axis, value in _by_cards(case)]
    shown = {column.column for column in place.table.columns if column.quantity is place.column.quantity}
    is_known = len(shown) == 1 and row and not is_named
    return row if is_known else [Message(one.result.column), *row]


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
