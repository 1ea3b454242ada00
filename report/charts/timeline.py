"""Timelines: one quantity of one run over time, with what a number was taken of marked in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from parsers.series import Floats

from ..wording.words import Translator
from .assembly import INK, SHADE, SeriesStyle, Spec, configured, layer, layered, stacked
from .header import Frame, Header, KeyEntry

MOST_POINTS = 1000


def thinned(values: Floats, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """The places (int64, ascending) of at most so many of some finite values: all where they are no more.

    Else the values are cut into stretches of the same length, each of which keeps its lowest and its highest.
    """
    if len(values) <= most:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), most // 2 + 1).astype(np.int64).tolist()
    ends = (np.argmin, np.argmax)
    kept = {start + int(end(values[start:stop])) for start, stop in pairwise(edges) for end in ends}
    return np.array(sorted(kept), dtype=np.int64)


HEIGHT = 240
FRAME = Frame(left=70, plot=600, right=50)
MOST_DOTS = 150

THINNED = "Showing {drawn} of {count} points: the lowest and the highest of each interval."

_AXIS = 44

# The longest time (s) that is shown in each unit of time.
UNITS = {"s": (1, 300), "min": (60, 3 * 3600), "h": (3600, float("inf"))}


@dataclass(frozen=True)
class Span:
    """A stretch of the axis from one place to another; what is said of it in the key."""

    start: float
    end: float
    text: str


@dataclass(frozen=True)
class Stretch:
    """A value that holds over a stretch."""

    span: Span
    value: float


@dataclass(frozen=True)
class Timeline:
    """Floats over time or record numbers.

    ``note``: which run it is. ``axis``: title of the axis. ``text``: what the values are. ``at``: where each of them
    stands on the axis, ascending (float64). ``values``: float64, finite. ``left_out``: stretches that are shaded.
    ``used``: a number that was made of values, over the stretch of these.
    """

    title: str
    note: str
    axis: str
    text: str
    at: Floats
    values: Floats
    left_out: Sequence[Span] = ()
    used: Stretch | None = None

    def thinning(self, translator: Translator) -> Iterator[str]:
        """What to say where not all values are drawn."""
        drawn = len(thinned(self.values))
        if drawn < len(self.values):
            yield translator.say(THINNED, count=len(self.values), drawn=drawn)

    def spec(self) -> dict[str, Any]:
        """The Vega-Lite of its chart."""
        header = Header(self.title, self.note, list(self._entries()), FRAME)
        plot = layered(self._layers(), FRAME.plot, HEIGHT)
        return configured(stacked([header.view(HEIGHT + _AXIS), plot], 0))

    def _entries(self) -> Iterator[KeyEntry]:
        yield KeyEntry(self.text, "line", SeriesStyle())
        yield from (KeyEntry(span.text, "shade", SeriesStyle(INK)) for span in self.left_out)
        if self.used:
            yield KeyEntry(self.used.span.text, "level", SeriesStyle(INK))

    def _layers(self) -> Iterator[Spec]:
        for span in self.left_out:
            shade = alt.MarkDef("rect", fill=INK, fillOpacity=SHADE, y=0, y2=HEIGHT)
            yield layer([{"at": span.start, "end": span.end}], shade, {"x": self._x, "x2": {"field": "end"}})
        if self.used:
            yield from self._marked(self.used.span, self.used.value)
        yield self._line()

    def _line(self) -> Spec:
        places = thinned(self.values).tolist()
        rows = [{"at": float(self.at[n]), "value": float(self.values[n])} for n in places]
        has_dots = len(rows) <= MOST_DOTS
        point = alt.OverlayMarkDef(size=18, color=SeriesStyle().colour) if has_dots else False
        mark = alt.MarkDef("line", color=SeriesStyle().colour, strokeWidth=1.5, point=point)
        return layer(rows, mark, {"x": self._x, "y": self._y})

    def _marked(self, used: Span, level: float) -> Iterator[Spec]:
        rule = alt.MarkDef("rule", color=INK, strokeWidth=6, opacity=0.4)
        ends = {"x": self._x, "x2": {"field": "end"}, "y": self._y}
        yield layer([{"at": used.start, "end": used.end, "value": level}], rule, ends)
        for end in (used.start, used.end):
            yield layer([{"at": end}], alt.MarkDef("rule", color=INK, strokeDash=[2, 3]), {"x": self._x})

    @property
    def _x(self) -> alt.X:
        scale = alt.Scale(domain=[float(self.at[0]), float(self.at[-1])], nice=False, zero=False)
        axis = alt.Axis(title=self.axis, tickCount=8, format=",~f")
        return alt.X(field="at", type="quantitative", scale=scale, axis=axis)

    @property
    def _y(self) -> alt.Y:
        top = float(self.values.max()) or 1.0
        scale = alt.Scale(domain=[min(0.0, float(self.values.min())), top * 1.05], nice=False)
        axis = alt.Axis(title=None, tickCount=5, format=",~f")
        return alt.Y(field="value", type="quantitative", scale=scale, axis=axis)


def in_unit(seconds: Floats) -> tuple[Floats, str]:
    """Times since the first (s) in the unit that suits the longest of them, and that unit: s, min or h."""
    longest = float(seconds.max())
    unit, (factor, _) = next(found for found in UNITS.items() if longest <= found[1][1])
    return seconds / factor, unit
