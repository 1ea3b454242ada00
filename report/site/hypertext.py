"""Hypertext: the Markdown of a page as HTML that a screen reader can follow; HTML in the Markdown is shown as text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape

from ..measure.number import thousands
from ..wording.markdown import seen

NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?\s*[%×x‡*]*|[-–—]")
# The address of a number: its table, its row and its column.
EVIDENCE = re.compile(r"#([^#/]+/[^#/]+/[^#/]+)")
DIGITS = re.compile(r"(\d+)((?:\.\d+)?)(‡?)")
# What stands in brackets behind a title or below a number, if it is short, such as the numbers of notes.
BRACKETED = re.compile(r"\([^()]{1,14}\)$")
# A section has a heading of level 2; what a page file heads is below it.
HIGHEST = 3
BREAK = "<br>"
_END = Token("end", "", 0)
RESULTS = "results"
NONE: Mapping[str, str] = MappingProxyType({})
Cells = list[tuple[Token, Token, Token]]


def html(
    markdown: str,
    caption: str = "",
    kind: str = "words",
    former: Mapping[str, str] = NONE,
    looks: Sequence[str] = (),
    shorts: Sequence[tuple[str, str]] = (),
) -> Markup:
    """Markdown as HTML. Its tables get a caption that only screen readers tell, and the classes ``kind``.

    ``former``: the ids that cells once had, by those they have; links to them still lead there. ``looks``: classes of
    the heads of the columns but the first. ``shorts``: the titles in these heads, each with what stands for it on a
    narrow screen.

    In a table of the class ``results`` a cell whose number leads to the evidence #main/1/a has the id main/1/a.
    """
    asked = {"caption": caption, "kind": kind, "former": former, "looks": looks, "shorts": shorts}
    return Markup(_PARSER.render(markdown, asked))  # noqa: S704 - markdown-it escapes


def inline(markdown: str, *, is_passed: bool = False) -> Markup:
    """A line of Markdown as HTML without a paragraph around it.

    ``is_passed``: the keys pass its links by, because a table has the same ones.
    """
    return Markup(_PARSER.renderInline(markdown, {"is_passed": is_passed}))  # noqa: S704 - markdown-it escapes


def plain(markdown: str) -> str:
    """The text of a line of Markdown, without any markup; what no eye sees is escaped."""
    return seen("".join(token.content for top in _PARSER.parseInline(markdown) for token in top.children or ()))


def gapped(digits: str) -> Markup:
    """Digits with gaps in the whole part, which the style sheet makes: who copies them gets digits alone."""
    *first, last = thousands(digits)
    return Markup("").join(Markup('<span class="k">{}</span>').format(part) for part in first) + last


def paddings(column: Sequence[str]) -> list[str]:
    """What each text of a column lacks behind its digits, so that the points of all stand below each other.

    It is written where no eye sees it: the width of digits is that of the font. Nothing for what is no number.
    """
    found = [DIGITS.fullmatch(text) for text in column]
    fraction = "." + "0" * max((len(one[2]) - 1 for one in found if one), default=0)
    mark = max((one[3] for one in found if one), default="")
    return [fraction[len(one[2]) :].rstrip(".") + mark[len(one[3]) :] if one else "" for one in found]


def _mend(state: StateCore) -> None:
    for token in state.tokens:
        # The style sheet sets the alignment, and no style may stand in the page.
        token.meta["is_right"] = str(token.attrs.pop("style", "")).endswith("right")
        if token.type.startswith("heading_"):
            token.tag = f"h{max(int(token.tag[1:]), HIGHEST)}"
        for child, following in pairwise([*(token.children or ()), _END]):
            _mend_link(child, following)
            if child.type == "link_open" and state.env.get("is_passed"):
                child.attrs["tabindex"] = "-1"
    for table in _tables(state.tokens):
        _mend_table(table, state.env.get("kind"), state.env.get("former", NONE))
        head = _rows(table)[0][1:]
        for (_, content, _), short in zip(head, state.env.get("shorts", ()), strict=False):
            for token in (content.children or ())[:1]:
                token.meta["short"] = short
        for (opening, _, _), look in zip(head, state.env.get("looks", ()), strict=False):
            opening.attrs["class"] = f"{opening.attrs.get('class', '')} {look}".strip()


def _mend_link(token: Token, text: Token) -> None:
    if token.type != "link_open":
        return
    address = str(token.attrs["href"])
    text.meta["is_number"] = EVIDENCE.search(address) is not None
    if EVIDENCE.fullmatch(address):
        token.attrs |= {"class": "number", "aria-haspopup": "dialog"}
    elif address.startswith(("http:", "https:")):
        token.attrs["rel"] = "noreferrer"


def _break(state: StateInline, silent: bool) -> bool:
    """A line break as the tables of pages write it; all other HTML is text."""
    if not state.src.startswith(BREAK, state.pos):
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos += len(BREAK)
    return True


def _tables(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    opened = 0
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            opened = place
        elif token.type == "table_close":
            yield tokens[opened:place]


def _mend_table(tokens: Sequence[Token], kind: str | None, former: Mapping[str, str]) -> None:
    head, *body = _rows(tokens)
    is_of_results = RESULTS in (kind or "").split()
    for opening, _, _ in head:
        opening.attrs["scope"] = "col"
    for row in body:
        _name_row(row[0])
    for column in range(1, len(head)):
        texts = (_text(row[column][1]) for row in body)
        is_right = is_of_results and head[column][0].meta["is_right"]
        if is_right or all(NUMBER.fullmatch(text) or not text for text in texts):
            for opening, _, _ in (head[column], *(row[column] for row in body)):
                opening.attrs["class"] = "figure"
            _align([row[column][1] for row in body])
    if is_of_results:
        for opening, content, _ in (cell for row in body for cell in row):
            _name_cell(opening, content, former)


def _align(contents: Sequence[Token]) -> None:
    """Pad the first lines of the cells of a column."""
    lines = [[*takewhile(lambda one: one.type != "hardbreak", content.children or ())] for content in contents]
    texts = ["".join(token.content for token in line) for line in lines]
    for content, line, padding in zip(contents, lines, paddings(texts), strict=True):
        if padding:
            padded = Token("padding", "span", 0, meta={"padding": padding})
            content.children = [*line, padded, *(content.children or ())[len(line) :]]


def _rows(tokens: Sequence[Token]) -> list[Cells]:
    """The cells of each row: where they open, their content, where they close."""
    starts = [place for place, token in enumerate(tokens) if token.type == "tr_open"]
    return [_cells(tokens[start:stop]) for start, stop in pairwise([*starts, len(tokens)])]


def _cells(tokens: Sequence[Token]) -> Cells:
    places = [place for place, token in enumerate(tokens) if token.type in ("th_open", "td_open")]
    return [(tokens[place], tokens[place + 1], tokens[place + 2]) for place in places]


def _name_row(cell: tuple[Token, Token, Token]) -> None:
    opening, content, closing = cell
    if content.content:
        opening.tag = closing.tag = "th"
        opening.attrs["scope"] = "row"


def _name_cell(opening: Token, content: Token, former: Mapping[str, str]) -> None:
    for token in content.children or ():
        found = EVIDENCE.fullmatch(str(token.attrs.get("href", "")))
        if found:
            opening.attrs["id"] = name = unquote(found[1])
            if name in former:
                token.attrs["id"] = former[name]


def _text(content: Token) -> str:
    return "".join(token.content for token in content.children or ())


def _table_open(_: RendererHTML, __: Sequence[Token], ___: int, ____: Any, env: dict[str, str]) -> str:
    caption, kind = escape(env.get("caption", "")), escape(env.get("kind", ""))
    # What is wider than a narrow screen scrolls by itself; a script lets the keys scroll it where it does.
    return f'<div class="scroll"><table class="{kind}"><caption>{caption}</caption>'


def _table_close(*_: object) -> str:
    return "</table></div>"


def _shown(_: RendererHTML, tokens: Sequence[Token], place: int, *__: object) -> str:
    token = tokens[place]
    title, short = token.meta.get("short", ("", ""))
    if short and token.content.startswith(title):
        # The title says whoever reads the table that the two are one.
        abbreviated = Markup('<span class="long">{0}</span><abbr class="short" title="{0}">{1}</abbr>')
        both = abbreviated.format(title, short)
        return both + token.content.removeprefix(title)
    return gapped(token.content) if token.meta.get("is_number") else _with_brackets(token.content)


def _with_brackets(text: str) -> Markup:
    """A text that no line breaks within the brackets at its end."""
    found = BRACKETED.search(text)
    if found is None:
        return escape(text)
    return escape(text[: found.start()]) + Markup('<span class="whole">{}</span>').format(found[0])


def _padded(_: RendererHTML, tokens: Sequence[Token], place: int, *__: object) -> str:
    return f'<span data-padding="{escape(tokens[place].meta["padding"])}"></span>'


def _fence(_: RendererHTML, tokens: Sequence[Token], place: int, *__: object) -> str:
    return f"<pre><code>{escape(tokens[place].content)}</code></pre>\n"


def _parser() -> MarkdownIt:
    # An image would be loaded from elsewhere; charts are put into pages by the template.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.inline.ruler.before("html_inline", "break", _break)
    parser.core.ruler.push("mend", _mend)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("text", _shown)
    parser.add_render_rule("padding", _padded)
    parser.add_render_rule("fence", _fence)
    return parser


_PARSER = _parser()
