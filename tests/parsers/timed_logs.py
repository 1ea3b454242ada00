"""Logs whose lines tell times, and the speed that is read of them."""

from pathlib import Path

from report.evidence.log_summary import Summary, summarise
from tests.parsers.toy_logs import write


def read(at: Path, text: str) -> Summary:
    return summarise(write(at, text.encode()), None, ())


def speed(at: Path, text: str) -> tuple[object, str] | None:
    found = read(at, text).measurement
    return None if found is None else (found.value, found.unit)


def stamp(seconds: float) -> str:
    whole = int(seconds)
    return f"2031-02-03 04:{whole // 60:02d}:{whole % 60:02d}"
