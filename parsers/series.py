"""Series: one source of speed as work done and time taken in each of its intervals, and the comparison of two.

A printed rate, the time of a step, a running mean, a counter with a clock and the total of a run differ only in how the
two numbers of an interval are found. What was done a second over any window is the sum of the work over the sum of the
time, whatever the source; so two sources can be held against each other over the same interval. How far apart two may
be follows from the digits that they print, from what their clock counts, and from the constants below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .grammar.field import Scope

# Every number that measuring chooses, and why. All other tolerances follow from printed digits and counts.
INNER_FENCE = 1.5  # Tukey (1977): beyond it a value is an outlier of the quartiles; it ends the warm-up
OUTER_FENCE = 3.0  # Tukey (1977): beyond it a value is "far out"; a pause must be that, or nothing is left out
REFERENCE = 2  # the last 1/2 of the records say what is steady: warm-up is never more than the other half
NOISE = 0.02  # benchmarks repeated on one machine differ by 1 to 2%: a record that is nearer is not warm-up
IQR_SIGMA = 1.349  # the quartiles of a normal distribution are so many standard deviations apart
SIGMAS = 3.0  # standard errors: chance exceeds them once in 370 comparisons
OVERHEAD = 0.10  # two timers of one program time different lines (logging, loading, callbacks): 10% is the usual most
TOTAL = 2.0  # a total of the run also holds start-up, evaluation and checkpoints: slower by more is no longer that
FEW = 3  # records: fewer have no quartiles, and are said to be few
FENCED = 5  # intervals: of fewer none is ever beyond the outer fence of their quartiles
STALL = 2.0  # a step that takes twice the usual time did something else as well; one twice as fast did not do it
SAMPLED = 400  # values looked at to find the digits that a column prints
DECIMALS = 7  # the finest digits looked for: tenths of microseconds
BINARY = 1e-6  # what a decimal fraction may be off by as a binary one, of its square root where it is large

Floats = NDArray[np.float64]
Lines = NDArray[np.int64]
Mask = NDArray[np.bool_]
Verdict = Literal["agrees", "differs", "silent"]


@dataclass(frozen=True, eq=False)
class Series:
    """One source of speed: the ``work`` of each interval and the ``seconds`` that it took (float64, one an interval).

    ``source``: the column, and ``kind`` the kind of its records (step, epoch, summary). ``counted``: what work counts,
    steps, samples, tokens or epochs, in ``unit`` as the log calls it, of one card, node or the job by ``scope``.
    Interval i ends at line ``lines[i]`` and begins behind line ``begins[i]``; ``rows``: the record that ends it.
    ``tick``: what the seconds of an interval may be off by; of a clock and of a running mean these errors cancel but at
    the ends (``telescopes``). ``whole``: it covers all of the run up to its line, with start-up and evaluations, so
    that no window can be taken of it. ``sampled``: an interval shows one of its steps. ``timer``: who took the time,
    the program for its steps or a clock that always runs. ``undone``: made of running means; ``expected``: of what a
    program predicts. ``holds_more``: intervals of its clock also hold what is no training, such as evaluations.
    ``derived``: of a clock that a printed rate says more finely, the column of that.
    ``values``: as printed, which a stated statistic is taken of.
    """

    source: str
    kind: str
    counted: str
    unit: str
    scope: Scope
    rows: Lines
    lines: Lines
    begins: Lines
    work: Floats
    seconds: Floats
    tick: Floats
    telescopes: bool = False
    whole: bool = False
    sampled: bool = False
    timer: Literal["program", "clock"] = "program"
    undone: bool = False
    expected: bool = False
    holds_more: bool = False
    derived: str = ""
    values: Floats | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def each(self) -> Floats:
        """Seconds of one unit of work in each interval."""
        return self.seconds / self.work

    @property
    def ticks(self) -> Floats:
        """What each of these may be off by."""
        return self.tick / self.work

    @property
    def rate(self) -> float:
        """Work done over time taken, of all intervals."""
        return float(self.work.sum() / self.seconds.sum())

    @property
    def rounding(self) -> float:
        """By what part the rate may be off for the digits that are printed and for its clock."""
        total = float(self.seconds.sum())
        if self.telescopes:
            breaks = 1 + int((self.begins[1:] != self.lines[:-1]).sum())
            return 2 * float(np.median(self.tick)) * breaks / total
        return float(self.tick.sum()) / total

    @property
    def error(self) -> float:
        """By what part the rate may be off, for rounding and, where steps are sampled, for their spread."""
        if not self.sampled:
            return self.rounding
        return self.rounding + SIGMAS * spread(self.each) / np.sqrt(len(self)) if len(self) >= FEW else 1.0

    @property
    def is_coarse(self) -> bool:
        """Whether the digits of each interval leave more than 10% open, and do not cancel."""
        return len(self) > 0 and not self.telescopes and float(np.median(self.tick / self.seconds)) > OVERHEAD

    def where(self, mask: Mask) -> Series:
        """Some of the intervals (bool, one each); of all itself, as arrays of long logs take much memory."""
        return self if mask.all() else self._taken(mask)

    def behind(self, line: int) -> Series:
        """The intervals that begin behind a line; they are in file order."""
        return self._taken(slice(int(np.searchsorted(self.begins, line)), None))

    def _taken(self, which: Mask | slice) -> Series:
        cut = {name: getattr(self, name)[which] for name in ("rows", "lines", "begins", "work", "seconds", "tick")}
        return replace(self, **cut, values=None if self.values is None else self.values[which])

    def merged(self) -> Series:
        """Each interval of no work or no time put together with the next good one that follows it.

        One that none follows tells nothing: its work took a time that nobody knows.
        """
        good = (self.work > 0) & (self.seconds > 0)
        keep = np.flatnonzero(good)
        if good.all() or not len(keep):
            return self.where(good)
        follows = np.append(False, self.begins[1:] == self.lines[:-1])
        of_one = np.maximum.accumulate(np.where(follows, 0, np.arange(len(self))))
        starts = np.maximum(np.append(0, keep[:-1] + 1), of_one[keep])
        ends = np.stack([starts, keep + 1], axis=1).ravel()
        work, seconds = (np.add.reduceat(np.append(of, 0), ends)[::2] for of in (self.work, self.seconds))
        merged = replace(self.where(good), work=work, seconds=seconds, begins=self.begins[starts])
        return merged.where((work > 0) & (seconds > 0))

    def warm_up(self) -> int:
        """How many intervals at the start are not yet steady.

        Those before the first that is as the second half are: no slower than the inner fence of its quartiles by more
        than a digit and 2%, and not more than twice as fast. So at most half of all are.
        """
        head = len(self) // REFERENCE
        if self.whole or not head:
            return 0
        each, slack = self.each[:head], self.ticks[:head] * (2 if self.telescopes else 1)  # both ends of a clock
        low, high = np.quantile(self.each[head:], (0.25, 0.75))
        reach = np.maximum(INNER_FENCE * (high - low), NOISE * low) + slack
        usual = (each <= high + reach) & (each >= low / STALL - slack)
        return int(np.argmax(usual)) if usual.any() else head

    def stalls(self) -> Mask:
        """Which intervals are far out: beyond the outer fence, and of the timer of a program twice the usual time."""
        if self.whole or len(self) < 2:
            return np.zeros(len(self), np.bool_)
        low, middle, high = np.quantile(self.each, (0.25, 0.5, 0.75))
        far: Mask = self.each > high + np.maximum(OUTER_FENCE * (high - low), NOISE * high) + 2 * self.ticks
        return far if self.timer == "clock" else far & (self.each > STALL * middle)

    def pauses(self) -> Mask:
        """Which intervals hold a pause, which is no training.

        A clock runs while the program does something else, so all stalls are pauses. The timer of a program runs for
        its steps only: stalls that recur there are part of training, and one or two are not.
        """
        far = self.stalls()
        return far if self.timer == "clock" or far.sum() < FEW else np.zeros_like(far)

    def without_pauses(self) -> Series:
        """The intervals that hold no pause."""
        return self.where(~self.pauses())

    def steady(self) -> Series:
        """The intervals of the steady part, without its pauses."""
        return self.where(np.arange(len(self)) >= self.warm_up()).without_pauses()


def spread(values: Floats) -> float:
    """The standard deviation over the median, by the quartiles."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return float((high - low) / IQR_SIGMA / middle) if middle else 0.0


