"""Published numbers: the throughputs in the tables of a page, each with the case that its labels state."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

from .document import Document, DocumentTable, DocumentText, Link
from .labels import (
    NUMBER,
    SPREAD,
    Label,
    Rate,
    Value,
    is_about,
    merged,
    name_of,
    name_throughput,
    of_axis,
    owned,
    rate_of,
    read_label,
    seconds_of_step,
    times_of,
    values_and_marks,
    words_of_rows,
)
from .numbers_in_prose import prose_tables
from .printed_cell import PrintedCell, whole_end
from .relations import MEAN, TOTAL

# Quantities beside the throughput of a job that benchmarks measure.
MEASURED = frozenset({"per_card", "steps", "time", "compute"})
_WORD = re.compile(r"[a-z][a-z0-9]+")


@dataclass(frozen=True, eq=False)
class PublishedNumber:
    """One number of a table: its place, its digits as printed (without commas), and what its labels say.

    ``table``: its number on the page, from 0; ``row`` and ``column`` are titles, ``place`` their indices, from 0.
    ``case``: axis -> value. ``words``: all words of its labels, in small letters. ``linked``: the links of its cell and
    head, of its row, and of its section, which all numbers of a row and of a table share. ``line`` of the file, from 1.
    ``row_words``: a number with the head of its column, such as ``seed42``, where no other row has it; ``row_names``:
    the cells that name its row alone, and ``column_name`` the head of its column if it is but a name, both in words.
    ``seconds``: what its unit is in seconds, if it is the time of a step. ``sums_up``: whether its row is called the
    mean or the sum of others. ``times``: what a ``k`` or ``M`` behind its digits or before its unit multiplies them by.
    ``rate``: what rate it is. ``is_prose``: whether it stands in words beside a link.
    """

    page: Path
    table: int
    heading: str
    row: str
    column: str
    place: tuple[int, int]
    line: int
    digits: str
    unit: str | None
    case: Mapping[str, Value]
    words: frozenset[str]
    linked: tuple[tuple[Link, ...], ...]
    row_words: frozenset[str] = frozenset()
    row_names: frozenset[tuple[str, ...]] = frozenset()
    column_name: tuple[str, ...] = ()
    seconds: float | None = None
    sums_up: bool = False
    times: float = 1.0
    rate: Rate = "throughput"
    is_prose: bool = False
    is_about: bool = False

    @property
    def links(self) -> Iterator[Link]:
        """The links of its labels and of its section, the nearest first."""
        return chain.from_iterable(self.linked)

    @property
    def measure(self) -> tuple[float | None, float, Rate]:
        """What it counts in: only numbers that count in the same may be compared with each other."""
        return self.seconds, self.times, self.rate

    @property
    def is_searched(self) -> bool:
        """Whether protocols may give it, if it is no throughput of a job."""
        return self.seconds is not None or (self.rate in ("per_card", "steps", "tflops") and not self.unit)

    @property
    def may_be_accused(self) -> bool:
        """Whether what is said of it is certain: not in prose, nor of rates that are made in many ways."""
        return self.rate == "throughput" and not (self.is_prose or self.is_about)

    @property
    def value(self) -> Decimal:
        """The number."""
        return Decimal(self.digits)

    @property
    def decimals(self) -> int:
        """How many digits stand behind its point."""
        return len(self.digits.partition(".")[2])


def published(document: Document) -> Iterator[PublishedNumber]:
    """All throughputs in the tables of a page, in their order."""
    for table in document.tables:
        yield from _numbers(document, table).found()


def in_logs(document: Document) -> Iterator[PublishedNumber]:
    """All numbers of a page that protocols may give: throughputs in tables, other rates, times of a step, and prose."""
    yield from published(document)
    for table in document.tables:
        yield from _searched(document, table)
    for table in prose_tables(document):
        found = chain(_numbers(document, table).found(), _searched(document, table))
        yield from (replace(number, is_prose=True) for number in found)


def _searched(document: Document, table: DocumentTable) -> Iterator[PublishedNumber]:
    return (number for number in _numbers(document, table).others() if number.is_searched)


def others_published(document: Document) -> Iterator[PublishedNumber]:
    """All other numbers in the tables of a page, such as times to train, and losses in rows that may have a log."""
    for table in document.tables:
        yield from (number for number in _numbers(document, table).others() if not number.is_searched)


def number_at(document: Document, table: DocumentTable, place: tuple[int, int], digits: str) -> PublishedNumber:
    """The number of a cell, of whatever quantity, which holds no other one; ``place``: its row and its column."""
    return (numbers := _numbers(document, table)).number(*place, digits, numbers.heads[place[1]].unit)


class _Numbers:
    """Finds the throughputs of one table."""

    def __init__(self, document: Document, table: DocumentTable) -> None:
        self.document, self.table = document, table
        self.heads = [read_label(head.plain) for head in table.head]
        self.around = [read_label(text.plain) for text in self._texts_around()]
        # Where heads say what was measured, a column whose head does not is one of the settings.
        self.names_other = any(MEASURED & head.quantities for head in self.heads)
        self.columns = frozenset(number for number in range(len(self.heads)) if self._holds_values(number))
        self._row = lru_cache(maxsize=1)(self._label_of_row)
        self.naming = [number for number in range(max(map(len, table.rows), default=0)) if self._names_rows(number)]

    def found(self) -> Iterator[PublishedNumber]:
        for number, row in enumerate(self.table.rows):
            said = self._row(number)
            for column in sorted(self.columns):
                if column < len(row) and self._is_throughput(self.heads[column].quantities | said.quantities):
                    yield from self._numbers(number, column, said)

    def others(self) -> Iterator[PublishedNumber]:
        """The numbers of other quantities: those that are measured, and others in rows that may have a log."""
        for number, row in enumerate(self.table.rows):
            may_have_log = self._row_links[number] or self._row_words[number]
            for column in range(1, min(len(row), len(self.heads))):
                named = self.heads[column].quantities or self._row(number).quantities
                is_measured = bool(named & MEASURED) and "other" not in named
                cell = PrintedCell.of(SPREAD.sub(" ", row[column].plain))
                if cell and (is_measured or (may_have_log and self._is_quality(column))):
                    head = self.table.head[column].plain
                    seconds = seconds_of_step(head, cell.unit) if cell.times == 1 else None
                    rate: Rate = (rate_of(named, head) or "throughput") if is_measured else "other"
                    yield replace(self._of_cell(number, column, cell), seconds=seconds, rate=rate)

    def _is_quality(self, column: int) -> bool:
        head = self.heads[column]
        return column not in self.columns and head.quantities <= {"other"} and not head.axes

    def _of_cell(self, number: int, column: int, cell: PrintedCell) -> PublishedNumber:
        return replace(self.number(number, column, cell.digits, cell.unit or None), times=cell.times)

    def _numbers(self, number: int, column: int, said: Label) -> Iterator[PublishedNumber]:
        values = values_and_marks(self.table.rows[number][column].plain)[0]
        unit = self.heads[column].unit or said.unit or self._unit_around
        times, end = times_of(unit), self._ends[column]
        for digits in (found.replace(",", "").removesuffix(end) for found in NUMBER.findall(values)):
            yield replace(self.number(number, column, digits, unit), times=times, is_about=is_about(values))
        if (scaled := self._scaled(column, values)) and times == 1:
            yield replace(self.number(number, column, scaled.digits, unit), times=scaled.times)

    @cached_property
    def _ends(self) -> Mapping[int, str]:
        texts = {c: " ".join(row[c].plain for row in self.table.rows if c < len(row)) for c in self.columns}
        return {column: whole_end(NUMBER.findall(text)) for column, text in texts.items()}

    def _scaled(self, column: int, text: str) -> PrintedCell | None:
        """The number of a cell in thousands or millions, where the head of its column names a throughput."""
        cell = PrintedCell.of(text) if "throughput" in self.heads[column].quantities else None
        return cell if cell and cell.times != 1 else None

    def _case_of(self, number: int, column: int) -> Mapping[str, Value]:
        """The case that a cell of a row is of."""
        marks = values_and_marks(self.table.rows[number][column].plain)[1]
        head = of_axis(self.heads[0], self.table.head[column].plain) or self.heads[column]  # a number is a value of it
        return merged([marks, head, self._row(number), *self.around])

    def number(self, number: int, column: int, digits: str, unit: str | None) -> PublishedNumber:
        """A number of a cell, with what stands around it."""
        row, head, last = self.table.rows[number], self.table.head[column], [h.plain for h in self.table.headings[-1:]]
        titles = [head.plain, *(row[c].plain for c in self.naming if c < len(row))]
        return PublishedNumber(
            page=self.document.path,
            table=self.table.number,
            heading=" / ".join([*last, self.table.caption.plain]),
            row=" ".join(titles[1:]).strip(),
            column=head.plain,
            place=(number, column),
            line=self.table.lines[number],
            digits=digits,
            unit=unit,
            case=self._case_of(number, column),
            words=frozenset(_WORD.findall(" ".join([*titles, self.table.caption.plain, *last]).lower())),
            linked=(row[column].links + head.links, self._row_links[number], self._section_links),
            row_words=self._row_words[number],
            row_names=self._row_names[number],
            column_name=self._column_names.get(column, ()),
            sums_up=any(MEAN.fullmatch(cell.plain) or TOTAL.fullmatch(cell.plain) for cell in row),
        )

    @cached_property
    def _row_words(self) -> list[frozenset[str]]:
        """What tells each row from all others, as names of files spell it."""
        cells = ([cell.plain for cell in row] for row in self.table.rows)
        return words_of_rows([head.plain for head in self.table.head], cells)

    @cached_property
    def _row_names(self) -> list[frozenset[tuple[str, ...]]]:
        """The names in the cells of each row that hold no values, those that no other row has."""
        return owned({name_of(row[c].plain) for c in self.naming if c < len(row)} - {()} for row in self.table.rows)

    @cached_property
    def _column_names(self) -> Mapping[int, tuple[str, ...]]:
        """The words of the heads that are but names of what was measured, where there are several."""
        names = {c: name_of(self.table.head[c].plain) for c in self.columns if self.heads[c] == Label()}
        return names if len(set(names.values())) > 1 else {}

    @cached_property
    def _row_links(self) -> list[tuple[Link, ...]]:
        return [tuple(link for cell in row for link in cell.links) for row in self.table.rows]

    @cached_property
    def _section_links(self) -> tuple[Link, ...]:
        return tuple(link for block in self.table.section[::-1] for link in block.links)

    def _texts_around(self) -> list[DocumentText]:
        """What is said around the table, the nearest first; the names of the folders of the page come last."""
        table = self.table
        folders = [DocumentText(name) for name in self.document.path.parts[-2::-1][:3]]
        return [*table.since[::-1], *table.headings[::-1], *table.above, *folders]

    def _holds_values(self, column: int) -> bool:
        """Whether numbers of a column are values: not those of its axis, not another quantity, not names of rows."""
        label = self.heads[column]
        if label.is_other or (label.axes and "throughput" not in label.quantities):
            return False
        if "throughput" not in label.quantities and (column == 0 or self.names_other):
            return False
        texts = [row[column].plain for row in self.table.rows if column < len(row)]
        return any(NUMBER.search(text) or self._scaled(column, text) for text in texts)

    def _names_rows(self, column: int) -> bool:
        """Whether a column says of which case a row is."""
        return column not in self.columns and not (column < len(self.heads) and self.heads[column].quantities)

    def _is_throughput(self, named: frozenset[str]) -> bool:
        """Whether the nearest words that name a quantity say throughput; a caption of an axis says it is none."""
        return named == {"throughput"} if named else self._section_names_throughput

    @cached_property
    def _section_names_throughput(self) -> bool:
        around = (text.plain for text in (*self.table.section[::-1], *self.table.headings[::-1]))
        return name_throughput(self.table.caption.plain, around)

    @cached_property
    def _unit_around(self) -> str | None:
        labels = chain((read_label(text.plain) for text in self.table.section[::-1]), self.around)
        return next((label.unit for label in labels if label.unit), None)

    def _label_of_row(self, number: int) -> Label:
        """What the cells of a row say that hold no values."""
        row = self.table.rows[number]
        labels = [self._named(column, row[column].plain) for column in range(len(row)) if column not in self.columns]
        quantities = [label.quantities for label in labels[:1]]
        return Label(merged(labels), (), frozenset().union(*quantities), next((x.unit for x in labels if x.unit), None))

    def _named(self, column: int, text: str) -> Label:
        """What a cell says; a bare number is a value of the axis that the head of its column names."""
        head = self.heads[column] if column < len(self.heads) else Label()
        return Label() if head.quantities else of_axis(head, text) or read_label(text)


_numbers = lru_cache(maxsize=16)(_Numbers)  # of a table, which is asked for several kinds of numbers
