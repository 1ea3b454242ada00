"""Charts in panels: bars or points on lines of one height, whose places are parts of the width that there is.

Nothing in them is scaled: text keeps its size on any screen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ..evidence.cell import Cell
from ..measure.number import thousands
from .chart_words import wrapped
from .palette import rules

LINE, HEADING, AXIS = 24, 34, 22
WIDTH, GAP, TITLES, BESIDE = 860, 40, 20, 150
LETTER = 7.2
MARGIN, TITLE_LINE, NOTE_LINE = 16, 22, 18
TITLE_COLUMNS, NOTE_COLUMNS = 88, 124
MOST_TICKS = 5

Address = Callable[[Cell], str | None]


@dataclass(frozen=True)
class ChartPoint:
    """One number on a line: where it stands, from 0 to 1, its ``digits``, and what is ``said`` of it beside these.

    ``is_apart``: it is not comparable with its neighbours. ``is_hollow``: it is quoted, or not the last of its line.
    """

    cell: Cell
    at: float
    digits: str
    said: str = ""
    is_apart: bool = False
    is_hollow: bool = False


@dataclass(frozen=True)
class ChartLine:
    """One line of a panel: a bar or points, in the colour ``look``; without points it says why, or is a heading.

    ``note``: a few words behind its ``title``; ``short``: what stands for that on a narrow screen, if anything does.
    ``runs``: where the repeats of a bar stand.
    """

    title: str
    look: str = ""
    note: str = ""
    points: Sequence[ChartPoint] = ()
    runs: Sequence[float] = ()
    missing: str = ""
    short: str = ""
    is_heading: bool = False

    @property
    def height(self) -> int:
        """How many pixels it takes."""
        return HEADING if self.is_heading else LINE


@dataclass(frozen=True)
class ChartPanel:
    """Lines under a title; ``ticks``: places on the axis below them and what these are, none where bars start at 0."""

    title: str
    lines: Sequence[ChartLine]
    ticks: Sequence[tuple[float, str]] = ()

    @property
    def height(self) -> int:
        """How many pixels its lines and its axis take."""
        return sum(line.height for line in self.lines) + (AXIS if self.ticks else 0)

    def drawn(self, name: str, address: Address) -> Markup:
        """What stands in an SVG of its height; ``name``: that of the chart; a number links to its address, if any."""
        parts, top = [_grid(self)], 0
        for line in self.lines:
            parts.append(_line(line, top + line.height - LINE // 2, name, address, are_bars=not self.ticks))
            top += line.height
        return Markup("").join(parts)


@dataclass(frozen=True)
class PanelChart:
    """One chart of a table in one language, as ``chart.Chart`` but for ``note``: what must be known to read it."""

    name: str
    title: str
    note: str
    panels: Sequence[ChartPanel]
    alternative: str
    table: str

    @property
    def hatch(self) -> Markup:
        """The pattern over what is not comparable, once in each chart."""
        return Markup(
            '<defs><pattern id="{}-hatch" width="6" height="6" patternUnits="userSpaceOnUse"'
            ' patternTransform="rotate(45)"><rect class="ground" width="3" height="6"/></pattern></defs>'
        ).format(self.name)

    def svg(self, source: str = "") -> str:
        """The chart as a file of its own, in colours for a light or a dark ground; it refers to nothing.

        ``source``: a line below it that says of what it is and whose logs these are.
        """
        width, columns = ((WIDTH - GAP) / 2, 2) if len(self.panels) > 1 else (WIDTH, 1)
        parts, top = _texts("title", wrapped(self.title, TITLE_COLUMNS), 4, TITLE_LINE)
        notes, top = _texts("soft", wrapped(self.note, NOTE_COLUMNS), top, NOTE_LINE)
        parts += notes
        top += 18 if any(panel.title for panel in self.panels) else 0
        for start in range(0, len(self.panels), columns):
            row = self.panels[start : start + columns]
            for at, panel in enumerate(row):
                parts.append(_placed(self.name, panel, at * (width + GAP), top, width))
            top += max(panel.height for panel in row) + TITLES + 18
        told, top = _texts("soft", wrapped(source, NOTE_COLUMNS) if source else [], top, NOTE_LINE)
        parts += told
        whole = Markup('width="{width}" height="{height}" viewBox="-{margin} -{margin} {width} {height}"').format(
            width=WIDTH + 2 * MARGIN, height=top + 2 * MARGIN, margin=MARGIN
        )
        head = Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-title {name}-desc"'
            ' {whole}><title id="{name}-title">{title}</title><desc id="{name}-desc">{alternative}</desc>'
        ).format(name=self.name, whole=whole, title=self.title, alternative=self.alternative)
        return head + _style() + self.hatch + Markup("").join(parts) + Markup("</svg>")


def _texts(kind: str, lines: Sequence[str], top: float, height: int) -> tuple[list[Markup], float]:
    """Lines of text of one kind below each other, and where the last one ends."""
    text = Markup('<text class="{}" x="0" y="{}">{}</text>')
    ends = [top + height * number for number in range(1, len(lines) + 1)]
    return [text.format(kind, end - 5, line) for end, line in zip(ends, lines, strict=True)], max([top, *ends])


def _placed(name: str, panel: ChartPanel, left: float, top: float, width: float) -> Markup:
    """A panel of a file: its title, the titles of its lines, and its lines beside them."""
    beside = min(width / 2.2, 10 + LETTER * max(len(line.title) + len(line.note) + 1 for line in panel.lines))
    parts = [Markup('<text class="strong" x="{}" y="{}">{}</text>').format(left, top + 12, panel.title)]
    y = top + TITLES
    for line in panel.lines:
        titled = Markup('<text class="{}" x="{}" y="{:g}">{} <tspan class="soft">{}</tspan></text>')
        kind = "strong" if line.is_heading else "plain"
        parts.append(titled.format(kind, left, y + line.height - LINE / 2 + 4.5, line.title, line.note))
        y += line.height
    plot = Markup('<svg x="{:g}" y="{:g}" width="{:g}" height="{}" overflow="visible">{}</svg>')
    size = (left + beside, top + TITLES, width - beside - BESIDE, panel.height)
    return Markup("").join([*parts, plot.format(*size, panel.drawn(name, lambda _: None))])


def _style() -> Markup:
    light = "svg{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;background:#fff}" + rules(dark=False)
    dark = "svg{--paper:#101418;--ink:#e4e8ed;--soft:#9aa5b1;--line:#2b333c;background:#101418}" + rules(dark=True)
    fonts = "font:13px Arial,'Liberation Sans','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif"
    shapes = (
        f"text{{{fonts};fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:4px}}"
        ".soft{fill:var(--soft);font-size:12px}.strong,.title{font-weight:bold}"
        ".title{font-size:16px}.fill{fill:var(--c)}.edge{fill:none;stroke:var(--c)}.ground,.hollow{fill:var(--paper)}"
        ".hollow{stroke:var(--c);stroke-width:2}.run{fill:var(--paper);stroke:var(--ink)}.grid{stroke:var(--line)}"
        ".apart{stroke-dasharray:2 2}.join{stroke:var(--c);stroke-width:2}"
    )
    return Markup("<style>{}@media(prefers-color-scheme:dark){{{}}}{}</style>").format(
        *map(Markup, (light, dark, shapes))
    )


def _grid(panel: ChartPanel) -> Markup:
    end = panel.height - AXIS
    line = Markup(
        '<line class="grid" x1="{at:.2f}%" x2="{at:.2f}%" y1="4" y2="{end}"/>'
        '<text class="soft{kind}" text-anchor="middle" x="{at:.2f}%" y="{text}">{said}</text>'
    )
    # Every second of many has no room on a narrow screen.
    kinds = ["", " between" if len(panel.ticks) > MOST_TICKS else ""]
    drawn = (
        line.format(at=100 * at, end=end, text=end + 16, said=said, kind=kinds[number % 2])
        for number, (at, said) in enumerate(panel.ticks)
    )
    return Markup("").join(drawn)


def _line(line: ChartLine, middle: int, name: str, address: Address, *, are_bars: bool) -> Markup:
    """A line of a panel, around its ``middle`` in pixels from the top."""
    if line.missing:
        return Markup('<text class="soft" x="4" y="{}">{}</text>').format(middle + 4.5, line.missing)
    if are_bars:
        return Markup("").join(_bar(line, point, middle, name, address) for point in line.points)
    return _points(line, middle, address) if line.points else Markup()


def _linked(drawn: Markup, point: ChartPoint, look: str, address: Address) -> Markup:
    """What is drawn of a number, as a link to its evidence that the keys pass by: the table has the same one."""
    found = address(point.cell)
    if found is None:
        return Markup('<g class="{}">{}</g>').format(look, drawn)
    link = Markup('<a href="#{}" class="number {}" tabindex="-1">{}</a>')
    return link.format(found, look, drawn)


def _gapped(digits: str) -> Markup:
    """Digits with gaps between thousands, as in the tables: who copies them gets digits alone."""
    first, *others = thousands(digits)
    return escape(first) + Markup("").join(Markup('<tspan dx="0.16em">{}</tspan>').format(part) for part in others)


def _bar(line: ChartLine, point: ChartPoint, middle: int, name: str, address: Address) -> Markup:
    size = Markup('y="{:g}" width="{:.2f}%" height="15" rx="1.5"').format(middle - 7.5, 100 * point.at)
    parts = [Markup('<rect class="fill" {}/>').format(size)]
    if point.is_hollow:
        parts = [Markup('<rect class="fill" fill-opacity="0.2" {0}/><rect class="edge" {0}/>').format(size)]
    elif point.is_apart:
        parts.append(Markup('<rect fill="url(#{1}-hatch)" {0}/><rect class="edge" {0}/>').format(size, name))
    dot = Markup('<circle class="run" cx="{:.2f}%" cy="{}" r="2.6"/>')
    parts += [dot.format(100 * at, middle) for at in line.runs]
    end = 100 * max([point.at, *line.runs])
    text = Markup('<text x="{:.2f}%" dx="6" y="{:g}">{} <tspan class="soft">{}</tspan></text>')
    parts.append(text.format(end, middle + 4.5, _gapped(point.digits), point.said))
    return _linked(Markup("").join(parts), point, line.look, address)


def _points(line: ChartLine, middle: int, address: Address) -> Markup:
    """Points on a line between the lowest and the highest, whose digits stand beside these."""
    ordered = sorted(line.points, key=lambda point: point.at)
    ends = (100 * ordered[0].at, 100 * ordered[-1].at)
    join = Markup('<line class="join {look}" x1="{:.2f}%" x2="{:.2f}%" y1="{y}" y2="{y}"/>')
    parts = [join.format(*ends, y=middle, look=line.look)] if len(ordered) > 1 else []
    for point in ordered:
        kind = f"{'hollow' if point.is_hollow else 'fill'} {'apart' if point.is_apart else 'whole'}"
        drawn = Markup('<circle class="{}" cx="{:.2f}%" cy="{}" r="5"/>').format(kind, 100 * point.at, middle)
        if point in (ordered[0], ordered[-1]):
            drawn += _beside(point, middle, is_left=point is ordered[0] and len(ordered) > 1)
        parts.append(_linked(drawn, point, line.look, address))
    return Markup("").join(parts)


def _beside(point: ChartPoint, middle: int, *, is_left: bool) -> Markup:
    where = Markup('text-anchor="end" dx="-10"') if is_left else Markup('dx="10"')
    text = Markup('<text x="{:.2f}%" {} y="{:g}">{} <tspan class="soft">{}</tspan></text>')
    return text.format(100 * point.at, where, middle + 4.5, _gapped(point.digits), point.said)
