"""Findings: who is first among the numbers of the cases that a page names, and how the others compare, as data."""

from collections.abc import Iterable, Iterator, Sequence

from ..measure.number import quotient
from ..pagefile.page import Page, each_case
from ..pagefile.parts import Case
from .made import Made
from .model import Compared, Finding
from .resolve import unlike_parts

FASTEST = "{column} is fastest"
HIGHEST = "{column} has the highest number"


def findings(page: Page, made: Sequence[Made]) -> Iterator[Finding]:
    """The findings of a page in its order; none of what has no numbers."""
    for cases in page.fastest:
        each = [(case, _found(made, case)) for case in each_case(cases)]
        if there := [(case, found) for case, found in each if any(one.result.value for one in found)]:
            yield from _fastest(there)


def _found(made: Sequence[Made], case: Case) -> list[Made]:
    """The throughputs of a case, once each: those of the first table that has any."""
    found = [one for one in made if one.place.is_throughput_of(case)]
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
    yield Finding(first.result.column, shared, ids, verdict, each, others)


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
