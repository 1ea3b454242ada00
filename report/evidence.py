"""Evidence: the logs behind a cell, and what they measure by the protocol of the page."""

import glob
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from parsers.errors import ParserError
from parsers.facts import Fact, Value
from parsers.reading import Reading, read
from parsers.runfile import run_file

from .cell import Cell, Disagreement, Proof, Reason
from .measurement import Measurement, NoMeasurement, combine, measure
from .page import Case, Column, Page, Run, Table, TableColumn, TableRow
from .protocol import Protocol

# What a page says of a case and a log may say otherwise; models and devices are spelt too freely to compare.
COMPARED = ("nodes", "cards", "precision", "batch_size")
SCALING = ("nodes", "cards", "batch_size")

NOT_THE_JOB = {
    "card": "The number of cards is not known, so {log} gives the throughput of one card only.",
    "node": "The number of nodes is not known, so {log} gives the throughput of one node only.",
}
# Warnings that the catalogues translate; any other is passed on as it is.
WARNINGS = (
    "The {field} is a running mean, and the {statistic} of {count} records of it counts early steps again in each of"
    " them: estimate=instant undoes this.",
    "The last line has no newline: it may be cut off, so a number that it ends with is not used.",
    "Output runs together, first in line {line} ({count} in all); what is whole there is used.",
    "{fact} is {value} by {witness}, but {other} by {denier}; the first is used.",
    "{fact} is {value} by {witness}, but {other} by {denier}; neither is used.",
)
ANY_WARNING = "{warning}"


class NoEvidenceError(Exception):
    """There is no number for a case; carries the reason."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(str(reason))


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
        proofs, left_out = _proofs(logs, _pattern(run, case), protocol, case)
        _refuse_other_numbers(page, proofs)
        number = combine([proof.measurement for proof in proofs], protocol)
    except NoEvidenceError as error:
        return replace(empty, reason=error.reason)
    except ParserError as error:
        return replace(empty, reason=Reason("The log cannot be read: {error}", {"error": str(error)}))
    except NoMeasurement as error:
        return replace(empty, reason=Reason("The log gives no number: {error}", {"error": str(error)}))
    disagreements = tuple(d for proof in proofs for d in _disagreements(case, proof.reading))
    remarks = (*left_out, *_remarks(proofs, {d.fact for d in disagreements}))
    return replace(empty, proofs=proofs, protocol=protocol, number=number, disagreements=disagreements, remarks=remarks)


def _refuse_other_numbers(page: Page, proofs: tuple[Proof, ...]) -> None:
    """Raise NoEvidenceError for numbers that are not of the whole job, or not in the unit of the page."""
    for proof in proofs:
        measured, log = proof.measurement, Path(proof.log).name
        if measured.scope in NOT_THE_JOB:
            raise NoEvidenceError(Reason(NOT_THE_JOB[measured.scope], {"log": log}))
        if _counting(measured.unit) != _counting(page.unit):
            message = "The unit of the page is {unit}, but {log} gives {measured}."
            raise NoEvidenceError(Reason(message, {"unit": page.unit, "log": log, "measured": measured.unit}))


def _counting(unit: str) -> str:
    """The unit with one word for images and samples, which count the same."""
    return re.sub(r"^images\b", "samples", unit.strip())


def _remarks(proofs: tuple[Proof, ...], told: set[str]) -> tuple[Reason, ...]:
    """The warnings of all proofs, once each; ``told``: the facts whose contradictions are told already."""
    warnings = [warning for p in proofs for warning in (*p.reading.warnings, *p.measurement.warnings)]
    found = [_warning(text) for text in dict.fromkeys(warnings)]
    return tuple(remark for remark in found if remark.values.get("fact") not in told)


def _warning(text: str) -> Reason:
    """A warning as a message that can be translated, where it is a known one."""
    for message in WARNINGS:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(message))
        if found := re.fullmatch(pattern, text):
            return Reason(message, found.groupdict())
    return Reason(ANY_WARNING, {"warning": text})


def _run(column: Column, case: Case) -> Run:
    for run in column.runs:
        if run.covers(case):
            return run
    raise NoEvidenceError(Reason("The page names no logs for this case."))


def _pattern(run: Run, case: Case) -> str:
    """The pattern of the logs of a case; what the case fills in is taken as it is, only the page may say ``*``."""
    spelt = {axis: run.spellings.get(axis, {}).get(str(value), str(value)) for axis, value in case.items()}
    try:
        return run.logs.format_map({axis: glob.escape(text) for axis, text in spelt.items()})
    except KeyError as error:
        message = "The pattern {pattern} needs {axis}, which the case does not say."
        raise NoEvidenceError(Reason(message, {"pattern": run.logs, "axis": error.args[0]})) from None


def _proofs(logs: Path, pattern: str, protocol: Protocol, case: Case) -> tuple[tuple[Proof, ...], tuple[Reason, ...]]:
    """The proofs of a case, and why other logs of it are left out; raises NoEvidenceError when no proof is left."""
    # glob leaves hidden names out, as a run folder has while it is filled; Path.glob does not.
    paths = sorted(glob.glob(pattern, root_dir=logs))  # noqa: PTH207
    if not paths:
        raise NoEvidenceError(Reason("There is no log {pattern} in the folder of logs.", {"pattern": pattern}))
    reasons = {path: _unfit(logs, path) for path in paths}
    left_out = tuple(reason for reason in reasons.values() if reason)
    if len(left_out) == len(paths):
        raise NoEvidenceError(left_out[0])
    scaling = tuple((axis, value) for axis, value in case.items() if axis in SCALING)
    fit = [path for path, reason in reasons.items() if not reason]
    return tuple(Proof(path, _read(logs / path), _measured(logs / path, protocol, scaling)) for path in fit), left_out


def _unfit(logs: Path, path: str) -> Reason | None:
    """Why a log is no evidence by the run.json beside it: the run was not done, or the log is not the one it made."""
    run = run_file(logs / path)
    status, made = run.get("status", "done"), run.get("log")
    if status != "done":
        return Reason("{log} is left out: its run.json says {status}.", {"log": path, "status": str(status)})
    if not isinstance(made, dict) or made.get("file", Path(path).name) != Path(path).name:
        return None
    if made.get("sha256", "") not in ("", _read(logs / path).sha256):
        return Reason("{log} is left out: it is not the file whose SHA-256 its run.json gives.", {"log": path})
    return None


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
