"""Bars of evaluations: where each epoch has two bars of one name, the first of which has more and slower steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..io.message import Message
from ..scanning.record_table import RecordTable
from .format_records import FormatRecords

LEFT_OUT = (
    "Each epoch has two progress bars: that of {own} steps is taken for training, since it comes first and its steps "
    "take {times} times as long; its own clock gives {rate} steps/s in all. The {count} records of that of {other} "
    "steps, first at line {line}, are left out."
)
FEWEST_EPOCHS = 3
SLOWER = 1.5  # an evaluation only goes forwards
COLUMNS = ("step", "epoch", "steps_per_epoch", "elapsed", "line")

Counts = NDArray[np.float64]


def without_evaluation(parts: Sequence[FormatRecords]) -> tuple[list[FormatRecords], tuple[Message, ...]]:
    """The parts of a reading without the records of bars of an evaluation, and a message that says so, if any.

    Left out are those of one number of steps in an epoch where each epoch, one after the other from the first to the
    last, has two: first one of more steps, each of which takes much longer. If only the other tells losses, the first
    may be one of rollouts or a preparation, and all stay.
    """
    if not parts or not set(COLUMNS) <= set(parts[0].table):
        return list(parts), ()
    table = parts[0].table
    steps = table.rows(table.are("step"))
    totals = np.unique(steps["steps_per_epoch"].astype(np.float64))
    if len(totals) != 2 or not np.isfinite(totals).all():
        return list(parts), ()
    found = _training(steps, *totals[::-1])
    if found is None:
        return list(parts), ()
    times, rate = found
    is_other = table["steps_per_epoch"].astype(np.float64) == totals[0]
    if _tell_losses(table.rows(is_other)) and not _tell_losses(table.rows(~is_other)):
        return list(parts), ()
    values = {"own": int(totals[1]), "other": int(totals[0]), "times": f"{times:.1f}", "rate": f"{rate:.6g}"}
    said = Message(LEFT_OUT, **values, count=int(is_other.sum()), line=int(table["line"][is_other][0]))
    return [replace(parts[0], table=table.rows(~is_other)), *parts[1:]], (said,)


def _tell_losses(records: RecordTable) -> bool:
    return "loss" in records and bool(np.isfinite(records["loss"].astype(np.float64)).any())


def _training(steps: RecordTable, own: float, other: float) -> tuple[float, float] | None:
    """How many times as long a step of one bar takes as one of the other, and its steps a second in all.

    None unless it is that of training.
    """
    bars = _bars(steps)
    totals, epochs = bars[:, 0], bars[:, 1]
    are_in_turns = (totals == np.resize((own, other), len(bars))).all()
    are_next = (epochs == epochs[0] + np.arange(len(bars)) // 2).all()
    if len(bars) < 2 * FEWEST_EPOCHS or not (are_in_turns and are_next):
        return None
    slow, fast = (bars[totals == total] for total in (own, other))
    with np.errstate(all="ignore"):
        usual, least = np.median(slow[:, 3] / slow[:, 2]), np.median((fast[:, 3] + 1) / fast[:, 2])
    rate = slow[:, 4].sum() / slow[:, 5].sum()
    return (float(usual / least), float(rate)) if usual > SLOWER * least else None


def _bars(steps: RecordTable) -> Counts:
    """One row for each bar, in file order.

    Its total and epoch, how many steps and seconds lie between its first and last record, and those at the last.
    """
    columns = np.column_stack([steps[name].astype(np.float64) for name in COLUMNS])
    step, epoch, total, elapsed = columns[:, :4].T
    begins = np.append(0, np.flatnonzero((np.diff(total) != 0) | (np.diff(epoch) != 0)) + 1)
    ends = np.append(begins[1:], len(columns)) - 1
    between = (step[ends] - step[begins], elapsed[ends] - elapsed[begins])
    return np.column_stack([total[begins], epoch[begins], *between, step[ends], elapsed[ends]])
