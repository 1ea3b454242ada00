"""Measuring a log: by the rule, or by a protocol that is stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parsers.runs.reading import Reading

from .diagnostics import Code, NoMeasurement, say
from .measurement import Measurement
from .protocol import Protocol
from .records import Run, runs_of
from .rule import measure_log
from .stated import measure_stated


def measure(reading: Reading, protocol: Protocol | None = None, runs: Sequence[list[Run]] | None = None) -> Measurement:
    """The throughput of a log by a protocol, or by the rule where none is stated.

    ``runs``: those of the log, as ``runs_of`` gives them, where several protocols are to read their sources once.
    A protocol that names no run needs a log with one. By the rule it is the number of the longest, and
    ``ContradictedError`` is raised where the sources of the log contradict each other; a number by a protocol stands,
    and its status says so. Raises ``NoMeasurement``: its diagnostic says what the log lacks and what is possible.
    """
    with np.errstate(all="ignore"):  # what is no number is left out, or refused where it is used
        if protocol is None or (protocol.run is None and not protocol.states_rule):
            runs = runs or list(runs_of(reading))
        else:
            runs = [parts for parts in [run_of(reading, protocol, runs)] if parts]
        if not runs:
            raise NoMeasurement(say(Code.NO_RECORDS))
        if protocol is not None and protocol.states_rule:
            found = measure_stated(runs[0], protocol)
        else:
            found = replace(measure_log(runs), protocol=protocol or Protocol())
    if reading.cut is None:
        return found
    cut = say(Code.CUT_LINE, line=reading.cut.line, column=reading.cut.column)
    return replace(found, diagnostics=(*found.diagnostics, cut))


def run_of(reading: Reading, protocol: Protocol, runs: Sequence[list[Run]] | None = None) -> list[Run]:
    """The run that a protocol means, as each format of the log reads it; nothing of a log without records.

    ``runs``: as for ``measure``. Raises ``NoMeasurement`` where it names none and several have records of its kind, or
    where there is none of it.
    """
    runs = runs or list(runs_of(reading))
    if protocol.run == "last" or not runs:
        return runs[-1] if runs else []
    if protocol.run is not None:
        if (named := next((parts for parts in runs if parts[0].number == protocol.run), None)) is None:
            raise NoMeasurement(say(Code.WHICH_RUN, count=len(runs)))
        return named
    speaking = [parts for parts in runs if any(part.table.are(protocol.records).any() for part in parts)]
    if len(speaking) > 1:
        raise NoMeasurement(say(Code.WHICH_RUN, count=len(runs)))
    return (speaking or runs)[0]
