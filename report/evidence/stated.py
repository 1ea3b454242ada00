"""Numbers by stated protocols, until these are measured as all others are: then ``measure`` does, and this goes."""

from __future__ import annotations

import numpy as np

from parsers.runs.reading import Reading
from parsers.series import Series

from ..measure.checks import Estimate
from ..measure.diagnostics import NoMeasurement
from ..measure.measurement import Measurement, Use, UseOfRecords
from ..measure.protocol import Protocol
from ..measure.work import thing
from ..measuring.measurement import measure as measure_by_protocol


def measure_stated(reading: Reading, protocol: Protocol) -> Measurement:
    """The number of a log by a stated protocol; raises NoMeasurement."""
    of_run, reasons = reading.of_run(protocol.run), list[NoMeasurement]()
    for part in of_run.parts:
        try:
            found = measure_by_protocol(part.table, part.fields, of_run.facts, protocol)
        except NoMeasurement as error:
            reasons.append(error)
            continue
        unit, column = found.unit.removesuffix("/s"), _column(protocol)
        told = (found.value, thing(unit), unit, found.scope or "unknown", column, protocol.records)
        estimate = Estimate(*told, found.ends, found.records_used, 0.0)
        reasons_of_lines = np.where(found.use.reasons == Use.USED, Use.USED, Use.NO_VALUE).astype(np.int8)
        use = UseOfRecords(found.use.lines, reasons_of_lines)
        number = protocol.run if isinstance(protocol.run, int) else max(len(reading.facts_of_runs), 1)
        return Measurement("unchecked", estimate, protocol, _no_series(estimate), use, run=number)
    raise reasons[0]


def _column(protocol: Protocol) -> str:
    columns = {"reported": "throughput", "instant": "throughput", "clock": "time", "steps": "step_time"}
    return columns.get(protocol.estimate, protocol.estimate)


def _no_series(of: Estimate) -> Series:
    none, lines = np.zeros(0), np.zeros(0, np.int64)
    told = of.source, of.kind, of.counted, of.unit, of.scope
    return Series(*told, rows=lines, lines=lines, begins=lines, work=none, seconds=none, tick=none)
