"""Compared cases: each case of two sides measured alike, judged, and held against what differs beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from parsers.grammar.field import Scope
from parsers.io.message import Message
from parsers.series import Floats

from ..measure.diagnostics import NoMeasurement
from ..measure.measurement import Measurement
from ..measure.number import signed
from ..measure.protocol import Protocol
from ..results.agreement import LossAgreement, MetricAgreement
from ..results.environment import began
from .card_clocks import card_medians, clock_changes
from .case_pairs import CasePair, Runs
from .changes import ChangedCondition, changes, of_machine, unrecorded
from .common_window import Alike, measured_alike
from .compared_runs import ComparedRun
from .effect import Effect, Verdict, effect, variance_of_mean
from .loss_of_sides import loss_of_sides
from .metrics_of_sides import metrics_of_sides

ONLY_ON = "only {side} has this case"
ONE_LOG = "both sides hold the log {log}"
OTHER_MACHINE = "the sides ran on different machines ({names}), whose speeds differ by more than repeats on one machine"
OTHER_BATCH = "the speed is in steps, and the batch sizes differ"
NO_ORDER = "The logs do not say when the runs began, so drift was not checked."
EARLIER = "Earlier runs of this case, also used to estimate its noise: {count}."
ASIDE = "Run {log} is set aside: it is {distance} off the others of its side."
NOT_RECORDED = "{side} does not record: {names}; whether these differ is unknown."
OF_LOG = "{log}: {said}"
BY_MEDIANS = "By the median of the records, the change is {change}."
SIDES = ("A", "B")
# What says how large a step is.
OF_STEP = ("batch_size", "job_batch_size", "job_batch_tokens", "micro_batch_size", "sequence_length")


@dataclass(frozen=True)
class MeasuredRun:
    """One run of a case: its log, its throughput in the unit of the case, and the first and last line it is made of.

    ``median``: the same by the median of its records; None of a clock or a summary.
    """

    log: Path
    throughput: float
    lines: tuple[int, int]
    median: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class CaseSide:
    """A case on one side: its runs in the order of their names, and the one that was set aside, if any.

    ``throughput``: the geometric mean of the runs that count, so that those of two sides give their change.
    """

    runs: tuple[MeasuredRun, ...]
    aside: MeasuredRun | None = None

    @property
    def throughput(self) -> float:
        """The geometric mean of the runs that count."""
        return float(np.exp(np.mean(np.log([run.throughput for run in self.counted]))))

    @property
    def counted(self) -> tuple[MeasuredRun, ...]:
        """The runs that count."""
        return tuple(run for run in self.runs if run is not self.aside)


@dataclass(frozen=True)
class ComparedCase:
    """One case on both sides.

    ``effect``: how much longer B takes, None where the sides cannot be held against each other; ``reason`` then says
    why, as it does where the verdict is unknown. ``protocol``, ``unit``, ``scope``, ``steps``: what was measured, alike
    for all runs. ``changes``: what differs between the sides. ``notes``: a sentence each. ``loss``: whether B trains as
    A does, None where no log prints a loss. ``metrics``: whether B reaches the final metrics of A, where a tolerance of
    them is stated.
    """

    title: str
    sides: tuple[CaseSide, CaseSide]
    effect: Effect | None = None
    reason: Message | None = None
    protocol: Protocol | None = None
    unit: str = ""
    scope: Scope | None = None
    steps: tuple[int, int] | None = None
    changes: tuple[ChangedCondition, ...] = ()
    notes: tuple[Message, ...] = ()
    lacks: str | None = None
    loss: LossAgreement | None = None
    metrics: tuple[MetricAgreement, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether B is slower than A."""
        return self.effect.verdict if self.effect and self.reason is None else "unknown"

    @property
    def is_wrong(self) -> bool:
        """Whether B does not train as A does, or not reach what A does, however fast it is."""
        return bool(self.loss and self.loss.is_wrong) or any(one.is_wrong for one in self.metrics)

    @property
    def is_unanswered(self) -> bool:
        """Whether a tolerance was stated for the loss or a metric, and nothing can be said of it."""
        return bool(self.loss and self.loss.is_unanswered) or any(one.verdict == "unknown" for one in self.metrics)


