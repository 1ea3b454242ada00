"""Surroundings of progress bars: what stands before and behind each pass of them may tell which is that of training."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from ...io.message import Message
from ...naming.marks import AGENT
from ..evaluation_titles import is_title_of_evaluation
from ..gathered import MOST_OF_A_FORM, Gathered, once_a_log
from ..line_form import EVALUATION, TRAINING
from ..spoken_series import SpokenSeries
from ..stated_counts import stated_samples
from .bar_passes import EndedPass, ended_passes, is_numbered_loss

LOSS_FOLLOWS = (
    "the progress bar belongs to training: a loss line follows each pass, and an evaluation line follows each "
    "pass of the other bars"
)
LOSSES_WITHIN = (
    "the progress bar belongs to training: losses of numbered epochs or steps appear within each of its "
    "passes, and within none of the shorter bars"
)
OTHERS_EVALUATED = (
    "the progress bar belongs to training: it restarts before each numbered evaluation result, which appears "
    "beside a shorter bar"
)
EPOCHS_ANNOUNCED = (
    "the progress bar belongs to training: a line with an epoch number precedes each pass, and an evaluation "
    "heading precedes the other bars"
)
TRAINING_ANNOUNCED = (
    "the progress bar belongs to training: a line announces each pass, and only this bar has as many steps as "
    "batches of {samples} samples make"
)
FIRST_BELOW_EPOCHS = (
    "the progress bar belongs to training: it shows a loss, is the longest, and comes first after each line "
    "with an epoch number"
)
LONGEST_AND_SLOWEST = (
    "the progress bar belongs to training: it has more and much slower steps than the others and comes first "
    "in each epoch"
)
BEHIND_OTHERS = (
    "the progress bar belongs to training: a loss line follows each pass, and the other bars ended before the first"
)
_ACTS = re.compile(rf"(?i)(?<![a-z])(?:{AGENT}|replay|self[ _-]?play|trajector(?:y|ies)|ppo|grpo|rlhf)(?![a-z])")
FEWEST = 2  # passes
FEWEST_RESULTS = 4
MOST_BESIDE = 0.75
FEWEST_LOSSES = 10
MOST = 0.9
FEWEST_STEPS = 10
SLOWER = 1.5


def why_of_training(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar is that of training by the lines beside its passes; None where they do not.

    Of all bars the longest holds losses within each pass, and no other does. Or a loss of training follows each, and a
    line of an evaluation each pass of all other bars: a loss alone may be told once both are done. Or it is the
    longest, and begins anew before each result of an evaluation, which stands beside another bar. Or a line that
    numbers an epoch stands before each, and the title of an evaluation before each pass of all other bars. Or a line
    that announces an epoch of training stands before each, and the samples of the training set make batches for this
    bar alone. Or a bar with losses is the longest, and the first below each line that numbers an epoch.
    """
    if series.total is None:
        return None
    passes = ended_passes(gathered)
    own = [one for one in passes if one.total == series.total]
    others = [one for one in passes if one.total != series.total]
    return next(_shown(series, own, others, gathered), None) if own else None


def _shown(
    series: SpokenSeries, own: Sequence[EndedPass], others: Sequence[EndedPass], gathered: Gathered
) -> Iterator[Message]:
    """All that shows that the passes of a bar, and not those of others, are of training."""
    if _alone_holds_losses(own, others, gathered):
        yield Message(LOSSES_WITHIN)
    if len(own) < FEWEST:
        return
    if others and _are_most(map(_tells_loss, own)) and _are_most(map(_is_evaluated, others)):
        yield Message(LOSS_FOLLOWS)
    if others and _are_evaluated(own[0].total, {one.total for one in others}, gathered):
        yield Message(OTHERS_EVALUATED)
    if others and _are_numbered(own) and _are_most(map(_is_titled, others)):
        yield Message(EPOCHS_ANNOUNCED)
    if others and series.evidence >= MOST and _are_first(own, others):
        yield Message(FIRST_BELOW_EPOCHS)
    if (
        others
        and _lead(own, others, has_loss=series.evidence >= MOST)
        and _is_slowest(own, others)
        and not acts(gathered)
        and _begin_before_losses(own, gathered)
    ):
        yield Message(LONGEST_AND_SLOWEST)
    if (
        others
        and _are_before(others, own)
        and _are_most(map(_is_followed, own))
        and _begin_before_losses(own, gathered)
    ):
        yield Message(BEHIND_OTHERS)
    if _are_most(map(_is_announced, own)):
        yield from _by_samples(own[0].total, {one.total for one in others}, stated_samples(gathered))


def _alone_holds_losses(own: Sequence[EndedPass], others: Sequence[EndedPass], gathered: Gathered) -> bool:
    """Whether losses stand within each pass of a bar and within none of the others, of which each is shorter.

    Where the lines of losses are too many to be examined, nobody knows of the last passes.
    """
    if not others or own[0].total <= max(one.total for one in others):
        return False
    losses = [one.losses for one in own]
    if _has_many_losses(gathered):
        losses = losses[: max((place for place, count in enumerate(losses, 1) if count), default=0)]
    are_all = sum(losses) >= FEWEST_LOSSES and min(losses) > 0
    return are_all and not any(one.losses for one in others)


@once_a_log
def _has_many_losses(gathered: Gathered) -> bool:
    """Whether lines tell losses of which not all are examined."""
    return any(gathered.counts[row.form] > MOST_OF_A_FORM for row in gathered.spoken if is_numbered_loss(row))


def _are_most(said: Iterable[bool]) -> bool:
    known = list(said)
    return sum(known) >= MOST * len(known)


