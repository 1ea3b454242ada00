"""Timing: what the clock says of the time between two records, and what was done in it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .estimate import Facts
from .protocol import NoMeasurement, Protocol
from .scaling import samples_done
from .window import Fields, Mask


@dataclass(frozen=True)
class Timed:
    """The ``samples`` of all cards between two records, the ``seconds`` between them, and which two (bool)."""

    samples: float
    seconds: float
    ends: Mask


def clock(records: pd.DataFrame, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> Timed:
    """Return what was done between two records by the time that they print, ``time`` or ``elapsed``.

    From the last record before the window, or its first one where none is before it (whose own steps then do not
    count), to its last one: just what the records in the window cover. ``records``: all of one kind and rank in file
    order. Raises ``NoMeasurement`` where there are no two such records, or no time passes between them.
    """
    first, last = np.flatnonzero(used)[[0, -1]]
    first = max(first - 1, 0)
    if first == last:
        raise NoMeasurement("estimate=clock needs two records, but the window has one and none is before it.")
    seconds = _seconds(records.iloc[[first, last]])
    done = samples_done(records, fields, facts, used, protocol)
    samples = float(done[last] - done[first])
    if not 0 < samples < np.inf:
        lines = records["line"].iloc[[first, last]]
        raise NoMeasurement("The samples that were done do not grow from line {} to line {}.".format(*lines))
    ends = np.zeros(len(records), dtype=np.bool_)
    ends[[first, last]] = True
    return Timed(samples, seconds, ends)


def _seconds(ends: pd.DataFrame) -> float:
    if "time" in ends and ends["time"].notna().all():
        seconds = np.diff(ends["time"].to_numpy(dtype="datetime64[ns]"))[0] / np.timedelta64(1, "s")
    else:
        seconds = np.diff(ends["elapsed"].to_numpy(dtype=np.float64))[0]
    if not seconds > 0:
        raise NoMeasurement("The time does not grow from line {} to line {}.".format(*ends["line"]))
    return float(seconds)
