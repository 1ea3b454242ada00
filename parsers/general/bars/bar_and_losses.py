"""A progress bar and the lines that tell losses: their steps go with its own, or they bear the name of its passes."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...io.message import Message
from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import SpokenSeries
from .bar_clock import LEAST_STEPS
from .bar_drawing import drawing
from .bar_passes import runs_of

STEPS_OF_LOSSES = "the progress bar belongs to training: its steps match those of the loss lines"
NAME_OF_LOSSES = "the progress bar belongs to training: loss lines carry the name and number of its passes"
NEAR = 2  # steps
MOST = 0.9
_NUMBER = re.compile(r"\d{1,12}(?!\d)")


def why_by_losses(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar is that of training by the lines that tell losses; None where they do not."""
    losses = _losses(gathered)
    if not losses:
        return None
    if _go_with_steps(series, gathered, losses):
        return Message(STEPS_OF_LOSSES)
    return Message(NAME_OF_LOSSES) if _bear_its_name(series, [row for _, row in losses]) else None


@once_a_log
def _losses(gathered: Gathered) -> list[tuple[int, Spoken]]:
    """The lines that tell a loss of training, and their places."""
    rows = enumerate(gathered.spoken)
    return [(n, row) for n, row in rows if row.form.has_any_loss and not (row.form.is_bar or row.form.is_of_other)]


def _go_with_steps(series: SpokenSeries, gathered: Gathered, losses: Sequence[tuple[int, Spoken]]) -> bool:
    """Whether each line of a loss that numbers a step stands where the bar was drawn at that step."""
    known = places_of(gathered)
    places = [known[row] for row in series.rows]
    told = [(place, row.of("step")) for place, row in losses if places[0] < place and np.isfinite(row.of("step"))]
    if len({step for _, step in told}) < LEAST_STEPS:
        return False
    steps = series.steps
    behind = [step - steps[bisect_right(places, place) - 1] for place, step in told]
    return bool(np.ptp([step for _, step in told]) > NEAR and (np.abs(behind) <= NEAR).mean() >= MOST)


def _bear_its_name(series: SpokenSeries, losses: Sequence[Spoken]) -> bool:
    """Whether passes are numbered one by one in the name of the bar, and lines of losses tell name and number of most.

    As with `Ep 3:  20%|##   | 1/5` and `Ep 3 done, loss 2.5`.
    """
    heads = [one.head for run in runs_of(series) if (one := drawing(series.rows[run[0]].text))]
    names = {_NUMBER.split(head, 1)[0].strip() for head in heads}
    numbers = [int(found[0]) for head in heads if (found := _NUMBER.search(head))]
    if len(names) > 1 or len(numbers) < max(LEAST_STEPS, len(heads)) or not re.search(r"[A-Za-z]", min(names)):
        return False
    is_next = [after == one + 1 for one, after in pairwise(numbers)]
    name = re.compile(rf"(?<![A-Za-z]){re.escape(min(names))}\s*(\d{{1,12}})(?!\d)")
    told = {int(number) for row in losses for number in name.findall(row.text)}
    return sum(is_next) >= MOST * len(is_next) and len(told & set(numbers)) >= MOST * len(set(numbers)) - 1
