"""Final metrics: what a run reaches, such as an accuracy, as the last line after its training began prints it by name.

Lines of records are left out: what these print is of training, not of an evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parsers.runs.reading import Reading
from parsers.scanning.text import LogText

from ...measure.diagnostics import NoMeasurement

NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?i:nan|inf(?:inity)?)"
# Behind the name, maybe in quotes: a colon, an equals sign or a blank, or the key of the value in a line of MLPerf.
PRINTED = rb"(?<![\w.@/-])%b[\"']?(?:[ \t]*[:=][ \t]*|[ \t]+|,[ \t]*\"value\"[ \t]*:[ \t]*)(%b)(?![\w.]|[ \t]*/)"
SEVERAL_RUNS = "{log} holds several runs"


@dataclass(frozen=True)
class FinalMetric:
    """A metric of one run: its value, which may be NaN or infinite, and the line of the log that prints it."""

    log: Path
    line: int
    value: float


def final_metric(log: Path, reading: Reading, name: str) -> FinalMetric | None:
    """The last value of a metric that a run prints; None where it prints none after its first record.

    ``log``: what it is called. ``name``: as the log spells it. Raises NoMeasurement for a log of several runs, and
    LogError where it cannot be read.
    """
    if len(reading.facts_of_runs) > 1:
        raise NoMeasurement(SEVERAL_RUNS, log=log)
    printed = re.compile(PRINTED % (re.escape(name.encode()), NUMBER))
    of_records = {int(line) for part in reading.parts for line in part.table["line"]}
    first, last = min(of_records), None
    for line, value in _printed(reading.path, printed, name.encode()):
        if line > first and line not in of_records:
            last = FinalMetric(log, line, value)
    return last


def _printed(path: Path, printed: re.Pattern[bytes], name: bytes) -> Iterator[tuple[int, float]]:
    """The number of each line that prints the metric, and the last value there."""
    before = 0
    for block in LogText(path).data():
        if name in block:
            for number, line in enumerate(block.split(b"\n"), before + 1):
                if name in line and (values := printed.findall(line)):
                    yield number, float(values[-1])
        before += block.count(b"\n")
