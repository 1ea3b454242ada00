"""Progress bars beside those of an evaluation: they may be one, count its steps too, or be that of training."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from ...io.message import Message
from ...naming.marks import EVALUATION, TRAINING
from ..evaluation_titles import is_title_of_other_work
from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import SpokenSeries
from ..stated_counts import stated_batches, stated_of_training, stated_samples
from .bar_of_epochs import lines_of_epochs
from .bar_passes import begins_anew, counts_passes, ended_passes, is_numbered_loss, passes_of, timed_bars
from .bar_surroundings import acts
from .training_bar import is_called_training

BEHIND_LOSSES = (
    "the loss of an epoch comes before the progress bar first appears, so the bar may belong to an evaluation"
)
IN_TURNS = "its progress bar alternates with another one, and it is unclear which belongs to training"
SEVERAL_IN_EPOCHS = "its progress bar runs several times in each epoch, so it may not belong to training"
WITH_EVALUATION = "its progress bar continues through the evaluation, so it also counts those steps"
NO_TRAINING = "the log mentions an evaluation and no training, so its progress bar may belong to the evaluation"
CHECKPOINTS = "a checkpoint is loaded before each pass of its progress bar, so the bar may belong to an evaluation"
BEFORE_EVALUATIONS = (
    "the progress bar belongs to training: a bar named for an evaluation follows each of its passes, and the log "
    "states {count} samples or batches for training, which make as many steps"
)
OTHER_WORK = "a line above each pass of its progress bar says that something else than training follows"
FEWEST = 3  # times
LIKE = (0.5, 2.0)
_EVALUATES = re.compile(
    rf"(?i)(?<![a-z])(?:test(?:ing)?|eval\w*|validat\w+|val|infer\w*|perplexity)(?![a-z])|{EVALUATION}"
)
_TRAINS = re.compile(rf"(?i)train|epoch|optim|learning.?rate|(?<![a-z])lr(?![a-z])|{TRAINING}")
_LOADS = re.compile(r"(?i)(?<![a-z])load(?:ed|ing)?(?![a-z])")
FEWEST_PASSES = 2
FEWEST_STEPS = 10


def why_before_evaluations(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar without a name is that of training, where all other bars are named for an evaluation.

    One of these follows each of its passes, and what the log says there is to train on makes as many steps.
    """
    is_alone = [*timed_bars(gathered)] == [((), series.total)]
    if not is_alone or (series.total or 0) < FEWEST_STEPS or not _is_evaluated_in_turns(series, gathered):
        return None
    if acts(gathered) or any(map(is_title_of_other_work, _above(series, gathered))):
        return None
    if _steps_elsewhere(series, gathered):
        return None
    sizes = stated_batches(gathered) or {1}
    samples, steps = stated_samples(gathered), series.total or 0
    counts = (
        count
        for count in stated_of_training(gathered)
        if _makes(count, steps, sizes if count in samples else {1, *sizes})
    )
    return next((Message(BEFORE_EVALUATIONS, count=count) for count in counts), None)


def _above(series: SpokenSeries, gathered: Gathered) -> list[str]:
    """The lines above the passes of a bar, as far as they were kept."""
    return [one.above for one in ended_passes(gathered) if one.total == series.total and one.above is not None]


