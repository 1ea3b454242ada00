"""Documents: Markdown, HTML, JSON and CSV as tables, lists of numbers, keys with values, and lines of text.

JSON and CSV files may also be evidence, and are read for it by the same functions.

Every part of a text knows its line and column. All readers cost time in proportion to the size of what they read,
whatever stands in it.
"""

import codecs
import csv
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from operator import itemgetter
from pathlib import Path

from markdown_it import MarkdownIt

from parsers.io.files import data_of

from .constants import BINARY, CAPTION_LINES, HEAD, LIST_NAME, LONGEST_LABEL, MOST_NESTED, MOST_SPANNED
from .number import NUMBER


@dataclass
class Text:
    """What is read of a place, and where each part of it begins: ``(offset, line, column)``, both from 1."""

    shown: str
    parts: Sequence[tuple[int, int, int]]

    @classmethod
    def at(cls, shown: str, line: int, column: int) -> "Text":
        """A text that stands in one piece."""
        return cls(shown, [(0, line, column)])

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset."""
        start, line, column = self.parts[bisect_right(self.parts, offset, key=itemgetter(0)) - 1]
        return line, column + offset - start


@dataclass
class Cell:
    """A cell in column ``col``; ``is_repeated``: it spans rows, and stands in one above."""

    col: int
    text: Text
    links: tuple[str, ...] = ()
    is_repeated: bool = False


@dataclass
class Table:
    """Rows of cells, the first of which is the header. ``heading``: captions, the nearest first, and the heading."""

    rows: list[list[Cell]]
    heading: str = ""


@dataclass
class NumberList:
    """A list literal, ``losses = [3.28, 3.27]``; those of one ``block`` and length are columns of one table."""

    name: str
    block: tuple[str, int]
    heading: str
    items: list[Text]


@dataclass
class KeyValue:
    """A number of a JSON file. ``path``: its keys, the outermost first; ``group``: the number of its object, from 1.

    ``outer``: that of the object whose value this object is, 0 where it is none.
    """

    path: tuple[str, ...]
    group: int
    outer: int
    text: Text


@dataclass
class Line:
    """A line that is in no table."""

    text: Text
    heading: str
    in_code: bool = False
    is_heading: bool = False


Piece = Table | NumberList | KeyValue | Line


def pieces_of(name: str, text: str) -> Iterator[Piece]:
    """The pieces of a document, by the ending of its name: JSON, CSV or TSV; all else is read as Markdown."""
    ending = name.rpartition(".")[2].lower()
    if ending == "json":
        return json_values(text)
    if ending in ("csv", "tsv"):
        return iter([Table(list(csv_rows(text)))])
    if ending in ("html", "htm"):
        text = _UNREAD_TAGS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return _Markdown(text).pieces()


# --- texts -----------------------------------------------------------------------------------------------------------
_CONTROLS = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b"))
_WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le", 1), (codecs.BOM_UTF16_BE, "utf-16-be", 0))


def text_of(path: Path) -> str:
    """The text of a document, its line ends as newlines; nothing of what is no text. Raises OSError."""
    return (decoded(data_of(path)) or "").replace("\r\n", "\n").replace("\r", "\n")


def decoded(data: bytes) -> str | None:
    """The text of a file, whatever its encoding; None of one of which too much are control characters.

    Holes of NUL, which a log that was cut while it was written to begins with, are no text, but do not make it none.
    """
    head = data[:HEAD]
    for mark, codec, place in _WIDE:
        if head.startswith(mark) or head[place::2].count(0) * 8 > len(head) * 3 > head[1 - place :: 2].count(0) * 8:
            return data.decode(codec, "replace").lstrip("\ufeff").replace("\0", " ")
    begun = data.lstrip(b"\0")[:HEAD].replace(b"\0", b"")
    if len(begun) - len(begun.translate(None, _CONTROLS)) > BINARY * len(begun):
        return None
    return re.sub(rb"\0+", b" ", data).decode("utf-8-sig", "replace")


class _Places:
    """The lines and columns of the offsets of a text."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The number of a line, from 0."""
        return bisect_right(self.starts, offset) - 1

    def text(self, shown: str, offset: int) -> Text:
        line = self.line(offset)
        return Text.at(shown, line + 1, offset - self.starts[line] + 1)


# --- JSON ------------------------------------------------------------------------------------------------------------
_TOKEN = re.compile(r'"((?:[^"\\]|\\.?)*+)(?:"|\Z)|(-?\d[\d.eE+-]{0,60}+)|[\[\]{}:]', re.DOTALL)


