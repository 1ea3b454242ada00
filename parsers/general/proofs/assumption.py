"""Assumptions: what is taken for granted of proven speeds, or what the lines of a log do not show of them."""

from collections.abc import Iterable, Iterator

import numpy as np

from ...grammar.timestamps import OF_DAY
from ...io.message import Message
from ...naming.sense import DURATION, ELAPSED, REMAINING, STEP, STEP_RATE, STEP_TIME, TIME
from ...naming.vocabulary import listed, split
from ..bars.training_bar import counted_at_once
from ..spoken_series import SpokenSeries
from .epoch_proof import lines_of_an_epoch
from .no_measure import is_coarse, last_digit
from .proof import Proven
from .several_steps import why_two_counters

NO_DATE = "only the time of day is read from the timestamps, so a pause of half a day or more may go unnoticed"
A_MEAN = "{name} is a mean, and the log does not show of what"
OF_A_RUN = "{name} covers the whole run; if it resumed from a checkpoint, steps done before may be counted"
WITH_EVALUATION = "{name} may include the evaluation whose results are on the same lines"
MAY_BE_SAMPLES = "what stands before the total in {counter} counts steps; nothing names it, and it may count samples"
CALLED_STEPS = '"{name}" is taken as the step counter, since it rises from line to line'
MAY_BE_OF_ENVIRONMENT = (
    "its lines mention an environment or rewards, so it may count environment steps rather than optimizer steps"
)
SEVERAL_AT_ONCE = "the progress bar advances by multiples of {count}; it may count samples rather than steps"
OF_ONE_PROCESS = "{name} is per process: each step usually has {count} lines"
OF_ONE_IN_EPOCHS = "{name} is per process: each epoch has {count} lines"
COARSE = "{name} is printed to {digit} only, which may put the mean of its {count} values off by up to {share}%"
NAMELESS = "a number without a name"


def assumptions(speeds: Iterable[Proven]) -> Iterator[Message]:
    """What is assumed of the speeds of a log, or what its lines do not show of them."""
    for one in speeds:
        yield from one.why
        if "mean" in one.series.sense.flags:
            yield Message(A_MEAN, name=one.series.sense.name or Message(NAMELESS))
        if is_coarse(one.series):
            yield _coarse(one.series)
        if one.series.closes_a_run:
            yield Message(OF_A_RUN, name=one.series.sense.name)
        if one.role in (ELAPSED, DURATION, STEP, STEP_TIME) and _are_evaluated(one.series):
            yield Message(WITH_EVALUATION, name=one.series.sense.name or Message(NAMELESS))
        if one.role in (ELAPSED, REMAINING, STEP):
            yield from _of_counters(one.series)
        if one.is_bar and one.role in (STEP_RATE, STEP_TIME, ELAPSED) and (count := counted_at_once(one.series)) > 1:
            yield Message(SEVERAL_AT_ONCE, count=count)
        if tell_no_day(one.series):
            yield Message(NO_DATE)
        if (count := _lines_of_a_step(one.series)) > 1:
            said = OF_ONE_IN_EPOCHS if one.series.kind == "epoch" else OF_ONE_PROCESS
            yield Message(said, name=one.series.sense.name or Message(NAMELESS), count=count)


def _of_counters(series: SpokenSeries) -> Iterator[Message]:
    """What is assumed of what counts the steps that a clock times."""
    if told := why_two_counters(series):
        yield told
    if series.sense.role == STEP and (slot := series.rows[0].form.only_count_of_steps):
        yield Message(CALLED_STEPS, name=" ".join(split(slot.before)))
    if _is_of_agent(series):
        yield Message(MAY_BE_OF_ENVIRONMENT)
    if counter := _unnamed_counter(series):
        yield Message(MAY_BE_SAMPLES, counter=counter)


def tell_no_day(series: SpokenSeries) -> bool:
    """Whether of the stamps of its lines only the time of day is read."""
    return all(form.stamp and form.stamp.kind in OF_DAY for form in series.slots)


def _coarse(series: SpokenSeries) -> Message:
    digit, mean = last_digit(series), float(np.mean(series.values[series.usable]))
    told = {"digit": f"{digit:g}", "count": len(series), "share": f"{50 * digit / mean:.0f}"}
    return Message(COARSE, name=series.sense.name or Message(NAMELESS), **told)


def _are_evaluated(series: SpokenSeries) -> bool:
    """Whether each of its lines holds a result of an evaluation."""
    return all(form.results for form in series.slots)


def _is_of_agent(series: SpokenSeries) -> bool:
    """Whether each of its lines has a reward, or steps of an environment, as those of reinforcement learning do."""
    words = listed("reward") | listed("environment") | listed("agent")
    return all(any(words & set(split(slot.before)) for slot in form.said.slots) for form in series.slots)


def _unnamed_counter(series: SpokenSeries) -> str | None:
    """What counts steps without a name, as `640/60000`, by several from line to line; None of others."""
    row, done = series.rows[0], np.diff(series.steps)
    is_unnamed = series.is_of_steps and series.level.step == "" and np.isfinite(row.total)
    if row.form.is_bar or not is_unnamed or not (done > 1).any() or (done == 1).any():
        return None
    return f"{series.steps[0]:.0f}/{row.total:.0f}"


def _lines_of_a_step(series: SpokenSeries) -> int:
    """How many lines, one after the other, tell of the same step as a rule, each of a process of its own; 0 of none."""
    if series.rows[0].form.is_bar:  # drawn again for what is shown beside it
        return 0
    if series.kind == "epoch":
        return lines_of_an_epoch(series) if series.sense.role == TIME else 0
    counts = np.column_stack([series.steps, np.nan_to_num(series.of("epoch"))])[np.isfinite(series.steps)]
    begins = np.flatnonzero((np.diff(counts, axis=0) != 0).any(axis=1)) + 1
    return int(np.median(np.diff([0, *begins, len(counts)]))) if len(counts) else 0
