"""What shows that a time is that of one step, in a unit: stamps, the time that is left, a rate beside it."""

from dataclasses import dataclass

import numpy as np

from ...io.message import Message
from ...naming.sense import RATE, STEP_TIME, TIME
from ...naming.vocabulary import counted, seconds, split
from ..gathered import Gathered, Spoken
from ..spoken_series import Numbers, SpokenSeries

BY_THE_STAMPS = "{name} is the time of one step, as the timestamps show"
BY_TIME_LEFT = "{name} is the time of one step, as the remaining time shows"
EVERY_STEP = "{name} is the time of one step: there is a line for each step"
BY_EPOCHS = "{name} is the time of one step, as the epoch time shows"
BY_WHOLE_EPOCHS = "{name} is the time of one step: the steps of an epoch take as long as the timestamps show"
BY_MEANS = "{name} is the time of one step, as the running mean beside it shows"
A_LOOP = "one loop is assumed to be one step: the lines count steps, but no timestamp shows how long one takes"
AGAINST_STAMPS = "it does not fit the time between its lines"
SHARE = '"{amount}" over "{time}" is {count} times "{rate}" in every line: there are {count} cards'
WHOLE = '"{amount}" over "{time}" is "{rate}" in every line'
SAME_AMOUNT = "{name} x {other} is {amount} in every line"
MOST_UNEVEN = 2  # times that one epoch took as long as another
LEAST = 3  # intervals that prove a clock
LEAST_SECONDS = 5
LEAST_CHANGE = 0.01
AS_THE_MEAN = (0.5, 2.0)
OF_LINES = 0.003
SAME_SHARE = 0.005
MOST_EVIDENT = 0.5
MOST_CARDS = 1 << 16
BY_STAMPS = (0.6, 1.1)
AS_STAMPS = (0.3, 1.5)
AS_THE_CLOCK = 0.05
BY_REMAINING = (0.75, 1.33)


def proof_of_step(series: SpokenSeries, gathered: Gathered, factor: float, ratio: float | None) -> Message | None:
    """What shows that a time in this unit is that of one step."""
    if ratio is not None and BY_STAMPS[0] < ratio * factor < BY_STAMPS[1]:
        return Message(BY_THE_STAMPS, name=series.sense.name)
    left = _by_remaining(series, factor)
    if left is not None and BY_REMAINING[0] < left < BY_REMAINING[1]:
        return Message(BY_TIME_LEFT, name=series.sense.name)
    if ratio is not None:
        return None
    return _without_stamps(series, gathered, factor)


def _without_stamps(series: SpokenSeries, gathered: Gathered, factor: float) -> Message | None:
    """What shows that a time in this unit is that of one step, where the stamps of its lines do not say."""
    whole = _by_stamps_of_whole_epochs(series)
    if whole is not None and BY_STAMPS[0] < whole * factor < BY_STAMPS[1]:
        return Message(BY_WHOLE_EPOCHS, name=series.sense.name)
    epoch = _by_epochs(series, gathered, factor)
    if epoch is not None:
        return Message(BY_EPOCHS, name=series.sense.name) if BY_STAMPS[0] < epoch < BY_STAMPS[1] else None
    if _is_mean_of_steps(series, factor):
        return Message(BY_MEANS, name=series.sense.name)
    is_told = series.sense.factor or (factor == 1.0 and series.median < 1 and series.has_parts)  # no step takes 1 ms
    is_each = is_told and is_of_every_step(series) and not _may_be_of_epochs(series)
    return amount(series, factor) or (Message(EVERY_STEP, name=series.sense.name) if is_each else None)


def _may_be_of_epochs(series: SpokenSeries) -> bool:
    """Whether neither the time nor what counts its lines is called that of steps: `[3/20] loss 0.5, time 2.1s`.

    Beside the number of an epoch it counts steps: `Epoch: [2][3/20] loss 0.5, time 2.1s`.
    """
    return series.sense.role != STEP_TIME and not (series.level.step or series.level.has_epoch)


def is_of_every_step(series: SpokenSeries) -> bool:
    """Whether there is a line for each step; those of an evaluation, too, may number epochs, if not named: `[3/20]`."""
    steps, form = np.diff(series.steps), series.rows[0].form
    is_of_epochs = any(s.sense and "other" in s.sense.flags for s in form.said.slots) and not form.level.has_epoch
    are_next = steps[~(steps < 0)] == 1  # an epoch begins anew
    return are_next.sum() >= 2 and bool(are_next.all()) and not is_of_epochs


