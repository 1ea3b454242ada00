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
    """What one format reads in a log.

    ``records``: DataFrame, one row a metric line in file order: ``line`` (int64, physical number from 1; of a record of
    several lines the first), ``record`` (category: step, epoch or summary), ``rank`` where lines name one, and the
    fields of the format (float64, int64, datetime64[us]; NaN or NaT where a line lacks one). Where no line prints a
    ``time``, it is when the line arrived by the run's clock.csv, if there is one (UTC; its field is ``clock.ARRIVAL``).
    ``fields`` says for each (record, column) what it means.
    ``not_numbers``: the lines that print a loss that is not a number (int64).
    """

    format: Format | None
    records: pd.DataFrame
    fields: dict[tuple[str, str], Field]
    not_numbers: NDArray[np.int64]

    @property
    def rank(self) -> tuple[int, int]:
        """Lower for what says more of speed: most steps with a throughput or time, then most records of any kind."""
        known = [name for name in ("throughput", "step_time", "step_rate") if name in self.records]
        timed = self.records[known].notna().any(axis=1) & (self.records["record"] == "step")
        return -int(timed.sum()), -len(self.records)


NOTHING = Part(None, table([]), {}, np.zeros(0, np.int64))


def part(level: Level, source: Source) -> Part:
    """What the format of a level read in a log; ``source`` has been read to its end."""
    metric = of_kinds([level], METRICS)
    meanings = {(x.variant.record, f.name): f for x in metric for f in x.variant.fields}
    not_numbers = np.concatenate([np.zeros(0, np.int64), *(x.not_numbers() for x in metric)])
    records = table(metric)
    if (arrived := _arrived(records, source)) is not None:
        records["time"] = arrived
        meanings |= {(x.variant.record, ARRIVAL.name): ARRIVAL for x in metric}
    return Part(level.format, records, meanings, not_numbers)


def _arrived(records: pd.DataFrame, source: Source) -> NDArray[np.datetime64] | None:
    """When the lines of records arrived; None where they print a time themselves, or the run has no clock."""
    if records.empty or ("time" in records and not np.isnat(records["time"].to_numpy()).all()):
        return None
    found = clock(source.path, source.sha256)
    return None if found is None else arrivals(found, records["line"].to_numpy())
