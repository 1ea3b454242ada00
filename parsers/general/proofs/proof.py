"""Proofs: what shows that a number is the speed of training, in the unit that it seems to have.

What no measure looks like: a constant, a total, a number that is printed twice, lines that say different things.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ...io.message import Message
from ...naming.sense import (
    DURATION,
    ELAPSED,
    ENVIRONMENT_STEPS,
    EPOCH,
    RATE,
    STEP_RATE,
    STEP_TIME,
    TIME,
    WORK,
    Sense,
)
from ...naming.slots import Slot
from ..bars.bar_clock import LEAST_SECONDS
from ..bars.bar_evidence import measured_bar, why_shown
from ..bars.bar_of_epochs import why_of_epochs
from ..bars.numbered_passes import numbered_passes
from ..bars.training_bar import not_of_steps, speeds_differ
from ..evaluation_titles import OF_EVALUATION, is_clock_of_evaluation, not_of_training
from ..gathered import Gathered
from ..line_form import LineForm
from ..spoken_series import SpokenSeries, rises
from ..stated_counts import stated_amounts, stated_cards, stated_passes
from .announced_count import why_announced
from .clock_proof import is_clock_of_epochs, may_be_clock_of_epochs, why_clock
from .environment_rate import why_environment_steps
from .epoch_proof import OF_EPOCH, as_times_of_epochs, epochs_before, factor_of_epoch, why_whole_epoch
from .mean_proof import why_running_mean
from .no_measure import no_measure
from .parts_of_step import time_of_data, why_without_data
from .several_steps import PART, as_times_of_steps, of_several_steps
from .step_proof import (
    A_LOOP,
    AGAINST_STAMPS,
    AS_STAMPS,
    Share,
    amount,
    by_stamps,
    constant_amount,
    counts_something_else,
    is_of_unknown_loop,
    proof_of_step,
    share_of_all,
)
from .stretch_proof import OTHER_COUNT, steps_of_stretch, why_stretch
from .training_evidence import is_beside, not_evident, why_numbered, why_rates_of_epochs, why_unnamed

FEWEST_EPOCHS = 4
NOT_TRAINING = "its lines are not from training"
NOT_POSITIVE = "most of its values are not above zero"
NO_UNIT = "the log does not show what it counts"
OTHER_UNIT = "its unit differs from that of the number it is computed from"
UNPROVEN = (
    "nothing shows that it is the time of one step; timestamps, an elapsed or remaining time, a rate or your "
    "own grammar (--format) would"
)
NO_TIME_UNIT = (
    "the log shows neither its unit nor that it is the time of one step; timestamps, an elapsed or remaining "
    "time, a rate or your own grammar (--format) would"
)
NOT_OF_A_STEP = "it is computed from a different number of samples or tokens than a step has"

CLOCK_OF_EPOCHS = "{name} is the time since the start: it rises with each numbered epoch"
NO_CLOCK = "it does not rise with the steps"
COUNTED_UNKNOWN = "the log does not show what its throughput counts"
OF_ENVIRONMENTS = (
    "{name} counts environment steps, not optimizer steps; the log does not show whether it is a recent mean "
    "or one since the start"
)


@dataclass
class Proven:
    """A series that is a speed of training: ``factor`` seconds are its unit of time; ``why`` says what was assumed.

    ``cards``: how many there are, where it is of one of them and its lines show that. ``data``: where lines tell the
    time of the data, which it does not hold. ``is_of_runs``: it is of several runs, whose speeds lie apart.
    ``is_bar``: it is of a progress bar that shows its clock.
    ``is_running_mean``: it is the mean of all steps since an epoch began. ``totals``: of a remaining time the columns
    of what its lines count up to, by what counts it.
    """

    series: SpokenSeries
    role: str
    factor: float
    why: list[Message] = field(default_factory=list)
    cards: int | None = None
    data: Mapping[LineForm, Slot] | None = None
    is_of_runs: bool = False
    is_bar: bool = False
    is_running_mean: bool = False
    totals: Mapping[str, str] = field(default_factory=dict)


def prove(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    """What a series is, or the reason why that is not known."""
    shown = None if series.evidence else _shown_by_other_lines(series, gathered)
    found = _proven(replace(series, shown=shown), gathered)
    if isinstance(found, Proven) and (why := shown or why_unnamed(gathered)):
        found.why.append(why)
    return found


def _shown_by_other_lines(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that lines are of training that say nothing of it."""
    if series.kind == "summary":
        return why_announced(series, gathered) or why_rates_of_epochs(series, gathered)
    if series.kind != "epoch" or series.sense.role != TIME:
        return None
    return why_numbered(series, gathered) or why_whole_epoch(series)


