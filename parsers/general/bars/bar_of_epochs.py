"""Progress bars that count epochs: by their name, or by the numbers of epochs that other lines tell."""

import math
import re
from bisect import bisect_right

import numpy as np

from ...io.message import Message
from ..gathered import Gathered
from ..spoken_series import SpokenSeries
from .bar_passes import runs_of

_EPOCHS = re.compile(
    r"(?i)(?<![a-z])(?:num[ _-]?|n[ _-]|max[ _-]?|train[ _-]|total[ _-])*epochs?[\"']?\s*[:=]?\s*(\d{1,6})(?![\w.])"
    r"(?!\s*(?:steps?|it|iter\w*|batch\w*)\b)"
)
# One of an epoch, which counts its steps, may be called Epoch.
_IN_PLURAL = re.compile(r"(?i)(?<![a-z])epochs(?![a-z])")
LONGEST = 2000  # of a line that states something
FEWEST = 3  # epochs
NAMED = "the progress bar counts epochs, for it is called so"
WITH_LINES = "the progress bar counts epochs, for its steps go with the epochs that other lines number"
AS_MANY = "the progress bar counts epochs, for other lines number as many epochs as it has steps, in each of its passes"
MOST = 0.9


def why_of_epochs(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar counts epochs; None where nothing does."""
    form = series.rows[0].form
    if form.is_bar_of_epochs and _IN_PLURAL.search(form.name_of_bar or ""):
        return Message(NAMED)
    if series.total is None:
        return None
    if goes_with_epochs(series, gathered):
        return Message(WITH_LINES)
    return Message(AS_MANY) if _has_as_many(series, gathered) else None


def _has_as_many(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether lines number each epoch in each pass of the bar: they may be written late."""
    numbers = [row.of("epoch") for row in gathered.spoken if not (row.form.is_bar or row.form.first("step"))]
    known = np.array([number for number in numbers if math.isfinite(number)])
    total, steps = series.total or 0.0, series.steps
    if total <= FEWEST or not len(known) or known.max() not in (total - 1, total):
        return False
    each, drawn = (np.unique(found, return_counts=True) for found in (known, steps))
    is_numbered = len(each[0]) >= MOST * total and len(drawn[0]) >= MOST * total
    passes = len(runs_of(series))
    is_of_each = np.median(each[1]) >= MOST * passes and (np.diff(known) < 0).sum() + 1 == passes
    return bool(is_numbered and is_of_each)


def is_count_of_epochs(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether the log states as many epochs as the bar has steps, which runs but once."""
    stated = {int(found[1]) for line in gathered.head for found in _EPOCHS.finditer(line[:LONGEST])}
    return series.total in stated and len(runs_of(series)) == 1


def goes_with_epochs(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether other lines number epochs as the bar numbers its steps."""
    lines = [row.line for row in series.rows]
    others = ((row.line, row.of("epoch")) for row in gathered.spoken if not row.form.is_bar)
    numbered = [(line, epoch) for line, epoch in others if math.isfinite(epoch) and lines[0] <= line <= lines[-1] + 1]
    behind = [series.steps[bisect_right(lines, line) - 1] - epoch for line, epoch in numbered]
    is_many = len({epoch for _, epoch in numbered}) >= FEWEST
    return is_many and bool(np.ptp(behind) <= 1 and abs(np.median(behind)) <= 1)
