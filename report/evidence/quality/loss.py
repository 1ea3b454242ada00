"""Losses: what a run prints of training, and whether runs train as their reference does, at the same steps.

With a stated tolerance the mean loss of each tenth of the shared steps must lie within it. Without one the noise
between repeats decides, over the last tenth: there a difference counts that the t test finds at 99%, of 1% at least,
for other kernels and other orders of sums change a loss, too. What forbids a comparison makes the answer unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parsers.io.message import Message
from parsers.runs.reading import Reading

from ...measure.diagnostics import Code, NoMeasurement, say
from ...measure.measure import run_of
from ...measure.protocol import Protocol
from ...measure.records import Records, losses_of
from ...measure.statistic import students_t

LossVerdict = Literal["same", "higher", "lower", "NaN", "unknown"]
Values = NDArray[np.float64]
LEVEL = 0.99
LEAST = 0.01  # of the loss
TENTHS = 10
MOST_NOISE = 0.05  # of the loss: an interval that is wider answers nothing
MOSTLY = 0.9  # of what each run prints are shared steps
ROUNDING = 1e-9
NOT_A_NUMBER = "{log} prints a loss that is NaN or infinite, first at line {line}, and the reference does not"
REFERENCE_ENDS_SO = "the last loss of {log} is NaN or infinite"
NOTHING_SHARED = "the runs print no loss at a step that all of them have"
OTHER_STEPS = "the runs print their losses at different steps"
OTHER_KINDS = "some runs print the loss of steps, others that of epochs"
NOT_ABOVE_ZERO = "the loss is not above 0, so a share of it says nothing"
ONE_RUN = "a side has only one run, so the noise between runs is unknown; repeat the runs, or state a tolerance"
NOISE = "the noise between repeats hides differences of up to {width}"


@dataclass(frozen=True)
class LossCurve:
    """The losses of one run.

    ``steps``: the steps done, or the numbers of the epochs, when each was printed (int64, ascending). ``losses``: the
    finite ones (float64). ``not_number``: the first line that prints one that is NaN or infinite, None where there is
    none. ``ends_so``: whether the last one is.
    """

    log: Path
    kind: Literal["step", "epoch"]
    steps: NDArray[np.int64]
    losses: NDArray[np.float64]
    not_number: int | None = None
    ends_so: bool = False


def loss_curve(log: Path, reading: Reading, run: int | Literal["last"] | None) -> LossCurve | None:
    """The losses that a log prints, None where it prints none.

    ``run``: which of several runs in it. Raises NoMeasurement where its steps cannot be counted, or nobody says which
    of several runs is meant.
    """
    if (found := losses_of(run_of(reading, Protocol(run=run)), ("step", "epoch"))) is None:
        return None
    part, losses = found
    kind: Literal["step", "epoch"] = "step" if losses.kind == "step" else "epoch"
    every = part.all_records(kind)
    told = next(one.not_numbers for one in reading.parts if one.fields is part.fields)
    within = told[(told >= every.lines[0]) & (told <= every.lines[-1])]
    lines = np.unique(np.concatenate([within, every.lines[np.isinf(every.numbers("loss"))]]))
    ends_so = len(lines) > 0 and not (losses.lines > lines[-1]).any()
    first = int(lines[0]) if len(lines) else None
    return LossCurve(log, kind, _numbers(kind, losses), losses.numbers("loss"), first, ends_so)


def _numbers(kind: str, losses: Records) -> NDArray[np.int64]:
    """The steps done, or the numbers of the epochs; several losses of one epoch stand at no known places in it."""
    if kind == "step":
        done = losses.steps
    else:
        done = losses.numbers("epoch")
        done = done if np.isfinite(done).all() else np.arange(1.0, len(losses) + 1)
    if done is None or (kind == "epoch" and (np.diff(done) <= 0).any()):
        raise NoMeasurement(say(Code.NO_STEPS, kind=kind, protocol="loss"))
    return done.astype(np.int64)


@dataclass(frozen=True)
class LossAgreement:
    """Whether the losses of some runs are those of their reference.

    ``change``: by how much they are higher, as a fraction: over ``steps``, the last tenth of the shared ones, or with
    a ``tolerance`` the tenth where they differ most. ``interval``: of the change at 99%, where no tolerance is stated.
    ``kind``: what is counted in ``steps``. ``reason``: why it is unknown, or which log prints what is not a number.
    """

    verdict: LossVerdict
    tolerance: float | None = None
    change: float | None = None
    interval: tuple[float, float] | None = None
    steps: tuple[int, int] | None = None
    reason: Message | None = None
    kind: Literal["step", "epoch"] = "step"

    @property
    def is_wrong(self) -> bool:
        """Whether the runs do not train as their reference; lower losses count where a tolerance is stated."""
        is_off = self.verdict == "lower" and self.tolerance is not None
        return self.verdict in ("higher", "NaN") or is_off

    @property
    def is_unanswered(self) -> bool:
        """Whether a tolerance was stated and nothing can be said."""
        return self.verdict == "unknown" and self.tolerance is not None


def unknown(reason: Message, tolerance: float | None = None) -> LossAgreement:
    """That nothing can be said, and why."""
    return LossAgreement("unknown", tolerance, reason=reason)


def loss_agreement(
    reference: Sequence[LossCurve], judged: Sequence[LossCurve], tolerance: float | None = None
) -> LossAgreement:
    """Hold the losses of some runs against those of a reference, at least one run each.

    ``tolerance``: a fraction of the loss; without one the noise between repeats decides. Raises ExtraError where that
    needs SciPy and it is not installed.
    """
    if broken := _of_numbers(reference, judged, tolerance):
        return broken
    curves = [*reference, *judged]
    if len({curve.kind for curve in curves}) > 1:
        return unknown(Message(OTHER_KINDS), tolerance)
    shared = reduce(np.intersect1d, [curve.steps for curve in curves])
    if not len(shared):
        return unknown(Message(NOTHING_SHARED), tolerance)
    if any(_printed_between(curve, shared) * MOSTLY > len(shared) for curve in curves):
        return unknown(Message(OTHER_STEPS), tolerance)
    sides = _at(reference, shared), _at(judged, shared)
    with np.errstate(all="ignore"):
        found = _by_noise(sides, shared) if tolerance is None else _within(sides, shared, tolerance)
    return replace(found, kind=curves[0].kind)


def _of_numbers(
    reference: Sequence[LossCurve], judged: Sequence[LossCurve], tolerance: float | None
) -> LossAgreement | None:
    """What losses that are no numbers say; None where they say nothing, or both sides print some and end well."""
    broken = next((curve for curve in judged if curve.not_number is not None), None)
    ends = next((curve for curve in judged if curve.ends_so), None)
    if not any(curve.not_number is not None for curve in reference):
        ends = ends or broken
    of_reference = next((curve for curve in reference if curve.ends_so), None)
    if of_reference is not None:
        return unknown(Message(REFERENCE_ENDS_SO, log=of_reference.log), tolerance)
    if ends is not None:
        told = Message(NOT_A_NUMBER, log=ends.log, line=ends.not_number)
        return LossAgreement("NaN", tolerance, reason=told)
    return None


def _printed_between(curve: LossCurve, shared: NDArray[np.int64]) -> int:
    return int(np.count_nonzero((curve.steps >= shared[0]) & (curve.steps <= shared[-1])))


def _at(curves: Sequence[LossCurve], shared: NDArray[np.int64]) -> Values:
    """The losses at the shared steps, a row for each run."""
    return np.array([curve.losses[np.searchsorted(curve.steps, shared)] for curve in curves])


def _within(sides: tuple[Values, Values], shared: NDArray[np.int64], tolerance: float) -> LossAgreement:
    tenths = np.array_split(np.arange(len(shared)), min(TENTHS, len(shared)))
    a, b = (np.array([side[:, tenth].mean() for tenth in tenths]) for side in sides)
    if not (np.isfinite([a, b]).all() and (a > 0).all()):
        return unknown(Message(NOT_ABOVE_ZERO), tolerance)
    changes = b / a - 1
    worst = int(np.abs(changes).argmax())
    change, tenth = float(changes[worst]), tenths[worst]
    verdict: LossVerdict = "higher" if change > 0 else "lower"
    if abs(change) <= tolerance + ROUNDING:
        verdict = "same"
    return LossAgreement(verdict, tolerance, change, None, (int(shared[tenth[0]]), int(shared[tenth[-1]])))


def _by_noise(sides: tuple[Values, Values], shared: NDArray[np.int64]) -> LossAgreement:
    if min(map(len, sides)) < 2:
        return unknown(Message(ONE_RUN))
    last = -(-len(shared) // TENTHS)
    a, b = (side[:, -last:].mean(axis=1) for side in sides)
    scale = float(a.mean())
    if not (np.isfinite([*a, *b]).all() and scale > 0):
        return unknown(Message(NOT_ABOVE_ZERO))
    degrees = len(a) + len(b) - 2
    noise = np.sqrt((((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / degrees)
    width = students_t()(degrees, (1 + LEVEL) / 2) * float(noise * np.sqrt(1 / len(a) + 1 / len(b))) / scale
    change = float(b.mean()) / scale - 1
    told = (change, (change - width, change + width), (int(shared[-last]), int(shared[-1])))
    if abs(change) > width and abs(change) >= LEAST:
        return LossAgreement("higher" if change > 0 else "lower", None, *told)
    if width > MOST_NOISE:
        return LossAgreement("unknown", None, *told, Message(NOISE, width=f"{width:.1%}"))
    return LossAgreement("same", None, *told)
