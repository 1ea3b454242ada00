"""Bars: the throughputs of one table, a panel a row or, where the table has one column, a panel a group of rows."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from ..evidence.cell import Cell
from ..pagefile.page import Page, Table
from ..wording.words import Translator, worded
from .chart_rows import ChartPlace, ChartRow, chart_rows, names_its_columns
from .chart_words import label
from .figure import Figure
from .panels import ChartLine, ChartPanel, ChartPoint, PanelChart

MOST_BARS, MOST_ROWS, MOST_NAMED = 60, 6, 4
# Rows whose numbers are further apart than this would leave bars too short to compare on one scale.
FAR_APART = 5
COLUMNS, QUALIFIER = 40, 24

NO_LOG = "no log"
QUANTITY = "Throughput ({unit})."
SAME = "{corner}: {row}."
EACH_PRECISION = "Panels of one precision share a scale."
EACH_PANEL = "Each panel has a scale of its own."
SOME_PANELS = "Scales differ between panels."
HATCHED = "Hatched: not comparable with its neighbours."
RUNS = "Circles: single runs."
PALE = "Pale: quoted ‡."
FASTEST = "{case}: {column} is fastest"
FASTEST_OF_ALL = "{column} is fastest in all {count} cases"
FASTEST_OF_BOTH = "{column} is fastest in both cases"
FASTEST_OF_COMPARABLE = "{column} is fastest in the {count} comparable cases"
FASTEST_OF_EACH = "Fastest: {each}"
OF_CASES = "{column} ({cases})"
BOTH = 2
FASTEST_OF_MOST = "{column} is fastest in {some} of {count} cases"
UP_TO = "Up to {digits} {unit}: {row}, {column}"
SOME = "Showing the first {shown} of {count} numbers."
EXTREMES = (
    "Bar chart of {count} numbers in {unit}: the highest is {high} ({high_row}, {high_column}), the lowest {low}"
    " ({low_row}, {low_column})."
)
REPEATED = "Numbers of repeated runs: {count}."
QUOTES = "Quoted, not measured from a log: {count}."


def bars(page: Page, table: Table, cells: Sequence[Cell], name: str, translator: Translator) -> PanelChart | None:
    """The throughputs of a table as bars; None where there are fewer than two to compare.

    ``cells``: those of the page. ``name``: that of the chart. Of groups that have the same rows, the last row that all
    of them have is drawn.
    """
    rows = chart_rows(page, table, cells, translator)
    found = [shown.figure for row in rows for shown in row.shown if shown.figure]
    return _Bars(table, rows, found, translator).chart(name) if len(found) > 1 else None


def _chosen(rows: Sequence[ChartRow]) -> Sequence[ChartRow]:
    """The rows that are drawn: all, or of many rows in groups the last one that all groups have."""
    groups = {row.group for row in rows}
    titles = [title for title in dict.fromkeys(row.title for row in rows) if _groups_of(title, rows) == groups]
    if len(groups) == 1 or len(rows) <= MOST_ROWS or not titles:
        return rows
    return [row for row in rows if row.title == titles[-1]]


def _groups_of(title: str, rows: Sequence[ChartRow]) -> set[str]:
    return {row.group for row in rows if row.title == title}


class _Bars:
    """What the parts of one chart share."""

    def __init__(self, table: Table, rows: Sequence[ChartRow], found: Sequence[Figure], translator: Translator) -> None:
        self.table, self.figures, self.translator = table, found, translator
        chosen = _chosen(rows)
        self.rows = chosen[: max(1, MOST_BARS // len(chosen[0].shown))]
        self.is_narrowed = len(chosen) < len(rows)
        self.unit = label(found[0].unit, 16)
        self.drawn = [shown.figure for row in self.rows for shown in row.shown if shown.figure]
        self.tops = {row.number: self._top(row) for row in self.rows}

    def chart(self, name: str) -> PanelChart:
        note = self.translator.sentences(self._note())
        return PanelChart(name, self._title(), note, list(self._panels()), self._alternative(), self.table.name)

    def _top(self, row: ChartRow) -> float:
        """Where the scale of a row ends: that of all rows like it, unless its bars were too short then.

        Rows of one precision are alike; of a single program, all are. Rows that share a panel share its scale.
        """
        is_of_one = len({column.column for column in self.table.columns}) == 1
        panels: dict[object, float] = {}
        for other in self.rows:
            if is_of_one or other.precision == row.precision or self._panel(other) == self._panel(row):
                panels[self._panel(other)] = max(panels.get(self._panel(other), 0.0), other.top)
        tops = panels.values()
        return (max(tops) if max(tops) <= FAR_APART * min(tops) else panels[self._panel(row)]) or 1

    def _panel(self, row: ChartRow) -> object:
        return row.number if names_its_columns(self.rows) else row.group

    def _panels(self) -> Iterator[ChartPanel]:
        if names_its_columns(self.rows):
            for row in self.rows:
                lines = [self._line(row, shown, shown.column, shown.short) for shown in row.shown]
                yield ChartPanel(self._case(row), lines)
            return
        for group, rows in groupby(self.rows, key=lambda row: row.group):
            yield ChartPanel(group, [self._line(row, row.shown[0], row.title) for row in rows])

    def _case(self, row: ChartRow) -> str:
        """What a row is: its group where that says it, and what its title counts."""
        title = row.title
        if title.isdigit() and self.table.corner:
            title = self.translator.say("{corner} {row}", corner=self._words(self.table.corner), row=title)
        if not row.group:
            return title
        alone = self.is_narrowed and len({other.title for other in self.rows}) == 1
        return row.group if alone else self.translator.say("{first}, {second}", first=row.group, second=title)

    def _line(self, row: ChartRow, shown: ChartPlace, title: str, short: str = "") -> ChartLine:
        figure = shown.figure
        if figure is None:
            return ChartLine(title, shown.look, missing=self.translator.translate(NO_LOG), short=short)
        said = " · ".join(filter(None, (shown.taken, self._qualifier(figure))))
        top = self.tops[row.number]
        point = ChartPoint(figure.cell, figure.value / top, figure.digits, said, figure.is_apart, figure.is_quoted)
        runs = [value / top for value in figure.repeats] if figure.is_spread else []
        return ChartLine(title, shown.look, points=[point], runs=runs, short=short)

    def _qualifier(self, figure: Figure) -> str:
        qualifier = figure.cell.qualifier
        return label(worded(qualifier, self.translator.translate), QUALIFIER) if qualifier else ""

    def _note(self) -> Iterator[str]:
        say = self.translator.say
        yield say(QUANTITY, unit=self.unit)
        if self.is_narrowed:
            yield say(SAME, corner=self._words(self.table.corner), row=self.rows[0].title)
        if scales := self._scales():
            yield say(scales)
        if any(figure.is_apart and not figure.is_quoted for figure in self.drawn):
            yield say(HATCHED)
        if any(figure.is_spread for figure in self.drawn):
            yield say(RUNS)
        if any(figure.is_quoted for figure in self.drawn):
            yield say(PALE)

    def _scales(self) -> str:
        """What panels share a scale; nothing where all do."""
        of_panels = {self._panel(row): self.tops[row.number] for row in self.rows}
        of_precisions = {(row.precision, self.tops[row.number]) for row in self.rows if row.precision is not None}
        precisions = {row.precision for row in self.rows}
        if len(set(of_panels.values())) < 2:
            return ""
        if len(set(of_panels.values())) == len(of_panels):
            return EACH_PANEL
        return EACH_PRECISION if len(of_precisions) == len(precisions) else SOME_PANELS

    def _title(self) -> str:
        """The finding: who is fastest where, or how much there is where nobody is compared."""
        first = {self._case(row): row.fastest for row in self.rows if row.fastest}
        if not first:
            return self._most()
        places: dict[str, list[str]] = {}
        for case, column in first.items():
            places.setdefault(column, []).append(case)
        say, ((column, cases), *others) = self.translator.say, sorted(places.items(), key=lambda one: -len(one[1]))
        if len(first) == 1:
            return say(FASTEST, case=cases[0], column=column)
        if not others:
            return self._of_all(column, len(first))
        if len(first) > MOST_NAMED:
            return say(FASTEST_OF_MOST, column=column, some=len(cases), count=len(first))
        each = [say(OF_CASES, column=name, cases=self.translator.enumerated(found)) for name, found in places.items()]
        return say(FASTEST_OF_EACH, each=self.translator.joined(each))

    def _of_all(self, column: str, count: int) -> str:
        is_whole = count == len({self._case(row) for row in self.rows})
        of_whole = FASTEST_OF_BOTH if count == BOTH else FASTEST_OF_ALL
        return self.translator.say(of_whole if is_whole else FASTEST_OF_COMPARABLE, column=column, count=count)

    def _most(self) -> str:
        most = max(self.drawn, key=_value)
        row = next(row for row in self.rows if any(shown.figure is most for shown in row.shown))
        return self.translator.say(UP_TO, unit=self.unit, **{**self._place(most), "row": self._case(row)})

    def _alternative(self) -> str:
        (high, low), say = (choose(self.figures, key=_value) for choose in (max, min)), self.translator.say
        ends = {**self._end("high", high), **self._end("low", low)}
        said = [say(EXTREMES, count=len(self.figures), unit=self.unit, **ends)]
        counts = {
            REPEATED: sum(figure.is_spread for figure in self.figures),
            QUOTES: sum(figure.is_quoted for figure in self.figures),
        }
        said += [say(message, count=count) for message, count in counts.items() if count]
        if len(self.figures) > len(self.drawn):
            said.append(say(SOME, shown=len(self.drawn), count=len(self.figures)))
        return self.translator.sentences(said)

    def _end(self, name: str, figure: Figure) -> dict[str, str]:
        place = self._place(figure)
        return {name: place["digits"], f"{name}_row": place["row"], f"{name}_column": place["column"]}

    def _place(self, figure: Figure) -> dict[str, str]:
        row, column = (self._words(title) for title in (figure.cell.row, figure.cell.column))
        return {"digits": figure.digits, "row": row, "column": column}

    def _words(self, raw: str) -> str:
        return label(self.translator.translate(raw), COLUMNS)


def _value(figure: Figure) -> float:
    return figure.value
