"""Curves: how the throughputs of one table grow with the number of cards, beside the ideal."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt

from ..pagefile.page import Table
from ..wording.words import Translator
from .assembly import Rows, Spec, layer, layered, stacked, told
from .chart import Chart
from .chart_words import label
from .figure import Figure
from .header import Frame, Header, KeyEntry
from .style import IDEAL, INK, SeriesStyle, configured, looks

FEWEST_POINTS = 3
MOST_CURVES = 8
HEIGHT = 300
FRAME = Frame(left=70, plot=600, right=50)

# How far the axis goes on beyond the numbers, as a ratio.
ROOM = 1.3

_AXIS = 44
_LINE = told(alt.MarkDef("line"))
_LOOK = {
    "color": told(alt.Color(field="colour", type="nominal", scale=None)),
    "strokeDash": told(alt.StrokeDash(field="dash", type="nominal", scale=None)),
}
_POINT = told(alt.MarkDef("point", stroke=INK, size=80, strokeWidth=1, opacity=1))

TITLE = "{title}: scaling ({unit})"
CARDS = "Cards"
IDEAL_LINE = "linear scaling"
QUOTED_POINT = "hollow: quoted ‡"
SHAPE = "Log-log line chart of {count} series in {unit} by cards, each with its linear-scaling line."
SERIES = "{series}: {low} at {few}, {high} at {many} cards, {percent} % of linear scaling"
ALL = "{each}."
SOME_SERIES = "Showing the first {shown} of {count} series."


@dataclass(frozen=True)
class Curve:
    """The numbers of one series, by cards: of one column of the page and one case but for nodes and cards."""

    title: str
    figures: Sequence[Figure]

    def ideal(self, cards: int) -> float:
        """What the throughput would be, did it grow with the cards from the fewest on."""
        first = self.figures[0]
        return first.value * cards / _cards(first)

    @property
    def efficiency(self) -> float:
        """The throughput on the most cards over the ideal one."""
        return self.figures[-1].value / self.ideal(_cards(self.figures[-1]))


def curves(table: Table, figures: Sequence[Figure], name: str, translator: Translator) -> Chart | None:
    """The throughputs of a table by cards, log-log with the ideal lines; None where no series has three counts.

    ``figures``: the numbers of the table, which share a unit. ``name``: that of the chart.
    """
    found = list(series(figures))
    return _Curves(table, found, translator).chart(name) if found else None


def series(figures: Sequence[Figure]) -> Iterator[Curve]:
    """The curves of a table: series with one number for each of three or more counts of cards."""
    for group in _grouped(figures):
        counts = {figure.cards: figure for figure in group}
        if len(counts) >= FEWEST_POINTS and len(counts) == len(group):
            yield Curve(_title(group), sorted(group, key=_cards))


def _grouped(figures: Sequence[Figure]) -> list[list[Figure]]:
    groups: dict[object, list[Figure]] = {}
    for figure in figures:
        # Of a run of another size the page computes no scaling efficiency, and so a curve tells none.
        if figure.cards and figure.value > 0 and figure.is_of_its_size:
            groups.setdefault(_kind(figure), []).append(figure)
    return list(groups.values())


def _kind(figure: Figure) -> object:
    """What a series keeps while its cards grow: the column of the page, and the case but for nodes and cards."""
    case = figure.cell.case
    return figure.of, frozenset((axis, value) for axis, value in case.items() if axis not in ("nodes", "cards"))


def _cards(figure: Figure) -> int:
    return figure.cards or 1


def _title(group: Sequence[Figure]) -> str:
    """What all numbers of a series share: the title of their column, or of their row where cards go by columns."""
    (column, *others) = dict.fromkeys(figure.cell.column for figure in group)
    return group[0].cell.row if others else column


def _line(curve: Curve, look: SeriesStyle) -> Iterator[dict[str, Any]]:
    for figure in curve.figures:
        yield {"cards": _cards(figure), "value": figure.value, "colour": look.colour, "dash": list(look.dash)}


def _ideal(curve: Curve, look: SeriesStyle) -> Iterator[dict[str, Any]]:
    for cards in (_cards(curve.figures[0]), _cards(curve.figures[-1])):
        yield {"cards": cards, "value": curve.ideal(cards), "colour": look.colour, "dash": list(IDEAL)}


class _Curves:
    """What the parts of one chart share."""

    def __init__(self, table: Table, found: Sequence[Curve], translator: Translator) -> None:
        self.table, self.found, self.translator = table, found, translator
        self.shown = found[:MOST_CURVES]
        self.looks = looks(len(self.shown))
        self.unit = label(found[0].figures[0].unit, 16)
        self.cards = sorted({_cards(figure) for curve in self.shown for figure in curve.figures})

    def chart(self, name: str) -> Chart:
        title = self.translator.say(TITLE, title=self._words(self.table.title, 60), unit=self.unit)
        header = Header(title, "", list(self._entries()), FRAME)
        plot = layered(self._layers(), FRAME.plot, HEIGHT)
        parts = stacked([header.view(HEIGHT + _AXIS), plot], 0)
        return Chart(name, title, configured(parts), self._alternative(), self.table.name)

    def _layers(self) -> Iterator[Spec]:
        drawn = list(zip(self.shown, self.looks, strict=True))
        yield self._lines([row for curve, look in drawn for row in _ideal(curve, look)], 1.5)
        yield self._lines([row for curve, look in drawn for row in _line(curve, look)], 2)
        yield from (self._points(curve, look) for curve, look in drawn)

    def _lines(self, rows: Rows, width: float) -> Spec:
        return layer(rows, {**_LINE, "strokeWidth": width}, {**self._axes, **_LOOK})

    def _points(self, curve: Curve, look: SeriesStyle) -> Spec:
        rows = [self._datum(curve, figure) for figure in curve.figures]
        mark = {**_POINT, "shape": look.shape, "fill": look.colour}
        hollow = {"condition": {"test": "datum.quoted", "value": 0}, "value": 1}
        return layer(rows, mark, {**self._axes, "fillOpacity": hollow, "tooltip": self._tooltip})

    def _datum(self, curve: Curve, figure: Figure) -> dict[str, Any]:
        return {
            "series": self._words(curve.title, 40),
            "cards": _cards(figure),
            "value": figure.value,
            "digits": figure.digits,
            "quoted": figure.is_quoted,
            "ideal": f"{100 * figure.value / curve.ideal(_cards(figure)):.1f} %",
        }

    @cached_property
    def _tooltip(self) -> list[Spec]:
        titles = {"series": "Column", "cards": CARDS, "ideal": "of linear scaling"}
        said = {field: self.translator.translate(title) for field, title in titles.items()} | {"digits": self.unit}
        return [{"field": field, "type": "nominal", "title": title} for field, title in said.items()]

    @cached_property
    def _axes(self) -> dict[str, Any]:
        x = alt.Scale(type="log", base=2, domain=[self.cards[0], self.cards[-1]], padding=20, nice=False)
        cards = alt.Axis(values=self.cards, format="d", title=self.translator.translate(CARDS))
        y = alt.Scale(type="log", domain=self._domain(), nice=False)
        speeds = alt.Axis(title=None, format=",~f", values=self._ticks())
        return {
            "x": told(alt.X(field="cards", type="quantitative", scale=x, axis=cards)),
            "y": told(alt.Y(field="value", type="quantitative", scale=y, axis=speeds)),
        }

    def _domain(self) -> tuple[float, float]:
        """All numbers and all ends of ideal lines, with some room around them."""
        values = [figure.value for curve in self.shown for figure in curve.figures]
        ideals = [curve.ideal(_cards(curve.figures[-1])) for curve in self.shown]
        return min(values) / ROOM, max(*values, *ideals) * ROOM

    def _ticks(self) -> list[float]:
        """1, 2 and 5 times the powers of ten that the axis shows."""
        low, high = self._domain()
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
        ticks = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
        return [tick for tick in ticks if low <= tick <= high]

    def _entries(self) -> Iterator[KeyEntry]:
        for curve, look in zip(self.shown, self.looks, strict=True):
            yield KeyEntry(self.translator.translate(curve.title), "dots", look)
        yield KeyEntry(self.translator.translate(IDEAL_LINE), "line", SeriesStyle(INK, dash=IDEAL))
        if any(figure.is_quoted for curve in self.shown for figure in curve.figures):
            yield KeyEntry(self.translator.translate(QUOTED_POINT), "hollow", SeriesStyle(INK))

    def _alternative(self) -> str:
        said = [self.translator.say(SHAPE, count=len(self.found), unit=self.unit)]
        said.append(self.translator.say(ALL, each=self.translator.joined(map(self._said, self.shown))))
        if len(self.found) > len(self.shown):
            said.append(self.translator.say(SOME_SERIES, shown=len(self.shown), count=len(self.found)))
        return self.translator.sentences(said)

    def _said(self, curve: Curve) -> str:
        low, high = curve.figures[0], curve.figures[-1]
        ends = {"low": low.digits, "few": _cards(low), "high": high.digits, "many": _cards(high)}
        return self.translator.say(
            SERIES, series=self._words(curve.title, 40), percent=f"{100 * curve.efficiency:.1f}", **ends
        )

    def _words(self, raw: str, columns: int) -> str:
        return label(self.translator.translate(raw), columns)
