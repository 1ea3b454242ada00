"""Remaining times: what a program predicts for the steps or epochs that are left, where it tells no other time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...io.message import Message
from ...naming.sense import REMAINING, Sense
from ...naming.slots import Slot
from ...scanning.record_table import FEWEST_LEFT
from ..choice import Choice
from ..evaluation_titles import not_of_training
from ..gathered import Gathered, Spoken
from ..line_form import Level, LineForm
from ..proofs.no_measure import last_digit
from ..proofs.proof import Proven
from ..spoken_series import Numbers, SpokenSeries

OF_RUN = "{name} is the time left for the whole run: it does not fall with the steps left in an epoch"
OF_EPOCH = "{name} is the time left for an epoch: it falls with the steps left in it"
OF_ALL_STEPS = "{name} is taken as the time left for all {total} steps"
OF_ALL_EPOCHS = "{name} is taken as the time left for all {total} epochs"
UNCLEAR = "it may be the time left for the epoch or for the whole run, and its lines do not show which"
NOT_FALLING = "it does not fall with what is left"
NO_UNIT = "the log does not show its unit"
OF_TWO_PARTS = "it may be in minutes and seconds, or in hours and minutes"
NO_TOTAL = "its lines do not show how many steps or epochs there are in all"
TOTALS_DIFFER = "its lines count up to different totals, so they may belong to different loops"
NO_FIRST_EPOCH = "nothing shows whether its epochs count from 0 or 1"
TOO_FEW = "too few of its lines have more than {count} steps or epochs left"
TOO_COARSE = "it is printed with too few digits"
FEWEST = 10
MOST_ROUNDED = 0.02  # of a usual number, half of its last digit
LEAST_VARIED = 0.5  # by what factor, as a logarithm, what is left differs where it shows anything
MOST_SLOPE = 0.3
SPREAD = 1.4826  # standard deviations of normal numbers, for one median of their distances from the middle
OF_MEDIAN = 1.2533  # standard errors of a median, for one of a mean


@dataclass(frozen=True)
class _Progress:
    """The numbers that lines count by: those of the steps and epochs, of so many in all; NaN where they do not tell."""

    step: Numbers
    steps: Numbers
    epoch: Numbers
    epochs: Numbers

    @property
    def left_of_epoch(self) -> Numbers:
        """The steps that are left of what the steps are of."""
        return self.steps - self.step

    @property
    def epochs_left(self) -> Numbers:
        """The epochs that are left behind that of a line, where the first is 0 or 1."""
        left: Numbers = self.epochs - self.epoch - (self.epoch.min() == 0)
        return left

    @property
    def left_of_run(self) -> Numbers:
        """The steps that are left of all epochs."""
        return self.epochs_left * self.steps + self.left_of_epoch

    @property
    def is_from_known(self) -> bool:
        """Whether the number of the first epoch shows: it is that of some line, or that of the last is."""
        return self.epoch.min() <= 1 or bool((self.epoch == self.epochs).any())


@dataclass(frozen=True)
class _Left:
    """What is ``left``, the columns of the ``totals`` by what counts up to them, and what shows that it is of these."""

    totals: dict[str, str]
    left: Numbers
    why: Message


def expected_times(gathered: Gathered) -> Iterator[tuple[Gathered, Choice]]:
    """What lines of training say is left, as a choice, or the reason why that gives no speed; nothing without any."""
    series = _of_most_lines(gathered)
    if series is None:
        return
    found = _proven(series, gathered)
    refused = [(series.sense, found)] if isinstance(found, Message) else []
    yield gathered, Choice([] if isinstance(found, Message) else [found], refused)


def _of_most_lines(gathered: Gathered) -> SpokenSeries | None:
    """The remaining times of the lines of training, of the level and sense that have most."""
    found: dict[tuple[Level, Sense], list[Spoken]] = {}
    slots: dict[LineForm, Slot] = {}
    for row in gathered.spoken:
        form = row.form
        slot = form.first(REMAINING)
        is_counted = form.counter is not None or form.level.has_epoch
        if slot and slot.sense and form.has_evidence and is_counted and not (form.is_of_other or form.is_bar):
            found.setdefault((form.level, slot.sense), []).append(row)
            slots[form] = slot
    if not found:
        return None
    level, sense = max(found, key=lambda key: len(found[key]))
    rows = found[level, sense]
    return SpokenSeries(sense, level, rows, {row.form: slots[row.form] for row in rows})


def _proven(series: SpokenSeries, gathered: Gathered) -> Proven | Message:
    counted = _counted(series.rows)
    if reason := _not_told(series, counted) or not_of_training(series, gathered):
        return Message(reason)
    found = _of_what(series, counted, gathered)
    if isinstance(found, str):
        return Message(found)
    known = (found.left >= FEWEST_LEFT) & series.usable
    if known.sum() < FEWEST:
        return Message(TOO_FEW, count=FEWEST_LEFT)
    if _resolution(series) / 2 > MOST_ROUNDED * float(np.median(series.values[known])):
        return Message(TOO_COARSE)
    return Proven(series, REMAINING, series.sense.factor or 1.0, [found.why], totals=found.totals)


def _counted(rows: Sequence[Spoken]) -> _Progress:
    numbers = (
        [row.number(row.form.counter) for row in rows],
        [row.total for row in rows],
        [row.of("epoch") for row in rows],
        [row.total_of(row.form.first("epoch")) for row in rows],
    )
    return _Progress(*map(np.array, numbers))


def _not_told(series: SpokenSeries, counted: _Progress) -> str | None:
    """Why remaining times say nothing, whatever they are of."""
    if series.sense.factor is None and not series.is_clocked:
        return NO_UNIT
    texts = [row.form.written(series.slots[row.form]) for row in series.rows]
    if series.is_clocked and all(text.count(":") == 1 for text in texts):
        return OF_TWO_PARTS
    total = counted.steps if series.is_of_steps else counted.epochs
    if not np.isfinite(total).all():
        return NO_TOTAL
    return TOTALS_DIFFER if np.ptp(total) > 0 else None


def _of_what(series: SpokenSeries, counted: _Progress, gathered: Gathered) -> _Left | str:
    """Of what the time is left, or the reason why that is not known."""
    if not series.is_of_steps:
        found = _Left({"epoch": "epochs"}, counted.epochs_left, _of_all(OF_ALL_EPOCHS, series, counted.epochs))
        return _falling(series, found) if counted.is_from_known else NO_FIRST_EPOCH
    found = _Left({"step": "steps"}, counted.left_of_epoch, _of_all(OF_ALL_STEPS, series, counted.steps))
    of_epoch = _Left({"step": "steps_per_epoch"}, found.left, Message(OF_EPOCH, name=series.sense.name))
    is_of_epoch = _falls_with(series.values, found.left, found.left)
    if np.isfinite(counted.epochs).all() and counted.epochs.max() > 1:
        return _of_run(series, counted, is_of_epoch) or (of_epoch if is_of_epoch else UNCLEAR)
    if (np.diff(counted.step) < 0).any() or _numbers_epochs(gathered):
        return of_epoch if is_of_epoch else UNCLEAR
    return _falling(series, found)


def _of_run(series: SpokenSeries, counted: _Progress, is_of_epoch: bool | None) -> _Left | str | None:
    """What is left of a run in epochs, unless the time is of an epoch; the reason where nothing shows which it is."""
    times, left = series.values, counted.left_of_run
    if np.ptp(counted.epochs) > 0:
        return TOTALS_DIFFER
    is_of_run = _falls_with(times, left, counted.left_of_epoch)
    if is_of_epoch and is_of_run is False:
        return None
    if not is_of_run or is_of_epoch is not False or _falls_with(times, left, left) is False:
        return UNCLEAR
    totals = {"step": "steps_per_epoch", "epoch": "epochs"}
    return _Left(totals, left, Message(OF_RUN, name=series.sense.name)) if counted.is_from_known else NO_FIRST_EPOCH


def _of_all(key: str, series: SpokenSeries, totals: Numbers) -> Message:
    return Message(key, name=series.sense.name, total=f"{totals[0]:.0f}")


def _falling(series: SpokenSeries, found: _Left) -> _Left | str:
    """What was found, unless times show that they are not of all that is left."""
    return NOT_FALLING if _falls_with(series.values, found.left, found.left) is False else found


def _numbers_epochs(gathered: Gathered) -> bool:
    """Whether lines of the log tell of epochs."""
    return any(row.form.level.has_epoch for row in gathered.spoken)


def _falls_with(times: Numbers, left: Numbers, over: Numbers) -> bool | None:
    """Whether times are those of what is left, each of which takes about as long, however much is left ``over``.

    None where that differs too little, or each takes too unlike a time, for lines to show it.
    """
    good = (times > 0) & (left > 0) & (over > 0)
    each, ordered = np.log(times[good] / left[good]), np.log(over[good])
    if good.sum() < FEWEST:
        return None
    low, high = (ordered <= np.quantile(ordered, 1 / 3)), (ordered >= np.quantile(ordered, 2 / 3))
    apart = float(np.median(ordered[high]) - np.median(ordered[low]))
    if apart < LEAST_VARIED:
        return None
    slope = abs(float(np.median(each[high]) - np.median(each[low]))) / apart
    error = 2 * float(np.hypot(_error(each[high]), _error(each[low]))) / apart
    return True if slope + error < MOST_SLOPE else False if slope - error > MOST_SLOPE else None


def _error(numbers: Numbers) -> float:
    """The standard error of the median of numbers."""
    spread = SPREAD * float(np.median(np.abs(numbers - np.median(numbers))))
    return OF_MEDIAN * spread / float(np.sqrt(len(numbers)))


def _resolution(series: SpokenSeries) -> float:
    """What the last digit of remaining times counts, in their unit: minutes of `1h 20m`."""
    are_of_minutes = all(form.written(slot).rstrip().endswith("m") for form, slot in series.slots.items())
    return 60.0 if are_of_minutes else last_digit(series)
