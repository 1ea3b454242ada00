"""Rates of batches: a printed throughput that is one over the time of a step, whatever its unit says it counts."""

from collections.abc import Iterator

import numpy as np

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords

from ...measure.protocol import Protocol
from ..estimate import Facts
from ..measurement import Measurement, NoMeasurement
from ..selection import readings

ONE_A_STEP = "Each throughput printed is 1 ÷ its step time: unless the batch size is 1, it counts steps, not {counted}."
FEWEST, MOST = 3, 0.9  # records
NEAR = 0.2  # both are rounded; a batch of two makes 2
# What says how many samples a step has: then the time of a step is held against the throughput.
SIZES = ("batch_size", "job_batch_size")


def of_batches(part: FormatRecords, facts: Facts, found: Measurement) -> Iterator[Message]:
    """Warn of a throughput that counts one for each step, where nothing says how many samples a step has."""
    protocol = found.protocol
    if (protocol.records, protocol.estimate) != ("step", "reported") or any(name in facts for name in SIZES):
        return
    part = part.of_run(protocol.run)
    run = {} if protocol.run is None else {"run": protocol.run}
    try:
        timed, times = readings(part.table, part.fields, facts, Protocol.of({**run, "estimate": "steps"}))
        records, rates = readings(part.table, part.fields, facts, Protocol.of({**run, "estimate": "reported"}))
    except NoMeasurement:
        return
    if len(records) != len(timed) or len(records) < FEWEST or (records["line"] != timed["line"]).any():
        return
    is_one = np.abs(rates.values * times.values - 1) <= NEAR
    if len(np.unique(times.values)) >= FEWEST and is_one.mean() >= MOST:
        yield Message(ONE_A_STEP, counted=found.unit.removesuffix("/s"))
