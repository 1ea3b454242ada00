"""Charts: one picture of numbers as SVG, in a page or as a file of its own."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import vl_convert

from .palette import rules

# Layout is reckoned in this font, which is built into vl-convert, whatever fonts a machine has.
FONT = "Liberation Sans"
# Where the library that finds fonts looks for its settings, and settings without any font.
FONTCONFIG = "FONTCONFIG_FILE"
NO_FONTS = Path(__file__).with_name("fonts.conf")

# Whatever a reader's machine has; Chinese text stays text, so that its own fonts draw it.
FONTS = "Arial, 'Liberation Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
# A file of its own takes no colours from a page, and has a ground of its own: a page may be light on a dark machine.
# Light, dark, printed:
SCHEMES = (
    "svg{color:#1f2328;background:#fff}",
    "svg{color:#e6edf3;background:#0d1117}",
    "svg{color:#000;background:#fff}",
)


@dataclass(frozen=True)
class Chart:
    """One chart in one language.

    ``name``: of small letters, digits and hyphens, so that it can stand in file names and in HTML; no two charts of a
    page share it. ``spec``: Vega-Lite with its data inside. ``alternative``: what a reader who does not see the chart
    is told. ``look``: the class of the colour of its framework. ``table``: the name of the table whose numbers it
    draws; None for those of a run.
    """

    name: str
    title: str
    spec: dict[str, Any]
    alternative: str
    look: str
    table: str | None = None


def get_ready() -> None:
    """Start what draws charts, which takes as long as to draw ten of them."""
    with _own_fonts():
        vl_convert.vegalite_to_svg({"data": {"values": [{}]}, "mark": "text"}, allowed_base_urls=[])


def svg(chart: Chart, *, standalone: bool = False) -> str:
    """A chart as one SVG element, with title and description, without script, ids of others or external references.

    Inside a page it has the page's colour of text and no ground. ``standalone``: as a file, with the colours of a light
    or a dark ground, whichever its reader prefers.
    """
    with _own_fonts():
        drawn = vl_convert.vegalite_to_svg(chart.spec, allowed_base_urls=[])
    found = re.match(r'<svg [^>]*? width="([\d.]+)" height="([\d.]+)"[^>]*>', drawn)
    if found is None:
        raise ValueError(f"vl-convert draws {chart.name} without saying how large it is: {drawn[:80]!r}.")
    body = _own_ids(_one_image(drawn[found.end() :]).replace(f' font-family="{FONT}"', ""), chart.name)
    return "".join((_opening(chart, found[1], found[2]), _style(chart) if standalone else "", body))


def _style(chart: Chart) -> str:
    """The colours of a file of its own, by its ground."""
    on_light, on_dark = (rules([chart.look], dark=is_dark) for is_dark in (False, True))
    light, dark, printed = SCHEMES
    return (
        f"<style>{light}{on_light}@media(prefers-color-scheme:dark){{{dark}{on_dark}}}"
        f"@media print{{{printed}{on_light}}}</style>"
    )


def _one_image(drawn: str) -> str:
    """The same without roles of its parts, of which each would need a name: the image as a whole has one."""
    return re.sub(r'<g class="[\w -]+" role="graphics-\w+" aria-roledescription="[\w ]+"', "<g", drawn)


@contextmanager
def _own_fonts() -> Iterator[None]:
    """Let vl-convert know no fonts but its own: those of the machine it opens anew for each text that it measures."""
    before = os.environ.get(FONTCONFIG)
    os.environ[FONTCONFIG] = str(NO_FONTS)
    try:
        yield
    finally:
        os.environ.pop(FONTCONFIG)
        if before is not None:
            os.environ[FONTCONFIG] = before


def size(drawn: str) -> tuple[float, float]:
    """How wide and how high an SVG of ``svg`` is, in pixels: the room to keep for it on a page."""
    width, height = re.findall(r'(?:width|height)="([\d.]+)"', drawn[: drawn.index(">")])
    return float(width), float(height)


def _opening(chart: Chart, width: str, height: str) -> str:
    named = f'class="{chart.look}" role="img" aria-labelledby="{chart.name}-title {chart.name}-desc"'
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    title = f'<title id="{chart.name}-title">{escape(chart.title)}</title>'
    description = f'<desc id="{chart.name}-desc">{escape(chart.alternative)}</desc>'
    fonts = f'font-family="{FONTS}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {named} {size} {fonts}>{title}{description}'


def _own_ids(drawn: str, name: str) -> str:
    """The same with ids that are the chart's own: several charts may stand in one page."""
    return re.sub(r'(id="|url\(#)((?:clip|gradient)[\w-]*)', rf"\g<1>{name}-\g<2>", drawn)
