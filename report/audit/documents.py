"""Documents: Markdown with HTML, and JSON, as passages: cells, items of lists, values and lines, each with its labels.

What is not read of a passage is blanked, so that every number is where it stands. All readers cost time in proportion
to the size of what they read, whatever stands in it.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from parsers.io.files import data_of
from parsers.scanning.source import clean, is_text

from .number import NUMBER

CELL, HEADER, ITEM, PROSE, HEADING = "cell", "header", "item", "prose", "heading"
KEY, CODE, LINE = "key", "code", "line"
TEXTS = (PROSE, HEADING, CODE)
HEAD = 8_192  # bytes of a file by which it is known whether it is text
CAPTION_LINES = 8  # of text above a table that may say what it counts (PaddlePaddle/Perf names units 6 lines above)
LONGEST_LABEL = 200  # characters of a heading, a key or a caption; more is text
LIST_NAME = 100  # characters in front of a list in which its name stands
MOST_NESTED = 100  # keys of a number of a JSON file; deeper files are made to cost
MOST_SPANNED = 16  # columns of a cell of an HTML table (the widest of 467 seen spans 4); more is made to cost


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


class Passage(NamedTuple):
    """What is read of a document from an offset on."""

    shown: str
    offset: int
    place: Place


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
def text_of(path: Path) -> str:
    """The text of a document, its line ends as newlines; nothing of what is no text. Raises OSError."""
    return (decoded(data_of(path)) or "").replace("\r\n", "\n").replace("\r", "\n")


def decoded(data: bytes) -> str | None:
    """The text of a file as logs are read; None of one that is no text."""
    return clean(data).decode("utf-8", "replace") if is_text(data[:HEAD]) else None


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


def json_values(text: str) -> Iterator[KeyValue]:
    """The numbers of a JSON file, each with its keys. Tokens are enough for that: no depth and no flaw stops them."""
    keys, around = [""], [(0, 0, False)]  # of what is open: the key that it is at; its groups, and whether it is a list
    objects, said = 0, ""
    for token in _TOKEN.finditer(text):
        word, number = token[1], token[2]
        if word is not None:
            said = word[:LONGEST_LABEL]
        elif number is not None:
            if NUMBER.fullmatch(number):
                yield KeyValue(tuple(filter(None, keys[:MOST_NESTED])), *around[-1][:2], number, token.start())
        elif token[0] == ":":
            keys[-1] = said
        elif token[0] in "{[":
            group, outer, in_list = around[-1]
            objects += token[0] == "{"
            around.append((objects, 0 if in_list else group, False) if token[0] == "{" else (group, outer, True))
            keys.append("")
        elif len(keys) > 1:
            keys.pop()
            around.pop()


# --- Markdown --------------------------------------------------------------------------------------------------------
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)[^()]*+\)")
_UNREAD_PARTS = re.compile(r"https?://\S+|<[^<>]{1,200}>|&#?\w{1,30};")
_UNREAD_TAGS = re.compile(r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_CODE_SPAN = re.compile(r"`([^`\n]*+)`")
_IS_NAME = re.compile(r"[A-Za-z_/\\.-]{2}")
_IS_CLAIM = re.compile(r"[=:]\s{0,3}[-+\d.eE]{1,40}$|^[~≈]?[-+\d.,eE]{1,40}\s?\w{0,40}$")
_ROW_BEGIN = re.compile(r"[\s>]*+\|?")
_BAR = re.compile(r"(?<!\\)\|")
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

    @property
    def label(self) -> str:
        return self.shown.strip(" `\t")


_Rows = list[list[_Cell]]  # the first is the header


def _visible(text: str) -> str:
    """A text with what is not read blanked out, every column where it was: targets of links, tags, URLs, entities."""
    text = _LINK.sub(lambda link: _blank(link) if link[0][0] == "!" else f" {link[1]}".ljust(len(link[0])), text)
    return _UNREAD_PARTS.sub(_blank, text).replace("*", " ").replace("~~", "  ")


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _without_name(span: re.Match[str]) -> str:
    """Code in a text: `val_bpb = 1.15` is a claim, `runs/2024-10-13/x.log` is a name."""
    return span[0] if _IS_CLAIM.search(span[1]) or not _IS_NAME.search(span[1]) else _blank(span)


class _Markdown:
    """A Markdown document: which of its lines are code, headings and tables, and how many tables were read of it.

    ``code``: of each line of code the first of its block. ``tables``: by the first line of each the one behind it.
    """

    def __init__(self, text: str) -> None:
        self.text, self.lines, self.places = text, text.split("\n"), Places(text)
        self.code: dict[int, int] = {}
        self.titles: dict[int, str] = {}
        self.tables: dict[int, tuple[int, _Rows]] = {}
        self.count = 0
        # Of blocks alone: what is in a line is read with its columns, and HTML and indented text are texts.
        parser = MarkdownIt("commonmark").enable("table").disable(["code", "html_block", "reference"])
        parser.core.ruler.enableOnly(["normalize", "block"])
        tokens = parser.parse(text)
        for place, token in enumerate(tokens):
            first, end = token.map or (0, 0)
            if token.type == "fence":
                self.code |= dict.fromkeys(range(first, end), first)
            elif token.type == "heading_open":
                self.titles[first] = tokens[place + 1].content[:LONGEST_LABEL]
            elif token.type == "table_open":
                self.tables[first] = end, [self._cells(line) for line in (first, *range(first + 2, end))]
        for found in _HTML_TABLE.finditer(text):
            first, end = self.places.line(found.start()), self.places.line(found.end() - 1) + 1
            if first not in self.code and (rows := [row for row in self._html_rows(found) if row]):
                self.tables[first] = end, rows

    def _cells(self, line: int) -> list[_Cell]:
        """The cells of a line of a table, between its bars that are not escaped."""
        text = self.lines[line].rstrip()
        begin = _ROW_BEGIN.match(text)
        start = begin.end() if begin else 0
        cells: list[_Cell] = []
        for end, behind in [*(one.span() for one in _BAR.finditer(text, start)), (len(text), 0)]:
            links = tuple(link[2] for link in _LINK.finditer(text, start, end))
            cells.append(_Cell(len(cells), _visible(text[start:end]), self.places.starts[line] + start, links))
            start = behind
        return cells[:-1] if len(cells) > 1 and not cells[-1].shown.strip() else cells

    def _html_rows(self, table: re.Match[str]) -> _Rows:
        """The cells of each row of a table in HTML."""
        rows: _Rows = [[]]
        start, col, wide = -1, 0, 1
        for tag in _HTML_TAG.finditer(self.text, *table.span()):
            if start >= 0:
                inner = self.text[start : tag.start()]
                links = (*_HREF.findall(inner), *(link[2] for link in _LINK.finditer(inner)))
                rows[-1].append(_Cell(col, _visible(inner).replace("\n", " "), start, links))
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
            place = CODE if number in self.code else HEADING if number in self.titles else PROSE
            if line.strip() and place == PROSE and "|" not in line and not line.lstrip().startswith("<"):
                said.append(line.strip()[:LONGEST_LABEL])
            shown = line if place == CODE else _visible(_CODE_SPAN.sub(_without_name, line))
            lines.append(Passage(shown, self.places.starts[number], Place(place=place, heading=heading)))
        yield from self._lists(headings)
        yield from lines

    def _of_table(self, rows: _Rows, heading: str) -> Iterator[Passage]:
        """The cells of a table; those of its header name columns."""
        titles = {cell.col: cell.label for cell in rows[0]}
        yield from (Passage(cell.shown, cell.offset, Place(place=HEADER, heading=heading)) for cell in rows[0])
        for row, cells in enumerate(rows[1:]):
            links = tuple(link for cell in cells for link in cell.links)
            name = next((cell.label for cell in cells if cell.col == 0), "")
            for cell in cells:
                place = Place(place=CELL, table=self.count, row=row, col=cell.col, heading=heading, links=links)
                place.row_label, place.col_label = name if cell.col else "", titles.get(cell.col, "")
                place.row_title = titles.get(0, "")
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
