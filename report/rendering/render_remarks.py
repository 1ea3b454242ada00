"""Rendering remarks: what a reader must know of numbers, in one language."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from ..evidence.cell import Cell, Disagreement
from ..wording import markdown
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
    yield from (disagreement(page, found) for found in cell.disagreements)
    yield from (page.say(remark.message, **_values(page, remark.values)) for remark in cell.remarks)


def _values(page: PageText, values: Mapping[str, str]) -> dict[str, str]:
    """The values of a remark: its fact and witnesses in this language, all others as they are."""
    who = partial(witness, page)
    speak: dict[str, Callable[[str], str]] = {"fact": page.translate, "witness": who, "denier": who}
    return {name: markdown.text(speak.get(name, str)(value)) for name, value in values.items()}


def disagreement(page: PageText, found: Disagreement) -> str:
    """What a log says otherwise than the label of a cell, in this language."""
    return page.say(
        "The label says {fact} {label}, but {witness} says {said}.",
        fact=page.translate(found.fact),
        label=markdown.text(found.label),
        witness=witness(page, found.witness),
        said=markdown.text(found.said),
    )


def witness(page: PageText, said: str) -> str:
    """Who says what is told of a run, in this language."""
    if said.endswith(", as one node"):
        return page.say("{witness}, as one node", witness=witness(page, said.removesuffix(", as one node")))
    for both in ("{first} over cards of {second}", "{first} and {second}"):
        first, found, second = said.partition(both.removeprefix("{first}").removesuffix("{second}"))
        if found:
            return page.say(both, first=witness(page, first), second=witness(page, second))
    number = said.removeprefix("line ")
    return page.say("line {number}", number=number) if number.isdigit() else page.translate(said)
