"""The search: what every protocol of a systematic table gives for one log.

Published pages rarely say how a number was made, but few ways are common. With hundreds of protocols some give any
digits by chance, so the order matters: what people choose first comes first, and how many stand before a protocol is
what its chance is multiplied by. A rule that is not in the table is never found, and never taken for another one unless
both use the same records.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.series import Floats

from ...measure.diagnostics import NoMeasurement
from ...measure.protocol import WINDOW, Protocol, named
from ...measure.records import Records, Run
from ...measure.stated import value_of, values_of
from ...measure.statistic import reduce, trim
from ...measure.window import window_of
from ..chance import accidental
from ..constants import FLOAT_NOISE, ROUNDINGS
from ..number import Number

Hits = NDArray[np.bool_]
Costs = Mapping[int, int]
Keys = dict[str, object]
Known = dict[tuple[Protocol, bytes], Floats]  # statistics of values, by the first protocol that reads them

_PRINTED = ("reported", "step_time", "duration", "steps")
_STEP_TIMES = ("reported", "step_time")  # what steps per second are read from
_SKIPS: Costs = (
    {0: 0, 10: 1, 20: 1, 5: 1, 50: 1, 100: 1} | dict.fromkeys((1, 2, 3, 4), 2) | dict.fromkeys(range(6, 20), 3)
)
_DROPS: Costs = {0: 0, 1: 1, 2: 2}
_LASTS: Costs = dict.fromkeys((10, 20, 50, 100, 200, 500, 1000), 3) | dict.fromkeys(
    (5, 15, 25, 30, 40, 60, 80, 150, 250, 300, 350, 400, 600, 800, 1500, 2000, 3000, 4000, 5000, 10_000), 4
)
_FRACTIONS = (0.1, 0.2, 0.25, 0.5)
_STATISTICS = {"mean": 0, "median": 1, "harmonic_mean": 1, "last": 1, "max": 2, "min": 2}
_OF_ALL = ("last", "max", "min")  # of these the window changes nothing that people publish
_ESTIMATES = {"reported": 0, "step_time": 0, "duration": 1, "instant": 2}
_OF_PRINTING = ("decimals", "repeats")  # and of what is done with several logs
_TIPC: Keys = {"trim": 0.05, "trim_min": 5}
_CLOCK_SKIPS: Costs = {0: 1, 1: 2, 5: 2, 10: 2, 20: 2}
_EPOCH_SKIPS: Costs = {0: 1, 1: 1, 2: 2, 3: 3}


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols of the search, without a rule of printing, the simplest first; the named ones lead."""
    plain = [{key: one for key, one in keys.items() if key not in _OF_PRINTING} for keys in named().values()]
    leading = [Protocol.of({"estimate": "reported", **keys}) for keys in plain]
    others = sorted([*_of_steps(), *_of_other_records()], key=lambda found: found[0])
    return tuple(dict.fromkeys([*leading, *(Protocol.of(keys) for _, keys in others)]))


def _of_steps() -> list[tuple[int, Keys]]:
    """Cost and keys of the protocols of records of steps: each estimate, window and statistic."""
    windows: list[tuple[int, Keys]] = [
        (a + b, {"skip_records": skip, "drop_last": drop})
        for (skip, a), (drop, b) in product(_SKIPS.items(), _DROPS.items())
    ]
    windows += [(cost, {"take_last": count}) for count, cost in _LASTS.items()]
    windows += [(3, {"skip_fraction": one}) for one in _FRACTIONS]
    statistics: list[tuple[int, Keys]] = [(cost, {"statistic": name}) for name, cost in _STATISTICS.items()]
    return [
        (a + b + c, {"estimate": estimate, **window, **statistic})
        for (estimate, a), (b, window), (c, statistic) in product(
            _ESTIMATES.items(), windows, [*statistics, (1, _TIPC)]
        )
        if statistic.get("statistic") not in _OF_ALL or not any(window.values())
    ]


def _of_other_records() -> list[tuple[int, Keys]]:
    """Those of records of epochs, of a summary, and of the time between two records."""
    found: list[tuple[int, Keys]] = [
        (a + b + c, {"records": "epoch", "estimate": estimate, "skip_records": skip, "statistic": statistic})
        for (estimate, a), (skip, b), (statistic, c) in product(
            _ESTIMATES.items(), _EPOCH_SKIPS.items(), _STATISTICS.items()
        )
    ]
    found += [
        (cost, {"records": "summary", "estimate": "reported", "statistic": name}) for name, cost in _STATISTICS.items()
    ]
    return found + [(cost, {"estimate": "clock", "skip_records": skip}) for skip, cost in _CLOCK_SKIPS.items()]


