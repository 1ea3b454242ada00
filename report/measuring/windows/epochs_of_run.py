"""Epochs of a run: how many there are in the time of a whole run, as the log numbers them before it tells that."""

import numpy as np

from parsers.io.message import Message
from parsers.runs.appended import are_consecutive

from ...measure.diagnostics import NoMeasurement
from ...measure.protocol import Protocol
from ..record_columns import Columns, Records, columns
from ..window import Fields, last_run, one_run

NOT_ONE_BY_ONE = (
    "Line {line} gives the time of the whole run, but the log does not number its epochs one by one from the "
    "first, so their number is unknown."
)
SEVERAL_TOTALS = "Several lines give a time of the whole run, from line {first} to line {last}."
OF_EARLIER_RUNS = "The time of the whole run may include earlier runs of the log, which have none of their own."
OF_WHOLE_RUN = (
    "The speed is in epochs, as the log gives only the time of all {epochs} epochs together (line {line}), "
    "including evaluations and checkpoints."
)


def epochs_beside(records: Records, protocol: Protocol) -> Columns | None:
    """Return the records that number epochs of the run that a protocol reads the time of; None where it reads no such.

    They are those of epochs, or else of steps. Raises ``NoMeasurement`` where an earlier run has no such time.
    """
    if not protocol.is_of_whole_run:
        return None
    records = columns(records)
    run = records.rows(one_run(records, protocol.run, last_run(records)))
    if "run" in records and len(run) and may_hold_earlier_runs(records, int(run["run"][0])):
        raise NoMeasurement(OF_EARLIER_RUNS)
    return run.of_kind("epoch" if run.are("epoch").any() else "step")


def may_hold_earlier_runs(records: Records, run: int) -> bool:
    """Whether the time that a log tells at the end of a run may be that of all its runs: one before has none."""
    numbers, timed = columns(records)["run"], columns(records).of_kind("summary")
    return not bool(np.isin(numbers[numbers < run], timed["run"]).all())


def epochs_of_run(epochs: Columns, fields: Fields, totals: Columns) -> tuple[int, Message]:
    """Return how many epochs a run had, and what is to be said of that.

    ``epochs``: the records that ``epochs_beside`` returns, of which ``fields`` says whether the first epoch is 0 or 1.
    ``totals``: those that tell the time of the whole run. Raises ``NoMeasurement`` unless there is one of these, behind
    all epochs, and these are numbered one by one from the first; a line may repeat the number of the one before.
    """
    lines = totals["line"]
    if len(totals) != 1:
        raise NoMeasurement(SEVERAL_TOTALS, first=lines[0], last=lines[-1])
    field = fields.get(("epoch", "epoch")) or fields.get(("step", "epoch"))
    numbers = epochs.numbers("epoch") if field is not None and "epoch" in epochs else np.zeros(0)
    if not are_consecutive(numbers) or field is None or numbers[0] != field.first or epochs["line"][-1] > lines[0]:
        raise NoMeasurement(NOT_ONE_BY_ONE, line=lines[0])
    count = int(np.ptp(numbers)) + 1
    return count, Message(OF_WHOLE_RUN, epochs=count, line=lines[0])
