"""Style: the colours and the config that all charts of runs share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .assembly import Spec, whole
from .chart import FONT

# The text takes the colour of the page around it, so that one chart is for light and dark pages.
INK = "currentColor"
# Its contrast is 4 to 1 at least, on a light and on a dark ground.
COLOUR = "#2a7fd0"
SHADE = 0.13

SIZE = 12
TITLE_SIZE = 14


@dataclass(frozen=True)
class SeriesStyle:
    """How one series looks: its colour."""

    colour: str = COLOUR


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
