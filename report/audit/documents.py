"""Documents: Markdown with HTML, and JSON, as tables, lists of numbers, keys with values, and lines of text.

A text is a part of its document in which what is not read is blanked, so that every number is where it stands. All
readers cost time in proportion to the size of what they read, whatever stands in it.
"""

import codecs
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

from parsers.io.files import data_of

from .constants import BINARY, CAPTION_LINES, HEAD, LIST_NAME, LONGEST_LABEL, MOST_NESTED, MOST_SPANNED
from .number import NUMBER


class Places:
    """The lines and columns of the offsets of a document."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The number of a line, from 0."""
        return bisect_right(self.starts, offset) - 1


@dataclass
class Text:
    """What is read of a document from an offset on."""

    shown: str
    offset: int
    places: Places

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset in it, both from 1."""
        line = self.places.line(self.offset + offset)
        return line + 1, self.offset + offset - self.places.starts[line] + 1


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
    """The pieces of a document, by the ending of its name: JSON; all else is read as Markdown."""
    ending = name.rpartition(".")[2].lower()
    if ending == "json":
        return json_values(text)
    return _Markdown(_UNREAD_TAGS.sub(_blank, text) if ending in ("html", "htm") else text).pieces()


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
    places = Places(text)
    around = [_Open(0, 0, is_list=False)]
    objects, said = 0, ""
    for token in _TOKEN.finditer(text):
        word, number = token[1], token[2]
        if word is not None:
            said = word[:LONGEST_LABEL]
        elif number is not None:
            if NUMBER.fullmatch(number):
                path = tuple(one.key for one in around[:MOST_NESTED] if one.key)
                yield KeyValue(path, around[-1].group, around[-1].outer, Text(number, token.start(), places))
        elif token[0] == ":":
            around[-1].key = said
        elif token[0] == "{":
            objects += 1
            around.append(_Open(objects, 0 if around[-1].is_list else around[-1].group, is_list=False))
        elif token[0] == "[":
            around.append(_Open(around[-1].group, around[-1].outer, is_list=True))
        elif len(around) > 1:
            around.pop()


# --- HTML ------------------------------------------------------------------------------------------------------------
_UNREAD_TAGS = re.compile(r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(/?)(table|tr|t[dh]|a)\b([^<>]*+)>", re.IGNORECASE)
_SPANS = re.compile(r"(col|row)span\s*=\s*[\"']?(\d{1,9})", re.IGNORECASE)
_HREF = re.compile(r"href\s*=\s*[\"']?([^\s\"']*)", re.IGNORECASE)


@dataclass
class _OpenTable:
    """A table that is not closed yet. ``hanging``: by column, the last row that a cell above reaches, and that cell.

    ``start``: where the cell begins that is open, None of none, with its ``links``; it ``spans`` columns and rows.
    """

    rows: list[list[Cell]] = field(default_factory=list)
    hanging: dict[int, tuple[int, Cell]] = field(default_factory=dict)
    start: int | None = None
    links: list[str] = field(default_factory=list)
    spans: tuple[int, int] = (1, 1)
    col: int = 0

    def begin_row(self) -> None:
        self.rows.append([])
        self.col = 0

    def begin_cell(self, start: int, attributes: str) -> None:
        """Begin behind cells of rows above that reach down to here, which are labels of this row, too."""
        if not self.rows:
            self.begin_row()
        while (above := self.hanging.get(self.col)) and above[0] >= len(self.rows):
            self.rows[-1].append(Cell(self.col, above[1].text, above[1].links, is_repeated=True))
            self.col += 1
        spans = {way.lower(): max(1, min(int(count), MOST_SPANNED)) for way, count in _SPANS.findall(attributes)}
        self.start, self.links, self.spans = start, [], (spans.get("col", 1), spans.get("row", 1))

    def end_cell(self, text: str, end: int, places: Places) -> None:
        """End the cell that is open, if one is."""
        if self.start is not None:
            shown = visible(text[self.start : end]).replace("\n", " ")
            links = (*self.links, *(link[2] for link in _LINK.finditer(text, self.start, end)))
            cell, (across, down) = Cell(self.col, Text(shown, self.start, places), links), self.spans
            self.rows[-1].append(cell)
            if down > 1:
                self.hanging |= dict.fromkeys(range(self.col, self.col + across), (len(self.rows) + down - 1, cell))
            self.col += across
            self.start = None


# --- Markdown --------------------------------------------------------------------------------------------------------
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)[^()]*+\)")
_UNREAD_PARTS = re.compile(r"https?://\S+|<[^<>]{1,200}>|&#?\w{1,30};")
_CODE_SPAN = re.compile(r"`([^`\n]*+)`")
_IS_NAME = re.compile(r"[A-Za-z_/\\.-]{2}")
_IS_CLAIM = re.compile(r"[=:]\s{0,3}[-+\d.eE]{1,40}$|^[~≈]?[-+\d.,eE]{1,40}\s?\w{0,40}$")
_ROW_BEGIN = re.compile(r"[\s>]*+\|?")
_RULE = re.compile(r"\s*(?=[^-=]*(?:--|==))[-=+:|][-=+:| ]*[|+][-=+:| ]*")
_BAR = re.compile(r"(?<!\\)\|")
_LIST = re.compile(r"\[\s*+(?=[-+\d.])[-+\d.,eE\s_]++\]")
_LIST_NAME = re.compile(r"(?:^|[\s(,\"'])([A-Za-z_][\w ]{0,40}?)[\"']?\s*[=:]\s*(?:[\w.]+\()?$")


def visible(text: str) -> str:
    """A text with what is not read blanked out, every column where it was: targets of links, tags, URLs, entities."""
    text = _UNREAD_PARTS.sub(_blank, _LINK.sub(_words_of_link, text))
    return text.replace("*", " ").replace("~~", "  ")


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


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
        self.text, self.lines, self.places = text, text.split("\n"), Places(text)
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

    def _at(self, shown: str, line: int, column: int = 0) -> Text:
        return Text(shown, self.places.starts[line] + column, self.places)

    def _cells(self, line: int) -> list[Cell]:
        """The cells of a line of a table, between its bars that are not escaped."""
        text = self.lines[line]
        begin = _ROW_BEGIN.match(text)
        start = begin.end() if begin else 0
        cells: list[Cell] = []
        for end in [*(bar.start() for bar in _BAR.finditer(text, start)), len(text)]:
            links = tuple(link[2] for link in _LINK.finditer(text, start, end))
            cells.append(Cell(len(cells), self._at(visible(text[start:end]), line, start), links))
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
        """Tables in HTML; one in a cell of another ends that, and is read by itself."""
        opened: list[_OpenTable] = []
        found: list[Table] = []
        begin = 0
        for tag in _TAG.finditer(self.text):
            is_end, name = bool(tag[1]), tag[2].lower()
            if self.places.line(tag.start()) in self.code:
                continue
            if opened and name != "a":
                opened[-1].end_cell(self.text, tag.start(), self.places)
            if name == "table" and not is_end:
                begin = begin if opened else self.places.line(tag.start())
                opened.append(_OpenTable())
            elif name == "table" and opened:
                found += [Table(rows) for rows in [[row for row in opened.pop().rows if row]] if rows]
                if not opened:
                    self.tables[begin] = self.places.line(tag.end() - 1) + 1, found
                    found = []
            elif opened and not is_end and name == "tr":
                opened[-1].begin_row()
            elif opened and not is_end and name == "a":
                opened[-1].links += _HREF.findall(tag[3])[:1]
            elif opened and not is_end:
                opened[-1].begin_cell(tag.end(), tag[3])

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
            yield Line(self._at(shown, number), heading, in_code, is_heading)
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
                items = [Text(one[0], one.start(), self.places) for one in numbers]
                yield NumberList(name[1].strip(), block, headings[line], items)
