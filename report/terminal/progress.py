"""The progress of a running job: its last records, and statistics of all of them, in a memory that does not grow."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parsers.io.lazy import pd
from parsers.io.message import Message, joined
from parsers.runs.events import Event

from ..measuring.estimate import Facts, Values
from ..measuring.headline import of_records
from ..measuring.measurement import Measurement
from ..measuring.protocol import NoMeasurement, Protocol
from ..measuring.ranks.rank_records import one_each
from ..measuring.record_columns import Columns
from ..measuring.scaling import ASKING
from ..measuring.statistic import reduce
from ..measuring.window import Fields, Mask
from .meter import Meter, Rate, meters
from .recent_records import RecentRecords

KEPT = 1024
NONE_YET = "No record gives a number so far: the clock needs two records, and times must be above 0."

NONE_OF_THE_KIND = "The log has no {kind} records so far; it has {known}."
OF_A_KIND = "{kind} records (records={kind})"


@dataclass
class Running:
    """Count, mean, least and greatest of numbers as they come; the numbers themselves are not kept."""

    count: int = 0
    mean: float = 0.0
    low: float = np.inf
    high: float = -np.inf

    def add(self, values: Values) -> None:
        """Count some numbers more, at least one."""
        self.count += len(values)
        self.mean += float(np.sum((values - self.mean) / self.count))
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))


@dataclass(frozen=True)
class Point:
    """A record that counts: its fields by name, the number that it gives, and the statistic of the last ``records``.

    The number is that of its meter; the statistic is of such numbers.
    """

    fields: Mapping[Hashable, Any]
    number: float
    statistic: float
    records: int


class Progress:
    """The records of a growing log that count: those that the best meter reads, of the lowest rank.

    ``meter``: the one that reads them, which the first readable record decides; a better one for records of the same
    kind begins anew. ``all``: statistics of the numbers they give since the start. ``last``: the numbers of at most
    ``KEPT`` last ones. ``records``: these last ones as a table, by the clock with the one that it starts from.
    ``fields``: what its columns mean. ``reason``: why none counts so far.
    """

    def __init__(self, stated: Protocol | None) -> None:
        """Begin with no record; ``stated``: the protocol, None for the choice that `show` makes."""
        self._stated = stated
        self.restart()

    def restart(self) -> None:
        """Forget everything: another log begins."""
        self.recent = RecentRecords()
        self._anew()

    def _anew(self) -> None:
        """Forget all numbers: another run begins."""
        self._meters = meters(self._stated)
        self.meter = self._meters[0]
        self.fields: Fields = {}
        self.reason: Message | None = None
        self._each: Message | None = None
        self._begin(np.inf)

    def _begin(self, rank: float) -> None:
        self._rank, self._forgets = rank, False
        self.all, self.last, self.records = Running(), np.zeros(0), pd.DataFrame()
        self._before = pd.DataFrame()

    @property
    def protocol(self) -> Protocol:
        """The stated protocol, or the one that is chosen."""
        return self._stated or self.meter.protocol

    def hear(self, records: pd.DataFrame, happened: Sequence[Event] = ()) -> int | None:
        """Keep the next records; returns the line of the last one before another run, where one begins among them.

        ``happened``: the events of the log so far. The numbers of the earlier run are forgotten then.
        """
        before = self.recent.add(records, happened)
        if before is not None:
            self._anew()
        return before

    def add(self, records: pd.DataFrame, fields: Fields, facts: Facts) -> Iterator[Point]:
        """Count the next records, at least one row, in file order; returns those that count as points."""
        self.fields = fields
        reasons = []
        for meter in self._meters:
            try:
                readable = meter.readable(records, _meanings(fields, records))
                if not readable.empty:
                    return self._read(meter, readable, facts)
            except NoMeasurement as error:
                reasons.append(error.message)
        asking = (reason for reason in reasons if reason.key in ASKING)
        self.reason = next(asking, reasons[-1] if reasons else self._lacks(records))
        return iter(())

    def _lacks(self, records: pd.DataFrame) -> Message:
        kinds = (Message(OF_A_KIND, kind=kind) for kind in records["record"].unique())
        known = joined("{first} and {second}", kinds)
        return Message(NONE_OF_THE_KIND, kind=self.protocol.records, known=known)

    def _read(self, meter: Meter, readable: pd.DataFrame, facts: Facts) -> Iterator[Point]:
        """Count records that a meter reads; raises ``NoMeasurement`` where it cannot, and nothing has changed then."""
        rank, chosen = _lowest_rank(readable)
        self._each = self._each or _one_each(meter, readable, chosen)
        another = meter.protocol != self.meter.protocol
        before = pd.DataFrame() if another or rank < self._rank else self._before
        if not another and rank > self._rank:
            return iter(())
        rows = chosen if before.empty else pd.concat([before, chosen])
        knowing, numbers = meter.read(rows, _meanings(self.fields, rows), facts)
        if another or rank < self._rank:
            self._begin(rank)
        self._use(knowing)
        self._before = rows.tail(1)
        return self._count(rows, numbers, len(before))

    def _use(self, meter: Meter) -> None:
        """Read by a meter from now on, or by a better one for records of its kind."""
        of_kind = [x for x in self._meters if x.protocol.records == meter.protocol.records]
        place = [x.protocol for x in of_kind].index(meter.protocol)
        self._meters, self.meter = [*of_kind[:place], meter], meter

    def _count(self, joined: pd.DataFrame, numbers: Values, before: int) -> Iterator[Point]:
        counts = self.meter.counts(numbers)
        counts[:before] = False
        if not counts.any():
            self.reason = self.reason or Message(NONE_YET)
            return iter(())
        chosen, known = joined[counts], np.concatenate([self.last, numbers[counts]])
        self._keep(chosen if self.all.count else joined[self._with_start(counts)])
        self.last = known[-KEPT:].copy()
        self.all.add(numbers[counts])
        return self._points(chosen, known)

    def _with_start(self, counts: Mask) -> Mask:
        """The records that count, and the one from which the clock starts."""
        found = counts.copy()
        if self.meter.protocol.estimate == "clock":
            found[max(int(np.argmax(counts)) - 1, 0)] = True
        return found

    def _keep(self, records: pd.DataFrame) -> None:
        kept = records if self.records.empty else pd.concat([self.records, records])
        self._forgets |= len(kept) > KEPT
        self.records = kept.tail(KEPT)

    def _points(self, chosen: pd.DataFrame, known: Values) -> Iterator[Point]:
        first = len(known) - len(chosen)
        for end, fields in enumerate(chosen.to_dict("records"), first + 1):
            last = known[max(0, end - KEPT) : end]
            yield Point(fields, float(last[-1]), reduce(last, self.protocol.statistic), len(last))

    @property
    def unit(self) -> str:
        """The unit of the numbers, and whose they are; once a record counts."""
        return self.meter.unit(self.fields)

    def rate(self, facts: Facts) -> Rate:
        """How the numbers become a throughput; once a record counts."""
        rate = self.meter.rate(self.records, _meanings(self.fields, self.records), facts)
        if self._each and self.is_of_the_job:
            return replace(rate, scope="unknown", warnings=(self._each,))
        return rate

    def measured(self, facts: Facts) -> Measurement | None:
        """What `show` gives for the records so far; None when some are forgotten. Raises ``NoMeasurement``."""
        if self._forgets or self.recent.forgets:
            return None
        return of_records(self.recent.part(self.fields), facts, self._stated)

    @property
    def is_of_the_job(self) -> bool:
        """Whether the numbers are throughputs that the format takes for those of the whole job."""
        field = self.fields.get((self.meter.protocol.records, "throughput"))
        return self.meter.protocol.estimate == "reported" and field is not None and field.scope == "job"


def _meanings(fields: Fields, records: pd.DataFrame) -> Fields:
    """What the columns of some records mean; those that the format knows, but none of them prints, are left out."""
    return {key: field for key, field in fields.items() if field.name in records}


def _one_each(meter: Meter, readable: pd.DataFrame, lowest: pd.DataFrame) -> Message | None:
    """Why throughputs may be those of one rank each."""
    if meter.protocol.estimate != "reported":
        return None
    return one_each(Columns(readable), "throughput", readable.index.isin(lowest.index))


def _lowest_rank(records: pd.DataFrame) -> tuple[float, pd.DataFrame]:
    """The lowest rank that records name, infinity where none does, and its records."""
    if "rank" not in records:
        return np.inf, records
    ranks = np.nan_to_num(records["rank"].to_numpy(dtype=np.float64, na_value=np.nan), nan=np.inf)
    return float(ranks.min()), records[ranks == ranks.min()]
