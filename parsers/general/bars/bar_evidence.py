"""Evidence of a progress bar: what shows that it is that of training, and why a step of it may be none of training."""

from dataclasses import replace

from ...io.message import Message
from ..gathered import Gathered
from ..line_form import TRAINING
from ..spoken_series import SpokenSeries
from .bar_and_losses import why_by_losses
from .bar_clock import SHORT_BAR, not_confirmed
from .bar_ends import ENDS, agreeing, is_one_state, is_told_training, with_ends
from .bar_in_turns import LOSS_IN_TURNS, names_of_losses, why_in_turns
from .bar_of_epochs import EVALUATED, WITH_OWN, goes_with_own_epochs, is_evaluated_each_step
from .bar_of_failed_run import why_by_traceback
from .bar_passes import of_several_loops, of_two_in_turns
from .bar_speeds import why_speeds
from .bar_surroundings import why_of_training
from .bar_with_evaluation import (
    WITH_EVALUATION,
    counts_evaluation,
    may_be_of_evaluation,
    why_before_evaluations,
)
from .training_bar import is_called_training, not_of_steps

BAR = "the progress bar's speed matches its own clock"
CLOCK = "the progress bar shows no speed; its steps are timed by its own clock"
ONE_STATE = (
    "the progress bar belongs to training: it shows a loss or an epoch; only one state of it is logged, "
    "{steps} steps in {seconds} s, which agrees with its speed"
)


def why_shown(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a progress bar is that of training: what is beside it, or, of one drawn once, its only state."""
    if len(series) < 2:
        return None if series.is_by_clock else _why_by_one_state(series, gathered)
    ways = (why_in_turns, why_of_training, why_by_losses, why_by_traceback, why_before_evaluations)
    return next((why for way in ways if (why := way(series, gathered))), None)


def _why_by_one_state(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a bar is of training by its only state; at its end a loss may be that of an evaluation."""
    row, is_at_end = series.rows[0], series.steps[0] == series.rows[0].total
    tells = row.form.level.has_epoch or row.form.first("learning_rate") or any(map(TRAINING.search, gathered.head))
    is_measure = is_one_state(series, gathered) and is_told_training(series, gathered)
    if not is_measure or not_of_steps(series, gathered) or (is_at_end and not tells):
        return None
    return Message(ONE_STATE, steps=f"{series.steps[0]:.0f}", seconds=f"{series.rows[0].clock:.0f}")


def measured_bar(
    series: SpokenSeries, gathered: Gathered, shown: Message | None
) -> tuple[SpokenSeries, list[Message]] | str:
    """The drawings of a bar that measure it, with what that rests on, or why none do.

    ``shown``: what beside it shows that it is that of training.
    """
    unshown = None if shown else not_of_steps(series, gathered) or may_be_of_evaluation(series, gathered)
    is_measured = shown is not None and shown.key == ONE_STATE
    unconfirmed = None if is_measured else not_confirmed(series, are_ends_told=shown is not None)
    is_short = unconfirmed == SHORT_BAR and not series.is_by_clock
    ends = with_ends(series, gathered, is_shown=shown is not None) if is_short else None
    reason = _not_of_one_step(series, gathered) or unshown or (None if ends else unconfirmed)
    in_turns = None if is_called_training(series) else of_two_in_turns(series)
    if reason := reason or of_several_loops(series) or in_turns:
        return reason
    told = replace(ends or series, is_surrounded=shown is not None, losses=_losses_of(series, shown))
    at_ends = [Message(ENDS, count=agreeing(ends), passes=len(ends))] if ends else []
    return told, [
        Message(CLOCK if series.is_by_clock else BAR),
        *at_ends,
        *([shown] if shown else []),
        *why_speeds(series),
    ]


def _losses_of(series: SpokenSeries, shown: Message | None) -> frozenset[str]:
    """The names of the losses that tell a bar from another of its name, where nothing else does."""
    return names_of_losses(series) if shown and shown.key == LOSS_IN_TURNS else frozenset()


def _not_of_one_step(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why a step of a bar may be an epoch, or one of an evaluation; None where nothing says so."""
    if counts_evaluation(series, gathered):
        return WITH_EVALUATION
    if goes_with_own_epochs(series):
        return WITH_OWN
    return EVALUATED if is_evaluated_each_step(series) else None