@dataclass
class _Open:
    """An object or a list that is not closed yet: its object, the one around that, and the last key that was read."""

    group: int
    outer: int
    is_list: bool
    key: str = ""


def json_values(text: str) -> Iterator[KeyValue]:
    """The numbers of a JSON file, each with its keys. Tokens are enough for that: no depth and no flaw stops them."""
    places = _Places(text)
    around = [_Open(0, 0, is_list=False)]
    objects, said = 0, ""
    for token in _TOKEN.finditer(text):
        word, number = token[1], token[2]
        if word is not None:
            said = word[:LONGEST_LABEL]
        elif number is not None:
            if NUMBER.fullmatch(number):
                path = tuple(one.key for one in around[:MOST_NESTED] if one.key)
                yield KeyValue(path, around[-1].group, around[-1].outer, places.text(number, token.start()))
        elif token[0] == ":":
            around[-1].key = said
        elif token[0] == "{":
            objects += 1
            around.append(_Open(objects, 0 if around[-1].is_list else around[-1].group, is_list=False))
        elif token[0] == "[":
            around.append(_Open(around[-1].group, around[-1].outer, is_list=True))
        elif len(around) > 1:
            around.pop()


# --- CSV -------------------------------------------------------------------------------------------------------------
def csv_rows(text: str) -> Iterator[list[Cell]]:
    """The rows of a CSV file, a line each; the header says by which mark cells are separated."""
    lines = text.split("\n")
    mark = max(",;\t", key=lines[0].count)
    return (_csv_cells(line, number, mark) for number, line in enumerate(lines, 1) if line.strip())


def _csv_cells(line: str, number: int, mark: str) -> list[Cell]:
    try:
        values = next(csv.reader([line], delimiter=mark)) if '"' in line else line.split(mark)
    except csv.Error:  # a cell that is too long
        values = line.split(mark)
    cells, at = [], 0
    for col, value in enumerate(values):
        at += line.startswith('"', at)
        cells.append(Cell(col, Text.at(value, number, at + 1)))
        end = line.find(mark, at + len(value))
        at = end + 1 if end >= 0 else len(line)
    return cells


