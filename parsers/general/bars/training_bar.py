"""The progress bar of training, told from those of evaluation and preparation, where none of them has a name."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...io.message import Message
from ..evaluation_titles import OF_EVALUATION, evaluates_before
from ..gathered import Gathered, Spoken, once_a_log
from ..line_form import TRAINING
from ..spoken_series import SpokenSeries
from .bar_clock import LEAST_SECONDS, LEAST_STEPS
from .bar_drawing import drawing
from .bar_of_epochs import WITH_PASSES, counts_other_passes, goes_with_epochs, is_count_of_epochs
from .bar_passes import names_steps, runs_of
from .numbered_passes import numbered_passes

# A bar of tqdm without a name: 12%|# | 12/100 [00:24<02:56,  2.00s/it]
_BAR = re.compile(
    r"\s{0,3}\d{1,3}%(?:\|[^|]*\|)? *(?P<step>\d+)/(?P<total>\d+) \[[^,\]<]*<[^,\]]*, *[\d.]+(?P<unit>s/it|it/s)\]"
)
UNKNOWN = "The log does not show which of its progress bars belongs to training, so none is read."
OF_EPOCHS = "its progress bar is named for epochs, and may count epochs"
OF_MANY_STEPS = "its name suggests that each count covers many steps, as folds or trials do"
WITH_EPOCHS = "its progress bar follows the epochs of the log, and may count epochs"
OF_SOMETHING_ELSE = "its progress bar does not follow the steps or losses of training"
SPEEDS_DIFFER = "its progress bars run at speeds as different as training and evaluation"
APART = 1.5
# A training that goes on from a checkpoint begins with all steps before it at once.
FAR = 3.0
FEWEST_DRAWN = 10


@dataclass(frozen=True)
class _Drawn:
    """A bar as it was drawn once: its ``place`` in the file, ``step`` of ``total``, seconds on its ``clock``."""

    place: int
    step: int
    total: int
    clock: float
    unit: str


@dataclass(frozen=True)
class TrainingBar:
    """The bar of training as it was drawn, in file order."""

    drawn: Sequence[_Drawn]

    @property
    def total(self) -> int:
        """The steps of the whole training."""
        return self.drawn[0].total

    @property
    def grammar(self) -> str:
        """A grammar that reads this bar and no other of its log.

        The times of steps are left out where the bar shows them in two ways, or begins with the steps of a training
        before: its clock is right then, too.
        """
        units = {one.unit for one in self.drawn}
        if len(units) > 1 or self.goes_on:
            return _grammar(self.total, "_SHOWN", [])
        if "s/it" in units:
            return _grammar(self.total, 'step_time{seconds, unknown} "s/it"', ["step_time", "seconds", "unknown"])
        return _grammar(self.total, 'step_rate{unknown} "it/s"', ["step_rate", "unknown"])

    @property
    def goes_on(self) -> bool:
        """Whether it begins with the steps of a training before, all at once."""
        first, last = self.drawn[0], self.drawn[-1]
        usual = (last.step - first.step) / max(last.clock - first.clock, 1.0)
        return first.step > 1 and first.step / max(first.clock, 1.0) > FAR * usual


def training_bar(gathered: Gathered) -> TrainingBar | Message | None:
    """The bar that runs longest, where the lines of a log show that it is that of training, or why they do not.

    Losses stand only after it began, unlike learning rates, which are settings as well. Other bars end before it, or
    stand between two drawings of it: one that begins after its last drawing was such a one before. A training that was
    begun before, with a bar of other steps, has losses of its own. None where no bar runs for long.
    """
    bars = _by_total(gathered)
    own = max(bars.values(), key=_seconds, default=[])
    if not own or not _is_long(own):
        return None
    del bars[own[0].total]
    losses = [place for place, row in enumerate(gathered.spoken) if row.form.has_loss and not row.form.is_of_other]
    earlier = [bar for bar in bars.values() if _is_training_before(bar, own, losses)]
    is_first = bool(losses) and losses[0] > min(bar[0].place for bar in (own, *earlier))
    is_alone = all(_is_beside(own, other) or _is_last_evaluation(own, other, losses) for other in bars.values())
    return TrainingBar(own) if is_first and is_alone and _has_losses_throughout(own, losses) else Message(UNKNOWN)


def _by_total(gathered: Gathered) -> dict[int, list[_Drawn]]:
    bars = dict[int, list[_Drawn]]()
    for one in _drawn(gathered.spoken):
        bars.setdefault(one.total, []).append(one)
    return bars


def _is_training_before(bar: Sequence[_Drawn], own: Sequence[_Drawn], losses: Sequence[int]) -> bool:
    """Whether a bar is that of a training that ended before another bar begins, with losses of its own."""
    is_before = bar[-1].place < own[0].place and _is_long(bar)
    return is_before and _has_losses_throughout(bar, [loss for loss in losses if loss < own[0].place])


def _has_losses_throughout(own: Sequence[_Drawn], losses: Sequence[int]) -> bool:
    """Whether a loss follows each beginning of the bar: one of as many steps without any is that of an evaluation."""
    begins = [own[0].place, *(after.place for before, after in pairwise(own) if after.step < before.step)]
    ends = [*begins[1:], math.inf]
    return all(any(begin < loss < end for loss in losses) for begin, end in zip(begins, ends, strict=True))


def _grammar(total: int, speed: str, names: Sequence[str]) -> str:
    """A grammar for the bar of so many steps: ``speed`` is what it shows of it, of rules and terminals of ``names``."""
    imported = ", ".join(["step", "steps", "elapsed", "DURATION", "BLANK", *names])
    return rf"""// The progress bar of training in one log

