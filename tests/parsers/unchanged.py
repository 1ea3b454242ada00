"""What a transformation does to the number of a log: the same, none with a reason, or another one with a warning."""

import re
from collections.abc import Iterator
from pathlib import Path

from parsers.io.errors import ParserError
from report.results.measured_log import MeasuredLog, measured_log

_NUMBERS = re.compile(r"[0-9.]+")


def summary(log: Path) -> MeasuredLog | None:
    """The summary of a log; None where it is refused in a sentence."""
    try:
        return measured_log(log)
    except ParserError:
        return None


def value(found: MeasuredLog | None) -> float | None:
    """The throughput that is told, if any."""
    return found.measurement.value if found and found.measurement else None


def changed_in_silence(before: MeasuredLog, now: MeasuredLog | None) -> str | None:
    """What changed though nothing says so; None where all is well."""
    old, new = value(before), value(now)
    if new is None or now is None or (old is not None and abs(new - old) <= abs(old) / 1000):
        return None
    return None if set(_said(now)) - set(_said(before)) else f"{old} became {new}"


def _said(found: MeasuredLog) -> Iterator[str]:
    yield from (str(one.code) for one in found.diagnostics)
    yield from (_NUMBERS.sub("0", str(warning)) for warning in found.warnings)
