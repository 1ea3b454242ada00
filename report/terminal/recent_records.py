"""Recent records: what a growing log printed of the run that is under way, in a memory that does not grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parsers.grammar.format import METRICS
from parsers.io.lazy import pd
from parsers.runs.appended import beginnings
from parsers.runs.events import Event
from parsers.runs.format_records import FormatRecords
from parsers.scanning.record_table import RecordTable

from ..measuring.window import Fields

MOST = 1 << 14


class RecentRecords:
    """The last records of a growing log, of all kinds and ranks, at most ``MOST``; none of an earlier run.

    ``frame``: these, with ``line`` counted on where a log is rotated. ``forgets``: whether the run has more.
    ``run``: the number of the run under way, from 1.
    """

    def __init__(self) -> None:
        """Begin with no record."""
        self.frame, self.forgets, self.run, self.first = pd.DataFrame(), False, 1, 0
        self._rotated = 0

    def rotate(self) -> None:
        """Count lines on from the last one: those of another file of the same log come."""
        self._rotated = 0 if self.frame.empty else int(self.frame["line"].iloc[-1])

    def add(self, records: pd.DataFrame, happened: Sequence[Event]) -> int | None:
        """Keep some records more; returns the line of the last record before another run, where one begins.

        ``happened``: the events of the present file. Records of earlier runs are forgotten then.
        """
        if self._rotated:
            records = records.assign(line=records["line"] + self._rotated)
            happened = [event._replace(line=event.line + self._rotated) for event in happened]
        kept = records if self.frame.empty else pd.concat([self.frame, records])
        self.forgets |= len(kept) > MOST
        self.frame = kept.tail(MOST)
        starts = beginnings(_table(self.frame), happened)
        return self._begin(starts) if starts else None

    def _begin(self, starts: Sequence[int]) -> int:
        is_of_run = self.frame["line"] >= starts[-1]
        before = int(self.frame["line"][~is_of_run].iloc[-1])
        self.frame, self.forgets, self.run = self.frame[is_of_run], False, self.run + len(starts)
        self.first = starts[-1] - self._rotated
        return max(before - self._rotated, 0)

    @property
    def of_present_file(self) -> pd.DataFrame:
        """The records with the lines of the present file; those of a file before it have none of at least 1."""
        return self.frame.assign(line=self.frame["line"] - self._rotated) if self._rotated else self.frame

    def part(self, fields: Fields) -> FormatRecords:
        """The records as a part of a reading; ``fields``: what their columns mean."""
        meanings = {key: field for key, field in fields.items() if field.name in self.frame}
        return FormatRecords(None, _table(self.frame), meanings, np.zeros(0, np.int64))


def _table(records: pd.DataFrame) -> RecordTable:
    kinds = pd.Categorical(records["record"], categories=list(METRICS)).codes
    columns = {str(name): records[name].to_numpy() for name in records if name != "record"}
    return RecordTable({**columns, "record": kinds.astype(np.int8)})