start: step_line

step_line: _PERCENT "%" _PICTURE? step{{"1"}} _OF steps "[" elapsed{{DURATION}} "<" _LEFT "," {speed} "]" _WORDS?

_PERCENT: /(?<![^ \t\n])(?<![^ \t\n] )(?<![^ \t\n]  )(?<![^ \t\n]   )[0-9]++(?=%)/
_PICTURE: /\|[^|\n]*+\|/
_OF: /\/(?={total} )/
_LEFT: /[^,\]\n]++/
_WORDS: /[A-Za-z][^\r\n]*+/
_SHOWN: /[0-9.]++(?:s\/it|it\/s)/

%import .vocabulary ({imported})
%ignore BLANK
"""


def _drawn(spoken: Sequence[Spoken]) -> Iterator[_Drawn]:
    for place, row in enumerate(spoken):
        if found := _BAR.match(row.text) if row.form.is_bar else None:
            yield _Drawn(place, int(found["step"]), int(found["total"]), row.clock, found["unit"])


def _seconds(bar: Sequence[_Drawn]) -> float:
    return sum(max(after.clock - before.clock, 0.0) for before, after in pairwise(bar))


def _is_long(bar: Sequence[_Drawn]) -> bool:
    return _seconds(bar) >= LEAST_SECONDS and max(one.step for one in bar) - bar[0].step >= LEAST_STEPS


def _is_beside(own: Sequence[_Drawn], other: Sequence[_Drawn]) -> bool:
    """Whether another bar ends before training begins, or stands between two drawings of its bar at least once."""
    places = [one.place for one in own]
    if other[-1].place < places[0]:
        return True
    is_between = any(places[0] < one.place < places[-1] for one in other)
    return is_between and not (other[-1].place > places[-1] and own[-1].step == own[-1].total)


def _is_last_evaluation(own: Sequence[_Drawn], other: Sequence[_Drawn], losses: Sequence[int]) -> bool:
    """Whether another bar begins once a bar that is not at its end was drawn last, with no more than the loss of that.

    The log was broken off in an evaluation: losses before it are of the first bar.
    """
    ends, begins = own[-1].place, other[0].place
    is_within = ends < begins and own[-1].step < own[-1].total and other[-1].step < other[-1].total
    before = sum(own[0].place < place < ends for place in losses)
    return is_within and before >= LEAST_STEPS and sum(place > begins for place in losses) <= 1


def not_of_steps(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why a progress bar may count epochs, or the batches of an evaluation; None where nothing says so."""
    if reason := _counts_others(series, gathered):
        return reason
    if not _tells_learning_rate(series) and evaluates_before(series, gathered):
        return OF_EVALUATION
    if series.total is not None and not series.evidence and _goes_by_itself(series, gathered):
        return OF_SOMETHING_ELSE
    return SPEEDS_DIFFER if speeds_differ(series) and not numbered_passes(series, gathered) else None


