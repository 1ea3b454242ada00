"""Announced counts: a line says for how much a program trains, and other lines count that up: kimg, ticks, episodes."""

import re

import numpy as np

from ...io.message import Message
from ...naming.slots import Slot
from ...naming.vocabulary import split
from ..gathered import LONGEST_LINE, Gathered, once_a_log
from ..spoken_series import SpokenSeries, rises

COUNTS_UP = 'the lines are from training: they count up to what line {line} announces ("{announced}")'
_ANNOUNCED = re.compile(r"(?i)(?<![a-z])training for (?P<count>\d[\d,]{0,14}) (?P<what>[a-z]+)")


def why_announced(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What says that lines are of training: each has a number of a name announced before, which rises and stays within.

    ``Training for 5000 kimg`` above lines with ``kimg 50.1``: these tell how far the training is.
    """
    for line, said in _announced(gathered):
        most = float(said["count"].replace(",", ""))
        if line < series.rows[0].line and _counts(series, said["what"].lower(), most):
            return Message(COUNTS_UP, line=line, announced=said[0])
    return None


@once_a_log
def _announced(gathered: Gathered) -> list[tuple[int, re.Match[str]]]:
    """The numbers of the first lines that announce for how much is trained, and what they say."""
    said = ((line, _ANNOUNCED.search(text[:LONGEST_LINE])) for line, text in enumerate(gathered.head, 1))
    return [(line, found) for line, found in said if found]


def _counts(series: SpokenSeries, what: str, most: float) -> bool:
    slots = {form: next((slot for slot in form.said.slots if _is_named(slot, what)), None) for form in series.slots}
    done = np.array([row.number(slots[row.form]) for row in series.rows])
    return bool(np.isfinite(done).all() and rises(done) and done.max() <= most)


def _is_named(slot: Slot, what: str) -> bool:
    """Whether the last word before a number is this one, in the plural or not: `Training for 20 ticks`, `tick 1`."""
    words = split(slot.before)
    return bool(words) and words[-1].removesuffix("s") == what.removesuffix("s")
