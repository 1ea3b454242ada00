"""Progress bars that may be those of an evaluation, or that count its steps after those of training."""

from bisect import bisect_right
from itertools import pairwise

from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import SpokenSeries
from .bar_passes import begins_anew, counts_passes

BEHIND_LOSSES = "the loss of an epoch stands before its progress bar is drawn first, so it may be that of an evaluation"
IN_TURNS = "its progress bar takes turns with one of other steps, and nothing shows which is that of training"
WITH_EVALUATION = "its progress bar goes on with that of an evaluation, so it counts the steps of that, too"
FEWEST = 3  # times
LIKE = (0.5, 2.0)
FEWEST_PASSES = 2


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
    """Why a bar without a name or a loss may be that of an evaluation, however long others are; else None."""
    if series.total is None or series.level.words or series.evidence:
        return None
    place = places_of(gathered)[series.rows[0]]
    if any(_is_loss_of_epoch(row) for row in gathered.spoken[:place]):
        return BEHIND_LOSSES
    others = (other for other in nameless_bars(gathered) if _takes_turns(series, other))
    return None if all(counts_passes(other, series, gathered) for other in others) else IN_TURNS


def _is_loss_of_epoch(row: Spoken) -> bool:
    form = row.form
    return form.has_loss and form.level.has_epoch and not (form.is_bar or form.is_of_other or form.counter)


def _takes_turns(series: SpokenSeries, other: list[Spoken]) -> bool:
    """Whether a bar of other steps begins anew between drawings of this one."""
    first, last = series.rows[0].line, series.rows[-1].line
    begun = sum(begins_anew(*pair) for pair in pairwise(other) if first <= pair[1].line <= last)
    return other[0].total != series.total and begun + 1 >= FEWEST_PASSES


@once_a_log
def nameless_bars(gathered: Gathered) -> list[list[Spoken]]:
    """The drawings of bars without a name that have a clock, of each total by themselves."""
    found: dict[float, list[Spoken]] = {}
    for row in gathered.spoken:
        is_nameless = row.form.is_bar and not (row.form.level.words or row.form.is_of_other)
        if is_nameless and row.clock >= 0 and row.total >= 0:
            found.setdefault(row.total, []).append(row)
    return list(found.values())
