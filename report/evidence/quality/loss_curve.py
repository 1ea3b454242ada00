"""Loss curves: the losses of training that a run prints, by step or by epoch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parsers.runs.reading import Reading

from ...measure.diagnostics import Code, NoMeasurement, say
from ...measure.measure import run_of
from ...measure.protocol import Protocol
from ...measure.records import Records, losses_of


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
