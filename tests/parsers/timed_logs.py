"""Logs whose lines tell times, and the speed that is read of them."""

from pathlib import Path

from report.evidence.measured_log import MeasuredLog, measured_log
from report.measure.measurement import RunOfLog
from tests.parsers.toy_logs import write


def read(at: Path, text: str) -> MeasuredLog:
    return measured_log(write(at, text.encode()))


def speed(at: Path, text: str) -> tuple[object, str] | None:
    found = read(at, text).measurement
    return None if found is None else (found.value, found.unit)


def runs_of(found: MeasuredLog) -> tuple[RunOfLog, ...]:
    """What each of several runs of a log gives."""
    return found.measurement.runs if found.measurement else ()


def stamp(seconds: float) -> str:
    whole = int(seconds)
    return f"2031-02-03 04:{whole // 60:02d}:{whole % 60:02d}"
