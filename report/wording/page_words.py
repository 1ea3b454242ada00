"""The words of a page in one language: what its page file says in it, and the titles of rows that are put together."""

import re
from collections.abc import Iterator

from ..pagefile.page import Page, Table, TableRow
from .words import Translator

# What a table that states its rows by axes calls them.
_OF_AXES = re.compile(r"\{\w+\}(, \{\w+\})+")


def page_words(page: Page, language: str) -> dict[str, str]:
    """The texts of a page that no catalogue has, by what they are in its page file; raises WordsError.

    The title of a row with that of its group, or of several axes, has the comma of the language between its parts.
    """
    own = dict(page.words.get(language, {}))
    translator = Translator(language, own)
    for table in page.tables:
        for row in table.rows:
            for title, parts in _titles(page, table, row):
                own.setdefault(title, translator.specified(map(translator.translate, parts)))
    return own


def _titles(page: Page, table: Table, row: TableRow) -> Iterator[tuple[str, list[str]]]:
    """The titles of a row that have several parts, with these."""
    templates = row.title.split(", ") if _OF_AXES.fullmatch(row.title) else [row.title]
    parts = [page.written(table, row, template) for template in templates]
    if len(parts) > 1:
        yield page.written(table, row, row.title), parts
    if row.group and row.title:
        yield page.row_title(table, row), [page.written(table, row, row.group), *parts]
