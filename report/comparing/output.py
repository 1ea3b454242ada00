"""Output: what a comparison or a history says, as one document that is shown in a terminal, as Markdown and as HTML."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from parsers.io.console import Console, Text
from parsers.io.errors import ExtraError, extra
from parsers.io.message import Message
from parsers.io.printable import printable

from ..terminal.aligned_rows import GAP, aligned
from ..wording import markdown
from ..wording.words import Translate, Translator, worded

FONTS = "Segoe UI, Noto Sans, Helvetica, Arial, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif"
FOLDER = Path(__file__).parents[1] / "templates"
WIDTH = 160  # of what is printed into a file or a pipe
LONGEST = 60  # characters of a value
HIDDEN = re.compile(r'https://hidden/\?([^"]*)')
NONE = "-"
# Of states, in a terminal and on a page.
STYLES: Mapping[str, str] = {"slower": "red", "unknown": "yellow", "faster": "green", "same": "green"}
COLOURS: Mapping[str, str] = {"slower": "#b3261e", "unknown": "#8a6a00", "faster": "#1a7f4b", "same": "#0b63b5"}


@dataclass(frozen=True)
class Link:
    """A text and the file that it leads to; ``line``: its physical line, where one is meant."""

    said: str | Message
    file: Path
    line: int | None = None

    def address(self, folder: Path) -> str:
        """The address of the file as a page in a folder names it."""
        place = os.path.relpath(self.file, folder)
        return markdown.path_address(place) + (f"#L{self.line}" if self.line is not None else "")


Cell = str | Message | Link


@dataclass(frozen=True)
class Table:
    """A table: its head, its rows, of each row the state that colours it, and which columns are numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    states: Sequence[str] = ()
    numbers: Sequence[int] = ()
    is_detail: bool = False

    def state(self, row: int) -> str:
        """The state of a row; empty where it has none."""
        return self.states[row] if self.states else ""


@dataclass(frozen=True)
class Document:
    """What is said: ``about`` what, tables, remarks under their titles, and a summary of one line.

    ``tables``: the first is the one that all views show; those that are details are not in a terminal. ``chart``: draws
    it with addresses for a folder, as a chart of Altair; None where there is nothing to draw.
    """

    title: str
    about: Message
    tables: Sequence[Table]
    remarks: Sequence[tuple[str | Message, Sequence[Message]]]
    summary: Message
    chart: Callable[[Translate, Path], Any] | None = field(default=None, compare=False)


def plain(told: Any) -> Any:
    """What is found as JSON can hold it: dataclasses by the names of the fields that their repr shows, sentences and
    paths as text, and nothing for what is no number.
    """
    if isinstance(told, Message):
        return str(told)
    if isinstance(told, os.PathLike):
        return os.fspath(told)
    if isinstance(told, float):
        return told if math.isfinite(told) else None
    if isinstance(told, list | tuple):
        return [plain(one) for one in told]
    if is_dataclass(told):
        return {one.name: plain(getattr(told, one.name)) for one in fields(told) if one.repr}
    return told


def shortened(text: str) -> str:
    """A value that fits on a line."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def terminal(said: Document, translate: Translate, *, colour: bool) -> str:
    """The first table, the remarks, and the summary."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)

    def line(text: str, style: str = "") -> None:
        console.print(Text(text, style=style), soft_wrap=True)

    line(worded(said.about, translate))
    for table in (one for one in said.tables if one.rows and not one.is_detail):
        styles = ["bold", *(STYLES.get(table.state(at), "") for at in range(len(table.rows)))]
        rows = [[translate(title) for title in table.head]]
        rows += [[printable(_said(cell, translate)) for cell in row] for row in table.rows]
        right = [at in table.numbers for at in range(len(table.head))]
        for style, lines in zip(styles, aligned(rows, right, console.width), strict=True):
            for one in lines:
                line(GAP.join(one).rstrip(), style)
    for title, remarks in said.remarks:
        line(_said(title, translate), "bold")
        for remark in remarks:
            line(f"  {worded(remark, translate)}", "dim")
    line(worded(said.summary, translate))
    return out.getvalue()


def _said(cell: Cell, translate: Translate) -> str:
    """A cell without its links."""
    text = cell.said if isinstance(cell, Link) else cell
    return worded(text, translate) if isinstance(text, Message) else text


def as_markdown(said: Document, translate: Translate) -> str:
    """All of it as GitHub shows it, without links: a comment is where no file can be reached."""
    safe = partial(worded, translate=translate, shown=markdown.text)
    parts = [safe(said.about)]
    for table in (one for one in said.tables if one.rows):
        head = [translate(title) for title in table.head]
        parts.append(markdown.table(head, [[_said(cell, translate) for cell in row] for row in table.rows]))
    for title, remarks in said.remarks:
        told = "\n".join(f"- {safe(one)}" for one in remarks)
        parts.append(f"**{markdown.text(_said(title, translate))}**\n\n{told}")
    return "\n\n".join([*parts, safe(said.summary)]) + "\n"


def html(said: Document, language: str, folder: Path) -> str:
    """A page that needs nothing beside it, with links from the folder that it is in; raises WordsError."""
    return _filled("comparing.html.jinja", said, language, folder)


def fragment(said: Document, language: str = "en") -> str:
    """The same to stand in another page, such as a notebook."""
    return _filled("comparing_part.html.jinja", said, language, Path())


def _filled(name: str, said: Document, language: str, folder: Path) -> str:
    translate = Translator(language).translate

    def word(cell: Cell) -> str:
        return markdown.seen(_said(cell, translate))

    def linked(cell: Cell) -> tuple[str, str]:
        return word(cell), cell.address(folder) if isinstance(cell, Link) else ""

    def rows(table: Table) -> Iterable[tuple[str, list[tuple[str, str]]]]:
        return ((table.state(at), [linked(cell) for cell in row]) for at, row in enumerate(table.rows))

    tables = [
        ([translate(title) for title in one.head], one.numbers, list(rows(one))) for one in said.tables if one.rows
    ]
    return _template(name).render(
        language=language,
        title=translate(said.title),
        about=word(said.about),
        summary=word(said.summary),
        chart=Markup(svg(said, translate, folder)),  # noqa: S704 - Vega escapes what is in its marks
        tables=[table for table in tables if table[2]],
        remarks=[(word(title), list(map(word, remarks))) for title, remarks in said.remarks],
    )


@cache
def _template(name: str) -> Template:
    """A template of this room; what is filled in is escaped."""
    loader = FileSystemLoader(FOLDER)
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).get_template(name)


def svg(said: Document, translate: Translate, folder: Path) -> str:
    """The chart as SVG; empty where there is none, or Altair is not installed."""
    with suppress(ExtraError), extra("charts", "Charts need"):
        import vl_convert  # noqa: PLC0415 - it comes with the extra

        if said.chart is not None and (drawn := said.chart(translate, folder)) is not None:
            whole = drawn.configure(font=FONTS, background="transparent").configure_view(stroke=None)
            return HIDDEN.sub(lambda found: escape(unquote(found[1])), vl_convert.vegalite_to_svg(whole.to_json()))
    return ""


def hidden(address: str) -> str:
    """The address of a file for a chart: Vega completes addresses that are not whole by one of its own."""
    return f"https://hidden/?{quote(address, safe='')}"
