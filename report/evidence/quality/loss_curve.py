"""Loss curves: the losses of training that a run prints, by step or by epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parsers.runs.format_records import FormatRecords

from ...measure.diagnostics import NoMeasurement
from ...measuring.record_columns import Columns, columns
from ...measuring.window import NO_STEP_NUMBER, last_run, one_rank, one_run, step_field, steps_done


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


def loss_curve(log: Path, parts: Sequence[FormatRecords], run: int | Literal["last"] | None) -> LossCurve | None:
    """The losses that a log prints, None where it prints none; ``parts``: its records.

    ``run``: which of several runs in it. Raises NoMeasurement where its steps cannot be counted.
    """
    for part in parts:
        for kind in ("step", "epoch"):
            if (kind, "loss") in part.fields and "loss" in part.table and part.table.are(kind).any():
                return _curve(log, part, "step" if kind == "step" else "epoch", run)
    return None


def _curve(
    log: Path, part: FormatRecords, kind: Literal["step", "epoch"], run: int | Literal["last"] | None
) -> LossCurve:
    records = columns(part.table)
    mine = records.rows(one_run(records, run, last_run(records))).of_kind(kind)
    known = mine.rows(mine.finite("loss"))
    losses = known.rows(one_rank(known))
    lines = _not_numbers(part, mine)
    ends_so = len(lines) > 0 and not (losses["line"] > lines[-1]).any()
    first = int(lines[0]) if len(lines) else None
    return LossCurve(log, kind, _numbers(part, kind, losses), losses.numbers("loss"), first, ends_so)


def _numbers(part: FormatRecords, kind: str, losses: Columns) -> NDArray[np.int64]:
    if kind == "step":
        return steps_done(losses, step_field(part.fields, kind))
    if "epoch" not in losses or not np.isfinite(epochs := losses.numbers("epoch")).all():
        return np.arange(1, len(losses) + 1)
    if (np.diff(epochs) <= 0).any():  # several losses of one epoch stand at no known places in it
        raise NoMeasurement(NO_STEP_NUMBER, kind=kind)
    return epochs.astype(np.int64)


def _not_numbers(part: FormatRecords, mine: Columns) -> NDArray[np.int64]:
    """The lines of the run that print a loss that is NaN or infinite, ascending."""
    lines = mine["line"]
    told = part.not_numbers[(part.not_numbers >= lines[0]) & (part.not_numbers <= lines[-1])] if len(lines) else []
    return np.unique(np.concatenate([told, lines[np.isinf(mine.numbers("loss"))]]).astype(np.int64))
