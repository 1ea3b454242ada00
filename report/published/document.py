"""Documents: the tables, links and words of a Markdown page, each under the headings it stands under."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from markdown_it import MarkdownIt
from markdown_it.token import Token

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.input_file import opened

from .html_tables import HtmlCell, HtmlRow, ends_table, html_tables, source_of, without_tags
from .text_tables import TextRow, TooManyCellsError, sheet, text_tables

T = TypeVar("T")
LARGEST = 16 << 20  # bytes; a page that people read is smaller
TOO_LARGE_A_PAGE = "has {size} bytes; a page of at most {largest} can be read."
RAISED = "^"
RST = ".rst"
SHEETS = {".csv": ",", ".tsv": "\t"}
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_UNDERLINE = re.compile(r"([=~^*#\"'`:.+_-])\1{2,}")
_BETWEEN = re.compile(r"\t|  |\||^[=+-]{3}")
_ANCHOR = re.compile(r'<a id="([^"]{1,250})">')


class DocumentError(ParserError):
    """A page that cannot be read; one sentence says which and why."""


@dataclass(frozen=True)
class Link:
    """A link: the words that lead to an address, and the line (from 1) of the block in which it stands."""

    text: str
    address: str
    line: int


@dataclass(frozen=True)
class DocumentText:
    """Words without markup, the links in them, and the names of the anchors that stand in them."""

    plain: str
    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A heading with all above it, outermost first, and the blocks of text that stand under it so far."""

    headings: tuple[DocumentText, ...] = ()
    blocks: list[DocumentText] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class DocumentTable:
    """A table: ``head`` a cell a column, ``rows`` as many cells each; ``line`` (from 1) of its head.

    ``caption``: the block of text before it; ``since``: all of its section since the table before; ``above``: the
    blocks of the sections that its section is in.
    """

    number: int
    line: int
    headings: tuple[DocumentText, ...]
    head: tuple[DocumentText, ...]
    rows: tuple[tuple[DocumentText, ...], ...]
    lines: tuple[int, ...]
    since: tuple[DocumentText, ...]
    section: tuple[DocumentText, ...]
    above: tuple[DocumentText, ...]

    @property
    def caption(self) -> DocumentText:
        """The block of text that stands right before it."""
        return self.since[-1] if self.since else DocumentText("")


@dataclass(frozen=True, eq=False)
class Document:
    """A Markdown page: its tables in order, and its links and the texts with links, each with the headings above it."""

    path: Path
    tables: tuple[DocumentTable, ...]
    links: tuple[tuple[Link, tuple[DocumentText, ...]], ...]
    title: DocumentText
    linked_texts: tuple[tuple[DocumentText, tuple[DocumentText, ...]], ...] = ()
    _known: dict[object, Any] = field(default_factory=dict, repr=False)

    def once(self, find: Callable[["Document"], Iterable[T]]) -> Sequence[T]:
        """What a function of a module finds on the page, looked for once; it goes with the page to other processes."""
        if find not in self._known:
            self._known[find] = tuple(find(self))
        found: Sequence[T] = self._known[find]
        return found


def read_document(path: Path) -> Document:
    """Read a Markdown page (UTF-8; what is none is replaced); raises DocumentError when it cannot be read."""
    try:
        with opened(path) as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise DocumentError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    if len(raw) > LARGEST:
        raise DocumentError.at(path, TOO_LARGE_A_PAGE, size=path.stat().st_size, largest=LARGEST)
    return parse_document(raw.decode("utf-8", "replace"), path)


def parse_document(text: str, path: Path) -> Document:
    """The document of a Markdown text, which is that of the page ``path``; raises DocumentError."""
    reader = _Reader()
    try:
        reader.page(text, path)
    except TooManyCellsError as error:
        raise DocumentError.at(path, error.message) from error
    title = next((headings[0] for headings in reader.all_headings if headings), DocumentText(""))
    return Document(path, tuple(reader.tables), tuple(reader.links), title, tuple(reader.linked_texts))


