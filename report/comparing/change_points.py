"""Change points: where the level of a series of times changed, by more than its noise.

Values far off are clipped (4 standard deviations beyond the medians of 5 values before, around and behind them: by one
median of 11, values beside a step were taken for outliers, and steps of a few runs came out too small). PELT (l2,
penalty 2.5 log n) proposes boundaries, and those are merged until a t test at 0.1% confirms each, by at least half of
the gate; of fewer than ten values at 0.5%, shared by the places where they may change.

On made series with steps of 3% this finds as many as Apache Otava and raises fewer false alarms. PELT: Killick et al.
2012, in the form of ruptures; the noise is that of the differences of neighbours, which steps hardly change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parsers.io.errors import extra

Values = NDArray[np.float64]
Places = NDArray[np.intp]

SMALLEST = 0.03  # change that matters, where nobody states another
LEAST_NOISE = 1e-4  # of log times: no clock or rounded number proves less
INTERVAL = 0.99

FEWEST = 3  # values of a segment
WINDOW, CLIPPED = 5, 4.0  # values of a running median, standard deviations
PENALTY = 2.5  # times log n; of 3.0, steps of 3% in noise of 2% were found less often than by Otava
LEVEL = 0.001
LEVEL_OF_ONE_PLACE = 0.005
# The median of absolute deviations of a normal distribution is the standard deviation by this.
NORMAL_MAD = 0.6744897501960817
EXTRA = "history"
NEEDS = "Histories need"


@dataclass(frozen=True)
class ChangePoint:
    """A change of level: ``at``, the first place after it, by ``change`` of the log time, with the ``p`` of its t test.

    ``places``: where it may lie as well, for all that the values say; ``at`` among them.
    """

    at: int
    change: float
    p: float
    places: tuple[int, ...]


@dataclass(frozen=True)
class FoundChanges:
    """What a series says: its confirmed ``points``, and how far its values scatter (``noise``, of the log time).

    ``suspect``: values at the end, fewer than make a segment, that are at another level; None where there are none.
    """

    points: tuple[ChangePoint, ...]
    noise: float
    suspect: ChangePoint | None = None


def refuse_without_extra() -> None:
    """Raise ExtraError where a package of the extra is not installed: before many logs are read, not after."""
    with extra(EXTRA, NEEDS):
        import packaging.version  # noqa: F401, PLC0415 - they come with the extra
        import pyarrow  # noqa: F401, PLC0415
        import ruptures  # noqa: F401, PLC0415
        import scipy.stats  # noqa: F401, PLC0415


def change_points(logs: Values, gate: float, groups: Sequence[object] = ()) -> FoundChanges:
    """Find where a series of log times changes.

    ``gate``: smallest change that matters, as a fraction. ``groups``: one for each value; where given, a change can
    only lie between two groups, such as commits of several runs each. Raises ExtraError.
    """
    noise, least = robust_noise(logs), float(np.log1p(gate)) / 2
    if len(logs) < 2:
        return FoundChanges((), noise)
    clipped = winsorised(logs, noise)
    series = _Clipped(logs, clipped, noise)
    proposed = _between_groups(_proposed(clipped / noise), groups)
    bounds = _confirmed(series, [0, *proposed, len(logs)], least)
    bounds, suspect = _without_short_end(logs, bounds, noise, least)
    points = [_point(series, each) for each in zip(bounds, bounds[1:], bounds[2:], strict=False)]
    return FoundChanges(tuple(points), noise, suspect)


def robust_noise(logs: Values) -> float:
    """The standard deviation of the values by the median of the differences between neighbours."""
    if len(logs) < 2:
        return LEAST_NOISE
    steps = np.diff(logs)
    deviation = float(np.median(np.abs(steps - np.median(steps)))) / NORMAL_MAD
    return max(deviation / float(np.sqrt(2)), LEAST_NOISE)


def winsorised(logs: Values, noise: float) -> Values:
    """The values, those clipped that are far from the medians of the neighbours before, around and behind them.

    A value near a step is like those of one side, and stays as it is.
    """
    reach = WINDOW // 2
    medians = [_running_median(logs, *around) for around in ((WINDOW - 1, 0), (reach, reach), (0, WINDOW - 1))]
    low, high = np.nanmin(medians, axis=0), np.nanmax(medians, axis=0)
    return np.clip(logs, low - CLIPPED * noise, high + CLIPPED * noise)


def _running_median(logs: Values, before: int, behind: int) -> Values:
    """The median of each value with so many before and behind it; NaN where these are fewer than a segment has."""
    padded = np.concatenate([np.full(before, np.nan), logs, np.full(behind, np.nan)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, before + behind + 1)
    are_known = np.isfinite(windows).sum(axis=1) >= min(FEWEST, len(logs))
    medians = np.full(len(logs), np.nan)
    medians[are_known] = np.nanmedian(windows[are_known], axis=1)
    return medians


def _proposed(values: Values) -> list[int]:
    """The boundaries of PELT; ``values`` have a noise of 1."""
    if len(values) < 2 * FEWEST:
        return []
    with extra(EXTRA, NEEDS):
        from ruptures import KernelCPD  # noqa: PLC0415 - it comes with the extra
    # The linear kernel has the cost of the l2 model, in C.
    found = KernelCPD(kernel="linear", min_size=FEWEST).fit(values).predict(pen=PENALTY * np.log(len(values)))
    return [int(place) for place in found[:-1]]


def _between_groups(proposed: Sequence[int], groups: Sequence[object]) -> list[int]:
    """The boundaries, each moved to the nearest place between two groups."""
    if not groups:
        return list(proposed)
    between = np.array([at for at in range(1, len(groups)) if groups[at] != groups[at - 1]])
    return sorted({int(between[np.abs(between - at).argmin()]) for at in proposed}) if len(between) else []


@dataclass(frozen=True)
class _Clipped:
    """A series as it is and with its outliers clipped."""

    logs: Values
    clipped: Values
    noise: float

    def level(self, start: int, stop: int) -> Values:
        """The values of a segment without outliers.

        The last segment is clipped around its own median: too few values follow.
        """
        is_last = stop == len(self.logs)
        return _clipped(self.logs[start:stop], self.noise) if is_last else self.clipped[start:stop]


def _confirmed(series: _Clipped, bounds: Sequence[int], least: float) -> list[int]:
    """The boundaries, both ends among them, without those that no t test confirms: the least certain goes first."""
    kept, level = list(bounds), _level(len(series.logs))
    while len(kept) > 2:
        tests = [_test(series, place) for place in zip(kept, kept[1:], kept[2:], strict=False)]
        doubtful = [at for at, (change, p) in enumerate(tests) if not (p < level and abs(change) >= least)]
        if not doubtful:
            break
        del kept[1 + max(doubtful, key=lambda at: (tests[at][1], -abs(tests[at][0])))]
    return kept


def _level(count: int) -> float:
    """How small p must be in a series of so many values: 0.5%, shared by the places where it may change.

    Six values can only change between the third and the fourth: there a slowdown is found as of two sides of three.
    """
    places = count - 2 * FEWEST + 1
    return max(LEVEL, LEVEL_OF_ONE_PLACE / max(places, 1))


def _test(series: _Clipped, place: tuple[int, int, int]) -> tuple[float, float]:
    """The change of the mean at a boundary between two others, and the p of Student's t test of it."""
    start, at, stop = place
    return _compared(series.level(start, at), series.level(at, stop))


