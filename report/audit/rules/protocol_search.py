"""The search: what every protocol of a systematic table gives for one log.

Published pages rarely say how a number was made, but few ways are common. All of ``searched_protocols`` are computed,
so that what a page did is among them if it is anything usual.

Those that read the same column share what they read, its sums, and the sorted values of each window.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.series import Floats

from ...measure.diagnostics import NoMeasurement
from ...measure.protocol import Protocol
from ...measure.records import Run
from ...measure.stated import value_of, values_of
from .searched_protocols import protocols, protocols_of_steps
from .windows import ProtocolGroup

Hits = NDArray[np.bool_]

NEAREST = 2  # units of its last digit, within which lies what is rounded or truncated to a number
NEARBY = 0.005  # of a value: as far apart as what different protocols make of a steady log
_PRINTED = ("reported", "step_time", "duration", "steps")


@dataclass(frozen=True, eq=False)
class Searched:
    """What the protocols give for one log: ``values`` (float64, one a protocol, NaN where it gives none).

    ``low``, ``high``: the range of every value that the log prints or that a time of a step in it stands for, in the
    same unit and scope; NaN where it has none. ``unit``: that of these. ``protocols``: those that were searched.
    """

    values: Floats
    low: float
    high: float
    unit: str | None
    protocols: tuple[Protocol, ...]

    def hits(self, digits: str) -> Hits:
        """Which protocols give printed digits (bool, two each): rounded half up, and then truncated."""
        decimals = len(digits.partition(".")[2])
        wanted = int(digits.replace(".", ""))
        given: Hits = np.zeros((len(self.values), 2), dtype=np.bool_)
        away = NEAREST * 10.0**-decimals
        ascending, order = self._ascending
        first, end = np.searchsorted(ascending, (float(digits) - away, float(digits) + away)).tolist()
        near = order[first:end]
        # Six digits more than are compared take away the noise of floats, as printing does.
        scaled = np.round(self.values[near] * 10.0**decimals, 6)
        given[near, 0], given[near, 1] = np.floor(scaled + 0.5) == wanted, np.floor(scaled) == wanted
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
        if not around or not len(self._known):
            return 0.0
        return float((np.abs(self._known - value) <= around).mean()) / (2 * around)

    @cached_property
    def _ascending(self) -> tuple[Floats, NDArray[np.intp]]:
        """The values in ascending order, what is not a number last, and the protocol that each is of."""
        order = np.argsort(self.values)
        return self.values[order], order

    @cached_property
    def _known(self) -> Floats:
        return self.values[np.isfinite(self.values)]


def search(part: FormatRecords, facts: Mapping[str, Fact]) -> Searched:
    """What all protocols give for the records of a log, scaled by its facts."""
    return _searched(part, facts, protocols())


def search_step_times(part: FormatRecords, facts: Mapping[str, Fact], unit: float) -> Searched:
    """The times of a step that all protocols give, in units of so many seconds."""
    found = search_steps(part, facts)
    with np.errstate(divide="ignore"):
        return replace(found, values=1 / found.values / unit, low=1 / found.high / unit, high=1 / found.low / unit)


def search_steps(part: FormatRecords, facts: Mapping[str, Fact]) -> Searched:
    """The steps per second that all protocols give."""
    return _searched(part, facts, protocols_of_steps())


def _searched(part: FormatRecords, facts: Mapping[str, Fact], searched: tuple[Protocol, ...]) -> Searched:
    run = Run(1, part.table, part.fields, facts)
    values = np.full(len(searched), np.nan)
    printed, unit = [np.zeros(0)], list[str]()
    for group in _groups(of_steps=searched is protocols_of_steps()):
        try:
            if group.first.estimate == "clock":
                values[group.ranks] = [_value(run, searched[rank]) for rank in group.ranks]
                continue
            records, read, counted = values_of(run, group.first)
        except NoMeasurement:
            continue
        values[group.ranks] = group.values(records, read)
        if group.first.estimate in _PRINTED:
            rates = read.rates
            printed.append(rates[np.isfinite(rates) & (rates > 0)])
            unit.append(f"{counted}/s")
    rates = np.concatenate(printed)
    if not len(rates):
        return Searched(values, np.nan, np.nan, None, searched)
    return Searched(values, rates.min(), rates.max(), unit[0], searched)


def _value(run: Run, protocol: Protocol) -> float:
    try:
        return value_of(run, protocol)
    except NoMeasurement:
        return np.nan


@cache
def _groups(*, of_steps: bool) -> list[ProtocolGroup]:
    searched = protocols_of_steps() if of_steps else protocols()
    groups: dict[tuple[str, str], list[int]] = {}
    for rank, protocol in enumerate(searched):
        groups.setdefault((protocol.records, protocol.estimate), []).append(rank)
    return [ProtocolGroup(ranks, [searched[rank] for rank in ranks]) for ranks in groups.values()]
