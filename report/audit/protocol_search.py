"""The search: what every protocol of a systematic table gives for one log, the simplest protocol first.

Published pages rarely say how a number was made, but few ways are common: skip some records, drop the last, trim, take
a mean or a median. All combinations of these are computed, so that what a page did is among them if it is anything
usual. The order is by a cost, because with thousands of protocols some give any digits by chance: the simplest that
gives them is the most believable, and how many stand before it is what the chance of it is multiplied by.

Thousands of protocols for a log would be slow one by one. Those that read the same column share what they read, and
those of one window its sorted values.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords

from ..measuring.estimate import READS
from ..measuring.measurement import throughput
from ..measuring.protocol import NoMeasurement, Protocol, named
from ..measuring.record_columns import Columns
from ..measuring.selection import Series, readings
from ..measuring.statistic import harmonic_mean

Values = NDArray[np.float64]
Hits = NDArray[np.bool_]

# What a protocol costs: what people choose first costs least.
_SKIPS = {0: 0, 10: 1, 20: 1, 5: 1, 50: 1, 100: 1} | dict.fromkeys((1, 2, 3, 4), 2) | dict.fromkeys(range(6, 20), 3)
_DROPS = {0: 0, 1: 1, 2: 2}
_STATISTICS = {"mean": 0, "median": 1, "harmonic_mean": 1, "last": 1, "max": 2, "min": 2}
_ESTIMATES = {"reported": 0, "step_time": 0, "duration": 1, "instant": 2}
NEARBY = 0.005  # of a value: as far apart as what different protocols make of a steady log
_OF_ALL = ("last", "max", "min")  # of these the window changes nothing that people publish
_OF_PRINTING = ("decimals", "repeats")  # and of what is done with several logs
_TRIM = {"trim": 0.05, "trim_min": 5}
_CLOCK_SKIPS = {0: 1, 1: 2, 5: 2, 10: 2, 20: 2}
_PRINTED = ("reported", "step_time", "duration")
_EPOCH_SKIPS = {0: 1, 1: 1, 2: 2, 3: 3}

_REDUCE: Mapping[str, Callable[[Values], float]] = {
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(values.mean()),  # of the middle one, or of the middle two
    "harmonic_mean": harmonic_mean,
    "last": lambda values: float(values[-1]),
    "max": lambda values: float(values.max()),
    "min": lambda values: float(values.min()),
}


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols of the search, without a rule of printing, the simplest first; the named ones lead."""
    leading = [Protocol.of({k: v for k, v in keys.items() if k not in _OF_PRINTING}) for keys in named().values()]
    others = sorted(_combinations(), key=lambda found: found[0])
    return tuple(dict.fromkeys([*leading, *(Protocol.of(keys) for _, keys in others)]))


def _combinations() -> Iterator[tuple[int, dict[str, object]]]:
    """Cost and keys of each protocol."""
    for (estimate, a), (skip, b), (drop, c) in product(_ESTIMATES.items(), _SKIPS.items(), _DROPS.items()):
        base = {"estimate": estimate, "skip_records": skip, "drop_last": drop}
        for statistic, d in _STATISTICS.items():
            if statistic not in _OF_ALL or (not skip and not drop):
                yield a + b + c + d, {**base, "statistic": statistic}
        yield a + b + c + 1, {**base, **_TRIM}
    for (estimate, a), (skip, b), (statistic, c) in product(
        _ESTIMATES.items(), _EPOCH_SKIPS.items(), _STATISTICS.items()
    ):
        yield a + b + c, {"records": "epoch", "estimate": estimate, "skip_records": skip, "statistic": statistic}
    for statistic, cost in _STATISTICS.items():
        yield cost, {"records": "summary", "statistic": statistic}
    for skip, cost in _CLOCK_SKIPS.items():
        yield cost, {"estimate": "clock", "skip_records": skip}


