"""Proofs: what shows that a number is the speed of training, in the unit that it seems to have.

What no measure looks like: a constant, a total, a number that is printed twice, lines that say different things.
"""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from ..io.message import Message
from ..naming.sense import DURATION, ELAPSED, RATE, STEP_RATE, STEP_TIME, TIME
from .bar_surroundings import why_of_training
from .epoch_proof import (
    OF_EPOCH,
    as_times_of_epochs,
    epochs_before,
    factor_of_epoch,
    is_clock,
    is_clock_of_epochs,
)
from .evaluation_titles import not_of_training
from .gathered import Gathered
from .no_measure import no_measure
from .spoken_series import LEAST, SpokenSeries, rises
from .stated_counts import stated_amounts, stated_cards, stated_passes
from .step_proof import (
    AGAINST_STAMPS,
    AS_STAMPS,
    AS_THE_CLOCK,
    Share,
    amount,
    by_stamps,
    constant_amount,
    counts_something_else,
    proof_of_step,
    share_of_all,
)
from .training_bar import names_steps, not_confirmed, not_of_steps

NOT_TRAINING = "its lines are not of training"
PART = "it is a part of a step, or not of all steps"
NOT_POSITIVE = "most of its numbers are not above zero"
NO_EVIDENCE = "nothing in its lines shows that they are of training"
OF_OTHER = "its lines tell of something else"
NO_UNIT = "the log does not show what it counts"
ONE_LINE = "only one line has it"
OTHER_UNIT = "its unit is not that of the number that it is computed from"
UNPROVEN = (
    "nothing shows that it is the time of one step; stamps, an elapsed or remaining time or a rate in its lines would, "
    "or a grammar of your own (--format)"
)
NO_TIME_UNIT = (
    "the log shows neither its unit nor that it is the time of one step; stamps, an elapsed or remaining time or a "
    "rate in its lines would, or a grammar of your own (--format)"
)
OF_SEVERAL_STEPS = "it is the time of all steps since the line before, as the stamps of its lines show"
MOST_NEAR = 0.8
NOT_OF_A_STEP = "it is computed from another number of samples or tokens than a step has"
TWO_COUNTERS = (
    "its lines have two counters that rise at different rates, and nothing shows to which of them the time belongs"
)
UNKNOWN_NAME = "its name has words that are not known"

_ELSEWHERE = re.compile(
    r"(?i)\b(?:infer\w*|eval\w*|test\w*|generat\w*|predict\w*|request\w*|latency|draw|bitrate|valid\w*|bandwidth)\b"
)
_OF_DATA = re.compile(r"(?i)data[ _]?load")  # a part of a step
CLOCK = "{name} is the time since the start, for it rises with the steps"
CLOCK_OF_EPOCHS = "{name} is the time since the start, for it rises with each epoch that the lines before it number"
NO_CLOCK = "it does not rise with the steps"
COUNTED_UNKNOWN = "the log does not show what its throughput counts"
BAR = "the progress bar shows the speed that its own clock gives"
MOST_LINES = 25  # of a record
MOST_BESIDE = 0.9


@dataclass
class Proven:
    """A series that is a speed of training: ``factor`` seconds are its unit of time; ``why`` says what was assumed.

    ``cards``: how many there are, where it is of one of them and its lines show that.
    """

    series: SpokenSeries
    role: str
    factor: float
    why: list[Message] = field(default_factory=list)
    cards: int | None = None


