"""Runs made of columns, as a format would read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from parsers.grammar.field import Field
from parsers.grammar.format import METRICS
from parsers.runs.facts import Fact
from parsers.runs.provenance import line
from parsers.scanning.record_table import RECORD, RecordTable
from report.measure.diagnostics import NoMeasurement
from report.measure.measurement import USES, ContradictedError, Measurement
from report.measure.protocol import Protocol
from report.measure.records import Run
from report.measure.rule import measure_log
from report.measure.stated import measure_stated

FIELDS = {
    "step": Field("step", "INTEGER", first=1),
    "epoch": Field("epoch", "INTEGER", first=1),
    "steps_per_epoch": Field("steps_per_epoch", "INTEGER"),
    "throughput": Field("throughput", "NUMBER", unit="images", scope="job", kind="window_mean"),
    "step_time": Field("step_time", "NUMBER", unit="seconds", kind="window_mean"),
    "step_rate": Field("step_rate", "NUMBER", kind="window_mean"),
    "duration": Field("duration", "NUMBER", unit="seconds", kind="window_mean"),
    "elapsed": Field("elapsed", "NUMBER", unit="seconds"),
    "consumed_samples": Field("consumed_samples", "INTEGER"),
    "consumed_tokens": Field("consumed_tokens", "INTEGER"),
    "token_count": Field("token_count", "INTEGER", scope="card"),
    "sample_count": Field("sample_count", "INTEGER", scope="job"),
    "batch_size": Field("batch_size", "INTEGER"),
    "job_batch_size": Field("job_batch_size", "INTEGER"),
    "rank": Field("rank", "INTEGER"),
}


def run(
    kind: str = "step",
    number: int = 1,
    facts: Mapping[str, int] | None = None,
    means: Mapping[str, Mapping[str, Any]] | None = None,
    **columns: Any,
) -> Run:
    """A run whose records of a kind print these columns, one record a line; ``means``: what else a column means."""
    count = len(next(iter(columns.values())))
    table = {name: np.asarray(values) for name, values in columns.items()}
    lines = np.arange(1, count + 1, dtype=np.int64) + 1000 * (number - 1)
    kinds = np.full(count, METRICS.index(kind), np.int8)
    fields = {
        (kind, name): Field(**{**vars(FIELDS[name]), **(means or {}).get(name, {})})
        for name in columns
        if name in FIELDS
    }
    known = {name: Fact(name, value, line(1)) for name, value in (facts or {}).items()}
    return Run(number, RecordTable({"line": lines, RECORD: kinds, **table}), fields, known)


def stamps(seconds: Any) -> np.ndarray[Any, Any]:
    """Times of day, so many seconds behind the first."""
    return np.datetime64("2031-01-01T00:00:00", "us") + (np.asarray(seconds, float) * 1e6).astype("m8[us]")


def measured(*runs: Run | list[Run]) -> Measurement | NoMeasurement:
    """What a log of these runs gives: a number, both sides of a contradiction, or why there is none."""
    try:
        return measure_log([one if isinstance(one, list) else [one] for one in runs])
    except ContradictedError as error:
        return error.found
    except NoMeasurement as error:
        return error


def stated(protocol: str, *parts: Run) -> Measurement:
    """The number of a run by a protocol; raises ``NoMeasurement``."""
    return measure_stated(parts, Protocol.parse(protocol))


def uses(found: Measurement) -> str:
    """Why each record is used or not, in words with blanks between them."""
    return " ".join(USES[reason] for reason in found.use.reasons.tolist())
