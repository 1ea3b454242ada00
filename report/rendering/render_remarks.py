"""Rendering remarks: what a reader must know of numbers, and what keeps those of a table from being compared."""

from collections.abc import Iterator, Sequence
from functools import partial

from ..evidence.case_evidence import row_title, written
from ..evidence.cell import Cell
from ..evidence.comparability import Difference, Unlike
from ..evidence.comparison import UnlikeNumbers
from ..measure.number import printed
from ..measure.protocol import Protocol
from ..wording import markdown
from ..wording.words import worded
from .page_text import PageText


def remarks(page: PageText) -> list[str]:
    """What the logs say otherwise than the labels of the cells, and their warnings: a sentence, with its cells."""
    places: dict[str, dict[str, None]] = {}
    for cell in page.cells:
        for said in sentences(page, cell) if cell.printed else ():
            places.setdefault(said, {})[page.place(cell)] = None
    return [page.say("{cells}: {said}", cells=page.joined(cells), said=said) for said, cells in places.items()]


def sentences(page: PageText, cell: Cell) -> Iterator[str]:
    """What a reader of a number must know, in this language."""
    return (worded(message, page.translate, markdown.text) for message in cell.messages)


NO_RULE = "No common statistics apply to all logs in this row."
HEAD = ("Row", "Column", "On this page", "Ratio", "Identical statistics", "Ratio", "Protocol")
PRINTED = Protocol(significant=6)


def differences(page: PageText, corner: str, found: Sequence[UnlikeNumbers]) -> list[str]:
    """What keeps the numbers of each row or column of a table from being compared; equal remarks are put together.

    ``corner``: what the titles of the rows are, as the table says.
    """
    titles: dict[str, list[str]] = {}
    for comparison in found:
        titles.setdefault(_sentences(page, comparison), []).append(_title(page, corner, comparison))
    return [page.say("{cells}: {said}", cells=page.joined(rows), said=said) for said, rows in titles.items()]


def _title(page: PageText, corner: str, comparison: UnlikeNumbers) -> str:
    """What is compared: a column, or a row with what its title is, after the title of its group."""
    if not (comparison.is_row and corner):
        return _text(page, comparison.title)
    group, title = _row(page, comparison)
    named = page.say("{corner} {row}", corner=_text(page, corner), row=_text(page, title))
    return page.specified([_text(page, group), named]) if group else named


def _row(page: PageText, comparison: UnlikeNumbers) -> tuple[str, str]:
    """The titles of the group and of the row that a comparison is of."""
    table = next(table for table in page.page.tables if table.name == comparison.table)
    row = next(row for row in table.rows if row_title(page.page, table, row) == comparison.title)
    return written(page.page, table, row, row.group), written(page.page, table, row, row.title)


def _sentences(page: PageText, comparison: UnlikeNumbers) -> str:
    sentences = [_sentence(page, difference) for difference in comparison.differences]
    if comparison.is_of_rules and not comparison.common:
        sentences.append(page.say(NO_RULE))
    return page.sentences(sentences)


def _sentence(page: PageText, difference: Difference) -> str:
    shown = markdown.code if difference.code == Unlike.RULES else partial(_text, page)
    each = [
        page.say("{said} ({titles})", said=shown(said), titles=page.joined([_text(page, t) for t in titles]))
        for said, titles in difference.each.items()
    ]
    return page.say(difference.sentence, each=page.joined(each))


def _text(page: PageText, raw: str) -> str:
    return markdown.text(page.translate(raw))


def common(page: PageText, corner: str, found: Sequence[UnlikeNumbers]) -> str:
    """The numbers of the rows by one rule beside the published ones; empty where no row has any."""
    head = (corner or HEAD[0], *HEAD[1:])
    body = [line for comparison in found for line in _lines(page, comparison)]
    return page.grid([[_text(page, title) for title in head], *body]) if body else ""


def _lines(page: PageText, comparison: UnlikeNumbers) -> Iterator[list[str]]:
    row = _text(page, comparison.title)
    for one in comparison.common:
        column = _text(page, one.cell.column)
        by_one_rule = [
            printed(one.number, PRINTED),
            _ratio(one.ratio),
            markdown.code(one.protocol.words_of(len(one.cell.proofs))),
        ]
        yield [row, column, page.number(one.cell), _ratio(one.published_ratio), *by_one_rule]
        row = ""


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3f}"
