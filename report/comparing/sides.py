"""Sides: the runs behind a log, a run folder, a suite, a page or a report, by the names of their cases."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from parsers.grammar.field import Scope
from parsers.io.errors import CANNOT_BE_READ, LogError, ParserError, TachographError, reason_of
from parsers.io.message import Message
from parsers.io.packed import SUFFIXES
from parsers.runs.facts import Fact
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading
from parsers.runs.run_folder import LOG, RUN_FILE
from parsers.runs.runfile import RunFile, log_of, run_file
from parsers.runs.side_files import LOG_SUFFIXES
from parsers.scanning.detection import formats
from parsers.series import Floats
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from ..pagefile.page_file import find, names
from ..results.environment import began
from ..results.measured_log import measured_log
from ..results.model import SUFFIX, Report, read_report
from ..results.store import unfit
from ..views.publish import LOGS, read_pages

NO_SIDE = "is neither a log, a folder, a page nor a report; pages: {names}, or a path ending in .toml."
NOTHING_THERE = "contains no run folder and no log ({endings})."
NO_RUN_OF_REPORT = "has no throughput of a run of its own."
NO_LOG = "the log {log} is not there"
NO_THROUGHPUT = "{log} skipped: {reason}"
TWICE = "{log} skipped: it is a copy of {other}."
PAGE_FILE = ".toml"
# What tells cases apart where logs lie in no run folders.
COORDINATES = ("model", "framework", "device", "nodes", "cards", "precision", "batch_size", "sequence_length")


@dataclass(frozen=True)
class Place:
    """Where a log is: below the folder ``root`` at ``path``; ``case``: the folder of its case below the side.

    ``is_loose``: it lies in no run folder, so that its case is known by its facts alone.
    """

    root: Path
    path: str
    case: str
    is_loose: bool = False

    @property
    def log(self) -> Path:
        """Where the log is."""
        return self.root / self.path

    def __fspath__(self) -> str:
        return str(self.log)


@dataclass(frozen=True, eq=False)
class Measured:
    """One throughput of a run: its value in ``unit``, whose it is, the protocol, the first and last line used.

    ``rates``: what each record gives by itself (float64); none of a clock, or of a run that only a report tells of.
    """

    value: float
    unit: str
    scope: Scope
    protocol: str
    lines: tuple[int, int]
    rates: Floats = field(repr=False)

    @classmethod
    def of(cls, found: Measurement) -> Measured:
        """What a log gives."""
        rates = found.calculation.rates if found.calculation else np.zeros(0)
        return cls(found.value, found.unit, found.scope, found.protocol.words(), found.ends, rates)


@dataclass(frozen=True, eq=False)
class SideRun:
    """A run that counts: where its log is, its SHA-256, its facts, and what its run.json says, if anything.

    ``number``: its throughput by itself, as a report tells it, or over the steps that all runs of a case have.
    ``reading`` and ``measurement``: of the log; None where only a report tells of it.
    """

    place: Place
    sha256: str
    facts: Mapping[str, Fact] = field(repr=False)
    run: RunFile = field(repr=False)
    number: Measured
    reading: Reading | None = field(default=None, repr=False)
    measurement: Measurement | None = field(default=None, repr=False)

    @property
    def evidence(self) -> tuple[Reading, Measurement]:
        """The log and what it measures; raises NoMeasurement where only a report tells of the run."""
        if self.reading is None or self.measurement is None:
            raise NoMeasurement(NO_LOG, log=self.place.log)
        return self.reading, self.measurement

    @property
    def case(self) -> str:
        """The name of its case: its folder; of a loose log with what its facts say."""
        if not self.place.is_loose:
            return self.place.case
        told = " ".join(str(self.facts[name].value) for name in COORDINATES if name in self.facts)
        return "/".join(part for part in (self.place.case, told) if part)

    @property
    def began(self) -> np.datetime64 | None:
        """When it began: UTC, or as its log says where that has no time zone; None where neither tells it."""
        if self.reading is None or self.measurement is None:
            return None
        return began(self.run, self.reading.parts[0].of_run(self.measurement.run).table)


@dataclass(frozen=True)
class Side:
    """One side: its runs by the names of their cases, in the order of their names, and why other logs do not count."""

    path: Path
    cases: Mapping[str, tuple[SideRun, ...]]
    left_out: tuple[Message, ...]


def read_side(side: Path, protocol: Protocol | None = None, workers: Workers | None = None, logs: Path = LOGS) -> Side:
    """Read all runs of a side: a log, a run folder, a case, a suite, any folder that holds such, a page or a report.

    ``protocol``: the stated one; without it the rule measures. ``logs``: the folder of the logs of pages. A run that is
    not done, is not the one of its run.json, gives no throughput or contradicts itself is left out with the reason.
    Raises LogError where there is nothing that may be a log, ParserError for what is no side and where the only log
    cannot be read, and PageError and ReportError for a page or a report with a mistake.
    """
    if side.name.endswith(SUFFIX):
        report = read_report(side)
        return _of_report(side, report, side.parent / (report.logs_folder or ""), protocol)
    if side.exists() and side.suffix != PAGE_FILE:
        return _of_runs(side, _read(found_runs(side), protocol, workers))
    if side.suffix != PAGE_FILE and str(side) not in names():
        raise ParserError.at(side, NO_SIDE, names=", ".join(names()))
    (page,) = read_pages([str(find(str(side)))], logs, Path())
    return _of_report(side, page.report, logs, protocol)


def _of_report(side: Path, report: Report, logs: Path, protocol: Protocol | None) -> Side:
    """The runs behind the throughputs of a report, by the ids of these, read where their logs are as they were."""
    read = list[SideRun | Message]()
    for result in report.results:
        for key in result.runs if result.kind.is_throughput else ():
            told = report.runs[key]
            log, place = report.logs[told.log], Place(logs, told.log, result.id)
            stated = {name: value for name, (value, _) in log.facts.items() if value is not None}
            facts = {name: Fact(name, value, Provenance("run_file")) for name, value in stated.items()}
            ends = (min(told.records.used, default=1), max(told.records.used, default=1))
            number = Measured(told.value, told.unit, cast("Scope", told.scope), told.protocol, ends, np.zeros(0))
            found = run_or_reason(protocol, place) if place.log.is_file() else None
            if isinstance(found, SideRun) and found.sha256 == log.sha256:
                found = replace(found, number=number)
            elif not isinstance(found, Message):
                found = SideRun(place, log.sha256, facts, {}, number)
            read.append(found)
    if not read:
        raise LogError.at(side, NO_RUN_OF_REPORT)
    return _of_runs(side, read)


def found_runs(side: Path) -> list[Place]:
    """The logs of a side by name, none of them read; raises LogError where there are none."""
    if not side.is_dir():
        return [Place(side.parent, side.name, "", is_loose=True)]
    if (side / RUN_FILE).exists():
        # The names of the case and its suite state facts of the log; what leads out of its folder is not read.
        return [Place(side, log_of(side).name, side.resolve().parent.name)]
    runs = list(_below(side))
    in_folders = [run for run in runs if not run.is_loose]
    if found := in_folders or runs:
        return found
    raise LogError.at(side, NOTHING_THERE, endings=", ".join(f"*{ending}" for ending in LOG_SUFFIXES))


def _below(side: Path) -> Iterator[Place]:
    """The runs below a folder; hidden names, and links to folders, are passed over."""
    for top, folders, files in os.walk(side):
        folder = Path(top)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        place = folder.relative_to(side)
        if RUN_FILE in files:
            folders.clear()
            case = place.parent.as_posix() if len(place.parts) > 1 else side.resolve().name
            yield Place(side, (place / _name_of_log(folder)).as_posix(), case)
            continue
        for name in sorted(files):
            plain = Path(name).stem if Path(name).suffix in SUFFIXES else name
            if not name.startswith(".") and plain.endswith(LOG_SUFFIXES):
                where = "" if place == Path() else place.as_posix()
                yield Place(side, (place / name).as_posix(), where, is_loose=True)


def _name_of_log(folder: Path) -> str:
    try:
        return log_of(folder).name
    except LogError:  # reading the run tells what is wrong
        return LOG


def _read(found: Sequence[Place], protocol: Protocol | None, workers: Workers | None) -> list[SideRun | Message]:
    if len(found) == 1:
        return [run_or_reason(protocol, found[0])]
    with suppress(ParserError):  # each log tells it
        formats()  # before processes are forked, which then have them
    with (workers or Workers()).each(partial(_told, protocol), found, bytes_of) as results:
        return list(results)


def bytes_of(run: Place) -> int:
    """How large a log is; 0 where it is not there."""
    try:
        return run.log.stat().st_size
    except OSError:
        return 0


def _told(protocol: Protocol | None, run: Place) -> SideRun | Message:
    """One of several runs; one that cannot be read keeps none of the others."""
    try:
        return run_or_reason(protocol, run)
    except TachographError as error:
        return Message(NO_THROUGHPUT, log=run.path, reason=error.message)


def run_or_reason(protocol: Protocol | None, place: Place) -> SideRun | Message:
    """Read one run, or say why it does not count; raises TachographError where it cannot be read."""
    try:
        reason = unfit(place.root, place.path)
    except OSError as error:
        raise LogError.at(place.log, CANNOT_BE_READ, reason=reason_of(error)) from error
    if reason:
        return reason
    log = measured_log(place.log, protocol)
    try:
        # A stated protocol says which of the sources counts where they contradict each other.
        found = log.measurement if protocol and protocol.states_rule and log.measurement else log.throughput()
    except NoMeasurement as error:
        return Message(NO_THROUGHPUT, log=place.path, reason=error.message)
    run, number = run_file(place.log), Measured.of(found)
    return SideRun(place, log.reading.sha256, log.reading.facts, run, number, log.reading, found)


def _of_runs(side: Path, read: Sequence[SideRun | Message]) -> Side:
    """The runs, each log once in a case: a copy is not a repeat. And what does not count, with the reason."""
    cases, left_out = dict[str, list[SideRun]](), list[Message]()
    for one in read:
        if isinstance(one, Message):
            left_out.append(one)
            continue
        others = cases.setdefault(one.case, [])
        if first := next((other for other in others if other.sha256 == one.sha256), None):
            left_out.append(Message(TWICE, log=one.place.path, other=first.place.path))
        else:
            others.append(one)
    return Side(side, {name: tuple(runs) for name, runs in cases.items()}, tuple(left_out))