def _steps_elsewhere(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether lines number several steps with a loss between two passes of a bar: it is that of something before."""
    passes = [one for one in ended_passes(gathered) if one.total == series.total]
    told = [row.line for row in gathered.spoken if is_numbered_loss(row) and row.form.first("step")]
    between = [sum(one.lines[1] < line < after.lines[0] for line in told) for one, after in pairwise(passes)]
    return any(count >= FEWEST_PASSES for count in between)


def _is_evaluated_in_turns(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar named for an evaluation is drawn between each pass of a bar and the next, and not within one."""
    known, passes = places_of(gathered), passes_of(series)
    evaluated = [known[row] for row in gathered.spoken if row.form.is_bar and row.form.is_of_other]
    ends = [(known[series.rows[run[0]]], known[series.rows[run[-1]]]) for run in passes]
    within = sum(bisect_left(evaluated, last) > bisect_left(evaluated, first) for first, last in ends)
    between = [bisect_left(evaluated, after) > bisect_left(evaluated, last) for (_, last), (after, _) in pairwise(ends)]
    return len(passes) >= FEWEST_PASSES and not within and all(between)


def _makes(count: int, steps: float, sizes: set[int]) -> bool:
    """Whether so many samples make so many steps in batches of one of some sizes, or are that many batches."""
    return any(steps in (count // size, -(-count // size)) for size in sizes)


def counts_evaluation(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar goes on by about as many steps as that of an evaluation does, again and again."""
    known, steps = places_of(gathered), series.steps
    places = [known[row] for row in series.rows]
    own = other = times = 0.0
    for one, following in _of_evaluations(gathered):
        before, after = (bisect_right(places, known[row]) - 1 for row in (one, following))
        if 0 <= before < after and steps[after] > steps[before]:
            own += steps[after] - steps[before]
            other += following.of("step") - one.of("step")
            times += 1
    return times >= FEWEST and LIKE[0] <= own / other <= LIKE[1]


@once_a_log
def _of_evaluations(gathered: Gathered) -> list[tuple[Spoken, Spoken]]:
    """Two drawings each of one pass of the bar of an evaluation."""
    rows = [row for row in gathered.spoken if row.form.is_bar and row.form.is_of_other]
    return [
        pair for pair in pairwise(rows) if pair[0].total == pair[1].total and pair[0].of("step") < pair[1].of("step")
    ]


def may_be_of_evaluation(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why a bar that nothing calls that of training may be that of an evaluation, however long others are; else None.

    One without a loss is examined only if it has no name: others are not taken for that of training, or count epochs.
    """
    tells = series.evidence > 0
    if series.total is None or is_called_training(series) or (series.level.words and not tells):
        return None
    if _is_without_training(gathered):
        return NO_TRAINING
    above = _above(series, gathered)
    if len(above) >= FEWEST_PASSES and all(map(_LOADS.search, above)):
        return CHECKPOINTS
    if not tells and (reason := _why_not_without_loss(series, gathered)):
        return reason
    others = [other for other in _rivals(series, gathered) if _takes_turns(series, other)]
    return None if all(counts_passes(other, series, gathered) for other in others) else IN_TURNS


def _why_not_without_loss(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why a bar that shows no loss may be that of an evaluation or other work; None where nothing says so."""
    above = _above(series, gathered)
    if len(above) >= FEWEST_PASSES and all(map(is_title_of_other_work, above)):
        return OTHER_WORK
    if any(map(_is_loss_of_epoch, gathered.spoken[: places_of(gathered)[series.rows[0]]])):
        return BEHIND_LOSSES
    return SEVERAL_IN_EPOCHS if _has_several_in_epochs(series, gathered) else None


@once_a_log
def _is_without_training(gathered: Gathered) -> bool:
    """Whether a log speaks of an evaluation, which has no bar of that name, and of no training, epoch or optimizer."""
    if any(row.form.is_bar and row.form.is_of_other for row in gathered.spoken):
        return False
    return any(map(_EVALUATES.search, gathered.head)) and not any(map(_TRAINS.search, gathered.head))


def _is_loss_of_epoch(row: Spoken) -> bool:
    form = row.form
    return form.has_loss and form.level.has_epoch and not (form.is_bar or form.is_of_other or form.counter)


def _has_several_in_epochs(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar has several passes in each epoch that lines number: one of a training has one."""
    told = lines_of_epochs(gathered)
    epochs, places = [row.of("epoch") for row in told], [places_of(gathered)[row] for row in told]
    begins = [places_of(gathered)[series.rows[run[0]]] for run in passes_of(series)]
    counts = [
        (bisect_left(begins, after) - bisect_left(begins, one)) / (epoch - before)
        for (one, after), (before, epoch) in zip(pairwise(places), pairwise(epochs), strict=True)
        if epoch > before
    ]
    return len(counts) >= FEWEST and median(counts) >= FEWEST_PASSES


def _takes_turns(series: SpokenSeries, other: list[Spoken]) -> bool:
    """Whether another bar begins anew between drawings of this one."""
    first, last = series.rows[0].line, series.rows[-1].line
    begun = sum(begins_anew(*pair) for pair in pairwise(other) if first <= pair[1].line <= last)
    return begun + 1 >= FEWEST_PASSES


def _rivals(series: SpokenSeries, gathered: Gathered) -> list[list[Spoken]]:
    """The drawings of other bars that say of themselves as little as this one, or as much, or are longer.

    A loss may be that of an evaluation: one without it that comes first and takes more time a step may be of training.
    """
    own, is_told = (series.level.words, series.total), series.evidence > 0
    bars = (_without_epochs(rows) for key, rows in timed_bars(gathered).items() if key != own)
    return [
        rows
        for rows in filter(None, bars)
        if _tell(rows)
        or rows[0].total > (series.total or 0)
        or not (is_told or rows[0].form.level.words)
        or (rows[0].line < series.rows[0].line and _seconds_of_a_step(rows) > _seconds_of_a_step(series.rows))
    ]


def _seconds_of_a_step(rows: Sequence[Spoken]) -> float:
    """How long a step usually takes by the clock of a bar; 0 where that says nothing."""
    known = [row.clock / row.of("step") for row in rows if row.of("step") > 0 and row.clock > 0]
    return median(known) if known else 0.0


def _without_epochs(rows: list[Spoken]) -> list[Spoken]:
    """The drawings that number no epoch."""
    return [row for row in rows if not row.form.level.has_epoch]


def _tell(rows: list[Spoken]) -> bool:
    """Whether drawings of a bar show a loss."""
    return any(row.form.has_any_loss for row in rows)
