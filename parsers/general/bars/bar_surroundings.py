"""Surroundings of progress bars: what stands before and behind each pass of them may tell which is that of training."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ...io.message import Message
from ..evaluation_titles import is_title_of_evaluation
from ..gathered import MOST_OF_A_FORM, Gathered, Spoken, once_a_log
from ..line_form import TRAINING
from ..spoken_series import SpokenSeries
from ..stated_counts import stated_samples
from .bar_passes import begins_anew

LOSS_FOLLOWS = (
    "the progress bar is that of training, for a line with its loss follows each pass, as one of an evaluation follows "
    "those of the other bars"
)
LOSSES_WITHIN = (
    "the progress bar is that of training, for losses of numbered epochs or steps stand within each pass, and within "
    "none of the shorter bars"
)
OTHERS_EVALUATED = (
    "the progress bar is that of training, for it begins anew before each numbered result of an evaluation, and these "
    "stand beside a shorter bar"
)
EPOCHS_ANNOUNCED = (
    "the progress bar is that of training: a line before each pass numbers an epoch, and a title of an evaluation "
    "stands before those of the other bars"
)
TRAINING_ANNOUNCED = (
    "the progress bar is that of training: a line before each pass says that it begins, and of all bars this alone has "
    "as many steps as batches of {samples} samples make"
)
FIRST_BELOW_EPOCHS = (
    "the progress bar is that of training, for it shows a loss, has more steps than the others and is the first below "
    "each line that numbers an epoch"
)
LONGEST_AND_SLOWEST = (
    "the progress bar is that of training, for it has more steps than the others, takes longer for each of them and is "
    "the first below each line that numbers an epoch"
)
BEHIND_OTHERS = (
    "the progress bar is that of training, for a line with its loss follows each pass, and bars of other steps ended "
    "before the first"
)
_OF_EVALUATION = re.compile(r"(?i)(?<![a-z])(?:test|val|valid|validation|dev|eval|evaluation)(?![a-z])")
_WORDS = re.compile(r"\w")
FEWEST = 2  # passes
FEWEST_RESULTS = 4
MOST_BESIDE = 0.75
FEWEST_LOSSES, LEAST_LOSSES = 10, 3
MOST = 0.9
NEAR = 2  # lines: a blank one may stand between
FEWEST_STEPS = 10


@dataclass(frozen=True)
class _Pass:
    """A bar as it was drawn once to its end, and the lines with numbers that mean something beside it.

    ``losses``: how many lines between its drawings tell the loss of an epoch or a step. ``above``: the text of the last
    line that stands before it; None where that was not kept. ``clock``: the seconds at its end;
    ``lines``: the first and the last.
    """

    total: float
    clock: float
    lines: tuple[int, int]
    above: str | None
    losses: int
    before: Spoken | None
    behind: Spoken | None


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
    passes = _passes(gathered)
    own = [one for one in passes if one.total == series.total]
    others = [one for one in passes if one.total != series.total]
    return next(_shown(series, own, others, gathered), None) if own else None


def _shown(
    series: SpokenSeries, own: Sequence[_Pass], others: Sequence[_Pass], gathered: Gathered
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
    if others and gathered.evidence >= LEAST_LOSSES and _are_first(own, others) and _is_slowest(own, others):
        yield Message(LONGEST_AND_SLOWEST)
    if others and _are_before(others, own) and _are_most(map(_is_followed, own)):
        yield Message(BEHIND_OTHERS)
    if _are_most(map(_is_announced, own)):
        yield from _by_samples(own[0].total, {one.total for one in others}, stated_samples(gathered))


def _alone_holds_losses(own: Sequence[_Pass], others: Sequence[_Pass], gathered: Gathered) -> bool:
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
    return any(gathered.counts[row.form] > MOST_OF_A_FORM for row in gathered.spoken if _is_loss(row))


def _are_most(said: Iterable[bool]) -> bool:
    known = list(said)
    return sum(known) >= MOST * len(known)


def _tells_loss(one: _Pass) -> bool:
    """Whether the line behind tells a loss of training, and nothing of an evaluation."""
    if one.behind is None:
        return False
    form = one.behind.form
    is_alone = not any(slot.sense and "other" in slot.sense.flags for slot in form.said.slots)
    return form.has_any_loss and form.is_of_training and is_alone and not form.is_of_other


def _is_evaluated(one: _Pass) -> bool:
    if one.behind is None or one.behind.form.is_bar:
        return False
    form = one.behind.form
    is_named = form.has_any_loss and not form.is_of_training and bool(_OF_EVALUATION.search(form.said.head))
    return form.is_of_other or is_named


def _is_announced(one: _Pass) -> bool:
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


def _are_numbered(own: Sequence[_Pass]) -> bool:
    """Whether a line before each pass numbers its epoch, and tells no result of it."""
    before = [one.before for one in own if one.above is not None]
    told = [row for row in before if row and not (row.form.has_evidence or row.form.is_of_other or row.form.is_bar)]
    epochs = [row.of("epoch") for row in told]
    are_next = [after == one + 1 for one, after in pairwise(epochs)]
    return len(told) >= FEWEST and len(told) >= MOST * len(before) and _are_most(are_next)


def _are_first(own: Sequence[_Pass], others: Sequence[_Pass]) -> bool:
    """Whether a line that numbers an epoch stands before each pass, and none before those of shorter bars."""
    is_longest = own[0].total > max(one.total for one in others)
    numbered = [one for one in others if one.before and one.before.form.level.has_epoch and not one.before.form.is_bar]
    return is_longest and _are_numbered(own) and not numbered


def _are_before(others: Sequence[_Pass], own: Sequence[_Pass]) -> bool:
    return max(one.lines[1] for one in others) < own[0].lines[0]


def _is_followed(one: _Pass) -> bool:
    """Whether the line behind tells a loss of training, or of a numbered epoch or step."""
    return _tells_loss(one) or (one.behind is not None and _is_loss(one.behind))


def _is_slowest(own: Sequence[_Pass], others: Sequence[_Pass]) -> bool:
    """Whether a step takes longer than one of each other bar: an evaluation only goes forwards."""
    usual = median(one.clock / one.total for one in own)
    return all(usual > (one.clock + 1) / one.total for one in others)


def _is_titled(one: _Pass) -> bool:
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


@once_a_log
def _passes(gathered: Gathered) -> list[_Pass]:
    """The passes of bars without a name that came to their end."""
    return list(_ended(gathered))


def _ended(gathered: Gathered) -> Iterator[_Pass]:
    rows, drawn = gathered.spoken, dict[float, list[int]]()
    for place, row in enumerate(rows):
        if row.form.is_bar and not row.form.level.words and math.isfinite(row.total):
            drawn.setdefault(row.total, []).append(place)
    for total, places in drawn.items():
        begins = [0, *(n for n, (one, next_) in enumerate(pairwise(places), 1) if begins_anew(rows[one], rows[next_]))]
        for start, end in pairwise([*begins, len(places)]):
            first, last = places[start], places[end - 1]
            if rows[last].of("step") == total:
                losses = sum(map(_is_loss, rows[first:last]))
                near = _near(gathered, first, -1), _near(gathered, last, 1 + _begun(rows[last + 1 : last + 2]))
                lines = rows[first].line, rows[last].line
                yield _Pass(total, rows[last].clock, lines, _above(gathered, lines[0]), losses, *near)


def _begun(rows: Sequence[Spoken]) -> int:
    """How many of some rows are of a bar of which no step is done: what is printed then stands behind it."""
    return sum(row.form.is_bar and row.of("step") == 0 for row in rows)


def _is_loss(row: Spoken) -> bool:
    """Whether a line tells a loss of an epoch or a step, and nothing of an evaluation."""
    form = row.form
    return (
        form.has_evidence and not (form.is_bar or form.is_of_other) and bool(form.level.has_epoch or form.first("step"))
    )


def _above(gathered: Gathered, line: int) -> str | None:
    """The last line before another that is not blank, where both are among the first of the log."""
    if line > len(gathered.head):
        return None
    return next((text for text in reversed(gathered.head[: line - 1]) if text.strip()), "")


def _near(gathered: Gathered, place: int, way: int) -> Spoken | None:
    """The line before or behind another, where no words stand between the two, at most a line of dashes."""
    beside = place + way
    if not 0 <= beside < len(gathered.spoken):
        return None
    first, last = sorted((gathered.spoken[place].line, gathered.spoken[beside].line))
    is_near = last - first <= NEAR and not any(map(_WORDS.search, gathered.head[first : last - 1]))
    return gathered.spoken[beside] if is_near else None