def _proven(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    series = replace(as_times_of_steps(as_times_of_epochs(series)).with_unit(), is_beside=is_beside(series, gathered))
    is_bar = series.sense.role in (STEP_RATE, STEP_TIME) and "nameless" in series.sense.flags
    shown = why_shown(series, gathered) if is_bar else None
    if is_bar and not _of_other(series) and (epochs := _bar_of_epochs(series, gathered)):
        return epochs
    clock = _clock_of_epochs(series, gathered)
    reason = None if clock else _of_other(series) or not_evident(series, gathered, is_shown=shown is not None)
    since_start = None if clock or reason or series.sense.role not in (TIME, ELAPSED) else why_clock(series)
    if since_start and series.is_of_steps and is_clock_of_evaluation(series, gathered):
        return OF_EVALUATION
    if clock or since_start:
        return clock or Proven(series, ELAPSED, series.sense.factor or 1.0, since_start or [])
    reason = reason or (None if series.is_by_clock else no_measure(series))
    if reason or series.sense.role == ELAPSED:
        return reason or NO_CLOCK
    if is_bar and np.isfinite([row.clock for row in series.rows]).any():
        return _bar(series, gathered, shown)
    return _number(series, gathered, is_bar=is_bar)


def _number(series: SpokenSeries, gathered: Gathered, *, is_bar: bool) -> Proven | str:
    """What numbers are that may be measures, and no clock and of no bar that shows one."""
    if reason := not_of_steps(series, gathered) if is_bar else not_of_training(series, gathered):
        return reason
    if series.sense.role in (RATE, STEP_RATE):
        return _rate(series, gathered)
    return _time(series, gathered)


def _clock_of_epochs(series: SpokenSeries, gathered: Gathered) -> Proven | None:
    """The time since the start, where lines tell it behind those of each epoch."""
    is_of_clock = (series.sense.role == ELAPSED or may_be_clock_of_epochs(series)) and not _of_other(series)
    if not is_of_clock or not is_clock_of_epochs(series, epochs_before(series, gathered)):
        return None
    why = [Message(CLOCK_OF_EPOCHS, name=series.sense.name)]
    return Proven(replace(series, is_of_epochs=True), ELAPSED, series.sense.factor or 1.0, why)


def _bar(series: SpokenSeries, gathered: Gathered, shown: Message | None) -> Proven | str:
    """A progress bar that shows its clock: what stands around it (``shown``), or what it shows itself, proves it."""
    if isinstance(found := measured_bar(series, gathered, shown), str):
        return found
    told, why = found
    passes = numbered_passes(series, gathered) if speeds_differ(series) else None
    is_of_runs = passes is not None and passes.may_be_of_several_runs
    if series.is_by_clock:
        told = replace(told, sense=Sense(ELAPSED, ELAPSED, flags=series.sense.flags))
        return Proven(told, ELAPSED, 1.0, why, is_bar=True, is_of_runs=is_of_runs)
    return Proven(told, series.sense.role, series.sense.factor or 1.0, why, is_bar=True, is_of_runs=is_of_runs)


def _bar_of_epochs(series: SpokenSeries, gathered: Gathered) -> Proven | None:
    """A progress bar that counts epochs and shows its clock, where it was drawn for long enough."""
    is_last = np.append(np.diff(series.steps) != 0, True)  # one epoch is drawn again for what is shown beside it
    clocks = np.array([row.clock for row in series.rows])[is_last]
    grows = (np.diff(series.steps[is_last]) > 0) & (np.diff(clocks) > 0)
    is_long = grows.sum() >= FEWEST_EPOCHS and np.diff(clocks)[grows].sum() >= LEAST_SECONDS
    if not is_long or (why := why_of_epochs(series, gathered)) is None:
        return None
    slots = {form: form.counter for form in series.slots if form.counter}
    counted = replace(series, sense=Sense(EPOCH, EPOCH), slots=slots, inverse=frozenset())
    return Proven(counted, EPOCH, 1.0, [why], is_bar=True)


def _of_other(series: SpokenSeries) -> str | None:
    flags = series.sense.flags
    if "other" in flags or series.rows[0].form.is_of_other:
        return NOT_TRAINING
    if "part" in flags:
        return PART
    if series.usable.sum() < max(1, len(series) / 2):
        return NOT_POSITIVE
    return None


def _rate(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    sense, why = series.sense, list[Message]()
    if sense.role == RATE and (share := share_of_all(series)):
        return _of_share(series, share, gathered)
    if sense.role == RATE and _is_of_a_pass(series, gathered):
        return NOT_OF_A_STEP
    if sense.role == RATE and sense.unit is None and (of_environment := why_environment_steps(series, gathered)):
        sense = replace(sense, unit=ENVIRONMENT_STEPS)
        series = replace(series, sense=sense)
        why.append(of_environment)
    elif sense.role == RATE and sense.unit is None:
        is_evident = series.evidence >= 0.5 and rises(series.steps)
        if not is_evident and not amount(series):
            return NO_UNIT
        why.append(Message(COUNTED_UNKNOWN))
    if counts_something_else(series):
        return OTHER_UNIT
    if sense.unit == ENVIRONMENT_STEPS:
        why.append(Message(OF_ENVIRONMENTS, name=sense.name))
    return Proven(series, sense.role, sense.factor or 1.0, why)


def _of_share(series: SpokenSeries, share: Share, gathered: Gathered) -> Proven | str:
    """A rate that is a share of what all did: that of one card, unless the log says otherwise."""
    sense = replace(series.sense, unit=share.unit)
    cards = stated_cards(gathered)
    if share.times == 1:
        return Proven(replace(series, sense=sense), RATE, sense.factor or 1.0, [share.why])
    if (cards and share.times not in cards) or share.times in stated_passes(gathered):
        return NOT_OF_A_STEP
    of_card = replace(series, sense=replace(sense, scope="card"))
    return Proven(of_card, RATE, sense.factor or 1.0, [share.why], share.times)


def _is_of_a_pass(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a step has a multiple of what the rate and the time of its lines make, and that is not of the cards."""
    found = constant_amount(series)
    if found is None or series.sense.scope == "card":
        return False
    multiples = {times for stated in stated_amounts(gathered) if (times := _times(stated, found[1]))}
    return bool(multiples & stated_passes(gathered) or multiples - stated_cards(gathered))


def _times(stated: int, made: float) -> int | None:
    """The whole multiple, at least 2, that one number is of another; None if it is not one."""
    times = round(stated / made)
    return times if times >= 2 and abs(stated / made / times - 1) < 0.01 else None


def _time(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    if (count := steps_of_stretch(series)) is not None:
        why = why_stretch(series, count)
        return Proven(series, DURATION, series.sense.factor or 1.0, [why]) if why else OTHER_COUNT
    if series.kind == "epoch" and series.sense.role == TIME:
        found = factor_of_epoch(series)
        of_epoch = [Message(OF_EPOCH, name=series.sense.name), *series.why_seconds]
        return found if isinstance(found, str) else Proven(series, DURATION, found, of_epoch)
    if reason := of_several_steps(series):
        return reason
    ratio = by_stamps(series)
    if series.sense.role == STEP_TIME:
        return _step_time(series, ratio)
    return _time_of_step(series, gathered, ratio)


def _step_time(series: SpokenSeries, ratio: float | None) -> Proven | str:
    """What a time is that is called one of a step, or of a loop, if the stamps of its lines do not contradict it."""
    factor = series.sense.factor or 1.0
    if ratio is not None and not AS_STAMPS[0] <= ratio * factor <= AS_STAMPS[1]:
        return AGAINST_STAMPS
    if is_of_unknown_loop(series):
        return UNPROVEN
    proven = _of_step(series, factor, [])
    proven.why += [Message(A_LOOP)] if ratio is None and "of_loop" in series.sense.flags else []
    return proven


def _of_step(series: SpokenSeries, factor: float, why: list[Message]) -> Proven:
    """The time of one step, or its mean since an epoch began."""
    mean = why_running_mean(series)
    return Proven(series, STEP_TIME, factor, why or ([mean] if mean else []), is_running_mean=mean is not None)


def _time_of_step(series: SpokenSeries, gathered: Gathered, ratio: float | None) -> Proven | str:
    """What a time is that may be that of one step; ``ratio``: over that between two stamps for each step."""
    factor = series.sense.factor
    for unit in (factor,) if factor else (1.0, 1e-3):
        if why := proof_of_step(series, gathered, unit, ratio):
            return _of_step(series, unit, [why, *series.why_seconds])
    if factor and ratio is None and (why := why_running_mean(series)):
        return _of_step(series, factor, [why])
    if ratio is None and (data := time_of_data(series)):
        return Proven(series, WORK, 1.0, [why_without_data(series)], data=data)
    return UNPROVEN if factor else NO_TIME_UNIT
