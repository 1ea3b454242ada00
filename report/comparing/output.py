"""Output: what a comparison or a history says, as one document that is shown in a terminal, as Markdown and as HTML."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from rich.cells import cell_len

from parsers.io.console import Console, Text
from parsers.io.errors import ExtraError, extra
from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ..wording import markdown
from ..wording.words import Translate, Translator, worded
from .conditions import Difference

PASSED, FAILED, UNKNOWN = 0, 1, 3  # what a gate says
GAP = "  "  # between the columns of a terminal
FONTS = "Segoe UI, Noto Sans, Helvetica, Arial, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif"
FOLDER = Path(__file__).parents[1] / "templates"
WIDTH = 160  # of what is printed into a file or a pipe
LONGEST = 60  # characters of a value
HIDDEN = re.compile(r'https://hidden/\?([^"]*)')
NONE = "-"
# Of states, in a terminal and on a page; in this order they are counted and drawn.
STYLES: Mapping[str, str] = {"slower": "red", "unknown": "yellow", "faster": "green", "same": "green"}
COLOURS: Mapping[str, str] = {"slower": "#b3261e", "unknown": "#8a6a00", "faster": "#1a7f4b", "same": "#0b63b5"}
CHANGES_HEAD = ("Case", "What differs", "A", "Where (A)", "B", "Where (B)")
ALL_CASES = "all cases"
TO = "{low} to {high}"
UNIT = "{unit}{whose}"
WHY = "{verdict}: {reason}"
OF_VERDICT = "{count} {verdict}"
AND = "{first}, {second}"
SUMMARY = "{count} case: {verdicts}.", "{count} cases: {verdicts}."


@dataclass(frozen=True)
class Link:
    """A text and the file that it leads to; ``line``: its physical line, where one is meant."""

    said: str
    file: Path
    line: int | None = None

    def address(self, folder: Path) -> str:
        """The address of the file as a page in a folder names it."""
        place = os.path.relpath(self.file, folder)
        return markdown.path_address(place) + (f"#L{self.line}" if self.line is not None else "")


Cell = str | Message | Link
Row = tuple[str, Sequence[Cell]]  # the state that colours it, empty where none does, and its cells
Remarks = tuple[str | Message, Sequence[Message]]  # under their title
One = TypeVar("One")


@dataclass(frozen=True)
class Table:
    """A table: its head, its rows, and which columns are numbers; details are not shown in a terminal."""

    head: Sequence[str]
    rows: Sequence[Row]
    numbers: Sequence[int] = ()
    is_detail: bool = False


@dataclass(frozen=True)
class Document:
    """What is said: ``about`` what, tables, remarks, and a summary of one line.

    ``chart``: draws it with addresses for a folder, as a chart of Altair; None where there is nothing to draw.
    """

    title: str
    about: Message
    tables: Sequence[Table]
    remarks: Sequence[Remarks]
    summary: Message
    chart: Callable[[Translate, Path], Any] = field(compare=False)


def changes_table(changes: Iterable[tuple[str | Message, Difference]], *, is_detail: bool = False) -> Table:
    """What differs, under titles: of each side the values and where the first is stated."""
    rows = list[Row]()
    for title, change in changes:
        cells: list[Cell] = [title, shortened(change.name)]
        for said, side in zip(change.said, change.sides, strict=True):
            cells += [shortened(said), Link(side[0].place, Path(side[0].file), side[0].line) if side else NONE]
        rows.append(("", cells))
    return Table(CHANGES_HEAD, rows, is_detail=is_detail)


def grouped(
    cases: Sequence[tuple[str, Sequence[One]]], key: Callable[[One], object] = lambda one: one
) -> list[tuple[str | Message, Sequence[One]]]:
    """What is said of each case under its title, and at the end what is of all of several, by its ``key``."""
    keys = [{key(one) for one in said} for _, said in cases]
    shared = set.intersection(*keys) if len(keys) > 1 else set()
    found: list[tuple[str | Message, Sequence[One]]] = [
        (title, [one for one in said if key(one) not in shared]) for title, said in cases
    ]
    if shared:
        found.append((Message(ALL_CASES), [one for one in cases[0][1] if key(one) in shared]))
    return [(title, said) for title, said in found if said]


def summary(verdicts: Sequence[str], nothing: str) -> Message:
    """One line: how many cases have each verdict."""
    each = [Message(OF_VERDICT, count=verdicts.count(one), verdict=Message(one)) for one in COLOURS if one in verdicts]
    return Message.of_count(len(verdicts), *SUMMARY, verdicts=joined(AND, each)) if each else Message(nothing)


def plain(told: Any) -> Any:
    """What is found as JSON can hold it: dataclasses by the names of the fields that their repr shows, sentences and
    paths as text, and nothing for what is no number.
    """
    if isinstance(told, Message | Path):
        return str(told)
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
    """The tables but details, the remarks, and the summary."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)

    def line(text: str, style: str = "") -> None:
        console.print(Text(text, style=style), soft_wrap=True)

    line(worded(said.about, translate))
    for table in (one for one in said.tables if one.rows and not one.is_detail):
        rows = [[translate(title) for title in table.head]]
        rows += [[printable(_said(cell, translate)) for cell in cells] for _, cells in table.rows]
        styles = ["bold", *(STYLES.get(state, "") for state, _ in table.rows)]
        right = [at in table.numbers for at in range(len(table.head))]
        for style, lines in zip(styles, _aligned(rows, right, console.width), strict=True):
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
        parts.append(markdown.table(head, [[_said(cell, translate) for cell in cells] for _, cells in table.rows]))
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


