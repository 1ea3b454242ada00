"""Footnotes of a table: what a reader must know of its numbers, numbered in reading order and marked where it applies.

A note on all numbers of a column stands at its head, one on all of a row at its title, any other in its cells. What
neither changes a number nor forbids a comparison is told with the evidence only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parsers.io.message import Message, joined
from parsers.runs.reading import CUT, FIRST_USED

from ..evidence.cell import Cell
from ..evidence.comparability import SHORT
from ..evidence.comparison import Comparison
from ..evidence.quotient import WITHHELD
from ..measuring.caveats import ARRIVED, NO_VALUE, NO_VALUE_IN_ONE

TOLD_WITH_THE_EVIDENCE = (ARRIVED, CUT, NO_VALUE, NO_VALUE_IN_ONE)
NOT_COMPARABLE = "Not directly comparable: {each} differ."

# A place of a table: its row and its column; -1 is that of the titles.
Place = tuple[int, int]
TITLES = -1


@dataclass(frozen=True)
class Footnotes:
    """The notes of a table in their order, and the numbers of those that each of its places is marked with."""

    notes: tuple[Message, ...]
    marks: Mapping[Place, tuple[int, ...]]


def footnotes(rows: Sequence[Sequence[Cell]], unlike: Sequence[Comparison]) -> Footnotes:
    """The notes of a table with these rows of cells; ``unlike``: its comparisons that are not like with like."""
    places: dict[Message, list[Place]] = {}
    for place, note in (*_of_cells(rows), *_of_comparisons(rows, unlike)):
        places.setdefault(note, []).append(place)
    marked = {note: _gathered(set(found), rows) for note, found in places.items()}
    notes = sorted(marked, key=lambda note: min(marked[note]))
    marks: dict[Place, tuple[int, ...]] = {}
    for number, note in enumerate(notes, start=1):
        for place in marked[note]:
            marks[place] = (*marks.get(place, ()), number)
    return Footnotes(tuple(notes), marks)


def _of_cells(rows: Sequence[Sequence[Cell]]) -> Iterator[tuple[Place, Message]]:
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            yield from (((row, column), note) for note in dict.fromkeys(_notes(cell)))


def _notes(cell: Cell) -> Iterator[Message]:
    if cell.printed is None:
        yield from (reason for reason in (cell.reason,) if reason and reason.key in WITHHELD)
        return
    yield from (found.of_its_log for found in cell.disagreements)
    yield from (remark for remark in cell.remarks if not _is_of_the_evidence(cell, remark))


def _is_of_the_evidence(cell: Cell, remark: Message) -> bool:
    """Whether a remark neither changes the number nor forbids a comparison.

    A file name that says otherwise does neither where the log and the label agree.
    """
    labels = {(Message(axis.replace("_", " ")), str(value)) for axis, value in cell.case.items()}
    is_as_labelled = remark.key == FIRST_USED and (remark.values["fact"], remark.values["value"]) in labels
    return is_as_labelled or remark.key in TOLD_WITH_THE_EVIDENCE


def _of_comparisons(rows: Sequence[Sequence[Cell]], unlike: Iterable[Comparison]) -> Iterator[tuple[Place, Message]]:
    titles = [cells[0].row for cells in rows]
    heads = [cell.column for cell in rows[0]]
    # What differs in the same rows or columns is one note; what differs in all rows stands at the head of their titles.
    kinds: dict[str, set[Place]] = {}
    for one in unlike:
        there = {(at, TITLES) for at, title in enumerate(titles) if one.is_row and title == one.title}
        there |= {(TITLES, at) for at, title in enumerate(heads) if not one.is_row and title == one.title}
        for difference in one.differences:
            kinds.setdefault(difference.key, set()).update(there)
    every = {(row, TITLES) for row, cells in enumerate(rows) if any(cell.printed for cell in cells)}
    alike: dict[frozenset[Place], list[Message]] = {}
    for key, places in kinds.items():
        gathered = {(TITLES, TITLES), *(places - every)} if len(every) > 1 and every <= places else places
        alike.setdefault(frozenset(gathered), []).append(Message(SHORT[key]))
    for found, names in alike.items():
        yield from ((place, Message(NOT_COMPARABLE, each=_listed(names))) for place in sorted(found))


def _listed(names: Sequence[Message]) -> Message:
    """Several names as a list in any language."""
    *before, last = dict.fromkeys(names)
    if not before:
        return last
    return Message("{first} and {second}", first=joined("{first}, {second}", before), second=last)


def _gathered(places: set[Place], rows: Sequence[Sequence[Cell]]) -> list[Place]:
    """The places of a note, with the head of a column or the title of a row in place of all its numbers."""
    shown = {(row, column) for row, cells in enumerate(rows) for column, cell in enumerate(cells) if cell.printed}
    lines = [{place for place in shown if place[1] == column} for column in range(len(rows[0]))]
    lines += [{place for place in shown if place[0] == row} for row in range(len(rows))]
    titles = [*((TITLES, column) for column in range(len(rows[0]))), *((row, TITLES) for row in range(len(rows)))]
    found: list[Place] = []
    for title, line in zip(titles, lines, strict=True):
        if len(line) > 1 and line <= places:
            places = places - line
            found.append(title)
    return sorted([*found, *places])
