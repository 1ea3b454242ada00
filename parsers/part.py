"""A part of a reading: what one format reads in a log."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .cascade import Level, of_kinds
from .clock import ARRIVAL, arrivals, clock
from .field import Field
from .format import METRICS, Format
from .source import Source
from .table import table


@dataclass(frozen=True)
class Part:
    """What one format reads in a log: ``records`` and the meaning of their ``fields``, as in ``Reading``."""

    format: Format | None
    records: pd.DataFrame
    fields: dict[tuple[str, str], Field]

    @property
    def speaks_of_speed(self) -> tuple[int, int]:
        """How much: the number of steps with a throughput or time of their own, then of records of any kind."""
        known = [name for name in ("throughput", "step_time") if name in self.records]
        timed = self.records[known].notna().any(axis=1) & (self.records["record"] == "step")
        return int(timed.sum()), len(self.records)


NOTHING = Part(None, table([]), {})


def part(level: Level, source: Source) -> Part:
    """What the format of a level read in a log; ``source`` has been read to its end."""
    metric = of_kinds([level], METRICS)
    meanings = {(x.variant.record, f.name): f for x in metric for f in x.variant.fields}
    records = table(metric)
    if (arrived := _arrived(records, source)) is not None:
        records["time"] = arrived
        meanings |= {(x.variant.record, ARRIVAL.name): ARRIVAL for x in metric}
    return Part(level.format, records, meanings)


def _arrived(records: pd.DataFrame, source: Source) -> NDArray[np.datetime64] | None:
    """When the lines of records arrived; None where they print a time themselves, or the run has no clock."""
    if records.empty or ("time" in records and records["time"].notna().any()):
        return None
    found = clock(source.path, source.sha256)
    return None if found is None else arrivals(found, records["line"].to_numpy())