def _counts_others(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why a bar may count epochs, or other things each of which has many steps."""
    if series.rows[0].form.is_bar_of_epochs:
        return OF_EPOCHS
    if series.rows[0].form.is_bar_of_no_steps and not names_steps(series):
        return OF_MANY_STEPS
    if series.total is not None and (is_count_of_epochs(series, gathered) or goes_with_epochs(series, gathered)):
        return WITH_EPOCHS
    return WITH_PASSES if counts_other_passes(series, gathered) else None


def _tells_learning_rate(series: SpokenSeries) -> bool:
    """Whether a bar shows what an evaluation has not, whatever stands before it: a learning rate, a gradient norm."""
    told = [any(map(row.form.first, ("learning_rate", "gradient_norm"))) for row in series.rows]
    return sum(told) > len(told) / 2


def _goes_by_itself(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar ends before training begins, as that of a preparation, or runs anew within single steps of it."""
    first, last = series.rows[0].line, series.rows[-1].line
    losses = [row.line for row in _with_losses(gathered)]
    steps = [row for row in _with_losses(gathered) if row.form.first("step") and first <= row.line <= last + 1]
    done = max((after.of("step") - before.of("step") for before, after in pairwise(steps)), default=0)
    is_faster = done > 0 and len(runs_of(series)) >= LEAST_STEPS and APART * done < np.ptp(series.steps)
    is_before = not any(first <= line <= last for line in losses) and sum(line > last for line in losses) > 1
    return bool(is_faster or is_before)


@once_a_log
def _with_losses(gathered: Gathered) -> list[Spoken]:
    """The lines that tell a loss of training, and are of no bar."""
    rows = gathered.spoken
    return [row for row in rows if row.form.has_loss and not (row.form.is_bar or row.form.is_of_other)]


def counts_steps(series: SpokenSeries) -> bool:
    """Whether a series is of no nameless bar, or of one that names steps, or that begins anew as with an epoch."""
    if series.total is None or "nameless" not in series.sense.flags:
        return True
    return names_steps(series) or len(runs_of(series)) > 1


def counted_at_once(series: SpokenSeries) -> int:
    """By how many a bar that names nothing of what it counts goes on: by 1, or the samples of a batch; 0 of others."""
    drawn = drawing(series.text, has_speed=not series.is_by_clock)
    done = np.diff(series.steps)
    known = done[(done > 0) & (series.steps[1:] < [row.total for row in series.rows[1:]])]
    is_named = drawn is None or drawn.unit not in ("it/s", "s/it", "") or names_steps(series)
    return 0 if is_named or len(known) < FEWEST_DRAWN else int(np.gcd.reduce(known.astype(np.int64)))


def speeds_differ(series: SpokenSeries) -> bool:
    """Whether a bar that begins anew runs at speeds that lie apart, but for the first, which is slow to start.

    Those of one that is called that of training, or that numbers its passes one by one, are of training whatever their
    speeds are.
    """
    if is_called_training(series) or _are_numbered(series):
        return False
    medians = [float(np.median(series.values[run])) for run in runs_of(series)[1:] if len(run) >= LEAST_STEPS]
    return len(medians) > 1 and max(medians) > APART * min(medians)


def is_called_training(series: SpokenSeries) -> bool:
    """Whether the name of a bar says that it is of training."""
    return all(TRAINING.search((form.name_of_bar or "").replace("_", " ")) for form in series.slots)


def _are_numbered(series: SpokenSeries) -> bool:
    """Whether each pass of a bar bears the number of an epoch, the next one of the pass before: none is of another."""
    epochs, runs = series.of("epoch"), runs_of(series)
    firsts = epochs[[run[0] for run in runs]]
    return all(np.ptp(epochs[run]) == 0 for run in runs) and bool((np.diff(firsts) == 1).all())
