"""The time of a run: one line tells it, and others number all the epochs that it is of."""

from collections.abc import Iterator

from ...io.message import Message
from ...naming.sense import DURATION, EPOCH, TIME
from ..choice import Choice
from ..gathered import Gathered
from ..proofs.proof import Proven
from ..spoken_series import SpokenSeries, all_series
from .numbered_epochs import numbered_epochs
from .total_time import total_times

OF_RUN = (
    "{name} is the time of the whole training, of all {count} epochs that the log numbers one by one from {first} to "
    "{last}, with what else was done in it, such as evaluations and saving"
)
AGREE = 0.02
PART = 0.5  # of the time of the run, which those of its epochs make at least


def times_of_run(gathered: Gathered) -> Iterator[tuple[Gathered, Choice]]:
    """What the whole training of a log took, with the lines that number its epochs; nothing where that is not known."""
    totals = total_times(gathered)
    if not totals or not _agree(totals) or (epochs := numbered_epochs(gathered, totals[0].rows[0].line)) is None:
        return
    if not _holds_times_of(epochs, totals[0].median, gathered):
        return
    first, last = (f"{epochs.values[place]:.0f}" for place in (0, -1))
    why = Message(OF_RUN, name=totals[0].sense.name, count=len(set(epochs.values.tolist())), first=first, last=last)
    total = Proven(totals[0], DURATION, totals[0].sense.factor or 1.0, [why])
    yield gathered, Choice([total], epochs=Proven(epochs, EPOCH, 1.0))


def _holds_times_of(epochs: SpokenSeries, seconds: float, gathered: Gathered) -> bool:
    """Whether the times that are told once an epoch, if any, make so many seconds, or a great part of them."""
    count = len(set(epochs.values.tolist()))
    each = (one for one in all_series(gathered) if one.sense.role == TIME and one.sense.factor and len(one) == count)
    sums = (one.values.sum() * (one.sense.factor or 1.0) for one in each if not one.sense.flags - {"of_epoch"})
    return all(PART * seconds <= took <= (1 + AGREE) * seconds for took in sums)


def _agree(totals: list[SpokenSeries]) -> bool:
    """Whether each line that tells a total is the only one of its form, and all say the same."""
    seconds = [one.median for one in totals]
    return all(len(one) == 1 for one in totals) and max(seconds) - min(seconds) <= AGREE * max(seconds)
