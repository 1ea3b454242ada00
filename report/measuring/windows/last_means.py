"""Last running means: of each epoch the one that covers all its steps, where a protocol takes its time from that."""

import numpy as np

from parsers.grammar.field import Field

from ..record_columns import Columns
from ..window import Counts, Fields, step_field, steps_in_epoch
from .record_use import Mask

WHOLE = 0.9  # of the steps of the longest epoch; a mean of fewer over-weights the start of its epoch


def are_parts(records: Columns, fields: Fields, kind: str, field: Field) -> Mask:
    """Return which records print the running mean of a part of an epoch only (bool).

    ``records``: those of one kind and one rank in file order that print ``field``. An epoch begins where the number of
    steps falls, or that of the epoch grows. Its last record counts, unless it is far from the steps of the longest, as
    where the run ended. Raises ``NoMeasurement`` for a record without a whole number of steps.
    """
    if not len(records):
        return np.zeros(0, dtype=np.bool_)
    steps = steps_in_epoch(records, step_field(fields, kind))
    are_last = np.append(_ends(records, steps) & (field.per != "run"), True)
    are_whole: Mask = steps >= WHOLE * steps[are_last].max()
    return ~(are_last & are_whole)


def _ends(records: Columns, steps: Counts) -> Mask:
    """Where an epoch ends before the last record (bool, one less than records); a bar may draw a step twice."""
    ends: Mask = steps[1:] < steps[:-1]
    if "epoch" in records:
        epochs = records.numbers("epoch")
        ends = ends | (epochs[1:] > epochs[:-1])
    return ends
