"""Comparing two sides, case by case: whether B is slower than A, and whether a gate lets it pass.

Speed is compared where a unit of work is shown to be the same on both sides and they train alike; otherwise the time to
a target is, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from parsers.io.errors import TachographError
from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from ..measure.number import signed
from ..measure.protocol import Protocol
from ..results.agreement import LossAgreement, MetricAgreement
from .conditions import Difference, differences, unrecorded
from .effect import Effect, Verdict, effect
from .metrics import LOSS, Better, better, curve_of, final_metric, losses
from .sides import ReadRun, Side
from .target import SIDES, Target, TimeToTarget, time_to_target, time_to_train
from .window import Notes, measured_alike, other_work

NO_SHARE = "{stated} is no share; expected one such as 3% or 0.03, above 0 and below 100%."
ONLY_ON = "only {side} has this case"
ONE_LOG = "both sides hold the log {log}"
OTHER_MACHINE = "the sides ran on different machines ({names}), whose speeds differ by more than repeats on one machine"
OTHER_TRAINING = "the losses at equal work differ ({change}), so the sides do not train alike"
STATE_A_TARGET = "{reason}; state a target, such as val_loss=3.28"
NO_ORDER = "The logs do not say when the runs began, so drift was not checked."
ASIDE = "Run {log} is set aside: it is {distance} off the others of its side."
NOT_RECORDED = "{side} does not record: {names}; whether these differ is unknown."
OF_LOG = "{log}: {said}"
ARROW = "{a} → {b}"
Runs = tuple[ReadRun, ...]


class GateError(TachographError, ValueError):
    """A gate that is no share of a time, or a tolerance that is none of a metric."""


def share(stated: float | str) -> float:
    """A share, ``0.03`` or ``"3%"``, as a fraction; raises GateError for anything else."""
    text = str(stated).strip()
    with suppress(ValueError):
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if 0 < found < 1:
            return found
    raise GateError(NO_SHARE, stated=repr(stated))


def tolerances(metrics: Mapping[str, float | str]) -> dict[str, tuple[float, Better]]:
    """By name how far metrics may be off (``"0.5%,lower"``), and which way is better; raises Gate- and MetricError."""
    found: dict[str, tuple[float, Better]] = {}
    for name, told in metrics.items():
        tolerance, _, way = str(told).partition(",")
        found[name] = share(tolerance), better(name, way)
    return found


@dataclass(frozen=True)
class ComparedCase:
    """One case on both sides.

    ``sides``: its runs in the order of their names, with what each gives by one rule.
    ``effect``: how much longer B takes for the same work, or to the target; None where the sides cannot be held against
    each other. ``reason``: why the verdict is unknown. ``changes``: what differs between the sides. ``notes``: a
    sentence each. ``loss``: whether B trains as A does, None where no log prints a loss. ``metrics``: whether B reaches
    the final metrics of A. ``target``: how both get to a target, where their speeds are not compared.
    """

    title: str
    sides: tuple[Runs, Runs]
    effect: Effect | None = None
    reason: Message | None = None
    changes: tuple[Difference, ...] = ()
    notes: tuple[Message, ...] = ()
    loss: LossAgreement | None = None
    metrics: tuple[MetricAgreement, ...] = ()
    target: TimeToTarget | None = None

    @property
    def counted(self) -> tuple[Runs, Runs]:
        """The runs of each side but the one that was set aside."""
        aside = self.effect.aside if self.effect else None
        a, b = (
            tuple(run for at, run in enumerate(runs) if (side, at) != aside) for side, runs in enumerate(self.sides)
        )
        return a, b

    @property
    def throughputs(self) -> tuple[float, float]:
        """The geometric mean of the runs of each side that count, so that those of two sides give their change."""
        a, b = (float(np.exp(np.mean(np.log([run.number.value for run in runs])))) for runs in self.counted)
        return a, b

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
    title: str,
    sides: tuple[Runs, Runs],
    *,
    gate: float,
    protocol: Protocol | None,
    metrics: Mapping[str, tuple[float, Better]],
    target: Target | None,
) -> ComparedCase:
    """Compare one case; the rest as for ``comparison.compare``.

    Raises ExtraError where SciPy is not installed, and LogError where a log cannot be read any more.
    """
    if not all(sides):
        return ComparedCase(title, sides, reason=Message(ONLY_ON, side="A" if sides[0] else "B"))
    stated = [[run.conditions for run in side] for side in sides]
    changes = differences(*stated)
    tolerance, _ = metrics.get(LOSS, (None, None))
    plain = ComparedCase(
        title,
        sides,
        changes=tuple(changes),
        notes=tuple(
            Message(NOT_RECORDED, side=name, names=", ".join(lacking))
            for name, lacking in zip(SIDES, unrecorded(*stated), strict=True)
            if lacking
        ),
        loss=losses(sides, changes, tolerance),
        metrics=tuple(final_metric(name, sides, *of, changes) for name, of in metrics.items() if name != LOSS),
    )
    try:
        found = _by_speed(plain, gate, *measured_alike([run for side in sides for run in side], protocol))
    except NoMeasurement as error:
        found = replace(plain, reason=error.message)
    if machines := [change.name for change in changes if change.is_of_machine]:
        return replace(found, reason=Message(OTHER_MACHINE, names=", ".join(machines)))
    a, b = ({run.sha256: run for run in side} for side in sides)
    if a.keys() == b.keys():
        return replace(found, reason=None, effect=replace(found.effect, verdict="same") if found.effect else None)
    if both := a.keys() & b.keys():
        return replace(found, reason=Message(ONE_LOG, log=a[min(both)].log))
    unlike = _unlike(found) if found.effect else found.reason
    if target is None and unlike is None:
        return found
    return _by_target(replace(found, reason=unlike or found.reason), target, gate)


def _by_speed(plain: ComparedCase, gate: float, runs: Runs, of_window: Notes) -> ComparedCase:
    a, b = runs[: len(plain.sides[0])], runs[len(plain.sides[0]) :]
    order, variance = _order((a, b)), float(np.mean([run.number.variance for run in runs]))
    times = [1 / run.number.value for run in a], [1 / run.number.value for run in b]
    found = effect(times, gate=gate, order=order, variance=variance)
    told = replace(plain, sides=(a, b), effect=found, reason=found.reason)
    notes = [*of_window, *_notes(told), *plain.notes]
    if order is None and found.noise is not None:
        notes.append(Message(NO_ORDER))
    return replace(told, notes=tuple(notes))


def _order(sides: Sequence[Runs]) -> tuple[list[float], list[float]] | None:
    """The places of the runs of each side in the order of their starts; None where one does not say when it began."""
    starts = [run.began for side in sides for run in side]
    known = [start for start in starts if start is not None]
    if len(known) < len(starts):
        return None
    ranks = np.argsort(np.argsort(np.array(known), kind="stable"), kind="stable").astype(float).tolist()
    return ranks[: len(sides[0])], ranks[len(sides[0]) :]


def _unlike(found: ComparedCase) -> Message | None:
    """Why no verdict on speed is right: a unit of work is not shown to be the same, or it does not do the same."""
    if reason := other_work(found.sides, found.sides[0][0].number.unit):
        return reason
    loss = found.loss
    if loss is not None and loss.verdict in ("higher", "lower") and loss.change is not None:
        return Message(OTHER_TRAINING, change=signed(loss.change))
    return None


def _by_target(found: ComparedCase, stated: Target | None, gate: float) -> ComparedCase:
    """The case by the time to the stated target, or to that of MLPerf's logs, or to the loss that A ends with."""
    try:
        target = stated or _loss_of_a(found)
        told = time_to_target(found.sides, target, gate) if target else time_to_train(found.sides, gate)
    except NoMeasurement as error:
        return replace(found, reason=error.message)
    if told is None:
        return replace(found, reason=Message(STATE_A_TARGET, reason=found.reason) if found.reason else None)
    return replace(found, effect=told.effect, reason=told.reason, target=told)


def _loss_of_a(found: ComparedCase) -> Target | None:
    """The loss that all runs of A reach, where the losses of B are others at equal work."""
    if found.loss is None or found.loss.verdict not in ("higher", "lower"):
        return None
    return Target(LOSS, max(float(curve_of(run, LOSS).values[-1]) for run in found.sides[0]), "lower")


def _notes(case: ComparedCase) -> Iterator[Message]:
    """What a reader must know of the numbers."""
    if case.effect and case.effect.aside is not None:
        side, at = case.effect.aside
        run = case.sides[side][at]
        distance = signed(case.throughputs[side] / run.number.value - 1)
        yield Message(ASIDE, log=run.log, distance=distance)
    # What several logs warn of, but for the values in it, is told of the first.
    told: dict[str, Message] = {}
    for run in (run for side in case.sides for run in side):
        of_number = (*run.measurement.diagnostics, *filter(None, [run.measurement.contradiction]))
        for said in (*run.reading.warnings, *(one.message for one in of_number)):
            told.setdefault(said.key, Message(OF_LOG, log=run.log, said=said))
    yield from told.values()
