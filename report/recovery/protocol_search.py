"""The search: what every protocol of a systematic table gives for one log.

Published pages rarely say how a number was made, but few ways are common. All of ``searched_protocols`` are computed,
so that what a page did is among them if it is anything usual.

Thousands of protocols for a log would be slow one by one. Those that read the same column share what they read, its
sums, and the sorted values of each window.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np
from numpy.typing import NDArray

from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords

from ..measuring.estimate import READS
from ..measuring.measurement import throughput
from ..measuring.protocol import NoMeasurement, Protocol
from ..measuring.record_columns import Columns, Records
from ..measuring.selection import Series, readings
from ..measuring.statistic import PERCENTILES, percentile
from ..measuring.window import Fields, window
from .searched_protocols import protocols, protocols_of_steps

Values = NDArray[np.float64]
Places = NDArray[np.int64]
Hits = NDArray[np.bool_]

NEARBY = 0.005  # of a value: as far apart as what different protocols make of a steady log
ALL = 1 << 60  # records
TRIMMED = "trimmed"
_PRINTED = ("reported", "step_time", "duration", "steps")


@dataclass(frozen=True, eq=False)
class Searched:
    """What the protocols give for one log: ``values`` (float64, one a protocol, NaN where it gives none).

    ``low``, ``high``: the range of every value that the log prints or that a time of a step in it stands for, in the
    same unit and scope; NaN where it has none. ``unit``: that of these. ``protocols``: those that were searched.
    """

    values: Values
    low: float
    high: float
    unit: str | None
    protocols: tuple[Protocol, ...]

    def divided(self, by: float) -> "Searched":
        """The same in a unit that is so many times as large."""
        return replace(self, values=self.values / by, low=self.low / by, high=self.high / by) if by != 1 else self

    def hits(self, digits: str) -> Hits:
        """Which protocols give printed digits (bool, two each): rounded half up, and then truncated."""
        decimals = len(digits.partition(".")[2])
        wanted = int(digits.replace(".", ""))
        # Six digits more than are compared take away the noise of floats, as printing does.
        scaled = np.round(self.values * 10.0**decimals, 6)
        with np.errstate(invalid="ignore"):
            given: Hits = np.stack([np.floor(scaled + 0.5) == wanted, np.floor(scaled) == wanted], axis=1)
        return given.ravel()

    def chance(self, digits: str) -> float:
        """The probability that one protocol gives these digits by chance: their unit times how dense its values lie.

        That is over the range of the log, or around the digits, where protocols agree: the denser of both. A number
        that is nearly right is hit oftener than any in the range.
        """
        unit = 10.0 ** -len(digits.partition(".")[2])
        width = self.high - self.low
        in_range = 1 / width if width > 0 else 1 / (0.01 * abs(self.high) or 1.0)
        return min(1.0, unit * max(in_range, self._density(float(digits))))

    def _density(self, value: float) -> float:
        """How much of the protocols lies in one unit around a value."""
        around = NEARBY * value
        return self.share(value, around) / (2 * around) if around else 0.0

    @property
    def middle(self) -> float:
        """The median of what the protocols give; NaN where none gives anything."""
        known = self.values[np.isfinite(self.values)]
        return float(np.median(known)) if len(known) else math.nan

    def share(self, value: float, around: float) -> float:
        """How many of the protocols that give anything give a value that is no farther from another."""
        known = self.values[np.isfinite(self.values)]
        return float((np.abs(known - value) <= around).mean()) if len(known) else 0.0


def search(part: FormatRecords, facts: Mapping[str, Fact]) -> Searched:
    """What all protocols give for the records of a log, scaled by its facts."""
    return _searched(part, facts, protocols())


def search_step_times(part: FormatRecords, facts: Mapping[str, Fact], unit: float) -> Searched:
    """The times of a step that all protocols give, in units of so many seconds."""
    found = _searched(part, facts, protocols_of_steps())
    with np.errstate(divide="ignore"):
        return replace(found, values=1 / found.values / unit, low=1 / found.high / unit, high=1 / found.low / unit)


def _searched(part: FormatRecords, facts: Mapping[str, Fact], searched: tuple[Protocol, ...]) -> Searched:
    found = _Search(part, facts)
    values = np.empty(len(searched))
    for group in _groups(of_steps=searched is protocols_of_steps()):
        values[group.ranks] = found.values(group)
    return Searched(values, *found.range(), searched)


@dataclass(frozen=True, eq=False)
class _Group:
    """Protocols that read the same, one estimate of one kind of record, and their ranks.

    What each takes of a log is in arrays: its ``statistics``, ``skips``, ``fractions``, ``drops``, ``firsts`` and
    ``lasts``, in records; ``by_steps`` are those whose windows count steps instead.
    """

    ranks: Places
    protocols: tuple[Protocol, ...]

    @property
    def first(self) -> Protocol:
        return self.protocols[0]

    @cached_property
    def statistics(self) -> NDArray[np.str_]:
        return np.array([TRIMMED if one.trim or one.trim_min else one.statistic for one in self.protocols])

    @cached_property
    def skips(self) -> Places:
        return np.array([one.skip_records for one in self.protocols])

    @cached_property
    def fractions(self) -> Values:
        return np.array([one.skip_fraction for one in self.protocols])

    @cached_property
    def drops(self) -> Places:
        return np.array([one.drop_last.count for one in self.protocols])

    @cached_property
    def firsts(self) -> Places:
        return np.array([one.take_first.count if one.take_first else ALL for one in self.protocols])

    @cached_property
    def lasts(self) -> Places:
        return np.array([one.take_last.count if one.take_last else ALL for one in self.protocols])

    @cached_property
    def by_steps(self) -> tuple[int, ...]:
        return tuple(place for place, one in enumerate(self.protocols) if one.window_counts_steps)


@cache
def _groups(*, of_steps: bool) -> list[_Group]:
    searched = protocols_of_steps() if of_steps else protocols()
    groups: dict[tuple[str, str], list[int]] = {}
    for rank, protocol in enumerate(searched):
        groups.setdefault((protocol.records, protocol.estimate), []).append(rank)
    return [_Group(np.array(ranks), tuple(searched[rank] for rank in ranks)) for ranks in groups.values()]


class _Search:
    """The values of a log, read once for each kind of record and estimate."""

    def __init__(self, part: FormatRecords, facts: Mapping[str, Fact]) -> None:
        self.fields, self.facts = part.fields, facts
        self.records = Columns(part.table)
        self.bases: list[tuple[str, Series]] = []

    def values(self, group: _Group) -> Values:
        """What protocols give that read one estimate of one kind of record; NaN where the log does not allow it."""
        if not self._is_printed(group.first):
            return np.full(len(group.ranks), np.nan)
        if group.first.estimate == "clock":
            return np.array([self._measured(protocol) for protocol in group.protocols])
        try:
            records, base = readings(self.records, self.fields, self.facts, group.first)
        except NoMeasurement:
            return np.full(len(group.ranks), np.nan)
        self.bases.append((group.first.estimate, base))
        return _Windows(records, self.fields, base).values(group)

    def range(self) -> tuple[float, float, str | None]:
        """The least and the largest value that is printed, or that a printed time stands for, and the unit."""
        known = [base for estimate, base in self.bases if estimate in _PRINTED]
        values = np.concatenate([np.zeros(0), *(base.throughputs() for base in known)])
        values = values[np.isfinite(values) & (values > 0)]
        return (values.min(), values.max(), known[0].unit) if len(values) else (math.nan, math.nan, None)

    def _is_printed(self, protocol: Protocol) -> bool:
        records = self.records.of_kind(protocol.records)
        return any(name in records and records.printed(name).any() for name in READS[protocol.estimate])

    def _measured(self, protocol: Protocol) -> float:
        try:
            return throughput(self.records, self.fields, self.facts, protocol).value
        except NoMeasurement:
            return math.nan


# Means as sums: what is added of each value, and what becomes of the mean of that.
_SUMMED: Mapping[str, tuple[Callable[[Values], Values], Callable[[Values], Values]]] = {
    "mean": (lambda values: values, lambda means: means),
    "harmonic_mean": (lambda values: 1 / values, lambda means: 1 / means),
    "geometric_mean": (np.log, np.exp),
}


class _Windows:
    """The windows of a series, each a range of its records.

    ``records``: those of the series. What a window with a value that no throughput can be gives is NaN.
    """

    def __init__(self, records: Records, fields: Fields, base: Series) -> None:
        self.records, self.fields, self.base = Columns(records), fields, base
        self.bad = np.cumsum(np.concatenate([[0], ~(base.values > 0)]))
        self.ordered: dict[tuple[int, int], Values] = {}
        self.by_steps: dict[Protocol, tuple[int, int]] = {}

    def values(self, group: _Group) -> Values:
        """What the protocols of a group give."""
        statistics, (starts, stops) = group.statistics, self._places(group)
        found = np.full(len(starts), np.nan)
        for statistic, (summed, back) in _SUMMED.items():
            chosen = np.flatnonzero((statistics == statistic) & (stops > starts))
            chosen = chosen[self.bad[stops[chosen]] == self.bad[starts[chosen]]]
            with np.errstate(all="ignore"):
                # More digits than a float has, so that a difference of two long sums loses none.
                sums = np.cumsum(np.concatenate([[0], summed(self.base.values)]), dtype=np.longdouble)
                means = (sums[stops[chosen]] - sums[starts[chosen]]) / (stops - starts)[chosen]
                found[chosen] = back(means.astype(np.float64))
        for place in np.flatnonzero(~np.isin(statistics, [*_SUMMED]) & (stops > starts)):
            between = int(starts[place]), int(stops[place])
            found[place] = self._ordered(group.protocols[place], str(statistics[place]), *between)
        with np.errstate(divide="ignore"):
            return self.base.factor / found if self.base.are_times else found * self.base.factor

    def _places(self, group: _Group) -> tuple[Places, Places]:
        """The window of each protocol: where it starts, and where it stops."""
        count = len(self.base.values)
        starts = np.minimum(np.maximum(group.skips, np.round(group.fractions * count, 9).astype(np.int64)), count)
        stops = np.maximum(starts, count - group.drops)
        starts = np.maximum(starts, stops - group.lasts)
        stops = np.minimum(stops, starts + group.firsts)
        for place in group.by_steps:
            starts[place], stops[place] = self._by_steps(group.protocols[place])
        return starts, stops

    def _by_steps(self, protocol: Protocol) -> tuple[int, int]:
        key = protocol.model_copy(update={"statistic": "mean", "trim": 0.0, "trim_min": 0})
        if key not in self.by_steps:
            try:
                used, _ = window(self.records, self.fields, key)
            except NoMeasurement:
                used = np.zeros(0, dtype=np.bool_)
            rows = np.flatnonzero(used)
            self.by_steps[key] = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 0)
        return self.by_steps[key]

    def _ordered(self, protocol: Protocol, statistic: str, start: int, stop: int) -> float:
        """A statistic of sorted values; what is not a number comes last."""
        if statistic == "last":
            return float(self.base.values[stop - 1]) if self.bad[stop] == self.bad[start] else math.nan
        if (start, stop) not in self.ordered:
            self.ordered[start, stop] = np.sort(self.base.values[start:stop])
        values = self.ordered[start, stop]
        cut = max(int(protocol.trim * len(values)), protocol.trim_min)
        values = values[cut : len(values) - cut] if 2 * cut < len(values) else values[:0]
        if not len(values) or not values[0] > 0 or math.isnan(values[-1]):
            return math.nan
        return _REDUCE[statistic](values)


_REDUCE: Mapping[str, Callable[[Values], float]] = {
    TRIMMED: lambda values: float(values.mean()),
    "median": lambda values: float(values[(len(values) - 1) // 2 : len(values) // 2 + 1].mean()),
    "max": lambda values: float(values[-1]),
    "min": lambda values: float(values[0]),
    **{name: partial(percentile, per_cent=per_cent) for name, per_cent in PERCENTILES.items()},
}