def compared_case(
    pair: CasePair,
    gate: float,
    stated: Protocol | None,
    earlier: Sequence[Runs] = (),
    loss_tolerance: float | None = None,
    metrics: Mapping[str, float] = MappingProxyType({}),
) -> ComparedCase:
    """Compare one case; ``earlier``: groups of earlier repeats of it, maybe empty, which only say how much runs vary.

    ``gate``, ``stated``, ``loss_tolerance`` and ``metrics`` as for ``compare``. Raises ExtraError where SciPy is not
    installed, and LogError where a side file of a run is broken.
    """
    if not pair.is_whole:
        side = SIDES[0 if pair.sides[0] else 1]
        return _unmeasured(pair, Message(ONLY_ON, side=side), lacks=SIDES[1 if pair.sides[0] else 0])
    found = tuple(changes(*pair.sides))
    loss = loss_of_sides(pair.sides, found, loss_tolerance)
    reached = metrics_of_sides(pair.sides, found, metrics)
    groups_before = [_without(group, pair.sides) for group in earlier]
    runs = [run for group in (*pair.sides, *groups_before) for run in group]
    try:
        alike = measured_alike(runs, stated)
    except NoMeasurement as error:
        return replace(_unmeasured(pair, error.message, found), loss=loss, metrics=reached)
    groups = _groups(alike.measurements, [*pair.sides, *groups_before])
    return replace(_judged(pair, gate, alike, groups, found), loss=loss, metrics=reached)


def _without(group: Runs, sides: tuple[Runs, Runs]) -> Runs:
    """The runs of a group that are on neither side: no run tells the noise twice."""
    known = {run.reading.sha256 for side in sides for run in side}
    return tuple(run for run in group if run.reading.sha256 not in known)


def _unmeasured(
    pair: CasePair, reason: Message, found: tuple[ChangedCondition, ...] = (), lacks: str | None = None
) -> ComparedCase:
    return ComparedCase(pair.title, (CaseSide(()), CaseSide(())), reason=reason, changes=found, lacks=lacks)


def _groups(measured: Sequence[Measurement], runs: Sequence[Runs]) -> list[list[Measurement]]:
    """The measurements of all runs, by the groups of these."""
    rest = iter(measured)
    return [[next(rest) for _ in group] for group in runs]


def _judged(
    pair: CasePair, gate: float, alike: Alike, groups: list[list[Measurement]], found: tuple[ChangedCondition, ...]
) -> ComparedCase:
    times = [[1 / one.value for one in group] for group in groups]
    order = _order(pair.sides)
    variance = float(np.mean([_variance(one) for group in groups[:2] for one in group]))
    judged = effect((times[0], times[1]), gate=gate, earlier=times[2:], order=order, variance=variance)
    asides = [judged.aside.run if judged.aside and judged.aside.side == side else None for side in (0, 1)]
    sides = _side(pair.sides[0], groups[0], asides[0]), _side(pair.sides[1], groups[1], asides[1])
    one = groups[0][0]
    return ComparedCase(
        pair.title,
        sides,
        judged,
        _incomparable(pair, alike, found) or judged.reason,
        alike.protocol,
        one.unit,
        one.scope,
        alike.steps,
        (*found, *_clocks(pair.sides, groups)),
        tuple(_notes(pair, alike, judged, sides, groups, order is None)),
    )


def _side(runs: Runs, measured: Sequence[Measurement], aside: int | None) -> CaseSide:
    """One side; ``aside``: the place of the run that was set aside."""
    found = tuple(_measured(run, one) for run, one in zip(runs, measured, strict=True))
    return CaseSide(found, None if aside is None else found[aside])


def _measured(run: ComparedRun, one: Measurement) -> MeasuredRun:
    rates = _rates_of_records(one)
    middle = float(np.median(rates)) if len(rates) > 1 else None
    return MeasuredRun(run.found.log, one.value, one.ends, middle)


