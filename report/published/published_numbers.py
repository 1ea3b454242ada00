"""Published numbers: the throughputs in the tables of a page, each with the case that its labels state."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    Value,
    merged,
    name_of,
    owned,
    read_label,
    seconds_of_step,
    times_of,
    values_and_marks,
)
from .numbers_in_prose import prose_tables
from .printed_cell import PrintedCell, whole_end
from .relations import MEAN, TOTAL

# Quantities beside the throughput of a job that benchmarks measure.
MEASURED = frozenset({"per_card", "steps", "time", "compute"})
_WORD = re.compile(r"[a-z][a-z0-9]+")
_BARE = re.compile(r"(\d{1,7})(?:\.0)?")
_SINGLE_WORD = re.compile(r"[a-z]{3,12}")


@dataclass(frozen=True, eq=False)
class PublishedNumber:
    """One number of a table: its place, its digits as printed (without commas), and what its labels say.

    ``table``: its number on the page, from 0; ``row`` and ``column`` are titles, ``place`` their indices, from 0.
    ``case``: axis -> value. ``words``: all words of its labels, in small letters. ``linked``: the links of its cell and
    head, of its row, and of its section, which all numbers of a row and of a table share. ``line`` of the file, from 1.
    ``row_words``: a number with the head of its column, such as ``seed42``, where no other row has it.
    ``row_names``: the cells that name its row and no other one, and ``column_name`` the head of its column where that
    says nothing but a name, each as the words that names of files would have.
    ``seconds``: what its unit is in seconds, if it is the time of a step. ``sums_up``: whether its row
    is called the mean or the sum of others. ``times``: what a ``k`` or ``M`` behind its digits, or before its unit,
    multiplies them by. ``is_prose``: whether it stands in the words of the page beside a link to its log.
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
    is_prose: bool = False

    @property
    def links(self) -> Iterator[Link]:
        """The links of its labels and of its section, the nearest first."""
        return chain.from_iterable(self.linked)

    @property
    def measure(self) -> tuple[float | None, float]:
        """What it counts in: only numbers that count in the same may be compared with each other."""
        return self.seconds, self.times

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
        yield from _Numbers(document, table).found()


def in_logs(document: Document) -> Iterator[PublishedNumber]:
    """All numbers of a page that are compared with logs: throughputs in tables, times of a step, and those in prose."""
    yield from published(document)
    for table in document.tables:
        yield from _times_of_steps(document, table)
    for table in prose_tables(document):
        found = chain(_Numbers(document, table).found(), _times_of_steps(document, table))
        yield from (replace(number, is_prose=True) for number in found)


def _times_of_steps(document: Document, table: DocumentTable) -> Iterator[PublishedNumber]:
    return (number for number in _Numbers(document, table).others() if number.seconds)


def others_published(document: Document) -> Iterator[PublishedNumber]:
    """All numbers in the tables of a page that are other times, or rates other than the throughput of a job."""
    for table in document.tables:
        yield from (number for number in _Numbers(document, table).others() if not number.seconds)


