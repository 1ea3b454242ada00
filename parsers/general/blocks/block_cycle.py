"""The cycle of blocks: what repeats between two lines of one counter.

A program that prints a record over several lines prints the same lines again and again. One of them counts: steps,
updates, epochs. It heads the block, or ends it; the number belongs to all lines of the block. So a time on a line that
counts nothing belongs to the counter whose lines take turns with its own: between two lines of the one stands just one
of the other. A time that stands in every second block, or twice in one, belongs to nobody knows how many steps, and to
no block.

What took the time is another matter (``timed_work``), and what shows that it is one of training, of a step, of an
epoch or since the start is the same as for a record on one line: the proofs are applied to the block unbroken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...naming.sense import Sense
from ..gathered import Spoken
from .block_lines import FEWEST_BLOCKS, BlockLines
from .timed_work import are_trained, is_known, part_beside_other_work

IN_TURN = 0.9  # of the blocks, which hold a time once
MOST_TIMES = 2  # in any other block


@dataclass(frozen=True)
class Cycle:
    """The blocks of one counter: of each the line of the counter and those of its times, in their order.

    None where nothing in them shows that they are of training. ``unknown``: what else takes turns with the counter, and
    nobody knows what took it. ``is_beside_other_work``: in few of them something tells of an evaluation or the like.
    """

    blocks: Sequence[Sequence[Spoken]]
    unknown: Sequence[Sense]
    is_beside_other_work: bool


def cycles(lines: BlockLines) -> Iterator[Cycle]:
    """The blocks of a log by each counter that has some, those of steps before those of epochs."""
    for counter in lines.counters():
        turns = [turn for timed in lines.timed.values() if (turn := _in_turn(np.array(timed), counter)) is not None]
        same = [turn for turn in turns if _ends(turn, counter) == _ends(turns[0], counter)]
        known = [turn for turn in same if is_known(lines, counter, turn.tolist())]
        unknown = [sense for turn in same if not any(turn is one for one in known) for sense in _senses(lines, turn)]
        if same:
            is_trained = bool(known) and are_trained(lines, counter, known[0].tolist())
            is_beside = bool(known) and 0 < part_beside_other_work(lines, known[0].tolist()) < 1
            yield Cycle(list(_blocks(lines, counter, known)) if is_trained else [], unknown, is_beside)


def _in_turn(timed: NDArray[np.intp], counter: Sequence[int]) -> NDArray[np.intp] | None:
    """The places of lines where they take turns with those of a counter; of two in one block that beside the counter.

    Few blocks have two: the line of the counter was lost between them, as where another run was appended.
    """
    if len(timed) < FEWEST_BLOCKS:
        return None
    blocks = np.searchsorted(counter, timed)
    times = np.bincount(blocks, minlength=len(counter) + 1)
    inner = times[1:-1]
    is_so = len(inner) > 0 and (inner == 1).mean() >= IN_TURN and times.max() <= MOST_TIMES
    return timed[_beside_counter(blocks, ends=_ends(timed, counter))] if is_so else None


def _beside_counter(blocks: NDArray[np.intp], *, ends: bool) -> NDArray[np.bool_]:
    """Which of some lines is that of its block beside the line of the counter, which ``ends`` it or begins it."""
    changes = np.diff(blocks) != 0
    return np.append(changes, True) if ends else np.insert(changes, 0, True)


def _ends(turn: NDArray[np.intp], counter: Sequence[int]) -> bool:
    """Whether the line of the counter ends the blocks."""
    return bool(turn[0] < counter[0])


def _senses(lines: BlockLines, turn: NDArray[np.intp]) -> list[Sense]:
    form = lines.rows[turn[0]].form
    return [*form.speeds, *form.clocks]


def _blocks(lines: BlockLines, counter: Sequence[int], turns: Sequence[NDArray[np.intp]]) -> Iterator[Sequence[Spoken]]:
    """The blocks that hold each time once."""
    found: dict[int, list[int]] = {}
    for turn in turns:
        blocks = np.searchsorted(counter, turn) - (0 if _ends(turn, counter) else 1)
        for block, place in zip(blocks.tolist(), turn.tolist(), strict=True):
            found.setdefault(block, []).append(place)
    for block, places in sorted(found.items()):
        if len(places) == len(turns) and 0 <= block < len(counter):
            yield [lines.rows[place] for place in sorted([counter[block], *places])]
