"""Footnotes of a table: what a reader must know of its numbers, numbered in reading order and marked where it applies.

A note on all numbers of a column stands at its head, one on all of a row at its title, any other in its cells. What
neither changes a number nor forbids a comparison is told with the evidence only.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from parsers.io.message import Message

from ..evidence.cell import Cell
from ..evidence.comparability import Difference, Unlike
from ..evidence.comparison import UnlikeNumbers
from ..evidence.quotient import WITHHELD
from ..evidence.reason import Remark, as_told
from ..measure.diagnostics import Code, Diagnostic
from .gathered_notes import Place, of_diagnostics, of_differences

TOLD_WITH_THE_EVIDENCE = (Code.ARRIVED, Code.NEEDS_PASSES, Remark.CUT_LOG, Remark.QUALITY_PASSED)
TITLES = -1  # the row, or the column, of the titles
Rows = Sequence[Sequence[Cell]]
Differing = list[tuple[Place, Difference]]


@dataclass(frozen=True)
class Footnotes:
    """The notes of a table in their order, and the numbers of those that each of its places is marked with."""

    notes: tuple[Message, ...]
    marks: Mapping[Place, tuple[int, ...]]


def footnotes(rows: Rows, unlike: Sequence[UnlikeNumbers]) -> Footnotes:
    """The notes of a table with these rows of cells; ``unlike``: its comparisons that are not like with like."""
    differing = list(_of_comparisons(rows, unlike))
    found = [*of_diagnostics(_of_cells(rows, differing)), *of_differences(differing)]
    marked = {note: _gathered(places, rows) for note, places in found}
    notes = sorted(marked, key=lambda note: min(marked[note]))
    marks: dict[Place, tuple[int, ...]] = {}
    for number, note in enumerate(notes, start=1):
        for place in marked[note]:
            marks[place] = (*marks.get(place, ()), number)
    return Footnotes(tuple(notes), marks)


def _of_cells(rows: Rows, differing: Differing) -> Iterator[tuple[Place, Diagnostic]]:
    # Where kinds of records differ, that note says which are running means.
    told = {place for place, difference in differing if difference.code == Unlike.KINDS}
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            is_told = not told.isdisjoint({(row, TITLES), (TITLES, column)})
            for note in dict.fromkeys(_notes(cell)):
                if not (is_told and note.code == Code.RUNNING_MEANS):
                    yield (row, column), note


def _notes(cell: Cell) -> Iterator[Diagnostic]:
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


def _of_comparisons(rows: Rows, unlike: Sequence[UnlikeNumbers]) -> Iterator[tuple[Place, Difference]]:
    for one in unlike:
        for line in _lines(rows, one):
            for difference in one.differences:
                if not _is_told_by_its_cells(rows, line, difference):
                    yield from ((place, difference) for place in _places(rows, one, line, difference))


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


def _is_told_by_its_cells(rows: Rows, line: Place, difference: Difference) -> bool:
    """Whether the cells that differ say so themselves, beside their numbers."""
    return any(found.fact == difference.code for _, cell in _cells(rows, line) for found in cell.certain_disagreements)


def _places(rows: Rows, one: UnlikeNumbers, line: Place, difference: Difference) -> Iterator[Place]:
    """Where a difference is marked: a slow record at the numbers that it is of, any other at the title."""
    if difference.code not in (Unlike.SLOW_START, Unlike.SLOW_END):
        yield line
        return
    slow = {title for titles in difference.each.values() for title in titles}
    for place, cell in _cells(rows, line):
        if (cell.column if one.is_row else cell.row) in slow and cell.shown.quantity.is_throughput:
            yield place


def _gathered(places: Set[Place], rows: Rows) -> list[Place]:
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
