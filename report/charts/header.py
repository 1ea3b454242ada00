"""The head of a chart: its title, what must be known to read it, and the key of its colours."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import altair as alt

from .assembly import SHADE, TITLE_SIZE, Rows, SeriesStyle, Spec, layer, layered, told
from .chart_words import label, width

Symbol = Literal["line", "shade", "level"]
Kind = Literal["rect", "rule", "title", "text"]
# A mark of the head: where it stands in pixels and how it looks, by the names of Vega-Lite's channels.
Drawn = tuple[Kind, dict[str, Any]]

TITLE_COLUMNS = 84
ENTRY_COLUMNS = 46
NOTE_COLUMNS = 100
LEVEL = 0.4

_LINE = 18
_SYMBOL = 26
_GAP = 18


@dataclass(frozen=True)
class KeyEntry:
    """One entry of a key: a symbol in a look, and what it stands for."""

    text: str
    symbol: Symbol
    look: SeriesStyle


@dataclass(frozen=True)
class Frame:
    """The canvas in pixels: what stands left and right of the plots, and how wide they are."""

    left: int
    plot: int
    right: int

    @property
    def width(self) -> int:
        """How wide the canvas is."""
        return self.left + self.plot + self.right


@dataclass(frozen=True)
class Header:
    """A title, a note in smaller print, and a key."""

    title: str
    note: str
    entries: Sequence[KeyEntry]
    frame: Frame

    @property
    def height(self) -> int:
        """How many pixels it takes."""
        rows = [y for _, y, _ in self._placed()]
        return max([self._top, *(y + _LINE for y in rows)]) + 8

    def view(self, below: int) -> Spec:
        """The head as a view, with an unseen rectangle around it and the ``below`` pixels of the plots under it.

        The rectangle makes the canvas the same whatever font measures the labels in it.
        """
        canvas = _rect((0, self.frame.width), (0, self.height + below), SeriesStyle(), opacity=0)
        marks = [canvas, *self._texts(), *(mark for entry in self._placed() for mark in _entry(*entry))]
        kinds = dict.fromkeys(kind for kind, _ in marks)
        layers = [self._layer(kind, [row for other, row in marks if other == kind]) for kind in kinds]
        return layered(layers, self.frame.plot, self.height)

    def _layer(self, kind: Kind, rows: Rows) -> Spec:
        """All marks of one kind; they stand at pixels from the left edge of the canvas, which is left of the plot."""
        placed = [row | {end: row[end] - self.frame.left for end in ("x", "x2") if end in row} for row in rows]
        return layer(placed, _MARKS[kind], {name: _channel(name) for name in rows[0]})

    @property
    def _top(self) -> int:
        return 46 if self.note else 28

    def _texts(self) -> Iterator[Drawn]:
        yield "title", {"x": 0, "y": 12, "text": label(self.title, TITLE_COLUMNS)}
        if self.note:
            yield "text", {"x": 0, "y": 28, "text": label(self.note, NOTE_COLUMNS)}

    def _placed(self) -> Iterator[tuple[int, int, KeyEntry]]:
        """Where each entry of the key stands, as many in a line as fit."""
        x, y = 0, self._top
        for entry in self.entries:
            taken = _SYMBOL + width(label(entry.text, ENTRY_COLUMNS)) + _GAP
            if x and x + taken > self.frame.width:
                x, y = 0, y + _LINE
            yield x, y, entry
            x += taken


def _entry(x: int, y: int, entry: KeyEntry) -> Iterator[Drawn]:
    middle = y + _LINE // 2
    yield from _SYMBOLS[entry.symbol](x, middle, entry.look)
    yield "text", {"x": x + _SYMBOL, "y": middle, "text": label(entry.text, ENTRY_COLUMNS)}


def _rect(x: tuple[int, int], y: tuple[int, int], look: SeriesStyle, opacity: float = 1) -> Drawn:
    return "rect", {"x": x[0], "x2": x[1], "y": y[0], "y2": y[1], "fill": look.colour, "fillOpacity": opacity}


def _line(x: int, y: int, look: SeriesStyle) -> Iterator[Drawn]:
    yield "rule", {"x": x, "x2": x + 22, "y": y, "y2": y, "stroke": look.colour}


def _shade(x: int, y: int, look: SeriesStyle) -> Iterator[Drawn]:
    yield _rect((x + 2, x + 20), (y - 6, y + 6), look, SHADE)


def _level(x: int, y: int, look: SeriesStyle) -> Iterator[Drawn]:
    yield _rect((x, x + 22), (y - 3, y + 3), look, LEVEL)


_SYMBOLS: Mapping[Symbol, Callable[[int, int, SeriesStyle], Iterator[Drawn]]] = {
    "line": _line,
    "shade": _shade,
    "level": _level,
}
_MARKS: Mapping[Kind, Spec] = {
    "rect": told(alt.MarkDef("bar", opacity=1)),
    "rule": told(alt.MarkDef("rule", strokeWidth=2)),
    "title": told(alt.MarkDef("text", align="left", baseline="middle", fontSize=TITLE_SIZE, fontWeight="bold")),
    "text": told(alt.MarkDef("text", align="left", baseline="middle")),
}


@cache
def _channel(name: str) -> Any:
    """A channel that takes what its field says as it is: pixels, colours, shapes, dashes or text."""
    if name in ("x", "y"):
        place = {"x": alt.X, "y": alt.Y}[name]
        return told(place(field=name, type="quantitative", scale=None, axis=None))
    if name == "text":
        return told(alt.Text(field=name, type="nominal"))
    kind = "quantitative" if name == "fillOpacity" else "nominal"
    return {"field": name} if name in ("x2", "y2") else {"field": name, "type": kind, "scale": None}
