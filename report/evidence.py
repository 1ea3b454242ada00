"""Evidence: the logs behind a cell, and what they measure by the protocol of the page."""

import glob
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from parsers.errors import ParserError
from parsers.facts import Fact, Value
from parsers.reading import Reading, read

from .measurement import Measurement, NoMeasurement, combine, measure
from .number import printed
from .page import Case, Column, Page, Run, Table, TableColumn, TableRow
from .protocol import Protocol

# What a page says of a case and a log may say otherwise; models and devices are spelt too freely to compare.
COMPARED = ("nodes", "cards", "precision", "batch_size")
SCALING = ("nodes", "cards", "batch_size")


@dataclass(frozen=True)
class Proof:
    """One log behind a cell: its path below the folder of logs, what it holds, and the measurement it gives."""

    log: str
    reading: Reading
    measurement: Measurement


@dataclass(frozen=True)
class Disagreement:
    """A witness in the log (or its name) that contradicts the label of a cell."""

    fact: str
    label: Value
    said: Value
    witness: str


@dataclass(frozen=True)
class Reason:
    """Why a cell is empty: a message that the catalogues translate, and its values."""

    message: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The reason in English."""
        return self.message.format(**self.values)


class NoEvidenceError(Exception):
    """There is no log for a case; carries the reason."""

    def __init__(self, message: str, **values: str) -> None:
        self.reason = Reason(message, values)
        super().__init__(str(self.reason))


@dataclass(frozen=True)
class Cell:
    """One number of a page with its proofs, or the reason why there is none.

    ``printed``: the number as it stands on the page; None when the cell is empty. ``number``: the same, unrounded.
    """

    table: str
    row: str
    column: str
    case: Case
    proofs: tuple[Proof, ...] = ()
    protocol: Protocol | None = None
    number: float | None = None
    reason: Reason | None = None
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def printed(self) -> str | None:
        """The number in the digits that its protocol states."""
        return None if self.number is None or self.protocol is None else printed(self.number, self.protocol)


def cells(page: Page, logs: Path) -> Iterator[Cell]:
    """All cells of a page, in the order of its tables; a cell that cannot be filled says why."""
    for table in page.tables:
        for row in table.rows:
            for column in table.columns:
                yield _cell(page, logs, table, row, column)


def row_title(table: Table, row: TableRow) -> str:
    """Title of a row, with the axes of its case filled in."""
    case: Case = {**table.case, **row.case}
    return row.title.format(**case)


def column_title(page: Page, column: TableColumn) -> str:
    """Title of a column of a table: its own, or that of the page's column."""
    return column.title or page.columns[column.column].title


def _cell(page: Page, logs: Path, table: Table, row: TableRow, column: TableColumn) -> Cell:
    case: Case = {**table.case, **row.case, **column.case}
    empty = Cell(table.name, row_title(table, row), column_title(page, column), case)
    try:
        run = _run(page.columns[column.column], case)
        protocol = run.protocol.overridden(column.protocol) if column.protocol else run.protocol
        proofs = tuple(_proofs(logs, _pattern(run, case), protocol, case))
        number = combine([proof.measurement for proof in proofs], protocol)
    except NoEvidenceError as error:
        return replace(empty, reason=error.reason)
    except ParserError as error:
        return replace(empty, reason=Reason("The log cannot be read: {error}", {"error": str(error)}))
    except NoMeasurement as error:
        return replace(empty, reason=Reason("The log gives no number: {error}", {"error": str(error)}))
    disagreements = tuple(d for proof in proofs for d in _disagreements(case, proof.reading))
    return replace(empty, proofs=proofs, protocol=protocol, number=number, disagreements=disagreements)


def _run(column: Column, case: Case) -> Run:
    for run in column.runs:
        if run.covers(case):
            return run
    raise NoEvidenceError("The page names no logs for this case.")


def _pattern(run: Run, case: Case) -> str:
    """The pattern of the logs of a case; what the case fills in is taken as it is, only the page may say ``*``."""
    spelt = {axis: run.spellings.get(axis, {}).get(str(value), str(value)) for axis, value in case.items()}
    try:
        return run.logs.format_map({axis: glob.escape(text) for axis, text in spelt.items()})
    except KeyError as error:
        message = "The pattern {pattern} needs {axis}, which the case does not say."
        raise NoEvidenceError(message, pattern=run.logs, axis=error.args[0]) from None


def _proofs(logs: Path, pattern: str, protocol: Protocol, case: Case) -> Iterator[Proof]:
    # glob leaves hidden names out, as a run folder has while it is filled; Path.glob does not.
    paths = sorted(glob.glob(pattern, root_dir=logs))  # noqa: PTH207
    if not paths:
        raise NoEvidenceError("There is no log {pattern} in the folder of logs.", pattern=pattern)
    scaling = tuple((axis, value) for axis, value in case.items() if axis in SCALING)
    for path in paths:
        yield Proof(path, _read(logs / path), _measured(logs / path, protocol, scaling))


@cache
def _read(path: Path) -> Reading:
    return read(path)


@cache
def _measured(path: Path, protocol: Protocol, scaling: tuple[tuple[str, Value], ...]) -> Measurement:
    """A measurement of one log; what the page says of its case stands in where the log says nothing."""
    reading = _read(path)
    facts = {axis: Fact(axis, value, "page") for axis, value in scaling}
    return measure(reading.records, reading.fields, facts | reading.facts, protocol)


def _disagreements(case: Case, reading: Reading) -> Iterator[Disagreement]:
    for axis in COMPARED:
        fact = reading.facts.get(axis)
        if axis in case and fact is not None and fact.value != case[axis]:
            yield Disagreement(axis, case[axis], fact.value, fact.witness)
