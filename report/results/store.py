"""The store of logs: where the logs of a case lie, which of them are evidence, and what each gives, read once."""

import glob
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from parsers.io.errors import FormatError, ParserError
from parsers.io.files import leading_out
from parsers.runs.facts import Fact, Facts, Value
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from parsers.runs.run_folder import DONE
from parsers.runs.runfile import describes, files_of_run, run_file, sha256_of, status_of
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import Diagnostic, NoEvidenceError, NoMeasurement, say
from ..measure.measure import measure
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from ..measure.records import Run, runs_of
from ..pagefile.page import Column
from ..pagefile.page import Run as RunOfColumn
from ..pagefile.parts import Case
from .measured_log import as_read
from .telemetry import RunTelemetry


@dataclass(frozen=True)
class Stated:
    """What a page states of its logs: counts that they do not say, and what a number of them measures (``--read``)."""

    counts: tuple[tuple[str, Value], ...] = ()
    read: str | None = None


NOTHING_STATED = Stated()


@dataclass(frozen=True)
class Wanted:
    """A log below the folder of logs, a protocol by which it is measured, and what its page states of it."""

    path: str
    protocol: Protocol
    stated: Stated = NOTHING_STATED


class LogStore:
    """The logs below a folder, each read and measured once, however many pages, cells and protocols ask for it."""

    def __init__(self, folder: Path, workers: Workers = ALL_CORES) -> None:
        self.folder = folder
        self._workers = workers
        self._reasons: dict[str, Diagnostic | None] = {}
        self._readings: dict[tuple[str, str | None], Reading] = {}
        self._runs: dict[tuple[str, Stated], tuple[Reading, list[list[Run]]]] = {}
        self._measured: dict[Wanted, Measurement] = {}
        self.watched: dict[object, RunTelemetry] = {}  # what several quantities of one run are of

    def prepare(self, wanted: Iterable[Wanted]) -> None:
        """Read and measure many logs at once, those that are evidence.

        What cannot be read or measured is tried, and told, when it is asked for alone. Raises ParserError where the
        workers are gone.
        """
        by_log: dict[tuple[str, str | None], list[Wanted]] = {}
        for one in dict.fromkeys(wanted):
            if one not in self._measured:
                by_log.setdefault((one.path, one.stated.read), []).append(one)
        # The largest first, so that no core waits for it at the end.
        tasks = sorted(by_log.values(), key=self._bytes, reverse=True)
        with self._workers.each(partial(_found, self.folder), tasks, self._bytes) as results:
            for reasons, readings, measured in results:
                self._reasons |= reasons
                self._readings = readings | self._readings
                self._measured |= measured

    def _bytes(self, task: Sequence[Wanted]) -> int:
        """The size of a log; 0 where it is gone."""
        log = self.folder / task[0].path
        return log.stat().st_size if log.is_file() else 0

    def unfit(self, path: str) -> Diagnostic | None:
        """Why a log is not evidence; None where it is. Raises LogError as ``unfit`` does."""
        if path not in self._reasons:
            self._reasons[path] = unfit(self.folder, path)
        return self._reasons[path]

    def reading(self, path: str, option: str | None = None) -> Reading:
        """What is in a log; ``option``: what its page states of a number of it. Raises ParserError."""
        if (path, option) not in self._readings:
            self._readings[path, option] = _read(self.folder / path, option)
        return self._readings[path, option]

    def measured(self, wanted: Wanted) -> Measurement:
        """What a log measures by a protocol; raises ParserError and NoMeasurement."""
        if wanted not in self._measured:
            log = wanted.path, wanted.stated
            if log not in self._runs:
                reading = scaled(self.reading(wanted.path, wanted.stated.read), wanted.stated)
                self._runs[log] = reading, list(runs_of(reading))
            reading, runs = self._runs[log]
            self._measured[wanted] = measure(reading, wanted.protocol, runs)
        return self._measured[wanted]


