"""Comparing two sides, case by case: whether B is slower than A, and whether a gate lets it pass.

Speed is compared where a unit of work is shown to be the same on both sides and they train alike; otherwise the time to
a target is, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from parsers.io.errors import TachographError
from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from ..measure.number import signed
from ..measure.protocol import Protocol
from ..results.agreement import LossAgreement
from .conditions import Difference, conditions_of, differences, unrecorded
from .effect import GATE, Effect, Verdict, effect, variance_of_mean
from .metrics import LOSS, Better, MetricAgreement, better, curve_of, final_metric, losses
from .sides import Measured, Side, SideRun
from .target import Target, TimeToTarget, time_to_target, time_to_train
from .window import Alike, measured_alike, other_work

PASSED, FAILED, UNKNOWN = 0, 1, 3
NO_TOLERANCE = "The tolerance of {name} is {tolerance}; expected a share above 0 and below 1, such as 0.02 for 2%."
NO_SHARE = "{stated} is no share of the time; expected one such as 3% or 0.03, above 0 and below 100%."
ONLY_ON = "only {side} has this case"
ONE_LOG = "both sides hold the log {log}"
OTHER_MACHINE = "the sides ran on different machines ({names}), whose speeds differ by more than repeats on one machine"
OTHER_TRAINING = "the losses at equal work differ ({change}), so the sides do not train alike"
STATE_A_TARGET = "{reason}; state a target, such as val_loss=3.28"
NO_ORDER = "The logs do not say when the runs began, so drift was not checked."
EARLIER = "Earlier runs of this case, also used to estimate its noise: {count}."
ASIDE = "Run {log} is set aside: it is {distance} off the others of its side."
NOT_RECORDED = "{side} does not record: {names}; whether these differ is unknown."
OF_LOG = "{log}: {said}"
BY_MEDIANS = "By the median of the records, the change is {change}."
ARROW = "{a} → {b}"
SIDES = ("A", "B")
Runs = tuple[SideRun, ...]


class GateError(TachographError, ValueError):
    """A gate that is no share of a time, or a tolerance that is none of a metric."""


def share(stated: float | str) -> float:
    """A share of the time, ``0.03`` or ``"3%"``, as a fraction; raises GateError for anything else."""
    text = str(stated).strip()
    with suppress(ValueError):
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if 0 < found < 1:
            return found
    raise GateError(NO_SHARE, stated=repr(stated))


@dataclass(frozen=True)
class Question:
    """What is asked of each case.

    ``gate``: the smallest slowdown that matters, as a fraction. ``protocol``: the stated one. ``metrics``: by name how
    far those of B may be from those of A, as fractions, and which way is better. ``target``: what is to be reached.
    """

    gate: float = GATE
    protocol: Protocol | None = None
    metrics: Mapping[str, tuple[float, Better]] | None = None
    target: Target | None = None


@dataclass(frozen=True)
class CaseSide:
    """A case on one side: its runs in the order of their names with their throughputs, and which was set aside, if any.

    ``throughput``: the geometric mean of the runs that count, so that those of two sides give their change.
    """

    runs: Runs = ()
    measured: tuple[Measured, ...] = ()
    aside: int | None = None

    @property
    def counted(self) -> list[Measured]:
        """The throughputs that count."""
        return [one for at, one in enumerate(self.measured) if at != self.aside]

    @property
    def throughput(self) -> float:
        """Their geometric mean."""
        return float(np.exp(np.mean(np.log([one.value for one in self.counted]))))


@dataclass(frozen=True)
class ComparedCase:
    """One case on both sides.

    ``effect``: how much longer B takes for the same work, or to the target; None where the sides cannot be held against
    each other. ``reason``: why the verdict is unknown. ``alike``: what was measured, alike for all runs. ``changes``:
    what differs between the sides. ``notes``: a sentence each. ``lacks``: the side without the case. ``loss``: whether
    B trains as A does, None where no log prints a loss. ``metrics``: whether B reaches the final metrics of A.
    ``target``: how both get to a target, where their speeds are not compared.
    """

    title: str
    sides: tuple[CaseSide, CaseSide]
    effect: Effect | None = None
    reason: Message | None = None
    alike: Alike | None = None
    changes: tuple[Difference, ...] = ()
    notes: tuple[Message, ...] = ()
    lacks: str | None = None
    loss: LossAgreement | None = None
    metrics: tuple[MetricAgreement, ...] = ()
    target: TimeToTarget | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether B is slower than A."""
        return self.effect.verdict if self.effect and self.reason is None else "unknown"

    @property
    def is_wrong(self) -> bool:
        """Whether B trains worse than A, or does not reach what A does, however fast it is."""
        is_loss_wrong = self.loss is not None and self.loss.verdict in ("higher", "NaN")
        return is_loss_wrong or any(one.is_wrong for one in self.metrics)

    @property
    def is_unanswered(self) -> bool:
        """Whether a tolerance was stated for the loss or a metric, and nothing can be said of it."""
        is_loss_unanswered = self.loss is not None and self.loss.is_unanswered
        return is_loss_unanswered or any(one.verdict == "unknown" for one in self.metrics)