def resolution(values: Floats) -> float:
    """One unit of the last digit that a column prints: the coarsest power of ten that all values are multiples of.

    Values that are all the same do not show it, and may have been printed in full.
    """
    some = values[np.isfinite(values)][:: max(1, len(values) // SAMPLED)]
    if len(some) >= FEW and (some == some[0]).all():
        return float(10.0**-DECIMALS)
    for decimals in range(DECIMALS):
        scaled = some * 10**decimals
        if np.all(np.abs(scaled - np.round(scaled)) < BINARY * np.maximum(1, np.abs(scaled)) ** 0.5):
            return float(10.0**-decimals)
    return float(10.0**-DECIMALS)


def held(claim: Floats, clock: Floats, fine: float, error: float) -> tuple[float, float]:
    """How many times the seconds of a clock a claim has over the same intervals, and by what part that may be off.

    The nearer to one of two: of all seconds together, which a few pauses move, and, where the clock is finer than a
    interval, of the usual interval. What it may be off by is told by the digits of both (``error``) and by how far the
    intervals disagree; few of them leave all of it open.
    """
    ratios = claim / clock
    ratios = ratios[np.isfinite(ratios)]
    found = [float(claim.sum() / clock.sum())]
    if len(ratios) and 2 * np.median(clock) > fine:
        found.append(float(np.median(ratios)))
    noise = SIGMAS * spread(ratios) / np.sqrt(len(ratios)) if len(ratios) > 1 else 1.0
    return min(found, key=lambda ratio: abs(log(ratio))), error + noise


def tolerance(error: float) -> float:
    """How far two numbers may be apart, as a logarithm: a time may be short by its error, and timers differ by 10%."""
    return log(1 + OVERHEAD) - log(1 - error) if error < 1 else inf


def verdict(low: float, high: float, error: float, slack: float = 1.0, *, slower_is_total: bool = True) -> Verdict:
    """Whether two numbers can be true at once, within what digits, counts and spread leave open, and 10%.

    ``low`` and ``high``: how many times the claim the other source is, at least and at most. ``slack``: a total of the
    run also holds what is no training, so that only one that is faster, or more than so many times slower, differs;
    ``slower_is_total`` says whether the other source is that total, or the claim. A source that is off by more than 10%
    itself confirms nothing.
    """
    if error >= 1:
        return "silent"
    reach = tolerance(error)
    if log(low) <= reach and log(high) >= -reach:
        return "agrees" if error <= OVERHEAD else "silent"
    below, above = (log(slack), 0.0) if slower_is_total else (0.0, log(slack))
    return "silent" if -below - reach <= log(high) and log(low) <= above + reach else "differs"
