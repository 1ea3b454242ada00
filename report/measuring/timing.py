"""Timing: what the clock says of the time between two records, and what was done in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .estimate import Facts, Values
from .protocol import NoMeasurement, Protocol
from .record_columns import Columns, Records, columns
from .scaling import amounts_done
from .window import Fields, Mask, step_field, steps_in_epoch

Rows = NDArray[np.int64]
ONE_RECORD = "estimate=clock needs two records, but there is only one up to the end of the window."
NOTHING_DONE = "The number of {counted} does not increase from line {first} to line {last}."
NO_TIME_PASSES = "The time does not increase from line {first} to line {last}."


@dataclass(frozen=True)
class Timed:
    """The ``amount`` of all cards between two records, ``counted`` in samples or tokens, and the ``seconds``.

    ``ends``: which two records these are (bool).
    """

    amount: float
    counted: str
    seconds: float
    ends: Mask


def clock(records: Records, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> Timed:
    """Return what was done between two records by the time that they print, ``time`` or ``elapsed``.

    From the last record before the window, or its first one where none is before it (whose own steps then do not
    count), to its last one: just what the records in the window cover. ``records``: all of one kind and rank in file
    order. Raises ``NoMeasurement`` where there are no two such records, or no time passes between them.
    """
    records = columns(records)
    first, last = np.flatnonzero(used)[[0, -1]]
    first = max(first - 1, 0)
    if first == last:
        raise NoMeasurement(ONE_RECORD)
    done, counted = amounts_done(records, fields, facts, used, protocol)
    stretches = _stretches(records, fields, protocol, first, last)
    seconds = sum(_seconds(records, stretch) for stretch in stretches)
    amount = float(sum(done[stretch[-1]] - done[stretch[0]] for stretch in stretches))
    start, stop = records["line"][[first, last]]
    if not seconds > 0:
        raise NoMeasurement(NO_TIME_PASSES, first=start, last=stop)
    if not 0 < amount < np.inf:
        raise NoMeasurement(NOTHING_DONE, counted=counted, first=start, last=stop)
    ends = np.zeros(len(records), dtype=np.bool_)
    ends[[first, last]] = True
    return Timed(amount, counted, seconds, ends)


def _stretches(records: Columns, fields: Fields, protocol: Protocol, first: int, last: int) -> list[Rows]:
    """The rows of some records between which the clock runs: an ``elapsed`` that falls has begun anew there.

    Steps are those within epochs, where nobody knows how many follow the last one that is printed.
    """
    rows = np.arange(first, last + 1)
    begins = np.zeros(len(rows), np.bool_)
    if not ("time" in records and records.printed("time")[[first, last]].all()):
        begins[1:] |= np.diff(records.numbers("elapsed")[rows]) < 0
    if protocol.counts == "steps" and "steps_per_epoch" not in records:
        begins[1:] |= np.diff(steps_in_epoch(records, step_field(fields, protocol.records))[rows]) < 0
    return np.split(rows, np.flatnonzero(begins))


def _seconds(records: Columns, rows: Rows) -> float:
    return float(np.diff(seconds_done(records.rows(rows[[0, -1]])))[0])


def seconds_done(records: Records) -> Values:
    """Return the seconds since the first of some records (float64), by the times or else the ``elapsed`` they print."""
    records = columns(records)
    if "time" in records and records.printed("time").all():
        times = records["time"].astype("datetime64[ns]")
        seconds: Values = (times - times[:1]) / np.timedelta64(1, "s")
        return seconds
    return records.numbers("elapsed")
