"""The progress bar of a training that failed: the traceback shows that it trained, and no bar was drawn before it."""

import re

import numpy as np

from ...io.message import Message
from ..gathered import Gathered, once_a_log
from ..spoken_series import SpokenSeries

TRACEBACK = (
    "the progress bar belongs to training: the run failed inside it, as the traceback shows, and no other bar "
    "ran earlier or as long"
)
_FRAME = re.compile(r"\s*File \"[^\"]+\", line \d+, in (?P<function>[\w.<>]+)")
_TRAINS = re.compile(r"(?i)(?<![a-z])_?(?:inner_)?train(?:ing)?(?:_loop|_epoch|_one_epoch|_step|_model)?\Z")
_CALL = re.compile(r"\s*(?:[\w.]+ ?= ?)?[\w.]+\.train\(")


def why_by_traceback(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar without a name is that of training, by where the run failed; None where nothing does."""
    is_broken_off = series.total is not None and series.steps[-1] < series.total
    if not is_broken_off or series.level.words or not _failed_in_training(gathered):
        return None
    rows = [row for row in gathered.spoken if row.form.is_bar and not (row.form.is_of_other or row.form.level.words)]
    others = [row for row in rows if row.total != series.total and np.isfinite(row.clock)]
    own = [row.clock for row in series.rows]
    is_first = all(row.line >= series.rows[0].line for row in others)
    is_longest = max((row.clock for row in others), default=0.0) < max(own, default=0.0)
    return Message(TRACEBACK) if is_first and is_longest else None


@once_a_log
def _failed_in_training(gathered: Gathered) -> bool:
    """Whether a frame of a traceback is a function that trains, and its line calls one."""
    frames = [place for place, line in enumerate(gathered.head) if _FRAME.match(line)]
    calls = any(_CALL.match(line) for place in frames for line in gathered.head[place + 1 : place + 2])
    names = (_FRAME.match(gathered.head[place]) for place in frames)
    return calls and any(found and _TRAINS.search(found["function"]) for found in names)