def _clipped(values: Values, noise: float) -> Values:
    """Values of one level, those clipped that are far from their median."""
    middle = np.median(values)
    return np.clip(values, middle - CLIPPED * noise, middle + CLIPPED * noise)


def _compared(before: Values, after: Values) -> tuple[float, float]:
    with extra(EXTRA, NEEDS):
        from scipy.stats import ttest_ind_from_stats  # noqa: PLC0415 - it comes with the extra
    # Values that are all alike prove no more than the digits that they are printed with.
    told = [(side.mean(), max(_deviation(side), LEAST_NOISE), len(side)) for side in (after, before)]
    return float(after.mean() - before.mean()), float(ttest_ind_from_stats(*told[0], *told[1]).pvalue)


def _deviation(values: Values) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _without_short_end(
    logs: Values, bounds: list[int], noise: float, least: float
) -> tuple[list[int], ChangePoint | None]:
    """The boundaries, and the suspect values at the end: fewer than a segment has, they confirm nothing yet.

    PELT makes a segment of them and their neighbour; they are alone where the values divide best.
    """
    if len(bounds) > 2 and bounds[-1] - _best(logs, bounds[-3], bounds[-1]) < FEWEST:
        del bounds[-2]
    start, stop = bounds[-2:]
    ends = [stop - count for count in (1, 2) if stop - count - start >= FEWEST]
    tests = {at: _compared(_clipped(logs[start:at], noise), logs[at:stop]) for at in ends}
    unlike = {at: test for at, test in tests.items() if test[1] < LEVEL and abs(test[0]) >= least}
    if not unlike:
        return bounds, None
    at = min(unlike, key=lambda at: unlike[at][1])
    return bounds, ChangePoint(at, *unlike[at], (at,))


def _best(values: Values, start: int, stop: int) -> int:
    """The place between two boundaries that divides the values best, however few are on a side."""
    return start + 1 + int(_costs(values[start:stop]).argmin())


def _costs(values: Values) -> Values:
    """The squares left by two levels, for each place between two values."""
    ahead = values - values.mean()
    counts, sums = np.arange(1, len(values)), ahead.cumsum()[:-1]
    # The whole has the mean 0, so that the sum of one part is that of the other.
    left: Values = float((ahead**2).sum()) - sums**2 / counts - sums**2 / counts[::-1]
    return left


def _point(series: _Clipped, place: tuple[int, int, int]) -> ChangePoint:
    """A confirmed change, with the places where it costs no more than a boundary does."""
    start, at, stop = place
    costs = _costs(series.clipped[start:stop] / series.noise)
    near = np.flatnonzero(costs <= costs[at - start - 1] + PENALTY * np.log(len(series.logs)))
    return ChangePoint(at, *_test(series, place), tuple((start + 1 + near).tolist()))


def same_level(logs: Values, newest: int, gate: float) -> bool:
    """Whether the newest values of one level rule a change as large as the gate out, at 99%, by the noise of all."""
    with extra(EXTRA, NEEDS):
        from scipy.special import stdtrit  # noqa: PLC0415 - it comes with the extra
    before, after = _clipped(logs[:-newest], robust_noise(logs)), logs[-newest:]
    degrees = len(logs) - 2
    squares = float(((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum())
    noise = max(float(np.sqrt(squares / degrees)), LEAST_NOISE)
    error = noise * float(np.sqrt(1 / len(before) + 1 / newest))
    upper = float(after.mean() - before.mean()) + float(stdtrit(degrees, (1 + INTERVAL) / 2)) * error
    return upper < float(np.log1p(gate))
