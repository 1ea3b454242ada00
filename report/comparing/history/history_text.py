"""A history as text: a table and remarks for the terminal, and the same as Markdown with links to the logs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from io import StringIO

from parsers.io.console import Console, Text
from parsers.io.message import Message
from parsers.io.printable import printable

from ...terminal.aligned_rows import GAP, aligned
from ...wording import markdown
from ...wording.words import Translate, worded
from ..output.comparison_links import Cell
from ..output.comparison_text import COLOURS, WIDTH, linked_table, listed
from .case_histories import CaseHistories
from .history_rows import (
    ALL_CASES_RULE,
    ARE_NUMBERS,
    CHANGES_HEAD,
    HEAD,
    about,
    change_rows,
    remarks_of,
    segment_rows,
    shared_rule,
    summary,
)


def terminal(found: CaseHistories, translate: Translate, *, colour: bool) -> str:
    """The segments of all cases, the remarks of each, and how many are how."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)
    console.print(Text(worded(about(found), translate)), soft_wrap=True)
    rows = [(case.state, row) for case in found.cases for row in segment_rows(case, found.by)]
    styles = ["bold", *(COLOURS.get(state, "") if row[-1] else "" for state, row in rows)]
    texts = [[translate(title) for title in HEAD], *([plain(cell, translate) for cell in row] for _, row in rows)]
    shown = [[printable(text) for text in row] for row in texts]
    for style, lines in zip(styles, aligned(shown, ARE_NUMBERS, console.width), strict=True):
        for line in lines:
            console.print(Text(GAP.join(line).rstrip(), style=style), soft_wrap=True)
    rule = shared_rule(found)
    for case in found.cases:
        if said := list(remarks_of(case, found.by, with_rule=rule is None)):
            console.print(Text(case.title, style="bold"), soft_wrap=True)
            for one in said:
                console.print(Text(f"  {worded(one, translate)}", style="dim"), soft_wrap=True)
    for one in [Message(ALL_CASES_RULE, rule=rule)] if rule else []:
        console.print(Text(worded(one, translate), style="dim"), soft_wrap=True)
    console.print(Text(worded(summary(found.cases), translate)), soft_wrap=True)
    return out.getvalue()


def plain(cell: Cell, translate: Translate) -> str:
    """A cell without its links."""
    if isinstance(cell, str | Message):
        return worded(cell, translate) if isinstance(cell, Message) else cell
    return ", ".join(plain(link.said, translate) for link in cell)


def as_markdown(found: CaseHistories, translate: Translate) -> str:
    """The same as Markdown, with a table of what differs, whose files are linked from this folder."""
    safe = partial(worded, translate=translate, shown=markdown.text)
    segments = [row for case in found.cases for row in segment_rows(case, found.by)]
    differs: Sequence[Sequence[Cell]] = [row for case in found.cases for row in change_rows(case, found.by)]
    rule = shared_rule(found)
    remarks = [(case.title, list(remarks_of(case, found.by, with_rule=rule is None))) for case in found.cases]
    parts = [
        safe(about(found)),
        linked_table(HEAD, segments, translate),
        *(listed(f"**{markdown.text(title)}**", map(safe, said)) for title, said in remarks if said),
        linked_table(CHANGES_HEAD, differs, translate),
        safe(Message(ALL_CASES_RULE, rule=rule)) if rule else "",
        safe(summary(found.cases)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
