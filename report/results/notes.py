"""Notes of a table: what a reader must know of its numbers, each said once, numbered and marked where it applies.

A note on all numbers of a column stands at its head, one on all of a row at its title, any other at its numbers. Notes
are the one block of cautions of a number: the page, its panel and ``why`` show the same ones. What neither changes a
number nor forbids a comparison is none: it is told with the evidence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from parsers.io.message import Message, joined

from ..evidence.cell import Cell
from ..evidence.comparability import ON_SIDES, Difference, Unlike, in_words
from ..evidence.comparison import UnlikeNumbers
from ..evidence.quotient import WITHHELD
from ..evidence.reason import Remark, as_told
from ..measure.diagnostics import Code, Diagnostic
from .model import Note

# What is said against numbers by another figure of each; ``ratio`` is that figure / the number.
AGAINST: Mapping[StrEnum, str] = {
    Code.CONTRADICTED: "Other records of the same log differ by {range}; see the evidence.",
    Code.OVER_TIME: "Work over time of the same records differs by {range}; see the evidence.",
}
TOLD_WITH_THE_EVIDENCE = (Code.ARRIVED, Code.NEEDS_PASSES, Remark.CUT_LOG, Remark.QUALITY_PASSED)
SAID = "The page says: {said}."
PROTOCOLS = "Protocols differ; see the evidence."
RANGE = "{low} to {high}"
RECORDS = "{range} records"
TITLES = -1  # the row, or the column, of the titles

# A place of a table: its row and its column.
Place = tuple[int, int]
Rows = Sequence[Sequence[Cell]]


def _share(said: str) -> float:
    return float(said.rstrip("%"))


# Differences of which the range is told, and by what that is ordered.
RANGES: Mapping[Unlike, Callable[[str], object]] = {
    Unlike.SLOW_START: _share,
    Unlike.SLOW_END: _share,
    Unlike.FEW: int,
    Unlike.DATES: str,
}


def notes(rows: Rows, unlike: Sequence[UnlikeNumbers]) -> list[Note]:
    """The notes of a table with these rows of cells; ``unlike``: its comparisons that are not like with like."""
    differing = [(place, cells, difference) for one in unlike for place, cells, difference in _of_comparison(rows, one)]
    found = [*_of_cells(rows, {place for place, _, one in differing if one.code == Unlike.KINDS})]
    told = [_one_note(alike) for alike in _alike(found)]
    by_code: dict[Unlike, list[tuple[Place, list[Cell], Difference]]] = {}
    for one in differing:
        by_code.setdefault(one[2].code, []).append(one)
    for several in by_code.values():
        ids: dict[str, Message | None] = {cell.slug: None for _, cells, _ in several for cell in cells}
        told.append((_one_difference([one for _, _, one in several]), {place for place, _, _ in several}, ids))
    marked = [(said, _marks(places, rows), ids) for said, places, ids in told]
    ordered = sorted(marked, key=lambda one: min(one[1]))
    return [
        Note(number, said, [_spelt(place, rows) for place in places], dict(ids))
        for number, (said, places, ids) in enumerate(ordered, start=1)
    ]


# ---- what is said of single numbers


def details(cell: Cell) -> list[Diagnostic]:
    """What the logs of a number say that no note tells."""
    noted = set(_noted(cell))
    every = [*(as_told(found.of_its_log) for found in cell.disagreements), *cell.remarks]
    return [said for said in dict.fromkeys(every) if said not in noted]


def _noted(cell: Cell) -> Iterator[Diagnostic]:
    if cell.printed is None:
        yield from (reason for reason in (cell.reason,) if reason and reason.code in WITHHELD)
        return
    # Names of files say fp16 for whatever is not fp32.
    yield from (as_told(found.of_its_log) for found in cell.certain_disagreements)
    yield from (remark for remark in cell.remarks if not _is_of_the_evidence(cell, remark))


def _is_of_the_evidence(cell: Cell, remark: Diagnostic) -> bool:
    """Whether a remark neither changes the number nor forbids a comparison.

    A file name that says otherwise does neither where the log and the label agree.
    """
    labels = {(Message(axis.replace("_", " ")), str(value)) for axis, value in cell.case.items()}
    said = remark.values.get("fact"), remark.values.get("value")
    return (remark.code == Remark.FACT_DENIED and said in labels) or remark.code in TOLD_WITH_THE_EVIDENCE


Noted = tuple[Place, Cell, Diagnostic]


def _of_cells(rows: Rows, kinds_told: set[Place]) -> Iterator[Noted]:
    """What is said of each number; where kinds of records differ, that note says which are running means."""
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            is_told = not kinds_told.isdisjoint({(row, TITLES), (TITLES, column)})
            for note in dict.fromkeys(_noted(cell)):
                if not (is_told and note.code == Code.RUNNING_MEANS):
                    yield (row, column), cell, note


def _alike(found: Sequence[Noted]) -> Iterable[list[Noted]]:
    """What is one note: what says the same, or is said against numbers by figures of their own."""
    alike: dict[object, list[Noted]] = {}
    for one in found:
        alike.setdefault(one[2].code if one[2].code in AGAINST else one[2], []).append(one)
    return alike.values()


def _one_note(alike: Sequence[Noted]) -> tuple[Message, set[Place], dict[str, Message | None]]:
    first, places = alike[0][2], {place for place, _, _ in alike}
    if first.code not in AGAINST:
        return first.message, places, {cell.slug: None for _, cell, _ in alike}
    shares = [float(str(said.values["ratio"])) - 1 for _, _, said in alike]
    gathered = Message(AGAINST[first.code], range=_range(f"{min(shares):+.1%}", f"{max(shares):+.1%}"))
    return gathered, places, {cell.slug: said.message for _, cell, said in alike}


def _range(low: str, high: str) -> Message | str:
    return low if low == high else Message(RANGE, low=low, high=high)


# ---- what keeps numbers from being compared


def _of_comparison(rows: Rows, one: UnlikeNumbers) -> Iterator[tuple[Place, list[Cell], Difference]]:
    """Where each difference is marked, and the numbers that it is about: a slow record at the numbers that it is of,
    any other at the title."""
    for line in _lines(rows, one):
        compared = {
            place: cell
            for place, cell in _cells(rows, line)
            if cell.printed is not None and (cell.shown.quantity.is_throughput or cell.quotient)
        }
        for difference in one.differences:
            # The cells that differ may say so themselves, beside their numbers.
            if any(
                said.fact == difference.code for _, cell in _cells(rows, line) for said in cell.certain_disagreements
            ):
                continue
            if difference.code not in (Unlike.SLOW_START, Unlike.SLOW_END):
                yield line, list(compared.values()), difference
                continue
            slow = {title for titles in difference.each.values() for title in titles}
            for place, cell in compared.items():
                if (cell.column if one.is_row else cell.row) in slow and cell.shown.quantity.is_throughput:
                    yield place, [cell], difference


def _lines(rows: Rows, one: UnlikeNumbers) -> Iterator[Place]:
    """The places of the titles that a comparison is of."""
    if one.is_row:
        yield from ((at, TITLES) for at, cells in enumerate(rows) if cells[0].row == one.title)
    else:
        yield from ((TITLES, at) for at, cell in enumerate(rows[0]) if cell.column == one.title)


def _cells(rows: Rows, line: Place) -> Iterator[tuple[Place, Cell]]:
    """The cells of a row or a column, by the place of its title, and where they are."""
    row, column = line
    for at, cells in enumerate(rows):
        yield from (((at, to), cell) for to, cell in enumerate(cells) if at == row or to == column)


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
        each = _range(ordered[0], ordered[-1])
        return Message(first.sentence, each=Message(RECORDS, range=each) if first.code == Unlike.FEW else each)
    listed = (Message(ON_SIDES, said=in_words(said), titles=_listed(titles)) for said, titles in sides.items())
    return Message(first.sentence, each=joined("{first}; {second}", listed))


def _listed(titles: Iterable[str]) -> Message:
    return joined("{first}, {second}", map(Message, titles))


# ---- where they stand


def _marks(places: set[Place], rows: Rows) -> list[Place]:
    """The places of a note, with the head of a column or the title of a row in place of all its numbers.

    In place of the titles of all rows that have a number stands the head of their titles.
    """
    shown = {(row, column) for row, cells in enumerate(rows) for column, cell in enumerate(cells) if cell.printed}
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
    return f"row:{row}" if column == TITLES else rows[row][column].slug