def _variance(one: Measurement) -> float:
    rates = _rates_of_records(one)
    return variance_of_mean(1 / rates) if (rates > 0).all() else 0.0


def _rates_of_records(one: Measurement) -> Floats:
    """The throughput that each record gives by itself; none of a clock, which reads two of them."""
    return one.calculation.rates if one.calculation else np.zeros(0)


def _order(sides: tuple[Runs, Runs]) -> tuple[list[float], list[float]] | None:
    """The places of the runs of each side in the order of their starts; None where one does not say when it began."""
    starts = [begin_of_run(run) for side in sides for run in side]
    known = [start for start in starts if start is not None]
    if len(known) < len(starts):
        return None
    ranks = np.argsort(np.argsort(np.array(known), kind="stable"), kind="stable").astype(float).tolist()
    return ranks[: len(sides[0])], ranks[len(sides[0]) :]


def begin_of_run(run: ComparedRun) -> np.datetime64 | None:
    """When a run began, as ``began`` says it."""
    return began(run.run, run.reading.parts[0].of_run(run.measurement.run).table)


def _incomparable(pair: CasePair, alike: Alike, found: Sequence[ChangedCondition]) -> Message | None:
    """Why no verdict is right, however small the noise."""
    logs = [{run.reading.sha256: run for run in side} for side in pair.sides]
    if both := logs[0].keys() & logs[1].keys():
        return Message(ONE_LOG, log=logs[0][min(both)].found.path)
    if machine := of_machine(found):
        return Message(OTHER_MACHINE, names=", ".join(change.name for change in machine))
    if alike.protocol.is_in_steps and any(change.name in OF_STEP for change in found):
        return Message(OTHER_BATCH)
    return None


def _clocks(sides: tuple[Runs, Runs], groups: Sequence[Sequence[Measurement]]) -> list[ChangedCondition]:
    measured = (zip(runs, group, strict=True) for runs, group in zip(sides, groups, strict=False))
    return clock_changes([[(run, card_medians(run, one)) for run, one in side] for side in measured])


def _notes(
    pair: CasePair,
    alike: Alike,
    judged: Effect,
    sides: tuple[CaseSide, CaseSide],
    groups: Sequence[Sequence[Measurement]],
    is_unordered: bool,
) -> Iterator[Message]:
    """What a reader must know of the numbers."""
    yield from alike.notes
    for side in sides:
        if side.aside is not None:
            distance = signed(side.throughput / side.aside.throughput - 1)
            yield Message(ASIDE, log=side.aside.log, distance=distance)
    if (by_medians := _by_medians(sides)) is not None:
        yield Message(BY_MEDIANS, change=signed(by_medians))
    if len(groups) > len(SIDES):
        yield Message(EARLIER, count=sum(map(len, groups[2:])))
    if is_unordered and judged.noise is not None:
        yield Message(NO_ORDER)
    for name, lacking in zip(SIDES, unrecorded(*pair.sides), strict=True):
        if lacking:
            yield Message(NOT_RECORDED, side=name, names=", ".join(lacking))
    yield from _warnings([run for side in pair.sides for run in side], [one for group in groups[:2] for one in group])


def _warnings(runs: Sequence[ComparedRun], measured: Sequence[Measurement]) -> Iterator[Message]:
    """The warnings of all runs and their numbers; what several say, but for the values in it, is told of the first."""
    told: dict[str, Message] = {}
    for run, one in zip(runs, measured, strict=True):
        of_number = (*one.diagnostics, *([one.contradiction] if one.contradiction else []))
        for said in (*run.reading.warnings, *(diagnostic.message for diagnostic in of_number)):
            told.setdefault(said.key, Message(OF_LOG, log=run.found.path, said=said))
    yield from told.values()


def _by_medians(sides: tuple[CaseSide, CaseSide]) -> float | None:
    """The change of the time by the medians of the records."""
    a, b = ([run.median for run in side.counted] for side in sides)
    if any(not one for one in (*a, *b)):
        return None
    logs = [float(np.mean(np.log([one for one in side if one]))) for side in (a, b)]
    return float(np.expm1(logs[0] - logs[1]))
