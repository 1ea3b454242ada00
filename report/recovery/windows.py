"""Windows: what many protocols that read the same values of a log give, all of them at once.

Most windows share their values, so these are summed up and sorted once: a mean is the difference of two sums, and the
sorted values of a window are those of the log that are in it.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import Field

from ..measure.diagnostics import NoMeasurement
from ..measuring.record_columns import Columns
from ..measuring.selection import Series
from ..measuring.window import Counts, Fields, step_field, step_numbers, steps_done
from .protocol_group import PERCENTILE, Bounds, Places, ProtocolGroup, Values

MOST_VALUES = 1 << 20  # of all windows that are sorted at a time
LAST = "last"
# Means as sums: what is added of each value, and what becomes of the mean of that.
_SUMMED: Mapping[str, tuple[Callable[[Values], Values], Callable[[Values], Values]]] = {
    "mean": (lambda values: values, lambda means: means),
    "harmonic_mean": (lambda values: 1 / values, lambda means: 1 / means),
    "geometric_mean": (np.log, np.exp),
}
_UNSORTED = (*_SUMMED, LAST)


class Windows:
    """The windows of a series, each a range of its records.

    ``records``: those of the series. What a window with a value that no throughput can be gives is NaN.
    """

    def __init__(self, records: Columns, fields: Fields, base: Series) -> None:
        self.records, self.fields, self.base = records, fields, base
        self.bad = np.cumsum(np.concatenate([[0], ~(base.values > 0)]))

    def values(self, group: ProtocolGroup) -> Values:
        """What the protocols of a group give."""
        starts, stops = (bounds[group.window_of] for bounds in self._bounds(group))
        found = np.full(len(group.protocols), np.nan)
        for statistic in (name for name in group.by_statistic if name in _UNSORTED):
            chosen = group.by_statistic[statistic]
            chosen = chosen[stops[chosen] > starts[chosen]]
            chosen = chosen[self.bad[stops[chosen]] == self.bad[starts[chosen]]]
            found[chosen] = self._unsorted(statistic, starts[chosen], stops[chosen])
        self._set_sorted(found, group, starts, stops)
        with np.errstate(divide="ignore"):
            return self.base.factor / found if self.base.are_times else found * self.base.factor

    def _bounds(self, group: ProtocolGroup) -> Bounds:
        """The windows of a group; those that need step numbers are empty where these cannot be used."""
        bounds = group.bounds(np.arange(1, len(self.base.values) + 1))
        for chosen, of_steps, count in (
            (group.count_steps, group.bounds, steps_done),
            (group.name_steps, group.named_bounds, step_numbers),
        ):
            if chosen.any():
                steps = self._steps(group.first.records, count)
                starts, stops = of_steps(steps) if steps is not None else (np.zeros_like(bounds[0]),) * 2
                bounds = np.where(chosen, starts, bounds[0]), np.where(chosen, stops, bounds[1])
        return bounds

    def _steps(self, kind: str, count: Callable[[Columns, Field], Counts]) -> Counts | None:
        try:
            return count(self.records, step_field(self.fields, kind))
        except NoMeasurement:
            return None

    def _unsorted(self, statistic: str, starts: Places, stops: Places) -> Values:
        """A statistic of windows that needs no sorted values."""
        if statistic == LAST:
            return self.base.values[stops - 1]
        summed, back = _SUMMED[statistic]
        with np.errstate(all="ignore"):
            # More digits than a float has, so that a difference of two long sums loses none.
            sums = np.cumsum(np.concatenate([[0], summed(self.base.values)]), dtype=np.longdouble)
            return back(((sums[stops] - sums[starts]) / (stops - starts)).astype(np.float64))

    def _set_sorted(self, found: Values, group: ProtocolGroup, starts: Places, stops: Places) -> None:
        """Set what the protocols give that reduce sorted values; so many windows at a time as memory has room for."""
        counts, base = stops - starts, len(self.base.values) + 1
        keys = np.where(counts > 0, starts * base + stops, 0)
        distinct, of = np.unique(keys, return_inverse=True)
        step = max(1, MOST_VALUES // base)
        for begin in range(0, len(distinct), step):
            windows = self._sorted(*np.divmod(distinct[begin : begin + step], base))
            are_here = (keys > 0) & (of >= begin) & (of < begin + step)
            for statistic in (name for name in group.by_statistic if name not in _UNSORTED):
                chosen = group.by_statistic[statistic]
                chosen = chosen[are_here[chosen]]
                cut = group.cut(chosen, counts[chosen])
                found[chosen] = windows.values(statistic, of[chosen] - begin, cut, group.percentiles[chosen])

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.base.values)

    def _sorted(self, starts: Places, stops: Places) -> "_Sorted":
        are_in = (self._order >= starts[:, None]) & (self._order < stops[:, None])
        ascending = np.broadcast_to(self.base.values[self._order], are_in.shape)[are_in]
        return _Sorted(ascending, np.cumsum(np.append(0, stops - starts)))


class _Sorted:
    """The values of windows, each in ascending order, with what is not a number last; ``bounds``: where each begins."""

    def __init__(self, ascending: Values, bounds: Places) -> None:
        self.ascending, self.bounds = ascending, bounds

    def values(self, statistic: str, windows: Places, cut: Places, percentiles: Values) -> Values:
        """A statistic of windows, each without so many values at both ends; ``percentiles``: that of each window."""
        firsts, ends = self.bounds[windows] + cut, self.bounds[windows + 1] - cut
        found = np.full(len(windows), np.nan)
        some = np.flatnonzero(firsts < ends)
        firsts, lasts = firsts[some], ends[some] - 1
        are_good = (self.ascending[firsts] > 0) & ~np.isnan(self.ascending[lasts])
        some, firsts, lasts = some[are_good], firsts[are_good], lasts[are_good]
        if statistic == PERCENTILE:
            found[some] = self._percentile(percentiles[some], firsts, lasts)
        else:
            found[some] = self._reduced(statistic, firsts, lasts)
        return found

    def _reduced(self, statistic: str, firsts: Places, lasts: Places) -> Values:
        if statistic in ("min", "max"):
            return self.ascending[firsts if statistic == "min" else lasts]
        if statistic == "median":
            between: Values = self.ascending[(firsts + lasts) // 2] + self.ascending[(firsts + lasts + 1) // 2]
            return between / 2
        bounds = zip(firsts.tolist(), (lasts + 1).tolist(), strict=True)
        return np.array([np.add.reduce(self.ascending[first:end]) / (end - first) for first, end in bounds])

    def _percentile(self, fractions: Values, firsts: Places, lasts: Places) -> Values:
        """Between two values in proportion, to the bit as ``numpy.percentile`` has it of one window."""
        places = (lasts - firsts) * fractions
        below = np.floor(places).astype(np.int64)
        share = places - below
        low, high = self.ascending[firsts + below], self.ascending[np.minimum(firsts + below + 1, lasts)]
        found: Values = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))
        return found
