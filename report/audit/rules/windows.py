"""Windows: what many protocols that read the same values of a log give, all of them at once.

Thousands of protocols for a log would be slow one by one. Most of their windows share their values, so these are summed
up and sorted once: a mean is the difference of two sums, and the sorted values of a window are those of the log that
are in it.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from parsers.series import Floats

from ...measure.diagnostics import NoMeasurement
from ...measure.measurement import Calculation
from ...measure.protocol import WINDOW, Protocol
from ...measure.records import Records
from ...measure.statistic import PERCENTILES
from ...measure.window import window_of

Places = NDArray[np.int64]
Bounds = tuple[Places, Places]  # where each window starts, and where it stops

MOST_VALUES = 1 << 20  # of all windows that are sorted at a time
TRIMMED, PERCENTILE, LAST = "trimmed", "percentile", "last"
# Means as sums: what is added of each value, and what becomes of the mean of that.
SUMMED: Mapping[str, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "mean": (lambda values: values, lambda means: means),
    "harmonic_mean": (lambda values: 1 / values, lambda means: 1 / means),
    "geometric_mean": (np.log, np.exp),
}


class ProtocolGroup:
    """Protocols that read one estimate of one kind of record, the ``first`` of them, and their ``ranks`` among all.

    ``window``: the number of the window of each, which several share. ``of_statistic``: the places of those that take
    each statistic; all percentiles are one, and all that trim another.
    """

    def __init__(self, ranks: Sequence[int], protocols: Sequence[Protocol]) -> None:
        self.ranks, self.first = np.array(ranks), protocols[0]
        keys = [tuple(getattr(one, key) for key in WINDOW) for one in protocols]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.window = np.array([numbers[key] for key in keys])
        self._windows = list(dict(zip(keys, protocols, strict=True)).values())
        names = [TRIMMED if one.trim or one.trim_min else one.statistic for one in protocols]
        names = [PERCENTILE if name in PERCENTILES else name for name in names]
        self.of_statistic = {name: np.flatnonzero(np.array(names) == name) for name in dict.fromkeys(names)}
        self._percentiles = np.array([PERCENTILES.get(one.statistic, 0) / 100 for one in protocols])
        self._trims = np.array([(one.trim, one.trim_min) for one in protocols])

    def bounds(self, records: Records) -> Bounds:
        """The records that each window takes; none where it needs numbers of steps that these do not have."""
        bounds = np.array([_bounds(records, one) for one in self._windows])
        return bounds[:, 0], bounds[:, 1]

    def values(self, records: Records, read: Calculation) -> Floats:
        """What each protocol gives; NaN of an empty window, and of one with a value that no throughput can be.

        ``records``: those that they read; ``read``: the values of these.
        """
        starts, stops = (bounds[self.window] for bounds in self.bounds(records))
        found = np.full(len(self.ranks), np.nan)
        bad = np.cumsum(np.append(0, ~(read.values > 0)))
        for statistic in (*SUMMED, LAST):
            chosen = self.of_statistic.get(statistic, np.zeros(0, np.int64))
            chosen = chosen[stops[chosen] > starts[chosen]]
            chosen = chosen[bad[stops[chosen]] == bad[starts[chosen]]]
            found[chosen] = _unsorted(statistic, read.values, starts[chosen], stops[chosen])
        self._set_sorted(found, read.values, starts, stops)
        with np.errstate(divide="ignore"):
            return read.factor / found if read.are_times else found * read.factor

    def _set_sorted(self, found: Floats, values: Floats, starts: Places, stops: Places) -> None:
        """Set what the protocols give that reduce sorted values; so many windows at a time as memory has room for."""
        order, base = np.argsort(values), len(values) + 1
        keys = np.where(stops > starts, starts * base + stops, 0)
        distinct, of = np.unique(keys, return_inverse=True)
        step = max(1, MOST_VALUES // base)
        for begin in range(0, len(distinct), step):
            firsts, ends = np.divmod(distinct[begin : begin + step], base)
            are_in = (order >= firsts[:, None]) & (order < ends[:, None])
            ascending = np.broadcast_to(values[order], are_in.shape)[are_in]
            begins = np.cumsum(np.append(0, ends - firsts))
            are_here = (keys > 0) & (of >= begin) & (of < begin + step)
            for statistic, chosen in self.of_statistic.items():
                if statistic not in SUMMED and statistic != LAST:
                    some = chosen[are_here[chosen]]
                    windows = of[some] - begin
                    found[some] = self._sorted(statistic, some, ascending, (begins[windows], begins[windows + 1]))

    def _sorted(self, statistic: str, protocols: Places, ascending: Floats, bounds: Bounds) -> Floats:
        """A statistic of windows whose values stand in ascending order between bounds, NaN last, without those cut."""
        share, least = self._trims[protocols].T
        cut = np.maximum((share * (bounds[1] - bounds[0])).astype(np.int64), least.astype(np.int64))
        firsts, lasts = bounds[0] + cut, bounds[1] - cut - 1
        found = np.full(len(protocols), np.nan)
        some = np.flatnonzero(firsts <= lasts)
        some = some[(ascending[firsts[some]] > 0) & ~np.isnan(ascending[lasts[some]])]
        firsts, lasts = firsts[some], lasts[some]
        if statistic in ("min", "max"):
            found[some] = ascending[firsts if statistic == "min" else lasts]
        elif statistic == "median":
            found[some] = (ascending[(firsts + lasts) // 2] + ascending[(firsts + lasts + 1) // 2]) / 2
        elif statistic == PERCENTILE:
            found[some] = _percentile(ascending, self._percentiles[protocols[some]], firsts, lasts)
        else:
            ends = zip(firsts.tolist(), lasts.tolist(), strict=True)
            found[some] = [np.add.reduce(ascending[one : last + 1]) / (last + 1 - one) for one, last in ends]
        return found


def _bounds(records: Records, protocol: Protocol) -> tuple[int, int]:
    try:
        window = window_of(records, protocol)
    except NoMeasurement:
        return 0, 0
    return window.first, window.last


def _unsorted(statistic: str, values: Floats, starts: Places, stops: Places) -> Floats:
    """A statistic of windows that needs no sorted values."""
    if statistic == LAST:
        return values[stops - 1]
    summed, back = SUMMED[statistic]
    with np.errstate(all="ignore"):
        # More digits than a float has, so that a difference of two long sums loses none.
        sums = np.cumsum(np.append(0, summed(values)), dtype=np.longdouble)
        return back(((sums[stops] - sums[starts]) / (stops - starts)).astype(np.float64))


def _percentile(ascending: Floats, fractions: Floats, firsts: Places, lasts: Places) -> Floats:
    """Between two values in proportion, to the bit as ``numpy.percentile`` has it of one window."""
    places = (lasts - firsts) * fractions
    below = np.floor(places).astype(np.int64)
    share = places - below
    low, high = ascending[firsts + below], ascending[np.minimum(firsts + below + 1, lasts)]
    found: Floats = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))
    return found
