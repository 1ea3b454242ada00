"""Documents: Markdown with HTML, and JSON, as passages: cells, items of lists, values and lines, each with its labels.

What is not read of a passage is blanked, so that every number is where it stands. All readers cost time in proportion
to the size of what they read, whatever stands in it.
"""

import codecs
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from parsers.io.files import data_of

from .constants import BINARY, CAPTION_LINES, HEAD, LIST_NAME, LONGEST_LABEL, MOST_NESTED, MOST_SPANNED
from .number import NUMBER

CELL, HEADER, ITEM, PROSE, KEY, CODE, LINE = "cell", "header", "item", "prose", "key", "code", "line"


class Places:
    """The lines and columns of the offsets of a document."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The number of a line, from 0."""
        return bisect_right(self.starts, offset) - 1

    def of(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both from 1."""
        line = self.line(offset)
        return line + 1, offset - self.starts[line] + 1


@dataclass(eq=False, kw_only=True)
class Place:
    """Where something stands in a document. ``table``, ``row``, ``col``: its place in a grid; a line has table -1.

    A list literal, ``losses = [3.28, 3.27]``, is a column; those of one block and length are columns of one table. An
    object of JSON is a row. ``row_title``: the header above the labels of rows. ``heading``: captions, the nearest
    first, and the heading. ``links``: those of its row.
    """

    place: str
    table: int = -1
    row: int = -1
    col: int = -1
    row_label: str = ""
    col_label: str = ""
    row_title: str = ""
    heading: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passage:
    """What is read of a document from an offset on."""

    shown: str
    offset: int
    place: Place
    is_heading: bool = False


def passages_of(name: str, text: str) -> Iterator[Passage]:
    """The passages of a document, by the ending of its name: JSON; all else is read as Markdown.

    Numbers of lists come before the lines that hold them.
    """
    ending = name.rpartition(".")[2].lower()
    if ending == "json":
        for one in json_values(text):
            place = Place(place=KEY, table=one.group, row=0, row_label=" ".join(one.path))
            place.col_label = one.path[-1] if one.path else ""
            yield Passage(one.shown, one.offset, place)
    else:
        yield from _Markdown(_UNREAD_TAGS.sub(_blank, text) if ending in ("html", "htm") else text).passages()


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


class KeyValue(NamedTuple):
    """A number of a JSON file. ``path``: its keys, the outermost first; ``group``: the number of its object, from 1.

    ``outer``: that of the object whose value this object is, 0 where it is none.
    """

    path: tuple[str, ...]
    group: int
    outer: int
    shown: str
    offset: int


@dataclass
class _Open:
    """An object or a list that is not closed yet, with the key that it is at."""

    group: int
    outer: int
    is_list: bool
    key: str = ""


def json_values(text: str) -> Iterator[KeyValue]:
    """The numbers of a JSON file, each with its keys. Tokens are enough for that: no depth and no flaw stops them."""
    around = [_Open(0, 0, is_list=False)]
    objects, said = 0, ""
    for token in _TOKEN.finditer(text):
        word, number = token[1], token[2]
        if word is not None:
            said = word[:LONGEST_LABEL]
        elif number is not None:
            if NUMBER.fullmatch(number):
                path = tuple(one.key for one in around[:MOST_NESTED] if one.key)
                yield KeyValue(path, around[-1].group, around[-1].outer, number, token.start())
        elif token[0] == ":":
            around[-1].key = said
        elif token[0] == "{":
            objects += 1
            around.append(_Open(objects, 0 if around[-1].is_list else around[-1].group, is_list=False))
        elif token[0] == "[":
            around.append(_Open(around[-1].group, around[-1].outer, is_list=True))
        elif len(around) > 1:
            around.pop()


# --- Markdown --------------------------------------------------------------------------------------------------------
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)[^()]*+\)")
_UNREAD_PARTS = re.compile(r"https?://\S+|<[^<>]{1,200}>|&#?\w{1,30};")
_UNREAD_TAGS = re.compile(r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE_SPAN = re.compile(r"`([^`\n]*+)`")
_IS_NAME = re.compile(r"[A-Za-z_/\\.-]{2}")
_IS_CLAIM = re.compile(r"[=:]\s{0,3}[-+\d.eE]{1,40}$|^[~≈]?[-+\d.,eE]{1,40}\s?\w{0,40}$")
_ROW_BEGIN = re.compile(r"[\s>]*+\|?")
_RULE = re.compile(r"\s*(?=[^-=]*(?:--|==))[-=+:|][-=+:| ]*")
_BAR = re.compile(r"(?<!\\)\|")
_GAP = re.compile(r"[ \t]{2,}+|\t")
_DECIMAL = re.compile(r"[-+]?\d[\d,]{0,20}\.\d{1,40}(?:\s?[A-Za-z%/]{1,20})?")
_LIST = re.compile(r"\[\s*+(?=[-+\d.])[-+\d.,eE\s_]++\]")
_LIST_NAME = re.compile(r"(?:^|[\s(,\"'])([A-Za-z_][\w ]{0,40}?)[\"']?\s*[=:]\s*(?:[\w.]+\()?$")
# A table of HTML that is alone on its lines, with none within it and no cell that spans rows.
_HTML_TABLE = re.compile(
    r"^[ \t]*<table\b(?:(?!</?table\b|rowspan).)*+</table\s*>[ \t]*$", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
_HTML_TAG = re.compile(r"<(/?(?:table|tr|td|th))\b([^<>]*+)>", re.IGNORECASE)
_SPAN = re.compile(r"colspan\s*=\s*[\"']?(\d{1,9})", re.IGNORECASE)
_HREF = re.compile(r"href\s*=\s*[\"']?([^\s\"'>]*)", re.IGNORECASE)


class _Cell(NamedTuple):
    """A cell of a table: its column, what is read of it from an offset on, and its links."""

    col: int
    shown: str
    offset: int
    links: tuple[str, ...]


_Rows = list[list[_Cell]]  # the first is the header


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


@dataclass
class _Markdown:
    """A Markdown document: which of its lines are code, headings and tables, and how many tables were read of it."""

    text: str
    code: dict[int, int] = field(default_factory=dict)  # line -> the line in which its block begins
    titles: dict[int, str] = field(default_factory=dict)
    tables: dict[int, tuple[int, _Rows]] = field(default_factory=dict)  # line in which one begins -> line behind it
    count: int = 0

    def __post_init__(self) -> None:
        self.lines, self.places = self.text.split("\n"), Places(self.text)
        tokens = _parser().parse(self.text)
        for place, token in enumerate(tokens):
            first, end = token.map or (0, 0)
            if token.type == "fence":
                self.code |= dict.fromkeys(range(first, end), first)
                self._read_code(first + 1, end)
            elif token.type == "heading_open":
                self.titles[first] = tokens[place + 1].content[:LONGEST_LABEL]
            elif token.type == "table_open":
                self.tables[first] = end, [self._cells(line) for line in (first, *range(first + 2, end))]
        for found in _HTML_TABLE.finditer(self.text):
            first, end = self.places.line(found.start()), self.places.line(found.end() - 1) + 1
            if first not in self.code and (rows := [row for row in self._html_rows(found) if row]):
                self.tables[first] = end, rows

    def _cells(self, line: int, apart: re.Pattern[str] = _BAR) -> list[_Cell]:
        """The cells of a line of a table, between its bars that are not escaped."""
        text = self.lines[line].rstrip()
        begin = _ROW_BEGIN.match(text)
        start = begin.end() if begin else 0
        cells: list[_Cell] = []
        for end, behind in [*(one.span() for one in apart.finditer(text, start)), (len(text), 0)]:
            links = tuple(link[2] for link in _LINK.finditer(text, start, end))
            cells.append(_Cell(len(cells), visible(text[start:end]), self.places.starts[line] + start, links))
            start = behind
        return cells[:-1] if len(cells) > 1 and not cells[-1].shown.strip() else cells

    def _read_code(self, first: int, end: int) -> None:
        """Tables that are printed in code, below a header without numbers.

        Their cells stand between bars, with a rule of dashes below the header, or two blanks or more apart, three or
        more on each line, with a column of decimals.
        """
        lines = [at for at in range(first, end) if not _RULE.fullmatch(self.lines[at])]
        for bars_or_cells, some in groupby(lines, self._bars_or_cells):
            table = list(some)
            begin, behind = table[0], table[-1] + 1
            rows = [self._cells(at, _GAP if bars_or_cells else _BAR) for at in table]
            if bars_or_cells:
                columns = list(zip(*rows[1:], strict=True))
                are_decimals = (all(_DECIMAL.fullmatch(cell.shown.strip()) for cell in column) for column in columns)
                is_table = len(columns) > 2 and any(are_decimals)
            else:
                is_table = len(table) < behind - begin  # else it is a drawing of boxes
            is_headed = not any(NUMBER.fullmatch(cell.shown.strip()) for cell in rows[0])
            if is_table and is_headed and len(rows) > 1:
                self.tables[begin] = behind, rows
                for at in range(begin, behind):
                    del self.code[at]

    def _bars_or_cells(self, line: int) -> int:
        """0 where a line of code has bars, else how many cells it has between blanks."""
        return 0 if "|" in self.lines[line] else len(self._cells(line, _GAP))

    def _html_rows(self, table: re.Match[str]) -> _Rows:
        """The cells of each row of a table in HTML."""
        rows: _Rows = [[]]
        start, col, wide = -1, 0, 1
        for tag in _HTML_TAG.finditer(self.text, *table.span()):
            if start >= 0:
                inner = self.text[start : tag.start()]
                links = (*_HREF.findall(inner), *(link[2] for link in _LINK.finditer(inner)))
                rows[-1].append(_Cell(col, visible(inner).replace("\n", " "), start, links))
                start, col = -1, col + wide
            name = tag[1].lower()
            if name == "tr":
                rows.append([])
                col = 0
            elif name in ("td", "th"):
                span = _SPAN.search(tag[2])
                start, wide = tag.end(), min(int(span[1]), MOST_SPANNED) if span else 1
        return rows

    def passages(self) -> Iterator[Passage]:
        """Tables with the words above them, then lists, and then the lines that are in no table."""
        heading, behind = "", 0
        lines: list[Passage] = []
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
                behind, rows = self.tables[number]
                yield from self._of_table(rows, " / ".join([*reversed(said), heading]))
                continue
            in_code, is_heading = number in self.code, number in self.titles
            if line.strip() and not (in_code or is_heading or "|" in line or line.lstrip().startswith("<")):
                said.append(line.strip()[:LONGEST_LABEL])
            shown = line if in_code else visible(_CODE_SPAN.sub(_without_names, line))
            place = Place(place=CODE if in_code else PROSE, heading=heading)
            lines.append(Passage(shown, self.places.starts[number], place, is_heading))
        yield from self._lists(headings)
        yield from lines

    def _of_table(self, rows: _Rows, heading: str) -> Iterator[Passage]:
        """The cells of a table; those of its header name columns."""
        header = {cell.col: _label(cell.shown) for cell in rows[0]}
        yield from (Passage(cell.shown, cell.offset, Place(place=HEADER, heading=heading)) for cell in rows[0])
        for row, cells in enumerate(rows[1:]):
            links = tuple(link for cell in cells for link in cell.links)
            label = next((_label(cell.shown) for cell in cells if cell.col == 0), "")
            for cell in cells:
                place = Place(place=CELL, table=self.count, row=row, col=cell.col, heading=heading, links=links)
                place.row_label, place.col_label = label if cell.col else "", header.get(cell.col, "")
                place.row_title = header.get(0, "")
                yield Passage(cell.shown, cell.offset, place)
        self.count += 1

    def _lists(self, headings: Sequence[str]) -> Iterator[Passage]:
        """The numbers of lists that are no part of a table."""
        in_tables = {line for first, (end, _) in self.tables.items() for line in range(first, end)}
        columns: dict[tuple[bool, int, int], tuple[int, list[str]]] = {}  # of each table its number and their names
        for found in _LIST.finditer(self.text):
            line = self.places.line(found.start())
            name = _LIST_NAME.search(self.text[max(0, found.start() - LIST_NAME) : found.start()])
            if name and line not in in_tables:
                items = list(NUMBER.finditer(self.text, found.start(), found.end()))
                block = line in self.code, self.code.get(line, line), len(items)
                table, names = columns.setdefault(block, (self.count + len(columns), []))
                for row, item in enumerate(items):
                    place = Place(place=ITEM, table=table, row=row, col=len(names), heading=headings[line])
                    place.col_label = name[1].strip()
                    yield Passage(item[0], item.start(), place)
                names.append(name[1])


def _label(shown: str) -> str:
    return shown.strip(" `\t")
