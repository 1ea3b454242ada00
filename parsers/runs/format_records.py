"""The records of one format in a log; a reading has one such part for each format that the log holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..grammar.format import METRICS, Format
from ..io.cache import pd
from ..scanning.cascade import Account, FormatLines, of_kinds
from ..scanning.record_table import RecordTable, table
from ..scanning.text import LogText
from .runfile import ARRIVAL, arrivals, clock

RUN = "run"  # the column that says, from 1, of which run a record is, where a log holds several
OWN_LINE = "own_line"  # the one with the line in the file of its own rank, where a run has a log for each


@dataclass(frozen=True)
class RankLog:
    """The log of one rank of a run in which each has a file of its own.

    ``before``: so many lines have the logs that stand before it in the tables of the run, whose ``line`` goes on over
    them. ``sha256`` and ``bytes`` are of the file as it lies on disk.
    """

    rank: int
    path: Path
    sha256: str
    bytes: int
    account: Account
    before: int


@dataclass(frozen=True)
class FormatRecords:
    """What one format reads in a log: its records and what their columns mean.

    ``table``: one record a metric line in file order: ``line`` (int64, physical number from 1; of a record of
    several lines the first), ``record`` (step, epoch or summary), ``rank`` where lines name one, and the fields of the
    format (float64, int64, datetime64[us]; NaN or NaT where a line lacks one). Where no line prints a
    ``time``, it is when the line arrived by the run's clock.csv, if there is one (UTC; its field is ``clock.ARRIVAL``).
    Where each rank has a log of its own, ``line`` goes on from log to log, and ``own_line`` is that of the log.
    ``fields`` says for each (record, column) what it means.
    ``not_numbers``: the lines that print a loss that is not a number (int64).
    """

    format: Format | None
    table: RecordTable
    fields: dict[tuple[str, str], Field]
    not_numbers: NDArray[np.int64]

    @property
    def name(self) -> str | None:
        """The name of the format; None where it is of none."""
        return self.format.name if self.format else None

    @property
    def records(self) -> pd.DataFrame:
        """The table as a DataFrame, in which ``record`` is a category, and ``line`` that of the log of the rank."""
        if OWN_LINE not in self.table:
            return self.table.frame
        return self.table.frame.drop(columns="line").rename(columns={OWN_LINE: "line"})

    def of_run(self, run: object) -> FormatRecords:
        """The part with the records of one run, by its number; with all where the log holds one, or for no number."""
        if RUN not in self.table or not isinstance(run, int):
            return self
        numbers = self.table[RUN]
        first, end = np.searchsorted(numbers, np.array((run, run + 1), numbers.dtype)).tolist()
        return replace(self, table=self.table.rows(slice(first, end)))

    @property
    def rank(self) -> tuple[int, int, int]:
        """Lower for what says more: most steps with a throughput or time, then most records, then most columns."""
        known = [name for name in ("throughput", "step_time", "step_rate") if name in self.table]
        timed = np.any([~np.isnan(self.table[name]) for name in known], axis=0) & self.table.are("step")
        return -int(np.count_nonzero(timed)), -len(self.table), -len(list(self.table))


NOTHING = FormatRecords(None, table([]), {}, np.zeros(0, np.int64))


def records_of(level: FormatLines, source: LogText) -> FormatRecords:
    """What the format of a level read in a log; ``source`` has been read to its end."""
    metric = of_kinds([level], METRICS)
    meanings = {(x.variant.record, f.name): f for x in metric for f in x.variant.columns}
    not_numbers = np.concatenate([np.zeros(0, np.int64), *(x.not_numbers() for x in metric)])
    records = table(metric)
    prints_time = "time" in records and not np.isnat(records["time"]).all()
    found = clock(source.path, source.sha256) if len(records) and not prints_time else None
    if found is not None:
        records = records.having("time", arrivals(found, records["line"]))
        meanings |= {(x.variant.record, ARRIVAL.name): ARRIVAL for x in metric}
    return FormatRecords(level.format, records, meanings, not_numbers)