def _tells_loss(one: EndedPass) -> bool:
    """Whether the line behind tells a loss of training, and nothing of an evaluation."""
    if one.behind is None:
        return False
    form = one.behind.form
    is_alone = not any(slot.sense and "other" in slot.sense.flags for slot in form.said.slots)
    return form.has_any_loss and form.is_of_training and is_alone and not form.is_of_other


def _is_evaluated(one: EndedPass) -> bool:
    if one.behind is None or one.behind.form.is_bar:
        return False
    form = one.behind.form
    is_named = form.has_any_loss and not form.is_of_training and bool(EVALUATION.search(form.said.head))
    return form.is_of_other or is_named


def _is_announced(one: EndedPass) -> bool:
    """Whether the line before numbers an epoch of training, and tells no result of it."""
    if one.before is None:
        return False
    is_of_training = bool(TRAINING.search(one.before.text))  # behind the number of the epoch, too
    form = one.before.form
    return is_of_training and form.level.has_epoch and not (form.has_evidence or form.is_of_other or form.is_bar)


def _are_evaluated(own: float, others: set[float], gathered: Gathered) -> bool:
    """Whether results of an evaluation, numbered one by one, stand beside shorter bars, and this began as often anew.

    A program may write them when a bar has begun again already.
    """
    if own <= max(others):
        return False
    results, are_beside = list[float](), list[bool]()
    begun, last, is_beside = 0, own, False
    for row in gathered.spoken:
        step = row.of("step")
        if row.form.is_bar and step > 0:
            is_beside = row.total in others
            begun += row.total == own and step < last
            last = step if row.total == own else last
        elif row.form.is_of_other and row.form.has_evidence and step > max(results, default=0):
            results.append(step)
            are_beside.append(is_beside)
    are_next = [after == one + 1 for one, after in pairwise(results)]
    is_as_often = MOST_BESIDE * len(results) <= begun <= len(results) / MOST
    is_many = len(results) >= FEWEST_RESULTS and is_as_often
    return is_many and _are_most(are_next) and sum(are_beside) >= MOST_BESIDE * len(results)


def _are_numbered(own: Sequence[EndedPass]) -> bool:
    """Whether a line before each pass numbers its epoch, and tells no result of it."""
    before = [one.before for one in own if one.above is not None]
    told = [row for row in before if row and not (row.form.has_evidence or row.form.is_of_other or row.form.is_bar)]
    epochs = [row.of("epoch") for row in told]
    are_next = [after == one + 1 for one, after in pairwise(epochs)]
    return len(told) >= FEWEST and len(told) >= MOST * len(before) and _are_most(are_next)


def _are_first(own: Sequence[EndedPass], others: Sequence[EndedPass]) -> bool:
    """Whether a line that numbers an epoch stands before each pass, and none before those of shorter bars."""
    is_longest = own[0].total > max(one.total for one in others)
    numbered = [one for one in others if one.before and one.before.form.level.has_epoch and not one.before.form.is_bar]
    return is_longest and _are_numbered(own) and not numbered


def _are_before(others: Sequence[EndedPass], own: Sequence[EndedPass]) -> bool:
    return max(one.lines[1] for one in others) < own[0].lines[0]


def _begin_before_losses(own: Sequence[EndedPass], gathered: Gathered) -> bool:
    """Whether all losses are told behind the beginning of the first pass, and no pass is titled as an evaluation.

    A bar behind those of the first epoch is that of its evaluation.
    """
    losses = [
        row.line for row in gathered.spoken if row.form.has_any_loss and not (row.form.is_bar or row.form.is_of_other)
    ]
    are_behind = min(losses, default=own[0].lines[0]) >= own[0].lines[0]
    return are_behind and not any(one.above is not None and is_title_of_evaluation(one.above) for one in own)


def _is_followed(one: EndedPass) -> bool:
    """Whether the line behind tells a loss of training, or of a numbered epoch or step."""
    return _tells_loss(one) or (one.behind is not None and is_numbered_loss(one.behind))


def _lead(own: Sequence[EndedPass], others: Sequence[EndedPass], *, has_loss: bool) -> bool:
    """Whether a bar is the longest and the first in each epoch; one that shows no loss, below the number of each."""
    if not has_loss:
        return _are_first(own, others)
    counts = Counter(one.total for one in others).values()
    are_in_turns = all(abs(count - len(own)) <= 1 for count in counts)
    is_first = own[0].lines[0] < min(one.lines[0] for one in others)
    return are_in_turns and is_first and own[0].total > max(one.total for one in others)


def _is_slowest(own: Sequence[EndedPass], others: Sequence[EndedPass]) -> bool:
    """Whether a step takes much longer than one of each other bar: an evaluation only goes forwards."""
    usual = median(one.clock / one.total for one in own)
    return all(usual > SLOWER * (one.clock + 1) / one.total for one in others)


@once_a_log
def acts(gathered: Gathered) -> bool:
    """Whether a log speaks of agents that act: the steps of their bars are slower than those of the training behind."""
    return any(map(_ACTS.search, gathered.head))


def _is_titled(one: EndedPass) -> bool:
    """Whether the line before is the title of an evaluation, as far as lines are known."""
    return one.above is None or is_title_of_evaluation(one.above)


def _by_samples(own: float, others: set[float], samples: set[int]) -> Iterator[Message]:
    for count in sorted(samples):
        if own >= FEWEST_STEPS and _are_batches(own, count) and not any(_are_batches(one, count) for one in others):
            yield Message(TRAINING_ANNOUNCED, samples=count)


def _are_batches(steps: float, samples: int) -> bool:
    """Whether so many samples make as many batches of some size, the last one whole or not."""
    sizes = {
        int(samples // steps),
        int(samples // steps) + 1,
        int(samples // (steps + 1)),
        int(samples // (steps + 1)) + 1,
    }
    return any(size and steps in (samples // size, -(-samples // size)) for size in sizes)
