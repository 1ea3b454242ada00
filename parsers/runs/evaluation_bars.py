"""Bars of evaluations: where two progress bars of one name take turns, the first of which has slower steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..io.message import Message
from ..scanning.record_table import RecordTable
from .format_records import FormatRecords

LEFT_OUT = (
    "Two progress bars take turns: the first is taken for training, since its steps take {times} times as long; its "
    "own clock gives {rate} steps/s in all. The {count} records of the other, first at line {line}, are left out."
)
FEWEST_TURNS = 3
SLOWER = 1.5  # an evaluation only goes forwards
COLUMNS = ("step", "steps_per_epoch", "elapsed", "line")

Floats = NDArray[np.float64]


def without_evaluation(parts: Sequence[FormatRecords]) -> tuple[list[FormatRecords], tuple[Message, ...]]:
    """The parts of a reading without the records of bars of an evaluation, and a message that says so, if any.

    A bar is known by its name and number of steps, and passes of it begin where its steps, its clock or the epoch do.
    Left out is every second pass where two bars take turns to the end, the second of which has as many steps or fewer,
    each of which takes far less time. If only the second tells losses, the first may be one of rollouts or a
    preparation, and all stay.
    """
    if not parts or not len(parts[0].table) or not set(COLUMNS) <= set(parts[0].table):
        return list(parts), ()
    table = parts[0].table
    begins, passes = _passes(table)
    if (found := _training(passes)) is None:
        return list(parts), ()
    is_other = np.cumsum(begins) % 2 == 0
    if _tell_losses(table.rows(is_other)) and not _tell_losses(table.rows(~is_other)):
        return list(parts), ()
    times, rate = found
    said = {"times": f"{times:.1f}", "rate": f"{rate:.6g}", "count": int(is_other.sum())}
    message = Message(LEFT_OUT, **said, line=int(table["line"][is_other][0]))
    return [replace(parts[0], table=table.rows(~is_other)), *parts[1:]], (message,)


def _tell_losses(records: RecordTable) -> bool:
    return "loss" in records and bool(np.isfinite(records["loss"].astype(np.float64)).any())


def _passes(table: RecordTable) -> tuple[NDArray[np.bool_], Floats]:
    """Where a pass of a bar begins, and one row for each in file order: its total, epoch, last step and last clock.

    A record that counts no step is of the pass before it, unless it has another total.
    """
    names = (*COLUMNS[:3], "epoch")
    step, total, clock, epoch = (
        table[name].astype(np.float64) if name in table else np.zeros(len(table)) for name in names
    )
    known = np.isfinite(step)
    counts = np.flatnonzero(known)
    begins = np.append(True, (np.diff(total) != 0) | (np.diff(epoch) != 0))
    begins[counts[1:]] |= (np.diff(step[counts]) < 0) | (np.diff(clock[counts]) < 0)
    first = np.flatnonzero(begins)
    done, taken = (np.maximum.reduceat(np.where(known, of, 0), first) for of in (step, clock))
    return begins, np.column_stack([total[first], epoch[first], done, taken])


def _training(passes: Floats) -> tuple[float, float] | None:
    """How many times as long a step of the first of two bars takes as one of the other, and its steps a second in all.

    None unless it is that of training.
    """
    own, other = passes[::2], passes[1::2]
    if len(passes) < 2 * FEWEST_TURNS or own[0, 0] < other[0, 0]:
        return None
    in_turns = (own[:, 0] == own[0, 0]).all() and (other[:, 0] == other[0, 0]).all()
    same_epoch = (own[: len(other), 1] == other[:, 1]).all() and (np.diff(own[:, 1]) == np.diff(own[:2, 1])).all()
    if not (in_turns and same_epoch):
        return None
    with np.errstate(all="ignore"):
        slow, fast = own[:, 3] / own[:, 2], (other[:, 3] + 1) / other[:, 2]
    if np.isnan(slow).all() or np.isnan(fast).all():
        return None
    usual, least = float(np.nanmedian(slow)), float(np.nanmedian(fast))
    apart = usual > SLOWER * least and np.nanmin(slow) > np.nanmax(fast)
    return (usual / least, float(own[:, 2].sum() / own[:, 3].sum())) if apart else None
