"""The library: the logs behind pages, each read and measured once in a process, and many of them on all cores."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.ranks.ranked_reading import survey
from parsers.runs.facts import Fact, Value
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from parsers.runs.runfile import run_file
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.protocol import Protocol
from ..measuring.checking.own_figures import differing, own_figures
from ..measuring.measurement import Measurement, NoMeasurement, measure
from .case_runs import another_log, not_done, outside
from .log_summary import BY_NAMES, OF_RESUMED, assumptions, summarise

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
    """Read a log as ``summarise`` does without a protocol, but for totals, which that of a page may take.

    How such a log is read, and what that assumes, are among the warnings. Raises ParserError as ``read`` does.
    """
    reading = survey(log)
    if reading.format and any(part.rank[0] for part in reading.parts):
        return reading
    found = summarise(log, None, ())
    if found.bar and found.bar.said.key != OF_RESUMED:
        return replace(found.bar.reading, warnings=(found.bar.said, *found.bar.reading.warnings))
    if found.general is None or not found.general.is_found:
        return reading if reading.format else read(log)  # which says why it cannot
    told = [Message(BY_NAMES, used=found.general.used, total=found.general.total), *assumptions(found.general)]
    return replace(found.general.reading, warnings=(*told, *found.general.reading.warnings))


def measured(path: Path, protocol: Protocol, scaling: Scaling) -> Measurement:
    """What a log measures by a protocol; raises ParserError and NoMeasurement."""
    key = (path, protocol, scaling)
    if key not in _MEASURED:
        _MEASURED[key] = _measured(reading_of(path), protocol, scaling)
    return _MEASURED[key]


def _measured(reading: Reading, protocol: Protocol, scaling: Scaling) -> Measurement:
    """What a log measures, with a warning of each figure that its program prints itself and that is another."""
    of_run = reading.of_run(protocol.run)
    part, facts = of_run.parts[0], scaled(of_run, scaling)
    found = measure(part.table, part.fields, facts, protocol)
    own = differing(own_figures(of_run.parts, facts, found, part), found)
    return replace(found, warnings=(*found.warnings, *own))


def forget() -> None:
    """Let go of all logs that were read and measured, for a process that reads more of them than its memory holds."""
    _READ.clear()
    _MEASURED.clear()


def scaled(reading: Reading, scaling: Scaling) -> dict[str, Fact]:
    """The facts of a log; what the page says of its case stands in where the log says nothing."""
    stated = {axis: Fact(axis, value, PAGE) for axis, value in scaling}
    if "batch_size" in reading.facts:  # the batch size of a card, which the log states, says that of the job
        stated.pop("job_batch_size", None)
    return stated | reading.facts


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
