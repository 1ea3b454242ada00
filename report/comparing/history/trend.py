"""Trends: the runs of a case over time or versions, as points that lead to their logs, in the style of the panels.

Places are parts of the width that there is, so that text keeps its size on any screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10

from markupsafe import Markup

HEIGHT, TOP, AXIS, BESIDE = 240, 20, 24, 76
MOST_POINTS = 1200
MARGIN = 0.08  # of the range of values, above and below
LINES = 4
TICKS = 3  # so that dates fit on a narrow screen


@dataclass(frozen=True)
class TrendPoint:
    """One run: where it stands, from 0 to 1, its ``value``, the ``address`` of its log, and what is ``said`` of it.

    ``is_hollow``: it confirms nothing yet.
    """

    at: float
    value: float
    address: str
    said: str
    is_hollow: bool = False


@dataclass(frozen=True)
class TrendLevel:
    """The mean of points that follow each other."""

    start: float
    end: float
    value: float


@dataclass(frozen=True)
class TrendMark:
    """A place where something changed; ``label``: its number in the table of changes, ``kind``: its class."""

    at: float
    label: str
    kind: str
    said: str


@dataclass(frozen=True)
class TrendGap:
    """A run without a value: where it stands, the ``address`` of its log, and why."""

    at: float
    address: str
    said: str


@dataclass(frozen=True)
class Trend:
    """One chart: points by their places, ascending, at least one; ``ticks``: places on the axis and what these are."""

    points: Sequence[TrendPoint]
    levels: Sequence[TrendLevel]
    marks: Sequence[TrendMark]
    gaps: Sequence[TrendGap]
    ticks: Sequence[tuple[float, str]]

    @property
    def drawn(self) -> Sequence[TrendPoint]:
        """The points that are drawn: of many, the lowest and the highest of each stretch."""
        return self.points if len(self.points) <= MOST_POINTS else list(_thinned(self.points))

    def svg(self) -> Markup:
        """What stands in a page, as wide as its place there."""
        scale = _Scale.of([*(point.value for point in self.points), *(level.value for level in self.levels)])
        parts = (Markup("").join(_labels(scale)), Markup("").join(self._parts(scale)))
        return Markup(
            '<div class="trend"><svg width="{}" height="{height}">{}</svg>'
            '<svg class="plot" height="{height}" overflow="visible">{}</svg></div>'
        ).format(BESIDE, *parts, height=HEIGHT)

    def _parts(self, scale: _Scale) -> Iterator[Markup]:
        for value in scale.lines:
            yield Markup('<line class="grid" x1="0" x2="100%" y1="{0:g}" y2="{0:g}"/>').format(scale.y(value))
        yield from _ticks(self.ticks)
        yield from map(_mark, self.marks)
        level = Markup('<line class="level" x1="{:.2f}%" x2="{:.2f}%" y1="{y:g}" y2="{y:g}"/>')
        yield from (level.format(100 * one.start, 100 * one.end, y=scale.y(one.value)) for one in self.levels)
        yield from (_point(one, scale) for one in self.drawn)
        yield from map(_gap, self.gaps)


@dataclass(frozen=True)
class _Scale:
    """Values as pixels from the top."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> _Scale:
        low, high = min(values), max(values)
        margin = MARGIN * ((high - low) or abs(high) or 1.0)
        return cls(low - margin, high + margin)

    def y(self, value: float) -> float:
        return round(TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - AXIS), 2)

    @property
    def lines(self) -> list[float]:
        """Round values in the range, a few of them."""
        step = _round((self.high - self.low) / LINES)
        first = floor(self.low / step) + 1
        return [number * step for number in range(first, first + 3 * LINES) if number * step < self.high]


def _round(step: float) -> float:
    power = 10.0 ** floor(log10(step))
    return next(factor for factor in (1, 2, 5, 10) if factor * power >= step) * power


def _labels(scale: _Scale) -> Iterator[Markup]:
    for value in scale.lines:
        text = Markup('<text class="soft" text-anchor="end" x="{}" y="{:g}">{}</text>')
        yield text.format(BESIDE - 8, scale.y(value) + 4, f"{value:,.7g}")


def _ticks(ticks: Sequence[tuple[float, str]]) -> Iterator[Markup]:
    anchors = {0.0: "start", 1.0: "end"}
    for at, said in ticks:
        text = Markup('<text class="soft" text-anchor="{}" x="{:.2f}%" y="{}">{}</text>')
        yield text.format(anchors.get(at, "middle"), 100 * at, HEIGHT - 6, said)


def _mark(mark: TrendMark) -> Markup:
    return Markup(
        '<g class="mark {kind}"><title>{said}</title><line x1="{at:.2f}%" x2="{at:.2f}%" y1="{top}" y2="{end}"/>'
        '<text text-anchor="middle" x="{at:.2f}%" y="{text}">{label}</text></g>'
    ).format(
        kind=mark.kind, said=mark.said, at=100 * mark.at, top=TOP, end=HEIGHT - AXIS, text=TOP - 6, label=mark.label
    )


def _point(point: TrendPoint, scale: _Scale) -> Markup:
    return Markup(
        '<a href="{}" tabindex="-1"><circle class="{}" cx="{:.2f}%" cy="{:g}" r="3.5"><title>{}</title></circle></a>'
    ).format(point.address, "hollow" if point.is_hollow else "point", 100 * point.at, scale.y(point.value), point.said)


def _gap(gap: TrendGap) -> Markup:
    return Markup(
        '<a href="{}" tabindex="-1"><text class="gap" text-anchor="middle" x="{:.2f}%" y="{}">×'
        "<title>{}</title></text></a>"
    ).format(gap.address, 100 * gap.at, HEIGHT - AXIS - 2, gap.said)


def _thinned(points: Sequence[TrendPoint]) -> Iterator[TrendPoint]:
    stretches = MOST_POINTS // 2
    edges = [len(points) * number // stretches for number in range(stretches + 1)]
    for start, stop in pairwise(edges):
        stretch = points[start:stop]
        ends = (min(stretch, key=lambda one: one.value), max(stretch, key=lambda one: one.value))
        yield from sorted(dict.fromkeys(ends), key=lambda one: one.at)
