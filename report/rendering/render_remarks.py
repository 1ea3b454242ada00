"""Rendering remarks: what a reader must know of numbers, in one language."""

from collections.abc import Iterator

from ..evidence.cell import Cell
from ..wording import markdown
from ..wording.told import worded
from .page_text import PageText


def remarks(page: PageText) -> list[str]:
    """What the logs say otherwise than the labels of the cells, and their warnings: a sentence, with its cells."""
    places: dict[str, dict[str, None]] = {}
    for cell in page.cells:
        for said in sentences(page, cell) if cell.printed else ():
            places.setdefault(said, {})[page.place(cell)] = None
    joiner = page.translate("joiner")
    return [page.say("{cells}: {said}", cells=joiner.join(cells), said=said) for said, cells in places.items()]


def sentences(page: PageText, cell: Cell) -> Iterator[str]:
    """What a reader of a number must know, in this language."""
    yield from (worded(message, page.translate, markdown.text) for message in cell.messages)
