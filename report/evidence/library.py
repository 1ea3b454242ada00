"""The library: the logs behind pages, each read and measured once in a process, and many of them on all cores."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.io.errors import FormatError, ParserError
from parsers.io.message import Message
from parsers.runs.facts import Fact, Facts, Value
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from parsers.runs.runfile import run_file
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.measure import measure
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from .as_read import as_read, how_read
from .asked import why_none
from .case_runs import another_log, not_done, outside


@dataclass(frozen=True)
class Stated:
    """What a page states of its logs: counts that they do not say, and what a number of them measures (``--read``)."""

    counts: tuple[tuple[str, Value], ...] = ()
    read: str | None = None


NOTHING_STATED = Stated()


@dataclass(frozen=True)
class WantedMeasurement:
    """A log below the folder ``logs``, a protocol by which it is measured, and what its page states of it."""

    logs: Path
    path: str
    protocol: Protocol
    stated: Stated = NOTHING_STATED


@dataclass(frozen=True)
class _Found:
    """What is in a log that is evidence, and what it measures by each of the protocols that allow it."""

    reason: Message | None
    reading: Reading | None = None
    measured: Mapping[WantedMeasurement, Measurement] | None = None


_READ: dict[tuple[Path, str | None], Reading] = {}
_MEASURED: dict[tuple[Path, Protocol, Stated], Measurement] = {}


def reading_of(path: Path, option: str | None = None) -> Reading:
    """What is in a log; ``option``: what a number of it measures, where its page states that. Raises ParserError."""
    if (path, option) not in _READ:
        _READ[path, option] = _read(path, option)
    return _READ[path, option]


def _read(log: Path, option: str | None) -> Reading:
    """Read a log as ``measured_log`` does; how one without a format is read is among the warnings.

    Raises ParserError as ``read`` does.
    """
    found = as_read(log, read=option)
    if not found.has_records:
        if asked := why_none(found.answer):
            raise FormatError.at(log, asked.message)
        return read(log)  # which says why it cannot
    how = (one.message for one in how_read(found.reading, found.answer))
    return replace(found.reading, warnings=(*how, *found.reading.warnings))


def measured(path: Path, protocol: Protocol, stated: Stated) -> Measurement:
    """What a log measures by a protocol; raises ParserError and NoMeasurement."""
    key = (path, protocol, stated)
    if key not in _MEASURED:
        _MEASURED[key] = _measured(reading_of(path, stated.read), protocol, stated)
    return _MEASURED[key]


def _measured(reading: Reading, protocol: Protocol, stated: Stated) -> Measurement:
    return measure(scaled(reading, stated), protocol)


def forget() -> None:
    """Let go of all logs that were read and measured, for a process that reads more of them than its memory holds."""
    _READ.clear()
    _MEASURED.clear()


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


def prepare(wanted: Iterable[WantedMeasurement], workers: Workers = ALL_CORES) -> dict[str, Message | None]:
    """Read and measure many logs at once; returns why each is not evidence, None where it is.

    A log that cannot be read, or whose run.json cannot, is left out. What cannot be read or measured is tried, and
    told, by whoever asks for it alone. Raises ParserError where the workers are gone.
    """
    by_log: dict[tuple[Path, str | None], list[WantedMeasurement]] = {}
    for one in dict.fromkeys(wanted):
        by_log.setdefault((one.logs / one.path, one.stated.read), []).append(one)
    tasks = sorted(by_log.values(), key=_bytes, reverse=True)  # so that no core waits for a large one at the end
    reasons = {}
    with workers.each(_found, tasks, _bytes) as results:
        for task, found in zip(tasks, results, strict=True):
            if found is not None:
                reasons[task[0].path] = found.reason
                _keep(task[0], found)
    return reasons


def _bytes(task: list[WantedMeasurement]) -> int:
    """The size of a log; 0 where it is gone."""
    log = task[0].logs / task[0].path
    return log.stat().st_size if log.is_file() else 0


def _keep(wanted: WantedMeasurement, found: _Found) -> None:
    if found.reading is None or found.measured is None:
        return
    path = wanted.logs / wanted.path
    _READ.setdefault((path, wanted.stated.read), found.reading)
    for one, measurement in found.measured.items():
        _MEASURED.setdefault((path, one.protocol, one.stated), measurement)


def _found(task: list[WantedMeasurement]) -> _Found | None:
    """What is in one log, measured by all of its protocols; None where it or its run.json cannot be read.

    All read it in one way. Nothing of it is kept: whoever works for others would keep it beyond their call.
    """
    path, log, option = task[0].path, task[0].logs / task[0].path, task[0].stated.read
    if reason := outside(task[0].logs, path):
        return _Found(reason)
    try:
        run = run_file(log)
        if reason := not_done(run, path):
            return _Found(reason)
        reading = _READ.get((log, option)) or _read(log, option)
        if reason := another_log(run, path, log, reading.sha256):
            return _Found(reason)
        return _Found(None, reading, dict(_all_measured(task, reading)))
    except ParserError:
        return None


def _all_measured(task: list[WantedMeasurement], reading: Reading) -> Iterable[tuple[WantedMeasurement, Measurement]]:
    for one in task:
        with suppress(NoMeasurement):
            yield one, _measured(reading, one.protocol, one.stated)