def is_of_unknown_loop(series: SpokenSeries) -> bool:
    """Whether its numbers are of one of a loop, and nothing shows that this is of steps: its lines count none."""
    return "of_loop" in series.sense.flags and not (series.is_of_steps and series.evidence >= MOST_EVIDENT)


def by_stamps(series: SpokenSeries) -> float | None:
    """The number over the seconds between two lines for each step; None where stamps or steps do not say."""
    steps, moments = np.diff(series.steps), np.diff(np.array([row.moment for row in series.rows]))
    known = (steps > 0) & (moments > 0) & series.usable[1:]
    if known.sum() < LEAST or moments[known].sum() < LEAST_SECONDS:
        return None
    between = float(np.median(moments[known] / steps[known]))
    return float(np.median(series.values[1:][known])) / between


def _by_stamps_of_whole_epochs(series: SpokenSeries) -> float | None:
    """The number times the step of its line over the seconds since the epoch before, where lines end an epoch each.

    None where their steps differ, or stamps do not say.
    """
    steps, epochs = series.steps, np.diff(series.of("epoch"))
    moments = np.diff(np.array([row.moment for row in series.rows]))
    known = (epochs == 1) & (moments > 0) & series.usable[1:]
    if known.sum() < LEAST or np.ptp(steps) > 0 or moments[known].sum() < LEAST_SECONDS:
        return None
    return float(np.median(series.values[1:][known] * steps[1:][known] / moments[known]))


def _by_remaining(series: SpokenSeries, factor: float) -> float | None:
    """The steps that are left times this number over the time that the line says is left."""
    total, left = (np.array([getattr(row, name) for row in series.rows]) for name in ("total", "left"))
    with np.errstate(all="ignore"):
        ratio = (total - series.steps) * series.values * factor / left
    ratio = ratio[np.isfinite(ratio) & (left > 20) & (total > series.steps)]
    if len(ratio) < LEAST:
        return None
    middle = float(np.median(ratio))
    return middle if (np.abs(ratio / middle - 1) < 0.3).mean() > 0.5 else None


def _is_mean_of_steps(series: SpokenSeries, factor: float) -> bool:
    """Whether the means in brackets beside the numbers are those of all steps so far, and not only of those printed.

    No step of training takes less than a millisecond, so a number below 1 without a unit is in seconds.
    """
    means = np.array([row.number(row.form.mean_of(series.slots[row.form])) for row in series.rows])
    undone, own = list[Numbers](), list[Numbers]()
    for run in np.split(np.arange(len(means)), np.flatnonzero(np.diff(series.steps) <= 0) + 1):
        if len(run) >= LEAST and not _is_mean_of_lines(series.values[run], means[run]):
            undone.append(_without_mean(series.steps[run], means[run]))
            own.append(series.values[run][1:])
    if not undone:
        return False
    each, ratio = np.concatenate(undone), np.concatenate(undone) / np.concatenate(own)
    is_told = bool(series.sense.factor) or (factor == 1.0 and float(np.median(each)) < 1)
    return is_told and bool((each > 0).all()) and AS_THE_MEAN[0] < float(np.median(ratio)) < AS_THE_MEAN[1]


def _without_mean(steps: Numbers, means: Numbers) -> Numbers:
    """The means of the steps between two lines, from those of all steps so far."""
    begins_at_none = steps[0] == 0 or (steps[0] + 1) % (steps[1] - steps[0]) == 0
    done = steps + 1 if begins_at_none else steps
    found: Numbers = np.diff(done * means) / np.diff(done)
    return found


def _is_mean_of_lines(values: Numbers, means: Numbers) -> bool:
    """Whether means are those of the numbers that are printed, which may be of any number of steps."""
    of_lines = np.cumsum(values) / np.arange(1, len(values) + 1)
    return bool((np.abs(of_lines / means - 1) < OF_LINES).all())


def _by_epochs(series: SpokenSeries, gathered: Gathered, factor: float) -> float | None:
    """The steps of an epoch times this number over the seconds that its epochs took; None where these are not told."""
    steps = {row.total for row in series.rows if row.form.level.has_epoch and np.isfinite(row.total)}
    took = [seconds for row in gathered.spoken if (seconds := _seconds_of_epoch(row)) is not None]
    if len(steps) != 1 or not took or max(took) > MOST_UNEVEN * min(took):
        return None
    return steps.pop() * series.median / (series.sense.factor or 1.0) * factor / float(np.median(took))


