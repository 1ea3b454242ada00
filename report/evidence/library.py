"""The library: the logs behind pages, each read and measured once in a process, and many of them on all cores."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.runs.facts import Fact, Value
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from parsers.runs.runfile import run_file

from ..measuring.measurement import Measurement, NoMeasurement, measure
from ..measuring.protocol import Protocol
from .case_runs import another_log, not_done, outside
from .pool import on_all_cores

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
        _READ[path] = read(path)
    return _READ[path]


def measured(path: Path, protocol: Protocol, scaling: Scaling) -> Measurement:
    """What a log measures by a protocol; raises ParserError and NoMeasurement."""
    key = (path, protocol, scaling)
    if key not in _MEASURED:
        found = reading_of(path).of_run(protocol.run)
        _MEASURED[key] = measure(found.parts[0].table, found.fields, scaled(found, scaling), protocol)
    return _MEASURED[key]


def forget() -> None:
    """Let go of all logs that were read and measured, for a process that reads more of them than its memory holds."""
    _READ.clear()
    _MEASURED.clear()


def scaled(reading: Reading, scaling: Scaling) -> dict[str, Fact]:
    """The facts of a log; what the page says of its case stands in where the log says nothing."""
    return {axis: Fact(axis, value, PAGE) for axis, value in scaling} | reading.facts


def prepare(wanted: Iterable[WantedMeasurement]) -> dict[str, Message | None]:
    """Read and measure many logs at once; returns why each is not evidence, None where it is.

    A log that cannot be read, or whose run.json cannot, is left out. What cannot be read or measured is tried, and
    told, by whoever asks for it alone. Raises ChildProcessError when a process is killed.
    """
    by_log: dict[Path, list[WantedMeasurement]] = {}
    for one in dict.fromkeys(wanted):
        by_log.setdefault(one.logs / one.path, []).append(one)
    sizes = {log: _bytes(log) for log in by_log}
    largest_first = sorted(by_log, key=sizes.__getitem__, reverse=True)  # so that no core waits for one at the end
    tasks = [by_log[log] for log in largest_first]
    reasons = {}
    with on_all_cores(_found, tasks, largest=max(sizes.values(), default=0)) as results:
        for task, found in zip(tasks, results, strict=True):
            if found is not None:
                reasons[task[0].path] = found.reason
                _keep(found)
    return reasons


def _bytes(log: Path) -> int:
    """The size of a log; 0 where it is gone."""
    return log.stat().st_size if log.is_file() else 0


def _keep(found: _Found) -> None:
    if found.reading is None or found.measured is None:
        return
    known = _READ.setdefault(found.reading.path, found.reading)
    for one, measurement in found.measured.items():
        _MEASURED.setdefault((known.path, one.protocol, one.scaling), measurement)


def _found(task: list[WantedMeasurement]) -> _Found | None:
    """What is in one log, measured by all of its protocols; None where it or its run.json cannot be read."""
    path, log = task[0].path, task[0].logs / task[0].path
    if reason := outside(task[0].logs, path):
        return _Found(reason)
    try:
        run = run_file(log)
        if reason := not_done(run, path):
            return _Found(reason)
        reading = reading_of(log)
        if reason := another_log(run, path, log, reading.sha256):
            return _Found(reason)
        return _Found(None, reading, dict(_all_measured(task)))
    except ParserError:
        return None


def _all_measured(task: list[WantedMeasurement]) -> Iterable[tuple[WantedMeasurement, Measurement]]:
    for one in task:
        with suppress(NoMeasurement):
            yield one, measured(one.logs / one.path, one.protocol, one.scaling)