def _found(
    folder: Path, task: Sequence[Wanted]
) -> tuple[dict[str, Diagnostic | None], dict[tuple[str, str | None], Reading], dict[Wanted, Measurement]]:
    """What a store of one log knows of it once all of its protocols have measured it."""
    store = LogStore(folder)
    for one in task:
        with suppress(ParserError, NoMeasurement):
            if store.unfit(one.path) is None:
                store.measured(one)
    return store._reasons, store._readings, store._measured


def _read(log: Path, option: str | None) -> Reading:
    """Read a log as ``show`` does; how one without a format is read is among the warnings. Raises ParserError."""
    found = as_read(log, read=option)
    if not found.has_records:
        if asked := found.why_none:
            raise FormatError.at(log, asked.message)
        return read(log)  # which says why it cannot
    how = (one.message for one in found.how_read)
    return replace(found.reading, warnings=(*how, *found.reading.warnings))


def scaled(reading: Reading, stated: Stated) -> Reading:
    """A log with the counts that its page states, where it says nothing itself."""
    counts = [Fact(axis, value, PAGE) for axis, value in stated.counts]
    of_runs = tuple(_with(facts, counts) for facts in reading.facts_of_runs)
    return replace(reading, facts=_with(reading.facts, counts), facts_of_runs=of_runs)


def _with(facts: Facts, counts: Iterable[Fact]) -> Facts:
    found = copy(facts)
    for fact in counts:
        # The batch size of a card, which the log states, says that of the job.
        if fact.name != "job_batch_size" or "batch_size" not in facts:
            found.setdefault(fact.name, fact)
    return found


# ---- where the logs of a case lie


def run_of(column: Column, case: Case) -> RunOfColumn:
    """The kind of run that covers a case; raises NoEvidenceError when the column has none."""
    for run in column.runs:
        if run.covers(case):
            return run
    raise NoEvidenceError("no_logs_named")


def filled(run: RunOfColumn, case: Case, logs: Path) -> tuple[str, Sequence[str]]:
    """The pattern of the logs of a case, and those that it finds: the first pattern that finds any.

    ``logs``: the folder of logs. Raises NoEvidenceError when the case does not say an axis that the pattern needs.
    """
    try:
        patterns = run.patterns(case)
    except KeyError as error:
        raise NoEvidenceError("logs_need_axis", pattern=run.logs[0], axis=str(error.args[0])) from None
    each = ((pattern, logs_of(logs, pattern)) for pattern in patterns)
    return next((found for found in each if found[1]), (patterns[0], []))


def logs_of(logs: Path, pattern: str) -> Sequence[str]:
    """The logs that a filled pattern finds, below the folder of logs, sorted."""
    # glob leaves hidden names out, as a run folder has while it is filled; Path.glob does not.
    return sorted(glob.glob(pattern, root_dir=logs))  # noqa: PTH207


# ---- which logs are evidence


def unfit(logs: Path, path: str) -> Diagnostic | None:
    """Why a log is not evidence: it is not in the folder of logs, its run is not done, or its run.json is of another.

    None where it is evidence. Raises LogError when the log cannot be read or run.json is broken.
    """
    if reason := outside(logs, path):
        return reason
    run = run_file(log := logs / path)
    if (status := status_of(run)) != DONE:
        return say("run_not_done", log=path, status=status)
    return say("another_log", log=path) if run and describes(run, log, sha256_of(log)) is False else None


def outside(logs: Path, path: str) -> Diagnostic | None:
    """Why nothing of a run may be read: its log, or a file beside it, is a link out of the folder of logs."""
    if (file := leading_out(files_of_run(logs / path), logs)) is None:
        return None
    # What is named is the folder or the file on the way that is the link.
    way: Iterator[Path] = (one for one in (*reversed(file.parents), file) if one.is_relative_to(logs) and one != logs)
    link = leading_out(way, logs) or file
    return say("leads_out", log=path, file=link.name if link == file else link.relative_to(logs).as_posix())
