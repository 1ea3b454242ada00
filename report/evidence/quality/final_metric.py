"""Final metrics: what a run reaches, such as an accuracy, and whether runs reach what those of a reference do.

The metric is what the last line after the training began prints by its name. Lines of records are left out: what these
print is of training, not of an evaluation. Both directions of a difference count: who states a tolerance says which
results are the same. Sides are compared by their means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from parsers.io.message import Message
from parsers.runs.reading import Reading
from parsers.scanning.text import LogText

from ...measure.diagnostics import NoMeasurement

NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?i:nan|inf(?:inity)?)"
# Behind the name, maybe in quotes: a colon, an equals sign or a blank, or the key of the value in a line of MLPerf.
PRINTED = rb"(?<![\w.@/-])%b[\"']?(?:[ \t]*[:=][ \t]*|[ \t]+|,[ \t]*\"value\"[ \t]*:[ \t]*)(%b)(?![\w.]|[ \t]*/)"
SEVERAL_RUNS = "{log} holds several runs"
MetricVerdict = Literal["same", "higher", "lower", "NaN", "unknown"]
ROUNDING = 1e-9
NOT_A_NUMBER = "{log} prints {value} at line {line}"
NOTHING_TO_SHARE = "the reference is 0, so a share of it says nothing"


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


@dataclass(frozen=True)
class MetricAgreement:
    """Whether the final metric ``name`` of some runs is that of their reference, within ``tolerance``, a fraction.

    ``values``: the means of the reference and of the runs, ``change``: between them, as a fraction of the reference.
    ``printed``: what each run prints, those of the reference first. ``reason``: why it is unknown, or not a number.
    """

    name: str
    verdict: MetricVerdict
    tolerance: float
    change: float | None = None
    values: tuple[float, float] | None = None
    printed: tuple[FinalMetric, ...] = ()
    reason: Message | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether the runs do not reach what their reference does."""
        return self.verdict in ("higher", "lower", "NaN")


def metric_agreement(
    name: str, reference: Sequence[FinalMetric], judged: Sequence[FinalMetric], tolerance: float
) -> MetricAgreement:
    """Hold the final metrics of some runs against those of a reference, at least one run each."""
    printed = (*reference, *judged)
    for verdict, side in (("unknown", reference), ("NaN", judged)):
        broken = next((one for one in side if not np.isfinite(one.value)), None)
        if broken is not None:
            reason = Message(NOT_A_NUMBER, log=broken.log, value=f"{broken.value:g}", line=broken.line)
            return MetricAgreement(name, verdict, tolerance, printed=printed, reason=reason)  # type: ignore[arg-type]
    a, b = (float(np.mean([one.value for one in side])) for side in (reference, judged))
    if not a:
        return MetricAgreement(name, "unknown", tolerance, None, (a, b), printed, Message(NOTHING_TO_SHARE))
    change = (b - a) / abs(a)
    verdict_of_change: MetricVerdict = "higher" if change > 0 else "lower"
    verdict_ = "same" if abs(change) <= tolerance + ROUNDING else verdict_of_change
    return MetricAgreement(name, verdict_, tolerance, change, (a, b), printed)
