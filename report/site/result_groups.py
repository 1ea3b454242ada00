"""Groups of results: the throughputs of all pages by model and device, newest first, a line for each case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from ..charts.palette import look
from ..evidence.cell import QUALIFIERS, Cell
from ..evidence.comparability import ON_SIDES
from ..evidence.run_begin import first_begin
from ..pagefile.page import Axis, CellPlace
from ..pagefile.parts import LAUNCHED, MARKED
from ..wording.words import worded
from .hypertext import paddings
from .web_page import WebPage

ColumnTitle = tuple[str, str]

# The axes that tell the cases of a group apart: first those that have a column, then all others.
CASES: tuple[Axis, ...] = (*LAUNCHED, *(one for one in get_args(Axis) if one not in (*LAUNCHED, "model", "device")))


@dataclass(frozen=True)
class ResultNumber:
    """A number of a line: its digits, the address of its evidence, and what is said of it."""

    digits: str
    address: str
    said: str
    is_quoted: bool

    @property
    def marked(self) -> str:
        """Its digits with the mark of a quoted figure."""
        return f"{self.digits}‡" if self.is_quoted else self.digits


@dataclass(frozen=True)
class ResultLine:
    """One case: its axes in words, the number of each column of its group, and the month of its newest run.

    ``further``: the axes without a column that differ in its group. ``words``: what it is found by, in small letters.
    ``precisions``: those of its numbers, with blanks between them.
    ``paddings``: what each of its numbers lacks behind its digits, as ``hypertext.paddings``.
    """

    cards: str
    further: str
    precision: str
    batch_size: str
    numbers: Sequence[ResultNumber | None]
    date: str
    words: str
    precisions: str
    paddings: Sequence[str] = ()


@dataclass
class ResultGroup:
    """The results of one model on one device of a page.

    ``cells``: by the ``CASES`` of their labels, then by the title of their column, with that of its table where two
    have one.
    """

    model: str
    device: str
    page: WebPage
    cells: dict[tuple[Any, ...], dict[ColumnTitle, tuple[CellPlace, Cell]]] = field(default_factory=dict)

    @property
    def titles(self) -> list[ColumnTitle]:
        """The titles of its columns as the page file states them, each with that of the table that alone has it."""
        return list(dict.fromkeys(title for row in self.cells.values() for title in row))

    @property
    def columns(self) -> list[tuple[str, str, str, str]]:
        """The same, each with its translation, that for narrow screens, and the class of its colour."""
        shorts = {column.title: column.short for column in self.page.page.columns.values() if column.short}
        return [
            (title, self._said(title, table), self._said(shorts.get(title, title), table), look(title))
            for title, table in self.titles
        ]

    def _said(self, title: str, table: str) -> str:
        translate = self.page.translate
        told = {"said": translate(title), "titles": translate(table)}
        return self.page.say(ON_SIDES, **told) if table else translate(title)

    @property
    def address(self) -> str:
        """The page that it is from."""
        return self.page.address(self.page.language)

    @property
    def unit(self) -> str:
        """The unit of its numbers."""
        return next(cell.shown.rate for row in self.cells.values() for _, cell in row.values())

    @property
    def date(self) -> str:
        """The month of its newest number; empty where none is known."""
        return max((_date(self.page, cell) for row in self.cells.values() for _, cell in row.values()), default="")

    @property
    def measured(self) -> int:
        """How many of its numbers come from logs."""
        return sum(bool(cell.proofs) for row in self.cells.values() for _, cell in row.values())

    @property
    def quoted(self) -> int:
        """How many are quoted; the index has only the headline cases of a group that has no other numbers."""
        return sum(cell.quoted is not None for row in self.cells.values() for _, cell in row.values())

    @property
    def lines(self) -> list[ResultLine]:
        """Its cases, those of the most cards first; where all are quoted, the headline case of each precision."""
        ordered = sorted(self.cells.items(), key=lambda one: -int(one[0][1] or 0))
        if not self.measured:
            headlines = [*self._headlines()]
            ordered = [(key, row) for key, row in ordered if any(cell in headlines for _, cell in row.values())]
        lines = [self._line(key, row) for key, row in ordered]
        columns = zip(*(line.numbers for line in lines), strict=True)
        padded = [paddings([number.marked if number else "" for number in column]) for column in columns]
        return [replace(line, paddings=texts) for line, texts in zip(lines, zip(*padded, strict=True), strict=True)]

    def _headlines(self) -> Iterator[Cell]:
        """The highest number of each precision among its cases of the most cards."""
        by_precision: dict[Any, dict[int, list[Cell]]] = {}
        for (_, cards, precision, *_), row in self.cells.items():
            by_cards = by_precision.setdefault(precision, {})
            by_cards.setdefault(int(cards or 0), []).extend(cell for _, cell in row.values())
        most = (by_cards[max(by_cards)] for by_cards in by_precision.values())
        return (max(cells, key=lambda cell: cell.value or 0) for cells in most)

    def _line(self, key: tuple[Any, ...], row: dict[ColumnTitle, tuple[CellPlace, Cell]]) -> ResultLine:
        nodes, cards, precision, batch_size = key[: len(LAUNCHED)]
        page = self.page
        said = page.say(QUALIFIERS["nodes"], said=nodes) if nodes and int(nodes) > 1 else ""
        cards = " · ".join(filter(None, (str(cards or "–"), said)))
        label = page.translate(precision_label(page, str(precision))) if precision else "–"
        numbers = [self._number(*row[name]) if name in row else None for name in self.titles]
        date = max(_date(page, cell) for _, cell in row.values())
        precisions = sorted({str(cell.stated.get("precision", "")) for _, cell in row.values()})
        further = " · ".join(_axis(page, *one) for one in self._further(key))
        texts = [self.model, self.device, page.translate(page.page.title), label, further, *map(_said, row.values())]
        of_case = (cards, further, label, str(batch_size or "–"))
        return ResultLine(*of_case, numbers, date, " ".join(texts).casefold(), " ".join(precisions))

    def _further(self, key: tuple[Any, ...]) -> list[tuple[Axis, Any]]:
        """The axes without a column that a case states, and that differ in the group."""
        differ = [len(set(values)) > 1 for values in zip(*self.cells, strict=True)]
        stated = list(zip(CASES, key, differ, strict=True))[len(LAUNCHED) :]
        return [(axis, value) for axis, value, differs in stated if differs and value is not None]

    def _number(self, place: CellPlace, cell: Cell) -> ResultNumber:
        page = self.page
        told = [*map(page.translate, page.page.taken(place))]
        if cell.qualifier:
            told.append(worded(cell.qualifier, page.translate))
        said = page.enumerated(told) if told else ""
        return ResultNumber(str(cell.digits), f"{self.address}#{page.anchor_of(cell)}", said, cell.rests_on_quotes)


def result_groups(pages: Sequence[WebPage]) -> list[ResultGroup]:
    """The groups of all pages: measured ones before quoted ones, of each those of the newest runs first."""
    groups = [group for page in pages for group in _groups(page)]
    return sorted(groups, key=lambda group: (group.measured > 0, group.date), reverse=True)


def _groups(page: WebPage) -> Iterator[ResultGroup]:
    groups: dict[tuple[str, str, str], ResultGroup] = {}
    for place, cell in zip(page.page.places(), page.cells, strict=True):
        if not cell.shown.quantity.is_throughput or not cell.digits:
            continue
        labels = place.labels
        of = str(labels.get("model") or page.page.model), str(labels.get("device") or "")
        group = groups.setdefault((*of, cell.shown.rate), ResultGroup(*of, page))
        key = tuple(labels.get(axis) for axis in CASES)
        # The same number may stand in several tables.
        row, name = group.cells.setdefault(key, {}), place.column.column
        title = page.page.columns[name].title
        is_taken = (title, "") in row and row[title, ""][0].column.column != name
        row.setdefault((title, place.table.title if is_taken else ""), (place, cell))
    yield from groups.values()


def _date(page: WebPage, cell: Cell) -> str:
    """The month in which the first run of a number began, or that of its source."""
    if cell.quoted:
        return page.page.sources[cell.quoted.source].date[:7]
    first = first_begin(cell.proofs)
    return str(first.astype("M8[M]")) if first is not None else ""


def precision_label(page: WebPage, precision: str) -> str:
    """A precision as the page writes it; where it says nothing, as the field does."""
    written = page.page.label("precision", precision)
    return written.upper() if written == precision else written


def _axis(page: WebPage, axis: Axis, value: Any) -> str:
    """A value of an axis; one that neither the page nor the field writes in a way of its own with its name."""
    written = page.translate(page.page.label(axis, value))
    is_known = axis in MARKED or written != str(value)
    return written if is_known else f"{page.translate(axis)} {written}"


def _said(of: tuple[CellPlace, Cell]) -> str:
    return f"{of[1].digits} {of[1].column} {of[0].column.column}"
