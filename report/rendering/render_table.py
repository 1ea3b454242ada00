"""Rendering a table of results: its numbers with what is said of them, its groups of rows, and the notes below it."""

from collections.abc import Iterator, Sequence

from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..pagefile.page import CellPlace, Table, TableColumn, TableRow
from ..wording import markdown
from ..wording.words import worded
from .footnotes import TITLES, Footnotes, footnotes
from .page_text import MISSING, PageText

RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def table(page: PageText, shown: Table) -> str:
    """One table of results; every number leads to its evidence, every quoted figure to its source."""
    rows, marks = _rows(page, shown), _footnotes(page, shown).marks
    is_told = bool(caption(page, shown))
    titles = [
        page.translate(cell.column) if is_told else page.column_title(cell.column, cell.shown) for cell in rows[0]
    ]
    head = [_noted(page, markdown.text(page.translate(shown.corner)), marks.get((TITLES, TITLES), ()))]
    head += [_noted(page, markdown.text(title), marks.get((TITLES, at), ())) for at, title in enumerate(titles)]
    body: list[list[str]] = []
    group = ""
    for number, (row, cells) in enumerate(zip(shown.rows, rows, strict=True)):
        if (heading := _written(page, shown, row, row.group)) != group:
            group = heading
            taken = [_of_group(page, shown, row, column) for column in shown.columns]
            body.append([f"**{group}**" if group else "", *(taken if group else [""] * len(taken))])
        title = _noted(page, _written(page, shown, row, row.title), marks.get((number, TITLES), ()))
        body.append([title, *(_marked(page, cell, marks.get((number, at), ())) for at, cell in enumerate(cells))])
    return page.grid([head, *body], figures=True)


def caption(page: PageText, shown: Table) -> str:
    """What all numbers of a table are, where that is not the throughput of the page nor told by their titles."""
    kinds = {(cell.shown.quantity, cell.shown.unit) for cell in _rows(page, shown)[0]}
    quantity, unit = next(iter(kinds))
    if len(kinds) > 1 or len(shown.columns) == 1 or quantity.is_told_by_title:
        return ""
    return page.say(
        "{quantity} ({unit}).", quantity=page.translate(quantity.name).capitalize(), unit=markdown.text(unit)
    )


def notes(page: PageText, shown: Table) -> Iterator[str]:
    """The notes of a table as sentences, in their order."""
    return (worded(note, page.translate, markdown.text) for note in _footnotes(page, shown).notes)


def _rows(page: PageText, shown: Table) -> list[list[Cell]]:
    width, own = len(shown.columns), [cell for cell in page.cells if cell.table == shown.name]
    return [own[start : start + width] for start in range(0, len(own), width)]


def _footnotes(page: PageText, shown: Table) -> Footnotes:
    return footnotes(_rows(page, shown), [comparison for comparison in page.unlike if comparison.table == shown.name])


def _written(page: PageText, shown: Table, row: TableRow, title: str) -> str:
    return markdown.text(page.translate(written(page.page, shown, row, title)))


def _of_group(page: PageText, shown: Table, row: TableRow, column: TableColumn) -> str:
    """What a column takes the case of a group of rows for; empty where that is what the heading says."""
    of_page = page.page.columns[column.column]
    place = CellPlace(shown, row, column, of_page.aliases)
    taken = [(axis, str(value)) for axis, value in place.case.items() if value != place.labels[axis]]
    labels = [of_page.labels.get(axis, {}).get(value) or page.page.label(axis, value) for axis, value in taken]
    is_one_number = not (column.against and column.against.column)
    return f"*{markdown.text(', '.join(map(page.translate, labels)))}*" if labels and is_one_number else ""


def _marked(page: PageText, cell: Cell, numbers: Sequence[int]) -> str:
    """A number with what is said of it on a line below: nothing that could be read as a digit stands behind it."""
    number = MISSING if cell.digits is None else page.number(cell) + ("‡" if cell.rests_on_quotes else "")
    qualifiers = dict.fromkeys(worded(found.qualifier, page.translate) for found in cell.certain_disagreements)
    if qualifiers:
        said = markdown.text(", ".join(qualifiers))
        return f"{number}<br>{_noted(page, f'({said})', numbers)}"
    return f"{number}<br>{_note(page, numbers)}" if numbers else number


def _noted(page: PageText, title: str, numbers: Sequence[int]) -> str:
    """A title with the numbers of its notes, raised where no digit stands before them."""
    if not numbers:
        return title
    if title[-1:].isdigit():
        return f"{title} {_note(page, numbers)}"
    return title + ",".join(map(str, numbers)).translate(RAISED)


def _note(page: PageText, numbers: Sequence[int]) -> str:
    return page.say("(note {numbers})", numbers=", ".join(map(str, numbers)))
