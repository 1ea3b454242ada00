"""Progress bars that count epochs: by their name, or by the numbers of epochs that other lines tell."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...io.message import Message
from ..evaluation_titles import is_title_of_evaluation
from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import SpokenSeries
from .bar_drawing import drawing
from .bar_passes import names_steps, runs_of, timed_bars

_EPOCHS = re.compile(
    r"(?i)(?<![a-z])(?:num[ _-]?|n[ _-]|max[ _-]?|train[ _-]|total[ _-])*epochs?[\"']?\s*[:=]?\s*(\d{1,6})(?![\w.])"
    r"(?!\s*(?:steps?|it|iter\w*|batch\w*)\b)"
)
# The epochs of a whole training: `--epochs 100`, `"max_epochs": 100`; not `warmup_epochs=5`, `3 epochs = 375 steps`.
_OF_TRAINING = re.compile(
    r"(?i)(?<![\w.-])(?:(?<!\d )|(?=[\w -]{1,40}=\d))-{0,2}"
    r"(?:(?:(?:num(?:ber of)?|n|nb|max(?:imum)?|train(?:ing)?|total)[ _-]?)*epochs"
    r"|(?:num|n|nb|max)[ _-]?epoch)[\"']?\s*[:=]?\s*(?P<behind>\d{1,6})(?![\w.]|\s*[/|])"
    r"(?!\s*(?:steps?|it|iter\w*|batch(?:es)?|samples?|examples?|updates?|s|sec\w*|min\w*|h|hours?)\b)"
    r"|(?<![a-z])train(?:ing)?\b[^\d\n]{0,40}\bfor (?P<before>\d{1,6}) epochs(?![a-z])"
)
# One of an epoch, which counts its steps, may be called Epoch.
_IN_PLURAL = re.compile(r"(?i)(?<![a-z])epochs(?![a-z])")
LONGEST = 2000  # of a line that states something
FEWEST = 3  # epochs
NAMED = "the progress bar counts epochs, as its name says"
WITH_LINES = "the progress bar counts epochs: its steps match the epoch numbers of other lines"
AS_MANY = "the progress bar counts epochs: in each pass, other lines number as many epochs as it has steps"
WITH_OWN = "the progress bar counts epochs: its steps match the epoch number in the same lines"
AS_STATED = (
    "the progress bar counts epochs: above each of its passes, the log states as many epochs as it has steps, and "
    "the bar shows losses"
)
WITH_PASSES = "its progress bar advances by one with each pass of a bar inside it, so it may count epochs"
EVALUATED = "each step of its progress bar shows new evaluation results, so a step may be an epoch"
MOST, HALF = 0.9, 0.5


def why_of_epochs(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar counts epochs; None where nothing does."""
    form = series.rows[0].form
    if form.is_bar_of_epochs and _IN_PLURAL.search(form.name_of_bar or ""):
        return Message(NAMED)
    if goes_with_own_epochs(series):
        return Message(WITH_OWN)
    if series.total is None:
        return None
    if goes_with_epochs(series, gathered):
        return Message(WITH_LINES)
    if _has_as_many(series, gathered):
        return Message(AS_MANY)
    return Message(AS_STATED) if _is_as_stated(series, gathered) else None


