"""Case histories: the runs of one case as series of segments of one speed, and what changed between these."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from parsers.io.errors import LogError
from parsers.io.message import Message

from ...measure.number import percent, signed
from ..change_points import (
    FEWEST,
    ChangePoint,
    FoundChanges,
    Values,
    change_points,
    same_level,
)
from ..changes import ChangedCondition, stated_changes
from .environments import Environments
from .run_order import By, HistoryGap, group_of, ordered_runs
from .run_record import ENVIRONMENT, RunRecord

Kind = Literal["slower", "faster", "environment", "unknown"]
State = Literal["slower", "faster", "environment", "same", "unknown"]

NO_RUNS = "no run gives a throughput"
NEWEST_IS_GAP = "the newest run gives no throughput"
FEW_RUNS = "only {count} runs are measured alike; 6 are needed"
FEW_OF_ONE = "only 1 run is measured alike; 6 are needed"
SUSPECT_RUN = "the newest run takes {change} longer; one run confirms nothing"
SUSPECT_RUNS = "the newest {count} runs take {change} longer; fewer than 3 confirm nothing"
HIDDEN = "the noise between runs ({noise}) hides a change of {gate} in the newest runs"
OTHER_STEPS = "the runs before and after the change measure different steps ({before} and {after})"
STEPS = "{first} to {last}"
FEWEST_RUNS = 2 * FEWEST


@dataclass(frozen=True)
class HistorySegment:
    """Runs of one speed that follow each other; ``throughput``: their geometric mean, ``noise``: between them."""

    runs: tuple[RunRecord, ...]
    throughput: float
    noise: float | None

    @property
    def last(self) -> RunRecord:
        """The newest run."""
        return self.runs[-1]


@dataclass(frozen=True)
class SpeedChange:
    """What happened between two segments, or within one.

    ``at``: the place of the first run after it in its series. ``kind``: ``environment`` where machine or software
    changed there too, ``unknown`` where ``reason`` says so. ``change``: of the time per unit of work, as a fraction,
    None where the speed stayed. ``names``: what of the environment changed. ``changes``: what differs between the runs
    on both sides of it, as far as they can be read.
    """

    at: int
    kind: Kind
    change: float | None
    before: RunRecord
    after: RunRecord
    p: float | None = None
    names: tuple[str, ...] = ()
    changes: tuple[ChangedCondition, ...] = ()
    reason: Message | None = None


@dataclass(frozen=True)
class HistorySeries:
    """Runs of a case that are measured alike, in their order.

    ``steps``: the changes between its ``segments``. ``marks``: changes of
    the environment that left the speed as it was. ``suspect``: the newest runs, where they are too few to be a segment
    and at another speed: how many, and how much longer they take.
    """

    runs: tuple[RunRecord, ...]
    segments: tuple[HistorySegment, ...]
    steps: tuple[SpeedChange, ...]
    marks: tuple[SpeedChange, ...]
    noise: float
    suspect: tuple[int, float] | None = None

    @property
    def first(self) -> RunRecord:
        """The first run, which says how all are measured."""
        return self.runs[0]


@dataclass(frozen=True)
class CaseHistory:
    """A case: its ``series``, that of the newest run last, runs without a number, and how its speed is now.

    ``order``: all dates, commits or versions, each once. ``state``: of the newest segment against the one before it;
    ``reason``: why it is unknown.
    """

    title: str
    series: tuple[HistorySeries, ...]
    gaps: tuple[HistoryGap, ...]
    order: tuple[str, ...]
    state: State
    reason: Message | None = None


def case_history(title: str, records: Sequence[RunRecord], by: By, gate: float) -> CaseHistory:
    """Find the changes of one case, by what its records say.

    Raises ExtraError where ruptures, SciPy or packaging is not installed.
    """
    ordered = ordered_runs(records, by)
    alike: dict[object, list[RunRecord]] = {}
    for run in ordered.runs:
        alike.setdefault(run.meaning, []).append(run)
    places = {id(run): place for place, run in enumerate(ordered.runs)}
    each = sorted(alike.values(), key=lambda runs: places[id(runs[-1])])
    series = tuple(_series(runs, by, gate) for runs in each)
    state, reason = _state(series, ordered.newest, gate)
    return CaseHistory(title, series, ordered.gaps, ordered.order, state, reason)


def _series(runs: Sequence[RunRecord], by: By, gate: float) -> HistorySeries:
    logs = _log_times(runs)
    environments = Environments(runs, by)
    found = change_points(logs, gate, () if by == "date" else _groups(runs, by, environments))
    placed = _attributed(found, environments, len(runs))
    bounds = [0, *(point.at for point, _ in placed), len(runs)]
    segments = tuple(_segment(runs[start:stop], logs[start:stop]) for start, stop in pairwise(bounds))
    steps = tuple(_step(runs, point, names) for point, names in placed)
    marks = tuple(_marks(runs, environments, bounds))
    suspect = (len(runs) - found.suspect.at, float(np.expm1(found.suspect.change))) if found.suspect else None
    return HistorySeries(tuple(runs), segments, steps, marks, float(np.expm1(found.noise)), suspect)


def _groups(runs: Sequence[RunRecord], by: By, environments: Environments) -> list[tuple[str, int]]:
    """The commit or version of each run, and how often the environment had changed by then: either changes speeds."""
    turns = sorted(environments.changes(len(runs)))
    return [(group_of(run, by), bisect_right(turns, at)) for at, run in enumerate(runs)]


def _attributed(
    found: FoundChanges, environments: Environments, count: int
) -> list[tuple[ChangePoint, tuple[str, ...]]]:
    """The changes of speed, each moved to where the environment changed if it may as well have been there."""
    bounds = [0, *(point.at for point in found.points), count]
    placed = list[tuple[ChangePoint, tuple[str, ...]]]()
    for number, point in enumerate(found.points):
        start, stop = (placed[-1][0].at if placed else 0), bounds[number + 2]
        near = [at for at in point.places if start < at < stop]
        changed = {at: names for at in near if (names := environments.changed_at(at, start, stop))}
        at = min(changed, key=lambda place: abs(place - point.at), default=point.at)
        placed.append((replace(point, at=at), tuple(changed.get(at, ()))))
    return placed


def _segment(runs: Sequence[RunRecord], logs: Values) -> HistorySegment:
    noise = float(np.expm1(logs.std(ddof=1))) if len(logs) > 1 else None
    return HistorySegment(tuple(runs), float(np.exp(-logs.mean())), noise)


def _step(runs: Sequence[RunRecord], point: ChangePoint, names: tuple[str, ...]) -> SpeedChange:
    before, after = runs[point.at - 1], runs[point.at]
    change = float(np.expm1(point.change))
    kind: Kind = "environment" if names else "slower" if change > 0 else "faster"
    reason = None if names else _other_steps(before, after)
    differs = _differing(before, after)
    return SpeedChange(point.at, "unknown" if reason else kind, change, before, after, point.p, names, differs, reason)


def _other_steps(before: RunRecord, after: RunRecord) -> Message | None:
    """That the runs on both sides have no step in common, for schedules change the time of a step."""
    if before.first_step is None or before.last_step is None or after.first_step is None or after.last_step is None:
        return None
    if before.last_step >= after.first_step and after.last_step >= before.first_step:
        return None
    sides = [Message(STEPS, first=run.first_step, last=run.last_step) for run in (before, after)]
    return Message(OTHER_STEPS, before=sides[0], after=sides[1])


def _marks(runs: Sequence[RunRecord], environments: Environments, bounds: Sequence[int]) -> Iterator[SpeedChange]:
    for at, names in environments.changes(len(runs)).items():
        if at not in bounds:
            differs = [one for one in _differing(runs[at - 1], runs[at]) if ENVIRONMENT.fullmatch(one.name)]
            yield SpeedChange(at, "environment", None, runs[at - 1], runs[at], None, tuple(names), tuple(differs))


def _differing(before: RunRecord, after: RunRecord) -> tuple[ChangedCondition, ...]:
    """What differs between two runs; nothing where their run.json cannot be read any more."""
    try:
        return tuple(stated_changes([before.stated()], [after.stated()]))
    except LogError:
        return ()


def _state(series: Sequence[HistorySeries], newest: HistoryGap | None, gate: float) -> tuple[State, Message | None]:
    """How the speed of a case is now, and why that is unknown."""
    if not series:
        return "unknown", Message(NO_RUNS)
    last = series[-1].steps[-1] if series[-1].steps else None
    if reason := _doubt(series[-1], newest):
        return "unknown", reason
    if last and last.kind != "environment":
        return last.kind, last.reason
    if reason := _too_little(series[-1], gate):
        return "unknown", reason
    return ("environment" if last else "same"), None


def _doubt(series: HistorySeries, newest: HistoryGap | None) -> Message | None:
    """Why the newest runs do not count, whatever was before them."""
    if newest is not None:
        return Message(NEWEST_IS_GAP)
    if series.suspect is None or series.suspect[1] < 0:
        return None
    count, change = series.suspect[0], signed(series.suspect[1])
    return Message(SUSPECT_RUN, change=change) if count == 1 else Message(SUSPECT_RUNS, count=count, change=change)


def _too_little(series: HistorySeries, gate: float) -> Message | None:
    """Why a change of the newest runs would not be seen: these are too few, or too noisy."""
    if len(series.runs) < FEWEST_RUNS:
        count = len(series.runs)
        return Message(FEW_OF_ONE) if count == 1 else Message(FEW_RUNS, count=count)
    newest = series.segments[-1]
    logs = _log_times(newest.runs)
    if len(logs) >= FEWEST_RUNS and not same_level(logs, FEWEST, gate):
        return Message(HIDDEN, noise=percent(newest.noise or 0), gate=percent(gate))
    return None


def _log_times(runs: Sequence[RunRecord]) -> Values:
    return -np.log(np.array([run.throughput for run in runs], np.float64))
