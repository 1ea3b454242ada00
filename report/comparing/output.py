"""Output: what a comparison or a history says, as one document that is shown in a terminal, as Markdown and as HTML."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import rich.table
from markupsafe import Markup, escape

from parsers.io.console import Console, Text
from parsers.io.errors import ExtraError, extra
from parsers.io.message import Message, joined

from ..views.view import templates
from ..wording import markdown
from ..wording.words import Translate, Translator, worded
from .conditions import Difference

PASSED, FAILED, UNKNOWN = 0, 1, 3  # what a gate says
FONTS = "Segoe UI, Noto Sans, Helvetica, Arial, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif"
WIDTH = 160  # of what is printed into a file or a pipe
LONGEST = 60  # characters of a value
HIDDEN = re.compile(r'https://hidden/\?([^"]*)')
NONE = "-"
PART = "comparing_part.html.jinja"  # of a page, for a notebook
# Of states, in a terminal and on a page; in this order they are counted and drawn.
COLOURS: Mapping[str, str] = {"slower": "#b3261e", "unknown": "#8a6a00", "faster": "#1a7f4b", "same": "#0b63b5"}
CHANGES_HEAD = ("Case", "What differs", "A", "Where (A)", "B", "Where (B)")
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


@dataclass(frozen=True)
class Table:
    """A table: its head, its rows, and which columns are numbers; details are not shown in a terminal."""

    head: Sequence[str]
    rows: Sequence[Row]
    numbers: Sequence[int] = ()
    is_detail: bool = False

    def texts(self, translate: Translate) -> list[list[str]]:
        """Its rows without links, the head first."""
        rows = [[_said(cell, translate) for cell in cells] for _, cells in self.rows]
        return [[translate(title) for title in self.head], *rows]


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

    def terminal(self, translate: Translate, *, colour: bool) -> str:
        """The tables but details, the remarks, and the summary."""
        out = StringIO()
        console = Console(out, force_terminal=colour, width=None if colour else WIDTH)
        tell = partial(console.print, soft_wrap=True)
        tell(Text(worded(self.about, translate)))
        for table in (table for table in self.tables if table.rows and not table.is_detail):
            shown = rich.table.Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
            head, *rows = table.texts(translate)
            for at, title in enumerate(head):
                justify = "right" if at in table.numbers else "left"
                shown.add_column(Text(title), justify=justify, overflow="fold")  # type: ignore[arg-type]
            for (state, _), cells in zip(table.rows, rows, strict=True):
                shown.add_row(*map(Text, cells), style=COLOURS.get(state, ""))
            console.print(shown)
        for heading, remarks in self.remarks:
            tell(Text(_said(heading, translate), "bold"))
            for one in remarks:
                tell(Text(f"  {worded(one, translate)}", "dim"))
        tell(Text(worded(self.summary, translate)))
        return "".join(f"{line.rstrip(' ')}\n" for line in out.getvalue().removesuffix("\n").split("\n"))

    def markdown(self, translate: Translate) -> str:
        """All of it as GitHub shows it, without links: a comment is where no file can be reached."""
        safe = partial(worded, translate=translate, shown=markdown.text)
        parts = [safe(self.about)]
        for head, *rows in (one.texts(translate) for one in self.tables if one.rows):
            parts.append(markdown.table(head, rows))
        for title, remarks in self.remarks:
            told = "\n".join(f"- {safe(one)}" for one in remarks)
            parts.append(f"**{markdown.text(_said(title, translate))}**\n\n{told}")
        return "\n\n".join([*parts, safe(self.summary)]) + "\n"

    def html(self, language: str, folder: Path, template: str = "comparing.html.jinja") -> str:
        """A page that needs nothing beside it, with links from the folder that it is in; raises WordsError."""
        translate = Translator(language).translate
        return (
            templates(autoescape=True)
            .get_template(template)
            .render(
                said=self,
                language=language,
                translate=translate,
                word=lambda cell: markdown.seen(_said(cell, translate)),
                address=lambda cell: cell.address(folder) if isinstance(cell, Link) else "",
                chart=Markup(self._svg(translate, folder)),  # noqa: S704 - Vega escapes what is in its marks
            )
        )

    def _svg(self, translate: Translate, folder: Path) -> str:
        """The chart; empty where there is none, or Altair is not installed."""
        with suppress(ExtraError), extra("charts", "Charts need"):
            import vl_convert  # noqa: PLC0415 - it comes with the extra

            if (drawn := self.chart(translate, folder)) is not None:
                whole = drawn.configure(font=FONTS, background="transparent").configure_view(stroke=None)
                return HIDDEN.sub(lambda found: escape(unquote(found[1])), vl_convert.vegalite_to_svg(whole.to_json()))
        return ""


def _said(cell: Cell, translate: Translate) -> str:
    """A cell without its links."""
    text = cell.said if isinstance(cell, Link) else cell
    return worded(text, translate) if isinstance(text, Message) else text


def changes_table(changes: Iterable[tuple[str, Difference]], *, is_detail: bool = False) -> Table:
    """What differs, under the cases where it does: of each side the values and where the first is stated."""
    alike: dict[tuple[str, ...], list[tuple[str, Difference]]] = {}
    for title, change in changes:
        alike.setdefault((change.name, *change.said), []).append((title, change))
    rows = list[Row]()
    for each in alike.values():
        change = each[0][1]
        cells: list[Cell] = [shortened(", ".join(title for title, _ in each)), shortened(change.name)]
        for said, side in zip(change.said, change.sides, strict=True):
            cells += [shortened(said), Link(side[0].place, Path(side[0].file), side[0].line) if side else NONE]
        rows.append(("", cells))
    return Table(CHANGES_HEAD, rows, is_detail=is_detail)


def summary(verdicts: Sequence[str], nothing: str) -> Message:
    """One line: how many cases have each verdict."""
    counts = {one: verdicts.count(one) for one in COLOURS if one in verdicts}
    each = [Message("{count} {verdict}", count=count, verdict=Message(one)) for one, count in counts.items()]
    if not each:
        return Message(nothing)
    return Message.of_count(len(verdicts), *SUMMARY, verdicts=joined("{first}, {second}", each))


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


def colour(translate: Translate, **options: Any) -> Any:
    """How a chart colours what has a state."""
    import altair as alt  # noqa: PLC0415 - it comes with the extra

    scale = alt.Scale(domain=[translate(one) for one in COLOURS], range=list(COLOURS.values()))
    return alt.Color("state:N", scale=scale, **options)


def hidden(address: str) -> str:
    """The address of a file for a chart: Vega completes addresses that are not whole by one of its own."""
    return f"https://hidden/?{quote(address, safe='')}"
