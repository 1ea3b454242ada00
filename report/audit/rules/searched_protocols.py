"""The protocols that are searched: all usual combinations, the simplest first.

What people choose first costs least. With thousands of protocols some give any digits by chance, so the order matters:
how many stand before one is what its chance is multiplied by. A rule that is not in this table is never found, and
never taken for another one unless both use the same records.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from ...measure.protocol import Protocol, named
from ...measure.statistic import PERCENTILES

Costs = Mapping[int, int]
Keys = dict[str, object]

_SKIPS: Costs = (
    {0: 0, 10: 1, 20: 1, 5: 1, 50: 1, 100: 1} | dict.fromkeys((1, 2, 3, 4), 2) | dict.fromkeys(range(6, 20), 3)
)
_DROPS: Costs = {0: 0, 1: 1, 2: 2}
_STATISTICS = {"mean": 0, "median": 1, "harmonic_mean": 1, "last": 1, "max": 2, "min": 2}
_ESTIMATES = {"reported": 0, "step_time": 0, "duration": 1, "instant": 2}
_OF_ALL = ("last", "max", "min")  # of these the window changes nothing that people publish
_OF_PRINTING = ("decimals", "repeats")  # and of what is done with several logs
_TIPC = {"trim": 0.05, "trim_min": 5}
_CLOCK_SKIPS: Costs = {0: 1, 1: 2, 5: 2, 10: 2, 20: 2}
_EPOCH_SKIPS: Costs = {0: 1, 1: 1, 2: 2, 3: 3}

# Of the wider search, which reads what a log prints most often.
_WIDER = ("reported", "step_time")
_LARGER_SKIPS: Costs = dict.fromkeys((30, 200, 500, 1000), 3) | dict.fromkeys((25, 40, 60, 80, 150, 300, 400, 2000), 4)
_FRACTIONS = {0.1: 3, 0.2: 3, 0.25: 3, 0.5: 3}
_TRIMS = (0.05, 0.1, 0.2, 0.25)
_SOME_SKIPS = (0, 5, 10, 20, 50, 100)
_ROUND = (10, 20, 50, 100, 200, 500, 1000)
_LASTS: Costs = dict.fromkeys(_ROUND, 3) | dict.fromkeys(
    (5, 15, 25, 30, 40, 60, 80, 150, 250, 300, 350, 400, 600, 800, 1500, 2000, 3000, 4000, 5000, 10_000), 4
)
_STARTS: Costs = dict.fromkeys((0, 10, 20, 50, 100), 3) | dict.fromkeys((1, 2, 5, 200), 4)
_LENGTHS: Costs = dict.fromkeys((10, 20, 50, 100), 0) | dict.fromkeys((30, 40, 80, 90, 150, 200, 400, 500, 1000), 1)
_STEPS = (20, 50, 100, 200, 500, 1000)
_MIDDLES = {"mean": 0, "median": 1}


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols of the search, without a rule of printing, the simplest first; the named ones lead."""
    plain = [{key: one for key, one in keys.items() if key not in _OF_PRINTING} for keys in named().values()]
    leading = [Protocol.of({"estimate": "reported", **keys}) for keys in plain]
    others = sorted([*_usual(), *_of_other_records(), *_wider()], key=lambda found: found[0])
    return tuple(dict.fromkeys([*leading, *(Protocol.of(keys) for _, keys in others)]))


@cache
def protocols_of_steps() -> tuple[Protocol, ...]:
    """Those of the search that read the time of a step, in their order; they give steps per second."""
    reading = (one for one in protocols() if one.estimate in _WIDER)
    return tuple(dict.fromkeys(one.overridden("estimate=steps") for one in reading))


def rounded(rank: int, searched: Sequence[Protocol]) -> Protocol:
    """The protocol of a rank of ``Searched.hits``, with its rounding; ``searched``: all in their order."""
    return searched[rank // 2].overridden(f"rounding={('half_up', 'truncate')[rank % 2]}")


def _usual() -> Iterator[tuple[int, Keys]]:
    """Cost and keys of the protocols that are common."""
    for (estimate, a), (skip, b), (drop, c) in product(_ESTIMATES.items(), _SKIPS.items(), _DROPS.items()):
        base = {"estimate": estimate, "skip_records": skip, "drop_last": drop}
        for statistic, d in _STATISTICS.items():
            if statistic not in _OF_ALL or (not skip and not drop):
                yield a + b + c + d, {**base, "statistic": statistic}
        yield a + b + c + 1, {**base, **_TIPC}


def _of_other_records() -> Iterator[tuple[int, Keys]]:
    """Those of records of epochs, of a summary, and of the time between two records."""
    for (estimate, a), (skip, b), (statistic, c) in product(
        _ESTIMATES.items(), _EPOCH_SKIPS.items(), _STATISTICS.items()
    ):
        yield a + b + c, {"records": "epoch", "estimate": estimate, "skip_records": skip, "statistic": statistic}
    for statistic, cost in _STATISTICS.items():
        yield cost, {"records": "summary", "estimate": "reported", "statistic": statistic}
    for skip, cost in _CLOCK_SKIPS.items():
        yield cost, {"estimate": "clock", "skip_records": skip}


def _wider() -> Iterator[tuple[int, Keys]]:
    """Those that are less common: other windows, trims and statistics."""
    for estimate in _WIDER:
        for cost, keys in (*_wider_windows(), *_wider_statistics()):
            yield cost, {"estimate": estimate, **keys}


def _wider_windows() -> Iterator[tuple[int, Keys]]:
    starts: list[tuple[int, Keys]] = [(cost, {"skip_records": skip}) for skip, cost in _LARGER_SKIPS.items()]
    starts += [(cost, {"skip_fraction": fraction}) for fraction, cost in _FRACTIONS.items()]
    starts += [(3, {"skip_steps": steps}) for steps in (10, *_STEPS)]
    for cost, keys in starts:
        yield cost + 1, {**keys, **_TIPC}
    ends: list[tuple[int, Keys]] = [(cost, {"take_last": count}) for count, cost in _LASTS.items()]
    ends += [(4, {"take_last": f"{steps} steps"}) for steps in _STEPS]
    parts: list[tuple[int, Keys]] = [
        (a + b, {"skip_records": skip, "take_first": count})
        for (skip, a), (count, b) in product(_STARTS.items(), _LENGTHS.items())
    ]
    parts += [
        (4, {"skip_steps": skip, "take_first": f"{steps} steps"}) for skip, steps in product((10, *_STEPS), _STEPS)
    ]
    for (cost, keys), (statistic, more) in product([*starts, *ends, *parts], _MIDDLES.items()):
        yield cost + more, {**keys, "statistic": statistic}


def _wider_statistics() -> Iterator[tuple[int, Keys]]:
    for skip in _SOME_SKIPS:
        cost = 3 + _SKIPS[skip]
        yield cost, {"skip_records": skip, "statistic": "geometric_mean"}
        for trim in _TRIMS:
            yield cost, {"skip_records": skip, "trim": trim}
        for statistic in PERCENTILES:
            yield cost + 1, {"skip_records": skip, "statistic": statistic}
