"""Progress bars that count the steps of an evaluation after those of training: they go on as its own bar does."""

from bisect import bisect_right
from itertools import pairwise

from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import SpokenSeries

WITH_EVALUATION = "its progress bar goes on with that of an evaluation, so it counts the steps of that, too"
FEWEST = 3  # times
LIKE = (0.5, 2.0)


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
