"""Rates of environment steps: an FPS without a unit counts what a counter beside it counts, as timesteps or frames.

Programs of reinforcement learning print both on one line, the rate as all steps of the environments over the time since
the start or since the line before: `updates 5/1000 episodes, total num timesteps 1800/300000, FPS 38`.
"""

import re
from collections.abc import Sequence

import numpy as np

from ...io.message import Message
from ...naming.marks import AGENT
from ...naming.sense import ENVIRONMENT_STEPS
from ...naming.slots import Slot
from ...naming.vocabulary import counted, listed, split
from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..line_form import LineForm
from ..spoken_series import LEAST, Numbers, SpokenSeries, rises
from .step_proof import LEAST_SECONDS

COUNTED_BESIDE = '{name} has no unit; it is assumed to count environment steps, as "{counter}" beside it does'
MOST_BEHIND = 2  # lines
BY_STAMPS = (0.5, 2.0)  # a pause or an evaluation between two lines is not in the rate
# Frames are of videos as well.
_OF_AGENTS = re.compile(rf"(?i)(?<![a-z])(?:{AGENT}|rew|policy|actor)(?![a-z])")


def why_environment_steps(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a rate without a unit counts environment steps; None of others.

    All its lines, or those just behind them, have one counter of them, which rises, and no faster or slower than the
    rate says where they have stamps.
    """
    rows = _lines_of_counter(series, gathered)
    names = {_name(_counter(row.form)) for row in rows}
    name = names.pop() if len(names) == 1 else ()
    if not name or (counted(name[-1]) == "frames" and not _tells_of_agents(gathered)):
        return None
    done = np.array([row.number(_counter(row.form)) for row in rows])
    is_counter = len(done) >= LEAST and rises(done) and not _is_against_stamps(series, done)
    return Message(COUNTED_BESIDE, name=series.sense.name, counter=" ".join(name)) if is_counter else None


def _lines_of_counter(series: SpokenSeries, gathered: Gathered) -> Sequence[Spoken]:
    """The lines that count environment steps: its own, or those just behind each; nothing where one has no counter."""
    if all(map(_counter, series.slots)):
        return series.rows
    places = places_of(gathered)
    behind = [gathered.spoken[places[row] + 1 : places[row] + 2] for row in series.rows]
    pairs = ((row, following[0]) for row, following in zip(series.rows, behind, strict=True) if following)
    found = [other for row, other in pairs if _counter(other.form) and other.line - row.line <= MOST_BEHIND]
    return found if len(found) == len(series) else []


def _counter(form: LineForm) -> Slot | None:
    """What counts environment steps in a line of training, the only one that does."""
    if form.is_of_other:
        return None
    found = [slot for slot in form.said.slots if _name(slot) and form.written(slot).isdecimal()]
    return found[0] if len(found) == 1 else None


def _name(slot: Slot | None) -> tuple[str, ...]:
    """The last words before a number that counts environment steps; nothing of others."""
    words = split(slot.before) if slot else ()
    if not words:
        return ()
    is_of_environment = words[-2:-1] and words[-2] in listed("environment") and counted(words[-1]) == "steps"
    if is_of_environment:
        return words[-2:]
    return words[-1:] if counted(words[-1]) in (ENVIRONMENT_STEPS, "frames") else ()


@once_a_log
def _tells_of_agents(gathered: Gathered) -> bool:
    """Whether a log tells of rewards, of episodes or of a policy."""
    return any(map(_OF_AGENTS.search, gathered.head))


def _is_against_stamps(series: SpokenSeries, done: Numbers) -> bool:
    """Whether the stamps of the lines show another rate."""
    passed, steps = np.diff(np.array([row.moment for row in series.rows])), np.diff(done)
    known = (passed > 0) & (steps > 0)
    if known.sum() < LEAST or passed[known].sum() < LEAST_SECONDS:
        return False
    ratio = float(np.median(series.values[1:][known] * passed[known] / steps[known]))
    return not BY_STAMPS[0] <= ratio <= BY_STAMPS[1]
