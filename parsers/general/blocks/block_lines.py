"""The lines of a log by what each may be in a block: that of a counter, of a time, or one that only training prints."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...naming.sense import ELAPSED, STEP_TIME, TIME
from ...naming.slots import Slot
from ..gathered import Gathered, Spoken
from ..line_form import LineForm
from ..proofs.epoch_proof import are_one_by_one, rise_or_begin_anew
from ..spoken_series import Numbers

FEWEST_BLOCKS = 4
TIMES = (TIME, ELAPSED, STEP_TIME)  # a rate shows by itself what it is of
MOST_COUNTERS = 6
# How lines begin and what their numbers are: what the lines of one part of each block have in common.
Likeness = tuple[object, ...]


@dataclass
class BlockLines:
    """Lines by their places among ``rows``: ``counting`` and ``timed`` ones that are alike, and ``evident`` ones.

    ``head``: the first lines of the log with all that says nothing, each at its number less one.
    """

    rows: Sequence[Spoken]
    head: Sequence[str]
    counting: dict[Likeness, list[int]] = field(default_factory=dict)
    timed: dict[Likeness, list[int]] = field(default_factory=dict)
    evident: list[int] = field(default_factory=list)

    def counters(self) -> list[list[int]]:
        """The places of lines that count up, those of steps first."""
        found = [(likeness, places) for likeness, places in self.counting.items() if self._count_up(places)]
        found.sort(key=lambda one: (one[0][0] != "step", -len(one[1])))
        return [places for _, places in found[:MOST_COUNTERS]]

    def _count_up(self, places: Sequence[int]) -> bool:
        return len(places) >= FEWEST_BLOCKS and rise_or_begin_anew(self.counts(places))

    def counts(self, places: Sequence[int]) -> Numbers:
        """What the lines of a counter count."""
        rows = (self.rows[place] for place in places)
        return np.array([row.number(_counter(row.form)) for row in rows])

    def number_epochs(self, counter: Sequence[int]) -> bool:
        """Whether the lines of a counter number epochs one by one."""
        return self.rows[counter[0]].form.kind == "epoch" and are_one_by_one(self.counts(counter))

    def texts(self, begin: int, end: int) -> Sequence[str] | None:
        """What stands between two places; None where it is not kept."""
        first, last = self.rows[begin].line, self.rows[end].line
        return self.head[first : last - 1] if last <= len(self.head) else None


def block_lines(gathered: Gathered) -> BlockLines:
    """The lines of a log that may be parts of blocks."""
    found = BlockLines(examined(gathered), gathered.head)
    known: dict[LineForm, list[list[int]]] = {}
    for place, row in enumerate(found.rows):
        if row.form not in known:
            known[row.form] = list(_places(found, row.form))
        for places in known[row.form]:
            places.append(place)
    return found


def examined(gathered: Gathered) -> list[Spoken]:
    """The lines up to where those of some form go on unseen, for only the first of each are kept."""
    end = gathered.examined_up_to(filter(_may_be_in_blocks, gathered.counts))
    return [row for row in gathered.spoken if row.line <= end]


def _counter(form: LineForm) -> Slot | None:
    """What counts the steps or epochs of lines, under a name."""
    return form.first("step") or form.first("epoch")


def _may_be_in_blocks(form: LineForm) -> bool:
    return not (form.is_bar or form.is_of_other)


def _places(found: BlockLines, form: LineForm) -> Sequence[list[int]]:
    """The lists to which the places of lines of a form belong."""
    if not _may_be_in_blocks(form):
        return []
    of_training = [found.evident] if form.has_evidence else []
    if slot := _counter(form):
        alike = (form.kind, slot.sense.name if slot.sense else "", form.level.words)
        return [*of_training, found.counting.setdefault(alike, [])]
    senses = tuple((sense.role, sense.name) for sense in (*form.speeds, *form.clocks))
    is_timed = bool(senses) and all(role in TIMES for role, _ in senses)
    return [*of_training, found.timed.setdefault((form.level.words, senses), [])] if is_timed else of_training
