"""Rendering figures that come from no log of their own: the quoted ones, and those that are computed from others."""

from collections.abc import Sequence

from ..evidence.cell import Cell, Coverage, Quotient, coverage
from ..wording import markdown
from .page_text import PageText


def quoted(page: PageText, cells: Sequence[Cell]) -> str:
    """The quoted figures among cells, each with its source; empty where there are none."""
    head = [page.translate(title) for title in ("Number", "Row", "Column", "Source")]
    body = [[page.anchored(c), *page.titles(c), _source(page, c.quoted.source)] for c in cells if c.quoted]
    return page.grid([head, *body]) if body else ""


def _source(page: PageText, name: str) -> str:
    source = page.page.sources[name]
    return markdown.link(markdown.text(page.translate(source.title)), source.url)


def sources(page: PageText) -> str:
    """The sources of the quoted figures that the page shows; empty where it shows none."""
    used = {cell.quoted.source: page.page.sources[cell.quoted.source] for cell in page.cells if cell.quoted}
    head = [page.translate(title) for title in ("Source", "Date", "Commit", "Note")]
    body = [
        [_source(page, name), one.date, markdown.code(one.commit) if one.commit else "-", _on_one_line(page, one.note)]
        for name, one in used.items()
    ]
    return page.grid([head, *body]) if body else ""


def _on_one_line(page: PageText, words: str) -> str:
    """The words of a page in this language, as they can stand in a table."""
    return " ".join(page.translate(words).split())


def computed(page: PageText, cells: Sequence[Cell]) -> str:
    """How the numbers among cells that are computed from others come from them; empty where there are none."""
    head = [page.translate(title) for title in ("Number", "Row", "Column", "Computed as")]
    body = [
        [page.anchored(cell), *page.titles(cell), _quotient(page, cell.quotient)]
        for cell in cells
        if cell.quotient and cell.digits
    ]
    return page.grid([head, *body]) if body else ""


def _quotient(page: PageText, quotient: Quotient) -> str:
    parts = [page.number(quotient.of), page.number(quotient.against)]
    return " ÷ ".join(parts if quotient.ideal == 1 else [*parts, f"{quotient.ideal:g}"])


def covered(page: PageText) -> str:
    """How many of the planned cells of each table are measured, quoted and missing."""
    head = [page.translate(title) for title in ("Table", "Measured", "Quoted", "Missing", "Total")]
    tables = [(table.title, coverage(c for c in page.cells if c.table == table.name)) for table in page.page.tables]
    body = [_counts(markdown.text(page.translate(title)), found) for title, found in tables if found.planned]
    whole = [_counts(page.translate("All tables"), page.coverage)] if len(body) > 1 else []
    return page.grid([head, *body, *whole])


def _counts(title: str, found: Coverage) -> list[str]:
    return [title, *map(str, (found.measured, found.quoted, found.missing, found.planned))]
