"""The loss of two sides: whether the runs of B train as those of A do, where their logs print losses."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from ..results.agreement import LossAgreement, LossCurve, incomparable, loss_agreement, loss_curve, stated_by, unknown
from .case_pairs import Runs
from .changes import ChangedCondition
from .compared_runs import ComparedRun

NO_LOSS = "{log} prints no loss"
UNCOUNTED = "the steps of {log} cannot be counted"


def loss_of_sides(
    sides: tuple[Runs, Runs], changes: Sequence[ChangedCondition], tolerance: float | None
) -> LossAgreement | None:
    """Hold the losses of B against those of A; None where no log prints any and no ``tolerance`` asks for them.

    ``changes``: what differs between the sides. Raises ExtraError as ``loss_agreement`` does.
    """
    runs = [run for side in sides for run in side]
    curves = [_curve(run) for run in runs]
    if tolerance is None and all(curve is None for curve in curves):
        return None
    for run, curve in zip(runs, curves, strict=True):
        if not isinstance(curve, LossCurve):
            return unknown(curve or Message(NO_LOSS, log=run.found.log), tolerance)
    known = [curve for curve in curves if isinstance(curve, LossCurve)]
    agreement = loss_agreement(known[: len(sides[0])], known[len(sides[0]) :], tolerance)
    if agreement.verdict == "NaN":  # whatever the conditions are
        return agreement
    reason = incomparable(stated_by_sides(sides, changes))
    return agreement if reason is None else unknown(reason, tolerance)


def _curve(run: ComparedRun) -> LossCurve | Message | None:
    try:
        return loss_curve(run.found.log, run.reading, run.measurement.run)
    except NoMeasurement:
        return Message(UNCOUNTED, log=run.found.log)


def stated_by_sides(
    sides: tuple[Runs, Runs], changes: Sequence[ChangedCondition]
) -> dict[str, tuple[Sequence[str] | set[str], Sequence[str] | set[str]]]:
    """What the runs of each side state, by name: facts, and what differs otherwise."""
    a, b = (stated_by(fact for run in side for fact in run.reading.facts.values()) for side in sides)
    facts = {name: (a.get(name, set()), b.get(name, set())) for name in {**a, **b}}
    return {**{change.name: change.values for change in changes}, **facts}
