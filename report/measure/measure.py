"""Measuring a log: by the rule, or by a protocol that is stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.runs.reading import Reading

from .diagnostics import Code, NoMeasurement, say
from .measurement import Measurement
from .protocol import Protocol
from .records import Run, runs_of
from .rule import measure_log
from .stated import measure_stated


def measure(reading: Reading, protocol: Protocol | None = None) -> Measurement:
    """The throughput of a log by a protocol, or by the rule where none is stated.

    A protocol that names no run needs a log with one. By the rule it is the number of the longest, and
    ``ContradictedError`` is raised where the sources of the log contradict each other; a number by a protocol stands,
    and its status says so. Raises ``NoMeasurement``: its diagnostic says what the log lacks and what is possible.
    """
    runs = list(runs_of(reading))
    if protocol is not None and protocol.run is not None:
        runs = [_named(runs, protocol.run)] if runs else []
    if protocol is None or not protocol.states_rule:
        found = measure_log(runs)
        return replace(found, protocol=protocol) if protocol else found
    if not runs:
        raise NoMeasurement(say(Code.NO_RECORDS))
    speaking = [parts for parts in runs if any(part.table.are(protocol.records).any() for part in parts)]
    if len(speaking) > 1:
        raise NoMeasurement(say(Code.WHICH_RUN, count=len(runs)))
    return measure_stated((speaking or runs)[0], protocol)


def _named(runs: Sequence[list[Run]], run: int | str) -> list[Run]:
    """The run of a number from 1, or the last."""
    found = next((parts for parts in runs if parts[0].number == run), None)
    if found is None and run != "last":
        raise NoMeasurement(say(Code.WHICH_RUN, count=len(runs)))
    return found or runs[-1]