def _is_as_stated(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar of losses has as many steps as there are epochs, by a line above each of its passes.

    Of one pass alone, steps may be as many by chance: it comes to its end, or each step tells results of its own. Below
    the number of an epoch that is not its first a pass is that of the steps of one.
    """
    total, form = series.total or 0.0, series.rows[0].form
    is_of_others = form.is_bar_of_no_steps or names_steps(series) or _counts_others(series)
    if total <= FEWEST or series.evidence < MOST or is_of_others:
        return False
    runs = runs_of(series)
    begins, ends = ([series.rows[run[place]].line for run in runs] for place in (0, -1))
    above = list(zip([0, *ends], begins, strict=False))
    titles = [gathered.head[max(begin - 2, 0) : begin - 1] for begin in begins]
    if any(is_title_of_evaluation(line) for lines in titles for line in lines):
        return False
    if any(_numbers_another(gathered, lines, series.rows[run[0]]) for lines, run in zip(above, runs, strict=True)):
        return False
    is_sure = len(runs) > 1 or series.steps[-1] == total or is_evaluated_each_step(series)
    return is_sure and all(total in _stated_between(gathered, *lines) for lines in above)


def _counts_others(series: SpokenSeries) -> bool:
    """Whether the unit of a bar, as `2.5batch/s`, is that of no epoch, or a number behind it is called a step."""
    drawn, form = drawing(series.text, has_speed=not series.is_by_clock), series.rows[0].form
    unit = re.sub(r"^s/ ?|/s$", "", drawn.unit).strip() if drawn else ""
    steps = [slot for slot in form.said.slots if slot.sense and slot.sense.role == "step" and slot != form.counter]
    return bool(steps) or not re.fullmatch(r"(?i)|it|ep|epochs?", unit)


def _numbers_another(gathered: Gathered, between: tuple[int, int], first: Spoken) -> bool:
    """Whether the last of the lines between two that tell an epoch tells neither that of the first step nor the total.

    Lines before it may tell of a run before, as its best epoch.
    """
    after, before = between
    epochs = [row.of("epoch") for row in lines_of_epochs(gathered) if after < row.line < before]
    return any(epoch != first.total and abs(epoch - first.of("step")) > 1 for epoch in epochs[-1:])


def _stated_between(gathered: Gathered, after: int, before: int) -> set[int]:
    """The numbers of epochs of a training that lines between two others state."""
    lines = (line[:LONGEST] for line in gathered.head[after : max(before - 1, after)])
    return {int(found["behind"] or found["before"]) for line in lines for found in _OF_TRAINING.finditer(line)}


def _has_as_many(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether lines number each epoch in each pass of the bar: they may be written late."""
    known = np.array([row.of("epoch") for row in lines_of_epochs(gathered) if not row.form.first("step")])
    total, steps = series.total or 0.0, series.steps
    if total <= FEWEST or not len(known) or known.max() not in (total - 1, total):
        return False
    each, drawn = (np.unique(found, return_counts=True) for found in (known, steps))
    is_numbered = len(each[0]) >= MOST * total and len(drawn[0]) >= MOST * total
    passes = len(runs_of(series))
    is_of_each = np.median(each[1]) >= MOST * passes and (np.diff(known) < 0).sum() + 1 == passes
    return bool(is_numbered and is_of_each)


def goes_with_own_epochs(series: SpokenSeries) -> bool:
    """Whether the number of the epoch in the name of the bar, or behind it, moves as the steps of the bar do."""
    epochs, steps = series.of("epoch"), series.steps
    known = np.isfinite(epochs) & np.isfinite(steps)
    behind = steps[known] - epochs[known]
    return len(np.unique(epochs[known])) >= FEWEST and bool(known.mean() >= MOST and np.ptp(behind) <= 1)


def is_evaluated_each_step(series: SpokenSeries) -> bool:
    """Whether the results of an evaluation that its lines hold are other ones with each step, as it was drawn last."""
    last = np.append(np.diff(series.steps) != 0, True)
    steps = np.diff(series.steps[last])
    drawn = [row for row, is_last in zip(series.rows, last, strict=True) if is_last]
    results = np.array([[row.number(slot) for slot in row.form.results[:1]] or [math.nan] for row in drawn])[:, 0]
    is_known = (steps > 0) & np.isfinite(results[1:]) & np.isfinite(results[:-1])
    are_next = bool(is_known.sum() >= FEWEST and (steps[is_known] == 1).mean() >= MOST)
    return are_next and bool((np.diff(results)[is_known] != 0).mean() >= HALF)


def is_count_of_epochs(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether the log states as many epochs as the bar has steps, which runs but once."""
    return series.total in _stated(gathered) and len(runs_of(series)) == 1


def counts_other_passes(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether another bar without a name comes to its end each time before a bar without one goes on by a step."""
    totals = {row.total for row in series.rows}
    if len(totals) > 1 or series.level.words:
        return False
    within = (other for (words, total), other in timed_bars(gathered).items() if not words and total not in totals)
    return any(_ends_before_each(series, other, gathered) for other in within)


def _ends_before_each(series: SpokenSeries, other: Sequence[Spoken], gathered: Gathered) -> bool:
    known = places_of(gathered)
    ends = [known[row] for row in other if row.of("step") == row.total]
    going_on = [pair for pair in pairwise(series.rows) if pair[1].of("step") > pair[0].of("step")]
    ended = [bisect_left(ends, known[after]) > bisect_left(ends, known[one]) for one, after in going_on]
    return len(ended) >= FEWEST and sum(ended) >= MOST * len(ended)


@once_a_log
def _stated(gathered: Gathered) -> set[int]:
    """The numbers of epochs that lines state."""
    return {int(found[1]) for line in gathered.head for found in _EPOCHS.finditer(line[:LONGEST])}


@once_a_log
def lines_of_epochs(gathered: Gathered) -> list[Spoken]:
    """The lines that number an epoch and are of no bar."""
    return [row for row in gathered.spoken if not row.form.is_bar and math.isfinite(row.of("epoch"))]


def goes_with_epochs(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether other lines number epochs as the bar numbers its steps."""
    lines = [row.line for row in series.rows]
    told = ((row.line, row.of("epoch")) for row in lines_of_epochs(gathered))
    numbered = [(line, epoch) for line, epoch in told if lines[0] <= line <= lines[-1] + 1]
    behind = [series.steps[bisect_right(lines, line) - 1] - epoch for line, epoch in numbered]
    is_many = len({epoch for _, epoch in numbered}) >= FEWEST
    return is_many and bool(np.ptp(behind) <= 1 and abs(np.median(behind)) <= 1)
