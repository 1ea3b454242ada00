"""Sides: the runs behind a log, a run folder, a suite, a page or a report, by the names of their cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from parsers.grammar.field import Scope
from parsers.io.errors import CANNOT_BE_READ, LogError, ParserError, TachographError, reason_of
from parsers.io.files import SUFFIXES
from parsers.io.message import Message
from parsers.runs.facts import Fact, Facts
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading
from parsers.runs.run_folder import LOG
from parsers.runs.runfile import LOG_SUFFIXES, folders_below, log_of, run_file, sha256_of
from parsers.scanning.detection import formats
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement, Said, say
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from ..pagefile.page_file import find, names
from ..results import model
from ..results.environment import began, stated_start
from ..results.measured_log import measured_log
from ..results.store import outside, unfit
from ..views.publish import LOGS, read_pages
from .conditions import Condition, conditions_of
from .effect import variance_of_mean

SKIPPED = "{log} skipped: {reason}"
COPY = "it is a copy of {other}."
CONTRADICTED = "the report has two sides of it that contradict each other."
PAGE_FILE = ".toml"
# What tells cases apart where logs lie in no run folders.
COORDINATES = ("model", "framework", "device", "nodes", "cards", "precision", "batch_size", "sequence_length")

# What a protocol of a page says of its numbers, and not of how a run is measured.
OF_PAGES = ("run", "repeats", "decimals", "significant", "rounding")

Told = TypeVar("Told")


class Place(NamedTuple):
    """A log at a ``path`` below the folder ``root``, and the folder of its case below the side.

    ``is_loose``: it lies in no run folder, so that its case is known by its facts alone. ``report``: what it is of, and
    its key there.
    """

    root: Path
    path: str
    case: str
    is_loose: bool = False
    report: tuple[Path, model.Run, model.Log] | None = None

    @property
    def log(self) -> Path:
        """Where the log is."""
        return self.root / self.path


@dataclass(frozen=True)
class Measured:
    """One throughput of a run: its value in ``unit``, whose it is, the rule, the formats that read the log, and the
    first and last line used; ``steps``: the first and last of a window of steps.

    ``variance``: of the mean log time of the run, as its records show it; 0 where they do not.
    """

    value: float = 0.0
    unit: str = ""
    scope: Scope = "unknown"
    protocol: str = ""
    formats: str = ""
    lines: tuple[int, int] = (1, 1)
    steps: tuple[int, int] | None = None
    variance: float = field(default=0.0, repr=False)

    @classmethod
    def of(
        cls, found: Measurement, reading: Reading, protocol: Protocol, steps: tuple[int, int] | None = None
    ) -> Measured:
        """What a log gives by a protocol; ``steps``: the first and last of the window."""
        rates = found.calculation.rates if found.calculation else np.zeros(0)
        variance = variance_of_mean(1 / rates) if (rates > 0).all() else 0.0
        formats = ", ".join(dict.fromkeys(part.format.name for part in reading.parts if part.format))
        return cls(found.value, found.unit, found.scope, protocol.words(), formats, found.ends, steps, variance)


@dataclass(frozen=True)
class Run:
    """One run as its log and its run.json tell it.

    ``began``: ISO 8601, UTC or as the log says. ``number``: its throughput. ``reason``: why it does not count.
    ``conditions``: what it was made with.
    """

    log: str
    case: str
    sha256: str = ""
    began: str | None = None
    commit: str | None = None
    number: Measured = Measured()
    reason: Said | None = None
    conditions: dict[str, Condition] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadRun(Run):
    """A run that counts, with what is in its log, and what that measures by itself; both None of one of which only a
    report tells.
    """

    facts: Facts = field(repr=False)
    reading: Reading | None = field(default=None, repr=False)
    measurement: Measurement | None = field(default=None, repr=False)


# Runs by the names of their cases, in the order of their names.
Cases = Mapping[str, tuple[ReadRun, ...]]


def read_side(
    side: Path, protocol: Protocol | None = None, workers: Workers | None = None, logs: Path = LOGS
) -> tuple[Cases, tuple[Message, ...]]:
    """Read all runs of a side: a log, a run folder, a case, a suite, any folder that holds such, a page or a report.

    Gives them by their cases, and why other logs do not count.

    ``protocol``: the stated one; without it the rule measures. ``logs``: the folder of the logs of pages. Of a report
    whose log is not there as it was, what it records counts. A run that is not done, is not the one of its run.json,
    gives no throughput or contradicts itself is left out with the reason; and a copy of a log of its case, for that is
    no repeat. Raises LogError where there is nothing that may be a log, ParserError for what is no side and where
    the only log cannot be read, and PageError and ReportError for a page or a report with a mistake.
    """
    if side.name.endswith(model.SUFFIX):
        report = model.read_report(side)
        found = _of_report(side, report, side.parent / (report.logs_folder or ""))
    elif side.exists() and side.suffix != PAGE_FILE:
        found = found_runs(side)
    elif side.suffix != PAGE_FILE and str(side) not in names():
        no_side = "is neither a log, a folder, a page nor a report; pages: {names}, or a path ending in .toml."
        raise ParserError.at(side, no_side, names=", ".join(names()))
    else:
        (page,) = read_pages([str(find(str(side)))], logs, Path())
        found = _of_report(side, page.report, logs)
    cases, left_out = dict[str, list[ReadRun]](), list[Message]()
    for run in each_read(partial(read_run, protocol, is_alone=len(found) == 1), found, workers):
        others = cases.setdefault(run.case, [])
        if not isinstance(run, ReadRun):
            left_out += [run.reason] if run.reason else []
        elif first := next((other for other in others if other.sha256 == run.sha256), None):
            left_out.append(Message(SKIPPED, log=run.log, reason=Message(COPY, other=first.log)))
        else:
            others.append(run)
    return {name: tuple(runs) for name, runs in cases.items() if runs}, tuple(left_out)


def _of_report(side: Path, report: model.Report, logs: Path) -> list[Place]:
    """The runs behind the throughputs of a report, by the ids of these."""
    found = [
        Place(logs, run.log, result.id, report=(side, run, report.logs[run.log]))
        for result in report.results
        for run in (report.runs_of(result) if result.kind.is_throughput else ())
    ]
    if not found:
        raise LogError.at(side, "has no throughput of a run of its own.")
    return found


def found_runs(side: Path) -> list[Place]:
    """The logs of a side by name, none of them read; raises LogError where there are none."""
    if not side.is_dir():
        return [Place(side.parent, side.name, "", is_loose=True)]
    runs = list(_below(side))
    if found := [run for run in runs if not run.is_loose] or runs:
        return found
    endings = ", ".join(f"*{ending}" for ending in LOG_SUFFIXES)
    raise LogError.at(side, "contains no run folder and no log ({endings}).", endings=endings)


def _below(side: Path) -> Iterator[Place]:
    """The runs below a folder, and the files that may be logs."""
    for folder, files in folders_below(side):
        place = folder.relative_to(side)
        if files is None:
            log = LOG
            with suppress(LogError):  # reading the run tells what is wrong
                log = log_of(folder).name
            # The names of the case and its suite state facts of the log; what leads out of its folder is not read.
            case = place.parent.as_posix() if len(place.parts) > 1 else folder.resolve().parent.name
            yield Place(side, (place / log).as_posix(), case)
            continue
        for name in files:
            plain = Path(name).stem if Path(name).suffix in SUFFIXES else name
            if plain.endswith(LOG_SUFFIXES):
                where = "" if place == Path() else place.as_posix()
                yield Place(side, (place / name).as_posix(), where, is_loose=True)


def each_read(read: Callable[[Place], Told], found: Sequence[Place], workers: Workers | None) -> list[Told]:
    """What ``read`` makes of each of several logs."""
    with suppress(ParserError):  # each log tells it
        formats()  # before processes are forked, which then have them
    with (workers or Workers()).each(read, found, _bytes) as results:
        return list(results)


def _bytes(place: Place) -> int:
    return place.log.stat().st_size if place.log.is_file() else 0


def _is_recorded(place: Place, sha256: str) -> bool:
    """Whether the log of a report is there. Others may have made the report, and what it names may be no log at all."""
    return _bytes(place) > 0 and outside(place.root, place.path) is None and sha256_of(place.log) == sha256


def read_run(protocol: Protocol | None, place: Place, *, is_alone: bool = False) -> Run:
    """Read one run, a ReadRun where it counts; raises TachographError where it ``is_alone`` and cannot be read."""
    run = Run(str(place.log), place.case)
    try:
        if place.report and not _is_recorded(place, place.report[2].sha256):
            return _recorded(run, *place.report)
        told = run_file(place.log)
        source = told.get("source")
        commit = source.get("commit") if isinstance(source, dict) else None
        run = replace(run, began=_text(stated_start(told)), commit=commit if isinstance(commit, str) else None)
        if reason := unfit(place.root, place.path):
            # Of several suites the whole path says which run it is.
            return replace(run, reason=say(reason.code, **{**reason.values, "log": run.log}).message)
        log = measured_log(place.log, protocol, read=place.report[1].read if place.report else None)
        # A stated protocol says which of the sources counts where they contradict each other.
        is_stated = protocol and protocol.states_rule and log.measurement
        return _counted(run, place, log.reading, log.measurement if is_stated and log.measurement else log.throughput())
    except NoMeasurement as error:
        return replace(run, reason=Message(SKIPPED, log=run.log, reason=error.message))
    except OSError as error:
        failed: TachographError = LogError.at(place.log, CANNOT_BE_READ, reason=reason_of(error))
    except TachographError as error:
        failed = error
    if is_alone:
        raise failed
    return replace(run, reason=Message(SKIPPED, log=run.log, reason=failed.message))


def _counted(run: Run, place: Place, reading: Reading, found: Measurement) -> ReadRun:
    facts = reading.facts
    told = {name: facts[name].value for name in COORDINATES if name in facts and place.is_loose}
    coordinates = " ".join(value if isinstance(value, str) else f"{name}={value}" for name, value in told.items())
    return ReadRun(
        log=run.log,
        case="/".join(part for part in (run.case, coordinates) if part),
        sha256=reading.sha256,
        began=_text(began(reading.run_file, reading.parts[0].of_run(found.run).table)),
        commit=run.commit,
        number=Measured.of(found, reading, found.protocol),
        conditions=conditions_of(facts, reading.run_file, place.log),
        facts=facts,
        reading=reading,
        measurement=found,
    )


def _recorded(run: Run, report: Path, told: model.Run, log: model.Log) -> Run:
    """A run as a report records it, by the protocol of its page; a ReadRun where it counts."""
    if told.status == "contradicted":
        return replace(run, reason=Message(SKIPPED, log=run.log, reason=Message(CONTRADICTED)))
    lines, stated = told.records.used, Protocol.parse(told.protocol).model_dump(exclude_unset=True, exclude={*OF_PAGES})
    facts, conditions = Facts(), dict[str, Condition]()
    for name, (value, _) in log.facts.items():
        if value is not None:
            facts[name] = Fact(name, value, Provenance("page"))
            conditions[name] = Condition(str(value), str(report), key=f"{run.log}: {name}")
    return ReadRun(
        log=run.log,
        case=run.case,
        sha256=log.sha256,
        number=Measured(
            told.measured,
            told.measured_unit,
            told.scope,  # type: ignore[arg-type]
            Protocol.of(stated).words(),
            log.format or "",
            (lines[0], lines[-1]) if lines else (1, 1),
        ),
        conditions=conditions,
        facts=facts,
    )


def _text(moment: np.datetime64 | None) -> str | None:
    return None if moment is None or np.isnat(moment) else str(moment.astype("M8[us]"))
