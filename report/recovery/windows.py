"""Windows: what many protocols that read the same values of a log give, all of them at once.

Thousands of protocols for a log would be slow one by one. Most of their windows share their values, so these are summed
up and sorted once: a mean is the difference of two sums, and the sorted values of a window are those of the log that
are in it.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from parsers.series import Floats

from ..measure.measurement import Calculation
from ..measure.protocol import WINDOW, Length, Protocol
from ..measure.records import Records
from ..measure.statistic import PERCENTILES

Places = NDArray[np.int64]
Bounds = tuple[Places, Places]  # where each window starts, and where it stops
Lengths = tuple[Places, NDArray[np.bool_]]  # how long something of each window is, and whether in steps, not records

ALL = 1 << 60  # more than any log has records or steps
NO_STEP = -1
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
        windows = dict(zip(keys, protocols, strict=True)).values()
        names = [TRIMMED if one.trim or one.trim_min else one.statistic for one in protocols]
        names = [PERCENTILE if name in PERCENTILES else name for name in names]
        self.of_statistic = {name: np.flatnonzero(np.array(names) == name) for name in dict.fromkeys(names)}
        self._percentiles = np.array([PERCENTILES.get(one.statistic, 0) / 100 for one in protocols])
        self._trims = np.array([(one.trim, one.trim_min) for one in protocols])
        self._skips = np.array([(one.skip_records, one.skip_steps, one.skip_fraction) for one in windows])
        firsts, lasts = ([getattr(one, key) for one in windows] for key in ("from_step", "to_step"))
        self._from_steps = np.array([NO_STEP if one is None else one for one in firsts])
        self._to_steps = np.array([ALL if one is None else one for one in lasts])
        self._drops, self._firsts, self._lasts = (
            _lengths([getattr(one, key) for one in windows]) for key in ("drop_last", "take_first", "take_last")
        )
        self._count_steps = np.array([one.window_counts_steps for one in windows])

    def bounds(self, records: Records) -> Bounds:
        """The records that each window takes; none where it needs numbers of steps that these do not have."""
        starts, stops = self._counted(np.arange(1.0, len(records) + 1))
        steps, numbers = records.steps, records.numbers("step")
        of_steps = (starts * 0, stops * 0) if steps is None else self._counted(steps)
        named = starts * 0, stops * 0
        if steps is not None and not (np.diff(numbers) < 0).any():
            first = np.searchsorted(numbers, self._from_steps, side="left")
            named = first, np.maximum(first, np.searchsorted(numbers, self._to_steps, side="right"))
        name_steps = (self._from_steps > NO_STEP) | (self._to_steps < ALL)
        conditions = [self._count_steps, name_steps]
        return np.select(conditions, [of_steps[0], named[0]], starts), np.select(
            conditions, [of_steps[1], named[1]], stops
        )

    def _counted(self, steps: Floats) -> Bounds:
        """The windows, as a stated protocol has them one by one; ``steps``: those that are done at each record."""
        count, before = len(steps), np.append(0, steps)
        skipped, skipped_steps, fractions = self._skips.T
        by_records = np.maximum(skipped, np.floor(np.round(fractions * count, 9)))
        by_steps = np.searchsorted(steps, skipped_steps, side="right")
        starts = np.minimum(np.where(skipped_steps > 0, by_steps, by_records), count).astype(np.int64)
        stops = np.maximum(starts, _back(before, np.full(len(starts), count), self._drops))
        starts = np.maximum(starts, _back(before, stops, self._lasts))
        lengths, are_of_steps = self._firsts
        done = np.where(skipped_steps > 0, skipped_steps, before[starts]) + lengths
        ends = np.where(are_of_steps, np.searchsorted(steps, done, side="right"), starts + lengths)
        return starts, np.minimum(stops, ends)

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


def _lengths(lengths: Sequence[Length | None]) -> Lengths:
    """These lengths; None is longer than any log."""
    known = [length or Length(ALL) for length in lengths]
    return np.array([one.count for one in known]), np.array([one.of == "steps" for one in known])


def _back(before: Floats, stops: Places, lengths: Lengths) -> Places:
    """Where the last records or steps before these places begin; ``before``: the steps done before each record."""
    counts, are_of_steps = lengths
    by_records = np.maximum(0, stops - counts)
    by_steps = np.searchsorted(before[1:], before[stops] - counts, side="right")
    return np.where(are_of_steps & (stops > 0), by_steps, by_records)


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
