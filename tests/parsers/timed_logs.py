"""Logs whose lines tell times, and the speed that is read of them."""

from pathlib import Path

from report.evidence.measured_log import MeasuredLog, measured_log
from report.measure.measurement import Measurement
from tests.parsers.toy_logs import write


def read(at: Path, text: str) -> MeasuredLog:
    return measured_log(write(at, text.encode()))


def headline(found: MeasuredLog) -> Measurement | None:
    """The measurement whose number is the throughput of a log; None where it has none, or two that contradict."""
    return None if found.reason else found.measurement


def number(found: MeasuredLog) -> tuple[object, str] | None:
    told = headline(found)
    return None if told is None else (told.value, told.unit)


def of_runs(found: MeasuredLog) -> list[object]:
    """What each run of a log gives."""
    runs = found.measurement.runs if found.measurement else ()
    return [run.measurement.value for run in runs if run.measurement]


def speed(at: Path, text: str) -> tuple[object, str] | None:
    return number(read(at, text))


def stamp(seconds: float) -> str:
    whole = int(seconds)
    return f"2031-02-03 04:{whole // 60:02d}:{whole % 60:02d}"