def prove(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    """What a series is, or the reason why that is not known."""
    series = replace(as_times_of_epochs(series).with_unit(), is_beside=_is_beside(series, gathered))
    is_bar = series.sense.role in (STEP_RATE, STEP_TIME) and "nameless" in series.sense.flags
    shown = why_of_training(series, gathered) if is_bar else None
    clock = _clock_of_epochs(series, gathered)
    reason = None if clock else _of_other(series) or _not_evident(series, gathered, is_shown=shown is not None)
    if clock or (not reason and series.sense.role in (TIME, ELAPSED) and is_clock(series)):
        return clock or Proven(series, ELAPSED, 1.0, [Message(CLOCK, name=series.sense.name)])
    reason = reason or no_measure(series)
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
    if series.sense.role != ELAPSED or not is_clock_of_epochs(series, epochs_before(series, gathered)):
        return None
    why = [Message(CLOCK_OF_EPOCHS, name=series.sense.name)]
    return Proven(replace(series, is_of_epochs=True), ELAPSED, series.sense.factor or 1.0, why)


def _bar(series: SpokenSeries, gathered: Gathered, shown: Message | None) -> Proven | str:
    """A progress bar that shows its clock: what stands around it (``shown``), or what it shows itself, proves it."""
    reason = None if shown else not_of_steps(series, gathered)
    if reason := reason or not_confirmed(series, are_ends_told=shown is not None):
        return reason
    told = replace(series, is_surrounded=shown is not None)
    return Proven(told, series.sense.role, series.sense.factor or 1.0, [Message(BAR), *([shown] if shown else [])])


def _of_other(series: SpokenSeries) -> str | None:
    flags = series.sense.flags
    if "other" in flags or series.rows[0].form.is_of_other:
        return NOT_TRAINING
    if "part" in flags:
        return PART
    if series.usable.sum() < max(1, len(series) / 2):
        return NOT_POSITIVE
    return None


def _not_evident(series: SpokenSeries, gathered: Gathered, *, is_shown: bool) -> str | None:
    is_evident = series.evidence >= 0.5
    is_of_epochs = series.kind == "epoch" and series.sense.role == TIME
    if not (
        is_evident
        or is_shown
        or series.is_beside
        or (_follow_training(series, gathered) if is_of_epochs else _progresses(series, gathered))
        or any(form.is_of_training for form in series.slots)
    ):
        return NO_EVIDENCE
    if len(series) < 2 and not (series.kind == "summary" and any(form.is_of_training for form in series.slots)):
        return ONE_LINE
    if not is_evident and any(_ELSEWHERE.search(row.text) for row in series.rows[:20]):
        return OF_OTHER
    if "qualified" in series.sense.flags and not (is_evident and rises(series.steps)):
        return UNKNOWN_NAME
    return None


def _follow_training(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a line of training stands between each line and the next: what took so long may be a test.

    One stands before the first line, too, or else behind the last.
    """
    of_training = [row.line for row in gathered.spoken if row.form.has_evidence and not row.form.is_of_other]
    places = np.searchsorted(of_training, [row.line for row in series.rows])
    is_beside = places[0] > 0 or places[-1] < len(of_training)
    return bool(np.append(np.diff(places) > 0, is_beside).mean() >= MOST_BESIDE)


def _progresses(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether its lines count steps or epochs up, or count them at all where others print losses.

    All bars count: one must be that of an epoch, be named by steps and drawn after one that is named by epochs, or have
    no name where others print losses once it has begun; what stands before it may be a configuration.
    """
    if series.rows[0].form.is_bar:
        form, begin = series.rows[0].form, series.rows[0].line
        later = (row.form for row in gathered.spoken if row.line >= begin)
        losses = sum(other.has_evidence and not other.is_of_other for other in later)
        in_epochs = names_steps(series) and any(r.form.is_bar_of_epochs for r in gathered.spoken if r.line <= begin)
        return form.level.has_epoch or in_epochs or (losses >= LEAST and not form.level.words)
    is_told = series.sense.unit is not None or series.sense.role in (STEP_RATE, STEP_TIME)
    least = 2 if is_told and "nameless" not in series.sense.flags else LEAST
    counts = rises(series.steps) or rises(series.of("epoch"))
    return bool(counts and len(series) >= least) or (series.is_of_steps and gathered.evidence >= LEAST)


def _is_beside(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether each line has one of training before it, of the same record, and none of an evaluation between."""
    sense, lines = series.sense, [row.line for row in series.rows]
    is_told = sense.unit is not None or (sense.role == STEP_TIME and sense.factor is not None)
    if (
        not is_told
        or series.is_of_steps
        or series.evidence
        or len(lines) < LEAST
        or sense.flags & {"nameless", "qualified"}
    ):
        return False
    of_training = np.array([row.line for row in gathered.spoken if row.form.has_evidence and not row.form.is_of_other])
    of_others = np.array([r.line for r in gathered.spoken if r.form.is_of_other and not _OF_DATA.search(r.form.text)])
    if not len(of_training):
        return False
    places = np.searchsorted(of_training, lines)
    before = np.where(places > 0, of_training[places - 1], -MOST_LINES)
    are_others = np.searchsorted(of_others, lines) - np.searchsorted(of_others, before)
    are_own = (np.diff(before, prepend=-1) > 0) & (np.subtract(lines, before) < MOST_LINES) & (are_others == 0)
    return bool(are_own.mean() >= MOST_BESIDE)


def _rate(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    sense, why = series.sense, list[Message]()
    if sense.role == RATE and (share := share_of_all(series)):
        return _of_share(series, share, gathered)
    if sense.role == RATE and _is_of_a_pass(series, gathered):
        return NOT_OF_A_STEP
    if sense.role == RATE and sense.unit is None:
        is_evident = series.evidence >= 0.5 and rises(series.steps)
        if not is_evident and not amount(series):
            return NO_UNIT
        why.append(Message(COUNTED_UNKNOWN))
    if counts_something_else(series):
        return OTHER_UNIT
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


def _counts_in_two_ways(series: SpokenSeries) -> bool:
    """Whether its lines have two counters, one of them faster: passes, of which several make a step."""
    counters = {form: form.counters for form in series.slots}
    both = [[row.number(slot) for slot in counters[row.form][:2]] for row in series.rows if len(counters[row.form]) > 1]
    if len(both) < LEAST:
        return False
    growth = np.diff(np.array(both), axis=0)
    growth = growth[(growth > 0).any(axis=1) & (growth >= 0).all(axis=1)]
    one, other = growth.sum(axis=0)
    return bool(len(growth)) and not np.isclose(one, other, rtol=0.01)


def _time(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    if series.kind == "epoch" and series.sense.role == TIME:
        found = factor_of_epoch(series)
        of_epoch = [Message(OF_EPOCH, name=series.sense.name), *series.why_seconds]
        return found if isinstance(found, str) else Proven(series, DURATION, found, of_epoch)
    if reason := _of_several_steps(series):
        return reason
    ratio, factor = by_stamps(series), series.sense.factor
    if series.sense.role == STEP_TIME:
        if ratio is not None and not AS_STAMPS[0] <= ratio * (factor or 1.0) <= AS_STAMPS[1]:
            return AGAINST_STAMPS
        return Proven(series, STEP_TIME, factor or 1.0)
    for unit in (factor,) if factor else (1.0, 1e-3):
        if why := proof_of_step(series, gathered, unit, ratio):
            return Proven(series, STEP_TIME, unit, [why, *series.why_seconds])
    return UNPROVEN if factor else NO_TIME_UNIT


def _of_several_steps(series: SpokenSeries) -> str | None:
    """Why a time is not that of one step, but of an epoch, of some passes or of all steps between two lines."""
    if "of_epoch" in series.sense.flags:
        return PART
    if _counts_in_two_ways(series):
        return TWO_COUNTERS
    return OF_SEVERAL_STEPS if _is_between_lines(series) else None


def _is_between_lines(series: SpokenSeries) -> bool:
    """Whether the number is the seconds between two lines, as their stamps show, of which several steps lie between."""
    moments, steps = np.diff(np.array([row.moment for row in series.rows])), np.diff(series.steps)
    known = (steps > 1) & (moments > 0) & series.usable[1:]
    near = np.abs(series.values[1:][known] * (series.sense.factor or 1.0) / moments[known] - 1) < AS_THE_CLOCK
    return known.sum() >= LEAST and bool(near.mean() > MOST_NEAR)
