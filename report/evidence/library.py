"""The library: the logs behind pages, each read and measured once in a process, and many of them on all cores."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.ranks.ranked_reading import survey
from parsers.runs.facts import Fact, Facts, Value
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from parsers.runs.runfile import run_file
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import Code, NoMeasurement
from ..measure.measure import measure
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from .case_runs import another_log, not_done, outside
from .measured_log import measured_log

Scaling = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class WantedMeasurement:
    """A log below the folder ``logs``, a protocol by which it is measured, and what a page says of how it is scaled."""

    logs: Path
    path: str
    protocol: Protocol
    scaling: Scaling


@dataclass(frozen=True)
class _Found:
    """What is in a log that is evidence, and what it measures by each of the protocols that allow it."""

    reason: Message | None
    reading: Reading | None = None
    measured: Mapping[WantedMeasurement, Measurement] | None = None


_READ: dict[Path, Reading] = {}
_MEASURED: dict[tuple[Path, Protocol, Scaling], Measurement] = {}


def reading_of(path: Path) -> Reading:
    """What is in a log; raises ParserError."""
    if path not in _READ:
        _READ[path] = _read(path)
    return _READ[path]


def _read(log: Path) -> Reading:
    """Read a log as ``measured_log`` does; how one without a format is read is among the warnings.

    Raises ParserError as ``read`` does.
    """
    reading = survey(log)
    if reading.prints_speed:
        return reading
    found = measured_log(log)
    if not any(len(part.table) for part in found.reading.parts):
        return read(log)  # which says why it cannot
    told = (one.message for one in found.diagnostics if one.code == Code.BY_NAMES)
    return replace(found.reading, warnings=(*told, *found.reading.warnings))


def measured(path: Path, protocol: Protocol, scaling: Scaling) -> Measurement:
    """What a log measures by a protocol; raises ParserError and NoMeasurement."""
    key = (path, protocol, scaling)
    if key not in _MEASURED:
        _MEASURED[key] = _measured(reading_of(path), protocol, scaling)
    return _MEASURED[key]


def _measured(reading: Reading, protocol: Protocol, scaling: Scaling) -> Measurement:
    return measure(scaled(reading, scaling), protocol)


def forget() -> None:
    """Let go of all logs that were read and measured, for a process that reads more of them than its memory holds."""
    _READ.clear()
    _MEASURED.clear()


def scaled(reading: Reading, scaling: Scaling) -> Reading:
    """A log with the facts of its case, which the page says, where it says nothing itself."""
    stated = [Fact(axis, value, PAGE) for axis, value in scaling]
    of_runs = tuple(_with(facts, stated) for facts in reading.facts_of_runs)
    return replace(reading, facts=_with(reading.facts, stated), facts_of_runs=of_runs)


def _with(facts: Facts, stated: Iterable[Fact]) -> Facts:
    found = copy(facts)
    for fact in stated:
        # The batch size of a card, which the log states, says that of the job.
        if fact.name != "job_batch_size" or "batch_size" not in facts:
            found.setdefault(fact.name, fact)
    return found


def prepare(wanted: Iterable[WantedMeasurement], workers: Workers = ALL_CORES) -> dict[str, Message | None]:
    """Read and measure many logs at once; returns why each is not evidence, None where it is.

    A log that cannot be read, or whose run.json cannot, is left out. What cannot be read or measured is tried, and
    told, by whoever asks for it alone. Raises ParserError where the workers are gone.
    """
    by_log: dict[Path, list[WantedMeasurement]] = {}
    for one in dict.fromkeys(wanted):
        by_log.setdefault(one.logs / one.path, []).append(one)
    tasks = sorted(by_log.values(), key=_bytes, reverse=True)  # so that no core waits for a large one at the end
    reasons = {}
    with workers.each(_found, tasks, _bytes) as results:
        for task, found in zip(tasks, results, strict=True):
            if found is not None:
                reasons[task[0].path] = found.reason
                _keep(task[0].logs / task[0].path, found)
    return reasons


def _bytes(task: list[WantedMeasurement]) -> int:
    """The size of a log; 0 where it is gone."""
    log = task[0].logs / task[0].path
    return log.stat().st_size if log.is_file() else 0


def _keep(path: Path, found: _Found) -> None:
    if found.reading is None or found.measured is None:
        return
    _READ.setdefault(path, found.reading)
    for one, measurement in found.measured.items():
        _MEASURED.setdefault((path, one.protocol, one.scaling), measurement)


def _found(task: list[WantedMeasurement]) -> _Found | None:
    """What is in one log, measured by all of its protocols; None where it or its run.json cannot be read.

    Nothing of it is kept: whoever works for others would keep it beyond their call.
    """
    path, log = task[0].path, task[0].logs / task[0].path
    if reason := outside(task[0].logs, path):
        return _Found(reason)
    try:
        run = run_file(log)
        if reason := not_done(run, path):
            return _Found(reason)
        reading = _READ.get(log) or _read(log)
        if reason := another_log(run, path, log, reading.sha256):
            return _Found(reason)
        return _Found(None, reading, dict(_all_measured(task, reading)))
    except ParserError:
        return None


def _all_measured(task: list[WantedMeasurement], reading: Reading) -> Iterable[tuple[WantedMeasurement, Measurement]]:
    for one in task:
        with suppress(NoMeasurement):
            yield one, _measured(reading, one.protocol, one.scaling)
