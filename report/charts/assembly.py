"""Assembly: layers and views put together as Vega-Lite in one style; altair makes their marks and channels.

Altair's own layers and stacks copy all that is in them, data too, at every level: that takes longer than to draw them.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt

from .chart import FONT

Spec = dict[str, Any]
Rows = list[dict[str, Any]]

# The text takes the colour of the page around it, so that one chart is for light and dark pages.
INK = "currentColor"
# The colour of the framework, which the class of the chart gives for a light and for a dark ground.
COLOUR = "var(--c)"
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


def layer(rows: Rows, mark: alt.MarkDef | Spec, channels: Mapping[str, Any], **others: Any) -> Spec:
    """One mark for each of some rows of data.

    ``channels``: by the names of Vega-Lite what altair calls so, or dictionaries, or lists of them. ``others``: further
    keys of the layer, such as ``transform``.
    """
    return {"data": {"values": rows}, **marked(mark, channels, **others)}


def marked(mark: alt.MarkDef | Spec, channels: Mapping[str, Any], **others: Any) -> Spec:
    """As ``layer``, of data that the view has in which it stands."""
    encoding = {"encoding": {name: told(channel) for name, channel in channels.items()}} if channels else {}
    return {"mark": told(mark), **encoding, **others}


def layered(layers: Iterable[Spec], width: int, height: int) -> Spec:
    """Layers over each other as one view, of so many pixels."""
    return {"layer": list(layers), "width": width, "height": height}


def stacked(views: Iterable[Spec], spacing: int) -> Spec:
    """Views under each other with so many pixels between them."""
    return {"vconcat": list(views), "bounds": "flush", "spacing": spacing}


def configured(view: Spec) -> Spec:
    """The Vega-Lite of a chart in this style; the same chart gives the same."""
    return _whole(view, CONFIG)


def _whole(view: Spec, config: Mapping[str, Any]) -> Spec:
    """The Vega-Lite of a view: each data set stands in it once, whichever layers it is for."""
    datasets: dict[str, Rows] = {}
    named = _named(view, datasets)
    return {"$schema": alt.SCHEMA_URL, "config": dict(config), **named, "datasets": datasets}


def _named(view: Spec, datasets: dict[str, Rows]) -> Spec:
    """A view whose layers name their data, which are put into the data sets."""
    found = dict(view)
    for parts in ("layer", "vconcat"):
        if parts in view:
            found[parts] = [_named(part, datasets) for part in view[parts]]
    if "values" in view.get("data", {}):
        rows = view["data"]["values"]
        name = _name(rows)
        datasets[name], found["data"] = rows, {"name": name}
    return found


def _name(rows: Rows) -> str:
    """The name that altair gives to a data set."""
    if rows == [{}]:
        return "empty"
    return f"data-{hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()[:32]}"


def told(part: Any) -> Any:
    """The Vega-Lite of a mark or a channel of altair, or of a list of them; what is a dictionary is that already.

    Altair takes long for it, so what many layers share is told once.
    """
    if isinstance(part, list):
        return [told(one) for one in part]
    return part if isinstance(part, dict) else part.to_dict(validate=False)
