"""A comparison as HTML: a page that needs nothing beside it, and the part of it that a notebook shows."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from parsers.io.message import Message

from ...wording.markdown import seen
from ...wording.words import Translate, Translator, worded
from ..sides import ComparedSides
from .comparison_links import Cell, change_rows, log_rows
from .comparison_rows import ARE_NUMBERS, CHANGES_HEAD, HEAD, LOGS_HEAD, cells, head_line, remarks, summary
from .comparison_text import LEFT_OUT

FOLDER = Path(__file__).parents[2] / "templates"


def html(found: ComparedSides, language: str, folder: Path) -> str:
    """The page in one language, with links from the folder that it is in; WordsError for one without catalogue."""
    return _filled("comparison.html.jinja", found, language, folder)


def fragment(found: ComparedSides, language: str = "en") -> str:
    """The table and its remarks, to stand in another page."""
    return _filled("comparison_table.html.jinja", found, language, Path())


def _filled(name: str, found: ComparedSides, language: str, folder: Path) -> str:
    translate = Translator(language).translate
    word = partial(shown, translate=translate)
    said = [(word(of.title), list(map(word, of.said))) for of in remarks(found, with_changes=False)]
    left_out = [word(Message(LEFT_OUT, said=one)) for side in found.left_out for one in side]
    rows = [("slower" if case.is_wrong else case.verdict, [word(cell) for cell in cells(case)]) for case in found.cases]
    return template(name).render(
        language=language,
        translate=translate,
        head=[translate(title) for title in HEAD],
        are_numbers=ARE_NUMBERS,
        about=word(head_line(found)),
        rows=rows,
        remarks=said,
        left_out=left_out,
        summary=word(summary(found.cases)),
        changes_head=[translate(title) for title in CHANGES_HEAD],
        changes=[[linked(cell, translate, folder) for cell in row] for row in change_rows(found)],
        logs_head=[translate(title) for title in LOGS_HEAD],
        logs=[[linked(cell, translate, folder) for cell in row] for row in log_rows(found)],
    )


def linked(cell: Cell, translate: Translate, folder: Path) -> str | list[tuple[str, str]]:
    """A cell, for a page in a folder, as text, or as texts with the addresses that they lead to."""
    if isinstance(cell, str | Message):
        return shown(cell, translate)
    return [(shown(link.said, translate), link.address(folder)) for link in cell]


def shown(said: str | Message, translate: Translate) -> str:
    """A text or message on one line of which every character is seen."""
    return seen(worded(said, translate) if isinstance(said, Message) else said)


@cache
def template(name: str) -> Template:
    """A template of this room; what is filled in is escaped."""
    loader = FileSystemLoader(FOLDER)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["seen"] = seen
    return made.get_template(name)
