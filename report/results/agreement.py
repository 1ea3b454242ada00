"""Agreement: whether runs reach what a reference does, and whether they train as it does, by losses at the same steps.

With a stated tolerance the mean loss of each tenth of the shared steps must lie within it. Without one the noise
between repeats decides, over the last tenth: there a difference counts that the t test finds at 99%, of 1% at least,
for other kernels and other orders of sums change a loss, too. What forbids a comparison makes the answer unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Literal

import numpy as np

from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.reading import Reading
from parsers.series import Floats, Lines

from ..measure.diagnostics import NoMeasurement, say
from ..measure.measure import run_of
from ..measure.protocol import Protocol
from ..measure.records import losses_of
from ..measure.statistic import students_t

# ---- what must be alike

JOB_BATCH = ("job_batch_size", "job_batch_tokens")
# What a step trains on, unless both state one batch of the whole job.
OF_BATCH = (
    *("batch_size", "micro_batch_size", "accumulation", "nodes", "cards", "cards_per_node", "data_parallel"),
    *JOB_BATCH,
)
# What makes it another model, of which a token or a sample is other work; and what makes it another task.
OF_MODEL = ("model", "parameters", "layers", "hidden_size", "attention_heads", "vocabulary_size", "sequence_length")
OF_TASK = (*OF_MODEL, "epoch_samples")
DATA, SEEDS = {"data", "dataset", "datasets"}, {"seed", "seeds"}  # words in names

# The values of something on each side; empty where a side does not state it.
Stated = tuple[Collection[str], Collection[str]]


def stated_by(a: Iterable[Fact], b: Iterable[Fact]) -> dict[str, Stated]:
    """The values of the facts of two sides, by their names."""
    told: dict[str, tuple[set[str], set[str]]] = {}
    for side, facts in enumerate((a, b)):
        for fact in facts:
            told.setdefault(fact.name, (set(), set()))[side].add(str(fact.value))
    return {**told}


def incomparable(stated: Mapping[str, Stated]) -> Message | None:
    """Why losses at one step cannot be compared; None where nothing forbids it.

    ``stated``: by name what the runs of each side state: facts, variables and options. What one side does not state is
    not known to differ. Seeds may differ where they do within a side, too, for the noise between its repeats then has
    what they do.
    """
    is_one_batch = any(len({*a}) == 1 and {*a} == {*b} for a, b in (stated.get(name, ((), ())) for name in JOB_BATCH))
    for name, sides in changed(stated):
        if name in OF_BATCH and not is_one_batch:
            return say("other_batches", name=name).message
        if _is_of_task(name):
            return say("other_task", name=name).message
        if _words(name) & SEEDS and min(map(len, sides)) == 1:
            return say("other_seeds", name=name).message
    return None


def other_task(stated: Mapping[str, Stated]) -> Message | None:
    """Why what runs reach cannot be compared: another model, by its name, or other data; ``stated`` as above.

    How a model of one name is built may be what is asked.
    """
    names = (name for name, _ in changed(stated) if name == "model" or (name not in OF_TASK and _is_of_task(name)))
    return next((say("other_task", name=name).message for name in names), None)


def changed(stated: Mapping[str, Stated]) -> Iterator[tuple[str, tuple[set[str], set[str]]]]:
    """What both sides state, and not alike."""
    yield from ((name, ({*a}, {*b})) for name, (a, b) in stated.items() if a and b and {*a} != {*b})


def _is_of_task(name: str) -> bool:
    return name in OF_TASK or (name not in OF_BATCH and bool(_words(name) & DATA))


def _words(name: str) -> set[str]:
    return {*re.split(r"[\W_]+", name.lower())}


# ---- what they reach

LOSS = "loss"
LEVEL = 0.99
LEAST = 0.01  # of the loss
TENTHS = 10
MOST_NOISE = 0.05  # of the loss: an interval that is wider answers nothing
MOSTLY = 0.9  # of what each run prints are shared steps
ROUNDING = 1e-9


@dataclass(frozen=True)
class FinalMetric:
    """A metric of one run: its value, which may be NaN or infinite, and the line of the log that prints it."""

    log: str
    line: int
    value: float


@dataclass(frozen=True)
class Agreement:
    """Whether some runs reach what their reference does: by the metric ``name``, or by the loss at the same steps.

    ``tolerance``: a share of it; None where the noise between repeats decides. ``change``: by how much it is higher, as
    a fraction; of losses over ``steps``, the last tenth of the shared ones, or with a tolerance the tenth where they
    differ most, with its ``interval`` at 99%. ``kind``: what is counted in ``steps``. ``values``: the means of a
    metric, ``printed``: what each run prints, the reference first. ``reason``: why it is unknown or no number.
    """

    name: str
    verdict: Literal["same", "better", "worse", "NaN", "unknown"]
    tolerance: float | None = None
    change: float | None = None
    interval: tuple[float, float] | None = None
    steps: tuple[int, int] | None = None
    kind: Literal["step", "epoch"] = "step"
    values: tuple[float, float] | None = None
    printed: tuple[FinalMetric, ...] = ()
    reason: Message | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether the runs do not reach what their reference does."""
        return self.verdict in ("worse", "NaN")


