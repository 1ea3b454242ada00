"""The column read: what a reader must know of the numbers themselves that a throughput is made of."""

from collections.abc import Iterator

import numpy as np

from parsers.grammar.field import Field
from parsers.io.message import Message

from ..record_columns import Columns

WITHOUT_LOADING = (
    "The log prints the time of a step without the loading of its data, so this is the most that the throughput can be."
)
EXPECTED = (
    "The log prints no measured time: {column} is computed from the remaining time that the program predicts and what "
    "is left, so the throughput is the program's own estimate."
)
OF_TARGET = (
    "The throughput counts target tokens; the log also prints that of the source tokens, {source} tokens/s on average."
)
EPOCHS_DIFFER = (
    "The epochs have {low} to {high} steps, first between lines {first} and {changed}: they may be of several "
    "trainings, of which the throughput is a mixture."
)
DIFFERENT = 1.1  # times as many steps; those of one data set in batches of other lengths vary by less


def of_column(used: Columns, column: str, field: Field | None) -> Iterator[Message]:
    """Tell what a column holds, or lacks, that its name does not say.

    ``used``: the records that are used; ``field``: what the format says of the column, None of the clock.
    """
    if column == "work_time":
        yield Message(WITHOUT_LOADING)
    if field and field.is_expected:
        yield Message(EXPECTED, column=column)
    if column == "throughput" and (source := _mean_of_source(used)) > 0:  # pictures and sounds have no tokens
        yield Message(OF_TARGET, source=f"{source:.6g}")
    yield from _of_lengths(used)


def _of_lengths(used: Columns) -> Iterator[Message]:
    """Tell that epochs have other numbers of steps than those before."""
    if "steps_per_epoch" not in used or not used.finite("steps_per_epoch").all():
        return
    steps = used.numbers("steps_per_epoch")
    if len(steps) > 1 and steps.max() > DIFFERENT * steps.min():
        place = int(np.flatnonzero(np.abs(np.diff(steps)) > 0)[0])
        first, changed = used["line"][place : place + 2]
        yield Message(EPOCHS_DIFFER, low=f"{steps.min():g}", high=f"{steps.max():g}", first=first, changed=changed)


def _mean_of_source(used: Columns) -> float:
    if "source_throughput" not in used or not (known := used.finite("source_throughput")).any():
        return 0.0
    return float(np.mean(used.numbers("source_throughput")[known]))