class _Reader:
    """Goes through the blocks of a page in order."""

    def __init__(self) -> None:
        self.tables: list[DocumentTable] = []
        self.links: list[tuple[Link, tuple[DocumentText, ...]]] = []
        self.linked_texts: list[tuple[DocumentText, tuple[DocumentText, ...]]] = []
        self.all_headings: list[tuple[DocumentText, ...]] = []
        # The open sections, outermost first, each with the level of its heading; the page itself is one.
        self.open: list[tuple[int, Section]] = [(0, Section())]
        self.since: list[DocumentText] = []
        # Up to this token tables of HTML are known: a page may begin many that do not end.
        self.searched = 0

    def page(self, text: str, path: Path) -> None:
        """Read a page; the name of a sheet of values is its heading. Raises TooManyCellsError."""
        suffix = path.suffix.lower()
        if suffix in SHEETS:
            if rows := sheet(text, SHEETS[suffix]):
                self._heading(1, DocumentText(path.stem))
                self._rows_of_text(rows, 1)
        elif suffix == RST:
            self.plain(text)
        else:
            self.read(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text))

    def read(self, tokens: Sequence[Token]) -> None:
        place = 0
        while place < len(tokens):
            token = tokens[place]
            if token.type == "table_open":
                end = next(i for i in range(place, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[place:end])
                place = end
            elif token.type == "inline":
                self._block(tokens[place - 1], token)
            elif token.type in ("fence", "code_block") and "|" not in token.content:  # Markdown as text is none
                self._lines(token.content.splitlines(), (token.map or [0])[0] + (token.type == "fence") + 1)
            elif token.type == "html_block":
                place = self._html(tokens, place)
            place += 1

    def plain(self, text: str) -> None:
        """Read a page of reStructuredText: its headings, its words, and its tables that are drawn."""
        lines = text.splitlines()
        levels: list[str] = []
        begin = 0
        for number in range(1, len(lines)):
            mark, title = lines[number].strip(), lines[number - 1].strip()
            if _UNDERLINE.fullmatch(mark) and len(mark) >= len(title) > 1 and not _BETWEEN.search(title):
                self._paragraphs(lines[begin : number - 1], begin)
                levels += [mark[0]] if mark[0] not in levels else []
                self._heading(levels.index(mark[0]) + 1, DocumentText(title))
                begin = number + 1
        self._paragraphs(lines[begin:], begin)

    def _paragraphs(self, lines: Sequence[str], first: int) -> None:
        """Read lines of text that no heading parts; ``first``: the number (from 0) of the first of them."""
        begin = 0
        for number in [n for n, line in enumerate(lines) if not line.strip()] + [len(lines)]:
            block = lines[begin:number]
            if block and not self._lines(block, first + begin + 1):
                self._text(DocumentText(" ".join(block).strip()))
            begin = number + 1

    def _lines(self, lines: Sequence[str], first: int) -> bool:
        """Read the tables that are drawn in lines of text, the first of which is this one (from 1)."""
        found = list(text_tables(lines))
        for rows in found:
            self._rows_of_text(rows, first)
        return bool(found)

    def _rows_of_text(self, rows: Sequence[TextRow], first: int) -> None:
        texts = [tuple(DocumentText(cell.strip()) for cell in cells) for _, cells in rows]
        self._add_table(texts, tuple(line + first for line, _ in rows))

    def _html(self, tokens: Sequence[Token], place: int) -> int:
        """Read a block of HTML, with what stands in a table that it begins; returns the place of its last token."""
        tables, end = self._html_tables(tokens, place)
        for rows in tables:
            self._html_table(rows, (tokens[place].map or [0])[0] + 1)
        if tables:
            return end
        self._text(DocumentText(without_tags(tokens[place].content)))
        return place

    def _html_tables(self, tokens: Sequence[Token], place: int) -> tuple[list[list[HtmlRow]], int]:
        """The tables that a block of HTML begins, and its last token; none where it was read with a block before."""
        if place < self.searched or "<table" not in tokens[place].content.lower():
            return [], place
        ends = (number for number in range(place, len(tokens)) if ends_table(tokens[number]))
        end = next(ends, len(tokens) - 1)
        self.searched = end + 1
        return list(html_tables("".join(source_of(token) for token in tokens[place : end + 1]))), end

    def _html_table(self, rows: list[HtmlRow], first: int) -> None:
        texts = [tuple(_of_cell(cell, first) for cell in row) for row in rows]
        lines = tuple(row[0].line + first for row in rows)
        self._add_table(texts, lines)

    def _block(self, before: Token, token: Token) -> None:
        text = _text(token)
        if before.type == "heading_open":
            self._heading(int(before.tag[1:]), text)
        else:
            self._text(text)
            self.linked_texts += [(text, self.open[-1][1].headings)] if text.links else []
        self.links += [(link, self.open[-1][1].headings) for link in text.links]

    def _heading(self, level: int, text: DocumentText) -> None:
        self.open = [section for section in self.open if section[0] < level]
        headings = (*self.open[-1][1].headings, text)
        self.open.append((level, Section(headings)))
        self.all_headings.append(headings)
        self.since = []

    def _text(self, text: DocumentText) -> None:
        self.open[-1][1].blocks.append(text)
        self.since.append(text)

    def _table(self, tokens: Sequence[Token]) -> None:
        rows = list(_rows(tokens))
        first = (tokens[0].map or [0])[0]
        lines = (first + 1, *((row[0].map or [first])[0] + 1 for row in rows[1:]))
        self._add_table([tuple(map(_text, row)) for row in rows], lines)

    def _add_table(self, texts: list[tuple[DocumentText, ...]], lines: tuple[int, ...]) -> None:
        """Keep a table of these rows, the first of which is its head, and their lines (from 1)."""
        section = self.open[-1][1]
        above = tuple(block for _, outer in self.open[-2::-1] for block in outer.blocks)
        said = {"since": tuple(self.since), "section": tuple(section.blocks), "above": above}
        rows, number = tuple(texts[1:]), len(self.tables)
        self.tables.append(DocumentTable(number, lines[0], section.headings, texts[0], rows, lines[1:], **said))
        self.links += [(link, section.headings) for row in texts for text in row for link in text.links]
        self.since = []


def _of_cell(cell: HtmlCell, first: int) -> DocumentText:
    links = (Link("".join(cell.words[start:]).strip(), address, cell.line + first) for start, address in cell.links)
    return DocumentText(cell.text, tuple(links))


def _rows(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    cells: list[Token] = []
    for token in tokens:
        if token.type == "tr_close":
            yield cells
            cells = []
        elif token.type == "inline":
            cells.append(token)


def _text(token: Token) -> DocumentText:
    """The words of an inline token; tags, images and marks of emphasis are left out."""
    words: list[str] = []
    links: list[Link] = []
    address, start = "", 0
    line = (token.map or [0])[0] + 1
    for child in token.children or []:
        if child.type == "link_open":
            address, start = str(child.attrGet("href") or ""), len(words)
        elif child.type == "link_close":
            links.append(Link("".join(words[start:]), address, line))
        elif child.type in ("text", "code_inline"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak") or _BREAK.match(child.content):
            words.append(" ")
        elif child.content in ("<sup>", "<sub>") and words:
            words.append(RAISED)  # a mark behind a number, not more of its digits
    anchors = (found[1] for child in token.children or [] if (found := _ANCHOR.match(child.content)))
    return DocumentText("".join(words).strip(), tuple(links), tuple(anchors))
