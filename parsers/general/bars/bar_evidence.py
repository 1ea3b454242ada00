"""Evidence of a progress bar: what shows that it is that of training, and why a step of it may be none of training."""

from ...io.message import Message
from ..gathered import Gathered
from ..spoken_series import SpokenSeries
from .bar_and_losses import why_by_losses
from .bar_in_turns import LOSS_IN_TURNS, names_of_losses, why_in_turns
from .bar_of_epochs import EVALUATED, WITH_OWN, goes_with_own_epochs, is_evaluated_each_step
from .bar_of_failed_run import why_by_traceback
from .bar_surroundings import why_of_training
from .bar_with_evaluation import WITH_EVALUATION, counts_evaluation


def why_shown(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What beside a progress bar shows that it is that of training; of one drawn once no more is asked."""
    if len(series) < 2:
        return None
    ways = (why_in_turns, why_of_training, why_by_losses, why_by_traceback)
    return next((why for way in ways if (why := way(series, gathered))), None)


def losses_of(series: SpokenSeries, shown: Message | None) -> frozenset[str]:
    """The names of the losses that tell a bar from another of its name, where nothing else does."""
    return names_of_losses(series) if shown and shown.key == LOSS_IN_TURNS else frozenset()


def not_of_one_step(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why a step of a bar may be an epoch, or one of an evaluation; None where nothing says so."""
    if counts_evaluation(series, gathered):
        return WITH_EVALUATION
    if goes_with_own_epochs(series):
        return WITH_OWN
    return EVALUATED if is_evaluated_each_step(series) else None