def rounded(rank: int) -> Protocol:
    """The protocol of a rank of ``Searched.hits``, with its rounding."""
    return protocols()[rank // 2].overridden(f"rounding={('half_up', 'truncate')[rank % 2]}")


@dataclass(frozen=True, eq=False)
class Searched:
    """What the protocols give for one log: ``values`` (float64, one a protocol, NaN where it gives none).

    ``low``, ``high``: the range of every value that the log prints or that a time of a step in it stands for, in the
    same unit and scope; NaN where it has none. ``unit``: that of these.
    """

    values: Values
    low: float
    high: float
    unit: str | None

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
        known = self.values[np.isfinite(self.values)]
        near = np.abs(known - value) <= around
        return float(near.mean() / (2 * around)) if len(known) and around else 0.0


def search(part: FormatRecords, facts: Mapping[str, Fact]) -> Searched:
    """What all protocols give for the records of a log, scaled by its facts."""
    found = _Search(part, facts)
    values = np.empty(len(protocols()))
    for ranks in _by_what_they_read():
        values[ranks] = found.values([protocols()[rank] for rank in ranks])
    return Searched(values, *found.range())


@cache
def _by_what_they_read() -> list[list[int]]:
    """The ranks of the protocols, those together that read the same: one estimate of one kind of record."""
    groups: dict[tuple[str, str], list[int]] = {}
    for rank, protocol in enumerate(protocols()):
        groups.setdefault((protocol.records, protocol.estimate), []).append(rank)
    return list(groups.values())


class _Search:
    """The values of a log, read once for each kind of record and estimate."""

    def __init__(self, part: FormatRecords, facts: Mapping[str, Fact]) -> None:
        self.fields, self.facts = part.fields, facts
        self.records = Columns(part.table)
        self.bases: list[tuple[str, Series]] = []

    def values(self, group: Sequence[Protocol]) -> list[float]:
        """What protocols give that read one estimate of one kind of record; NaN where the log does not allow it."""
        first = group[0]
        if not self._is_printed(first):
            return [math.nan] * len(group)
        if first.estimate == "clock":
            return [self._measured(protocol) for protocol in group]
        base = self._base(first)
        if base is None:
            return [math.nan] * len(group)
        self.bases.append((first.estimate, base))
        windows = _Windows(base)
        return [self._measured(one) if one.window_counts_steps else windows.value(one) for one in group]

    def range(self) -> tuple[float, float, str | None]:
        """The least and the largest value that is printed, or that a printed time stands for, and the unit."""
        known = [base for estimate, base in self.bases if estimate in _PRINTED]
        values = np.concatenate([np.zeros(0), *(base.throughputs() for base in known)])
        values = values[np.isfinite(values) & (values > 0)]
        return (values.min(), values.max(), known[0].unit) if len(values) else (math.nan, math.nan, None)

    def _is_printed(self, protocol: Protocol) -> bool:
        records = self.records.of_kind(protocol.records)
        return any(name in records and records.printed(name).any() for name in READS[protocol.estimate])

    def _base(self, protocol: Protocol) -> Series | None:
        try:
            return readings(self.records, self.fields, self.facts, protocol)[1]
        except NoMeasurement:
            return None

    def _measured(self, protocol: Protocol) -> float:
        try:
            return throughput(self.records, self.fields, self.facts, protocol).value
        except NoMeasurement:
            return math.nan


class _Windows:
    """The windows of a series that count records, each sorted once."""

    def __init__(self, base: Series) -> None:
        self.base = base
        self.windows: dict[tuple[int, int], tuple[Values, Values]] = {}

    def value(self, protocol: Protocol) -> float:
        """What a protocol gives; NaN where its window leaves nothing, or what no throughput can be."""
        values, in_order = self._window(protocol.skip_records, protocol.drop_last.count)
        if protocol.trim or protocol.trim_min:
            cut = max(int(protocol.trim * len(values)), protocol.trim_min)
            values = in_order = in_order[cut : len(values) - cut] if 2 * cut < len(values) else values[:0]
        if not len(values) or not in_order[0] > 0 or math.isnan(in_order[-1]):
            return math.nan
        if protocol.statistic == "median":
            values = in_order[(len(values) - 1) // 2 : len(values) // 2 + 1]
        return self.base.throughput(_REDUCE[protocol.statistic](values))

    def _window(self, skipped: int, dropped: int) -> tuple[Values, Values]:
        """The values of a window as they were printed, and in order; what is not a number comes last."""
        if (skipped, dropped) not in self.windows:
            values = self.base.values[skipped : len(self.base.values) - dropped]
            self.windows[skipped, dropped] = values, np.sort(values)
        return self.windows[skipped, dropped]
