"""Which series of a log is its speed: levels and forms of one log that disagree give none."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..io.message import Message
from ..naming.sense import DURATION, ELAPSED, EPOCH, RATE, STEP, STEP_RATE, STEP_TIME, TIME, WORK, Sense
from .bars.bar_clock import LEAST_SECONDS, LEAST_STEPS, bars_by_clock
from .bars.bar_passes import counts_passes
from .bars.training_bar import APART
from .evaluation_titles import evaluates_before
from .gathered import Gathered
from .proofs.epoch_proof import rise_or_begin_anew
from .proofs.proof import Proven, prove
from .proofs.training_evidence import speaks_of_training
from .proofs.whole_epochs import too_slow_for_epochs
from .spoken_series import AGREE, FAR, FEW, Numbers, SpokenSeries, agree, all_series, of_stamps

LEVELS_DIFFER = "{count} lines of another level say {other}, these {own}"
FORMS_DIFFER = "{count} lines of another form say {other}, these {own}"
SEVERAL = "several that differ: {names}"
SEVERAL_BARS = "there are other progress bars, and the log does not show which of them belongs to training"
BARS_DIFFER = "several progress bars belong to training, at different speeds"
UNITS_DIFFER = "other lines of the same form use another unit of time"
BOTH_WAYS = "the bar shows steps per second in some lines and seconds per step in others"
BY_STAMPS = "no speed or training time was recognised; steps are timed by the timestamps of their lines"
EPOCHS_BY_STAMPS = "no speed or training time was recognised; epochs are timed by the timestamps of their lines"
FEWEST_STAMPS, FEWEST_EPOCHS = 10, 4
MOST_STAMPS, MOST_OF_EPOCH = 0.8, 0.95
FEWEST_EVEN, MOST_UNEVEN = 5, 1.25
_ORDER = (RATE, STEP_TIME, STEP_RATE, WORK)


@dataclass
class Choice:
    """The speeds that a log has, the best first, all of the same lines; or none, and the reasons in ``refused``.

    ``epochs``: those of a time of the whole run, on lines of their own.
    """

    speeds: list[Proven] = field(default_factory=list)
    refused: list[tuple[Sense, Message]] = field(default_factory=list)
    epochs: Proven | None = None


def choose(gathered: Gathered) -> Choice:
    """Find the speeds of a log, each proven and none contradicted."""
    every, choice, proven = all_series(gathered), Choice(), list[Proven]()
    every += bars_by_clock(gathered, every)
    for series in every:
        found = prove(series, gathered)
        if isinstance(found, str) and series.sense.role == ELAPSED:
            continue
        if isinstance(found, str):
            choice.refused.append((series.sense, Message(found)))
        else:
            proven.append(found)
    bars = [one for one in proven if one.series.is_surrounded]
    for one in list(proven):
        is_rivalled = any(_is_rival_bar(one, other) for other in bars)
        if reason := Message(BARS_DIFFER) if is_rivalled else _contradicted(one, proven, every, gathered):
            choice.refused.append((one.series.sense, reason))
            proven = [other for other in proven if other is not one]
    clocks = [one for one in proven if one.role == ELAPSED and not one.series.is_of_epochs]
    of_steps = _of_best(proven, choice, _ORDER) or sorted(clocks, key=_merit, reverse=True)[:1]
    of_epochs = of_steps or _of_best(proven, choice, (DURATION,))
    clocks_of_epochs = [one for one in proven if one.series.is_of_epochs][:1]
    bars = [one for one in proven if one.role == EPOCH][:1]
    choice.speeds = of_epochs or _by_stamps(gathered) or bars or clocks_of_epochs or _epochs_by_stamps(gathered)
    return choice


def _by_stamps(gathered: Gathered) -> list[Proven]:
    """The steps of lines of training, for their stamps to count by, where they rise for long enough."""
    series = of_stamps(gathered)
    if series is None or len(series) < FEWEST_EVEN:
        return []
    done, passed = np.diff(series.steps), np.diff(np.array([row.moment for row in series.rows]))
    are_on = (done > 0) & (passed >= 0)
    is_long = passed[are_on].sum() >= LEAST_SECONDS
    groups = _groups(done, passed)
    are_enough = len(series) >= FEWEST_STAMPS or (_are_even(done, passed) and speaks_of_training(gathered))
    is_told = are_on.all() if series.rows[0].form.only_count_of_steps else _rise(series, are_on)
    if not (is_told and are_enough and is_long) or evaluates_before(series, gathered) or _alternate(groups):
        return []
    return [Proven(series, STEP, 1.0, [Message(BY_STAMPS)], is_of_runs=len(groups) > 1)]


def _rise(series: SpokenSeries, are_on: NDArray[np.bool_]) -> bool:
    """Whether steps rise from line to line as a rule; or always but where an epoch begins, as of few lines each."""
    are_of_epoch = ~(np.diff(series.of("epoch")) > 0)
    of_epoch = are_on[are_of_epoch]
    return bool(are_on.mean() >= MOST_STAMPS or (len(of_epoch) >= FEWEST_EVEN and of_epoch.mean() >= MOST_OF_EPOCH))


def _are_even(done: Numbers, passed: Numbers) -> bool:
    """Whether each step takes about as long between all lines: so many in so few lines cannot be by chance."""
    with np.errstate(all="ignore"):
        each = passed / done
    return bool(np.isfinite(each).all() and each.min() > 0 and each.max() <= MOST_UNEVEN * each.min())


def _epochs_by_stamps(gathered: Gathered) -> list[Proven]:
    """The epochs of lines of training, for their stamps to count by, where each has one for long enough."""
    series = of_stamps(gathered, EPOCH)
    if series is None or len(series) < FEWEST_EPOCHS or not rise_or_begin_anew(series.values):
        return []
    done, passed = np.diff(series.values), np.diff(np.array([row.moment for row in series.rows]))
    are_on = (done > 0) & (passed >= 0)
    is_long = passed[are_on].sum() >= LEAST_SECONDS
    if are_on.mean() < MOST_STAMPS or not is_long or evaluates_before(series, gathered):
        return []
    return [Proven(series, EPOCH, 1.0, [Message(EPOCHS_BY_STAMPS)])]


def _groups(done: Numbers, passed: Numbers) -> list[Numbers]:
    """The times of steps, each time that these begin anew, in groups that lie apart.

    ``done``, ``passed``: steps and seconds between two lines.
    """
    begins = np.flatnonzero(done <= 0)
    runs = zip(np.split(done, begins), np.split(passed, begins), strict=True)
    times = [
        float(np.median(seconds[steps > 0] / steps[steps > 0]))
        for steps, seconds in runs
        if (steps > 0).sum() >= LEAST_STEPS
    ]
    if not times or max(times) <= APART * min(times):
        return [np.array(times)]
    return np.split(times, [n for n, pair in enumerate(pairwise(times), 1) if max(pair) > APART * min(pair)])


def _alternate(groups: Sequence[Numbers]) -> bool:
    """Whether times lie apart as those of training and of an evaluation without a name do.

    A run of another size that was appended goes on as it began, where training follows an evaluation again.
    """
    if len(groups) < 2:
        return False
    middles = sorted(float(np.median(group)) for group in groups)
    are_apart = all(slower > APART * faster for faster, slower in pairwise(middles))
    return not are_apart or min(map(len, groups)) < LEAST_STEPS


def _contradicted(
    one: Proven, proven: Sequence[Proven], every: Sequence[SpokenSeries], gathered: Gathered
) -> Message | None:
    """What other lines of the log say against a series."""
    if one.role == ELAPSED and one.is_bar:
        return _contradicted_by_bars(one.series, every, gathered)
    if one.role == ELAPSED or (one.role == EPOCH and one.is_bar):
        return None
    own, others = one.series, [other.series for other in proven if other is not one and other.role == one.role]
    for other in others:
        if other.sense.unit != own.sense.unit or "nameless" in other.sense.flags | own.sense.flags:
            continue
        if other.kind == own.kind and other.sense.name == own.sense.name and _differ(own, other):
            return _against(FORMS_DIFFER, own, other)
    for other in every:
        if _is_other_level(own, other) and not 1 / FAR < own.median / other.median < FAR:
            return _against(LEVELS_DIFFER, own, other)
    if any(map(partial(_is_in_another_unit, own), every)):
        return Message(UNITS_DIFFER)
    return too_slow_for_epochs(one, proven) or _contradicted_by_bars(own, every, gathered)


def _is_rival_bar(one: Proven, other: Proven) -> bool:
    """Whether two bars are both shown to be of training, and run at other speeds."""
    own, rival = (proven.series for proven in (one, other))
    are_shown = (
        own.is_surrounded and rival.is_surrounded and (own.level.words, own.total) != (rival.level.words, rival.total)
    )
    return are_shown and not 1 / (1 + AGREE) <= _step_rate(own) / _step_rate(rival) <= 1 + AGREE


def _step_rate(bar: SpokenSeries) -> float:
    if bar.is_by_clock:
        bar = replace(bar, sense=replace(bar.sense, role=STEP_TIME))
    return bar.median if bar.sense.role == STEP_RATE else 1 / bar.median


def _contradicted_by_bars(own: SpokenSeries, every: Sequence[SpokenSeries], gathered: Gathered) -> Message | None:
    """What other bars of the log, or other lines of the same, say against that of a series."""
    others = filter(partial(_is_another_bar, own), every) if own.total is not None else ()
    if not all(counts_passes(other.rows, own, gathered) for other in others):
        return Message(SEVERAL_BARS)
    if (
        own.sense.role != RATE
        and "nameless" in own.sense.flags
        and not (own.inverse or own.is_by_clock)
        and _is_other_way(own, every)
    ):
        return Message(BOTH_WAYS)
    return None


def _against(key: str, own: SpokenSeries, other: SpokenSeries) -> Message:
    return Message(key, count=len(other), other=f"{other.median:.4g}", own=f"{own.median:.4g}")


def _is_other_level(own: SpokenSeries, other: SpokenSeries) -> bool:
    """Whether a series says the same thing of training at another level, proven or not."""
    is_told = not other.sense.flags & {"other", "part", "nameless"} and not other.rows[0].form.is_of_other
    same = (other.sense.role, other.sense.unit, other.sense.scope) == (own.sense.role, own.sense.unit, own.sense.scope)
    same &= own.sense.role != TIME or own.kind == other.kind  # an epoch takes longer than its steps
    return (
        same and is_told and other.level != own.level and bool(other.usable.any()) and "nameless" not in own.sense.flags
    )


def _differ(own: SpokenSeries, other: SpokenSeries) -> bool:
    is_few = len(other) < FEW * len(own)
    shared = {row.line for row in own.rows} & {row.line for row in other.rows}
    return not is_few and not shared and agree(own, other) is False


def _is_in_another_unit(own: SpokenSeries, other: SpokenSeries) -> bool:
    """Whether other lines say the same in another unit of time: `0.98ms` of some, `1.02s` of those that took longer."""
    same = (own.sense.role, own.sense.name, own.level) == (other.sense.role, other.sense.name, other.level)
    is_other = same and own.sense.factor != other.sense.factor
    return is_other and not {row.line for row in own.rows} & {row.line for row in other.rows}


def _is_another_bar(own: SpokenSeries, other: SpokenSeries) -> bool:
    """Whether a series is of a bar of other steps that ran long, where none has a name or a loss."""
    clocks = np.array([row.clock for row in other.rows])
    form = other.rows[0].form
    is_bar = other.total not in (None, own.total) and not (form.is_of_other or form.is_bar_of_epochs)
    return is_bar and not (own.evidence or own.is_surrounded) and _length(clocks) >= LEAST_SECONDS


def _length(clocks: Numbers) -> float:
    known = clocks[np.isfinite(clocks)]
    return float(np.ptp(known)) if len(known) else 0.0


def _is_other_way(own: SpokenSeries, every: Sequence[SpokenSeries]) -> bool:
    """Whether many lines of the same bar show the inverse."""
    roles = {STEP_RATE, STEP_TIME} - {own.sense.role}
    inverse = [
        s
        for s in every
        if s.sense.role in roles
        and "nameless" in s.sense.flags
        and (s.level.words, s.total) == (own.level.words, own.total)
    ]
    return sum(map(len, inverse)) > 0.05 * len(own)


def _of_best(proven: Sequence[Proven], choice: Choice, order: Sequence[str]) -> list[Proven]:
    """The best series of each quantity among the lines of the best of all."""
    found = list[Proven]()
    for role in order:
        of_role = sorted((one for one in proven if one.role == role), key=_merit, reverse=True)
        if of_role and _has_rival(of_role[0], of_role[1:]):
            names = ", ".join(sorted({one.series.sense.name for one in of_role}))
            choice.refused.append((of_role[0].series.sense, Message(SEVERAL, names=names)))
        elif of_role:
            found.append(of_role[0])
    found.sort(key=lambda one: (not one.series.is_of_steps, one.series.kind == "summary", order.index(one.role)))
    return [one for one in found if set(one.series.slots) == set(found[0].series.slots)]


def _merit(one: Proven) -> tuple[object, ...]:
    series, flags = one.series, one.series.sense.flags
    return (
        series.is_of_steps,
        series.kind == "epoch",
        len(series) >= 2,
        "unitless" not in flags,
        "qualified" not in flags,
        "mean" not in flags,
        series.sense.unit == "tokens",
        len(series),
    )


def _has_rival(best: Proven, others: Sequence[Proven]) -> bool:
    """Whether another number of the same lines is as good, and differs."""
    lines = {row.line for row in best.series.rows}
    for other in others:
        is_as_good = _merit(other)[:7] == _merit(best)[:7] and other.series.sense.name != best.series.sense.name
        is_beside = bool(lines & {row.line for row in other.series.rows})
        if is_as_good and is_beside and not np.isclose(other.series.median, best.series.median, rtol=0.01):
            return True
    return False
