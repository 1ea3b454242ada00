"""A comparison as text: a table and remarks for the terminal, and the same as Markdown with links to the logs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from io import StringIO
from pathlib import Path

from parsers.io.console import Console, Text
from parsers.io.message import Message
from parsers.io.printable import printable

from ...terminal.aligned_rows import GAP, aligned
from ...wording import markdown
from ...wording.words import Translate, worded
from ..sides import ComparedSides
from .comparison_links import Cell, change_rows, log_rows
from .comparison_rows import ARE_NUMBERS, CHANGES_HEAD, HEAD, LOGS_HEAD, Remarks, cells, head_line, remarks, summary

COLOURS = {"slower": "red", "unknown": "yellow", "faster": "green", "same": "green"}
WIDTH = 160  # of what is printed into a file or a pipe
LEFT_OUT = "Left out: {said}"


def terminal(found: ComparedSides, translate: Translate, *, colour: bool) -> str:
    """The table of the cases, the remarks of each, and how many have each verdict."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)
    console.print(Text(worded(head_line(found), translate)), soft_wrap=True)
    styles = ["bold", *(COLOURS["slower" if case.is_wrong else case.verdict] for case in found.cases)]
    rows = [[printable(cell) for cell in row] for row in _rows(found, translate)]
    for style, lines in zip(styles, aligned(rows, ARE_NUMBERS, console.width), strict=True):
        for line in lines:
            console.print(Text(GAP.join(line).rstrip(), style=style), soft_wrap=True)
    for of_case in remarks(found):
        console.print(Text(_title(of_case, translate), style="bold"), soft_wrap=True)
        for said in of_case.said:
            console.print(Text(f"  {worded(said, translate)}", style="dim"), soft_wrap=True)
    console.print(Text(worded(summary(found.cases), translate)), soft_wrap=True)
    return out.getvalue()


def as_markdown(found: ComparedSides, translate: Translate, *, is_linked: bool = True) -> str:
    """The same as Markdown, with tables of what differs and of all runs, whose files are linked from this folder.

    ``is_linked``: false for a place from where no file can be reached, such as a comment.
    """
    safe = partial(worded, translate=translate, shown=markdown.text)
    head, *rows = _rows(found, translate)
    said = [Message(LEFT_OUT, said=one) for side in found.left_out for one in side]
    parts = [
        safe(head_line(found)),
        markdown.table(head, rows),
        *(
            listed(f"**{markdown.text(_title(of, translate))}**", map(safe, of.said))
            for of in remarks(found, with_changes=False)
        ),
        "\n".join(f"- {safe(one)}" for one in said),
        linked_table(CHANGES_HEAD, list(change_rows(found)), translate, is_linked=is_linked),
        linked_table(LOGS_HEAD, list(log_rows(found)), translate, is_linked=is_linked),
        safe(summary(found.cases)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(of_case: Remarks, translate: Translate) -> str:
    return worded(of_case.title, translate) if isinstance(of_case.title, Message) else of_case.title


def listed(title: str, said: Iterable[str]) -> str:
    """Sentences that are safe in Markdown, as a list under its title."""
    return "\n".join([f"{title}\n", *(f"- {one}" for one in said)])


def _rows(found: ComparedSides, translate: Translate) -> list[list[str]]:
    rows = [cells(case) for case in found.cases]
    shown = [[worded(cell, translate) if isinstance(cell, Message) else cell for cell in row] for row in rows]
    return [[translate(title) for title in HEAD], *shown]


def linked_table(
    head: Sequence[str], rows: Sequence[Sequence[Cell]], translate: Translate, *, is_linked: bool = True
) -> str:
    """A Markdown table whose cells lead to files, by their paths from this folder; empty without rows."""
    shown = [[_cell(cell, translate, is_linked=is_linked) for cell in row] for row in rows]
    lines = [[markdown.text(translate(title)) for title in head], ["---"] * len(head), *shown]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


def _cell(cell: Cell, translate: Translate, *, is_linked: bool) -> str:
    if isinstance(cell, str | Message):
        return markdown.text(worded(cell, translate) if isinstance(cell, Message) else cell)
    said = [_cell(link.said, translate, is_linked=is_linked) for link in cell]
    if not is_linked:
        return ", ".join(said)
    return ", ".join(f"[{name}]({link.address(Path())})" for name, link in zip(said, cell, strict=True))