@dataclass(frozen=True)
class LossCurve:
    """The losses of one run.

    ``steps``: the steps done, or the numbers of the epochs, when each was printed (int64, ascending). ``losses``: the
    finite ones (float64). ``not_number``: the first line that prints one that is NaN or infinite, None where there is
    none. ``ends_so``: whether the last one is.
    """

    log: Path
    kind: Literal["step", "epoch"]
    steps: Lines
    losses: Floats
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
    done = losses.steps if kind == "step" else losses.numbers("epoch")
    if done is not None and kind == "epoch":
        done = done if np.isfinite(done).all() else np.arange(1.0, len(losses) + 1)
    # Several losses of one epoch stand at no known places in it.
    if done is None or (kind == "epoch" and (np.diff(done) <= 0).any()):
        raise NoMeasurement(say("uncounted_steps", log=str(log)))
    every = part.all_records(kind)
    told = next(one.not_numbers for one in reading.parts if one.fields is part.fields)
    within = told[(told >= every.lines[0]) & (told <= every.lines[-1])]
    wrong = np.unique(np.concatenate([within, every.lines[np.isinf(every.numbers("loss"))]]))
    first = int(wrong[0]) if len(wrong) else None
    ends_so = len(wrong) > 0 and not (losses.lines > wrong[-1]).any()
    return LossCurve(log, kind, done.astype(np.int64), losses.numbers("loss"), first, ends_so)


def loss_agreement(
    reference: Sequence[LossCurve], judged: Sequence[LossCurve], tolerance: float | None = None
) -> Agreement:
    """Hold the losses of some runs against those of a reference, at least one run each.

    ``tolerance``: a fraction of the loss; without one the noise between repeats decides. Raises ExtraError where that
    needs SciPy and it is not installed.
    """
    unknown = Agreement(LOSS, "unknown", tolerance)
    if (ends_so := next((curve for curve in reference if curve.ends_so), None)) is not None:
        return replace(unknown, reason=say("reference_is_no_number", log=str(ends_so.log)).message)
    is_usual = any(curve.not_number is not None for curve in reference)
    broken = [curve for curve in judged if curve.ends_so]
    broken += [curve for curve in judged if curve.not_number is not None and not is_usual]
    if broken:
        reason = say("loss_is_no_number", log=str(broken[0].log), line=broken[0].not_number or 0).message
        return replace(unknown, verdict="NaN", reason=reason)
    curves = [*reference, *judged]
    shared = reduce(np.intersect1d, [curve.steps for curve in curves])
    spans = [curve.steps[(curve.steps >= shared[0]) & (curve.steps <= shared[-1])] for curve in curves if len(shared)]
    is_shared = len(shared) > 0 and all(len(span) * MOSTLY <= len(shared) for span in spans)
    if not is_shared or len({curve.kind for curve in curves}) > 1:
        return replace(unknown, reason=say("losses_at_other_steps").message)
    # The losses at the shared steps, a row for each run.
    a, b = (
        np.array([curve.losses[np.searchsorted(curve.steps, shared)] for curve in side]) for side in (reference, judged)
    )
    unknown = replace(unknown, kind=curves[0].kind)
    with np.errstate(all="ignore"):
        return _by_noise(a, b, shared, unknown) if tolerance is None else _within(a, b, shared, tolerance, unknown)


def _within(a: Floats, b: Floats, shared: Lines, tolerance: float, unknown: Agreement) -> Agreement:
    tenths = np.array_split(np.arange(len(shared)), min(TENTHS, len(shared)))
    of_a, of_b = (np.array([side[:, tenth].mean() for tenth in tenths]) for side in (a, b))
    if not (np.isfinite([of_a, of_b]).all() and (of_a > 0).all()):
        return replace(unknown, reason=say("reference_not_above_zero").message)
    changes = of_b / of_a - 1
    # A higher loss is the finding, however much lower another tenth is.
    worst = int(changes.argmax() if changes.max() > tolerance + ROUNDING else np.abs(changes).argmax())
    change, steps = float(changes[worst]), shared[tenths[worst]]
    found = replace(unknown, change=change, steps=(int(steps[0]), int(steps[-1])))
    if abs(change) <= tolerance + ROUNDING:
        return replace(found, verdict="same")
    return replace(found, verdict="worse" if change > 0 else "better")


def _by_noise(a: Floats, b: Floats, shared: Lines, unknown: Agreement) -> Agreement:
    if min(len(a), len(b)) < 2:
        return replace(unknown, reason=say("noise_unknown").message)
    last = -(-len(shared) // TENTHS)
    a, b = (side[:, -last:].mean(axis=1) for side in (a, b))
    scale = float(a.mean())
    if not (np.isfinite([*a, *b]).all() and scale > 0):
        return replace(unknown, reason=say("reference_not_above_zero").message)
    degrees = len(a) + len(b) - 2
    noise = np.sqrt((((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / degrees)
    width = students_t()(degrees, (1 + LEVEL) / 2) * float(noise * np.sqrt(1 / len(a) + 1 / len(b))) / scale
    change, steps = float(b.mean()) / scale - 1, (int(shared[-last]), int(shared[-1]))
    found = replace(unknown, change=change, interval=(change - width, change + width), steps=steps)
    if abs(change) > width and abs(change) >= LEAST:
        return replace(found, verdict="worse" if change > 0 else "better")
    if width > MOST_NOISE:
        return replace(found, reason=say("noise_too_wide", width=f"{width:.1%}").message)
    return replace(found, verdict="same")
