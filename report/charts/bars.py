"""Bars: the throughputs of one table side by side, a group of bars a row."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import altair as alt

from ..pagefile.page import Table
from ..wording.words import Translator, worded
from .assembly import Spec, grouped, marked, stacked, told
from .chart import Chart
from .chart_words import label, width
from .figure import Figure
from .header import Frame, Header, KeyEntry
from .style import HOLLOW, INK, SHADE, SeriesStyle, configured, looks

MOST_BARS = 60
# Rows whose numbers are further apart than this would leave bars too short to compare on one axis.
FAR_APART = 5

WIDTH = 720
DIGITS = 140
DIGITS_COLUMNS = 20
TITLE_COLUMNS = 64
ROW_COLUMNS = 34

_BAR = 19
_BETWEEN, _AROUND = 0.15, 0.05  # bars of a row, in widths of one with what is between
_GAP = 10
_AXIS = 26

TITLE = "{title} ({unit})"
EACH_ROW = "Scales differ between groups."
WHISKERS = "range of repeats"
QUOTED = "quoted ‡"
SOME = "Showing the first {shown} of {count} numbers."
ONLY = "Bar chart of one number in {unit}: {high} ({high_row}, {high_column})."
EXTREMES = (
    "Bar chart of {count} numbers in {unit}: the highest is {high} ({high_row}, {high_column}), the lowest {low}"
    " ({low_row}, {low_column})."
)
REPEATED = "Numbers of repeated runs: {count}."
QUOTES = "Quoted, not measured from a log: {count}."


def bars(table: Table, figures: Sequence[Figure], name: str, translator: Translator) -> Chart | None:
    """The throughputs of a table as bars, grouped by row; None where there are fewer than two to compare.

    ``figures``: the numbers of the table, which share a unit. ``name``: that of the chart.
    """
    return _Bars(table, figures, translator).chart(name) if len(figures) > 1 else None


class _Bars:
    """What the parts of one chart share."""

    def __init__(self, table: Table, figures: Sequence[Figure], translator: Translator) -> None:
        self.table, self.figures, self.translator = table, figures, translator
        self.shown = figures[:MOST_BARS]
        self.unit = figures[0].unit
        columns = {figure.column: figure.cell.column for figure in self.shown}
        self.looks = dict(zip(sorted(columns), looks(len(columns)), strict=True))
        self.titles = columns
        self.rows = [[f for f in self.shown if f.row == row] for row in dict.fromkeys(f.row for f in self.shown)]

    @cached_property
    def frame(self) -> Frame:
        """The canvas: as much room at the left as the titles of the rows need."""
        left = 16 + max(width(self._words(row[0].cell.row, ROW_COLUMNS)) for row in self.rows)
        return Frame(left, WIDTH - left - DIGITS, DIGITS)

    @cached_property
    def tops(self) -> list[float]:
        """Where the longest bar of each row ends, with its whisker."""
        return [max(max(figure.value, *figure.spread) for figure in row) for row in self.rows]

    @cached_property
    def are_apart(self) -> bool:
        """Whether one axis for all rows would make some bars too short."""
        return max(self.tops) > FAR_APART * min(self.tops)

    def chart(self, name: str) -> Chart:
        title = self.translator.say(
            TITLE, title=self._words(self.table.title, TITLE_COLUMNS), unit=label(self.unit, 16)
        )
        header = Header(title, self._note(), list(self._entries()), self.frame)
        spacing = _GAP + _AXIS * self.are_apart
        below = _GAP + round(sum(map(_height, self.rows))) + spacing * (len(self.rows) - 1) + _AXIS
        parts = stacked([header.view(below), self._groups(spacing)], _GAP)
        return Chart(name, title, configured(parts), self._alternative(), self.table.name)

    def _groups(self, spacing: int) -> Spec:
        bar = marked(_MARKS["bar"], {"x": _LENGTH, "y": _Y, **_LOOK, "tooltip": self._tooltip})
        digits = marked(_MARKS["digits"], {"x": _x("end"), "y": _Y, "text": _DIGITS})
        whiskers = _whiskers() if any(figure.is_spread for figure in self.shown) else ()
        # An axis of nothing but 0 would have it in the middle.
        reach = () if all(self.tops) else (_REACH,)
        view = {"layer": [bar, *whiskers, digits, _TITLE, *reach], "width": self.frame.plot, "height": {"step": _BAR}}
        return grouped(list(self._data()), "group", view, spacing, one_axis=not self.are_apart)

    def _data(self) -> Iterator[dict[str, Any]]:
        """One bar each; the first of a row says its title, where the middle of its bars is, and how far they reach."""
        for row, top in zip(self.rows, self.tops, strict=True):
            of_row = {"title": self._words(row[0].cell.row, ROW_COLUMNS), "middle": _height(row) / 2, "top": top or 1}
            yield from (self._datum(figure) | (of_row if figure is row[0] else _NOT_FIRST) for figure in row)

    def _datum(self, figure: Figure) -> dict[str, Any]:
        low, high = figure.spread
        return {
            "group": figure.row,
            "number": figure.column,
            "row": self._words(figure.cell.row, ROW_COLUMNS),
            "column": self._words(figure.cell.column, ROW_COLUMNS),
            "value": figure.value,
            "digits": self._digits(figure),
            "low": low,
            "high": high,
            "end": max(figure.value, high),
            "quoted": figure.is_quoted,
            "colour": self.looks[figure.column].colour,
        }

    def _digits(self, figure: Figure) -> str:
        """The digits of a number; where its log contradicts its label also what the log states."""
        qualifier = figure.cell.qualifier
        if qualifier is None:
            return figure.digits
        return label(f"{figure.digits} ({worded(qualifier, self.translator.translate)})", DIGITS_COLUMNS)

    @cached_property
    def _tooltip(self) -> list[Spec]:
        titles = {"row": self._words(self.table.corner, ROW_COLUMNS) or self.translator.translate("Row")}
        titles |= {"column": self.translator.translate("Column"), "digits": label(self.unit, 16)}
        return [{"field": field, "type": "nominal", "title": title} for field, title in titles.items()]

    def _note(self) -> str:
        return self.translator.translate(EACH_ROW) if self.are_apart else ""

    def _entries(self) -> Iterator[KeyEntry]:
        for column, look in self.looks.items():
            yield KeyEntry(self.translator.translate(self.titles[column]), "bar", look)
        if any(figure.is_quoted for figure in self.shown):
            yield KeyEntry(self.translator.translate(QUOTED), "hollow", SeriesStyle(INK))
        if any(figure.is_spread for figure in self.shown):
            yield KeyEntry(self.translator.translate(WHISKERS), "whisker", SeriesStyle(INK))

    def _alternative(self) -> str:
        high, low = (choose(self.figures, key=lambda figure: figure.value) for choose in (max, min))
        said = [
            self.translator.say(
                ONLY if len(self.figures) == 1 else EXTREMES,
                count=len(self.figures),
                unit=label(self.unit, 16),
                **self._place("high", high),
                **self._place("low", low),
            )
        ]
        counts = {
            REPEATED: sum(figure.is_spread for figure in self.figures),
            QUOTES: sum(figure.is_quoted for figure in self.figures),
        }
        said += [self.translator.say(message, count=count) for message, count in counts.items() if count]
        if len(self.figures) > len(self.shown):
            said.append(self.translator.say(SOME, shown=len(self.shown), count=len(self.figures)))
        return self.translator.sentences(said)

    def _place(self, prefix: str, figure: Figure) -> dict[str, str]:
        titles = {"row": figure.cell.row, "column": figure.cell.column}
        said = {f"{prefix}_{name}": self._words(title, ROW_COLUMNS) for name, title in titles.items()}
        return {prefix: figure.digits, **said}

    def _words(self, raw: str, columns: int) -> str:
        return label(self.translator.translate(raw), columns)


def _height(row: Sequence[Figure]) -> float:
    """How many pixels the bands of a row take, by Vega's rule."""
    return _BAR * (len(row) - _BETWEEN + 2 * _AROUND)


