"""Notes of a table: what a reader must know of its numbers, each said once, numbered and marked where it applies.

A note on all numbers of a column stands at its head, one on all of a row at its title, any other at its numbers. Notes
are the one block of cautions of a number: the page, its panel and ``why`` show the same ones. What neither changes a
number nor forbids a comparison is none: it is told with the evidence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from parsers.io.message import Message, joined

from ..measure.diagnostics import Code, Diagnostic
from .comparability import DIFFERENCES, DIFFERING, ON_SIDES, Difference, Line, Rows, Unlike, in_words
from .made import Made
from .model import Note

# What is said against numbers by another figure of each; ``ratio`` is that figure / the number.
AGAINST: Mapping[StrEnum, str] = {
    Code.CONTRADICTED: "Other records of the same log differ by {range}; see the evidence.",
    Code.OVER_TIME: "Work over time of the same records differs by {range}; see the evidence.",
}
PROTOCOLS = "Protocols differ; see the evidence."
RANGE = "{low} to {high}"
RECORDS = "{range} records"
TITLES = -1  # the row, or the column, of the titles

# A place of a table: its row and its column.
Place = tuple[int, int]

# Differences of which the range is told, and by what that is ordered.
RANGES: Mapping[Unlike, Callable[[str], object]] = {
    Unlike.SLOW_START: lambda share: float(share.rstrip("%")),
    Unlike.SLOW_END: lambda share: float(share.rstrip("%")),
    Unlike.FEW: int,
    Unlike.DATES: str,
}


def notes(rows: Rows, unlike: Sequence[Line]) -> list[Note]:
    """The notes of a table with these rows of results; ``unlike``: those of its rows and columns that are."""
    differing = [(place, cells, difference) for one in unlike for place, cells, difference in _of_comparison(rows, one)]
    found = [*_of_cells(rows, {place for place, _, one in differing if one.code == Unlike.KINDS})]
    told = [_one_note(alike) for alike in _alike(found)]
    by_code: dict[Unlike, list[tuple[Place, list[Made], Difference]]] = {}
    for one in differing:
        by_code.setdefault(one[2].code, []).append(one)
    for several in by_code.values():
        ids: dict[str, Message | None] = {made.result.id: None for _, cells, _ in several for made in cells}
        told.append((_one_difference([one for _, _, one in several]), {place for place, _, _ in several}, ids))
    marked = [(said, _marks(places, rows), ids) for said, places, ids in told]
    ordered = sorted(marked, key=lambda one: min(one[1]))
    return [
        Note(number, said, [_spelt(place, rows) for place in places], dict(ids))
        for number, (said, places, ids) in enumerate(ordered, start=1)
    ]


# ---- what is said of single numbers


Noted = tuple[Place, Made, Diagnostic]


def _of_cells(rows: Rows, kinds_told: set[Place]) -> Iterator[Noted]:
    """What is said of each number; where kinds of records differ, that note says which are running means."""
    for row, cells in enumerate(rows):
        for column, made in enumerate(cells):
            is_told = not kinds_told.isdisjoint({(row, TITLES), (TITLES, column)})
            for note in made.cautions:
                if not (is_told and note.code == Code.RUNNING_MEANS):
                    yield (row, column), made, note


def _alike(found: Sequence[Noted]) -> Iterable[list[Noted]]:
    """What is one note: what says the same, or is said against numbers by figures of their own."""
    alike: dict[object, list[Noted]] = {}
    for one in found:
        alike.setdefault(one[2].code if one[2].code in AGAINST else one[2], []).append(one)
    return alike.values()


def _one_note(alike: Sequence[Noted]) -> tuple[Message, set[Place], dict[str, Message | None]]:
    first, places = alike[0][2], {place for place, _, _ in alike}
    if first.code not in AGAINST:
        return first.message, places, {made.result.id: None for _, made, _ in alike}
    shares = [said.number("ratio") - 1 for _, _, said in alike]
    gathered = Message(AGAINST[first.code], range=_range(f"{min(shares):+.1%}", f"{max(shares):+.1%}"))
    return gathered, places, {made.result.id: said.message for _, made, said in alike}


def _range(low: str, high: str) -> Message | str:
    return low if low == high else Message(RANGE, low=low, high=high)


# ---- what keeps numbers from being compared


def _of_comparison(rows: Rows, one: Line) -> Iterator[tuple[Place, list[Made], Difference]]:
    """Where each difference is marked, and the numbers that it is about: a slow record at the numbers that it is of,
    any other at the title."""
    line = (one.at, TITLES) if one.is_row else (TITLES, one.at)
    every = [
        ((at, to), made)
        for at, cells in enumerate(rows)
        for to, made in enumerate(cells)
        if one.at == (at if one.is_row else to)
    ]
    compared = {place: made for place, made in every if made.printed is not None and (made.is_throughput or made.parts)}
    for difference in one.differences:
        # The cells that differ may say so themselves, beside their numbers.
        if any(difference.code in made.denied for _, made in every):
            continue
        if difference.code not in (Unlike.SLOW_START, Unlike.SLOW_END):
            yield line, list(compared.values()), difference
            continue
        slow = {title for titles in difference.each.values() for title in titles}
        for place, made in compared.items():
            if (made.result.column if one.is_row else made.result.row) in slow and made.is_throughput:
                yield place, [made], difference


def _one_difference(differences: Sequence[Difference]) -> Message:
    first = differences[0]
    if first.code == Unlike.RULES:
        return Message(PROTOCOLS)
    sides: dict[str, dict[str, None]] = {}
    for difference in differences:
        for said, titles in difference.each.items():
            sides.setdefault(said, {}).update(dict.fromkeys(titles))
    if first.code in RANGES:
        ordered = sorted(sides, key=RANGES[first.code])  # type: ignore[arg-type]
        range_ = _range(ordered[0], ordered[-1])
        told = Message(RECORDS, range=range_) if first.code == Unlike.FEW else range_
        return Message(DIFFERENCES[first.code], each=told)
    listed = (
        Message(ON_SIDES, said=in_words(said), titles=joined("{first}, {second}", map(Message, titles)))
        for said, titles in sides.items()
    )
    each = joined("{first}; {second}", listed)
    if first.code not in DIFFERENCES:
        return Message(DIFFERING, fact=Message(first.code), each=each)
    return Message(DIFFERENCES[first.code], each=each)


# ---- where they stand


def _marks(places: set[Place], rows: Rows) -> list[Place]:
    """The places of a note, with the head of a column or the title of a row in place of all its numbers.

    In place of the titles of all rows that have a number stands the head of their titles.
    """
    shown = {(row, column) for row, cells in enumerate(rows) for column, made in enumerate(cells) if made.printed}
    of_rows = {(row, TITLES) for row, _ in shown}
    lines = {(TITLES, TITLES): of_rows}
    lines |= {(TITLES, to): {place for place in shown if place[1] == to} for to in range(len(rows[0]))}
    lines |= {title: {place for place in shown if place[0] == title[0]} for title in of_rows}
    found: list[Place] = []
    for title, line in lines.items():
        if len(line) > 1 and line <= places:
            places = places - line
            found.append(title)
    return sorted([*found, *places])


def _spelt(place: Place, rows: Rows) -> str:
    row, column = place
    if row == TITLES:
        return "corner" if column == TITLES else f"column:{column}"
    return f"row:{row}" if column == TITLES else rows[row][column].result.id
