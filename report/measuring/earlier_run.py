"""Earlier runs: rows of a file that polls a program, from before the run that it is about had printed anything."""

import numpy as np

from parsers.grammar.field import Field
from parsers.io.message import Message

from .record_columns import Columns
from .window import Mask, Reasons, RecordUse

# A mean over the run stands still only while nobody computes it anew, and jumps only when another run does.
JUMP = 0.05
FEWEST = 2

LEFT_OUT = (
    "Lines {first} to {last} repeat the mean {value} of an earlier run, which then jumps to {next}; these {count} "
    "records are skipped."
)
WARNINGS = (LEFT_OUT,)


def of_earlier_run(records: Columns, column: str, field: Field | None) -> Mask:
    """Which records repeat the last mean of an earlier run (bool).

    ``records``: of one kind, in file order, each with a value in ``column``, which ``field`` describes. They are the
    first ones where these repeat a mean over the run that then jumps by more than 5 %, and nothing counts steps.
    """
    values = records.numbers(column)
    none = np.zeros(len(values), dtype=np.bool_)
    if field is None or (field.kind, field.per) != ("running_mean", "run") or _counts(records):
        return none
    changes = np.flatnonzero(values != values[:1])
    if not len(changes) or changes[0] < FEWEST or abs(values[changes[0]] / values[0] - 1) <= JUMP:
        return none
    none[: changes[0]] = True
    return none


def _counts(records: Columns) -> bool:
    return any(name in records and records.printed(name).any() for name in ("step", "epoch"))


def left_out(records: Columns, column: str, reasons: Reasons) -> Message | None:
    """What is said of the rows that are left out."""
    rows = np.flatnonzero(reasons == RecordUse.EARLIER_RUN)
    if not len(rows):
        return None
    lines, values = records["line"], records.numbers(column)
    after = values[rows[-1] + 1 :]
    told = {"value": f"{values[rows[0]]:g}", "next": f"{after[np.isfinite(after)][0]:g}"}
    return Message(LEFT_OUT, first=lines[rows[0]], last=lines[rows[-1]], count=len(rows), **told)