def number_at(document: Document, table: DocumentTable, place: tuple[int, int], digits: str) -> PublishedNumber:
    """The number of a cell, of whatever quantity, which holds no other one; ``place``: its row and its column."""
    numbers = _Numbers(document, table)
    return numbers.number(*place, digits, numbers.case_of(*place), numbers.heads[place[1]].unit)


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
        self._row_links = lru_cache(maxsize=1)(self._links_of_row)
        self.naming = [number for number in range(max(map(len, table.rows), default=0)) if self._names_rows(number)]

    def found(self) -> Iterator[PublishedNumber]:
        for number, row in enumerate(self.table.rows):
            said = self._row(number)
            for column in sorted(self.columns):
                label = self.heads[column]
                quantities = label.quantities | said.quantities
                if column < len(row) and self._is_throughput(quantities):
                    yield from self._numbers(number, column, said)

    def others(self) -> Iterator[PublishedNumber]:
        """The numbers of quantities that are measured, but that no log is searched for."""
        for number, row in enumerate(self.table.rows):
            of_row = self._row(number).quantities
            for column in range(1, min(len(row), len(self.heads))):
                text = SPREAD.sub(" ", row[column].plain)
                named = self.heads[column].quantities or of_row
                if named & MEASURED and "other" not in named and (cell := PrintedCell.of(text)):
                    seconds = seconds_of_step(self.table.head[column].plain, cell.unit) if cell.times == 1 else None
                    found = self.number(number, column, cell.digits, self.case_of(number, column), None)
                    yield replace(found, seconds=seconds)

    def _numbers(self, number: int, column: int, said: Label) -> Iterator[PublishedNumber]:
        values, _ = values_and_marks(self.table.rows[number][column].plain)
        case, unit = self.case_of(number, column), self._unit(column, said)
        times, end = times_of(unit), self._ends[column]
        for digits in (found.replace(",", "").removesuffix(end) for found in NUMBER.findall(values)):
            yield replace(self.number(number, column, digits, case, unit), times=times)
        if (scaled := self._scaled(column, values)) and times == 1:
            yield replace(self.number(number, column, scaled.digits, case, unit), times=scaled.times)

    @cached_property
    def _ends(self) -> Mapping[int, str]:
        texts = {c: [row[c].plain for row in self.table.rows if c < len(row)] for c in self.columns}
        return {c: whole_end(found for text in some for found in NUMBER.findall(text)) for c, some in texts.items()}

    def _scaled(self, column: int, text: str) -> PrintedCell | None:
        """The number of a cell in thousands or millions, where the head of its column names a throughput."""
        cell = PrintedCell.of(text) if "throughput" in self.heads[column].quantities else None
        return cell if cell and cell.times != 1 else None

    def case_of(self, number: int, column: int) -> Mapping[str, Value]:
        """The case that a cell of a row is of."""
        _, marks = values_and_marks(self.table.rows[number][column].plain)
        return merged([marks, self._head(column), self._row(number), *self.around])

    def number(
        self, number: int, column: int, digits: str, case: Mapping[str, Value], unit: str | None
    ) -> PublishedNumber:
        """A number of a cell, with what stands around it."""
        row, head = self.table.rows[number], self.table.head[column]
        titles = [head.plain, *(row[c].plain for c in self.naming if c < len(row))]
        near = [*titles, self.table.caption.plain, *(h.plain for h in self.table.headings[-1:])]
        return PublishedNumber(
            page=self.document.path,
            table=self.table.number,
            heading=" / ".join([h.plain for h in self.table.headings[-1:]] + [self.table.caption.plain]),
            row=" ".join(titles[1:]).strip(),
            column=head.plain,
            place=(number, column),
            line=self.table.lines[number],
            digits=digits,
            unit=unit,
            case=case,
            words=frozenset(_WORD.findall(" ".join(near).lower())),
            linked=(row[column].links + head.links, self._row_links(number), self._section_links),
            row_words=self._row_words[number],
            row_names=self._row_names[number],
            column_name=self._column_names.get(column, ()),
            sums_up=any(MEAN.fullmatch(cell.plain) or TOTAL.fullmatch(cell.plain) for cell in row),
        )

    @cached_property
    def _row_words(self) -> list[frozenset[str]]:
        """What tells each row from all others, as names of files spell it."""
        return owned(set(self._spelt(row)) for row in self.table.rows)

    def _spelt(self, row: Sequence[DocumentText]) -> Iterator[str]:
        """Each whole number that names a row, behind the one word of the head of its column."""
        for head, cell in zip(self.table.head, row, strict=False):
            word = head.plain.strip().lower()
            if _SINGLE_WORD.fullmatch(word) and _BARE.fullmatch(number := cell.plain.strip()):
                yield word + number

    @cached_property
    def _row_names(self) -> list[frozenset[tuple[str, ...]]]:
        """The names in the cells of each row that hold no values, those that no other row has."""
        return owned({name_of(row[c].plain) for c in self.naming if c < len(row)} - {()} for row in self.table.rows)

    @cached_property
    def _column_names(self) -> Mapping[int, tuple[str, ...]]:
        """The words of the heads that are but names of what was measured, where there are several."""
        names = {c: name_of(self.table.head[c].plain) for c in self.columns if self.heads[c] == Label()}
        return names if len(set(names.values())) > 1 else {}

    def _links_of_row(self, number: int) -> tuple[Link, ...]:
        return tuple(link for cell in self.table.rows[number] for link in cell.links)

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
        caption = read_label(self.table.caption.plain)
        if caption.axes and not caption.quantities:
            return False
        texts = [*self.table.section[::-1], *self.table.headings[::-1]]
        quantities = [label.quantities for text in texts if (label := read_label(text.plain)).quantities]
        return bool(quantities) and any("throughput" in some for some in quantities)

    def _unit(self, column: int, said: Label) -> str | None:
        return self.heads[column].unit or said.unit or self._unit_around

    @cached_property
    def _unit_around(self) -> str | None:
        labels = [*(read_label(text.plain) for text in self.table.section[::-1]), *self.around]
        return next((label.unit for label in labels if label.unit), None)

    def _head(self, column: int) -> Label:
        """What the head of a column says; a bare number is a value of the axis that the corner names."""
        return _of_axis(self.heads[0], self.table.head[column].plain) or self.heads[column]

    def _label_of_row(self, number: int) -> Label:
        """What the cells of a row say that hold no values."""
        row = self.table.rows[number]
        labels = [self._named(column, row[column].plain) for column in range(len(row)) if column not in self.columns]
        quantities = [label.quantities for label in labels[:1]]
        return Label(merged(labels), (), frozenset().union(*quantities), next((x.unit for x in labels if x.unit), None))

    def _named(self, column: int, text: str) -> Label:
        """What a cell says; a bare number is a value of the axis that the head of its column names."""
        head = self.heads[column] if column < len(self.heads) else Label()
        return Label() if head.quantities else _of_axis(head, text) or read_label(text)


def _of_axis(head: Label, text: str) -> Label | None:
    axis, bare = next((axis for axis in head.axes if axis != "other"), None), _BARE.fullmatch(text.strip())
    return Label({axis: int(bare[1])}) if axis and bare else None
