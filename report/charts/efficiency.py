"""Scaling efficiency: a line for each series, with a point for each count of cards, in percent of linear scaling."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor

from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..measure.number import printed, quotient
from ..measure.protocol import Protocol
from ..measure.quantity import PERCENT
from ..pagefile.page import CellPlace, Page, Table
from ..wording.words import Translator, worded
from .chart_rows import short_title
from .chart_words import label
from .figure import figures
from .palette import look
from .panels import ChartLine, ChartPanel, ChartPoint, PanelChart

MOST_LINES, COLUMNS, QUALIFIER = 40, 40, 24
STEP, FEWEST_STEPS = 10, 4
DECIMALS = Protocol(decimals=1)

RANGE = "{low}% to {high}% of linear scaling on {cards} cards"
ONE = "{percent}% of linear scaling on {cards} cards"
NOTE = "Scaling efficiency in percent: throughput ÷ (cards × throughput per card of the smallest run)."
POINTS = "○ {fewer} cards, ● {cards} cards."
AXIS = "The axis starts at {start}%."
SERIES = "{series}: {each}"
POINT = "{percent}% on {cards} cards"
SOME_SERIES = "Showing the first {shown} of {count} series."


@dataclass(frozen=True)
class Efficiency:
    """One efficiency in percent, with the digits of the page, and the cell that it is shown or computed in."""

    place: CellPlace
    cell: Cell
    cards: int
    percent: Decimal
    mark: str = ""

    @property
    def digits(self) -> str:
        """The digits of the page, and the mark of what is quoted."""
        return f"{self.percent:f}{self.mark}"

    @property
    def is_apart(self) -> bool:
        """Whether a log behind it contradicts its label, or the page says that it is not comparable."""
        return any(cell.certain_disagreements or cell.cautions for cell in (self.cell, *self.cell.parts))


def efficiency(page: Page, table: Table, cells: Sequence[Cell], name: str, translator: Translator) -> PanelChart | None:
    """The scaling efficiencies of a table, or of its throughputs where it shows none; None without any.

    ``cells``: those of the page. ``name``: that of the chart.
    """
    found = list(_shown(page, table, cells)) or list(_computed(page, table, cells))
    return _Efficiencies(page, table, found, translator).chart(name) if found else None


def _shown(page: Page, table: Table, cells: Sequence[Cell]) -> Iterator[Efficiency]:
    """The efficiencies that stand in a table, but for those of the fewest cards: 100% whatever was measured."""
    for place, cell in zip(page.places(), cells, strict=True):
        if place.table is not table or not cell.shown.quantity.is_over_fewest_cards or not cell.printed:
            continue
        if cell.quotient and cell.quotient.of is not cell.quotient.against:
            mark = "‡" if cell.rests_on_quotes else ""
            yield Efficiency(place, cell, int(place.case["cards"]), Decimal(cell.printed), mark)


def _computed(page: Page, table: Table, cells: Sequence[Cell]) -> Iterator[Efficiency]:
    """The efficiencies of throughputs that differ in their cards only."""
    places = {id(cell): place for place, cell in zip(page.places(), cells, strict=True)}
    there = [f for f in figures(table, cells) if f.cards and f.value > 0 and f.is_of_its_size]
    groups: dict[object, dict[int, Cell]] = {}
    for figure in there:
        groups.setdefault(_series(places[id(figure.cell)]), {})[figure.cards or 1] = figure.cell
    for group in groups.values():
        fewest = min(group)
        for cards, cell in sorted(group.items()):
            if cards > fewest:
                value = quotient(cell.value or 0, group[fewest].value or 1, cards / fewest, PERCENT)
                mark = "‡" if cell.rests_on_quotes or group[fewest].rests_on_quotes else ""
                yield Efficiency(places[id(cell)], cell, cards, Decimal(printed(value, DECIMALS)), mark)


def _series(place: CellPlace) -> object:
    """What a series keeps while its cards grow: the column of the page, and the case but for nodes and cards."""
    return place.column.column, frozenset(one for one in place.case.items() if one[0] not in ("nodes", "cards"))


class _Efficiencies:
    """What the parts of one chart share."""

    def __init__(self, page: Page, table: Table, found: Sequence[Efficiency], translator: Translator) -> None:
        self.page, self.table, self.found, self.translator = page, table, found, translator
        series: dict[object, list[Efficiency]] = {}
        for one in found:
            series.setdefault(_series(one.place), []).append(one)
        self.series = [sorted(each, key=lambda one: one.cards) for each in series.values()]
        self.most = max(one.cards for one in found)
        values = [one.percent for one in found]
        self.end = max(100, STEP * ceil(max(values) / STEP))
        start = STEP * floor(min(values) / STEP)
        self.start = max(0, min(start, self.end - FEWEST_STEPS * STEP))

    def chart(self, name: str) -> PanelChart:
        shown = self.series[:MOST_LINES]
        ticks = [(self._at(tick), f"{tick}%") for tick in range(self.start, self.end + 1, STEP)]
        panel = ChartPanel("", list(self._lines(shown)), ticks)
        note = self.translator.sentences(self._note())
        return PanelChart(name, self._title(), note, [panel], self._alternative(shown), self.table.name)

    def _at(self, percent: Decimal | int) -> float:
        return float(percent - self.start) / (self.end - self.start)

    def _lines(self, shown: Sequence[Sequence[Efficiency]]) -> Iterator[ChartLine]:
        before = ""
        for series in sorted(shown, key=self._order):
            group = self._group(series)
            if group != before:
                yield ChartLine(group, is_heading=True)
                before = group
            place = series[0].place
            taken = " ".join(self._words(text) for text in self.page.taken(place))
            points = [self._point(one) for one in series]
            colour, short = look(self.page.columns[place.column.column].title), self._short(series)
            yield ChartLine(self._name(series), colour, taken, points, short=short)

    def _order(self, series: Sequence[Efficiency]) -> int:
        """Groups in the order of the table."""
        return list(dict.fromkeys(map(self._group, self.series))).index(self._group(series))

    def _point(self, one: Efficiency) -> ChartPoint:
        cells = (one.cell, *one.cell.parts)
        qualifier = next((cell.qualifier for cell in cells if cell.qualifier), None)
        said = label(worded(qualifier, self.translator.translate), QUALIFIER) if qualifier else ""
        is_hollow = one.cards < self.most
        return ChartPoint(one.cell, self._at(one.percent), one.digits, said, one.is_apart, is_hollow)

    def _group(self, series: Sequence[Efficiency]) -> str:
        place = series[0].place
        return self._words(written(self.page, self.table, place.row, place.row.group))

    def _short(self, series: Sequence[Efficiency]) -> str:
        """What stands for the name of a series on a narrow screen; empty where cards go by columns."""
        is_a_column = len({one.cell.column for one in series}) == 1
        return short_title(self.page, series[0].place, series[0].cell, self.translator) if is_a_column else ""

    def _name(self, series: Sequence[Efficiency]) -> str:
        """What all points of a series share: its column, or its row where cards go by columns."""
        place = series[0].place
        if len({one.cell.column for one in series}) == 1:
            return self._words(series[0].cell.column)
        row = self._words(written(self.page, self.table, place.row, place.row.title))
        corner = self._words(self.table.corner)
        return self.translator.say("{corner} {row}", corner=corner, row=row) if corner else row

    def _title(self) -> str:
        of_most = [one for one in self.found if one.cards == self.most]
        alike = [one for one in of_most if not one.is_apart] or of_most
        low, high = (choose(alike, key=lambda one: one.percent) for choose in (min, max))
        if low.percent == high.percent:
            return self.translator.say(ONE, percent=low.digits, cards=self.most)
        return self.translator.say(RANGE, low=low.digits, high=high.digits, cards=self.most)

    def _note(self) -> Iterator[str]:
        yield self.translator.say(NOTE)
        fewer = sorted({one.cards for one in self.found} - {self.most})
        if fewer:
            said = self.translator.enumerated(map(str, fewer))
            yield self.translator.say(POINTS, fewer=said, cards=self.most)
        if self.start:
            yield self.translator.say(AXIS, start=self.start)

    def _alternative(self, shown: Sequence[Sequence[Efficiency]]) -> str:
        said = [
            self.translator.say(SERIES, series=self._told(series), each=self.translator.enumerated(self._each(series)))
            for series in shown
        ]
        told = [self.translator.say("{said}.", said=self.translator.joined(said))]
        if len(shown) < len(self.series):
            told.append(self.translator.say(SOME_SERIES, shown=len(shown), count=len(self.series)))
        return self.translator.sentences(told)

    def _told(self, series: Sequence[Efficiency]) -> str:
        """A series with its group, so that the text says which it is without the picture."""
        return self.translator.enumerated(filter(None, (self._group(series), self._name(series))))

    def _each(self, series: Sequence[Efficiency]) -> Iterator[str]:
        return (self.translator.say(POINT, percent=one.digits, cards=one.cards) for one in series)

    def _words(self, raw: str) -> str:
        return label(self.translator.translate(raw), COLUMNS)
