"""Tables of HTML: their cells with words, links and lines, as they stand in pages of text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import product

from markdown_it.token import Token

from .text_tables import check_cells

HEAD, CELL = "th", "td"
MOST_COLUMNS = 100  # that a cell may span; a hostile page states millions
_RAISED = ("sup", "sub")
_BLANK = ("br", "p", "div", "li", "img")


@dataclass
class HtmlCell:
    """A cell: its words, its links (words and address), the line (from 0) where it begins, and what it spans."""

    line: int
    words: list[str] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    columns: int = 1
    rows: int = 1

    @property
    def text(self) -> str:
        """Its words with single blanks between them."""
        return " ".join("".join(self.words).split())


HtmlRow = list[HtmlCell]


def html_tables(html: str) -> Iterator[list[HtmlRow]]:
    """The tables of a text in HTML, each as its rows; those without two rows of two cells are none.

    A cell that spans several columns or rows stands in each of them; a row that is shorter is filled with empty cells.
    Raises TooManyCellsError.
    """
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    for rows in reader.tables:
        filled = _filled([row for row in rows if row])
        if len(filled) > 1 and len(filled[0]) > 1:
            yield filled


def ends_table(token: Token) -> bool:
    """Whether a block of a Markdown page is HTML in which a table ends."""
    return token.type == "html_block" and "</table" in token.content.lower()


def source_of(token: Token) -> str:
    """The text of a block of HTML in a Markdown page, or of what stands between two."""
    return token.content + "\n" if token.type in ("html_block", "inline", "code_block") else ""


def without_tags(html: str) -> str:
    """The words of a text in HTML."""
    return re.sub(r"<[^>]{0,1000}>", " ", html).strip()


class _TableReader(HTMLParser):
    """Collects the cells of tables; a row or a cell that is not closed ends where the next one begins."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[HtmlRow]] = []
        self.cell: HtmlCell | None = None
        self.is_inside = False
        self.is_told = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "table":
            self.tables.append([[]])
            self.is_inside, self.cell = True, None
        elif tag == "tr" and self.is_inside:
            self.tables[-1].append([])
            self.cell = None
        elif tag in (HEAD, CELL) and self.is_inside:
            self.cell = HtmlCell(self.getpos()[0] - 1, columns=_span(told, "colspan"), rows=_span(told, "rowspan"))
            self.tables[-1][-1].append(self.cell)
        elif self.cell and tag == "abbr":
            # An abbreviation behind what it stands for.
            self.is_told = bool(title := " ".join((told.get("title") or "").split())) and title in self.cell.text
        elif self.cell:
            self._mark(tag, told.get("href"))

    def _mark(self, tag: str, address: str | None) -> None:
        if self.cell and tag == "a" and address:
            self.cell.links.append((len(self.cell.words), address))
        elif self.cell and tag in _RAISED and self.cell.words:
            self.cell.words.append("^")
        elif self.cell and tag in _BLANK:
            self.cell.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.is_inside, self.cell = False, None
        elif tag in (HEAD, CELL, "tr"):
            self.cell = None
        if tag in ("abbr", HEAD, CELL, "tr", "table"):
            self.is_told = False

    def handle_data(self, data: str) -> None:
        if self.cell and not self.is_told:
            self.cell.words.append(data)


def _span(told: dict[str, str | None], name: str) -> int:
    text = told.get(name) or "1"
    return min(max(1, int(text)), MOST_COLUMNS) if text.isascii() and text.isdigit() and len(text) < 9 else 1


def _filled(rows: list[HtmlRow]) -> list[HtmlRow]:
    """The rows with every cell in each place that it spans, all of one length."""
    places: dict[tuple[int, int], HtmlCell] = {}
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while (number, column) in places:
                column += 1
            height = min(cell.rows, len(rows) - number)
            check_cells(1, len(places) + height * cell.columns)
            for down, across in product(range(height), range(cell.columns)):
                places.setdefault((number + down, column + across), cell)
            column += cell.columns
    width = max((column for _, column in places), default=-1) + 1
    check_cells(len(rows), width)
    return [[places.get((n, c)) or HtmlCell(row[0].line) for c in range(width)] for n, row in enumerate(rows)]
