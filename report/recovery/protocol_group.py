"""Protocols that read the same values of a log: which window each takes of them, and what it makes of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..measure.length import Length
from ..measure.protocol import Protocol
from ..measure.statistic import PERCENTILES
from ..measuring.window import Counts

Values = NDArray[np.float64]
Places = NDArray[np.int64]
Bounds = tuple[Places, Places]  # where each window starts, and where it stops

ALL = 1 << 60  # records, and the number of no step
FIRST = -1  # the number of no step
TRIMMED, PERCENTILE = "trimmed", "percentile"
_PLAIN = {"statistic": "mean", "trim": 0.0, "trim_min": 0}


@dataclass(frozen=True, eq=False)
class _Lengths:
    """Lengths of several windows: ``counts``, and which of these are steps (``of_steps``), not records."""

    counts: Places
    of_steps: NDArray[np.bool_]

    @classmethod
    def of(cls, lengths: Sequence[Length | None]) -> "_Lengths":
        """These lengths; None is longer than any log."""
        known = [length or Length(ALL) for length in lengths]
        return cls(np.array([one.count for one in known]), np.array([one.of == "steps" for one in known]))


@dataclass(frozen=True, eq=False)
class ProtocolGroup:
    """Protocols that read one estimate of one kind of record, and their ``ranks`` among all.

    ``windows``: one protocol for each window that they take. ``window_of``: the place among these of that of each.
    """

    ranks: Places
    protocols: tuple[Protocol, ...]

    @property
    def first(self) -> Protocol:
        """One of the protocols, which tells what all of them read."""
        return self.protocols[0]

    @cached_property
    def window_of(self) -> Places:
        """The number of the window of each protocol."""
        numbers: dict[Protocol, int] = {}
        return np.array([numbers.setdefault(one.model_copy(update=_PLAIN), len(numbers)) for one in self.protocols])

    @cached_property
    def by_statistic(self) -> Mapping[str, Places]:
        """The places of the protocols that take each statistic; all percentiles are one, and all that trim another."""
        found: dict[str, list[int]] = {}
        for place, one in enumerate(self.protocols):
            found.setdefault(_statistic(one), []).append(place)
        return {statistic: np.array(places) for statistic, places in found.items()}

    @cached_property
    def percentiles(self) -> Values:
        """Which percentile each protocol takes, as a fraction; NaN of those that take none."""
        return np.array([PERCENTILES.get(one.statistic, np.nan) for one in self.protocols]) / 100

    def cut(self, protocols: Places, counts: Places) -> Places:
        """How many of so many values some of the protocols, by their places, cut from each end."""
        return np.maximum((self._trims[protocols] * counts).astype(np.int64), self._least_trims[protocols])

    @cached_property
    def count_steps(self) -> NDArray[np.bool_]:
        """Which windows count steps."""
        return np.array([one.window_counts_steps for one in self._windows])

    def bounds(self, steps: Counts) -> Bounds:
        """The windows, as ``measuring.window`` has them one by one; ``steps``: those that are done at each record."""
        before = np.concatenate([[0], steps])
        starts = self._starts(steps)
        stops = np.maximum(starts, _back(steps, np.full(len(starts), len(steps)), self._drops))
        starts = np.maximum(starts, _back(steps, stops, self._lasts))
        ends = starts + self._firsts.counts
        done = np.where(self._skipped_steps > 0, self._skipped_steps, before[starts]) + self._firsts.counts
        ends = np.where(self._firsts.of_steps, np.searchsorted(steps, done, side="right"), ends)
        return starts, np.minimum(stops, ends)

    @cached_property
    def name_steps(self) -> NDArray[np.bool_]:
        """Which windows name their first or last step by its number."""
        return (self._from_steps > FIRST) | (self._to_steps < ALL)

    def named_bounds(self, numbers: Counts) -> Bounds:
        """The windows that name steps, as ``bounds``; ``numbers``: those that the log prints."""
        starts = np.searchsorted(numbers, self._from_steps, side="left")
        return starts, np.maximum(starts, np.searchsorted(numbers, self._to_steps, side="right"))

    def _starts(self, steps: Counts) -> Places:
        by_records = np.maximum(self._skips, np.round(self._fractions * len(steps), 9).astype(np.int64))
        by_steps = np.searchsorted(steps, self._skipped_steps, side="right")
        return np.minimum(np.where(self._skipped_steps > 0, by_steps, by_records), len(steps))

    @cached_property
    def _windows(self) -> list[Protocol]:
        _, firsts = np.unique(self.window_of, return_index=True)
        return [self.protocols[first] for first in firsts]

    @cached_property
    def _trims(self) -> Values:
        return np.array([one.trim for one in self.protocols])

    @cached_property
    def _least_trims(self) -> Places:
        return np.array([one.trim_min for one in self.protocols])

    @cached_property
    def _skips(self) -> Places:
        return np.array([one.skip_records for one in self._windows])

    @cached_property
    def _skipped_steps(self) -> Places:
        return np.array([one.skip_steps for one in self._windows])

    @cached_property
    def _fractions(self) -> Values:
        return np.array([one.skip_fraction for one in self._windows])

    @cached_property
    def _from_steps(self) -> Places:
        return np.array([FIRST if one.from_step is None else one.from_step for one in self._windows])

    @cached_property
    def _to_steps(self) -> Places:
        return np.array([ALL if one.to_step is None else one.to_step for one in self._windows])

    @cached_property
    def _drops(self) -> _Lengths:
        return _Lengths.of([one.drop_last for one in self._windows])

    @cached_property
    def _firsts(self) -> _Lengths:
        return _Lengths.of([one.take_first for one in self._windows])

    @cached_property
    def _lasts(self) -> _Lengths:
        return _Lengths.of([one.take_last for one in self._windows])


def _statistic(protocol: Protocol) -> str:
    if protocol.trim or protocol.trim_min:
        return TRIMMED
    return PERCENTILE if protocol.statistic in PERCENTILES else protocol.statistic


def _back(steps: Counts, stops: Places, lengths: _Lengths) -> Places:
    """Where the last records or steps before these places begin."""
    by_records: Places = np.maximum(0, stops - lengths.counts)
    if not lengths.of_steps.any():
        return by_records
    done = np.concatenate([[0], steps])[stops] - lengths.counts
    by_steps = np.searchsorted(steps, done, side="right")
    return np.where(lengths.of_steps & (stops > 0), by_steps, by_records)
