"""Style: colours, shapes and dashes that also differ in grey, and the config that all charts share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .assembly import Spec, whole
from .chart import FONT

# The text takes the colour of the page around it, so that one chart is for light and dark pages.
INK = "currentColor"
# Okabe and Ito's colours with a dark one more; the lightness of the first four (46, 71, 39, 58) differs in grey, too.
COLOURS = ("#0072B2", "#E69F00", "#943B75", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#F0E442")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES = ((1, 0), (8, 3), (2, 2), (8, 3, 2, 3), (12, 3), (4, 4), (2, 6))
HOLLOW = (4, 2)
IDEAL = (1, 3)
SHADE = 0.13

SIZE = 12
TITLE_SIZE = 14


@dataclass(frozen=True)
class SeriesStyle:
    """How one series looks: its colour, the shape of its points, and the dashes of its line."""

    colour: str = COLOURS[0]
    shape: str = SHAPES[0]
    dash: tuple[int, ...] = DASHES[0]


def looks(count: int) -> list[SeriesStyle]:
    """So many looks; colours, shapes and dashes come round at different counts, so that looks stay different."""
    return [
        SeriesStyle(COLOURS[n % len(COLOURS)], SHAPES[n % len(SHAPES)], DASHES[n % len(DASHES)]) for n in range(count)
    ]


CONFIG: Mapping[str, Any] = {
    "font": FONT,
    "aria": False,
    "background": "transparent",
    "view": {"stroke": None},
    "text": {"color": INK, "fontSize": SIZE},
    "axis": {
        **dict.fromkeys(("domainColor", "gridColor", "labelColor", "tickColor", "titleColor"), INK),
        "gridOpacity": 0.15,
        "labelFontSize": SIZE,
        "labelLimit": 0,
        "titleFontSize": SIZE,
        "titleFontWeight": "normal",
    },
}


def configured(view: Spec) -> Spec:
    """The Vega-Lite of a chart in this style; the same chart gives the same."""
    return whole(view, CONFIG)