def _x(field: str) -> Spec:
    return {"field": field, "type": "quantitative"}


def _if_quoted(quoted: Any, measured: Any) -> dict[str, Any]:
    return {"condition": {"test": "datum.quoted", "value": quoted}, "value": measured}


_MARKS = {
    "bar": told(alt.MarkDef("bar", stroke=INK, strokeWidth=1)),
    "digits": told(alt.MarkDef("text", align="left", dx=5, fontSize=12)),
    "whisker": told(alt.MarkDef("rule", color=INK, strokeWidth=2)),
    "end": told(alt.MarkDef("tick", color=INK, thickness=2, height=10)),
    "unseen": told(alt.MarkDef("point", opacity=0)),
    "title": told(alt.MarkDef("text", x=-8, align="right", baseline="middle")),
}
_BELOW = alt.Axis(title=None, grid=False, labelFlush=False, tickCount=5, format=",~f")
_LENGTH = told(
    alt.X(field="value", type="quantitative", stack=None, axis=_BELOW, scale=alt.Scale(zero=True, nice=False))
)
_BANDS = alt.Scale(paddingInner=_BETWEEN, paddingOuter=_AROUND)
_Y = told(alt.Y(field="number", type="nominal", sort=None, axis=None, scale=_BANDS))
_DIGITS = told(alt.Text(field="digits", type="nominal"))
_LOOK = {
    "fill": told(alt.Fill(field="colour", type="nominal", scale=None)),
    "fillOpacity": _if_quoted(SHADE, 1),
    "strokeDash": _if_quoted(list(HOLLOW), [1, 0]),
}
# What a row has once stands with its first bar; a filter would keep Vega-Lite from the domain of a row.
_NOT_FIRST = {"title": "", "middle": 0, "top": 0}
_MIDDLE = told(alt.Y(field="middle", type="nominal", scale=None, axis=None))
_TITLE_OF_ROW = told(alt.Text(field="title", type="nominal"))
_TITLE = marked(_MARKS["title"], {"y": _MIDDLE, "text": _TITLE_OF_ROW})
_REACH = marked(_MARKS["unseen"], {"y": _MIDDLE, "x": _x("top")})


def _whiskers() -> Iterator[Spec]:
    spread = {"condition": {"test": "datum.low < datum.high", "value": 1}, "value": 0}
    yield marked(_MARKS["whisker"], {"x": _x("low"), "x2": {"field": "high"}, "y": _Y, "opacity": spread})
    for end in ("low", "high"):
        yield marked(_MARKS["end"], {"x": _x(end), "y": _Y, "opacity": spread})