@dataclass(frozen=True)
class ComparedSides:
    """Side B held against side A.

    ``paths``: the two sides. ``gate``: the smallest slowdown that matters, as a fraction of the time. ``cases``: in the
    order of A, then what only B has. ``left_out``: for A, B and each folder of earlier runs, why logs do not count.
    """

    paths: tuple[Path, Path]
    gate: float
    cases: tuple[ComparedCase, ...]
    left_out: tuple[tuple[Message, ...], ...] = ((), ())

    @property
    def status(self) -> int:
        """What the gate says: 1 where a case is slower or wrong, else 3 where one is unknown or B lacks it, else 0.

        A case that only B has is new, and cannot be slower than before, unless logs of A were left out. Where nothing
        could be compared at all it is 3.
        """
        held = [case for case in self.cases if not self.is_new(case)]
        if any(case.verdict == "slower" or case.is_wrong for case in held):
            return FAILED
        are_known = all(case.verdict != "unknown" and not case.is_unanswered for case in held)
        return PASSED if held and are_known else UNKNOWN

    def is_new(self, case: ComparedCase) -> bool:
        """Whether only B has a case, and A is not merely without logs of it that count."""
        return case.lacks == SIDES[0] and not self.left_out[0]


def tolerances(metrics: Mapping[str, float | tuple[float, Better | None]]) -> dict[str, tuple[float, Better]]:
    """By name how far metrics may be off, and which way they are better; raises GateError and MetricError."""
    found: dict[str, tuple[float, Better]] = {}
    for name, told in metrics.items():
        tolerance, way = told if isinstance(told, tuple) else (told, None)
        if not 0 < tolerance < 1:
            raise GateError(NO_TOLERANCE, name=name, tolerance=tolerance)
        found[name] = tolerance, better(name, way)
    return found


def pairs(a: Side, b: Side) -> Iterator[tuple[str, tuple[Runs, Runs]]]:
    """The cases of two sides, paired by name in the order of A; what only one of them has comes last.

    Where each side has a single case, these are a pair: whoever compares two cases knows that they differ.
    """
    both = [name for name in a.cases if name in b.cases]
    if len(a.cases) == len(b.cases) == 1 and not both:
        (one,), (other,) = a.cases, b.cases
        yield ARROW.format(a=one, b=other), (a.cases[one], b.cases[other])
        return
    alone = [*(name for name in a.cases if name not in both), *(name for name in b.cases if name not in both)]
    yield from ((name, (a.cases.get(name, ()), b.cases.get(name, ()))) for name in (*both, *alone))


def compared_case(
    title: str, sides: tuple[Runs, Runs], question: Question, earlier: Sequence[Runs] = ()
) -> ComparedCase:
    """Compare one case; ``earlier``: groups of earlier repeats of it, maybe empty, which only say how much runs vary.

    Raises ExtraError where SciPy is not installed, and LogError where a log cannot be read any more.
    """
    if not all(sides):
        lacks = SIDES[1 if sides[0] else 0]
        reason = Message(ONLY_ON, side=SIDES[0 if sides[0] else 1])
        return ComparedCase(title, (CaseSide(), CaseSide()), reason=reason, lacks=lacks)
    stated = [[conditions_of(run) for run in side] for side in sides]
    changes = differences(*stated)
    metrics = dict(question.metrics or {})
    tolerance, _ = metrics.pop(LOSS, (None, None))
    notes = [
        Message(NOT_RECORDED, side=name, names=", ".join(lacking))
        for name, lacking in zip(SIDES, unrecorded(*stated), strict=True)
        if lacking
    ]
    plain = ComparedCase(
        title,
        (CaseSide(sides[0]), CaseSide(sides[1])),
        changes=tuple(changes),
        notes=tuple(notes),
        loss=losses(sides, changes, tolerance),
        metrics=tuple(final_metric(name, sides, *told, changes) for name, told in metrics.items()),
    )
    return _judged(plain, question, earlier)


def _judged(plain: ComparedCase, question: Question, earlier: Sequence[Runs]) -> ComparedCase:
    """The case by its speed where that can be compared, else by the time to a target."""
    sides = plain.sides[0].runs, plain.sides[1].runs
    known = {run.sha256 for side in sides for run in side}  # no run tells the noise twice
    before = [tuple(run for run in group if run.sha256 not in known) for group in earlier]
    try:
        alike = measured_alike([run for group in (*sides, *before) for run in group], question.protocol)
    except NoMeasurement as error:
        found = replace(plain, reason=error.message)
    else:
        found = _by_speed(plain, question.gate, alike, before)
    machines = [change.name for change in plain.changes if change.is_of_machine]
    if machines:
        return replace(found, reason=Message(OTHER_MACHINE, names=", ".join(machines)))
    a, b = ({run.sha256: run for run in side} for side in sides)
    if a.keys() == b.keys():
        return replace(found, reason=None, effect=replace(found.effect, verdict="same") if found.effect else None)
    if both := a.keys() & b.keys():
        return replace(found, reason=Message(ONE_LOG, log=a[min(both)].place.path))
    unlike = found.reason if found.alike is None else _unlike(found, found.alike.unit)
    if question.target is None and unlike is None:
        return found
    return _by_target(replace(found, reason=unlike or found.reason), question)