def _filled(template: str, said: Document, language: str, folder: Path) -> str:
    """A template of this room; what is filled in is escaped."""
    translate = Translator(language).translate
    loader = FileSystemLoader(FOLDER)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(template).render(
        said=said,
        language=language,
        translate=translate,
        word=lambda cell: markdown.seen(_said(cell, translate)),
        address=lambda cell: cell.address(folder) if isinstance(cell, Link) else "",
        chart=Markup(svg(said, translate, folder)),  # noqa: S704 - Vega escapes what is in its marks
    )


def svg(said: Document, translate: Translate, folder: Path) -> str:
    """The chart as SVG; empty where there is none, or Altair is not installed."""
    with suppress(ExtraError), extra("charts", "Charts need"):
        import vl_convert  # noqa: PLC0415 - it comes with the extra

        if (drawn := said.chart(translate, folder)) is not None:
            whole = drawn.configure(font=FONTS, background="transparent").configure_view(stroke=None)
            return HIDDEN.sub(lambda found: escape(unquote(found[1])), vl_convert.vegalite_to_svg(whole.to_json()))
    return ""


def colour(translate: Translate, **options: Any) -> Any:
    """How a chart colours what has a state."""
    import altair as alt  # noqa: PLC0415 - it comes with the extra

    scale = alt.Scale(domain=[translate(one) for one in COLOURS], range=list(COLOURS.values()))
    return alt.Color("state:N", scale=scale, **options)


def hidden(address: str) -> str:
    """The address of a file for a chart: Vega completes addresses that are not whole by one of its own."""
    return f"https://hidden/?{quote(address, safe='')}"


# ---- rows on a terminal


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[bool], width: int) -> Iterator[list[list[str]]]:
    """The lines of each row, each a list of its padded cells; several where the cells do not fit on one.

    ``rows``: printable texts, as many each as there are columns. ``right``: which columns are aligned to the right.
    ``width``: of a line, with two blanks between cells.
    """
    natural = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    widths = _fitted(natural, width - len(GAP) * (len(natural) - 1))
    wrapped = cache(partial(_wrapped, Console(None, width=width)))
    for row in rows:
        cells = [wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        lines = zip_longest(*cells, fillvalue="")
        yield [[_padded(*one) for one in zip(texts, widths, right, strict=True)] for texts in lines]


def _fitted(widths: Sequence[int], width: int) -> list[int]:
    """The widths of columns, the widest of them cut until all fit, as far as every column has a character left."""
    found = list(widths)
    while (excess := sum(found) - width) > 0 and max(found) > 1:
        widest = max(found)
        next_widest = max((one for one in found if one < widest), default=1)
        widest_columns = [number for number, one in enumerate(found) if one == widest]
        cut = min(widest - next_widest, -(-excess // len(widest_columns)))
        for number in widest_columns:
            found[number] -= cut
    return found


def _wrapped(console: Console, cell: str, width: int) -> list[str]:
    """A text in lines that fit."""
    if cell_len(cell) <= width:
        return [cell]
    return [line.plain.rstrip() for line in Text(cell).wrap(console, width, overflow="fold")]


def _padded(text: str, width: int, right: bool) -> str:
    text = text.rstrip()
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks
