"""Which lines are of training, and which of their numbers can be its speed."""

from __future__ import annotations

from enum import Enum

import numpy as np

from .constants import FEW, LONG_BAR, MOST_ROUNDING, SAMPLE
from .judge import advance
from .log import Column, Log, Table
from .naming import split, words_of
from .text import BAR_CLOCK

_LOOSE = frozenset(("qualified", "nameless"))


class Reason(Enum):
    """Why a number is not taken. A text for people belongs to the command line, one for each code."""

    EVALUATION = "evaluation"
    PART = "part_of_a_step"
    CONSTANT = "constant"
    DIGITS = "too_few_digits"
    NO_TRAINING = "no_evidence_of_training"
    NO_NUMBER = "no_number"
    NO_SUCH_TARGET = "no_such_target"
    VAGUE = "vague_name"
    SOURCE_CODE = "source_code"
    PAGE = "page_of_text"
    CHANGES = "list_of_changes"


def why_not(column: Column, log: Log) -> Reason | None:
    """Why a column cannot be the speed of training."""
    m, v = column.meaning, column.values
    good = v[np.isfinite(v) & (v > 0)]
    if column.table.is_evaluation or "other" in m.flags:
        return Reason.EVALUATION
    if "part" in m.flags:
        return Reason.PART
    if len(good) < max(1, np.isfinite(v).sum() / 2):
        return Reason.NO_NUMBER
    if column.quantum / 2 > MOST_ROUNDING * np.median(good):
        return Reason.DIGITS
    if _is_vague(column):
        return Reason.VAGUE
    counts = column.table.step is not None or column.table.epoch is not None
    if len(good) > FEW and len(set(good.tolist())) == 1 and m.role != "elapsed" and not counts:
        return Reason.CONSTANT
    return None if is_training(column.table, log, column) else Reason.NO_TRAINING


def _is_vague(column: Column) -> bool:
    """Whether a name leaves open what is measured, and neither a loss nor a counter in the same lines helps."""
    m, table = column.meaning, column.table
    open_ = m.flags & _LOOSE or (m.role == "time" and m.per is None) or (m.role == "elapsed" and m.factor is None)
    counted = table.step in table.columns or table.epoch in table.columns
    paired = table.guest_evidence and len(table.rows) >= FEW and not m.flags & _LOOSE and m.factor is not None
    helped = shows_loss(table) or paired or (counted and ("qualified" not in m.flags or table.bar))
    return bool(open_) and not helped


def is_training(table: Table, log: Log, column: Column | None = None) -> bool:
    """Whether lines are of training: they show a loss, say so, or count in a log that shows losses among them."""
    if table.evidence or table.trains or (column is not None and words_of("training") & set(split(column.name))):
        return True
    if table.epoch is not None and "other" not in table.epoch.meaning.flags:
        return True  # nothing but training has epochs
    first, end = np.searchsorted(log.evidence, (table.rows[0].order, table.rows[-1].order + 1))
    inside = int(end - first)
    if table.bar:
        return _is_bar_of_training(table, log, inside)
    m = column.meaning if column else None
    explicit = m is not None and (m.counts is not None or (m.per is not None and m.factor is not None))
    if not log.evidence:
        counted = table.step is not None and table.step in table.columns
        return (
            explicit
            and m is not None
            and m.role == "rate"
            and bool(np.isfinite(advance(table)).any())
            and (counted or not table.guests)
        )
    counts = table.step is not None or table.epoch is not None
    return (len(table.rows) > 1 and (counts or (explicit and m is not None and not m.flags & _LOOSE))) or (
        explicit and inside > 0
    )


def _is_bar_of_training(table: Table, log: Log, inside: int) -> bool:
    """A bar by its name, by losses between its states, or as the only one without a name in a log that shows losses."""
    nameless = not table.key.head
    others = [t for t in log.tables if t.bar and not t.key.head and not t.is_evaluation and t is not table]
    alone = nameless and bool(log.evidence) and not others
    return bool({"epoch", "epochs"} & set(table.key.head)) or alone or (inside > 0 and nameless)


def may_be_training(column: Column) -> bool:
    """Whether a person could take a number though nothing shows that it is of training: its line or name counts steps."""
    m, table = column.meaning, column.table
    if m.role not in ("rate", "time") or (table.bar and m.counts not in ("steps", "epochs", None)):
        return False
    if table.bar:
        clock = next((c.values for c in table.of("elapsed") if c.meaning.name == BAR_CLOCK), np.array([]))
        long = not table.key.head and bool(np.nanmax(clock, initial=0) > LONG_BAR)
        return (long or "step" in table.key.head) and m.counts in ("steps", None)
    counts = bool(table.of("step", "epoch", guests=False)) or (len(table.rows) >= FEW and table.step is not None)
    return not m.flags & _LOOSE and bool(m.name) and (m.per is not None or (m.role == "rate" and counts))


def shows_loss(table: Table) -> bool:
    """Whether the lines themselves show a loss, a learning rate or the like."""
    return any(row.form.evidence for row in table.rows[:SAMPLE])