@cache
def protocols_of_steps() -> tuple[Protocol, ...]:
    """Those of the search that read the time of a step, in their order; they give steps per second."""
    reading = (one for one in protocols() if one.estimate in _STEP_TIMES)
    return tuple(dict.fromkeys(one.overridden("estimate=steps") for one in reading))


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

    def hits(self, number: Number) -> Hits:
        """Which protocols give a number (bool, two each): rounded half up, and then truncated."""
        away = (self.values - number.value) / number.step
        half = (away >= -0.5 - FLOAT_NOISE) & (away < 0.5)
        return np.column_stack((half, (away >= -FLOAT_NOISE) & (away < 1 - FLOAT_NOISE))).ravel()

    def chance(self, number: Number) -> float:
        """The probability that one protocol gives a number by chance, by how dense the values of all lie around it.

        Rounded half up it is another one than truncated, so that each is hit within one step.
        """
        return accidental(number, self._known) / ROUNDINGS / max(1, len(self._known))

    @cached_property
    def _known(self) -> Floats:
        return np.sort(self.values[np.isfinite(self.values)])

    def protocol(self, rank: int) -> Protocol:
        """The protocol of a place in ``hits``, with its rounding."""
        return self.protocols[rank // 2].overridden(f"rounding={('half_up', 'truncate')[rank % 2]}")


def search(part: FormatRecords, facts: Mapping[str, Fact], known: Known | None = None) -> Searched:
    """What all protocols give for the records of a log, scaled by its facts.

    ``known``: what was computed of the same records, scaled in another way.
    """
    return _searched(part, facts, protocols(), {} if known is None else known)


def search_steps(part: FormatRecords, facts: Mapping[str, Fact]) -> Searched:
    """The steps per second that all protocols give."""
    return _searched(part, facts, protocols_of_steps(), {})


def search_step_times(part: FormatRecords, facts: Mapping[str, Fact], unit: float) -> Searched:
    """The times of a step that all protocols give, in units of so many seconds."""
    found = search_steps(part, facts)
    with np.errstate(divide="ignore"):
        return replace(found, values=1 / found.values / unit, low=1 / found.high / unit, high=1 / found.low / unit)


def _searched(part: FormatRecords, facts: Mapping[str, Fact], searched: tuple[Protocol, ...], known: Known) -> Searched:
    run = Run(1, part.table, part.fields, facts)
    values = np.full(len(searched), np.nan)
    printed, units = [np.zeros(0)], list[str]()
    for first, windows in _groups(of_steps=searched is protocols_of_steps()):
        if first.estimate == "clock":
            for rank in (one for ranks in windows for one in ranks):
                with suppress(NoMeasurement):
                    values[rank] = value_of(run, searched[rank])
            continue
        try:
            records, read, unit = values_of(run, first)
        except NoMeasurement:
            continue
        ranks = [rank for of in windows for rank in of]
        key = first, read.values.tobytes()
        if key not in known:
            known[key] = np.concatenate(
                [_statistics(records, read.values, [searched[rank] for rank in of]) for of in windows]
            )
        values[ranks] = read.factor / known[key] if read.are_times else known[key] * read.factor
        if first.estimate in _PRINTED:
            rates = read.rates
            printed.append(rates[np.isfinite(rates) & (rates > 0)])
            units.append(f"{unit}/s")
    rates = np.concatenate(printed)
    if not len(rates):
        return Searched(values, np.nan, np.nan, None, searched)
    return Searched(values, rates.min(), rates.max(), units[0], searched)


@cache
def _groups(*, of_steps: bool) -> list[tuple[Protocol, list[list[int]]]]:
    """The first protocol that reads an estimate of a kind of record, and the places of all that do, by window."""
    searched = protocols_of_steps() if of_steps else protocols()
    groups: dict[tuple[str, str], dict[object, list[int]]] = defaultdict(lambda: defaultdict(list))
    for rank, one in enumerate(searched):
        groups[one.records, one.estimate][tuple(getattr(one, key) for key in WINDOW)].append(rank)
    return [(searched[min(map(min, of.values()))], list(of.values())) for of in groups.values()]


def _statistics(records: Records, values: Floats, protocols_: Sequence[Protocol]) -> Floats:
    """What protocols of one window make of the values of records; NaN where these do not have its steps."""
    try:
        window = window_of(records, protocols_[0])
    except NoMeasurement:
        return np.full(len(protocols_), np.nan)
    return np.array([_statistic(values[window.first : window.last], one) for one in protocols_])


def _statistic(values: Floats, protocol: Protocol) -> float:
    """The statistic of the values of a window; NaN of none, and of what no throughput can be."""
    try:
        if protocol.trim or protocol.trim_min:
            values = values[trim(values, protocol.trim, protocol.trim_min)]
        return reduce(values, protocol.statistic) if len(values) and (values > 0).all() else np.nan
    except NoMeasurement:
        return np.nan
