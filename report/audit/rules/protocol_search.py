"""The search: what every protocol of a systematic table gives for one log.

Published pages rarely say how a number was made, but few ways are common. With hundreds of protocols some give any
digits by chance, so the order matters: what people choose first comes first, and how many stand before a protocol is
what its chance is multiplied by. A rule that is not in the table is never found, and never taken for another one unless
both use the same records.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.series import Floats

from ...measure.diagnostics import NoMeasurement
from ...measure.measurement import Use
from ...measure.protocol import WINDOW, Protocol, named
from ...measure.records import Records, Run
from ...measure.stated import values_of, window_of
from ...measure.statistic import reduce, trim
from ..chance import accidental
from ..constants import FLOAT_NOISE, ROUNDINGS
from ..number import Number

Costs = Mapping[int, int]
Keys = dict[str, object]
Known = dict[tuple[Protocol, bytes], Floats]  # statistics of values, by the first protocol that reads them

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
_ESTIMATES = {"reported": 0, "step_time": 0, "duration": 1}
_OF_PRINTING = ("decimals", "repeats")  # and of what is done with several logs
_TIPC: Keys = {"trim": 0.05, "trim_min": 5}
_EPOCH_SKIPS: Costs = {0: 1, 1: 1, 2: 2, 3: 3}


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols of the search, without a rule of printing, the simplest first; the named ones lead."""
    leading: list[Keys] = [
        {"estimate": "reported", **{key: one for key, one in keys.items() if key not in _OF_PRINTING}}
        for keys in named().values()
    ]
    others = (keys for _, keys in sorted(_unnamed(), key=lambda found: found[0]))
    return tuple(dict.fromkeys(map(Protocol.of, (*leading, *others))))


def _unnamed() -> Iterator[tuple[int, Keys]]:
    """Cost and keys of the protocols of records of steps, of epochs, and of a summary."""
    windows: list[tuple[int, Keys]] = [
        (a + b, {"skip_records": skip, "drop_last": drop})
        for (skip, a), (drop, b) in product(_SKIPS.items(), _DROPS.items())
    ]
    # A warm-up in steps, in a log that has not all of them, or whose first is another than 1.
    windows += [(cost, {"skip_steps": skip}) for skip, cost in _SKIPS.items() if cost == 1]
    windows += [(cost, {"take_last": count}) for count, cost in _LASTS.items()]
    windows += [(3, {"skip_fraction": one}) for one in _FRACTIONS]
    statistics: list[tuple[int, Keys]] = [(cost, {"statistic": name}) for name, cost in _STATISTICS.items()]
    for (estimate, a), (b, window), (c, statistic) in product(_ESTIMATES.items(), windows, [*statistics, (1, _TIPC)]):
        if statistic.get("statistic") not in _OF_ALL or not any(window.values()):
            yield a + b + c, {"estimate": estimate, **window, **statistic}
    for (estimate, a), (skip, b), (c, statistic) in product(_ESTIMATES.items(), _EPOCH_SKIPS.items(), statistics):
        yield a + b + c, {"records": "epoch", "estimate": estimate, "skip_records": skip, **statistic}
    for cost, statistic in statistics:
        yield cost, {"records": "summary", "estimate": "reported", **statistic}


@dataclass(frozen=True, eq=False)
class Searched:
    """What the protocols give for one log: ``values`` (float64, one a protocol, NaN where it gives none)."""

    values: Floats

    def hits(self, number: Number) -> NDArray[np.bool_]:
        """Which protocols give a number (bool, two each): rounded half up, and then truncated."""
        away = (self.values - number.value) / number.step
        half = (away >= -0.5 - FLOAT_NOISE) & (away < 0.5)
        return np.column_stack((half, (away >= -FLOAT_NOISE) & (away < 1 - FLOAT_NOISE))).ravel()

    def chance(self, number: Number) -> float:
        """The probability that one protocol gives a number by chance, by how dense the values of all lie around it.

        Rounded half up it is another one than truncated, so that each is hit within one step.
        """
        return accidental(number, self.known) / ROUNDINGS / max(1, len(self.known))

    @cached_property
    def known(self) -> Floats:
        """The values that there are, ascending."""
        return np.sort(self.values[np.isfinite(self.values)])


def protocol(rank: int) -> Protocol:
    """The protocol of a place in ``hits``, with its rounding."""
    return protocols()[rank // 2].overridden(f"rounding={('half_up', 'truncate')[rank % 2]}")


def search(part: FormatRecords, facts: Mapping[str, Fact], known: Known | None = None) -> Searched:
    """What all protocols give for the records of a log, scaled by its facts.

    ``known``: what was computed of the same records, scaled in another way.
    """
    run, known = Run(1, part.table, part.fields, facts), {} if known is None else known
    values = np.full(len(protocols()), np.nan)
    for windows in _groups():
        ranks = [rank for of in windows for rank in of]
        first = protocols()[min(ranks)]
        try:
            records, read, _ = values_of(run, first)
        except NoMeasurement:
            continue
        key = first, read.values.tobytes()
        if key not in known:
            known[key] = np.concatenate([_statistics(records, read.values, of) for of in windows])
        values[ranks] = read.factor / known[key] if read.are_times else known[key] * read.factor
    return Searched(values)


@cache
def _groups() -> list[list[list[int]]]:
    """The places of the protocols that read one estimate of one kind of record, by window."""
    groups: dict[tuple[str, str], dict[object, list[int]]] = defaultdict(lambda: defaultdict(list))
    for rank, one in enumerate(protocols()):
        groups[one.records, one.estimate][tuple(getattr(one, key) for key in WINDOW)].append(rank)
    return [list(of.values()) for of in groups.values()]


def _statistics(records: Records, values: Floats, ranks: Sequence[int]) -> Floats:
    """What protocols of one window make of the values of records; NaN of none, and of what no throughput can be."""
    found = np.full(len(ranks), np.nan)
    try:
        reasons, _ = window_of(records, protocols()[ranks[0]])
    except NoMeasurement:  # the log does not have its steps
        return found
    taken = values[reasons == Use.USED]
    for place, rank in enumerate(ranks):
        one, kept = protocols()[rank], taken
        try:
            if one.trim or one.trim_min:
                kept = kept[trim(kept, one.trim, one.trim_min)]
            if len(kept) and (kept > 0).all():
                found[place] = reduce(kept, one.statistic)
        except NoMeasurement:
            continue
    return found
