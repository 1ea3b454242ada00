"""The words of a page in one language: what its page file says in it, and the titles of rows that are put together."""

from collections.abc import Iterator

from ..pagefile.page import Page, Table, TableRow
from .words import Translator


def page_words(page: Page, language: str) -> dict[str, str]:
    """The texts of a page that no catalogue has, by what they are in its page file; raises WordsError.

    A title of several parts, of which the page states each alone, such as the values of axes, has these in the language
    and the comma of the language between them.
    """
    own = dict(page.words.get(language, {}))
    translator = Translator(language, own)
    for table in page.tables:
        for row in table.rows:
            for title, translated in _titles(page, table, row, translator):
                if title != translated:
                    own.setdefault(title, translated)
    return own


def _titles(page: Page, table: Table, row: TableRow, translator: Translator) -> Iterator[tuple[str, str]]:
    """The titles of a row and of its group that name its case, and both together, with what they are in a language."""
    case = {**table.case, **row.case}
    labels: dict[str, str] = {axis: translator.translate(page.label(axis, value)) for axis, value in case.items()}
    parts = []
    for stated in filter(None, (row.group, row.title)):
        title = page.written(table, row, stated)
        # The templates of axes, which no catalogue has, are theirs with a comma or a point between them.
        each = [translator.translate(one).format_map(labels) for one in stated.split(", ")]
        parts.append(translator.specified(each) if "{" in stated else translator.translate(title))
        if "{" in stated:
            yield title, parts[-1]
    if len(parts) > 1:
        yield page.row_title(table, row), translator.specified(parts)
