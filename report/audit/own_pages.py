"""Numbers on pages of our own: each is made again from its logs, by what the evidence file beside the page says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Self
from urllib.parse import unquote

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.runs.run_folder import LOG

from ..evidence.case_evidence import refilled, stated_by
from ..evidence.cell import Cell
from ..evidence.evidence_file import CellProof, EvidenceFile
from ..evidence.evidence_parts import Computed
from ..evidence.reason import NoEvidenceError
from ..measure.diagnostics import NoMeasurement
from ..measure.number import printed, quotient
from ..measure.protocol import Protocol
from ..measure.quantity import Shown
from ..pagefile.page import Case, Value
from ..published.document import Document, DocumentTable, DocumentText
from ..published.published_numbers import PublishedNumber
from .backing_logs import AXES
from .finding import GOOD, Finding, Verdict

_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
_MARKED_DIGITS = re.compile(rf"({_DIGITS.pattern})\W*")

EVIDENCE = ".evidence"
NO_LINK_TO = "The page does not print the number as a link to {anchor}."
NOT_IN_EVIDENCE = "The page does not print the number in the list of evidence as {anchor}."
NO_LINK = "It links to no evidence."
QUOTED = "Quoted from {title}, {url}."
LOGS_ELSEWHERE = "Its logs are in {repository} at {commit}: give --logs."
OTHER_FILE = "{log} is not the file that the page was made of."
SAME = "The log gives these digits by the stated protocol."
NOT_AGAIN = "It is {of} / {against}, which cannot be made again."
TOO_LARGE = "{of} / {against} is too large for a number."
SAME_COMPUTED = "{of} / {against} gives these digits."
OTHER_QUOTED = "The figure that is quoted is {digits}."
OTHER_COMPUTED = "Its two numbers give {digits}."
OTHER_DIGITS = "The log gives {digits} by the protocol of the page."


@dataclass(frozen=True)
class _Labels:
    """What stands beside a number of a page: its table, its place there, and the titles of its row and its column."""

    table: int
    place: tuple[int, int]
    row: str
    column: str
    unit: str | None = None
    case: Mapping[str, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, cell: CellProof) -> Self:
        """Those of a number that the evidence file has."""
        place = (cell.row, cell.column)
        return cls(cell.table, place, cell.row_title, cell.column_title, cell.unit, dict(cell.case))


@dataclass(frozen=True)
class _PrintedFigure:
    """Where a page prints a number of its evidence, or a figure that it quotes: by its anchor, or by a link to it."""

    anchor: str
    number: PublishedNumber
    is_anchor: bool = False


def is_of_evidence(page: Path) -> bool:
    """Whether a file such as ``resnet50.evidence.zh.md`` is the evidence of a page."""
    return Path(page.stem).stem.endswith(EVIDENCE)


def number_findings(document: Document, told: EvidenceFile, folder: Path | None) -> Iterator[Finding]:
    """A finding for every number of a page that ``report`` wrote, wherever the page prints it; its logs are read again.

    ``told``: its evidence file. ``folder``: the folder of logs; None where nobody said where it is.
    """
    cells = _cells(told)
    made = {anchor: _Made.of(cell, folder, told) for anchor, cell in cells.items() if cell.computed is None}
    made |= {a: _Made.computed(cell, cell.computed, made) for a, cell in cells.items() if cell.computed}
    mentions = list(_mentions(document, cells))
    for mention in mentions:
        yield made[mention.anchor].finding(mention.number)
    yield from _removed(document, cells, mentions)
    yield from _unproved(document, cells)


def findings_by(document: Document, told: EvidenceFile) -> Iterator[Finding]:
    """A finding for every number of a page, held against evidence that was just made of its logs."""
    cells = _cells(told)
    made = {anchor: _Made.proven(cell, told) for anchor, cell in cells.items() if cell.computed is None}
    made |= {a: _Made.computed(cell, cell.computed, made) for a, cell in cells.items() if cell.computed}
    for mention in _mentions(document, cells):
        yield made[mention.anchor].finding(mention.number)


def _cells(told: EvidenceFile) -> dict[str, CellProof]:
    """The cells that are not empty, by their anchors."""
    return {cell.anchor: cell for cell in told.cells if cell.anchor is not None}


def _removed(
    document: Document, cells: Mapping[str, CellProof], mentions: Sequence[_PrintedFigure]
) -> Iterator[Finding]:
    """The numbers that a page must print as links and does not, or its evidence at the places that they lead to."""
    is_anchor = is_of_evidence(document.path)
    there = {mention.anchor for mention in mentions if mention.is_anchor == is_anchor}
    for anchor in (anchor for anchor in cells if anchor not in there):
        cell = cells[anchor]
        gone = _published(document, _Labels.of(cell), _stated(cell), document.title.plain, 1)
        yield Finding(gone, "contradicted", Message(NOT_IN_EVIDENCE if is_anchor else NO_LINK_TO, anchor=anchor))


def _unproved(document: Document, cells: Mapping[str, CellProof]) -> Iterator[Finding]:
    """Numbers without a link, in the columns whose other numbers have one, and numbers that link to no evidence."""
    names = _names(cells)
    for table in document.tables:
        linked = {column for row in table.rows for column, text in enumerate(row) if _linked(text, names)}
        for place, row in enumerate(table.rows):
            for column in sorted(linked):
                found = _MARKED_DIGITS.fullmatch(row[column].plain)
                if found and not _linked(row[column], names):
                    labels = _Labels(table.number, (place, column), row[0].plain, table.head[column].plain)
                    number = _published(document, labels, found[1], _heading(table.headings), table.lines[place])
                    yield Finding(number, "no evidence", Message(NO_LINK))


def _linked(text: DocumentText, names: Mapping[str, str]) -> set[str]:
    """The evidence that a cell links to; ``names``: as of ``_names``."""
    return {names[name] for link in text.links if (name := _led_to(link.address)) in names}


def _led_to(address: str) -> str:
    """The place of a file that a link leads to: in the evidence of a page of itself, in the page of the evidence."""
    return unquote(address.partition("#")[2])


def _names(cells: Mapping[str, CellProof]) -> dict[str, str]:
    """The anchors of cells by all their names, which are these and those that earlier versions gave them."""
    return {str(cell.former_anchor): anchor for anchor, cell in cells.items()} | {anchor: anchor for anchor in cells}


def _stated(cell: CellProof) -> str:
    """The digits that the evidence file has for a cell that is not empty."""
    return cell.quoted.value if cell.quoted else str(cell.printed)


@dataclass(frozen=True)
class _Made:
    """A number that was made again: as it must be printed, or why it cannot be."""

    cell: CellProof
    printed: str | None
    number: float | None
    reason: Message
    verdict: Verdict

    @classmethod
    def proven(cls, cell: CellProof, told: EvidenceFile) -> "_Made":
        """A number that a log was just found to give, or a quoted figure."""
        if cell.quoted:
            source = told.sources[cell.quoted.source]
            reason = Message(QUOTED, title=source.title, url=source.url)
            return cls(cell, cell.quoted.value, float(cell.quoted.value), reason, "quoted")
        return cls(cell, cell.printed, cell.number, Message(SAME), "exact")

    @classmethod
    def of(cls, cell: CellProof, folder: Path | None, told: EvidenceFile) -> "_Made":
        if cell.quoted:
            return cls.proven(cell, told)
        if folder is None and told.source:
            where = Message(LOGS_ELSEWHERE, repository=told.source.repository, commit=told.source.commit)
            return cls(cell, None, None, where, "no evidence")
        try:
            again = _again(cell, folder or Path(), _rate(cell, told))
        except (NoMeasurement, NoEvidenceError, ParserError) as error:
            return cls(cell, None, None, error.message, "no evidence")
        shas = {exhibit.path: exhibit.sha256 for proof in again.proofs for exhibit in proof.exhibits}
        if other := next((log.path for log in cell.logs if shas.get(log.path) != log.sha256), None):
            return cls(cell, again.printed, again.number, Message(OTHER_FILE, log=other), "no evidence")
        return cls(cell, again.printed, again.number, Message(SAME), "exact")

    @classmethod
    def computed(cls, cell: CellProof, how: Computed, made: Mapping[str, "_Made"]) -> "_Made":
        """A number that comes from two others, whose logs or quotes speak for it; the worse of them decides."""
        of, against = made[how.of], made[how.against]
        both = {"of": how.of, "against": how.against}
        if of.number is None or not against.number:
            return cls(cell, None, None, Message(NOT_AGAIN, **both), "no evidence")
        value = quotient(of.number, against.number, how.ideal, how.whole)
        if not isfinite(value):
            return cls(cell, None, None, Message(TOO_LARGE, **both), "no evidence")
        shown = printed(value, Protocol(decimals=_decimals(cell)))
        worse = next((part for part in (of, against) if part.verdict not in GOOD), None)
        reason = worse.reason if worse else Message(SAME_COMPUTED, **both)
        known: Verdict = "quoted" if "quoted" in (of.verdict, against.verdict) else "exact"
        return cls(cell, shown, value, reason, worse.verdict if worse else known)

    def finding(self, number: PublishedNumber) -> Finding:
        verdict, reason = self.verdict, self.reason
        if self.printed is not None and self.printed != number.digits:
            verdict, reason = "contradicted", self._given
        is_number = _DIGITS.fullmatch(number.digits)
        ratio = float(number.value) / self.number if self.number and is_number else None
        log = self.cell.logs[0].path if self.cell.logs else None
        return Finding(number, verdict, reason, log, self.cell.protocol, self.printed, ratio)

    @property
    def _given(self) -> Message:
        """What the page must print, in a sentence."""
        if self.cell.quoted:
            return Message(OTHER_QUOTED, digits=self.printed)
        return Message(OTHER_COMPUTED if self.cell.computed else OTHER_DIGITS, digits=self.printed)


def _decimals(cell: CellProof) -> int:
    return len(str(cell.printed).partition(".")[2])


def _again(cell: CellProof, folder: Path, rate: str) -> Cell:
    """The number of a cell, from its logs; ``rate``: the unit of throughput in its table."""
    logs = [log.path for log in cell.logs if log.format != Path(log.path).name]
    beside = [str(Path(log.path).with_name(LOG)) for log in cell.logs]
    shown = Shown(cell.quantity, cell.unit)
    if not cell.quantity.is_rate:
        formula = cell.formula.formula if cell.formula else None
        shown = Shown(cell.quantity, rate, _decimals(cell), formula, cell.target)
    case: Case = {axis: cell.case[axis] for axis in AXES if axis in cell.case}
    stated = stated_by(case, cell.read)
    empty = Cell(cell.table_name, cell.row_title, cell.column_title, case, shown, of_logs=stated)
    return refilled(empty, folder, logs or beside, Protocol.parse(str(cell.protocol)))


def _rate(cell: CellProof, told: EvidenceFile) -> str:
    """The unit of throughput in the table of a cell, which power and memory do not name, else that of the page."""
    nearest_first = sorted(told.cells, key=lambda other: (other.table != cell.table, not other.quantity.is_rate))
    rates = (other.quantity.rate_of(other.unit) for other in (cell, *nearest_first))
    return next(filter(None, rates), "samples/s")


def _mentions(document: Document, cells: Mapping[str, CellProof]) -> Iterator[_PrintedFigure]:
    """Every place of a page that prints a number with a link to its evidence, or with its anchor."""
    names = _names(cells)
    for table in document.tables:
        for number, row in enumerate(table.rows):
            for text in row:
                for anchor in dict.fromkeys(names[name] for name in text.anchors if name in names):
                    yield _in_cell(document, table, number, text, anchor, cells[anchor])
    for link, headings in document.links:
        if (name := _led_to(link.address)) in names:
            labels = _Labels.of(cells[names[name]])
            yield _PrintedFigure(names[name], _published(document, labels, link.text, _heading(headings), link.line))


def _in_cell(
    document: Document, table: DocumentTable, row: int, text: DocumentText, anchor: str, cell: CellProof
) -> _PrintedFigure:
    line, heading = table.lines[row], _heading(table.headings)
    return _PrintedFigure(anchor, _published(document, _Labels.of(cell), text.plain, heading, line), is_anchor=True)


def _heading(headings: Sequence[DocumentText]) -> str:
    """The nearest of the headings above a place."""
    return headings[-1].plain if headings else ""


def _published(document: Document, labels: _Labels, digits: str, heading: str, line: int) -> PublishedNumber:
    return PublishedNumber(
        page=document.path,
        table=labels.table,
        heading=heading,
        row=labels.row,
        column=labels.column,
        place=labels.place,
        line=line,
        digits=digits,
        unit=labels.unit,
        case=labels.case,
        words=frozenset(),
        linked=(),
    )
