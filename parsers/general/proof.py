"""Proofs: what shows that a number is the speed of training, in the unit that it seems to have.

What no measure looks like: a constant, a total, a number that is printed twice, lines that say different things.
"""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from ..io.message import Message
from .gathered import Gathered
from .sense import DURATION, ELAPSED, RATE, STEP_RATE, STEP_TIME, TIME
from .spoken_series import AGREE, FEW, Numbers, SpokenSeries, rises
from .stated_counts import stated_amounts, stated_cards, stated_passes
from .step_proof import (
    AGAINST_STAMPS,
    AS_STAMPS,
    OF_EPOCH,
    Share,
    amount,
    by_stamps,
    constant_amount,
    counts_something_else,
    factor_of_epoch,
    is_clock,
    proof_of_step,
    share_of_all,
)
from .training_bar import names_steps, not_confirmed, not_of_steps, not_of_training

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
NOT_OF_A_STEP = "it is computed from another number of samples or tokens than a step has"
UNKNOWN_NAME = "its name has words that are not known"

_ELSEWHERE = re.compile(
    r"(?i)\b(?:infer\w*|eval\w*|test\w*|generat\w*|predict\w*|request\w*|latency|draw|bitrate|valid\w*|bandwidth)\b"
)
TWICE = "each of its numbers stands in several lines"
CLOCK = "{name} is the time since the start, for it rises with the steps"
NO_CLOCK = "it does not rise with the steps"
FORMS_DIFFER = "its lines are of several forms, which say different things"
CONSTANT = "it is always the same number"
A_TOTAL = "it only rises: a total"
MANY = 20
MOST_RISING = 5  # times of epochs of which each is longer than the one before
FORMS_APART = 1.5
FAR = 2.5  # a level that differs by more than this is of something else
COUNTED_UNKNOWN = "the log does not show what its throughput counts"
BAR = "the progress bar shows the speed that its own clock gives"
MOST_LINES = 25  # of a record
MOST_BESIDE = 0.9
LEAST = 3


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
    series = replace(series, is_beside=_is_beside(series, gathered))
    reason = _of_other(series) or _not_evident(series, gathered)
    if not reason and series.sense.role in (TIME, ELAPSED) and is_clock(series):
        return Proven(series, ELAPSED, 1.0, [Message(CLOCK, name=series.sense.name)])
    reason = reason or no_measure(series)
    if reason or series.sense.role == ELAPSED:
        return reason or NO_CLOCK
    is_bar = series.sense.role in (STEP_RATE, STEP_TIME) and "nameless" in series.sense.flags
    if reason := not_of_steps(series, gathered) if is_bar else not_of_training(series, gathered):
        return reason
    if is_bar and np.isfinite([row.clock for row in series.rows]).any():
        reason = not_confirmed(series)
        return reason or Proven(series, series.sense.role, series.sense.factor or 1.0, [Message(BAR)])
    if series.sense.role in (RATE, STEP_RATE):
        return _rate(series, gathered)
    return _time(series, gathered)


def _of_other(series: SpokenSeries) -> str | None:
    flags = series.sense.flags
    if "other" in flags or series.rows[0].form.is_of_other:
        return NOT_TRAINING
    if "part" in flags:
        return PART
    if series.usable.sum() < max(1, len(series) / 2):
        return NOT_POSITIVE
    return None


def _not_evident(series: SpokenSeries, gathered: Gathered) -> str | None:
    is_evident = series.evidence >= 0.5
    is_of_epochs = series.kind == "epoch" and series.sense.role == TIME
    if not (
        is_evident
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
    """Whether a line of training stands between each line and the one before it: what took so long may be a test."""
    of_training = [row.line for row in gathered.spoken if row.form.has_evidence and not row.form.is_of_other]
    places = np.searchsorted(of_training, [row.line for row in series.rows])
    return bool((np.diff(places, prepend=0) > 0).mean() >= MOST_BESIDE)


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
    of_others = np.array([row.line for row in gathered.spoken if row.form.is_of_other])
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


def _time(series: SpokenSeries, gathered: Gathered) -> Proven | str:
    if series.kind == "epoch" and series.sense.role == TIME:
        found = factor_of_epoch(series)
        of_epoch = [Message(OF_EPOCH, name=series.sense.name)]
        return found if isinstance(found, str) else Proven(series, DURATION, found, of_epoch)
    if "of_epoch" in series.sense.flags:
        return PART
    ratio, factor = by_stamps(series), series.sense.factor
    if series.sense.role == STEP_TIME:
        if ratio is not None and not AS_STAMPS[0] <= ratio * (factor or 1.0) <= AS_STAMPS[1]:
            return AGAINST_STAMPS
        return Proven(series, STEP_TIME, factor or 1.0)
    for unit in (factor,) if factor else (1.0, 1e-3):
        if why := proof_of_step(series, gathered, unit, ratio):
            return Proven(series, STEP_TIME, unit, [why])
    return UNPROVEN if factor else NO_TIME_UNIT


def no_measure(series: SpokenSeries) -> str | None:
    """Why a series cannot be measurements; None if it can."""
    values = series.values[series.usable]
    if len(values) >= LEAST and len(set(values.tolist())) == 1 and not rises(series.steps):
        return CONSTANT
    if _is_repeated(series):
        return TWICE
    if _has_unlike_forms(series):
        return FORMS_DIFFER
    rising = np.diff(values)
    if series.kind == "epoch" and len(values) >= LEAST and (rising > 0).all():
        return A_TOTAL if values[-1] > 2 * values[0] or len(values) >= MOST_RISING else None
    if len(values) > LEAST and (rising >= 0).all() and values[-1] > 2 * values[0]:
        is_uneven = len(values) < MANY and np.std(rising) > 0.5 * np.mean(rising)
        return None if is_uneven else A_TOTAL
    return None


def _is_repeated(series: SpokenSeries) -> bool:
    """Whether most lines repeat the number of the line before them, for the same step."""
    steps, epochs, values = np.nan_to_num(series.steps), np.nan_to_num(series.of("epoch")), series.values
    again = (values[1:] == values[:-1]) & (steps[1:] == steps[:-1]) & (epochs[1:] == epochs[:-1])
    is_counted = np.isfinite(series.steps).any() or np.isfinite(series.of("epoch")).any()
    return bool(is_counted and again.sum() >= max(1, 0.4 * len(series)))


def _has_unlike_forms(series: SpokenSeries) -> bool:
    """Whether lines with other names beside the number have other numbers, which lie apart and not by chance."""
    of_names: dict[tuple[str, ...], list[float]] = {}
    for row, value, is_usable in zip(series.rows, series.values.tolist(), series.usable.tolist(), strict=True):
        if is_usable:
            of_names.setdefault(row.form.names, []).append(value)
    large = [values for values in of_names.values() if len(values) >= max(1, FEW * len(series))]
    ranges = [np.quantile(values, (0.25, 0.5, 0.75)) for values in large]
    fewest = min(map(len, large), default=0)
    return any(_lie_apart(one, other, fewest) for number, one in enumerate(ranges) for other in ranges[:number])


def _lie_apart(one: Numbers, other: Numbers, fewest: int) -> bool:
    """Whether two ranges differ by much, the more the fewer numbers they are of, or do not meet."""
    low, high = (one, other) if one[1] < other[1] else (other, one)
    apart = FORMS_APART if fewest > 1 else FAR
    return bool(
        high[1] / low[1] > apart
        or (fewest >= LEAST and high[1] / low[1] > 1 + AGREE and high[0] > low[2] and low[0] < low[2])
    )
