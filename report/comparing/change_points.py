"""Change points: where the level of a series of times changed, by more than its noise, however heavy its tails are.

PELT (l2, penalty 2 log n, at least 4 values a segment; Killick et al. 2012, in the form of ruptures) proposes
boundaries in the logarithms of the times, of which those far off are clipped; these are merged until two tests at 0.1%
confirm each, Student's of what is clipped and that of Mann and Whitney, by at least half of the gate. The latter asks
for ranks alone, so that stalls and times that come in two sizes raise no more alarms than normal noise does; it cannot
confirm what a few runs say, of which at least 7 must stand against 7, or 4 against 11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parsers.io.errors import extra

from .effect import LEAST_NOISE, Values

SHORTEST = 4  # values of a segment
FEWEST = 3  # values that have a median
WINDOW, CLIPPED = 5, 4.0  # values of a running median, standard deviations
PENALTY = 2.0  # times log n
LEVEL = 0.001
LEAST = 0.01  # standard deviation of a segment, in those of the series
EXACT = 8  # values of a side, up to which the test counts all orders
# The median of absolute deviations of a normal distribution is the standard deviation by this.
NORMAL_MAD = 0.6744897501960817
EXTRA, NEEDS = "history", "Histories need"


@dataclass(frozen=True)
class ChangePoint:
    """A change of level: ``at``, the first place after it, by ``change`` of log time, with the ``p`` of its test."""

    at: int
    change: float
    p: float


def refuse_without_extra() -> None:
    """Raise ExtraError where a package of the extra is not installed: before many logs are read, not after."""
    with extra(EXTRA, NEEDS):
        import ruptures  # noqa: F401, PLC0415 - they come with the extra
        import scipy.stats  # noqa: F401, PLC0415


def change_points(logs: Values, gate: float) -> list[ChangePoint]:
    """Find where a series of log times changes.

    ``gate``: smallest change that matters, as a fraction. Raises ExtraError.
    """
    if len(logs) < 2 * SHORTEST:
        return []
    noise, least = robust_noise(logs), float(np.log1p(gate)) / 2
    scaled = winsorised(logs, noise) / noise
    kept = [0, *_proposed(scaled), len(logs)]
    while True:
        places = list(zip(kept, kept[1:], kept[2:], strict=False))
        tests = [_test(logs, scaled, place) for place in places]
        doubtful = [at for at, (change, p) in enumerate(tests) if not (p < LEVEL and abs(change) >= least)]
        if not doubtful:
            break
        del kept[1 + max(doubtful, key=lambda at: (tests[at][1], -abs(tests[at][0])))]
    return [ChangePoint(at, *test) for (_, at, _), test in zip(places, tests, strict=True)]


def robust_noise(logs: Values) -> float:
    """The standard deviation of the values by the median of the differences between neighbours, which steps hardly
    change.
    """
    if len(logs) < 2:
        return LEAST_NOISE
    steps = np.diff(logs)
    deviation = float(np.median(np.abs(steps - np.median(steps)))) / NORMAL_MAD
    return max(deviation / float(np.sqrt(2)), LEAST_NOISE)


def winsorised(logs: Values, noise: float) -> Values:
    """The values, those clipped that are far from the medians of the neighbours before, around and behind them.

    A value near a step is like those of one side, and stays as it is.
    """
    padded = np.pad(logs, WINDOW - 1, constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)
    are_known = np.isfinite(windows).sum(axis=1) >= min(FEWEST, len(logs))
    every = np.where(are_known, np.nanmedian(windows, axis=1), np.nan)
    # Those of windows that end at each value, that have it in their middle, and that begin there.
    medians = [every[at : at + len(logs)] for at in (0, WINDOW // 2, WINDOW - 1)]
    low, high = np.nanmin(medians, axis=0), np.nanmax(medians, axis=0)
    return np.clip(logs, low - CLIPPED * noise, high + CLIPPED * noise)


def _proposed(values: Values) -> list[int]:
    """The boundaries of PELT; ``values`` have a noise of 1."""
    with extra(EXTRA, NEEDS):
        from ruptures import KernelCPD  # noqa: PLC0415 - it comes with the extra
    # The linear kernel has the cost of the l2 model, in C.
    found = KernelCPD(kernel="linear", min_size=SHORTEST).fit(values).predict(pen=PENALTY * np.log(len(values)))
    return [int(place) for place in found[:-1]]


def _test(logs: Values, clipped: Values, place: tuple[int, int, int]) -> tuple[float, float]:
    """The change of the level, the median of all differences, and the larger p of the two tests of it."""
    with extra(EXTRA, NEEDS):
        from scipy.stats import mannwhitneyu, ttest_ind_from_stats  # noqa: PLC0415 - it comes with the extra
    start, at, stop = place
    before, after = logs[start:at], logs[at:stop]
    method = "exact" if min(len(before), len(after)) <= EXACT else "asymptotic"
    ranked = float(mannwhitneyu(before, after, method=method).pvalue)
    # Values that are all alike prove no more than the digits that they are printed with.
    sides = [(one.mean(), max(one.std(ddof=1), LEAST), len(one)) for one in (clipped[start:at], clipped[at:stop])]
    change = float(np.median(np.subtract.outer(after, before)))
    return change, max(ranked, float(ttest_ind_from_stats(*sides[0], *sides[1]).pvalue))
