"""Loops: progress bars of one name that count to two totals in the same epoch, such as those of an evaluation."""

import numpy as np

from parsers.runs.format_records import RUN, FormatRecords

from ..protocol import NoMeasurement

OF_LOOPS = (
    "Progress bars of one name have different totals in the same epoch, such as {one} steps at line {first} and "
    "{other} at line {second}: nothing shows which of them is that of training."
)
FEWEST = 2
COLUMNS = (RUN, "epoch", "steps_per_epoch", "line")


def refuse_several(part: FormatRecords) -> None:
    """Raise ``NoMeasurement`` where records of steps go on within an epoch to another total, again and again.

    They look like several runs then, each of which would be measured: the bars of an evaluation, too.
    """
    if not set(COLUMNS) <= set(part.table):
        return
    records = part.table.rows(part.table.are("step"))
    runs, epochs, totals = (records[name].astype(np.float64) for name in COLUMNS[:3])
    is_new, is_other = runs[1:] != runs[:-1], np.abs(np.diff(totals)) > 0
    places = np.flatnonzero(is_new & is_other & (epochs[1:] == epochs[:-1]))
    # Of one run that was begun again with other data, or in other batches, the total stays.
    if len(places) < FEWEST or (is_other & ~is_new).sum() < FEWEST:
        return
    before, after = int(places[0]), int(places[0]) + 1
    lines, totals = records["line"], totals.astype(np.int64)
    told = {"one": int(totals[before]), "other": int(totals[after])}
    raise NoMeasurement(OF_LOOPS, **told, first=int(lines[before]), second=int(lines[after]))
