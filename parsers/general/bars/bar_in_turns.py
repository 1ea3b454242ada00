"""Training and evaluation bars that alternate under one name and total: the one that shows a loss is training."""

import re
from collections.abc import Sequence
from itertools import pairwise

from ...io.message import Message
from ..gathered import Gathered, Spoken, once_a_log
from ..spoken_series import SpokenSeries
from .bar_passes import begins_anew

LOSS_IN_TURNS = (
    "the progress bar alternates between training and evaluation: every second pass shows a loss, starting "
    "with the first"
)
FEWEST = 2  # passes of either
_NAME = re.compile(r"([\w./-]+)[\"']?\s*[=:]\s*\Z")

Key = tuple[object, ...]


def why_in_turns(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that those passes of a bar are of training whose lines a series holds; None where nothing does.

    All its lines show a loss, and passes with and without one follow each other, one with a loss first.
    """
    form = series.rows[0].form
    if not form.is_bar or series.evidence < 1 or not names_of_losses(series):
        return None
    have_losses = _have_losses(_bars(gathered).get(_key(series.rows[0]), []))
    are_in_turns = have_losses[:1] == [True] and all(one != other for one, other in pairwise(have_losses))
    return Message(LOSS_IN_TURNS) if are_in_turns and len(have_losses) >= 2 * FEWEST else None


def names_of_losses(series: SpokenSeries) -> frozenset[str]:
    """The names of the losses as the lines of a bar write them; empty where one has none in that form."""
    found = set[str]()
    for form in series.slots:
        names = [name[1] for slot in form.losses if (name := _NAME.search(slot.before))]
        if not names:
            return frozenset()
        found.update(names)
    return frozenset(found)


@once_a_log
def _bars(gathered: Gathered) -> dict[Key, list[Spoken]]:
    """The drawings of bars, of each name and total by themselves."""
    found: dict[Key, list[Spoken]] = {}
    for row in gathered.spoken:
        if row.form.is_bar:
            found.setdefault(_key(row), []).append(row)
    return found


def _key(row: Spoken) -> Key:
    return (row.form.level.words, row.form.level.has_epoch, row.total)


def _have_losses(rows: Sequence[Spoken]) -> list[bool]:
    """Of each pass that goes on whether it shows a loss; it need not at its first drawings."""
    begins = [0, *(place for place, pair in enumerate(pairwise(rows), 1) if begins_anew(*pair)), len(rows)]
    passes = [rows[start:end] for start, end in pairwise(begins) if end > start]
    return [any(row.form.losses for row in one) for one in passes if one[-1].of("step") > 0]
