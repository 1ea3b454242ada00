"""Rates of environment steps: an FPS without a unit counts what a counter beside it counts, as timesteps or frames.

Programs of reinforcement learning print both on one line, the rate as all steps of the environments over the time since
the start or since the line before: `updates 5/1000 episodes, total num timesteps 1800/300000, FPS 38`.
"""

import re

import numpy as np

from ...io.message import Message
from ...naming.sense import ENVIRONMENT_STEPS
from ...naming.slots import Slot
from ...naming.vocabulary import counted, listed, split
from ..gathered import Gathered, once_a_log
from ..line_form import LineForm
from ..spoken_series import LEAST, Numbers, SpokenSeries, rises
from .step_proof import LEAST_SECONDS

COUNTED_BESIDE = '{name} has no unit; it is assumed to count environment steps, as "{counter}" beside it does'
BY_STAMPS = (0.5, 2.0)  # a pause or an evaluation between two lines is not in the rate
# Frames are of videos as well.
_OF_AGENTS = re.compile(r"(?i)(?<![a-z])(?:mean_|avg_)?(?:rewards?|rew|episodes?|policy|actor|rollouts?)(?![a-z])")


def why_environment_steps(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that a rate without a unit counts environment steps; None of others.

    All its lines have one counter of them, which rises, and no faster or slower than the rate says where they have
    stamps.
    """
    slots = {form: _counter(form) for form in series.slots}
    names = {_name(slot) for slot in slots.values()}
    name = names.pop() if len(names) == 1 else ()
    if not name or (counted(name[-1]) == "frames" and not _tells_of_agents(gathered)):
        return None
    done = np.array([row.number(slots[row.form]) for row in series.rows])
    is_counter = len(done) >= LEAST and rises(done) and not _is_against_stamps(series, done)
    return Message(COUNTED_BESIDE, name=series.sense.name, counter=" ".join(name)) if is_counter else None


def _counter(form: LineForm) -> Slot | None:
    """What counts environment steps in a line, the only one that does."""
    found = [slot for slot in form.said.slots if _name(slot) and form.text[slot.start : slot.end].isdecimal()]
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
    by_stamps = float(np.median(steps[known] / passed[known]))
    return not BY_STAMPS[0] <= series.median / by_stamps <= BY_STAMPS[1]
