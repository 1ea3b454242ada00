"""Measuring a log: by the rule, or by a protocol that is stated."""

from __future__ import annotations

from parsers.runs.reading import Reading

from .measurement import Measurement
from .protocol import Protocol
from .records import runs_of
from .rule import measure_log


def measure(reading: Reading, protocol: Protocol | None = None) -> Measurement:
    """The throughput of a log by a protocol, or by the rule where none is stated.

    Raises ``NoMeasurement``: its diagnostic says what the log lacks and what is possible; ``ContradictedError`` where
    the sources of the log contradict each other.
    """
    return measure_log(list(runs_of(reading)))
