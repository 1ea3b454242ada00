"""The time of a run: one line tells it, and others before it number all the epochs that it is of."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...io.message import Message
from ...naming.sense import DURATION, EPOCH, TIME
from ..choice import Choice
from ..gathered import Gathered
from ..proofs.no_measure import last_digit
from ..proofs.proof import Proven
from ..spoken_series import SpokenSeries, all_series
from .numbered_epochs import numbered_epochs
from .total_time import total_times

OF_RUN = (
    "{name} is the time of the whole training: {count} epochs, numbered one by one from {first} to {last}, "
    "including any evaluation and checkpoint"
)
AGREE = 0.02
PART = 0.5  # of the time of the run, which those of its epochs make at least


def times_of_run(gathered: Gathered) -> Iterator[tuple[Gathered, Choice]]:
    """What the whole training of a log took, with the lines that number its epochs; nothing where that is not known.

    Where several lines tell such a time, each is of another run.
    """
    totals = total_times(gathered)
    if not totals or not _agree(totals) or _may_go_on(totals[0]) or _is_rounded(totals[0]):
        return
    runs = [_epochs(run, line, took) for run, line, took in _runs(gathered, totals[0])]
    known = [run for run in runs if run]
    if len(known) == len(runs) and len({run.level for run in known}) == 1:
        yield gathered, _choice(totals[0], known)


def _choice(total: SpokenSeries, runs: Sequence[SpokenSeries]) -> Choice:
    slots = {form: slot for run in runs for form, slot in run.slots.items()}
    epochs = replace(runs[0], rows=[row for run in runs for row in run.rows], slots=slots)
    why = list(dict.fromkeys(_why(total, run) for run in runs))
    proven = Proven(total, DURATION, total.sense.factor or 1.0, why, is_of_runs=len(runs) > 1)
    return Choice([proven], epochs=Proven(epochs, EPOCH, 1.0))


def _why(total: SpokenSeries, run: SpokenSeries) -> Message:
    first, last = int(run.values[0]), int(run.values[-1])
    return Message(OF_RUN, name=total.sense.name, count=last - first + 1, first=first, last=last)


def _runs(gathered: Gathered, total: SpokenSeries) -> Iterator[tuple[Gathered, int, float]]:
    """What a log holds up to each total, what stands behind the last with it; the line of the total, and seconds.

    What stands before the time of another stage, which took longer than the total, is none of the run.
    """
    lines, begin, stages = [row.line for row in total.rows], 0, _other_stages(gathered, total)
    for line, value in zip(lines, total.values, strict=True):
        end, took = line if line < lines[-1] else gathered.total, value * (total.sense.factor or 1.0)
        begin = max([begin, *(stage for stage, other in stages if stage < line and other > value)])
        rows = [row for row in gathered.spoken if begin < row.line <= end]
        yield replace(gathered, spoken=rows, counts=Counter(row.form for row in rows)), line, float(took)
        begin = line


def _other_stages(gathered: Gathered, total: SpokenSeries) -> list[tuple[int, float]]:
    """The lines of times that are called as the total but of another form, and the times: `pretraining ran for 8m`."""
    own = {row.line for row in total.rows}
    found = [(row, row.form.speeds.get(total.sense)) for row in gathered.spoken if row.line not in own]
    return [(row.line, row.number(slot)) for row, slot in found if slot and row.form.kind == "summary"]


def _epochs(run: Gathered, line: int, seconds: float) -> SpokenSeries | None:
    """The lines that number the epochs of a run; None where their times, if any, do not fit that of the run."""
    epochs = numbered_epochs(run, line)
    return epochs if epochs and _holds_times_of(epochs, seconds, run) else None


def _holds_times_of(epochs: SpokenSeries, seconds: float, gathered: Gathered) -> bool:
    """Whether the times that are told once an epoch, if any, make so many seconds, or a great part of them."""
    count = len(set(epochs.values.tolist()))
    each = (one for one in all_series(gathered) if one.sense.role == TIME and one.sense.factor and len(one) == count)
    sums = (one.values.sum() * (one.sense.factor or 1.0) for one in each if not one.sense.flags - {"of_epoch"})
    return all(PART * seconds <= took <= (1 + AGREE) * seconds for took in sums)


def _may_go_on(total: SpokenSeries) -> bool:
    """Whether each of several times may hold those before it, for they only rise."""
    return len(total) > 1 and bool((np.diff(total.values) >= 0).all())


def _is_rounded(total: SpokenSeries) -> bool:
    """Whether a digit that is not printed may make much of the time: `Training complete in 0m 3s`."""
    return bool(last_digit(total) / 2 > AGREE * total.values.min())


def _agree(totals: Sequence[SpokenSeries]) -> bool:
    """Whether lines of each form tell as many times, and of each run the same."""
    if len({len(one) for one in totals}) > 1:
        return False
    seconds = np.array([one.values * (one.sense.factor or 1.0) for one in totals])
    return bool((np.ptp(seconds, axis=0) <= AGREE * seconds.max(axis=0)).all())