def _by_speed(plain: ComparedCase, gate: float, alike: Alike, earlier: Sequence[Runs]) -> ComparedCase:
    rest = iter(alike.measured)
    runs = [side.runs for side in plain.sides]
    groups = [[next(rest) for _ in group] for group in (*runs, *earlier)]
    times = [[1 / one.value for one in group] for group in groups]
    order = _order(runs)
    each = [one.rates for group in groups[:2] for one in group]
    variance = float(np.mean([variance_of_mean(1 / rates) if (rates > 0).all() else 0.0 for rates in each]))
    found = effect((times[0], times[1]), gate=gate, earlier=times[2:], order=order, variance=variance)
    asides = [found.aside[1] if found.aside and found.aside[0] == side else None for side in (0, 1)]
    a, b = (CaseSide(*told) for told in zip(runs, map(tuple, groups[:2]), asides, strict=True))
    notes = [*alike.notes, *_notes((a, b)), *plain.notes]
    if earlier:
        notes.append(Message(EARLIER, count=sum(map(len, earlier))))
    if order is None and found.noise is not None:
        notes.append(Message(NO_ORDER))
    return replace(plain, sides=(a, b), effect=found, reason=found.reason, alike=alike, notes=tuple(notes))


def _order(sides: Sequence[Runs]) -> tuple[list[float], list[float]] | None:
    """The places of the runs of each side in the order of their starts; None where one does not say when it began."""
    starts = [run.began for side in sides for run in side]
    known = [start for start in starts if start is not None]
    if len(known) < len(starts):
        return None
    ranks = np.argsort(np.argsort(np.array(known), kind="stable"), kind="stable").astype(float).tolist()
    return ranks[: len(sides[0])], ranks[len(sides[0]) :]


def _unlike(found: ComparedCase, unit: str) -> Message | None:
    """Why no verdict on speed is right: a unit of work is not shown to be the same, or it does not do the same."""
    if reason := other_work((found.sides[0].runs, found.sides[1].runs), unit):
        return reason
    loss = found.loss
    if loss is not None and loss.verdict in ("higher", "lower") and loss.change is not None:
        return Message(OTHER_TRAINING, change=signed(loss.change))
    return None


def _by_target(found: ComparedCase, question: Question) -> ComparedCase:
    """The case by the time to the stated target, or to that of MLPerf's logs, or to the loss that A ends with."""
    sides = found.sides[0].runs, found.sides[1].runs
    try:
        target = question.target or _loss_of_a(found)
        told = time_to_target(sides, target, question.gate) if target else time_to_train(sides, question.gate)
    except NoMeasurement as error:
        return replace(found, reason=error.message)
    if told is None:
        return replace(found, reason=Message(STATE_A_TARGET, reason=found.reason) if found.reason else None)
    return replace(found, effect=told.effect, reason=told.reason, target=told)


def _loss_of_a(found: ComparedCase) -> Target | None:
    """The loss that all runs of A reach, where the losses of B are others at equal work."""
    if found.loss is None or found.loss.verdict not in ("higher", "lower"):
        return None
    last = [float(curve_of(run, LOSS).values[-1]) for run in found.sides[0].runs]
    return Target(LOSS, max(last), "lower")


def _notes(sides: tuple[CaseSide, CaseSide]) -> Iterator[Message]:
    """What a reader must know of the numbers."""
    for side in sides:
        if side.aside is not None:
            distance = signed(side.throughput / side.measured[side.aside].value - 1)
            yield Message(ASIDE, log=side.runs[side.aside].place.log, distance=distance)
    medians = [[float(np.median(one.rates)) for one in side.counted if len(one.rates) > 1] for side in sides]
    if all(len(of) == len(side.counted) and min(of) > 0 for of, side in zip(medians, sides, strict=True)):
        a, b = (float(np.mean(np.log(of))) for of in medians)
        yield Message(BY_MEDIANS, change=signed(float(np.expm1(a - b))))
    # What several logs warn of, but for the values in it, is told of the first.
    told: dict[str, Message] = {}
    for run in (run for side in sides for run in side.runs):
        found = run.measurement
        of_number = (*found.diagnostics, *filter(None, [found.contradiction])) if found else ()
        for said in (*(run.reading.warnings if run.reading else ()), *(one.message for one in of_number)):
            told.setdefault(said.key, Message(OF_LOG, log=run.place.path, said=said))
    yield from told.values()
