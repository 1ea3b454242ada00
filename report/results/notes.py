"""Notes of a table: what a reader must know of its numbers, each said once, numbered and marked where it applies.

A note on all numbers of a column stands at its head, one on all of a row at its title, any other at its numbers. Notes
are the one block of cautions of a number: the page, its panel and ``why`` show the same ones. What neither changes a
number nor forbids a comparison is none: it is told with the evidence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from parsers.io.message import Message, joined

from ..measure.diagnostics import Code, Diagnostic, say
from .comparability import Difference, Line, Rows, Unlike
from .made import Made
from .model import Note

# What is said against numbers by another figure of each; ``ratio`` is that figure / the number.
AGAINST: Mapping[str, str] = {Code.CONTRADICTED: "others_differ", Code.OVER_TIME: "over_time_differs"}
RANGE = "{low} to {high}"
TITLES = -1  # the row, or the column, of the titles

Place = tuple[int, int]  # of a table: its row and its column
# What is said, where, and the ids of the numbers that it is about, with what it says of just this one.
Noted = tuple[Message, set[Place], dict[str, Message | None]]

# Differences of which the range is told, and by what that is ordered.
RANGES: Mapping[Unlike, Callable[[str], object]] = {
    Unlike.SLOW_START: lambda share: float(share.rstrip("%")),
    Unlike.SLOW_END: lambda share: float(share.rstrip("%")),
    Unlike.FEW: int,
    Unlike.DATES: str,
}


def notes(rows: Rows, unlike: Sequence[Line]) -> list[Note]:
    """The notes of a table with these rows of results; ``unlike``: those of its rows and columns that are."""
    differing = [one for line in unlike for one in _of_comparison(rows, line)]
    titles_of_kinds = {place for place, _, one in differing if one.code == Unlike.KINDS}
    alike: dict[object, list[tuple[Place, Made, Diagnostic]]] = {}
    for row, cells in enumerate(rows):
        for column, made in enumerate(cells):
            are_kinds_told = not titles_of_kinds.isdisjoint({(row, TITLES), (TITLES, column)})
            for one in made.cautions:
                # Where kinds of records differ, that note says which are running means.
                if not (are_kinds_told and one.code == Code.RUNNING_MEANS):
                    alike.setdefault(one.code if one.code in AGAINST else one, []).append(((row, column), made, one))
    by_code: dict[Unlike, list[tuple[Place, list[Made], Difference]]] = {}
    for found in differing:
        by_code.setdefault(found[2].code, []).append(found)
    told = [*map(_of_cells, alike.values()), *map(_of_differences, by_code.values())]
    marked = sorted(((_marks(places, rows), said, ids) for said, places, ids in told), key=lambda one: min(one[0]))
    return [
        Note(number, said, [_spelt(place, rows) for place in places], ids)
        for number, (places, said, ids) in enumerate(marked, start=1)
    ]


def _of_cells(alike: Sequence[tuple[Place, Made, Diagnostic]]) -> Noted:
    """What is said of each of some numbers, or against them by figures of their own."""
    first, places = alike[0][2], {place for place, _, _ in alike}
    if first.code not in AGAINST:
        return first.message, places, {made.result.id: None for _, made, _ in alike}
    shares = [one.number("ratio") - 1 for _, _, one in alike]
    said = say(AGAINST[first.code], range=_range(f"{min(shares):+.1%}", f"{max(shares):+.1%}"))
    return said.message, places, {made.result.id: one.message for _, made, one in alike}


def _range(low: str, high: str) -> Message | str:
    return low if low == high else Message(RANGE, low=low, high=high)


# ---- what keeps numbers from being compared


def _of_comparison(rows: Rows, one: Line) -> Iterator[tuple[Place, list[Made], Difference]]:
    """Where each difference is marked, and the numbers that it is about: a slow record at the numbers that it is of,
    any other at the title."""
    title = (one.at, TITLES) if one.is_row else (TITLES, one.at)
    at = [(one.at, to) for to in range(len(rows[0]))] if one.is_row else [(row, one.at) for row in range(len(rows))]
    every = {(row, column): rows[row][column] for row, column in at}
    compared = {place: made for place, made in every.items() if made.printed and (made.is_throughput or made.parts)}
    for difference in one.differences:
        # The cells that differ may say so themselves, beside their numbers.
        if any(difference.code in made.denied for made in every.values()):
            continue
        if difference.code not in (Unlike.SLOW_START, Unlike.SLOW_END):
            yield title, list(compared.values()), difference
            continue
        slow = {title for titles in difference.each.values() for title in titles}
        for place, made in compared.items():
            if (made.result.column if one.is_row else made.result.row) in slow and made.is_throughput:
                yield place, [made], difference


def _of_differences(alike: Sequence[tuple[Place, list[Made], Difference]]) -> Noted:
    """What is said of all differences of one kind."""
    places, ids = {place for place, _, _ in alike}, {made.result.id: None for _, cells, _ in alike for made in cells}
    sides: dict[str, dict[str, None]] = {}
    for _, _, difference in alike:
        for said, titles in difference.each.items():
            sides.setdefault(said, {}).update(dict.fromkeys(titles))
    return _said_of(alike[0][2].code, sides).message, places, {**ids}


def _said_of(code: Unlike, sides: Mapping[str, Mapping[str, None]]) -> Diagnostic:
    if code == Unlike.RULES:
        return say("unlike_protocols")
    if code in RANGES:
        ordered = sorted(sides, key=RANGES[code])  # type: ignore[arg-type]
        return say(f"unlike_{code}", each=_range(ordered[0], ordered[-1]))
    named = {said: joined("{first}, {second}", map(Message, titles)) for said, titles in sides.items()}
    words = {said: Message(said) if code == Unlike.KINDS else said for said in sides}
    each = [say("on_sides", said=words[said], titles=titles).message for said, titles in named.items()]
    told = joined("{first}; {second}", each)
    return say(f"unlike_{code}", each=told) if code == Unlike.KINDS else say("unlike_fact", fact=str(code), each=told)


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
