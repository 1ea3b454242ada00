"""Spread: how far the runs of each number lie from each other, in percent of their median, a line a number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from math import ceil, floor, log10
from statistics import median

from ..evidence.case_evidence import written
from ..evidence.cell import Cell
from ..measure.number import printed
from ..measure.protocol import Protocol
from ..pagefile.page import CellPlace, Page, Table
from ..wording.words import Translator
from .chart_words import label
from .palette import look
from .panels import ChartLine, ChartPanel, ChartPoint, PanelChart

MOST_LINES, COLUMNS = 40, 40
# The axis has about so many ticks, shows at least so many percent on each side, and leaves this part for digits.
TICKS, LEAST, ROOM = 4, 1.0, 0.15

WITHIN = "Runs of one case are at most {percent}% apart"
NOTE = "Each circle is a run, in percent of the median of its case; numbers: the lowest and the highest ({unit})."
SERIES = "{series}: {low} to {high}, {count} runs"
SOME_SERIES = "Showing the first {shown} of {count} series."


@dataclass(frozen=True)
class Runs:
    """The runs of one case: where they stand, the number that they make, and their values in the unit of the page."""

    place: CellPlace
    cell: Cell
    values: tuple[float, ...]

    @property
    def percents(self) -> list[float]:
        """How far each run is from the median of all, in percent of that."""
        middle = median(self.values)
        return [100 * (value / middle - 1) for value in self.values]

    @property
    def apart(self) -> float:
        """How far the highest is from the lowest, in percent of the lowest."""
        return 100 * (max(self.values) / min(self.values) - 1)

    def digits(self, value: float) -> str:
        """A value in the digits that its page prints."""
        return printed(value, self.cell.shown.printing(self.cell.protocol or Protocol()))


def spread(page: Page, table: Table, cells: Sequence[Cell], name: str, translator: Translator) -> PanelChart | None:
    """The runs behind the numbers of a table; None where no number has several, or its table has one and no spread.

    ``cells``: those of the page. ``name``: that of the chart.
    """
    found: dict[object, Runs] = {}
    for place, cell in zip(page.places(), cells, strict=True):
        values = tuple(proof.measurement.value for proof in cell.proofs)
        if place.table is table and cell.shown.quantity.is_rate and len(values) > 1 and min(values) > 0:
            # A median, a lowest and a highest run of one case have the same runs.
            found.setdefault(
                (id(place.row), place.column.column, frozenset(place.case.items())), Runs(place, cell, values)
            )
    is_worth_it = len(found) > 1 or any(runs.cell.shown.quantity.of_runs for runs in found.values())
    return _Spread(page, table, list(found.values()), translator).chart(name) if is_worth_it else None


class _Spread:
    """What the parts of one chart share."""

    def __init__(self, page: Page, table: Table, found: Sequence[Runs], translator: Translator) -> None:
        self.page, self.table, self.found, self.translator = page, table, found, translator
        percents = [percent for runs in found for percent in runs.percents]
        low, high = min(-LEAST, *percents), max(LEAST, *percents)
        low -= ROOM * (high - low)
        self.step = _step((high - low) / TICKS)
        self.start, self.end = floor(low / self.step) * self.step, ceil(high / self.step) * self.step

    def chart(self, name: str) -> PanelChart:
        shown = self.found[:MOST_LINES]
        count = round((self.end - self.start) / self.step)
        ticks = [round(self.start + at * self.step, 9) for at in range(count + 1)]
        panel = ChartPanel(
            "", list(self._lines(shown)), [(self._at(tick), f"{tick:+g}%" if tick else "0%") for tick in ticks]
        )
        apart = _at_most(max(runs.apart for runs in self.found))
        note = self.translator.say(NOTE, unit=self.found[0].cell.shown.unit)
        title = self.translator.say(WITHIN, percent=apart)
        return PanelChart(name, title, note, [panel], self._alternative(shown), self.table.name)

    def _at(self, percent: float) -> float:
        return (percent - self.start) / (self.end - self.start)

    def _lines(self, shown: Sequence[Runs]) -> Iterator[ChartLine]:
        for runs in shown:
            of = zip(runs.values, runs.percents, strict=True)
            points = [
                ChartPoint(runs.cell, self._at(percent), runs.digits(value), is_hollow=percent != 0)
                for value, percent in of
            ]
            yield ChartLine(self._name(runs), look(self.page.columns[runs.place.column.column].title), points=points)

    def _name(self, runs: Runs) -> str:
        row = runs.place.row
        titles = [written(self.page, self.table, row, raw) for raw in (row.group, row.title)]
        several = len({other.place.column.column for other in self.found}) > 1
        names = [*titles, *([runs.cell.column] if several else [])]
        return label(self.translator.enumerated(self.translator.translate(one) for one in names if one), COLUMNS)

    def _alternative(self, shown: Sequence[Runs]) -> str:
        each = [
            self.translator.say(SERIES, series=self._name(runs), count=len(runs.values), **self._ends(runs))
            for runs in shown
        ]
        told = [self.translator.say("{said}.", said=self.translator.joined(each))]
        if len(shown) < len(self.found):
            told.append(self.translator.say(SOME_SERIES, shown=len(shown), count=len(self.found)))
        return self.translator.sentences(told)

    def _ends(self, runs: Runs) -> dict[str, str]:
        return {"low": runs.digits(min(runs.values)), "high": runs.digits(max(runs.values))}


def _at_most(percent: float) -> str:
    """A percentage with one decimal that is not below it; what only its last bits add is none of it."""
    return f"{Decimal(f'{percent:.12g}').quantize(Decimal('0.1'), rounding=ROUND_CEILING)}"


def _step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below a number."""
    power = 10.0 ** floor(log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)
