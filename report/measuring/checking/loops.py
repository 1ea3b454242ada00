"""Loops: bars of one name of which each epoch has two, as of training and of an evaluation, or that count epochs."""

import numpy as np

from parsers.runs.format_records import RUN, FormatRecords

from ...measure.diagnostics import NoMeasurement

TWICE = (
    "The progress bar of each epoch is drawn twice, first at lines {first} and {second}: nothing shows which of them "
    "is that of training."
)
OF_EPOCHS = (
    "The progress bar counts epochs, not steps: the number of the epoch in its name goes on with it, as in lines "
    "{first} and {second}."
)
FEWEST_EPOCHS = 3
OF_BARS = ("step", "epoch", "steps_per_epoch", "elapsed", "line")
OF_ENDS = ("epoch", "steps_per_epoch", "line")
COLUMNS = (RUN, "epoch", "steps_per_epoch", "line")
FASTER = 1.1  # times; what a bar shows is rounded


def refuse_epochs(part: FormatRecords) -> None:
    """Raise ``NoMeasurement`` where a progress bar of several steps goes on by one with each epoch that its name tells.

    A format that is of bars of one epoch each takes it for one of these.
    """
    if not set(OF_BARS) <= set(part.table):
        return
    records = part.table.rows(part.table.are("step"))
    steps, epochs, total = (records[name].astype(np.float64) for name in OF_BARS[:3])
    is_several = len(np.unique(epochs)) >= FEWEST_EPOCHS and (total > 1).all()
    if is_several and np.ptp(steps - epochs) <= 1:
        first, second = (int(line) for line in records["line"][:2])
        raise NoMeasurement(OF_EPOCHS, first=first, second=second)


def refuse_several(part: FormatRecords) -> None:
    """Raise ``NoMeasurement`` where steps begin anew within one epoch after the other.

    They look like several runs then, each of which would be measured: the bars of an evaluation, too. A run that is
    begun again goes on for more than the rest of its epoch and the next one.
    """
    if not set(COLUMNS) <= set(part.table):
        return
    records = part.table.rows(part.table.are("step"))
    runs, epochs = (records[name].astype(np.float64) for name in COLUMNS[:2])
    places = np.flatnonzero((runs[1:] != runs[:-1]) & (epochs[1:] == epochs[:-1]))
    # An evaluation within an epoch makes two beginnings: its own, and where training goes on behind it.
    if len(np.unique(epochs[places])) >= FEWEST_EPOCHS and np.isin(np.diff(epochs[places]), (0, 1)).all():
        first, second = (int(records["line"][places[0] + n]) for n in (0, 1))
        raise NoMeasurement(TWICE, first=first, second=second)


def refuse_faster(part: FormatRecords) -> None:
    """Raise ``NoMeasurement`` where epochs end twice, the second time faster: a bar that is drawn again is slower."""
    if not set(OF_ENDS) <= set(part.table):
        return
    records = part.table.rows(part.table.are("epoch"))
    epochs, seconds = records["epoch"].astype(np.float64), np.full(len(records), np.nan)
    for name, power in (("step_time", 1.0), ("step_rate", -1.0)):
        if name in records:
            with np.errstate(divide="ignore"):
                seconds = np.where(np.isnan(seconds), records[name].astype(np.float64) ** power, seconds)
    is_new = np.diff(records["line"]) > 0  # a bar that has ended begins a line
    places = np.flatnonzero(is_new & (epochs[1:] == epochs[:-1]) & (seconds[:-1] > FASTER * seconds[1:]))
    if len(np.unique(epochs[places])) >= FEWEST_EPOCHS:
        first, second = (int(records["line"][places[0] + n]) for n in (0, 1))
        raise NoMeasurement(TWICE, first=first, second=second)