def _seconds_of_epoch(row: Spoken) -> float | None:
    """The seconds that a line says an epoch took: the only ones in it."""
    form = row.form
    if form.first("step") or not form.first("epoch") or form.is_of_other:
        return None
    timed = [slot for slot in form.said.slots if not slot.is_mean and _is_seconds(slot.unit)]
    number = row.number(timed[0]) if len(timed) == 1 else 0.0
    return number if number >= LEAST_SECONDS else None


def _is_seconds(unit: str) -> bool:
    words = split(unit)
    return len(words) == 1 and seconds(words[0]) == 1.0


def amount(series: SpokenSeries, factor: float | None = None) -> Message | None:
    """Whether this number times another of its lines is one whole number in all of them, though both change."""
    found = constant_amount(series, factor)
    return Message(SAME_AMOUNT, name=series.sense.name, other=found[0], amount=f"{found[1]:.4g}") if found else None


def constant_amount(series: SpokenSeries, factor: float | None = None) -> tuple[str, float] | None:
    """The name of another number of its lines, and what that times this one is in all of them, though both change."""
    for slot_name, values, its_factor in _partners(series):
        product = values * series.values * (factor or its_factor)
        good = product[np.isfinite(product) & (product > 0)]
        if len(good) < LEAST or _spread(series.values) < 0.01:
            continue
        middle = float(np.median(good))
        if (
            (np.abs(good / middle - 1) < 0.01).mean() >= 0.9
            and middle >= 0.95
            and abs(middle - round(middle)) < 0.02 * middle
        ):
            return slot_name, middle
    return None


def _partners(series: SpokenSeries) -> list[tuple[str, Numbers, float]]:
    """Of a time the rates of the same lines, of a rate the times."""
    is_time = series.sense.role in (TIME, STEP_TIME)
    roles = (RATE,) if is_time else (TIME, STEP_TIME)
    found = []
    for sense in series.rows[0].form.speeds:
        if sense.role in roles and not sense.flags & {"other", "part"}:
            values = np.array([row.number(row.form.speeds.get(sense)) for row in series.rows])
            found.append((sense.name, values, sense.factor or 1.0))
    return found


def _spread(values: Numbers) -> float:
    good = values[np.isfinite(values) & (values > 0)]
    return float(good.max() / good.min() - 1) if len(good) else 0.0


@dataclass(frozen=True)
class Share:
    """How many times a rate is what its lines say that all did in the time of a step: ``unit`` is what they count."""

    unit: str
    times: int
    why: Message


def share_of_all(series: SpokenSeries) -> Share | None:
    """How many of these rates are that of the tokens, samples or the like of a step over its time, in every line."""
    for slot in series.rows[0].form.said.slots:
        units = {unit for word in split(slot.before) if (unit := counted(word)) and unit != "steps"}
        is_amount = slot.sense is None or slot.sense.role == "amount"
        if not is_amount or len(units) != 1 or series.sense.unit not in {*units, None}:
            continue
        amounts = np.array([row.number(row.form.at(slot.place)) for row in series.rows])
        for name, times, factor in _partners(series):
            with np.errstate(all="ignore"):
                ratio = amounts / (times * factor) / series.values
            if count := _whole(ratio, amounts, times):
                told = {"amount": " ".join(split(slot.before)), "time": name, "rate": series.sense.name}
                return Share(units.pop(), count, Message(WHOLE if count == 1 else SHARE, **told, count=count))
    return None


def _whole(ratio: Numbers, amounts: Numbers, times: Numbers) -> int | None:
    """The whole number that a ratio is in all lines, though what it is made of changes."""
    good = ratio[np.isfinite(ratio) & (ratio > 0)]
    if len(good) < LEAST or len(good) < len(ratio) or min(_spread(amounts), _spread(times)) < LEAST_CHANGE:
        return None
    count = round(float(np.median(good)))
    return count if 1 <= count <= MOST_CARDS and (np.abs(good / count - 1) < SAME_SHARE).all() else None


def counts_something_else(series: SpokenSeries) -> bool:
    """Whether the lines hold how much of another unit one step has, which over the time of a step is this rate."""
    for slot in series.rows[0].form.said.slots:
        counts = {unit for word in split(slot.before) if (unit := counted(word)) and unit != "steps"}
        if slot.sense or not counts or series.sense.unit in {*counts, None}:
            continue
        amounts = np.array([row.number(row.form.at(slot.place)) for row in series.rows])
        for _, times, factor in _partners(series):
            with np.errstate(all="ignore"):
                ratio = amounts / (times * factor) / series.values
            if (np.abs(ratio - 1) < 0.02).mean() >= 0.9:
                return True
    return False