# --- HTML ------------------------------------------------------------------------------------------------------------
_UNREAD_TAGS = re.compile(r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass
class _OpenTable:
    """A table that is not closed yet. ``hanging``: by column, the last row that a cell above reaches, and that cell.

    ``strings``, ``parts``, ``links``: of the cell that is open, if ``is_open``, which spans columns and rows.
    """

    rows: list[list[Cell]] = field(default_factory=list)
    hanging: dict[int, tuple[int, Cell]] = field(default_factory=dict)
    is_open: bool = False
    strings: list[str] = field(default_factory=list)
    parts: list[tuple[int, int, int]] = field(default_factory=list)
    length: int = 0
    links: list[str] = field(default_factory=list)
    spans: tuple[int, int] = (1, 1)
    col: int = 0

    def begin_row(self) -> None:
        self.end_cell()
        self.rows.append([])
        self.col = 0

    def begin_cell(self, across: int, down: int) -> None:
        """Begin behind cells of rows above that reach down to here, which are labels of this row, too."""
        self.end_cell()
        if not self.rows:
            self.begin_row()
        while (above := self.hanging.get(self.col)) and above[0] >= len(self.rows):
            self.rows[-1].append(Cell(self.col, above[1].text, above[1].links, is_repeated=True))
            self.col += 1
        self.is_open, self.spans = True, (across, down)
        self.strings, self.parts, self.length, self.links = [], [], 0, []

    def write(self, data: str, line: int, column: int) -> None:
        self.parts.append((self.length, line, column))
        self.strings.append(data)
        self.length += len(data)

    def end_cell(self) -> None:
        if self.is_open:
            text = Text("".join(self.strings), self.parts or [(0, 1, 1)])
            cell, (across, down) = Cell(self.col, text, tuple(self.links)), self.spans
            self.rows[-1].append(cell)
            if down > 1:
                self.hanging |= dict.fromkeys(range(self.col, self.col + across), (len(self.rows) + down - 1, cell))
            self.col += across
            self.is_open = False


class _HtmlTables(HTMLParser):
    """The tables of an HTML text that begins at a line and a column (from 1) of its document.

    What a tag without end leaves unread stays so.
    """

    def __init__(self, text: str, line: int, column: int) -> None:
        super().__init__(convert_charrefs=False)
        self.lineno, self.offset = line, column - 1
        self.found: list[Table] = []
        self.tables: list[_OpenTable] = []
        with suppress(AssertionError):  # a declaration that the parser of the library gives up at
            self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell; other tags part words."""
        known = dict(attrs)
        if tag == "table":
            self.tables.append(_OpenTable())
        elif self.tables and tag == "tr":
            self.tables[-1].begin_row()
        elif self.tables and tag in ("td", "th"):
            self.tables[-1].begin_cell(_span(known.get("colspan")), _span(known.get("rowspan")))
        elif self.tables and tag == "a":
            self.tables[-1].links.append(known.get("href") or "")
        elif tag in ("br", "p", "div", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        """End a table or a cell."""
        if tag == "table" and self.tables:
            table = self.tables.pop()
            table.end_cell()
            if rows := [row for row in table.rows if row]:
                self.found.append(Table(rows))
        elif tag in ("td", "th") and self.tables:
            self.tables[-1].end_cell()

    def handle_data(self, data: str) -> None:
        """Read a text, whose line ends are blanks."""
        line, offset = self.getpos()
        for number, part in enumerate(data.split("\n") if self.tables and self.tables[-1].is_open else ()):
            column = 0 if number else offset + 1
            self.tables[-1].write(" " + part if number else part, line + number, column)

    def handle_entityref(self, name: str) -> None:
        """Read a character by its name."""
        self.handle_data(unescape(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        """Read a character by its number."""
        self.handle_data(unescape(f"&#{name};"))


def _span(text: str | None) -> int:
    return max(1, min(int(text[:9]), MOST_SPANNED)) if text and text.isdecimal() else 1


# --- Markdown --------------------------------------------------------------------------------------------------------
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)[^()]*+\)")
_UNREAD_PARTS = re.compile(r"https?://\S+|<[^<>]{1,200}>")
_CODE_SPAN = re.compile(r"`([^`\n]*+)`")
_IS_NAME = re.compile(r"[A-Za-z_/\\.-]{2}")
_IS_CLAIM = re.compile(r"[=:]\s{0,3}[-+\d.eE]{1,40}$|^[~≈]?[-+\d.,eE]{1,40}\s?\w{0,40}$")
_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_ROW_BEGIN = re.compile(r"[\s>]*+\|?")
_RULE = re.compile(r"\s*(?=[^-=]*(?:--|==))[-=+:|][-=+:| ]*[|+][-=+:| ]*")
_BAR = re.compile(r"(?<!\\)\|")
_LIST = re.compile(r"\[\s*+(?=[-+\d.])[-+\d.,eE\s_]++\]")
_LIST_NAME = re.compile(r"(?:^|[\s(,\"'])([A-Za-z_][\w ]{0,40}?)[\"']?\s*[=:]\s*(?:[\w.]+\()?$")


def visible(text: str) -> str:
    """A text with what is not read blanked out, every column where it was: targets of links, tags, URLs."""
    text = _UNREAD_PARTS.sub(_blank, _LINK.sub(_words_of_link, text))
    return text.replace("*", " ").replace("~~", "  ")


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _words_of_link(found: re.Match[str]) -> str:
    return _blank(found) if found[0].startswith("!") else (" " + found[1]).ljust(len(found[0]))


def _without_names(found: re.Match[str]) -> str:
    """Code in a text: `val_bpb = 1.15` is a claim, `runs/2024-10-13/x.log` is a name."""
    return found[0] if _IS_CLAIM.search(found[1]) or not _IS_NAME.search(found[1]) else _blank(found)


def _parser() -> MarkdownIt:
    """A parser of blocks: what is in a line is read with its columns, and HTML and indented text are texts."""
    parser = MarkdownIt("commonmark").enable("table").disable(["code", "html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class _Markdown:
    """A Markdown document: which of its lines are code, headings and tables."""

    def __init__(self, text: str) -> None:
        self.text, self.lines, self.places = text, text.split("\n"), _Places(text)
        self.code: dict[int, int] = {}  # line -> the line in which its block begins
        self.titles: dict[int, str] = {}
        self.tables: dict[int, tuple[int, list[Table]]] = {}  # line in which they begin -> line behind them, tables
        tokens = _parser().parse(text)
        for place, token in enumerate(tokens):
            first, end = token.map or (0, 0)
            if token.type == "fence":
                self.code |= dict.fromkeys(range(first, end), first)
                self._read_code(first + 1, end)
            elif token.type == "heading_open":
                self.titles[first] = tokens[place + 1].content[:LONGEST_LABEL]
            elif token.type == "table_open":
                self.tables[first] = end, [Table([self._cells(line) for line in (first, *range(first + 2, end))])]
        self._read_html_tables()

    def _cells(self, line: int) -> list[Cell]:
        """The cells of a line of a table, between its bars that are not escaped."""
        text = self.lines[line]
        begin = _ROW_BEGIN.match(text)
        start = begin.end() if begin else 0
        cells: list[Cell] = []
        for end in [*(bar.start() for bar in _BAR.finditer(text, start)), len(text)]:
            cells.append(_shown(Cell(len(cells), Text.at(text[start:end], line + 1, start + 1))))
            start = end + 1
        return cells[:-1] if len(cells) > 1 and not cells[-1].text.shown.strip() else cells

    def _read_code(self, first: int, end: int) -> None:
        """Tables that are printed in code: cells between bars, and a rule of dashes below the first of them."""
        begin = first
        for at in range(first, end):
            line = self.lines[at]
            if "|" in line or _RULE.fullmatch(line):
                continue
            rows = [one for one in range(begin, at) if not _RULE.fullmatch(self.lines[one])]
            table = Table([self._cells(one) for one in rows])
            is_headed = rows and not any(NUMBER.fullmatch(cell.text.shown.strip()) for cell in table.rows[0])
            if is_headed and 1 < len(rows) < at - begin:  # a drawing of boxes with numbers has no header
                self.tables[begin] = at, [table]
                for one in range(begin, at):
                    del self.code[one]
            begin = at + 1

    def _read_html_tables(self) -> None:
        """Tables in HTML; one in a cell of another is read with it."""
        depth, begin = 0, 0
        for tag in _TABLE_TAG.finditer(self.text):
            if self.places.line(tag.start()) in self.code:
                continue
            begin = begin if depth else tag.start()
            depth = max(0, depth + (-1 if tag[1] else 1))
            if tag[1] and not depth:
                line, column = self.places.text("", begin).place(0)
                end = self.text.find(">", tag.end()) + 1 or len(self.text)
                tables = _HtmlTables(self.text[begin:end], line, column).found
                for table in tables:
                    table.rows = [[_shown(cell) for cell in row] for row in table.rows]
                self.tables[line - 1] = self.places.line(end - 1) + 1, tables

    def pieces(self) -> Iterator[Piece]:
        """Tables with the words above them, lines that are in none, and lists."""
        heading, behind = "", 0
        headings: list[str] = []
        said = deque[str](maxlen=CAPTION_LINES)
        for number, line in enumerate(self.lines):
            if number in self.titles:
                heading = self.titles[number]
                said.clear()
            headings.append(heading)
            if number < behind:
                continue
            if number in self.tables:
                behind, tables = self.tables[number]
                for table in tables:
                    table.heading = " / ".join([*reversed(said), heading])
                yield from tables
                continue
            in_code, is_heading = number in self.code, number in self.titles
            if line.strip() and not (in_code or is_heading or "|" in line or line.lstrip().startswith("<")):
                said.append(line.strip()[:LONGEST_LABEL])
            shown = line if in_code else visible(_CODE_SPAN.sub(_without_names, line))
            yield Line(Text.at(shown, number + 1, 1), heading, in_code, is_heading)
        yield from self._lists(headings)

    def _lists(self, headings: Sequence[str]) -> Iterator[NumberList]:
        """Lists of numbers that are no part of a table."""
        in_tables = {line for first, (end, _) in self.tables.items() for line in range(first, end)}
        for found in _LIST.finditer(self.text):
            line = self.places.line(found.start())
            name = _LIST_NAME.search(self.text[max(0, found.start() - LIST_NAME) : found.start()])
            if name and line not in in_tables:
                numbers = NUMBER.finditer(self.text, found.start(), found.end())
                block = ("code", self.code[line]) if line in self.code else ("line", line)
                items = [self.places.text(one[0], one.start()) for one in numbers]
                yield NumberList(name[1].strip(), block, headings[line], items)


def _shown(cell: Cell) -> Cell:
    """A cell as it is shown, with the targets of its links."""
    links = tuple(link[2] for link in _LINK.finditer(cell.text.shown))
    return Cell(cell.col, Text(visible(cell.text.shown), cell.text.parts), cell.links + links, cell.is_repeated)
