"""Charts of Markdown pages: the numbers of a table as bars, an SVG that Altair draws; HTML draws its own."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from parsers.io.errors import extra

from .view import Bar

# The colours of the style sheet on a light ground.
COLOURS = {
    "paddle": "#0b63b5",
    "tensorflow": "#c4570a",
    "torch": "#a3357f",
    "mxnet": "#1f8a70",
    "other": "#4b6a88",
}
TEXT = "#1b1f24"
BAR, GAP, WIDTH = 15, 4, 330  # px: a bar, the gap between them, a panel
ROOM = 1.35  # of the longest bar: for its label
FONTS = "Segoe UI, Noto Sans, Helvetica, Arial, PingFang SC, Microsoft YaHei, Noto Sans CJK SC, sans-serif"


def svg(groups: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """A panel for each group, its scale its own from 0, a bar for each number, labelled; empty for no groups.

    Raises ExtraError where Altair is not installed.
    """
    if not groups:
        return ""
    with extra("charts", "Charts need"):
        import altair as alt  # noqa: PLC0415 - it comes with the extra
        import vl_convert  # noqa: PLC0415
    colour = alt.Color("family:N", legend=None, scale=alt.Scale(domain=[*COLOURS], range=[*COLOURS.values()]))
    axis = alt.Axis(labelLimit=260, domain=False, ticks=False, labelPadding=8)
    panels: list[Any] = []
    for group, bars in groups:
        rows = [{**asdict(bar), "y": f"{bar.row}  {bar.column}".rstrip()} for bar in bars]
        base = alt.Chart(alt.InlineData(values=rows)).encode(
            y=alt.Y("y:N", sort=None, title=None, axis=axis),
            x=alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, 100 * ROOM])),
        )
        pale = alt.condition("datum.pale", alt.value(0.45), alt.value(1))
        drawn = base.mark_bar(height=BAR - 3, cornerRadiusEnd=2).encode(color=colour, opacity=pale)
        labels = base.mark_text(align="left", dx=6, color=TEXT).encode(text="label:N")
        title = alt.Title(group, anchor="start", fontSize=13, color=TEXT)
        panels.append((drawn + labels).properties(width=WIDTH, height=alt.Step(BAR + GAP), title=title))
    whole = alt.concat(*panels, columns=2, spacing=28).configure(font=FONTS, background="transparent")
    whole = whole.configure_view(stroke=None).configure_axis(labelColor=TEXT, labelFontSize=13)
    drawn_as = vl_convert.vegalite_to_svg(whole.configure_text(fontSize=13).to_json())
    # Vega numbers clips on from drawing to drawing, of which it may make several; the same bars give the same bytes.
    numbers: dict[str, str] = {}
    return re.sub(r"\bclip\d+", lambda found: numbers.setdefault(found[0], f"clip{len(numbers)}"), drawn_as)
