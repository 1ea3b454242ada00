"""The work that a time of a block is of: training, or what else stands in it.

A clock since the start and a time that is called that of an epoch say so by themselves, and so does one that is called
that of a step, unless lines of an evaluation, of loading or of saving stand before it. Any other time is that of what
stands before it: of training only where nothing stands between a line that only training prints and the time, or where
all times make what the log says that the whole run took.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...naming.sense import ELAPSED, STEP_TIME, TIME, Sense
from ...naming.slots import Slot
from ...naming.vocabulary import listed
from ..evaluation_titles import is_title_of_evaluation
from ..line_form import LineForm
from .block_lines import FEWEST_BLOCKS, BlockLines
from .sum_of_times import make_the_total

MOST = 0.9  # of the blocks
FEW_STEPS = 0.2  # of all
FAR = 2.0  # times the first
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[a-z一-鿿]+")


def is_known(lines: BlockLines, counter: Sequence[int], turn: Sequence[int]) -> bool:
    """Whether it is known what took the times at some places, which take turns with a counter."""
    senses = _timed(lines.rows[turn[0]].form)
    if all("of_epoch" in sense.flags for sense in senses):
        return lines.number_epochs(counter)
    if any("mean" in sense.flags and sense.role == TIME for sense in senses):
        return False  # of the steps of an epoch, or of its epochs
    if any(sense.role in (TIME, ELAPSED) for sense in senses):
        return _is_clock(lines, turn) or _follows_training(lines, counter, turn) or make_the_total(lines, turn)
    return not _are_beside_other_work(lines, turn)


def are_trained(lines: BlockLines, counter: Sequence[int], turn: Sequence[int]) -> bool:
    """Whether blocks hold lines that only training prints, or number epochs and say what one of these took.

    A program that only evaluates has no epochs. Of steps that say what each took every tenth block, or the like, will
    do.
    """
    evident = np.diff(np.searchsorted(lines.evident, counter)) > 0
    if evident.mean() >= MOST or (_is_of_step(lines, turn) and _are_regular(np.flatnonzero(evident), len(evident))):
        return True
    is_of_epoch = all("of_epoch" in sense.flags for sense in _timed(lines.rows[turn[0]].form))
    return is_of_epoch and not _are_beside_other_work(lines, turn)


def _is_of_step(lines: BlockLines, turn: Sequence[int]) -> bool:
    """Whether a time is called that of a step."""
    return all(sense.role == STEP_TIME for sense in _timed(lines.rows[turn[0]].form))


def _are_regular(places: NDArray[np.intp], count: int) -> bool:
    """Whether some of so many blocks stand as far from one another all the way."""
    apart = np.diff([-1, *places, count])
    each = float(np.median(apart))
    return len(places) >= FEWEST_BLOCKS and bool((apart[1:-1] == each).mean() >= MOST and apart.max() <= FAR * each)


def _are_beside_other_work(lines: BlockLines, turn: Sequence[int]) -> bool:
    """Whether lines between two of a time tell of an evaluation, of loading or the like, or none of these are kept.

    Where a time is called that of a step, few of them may.
    """
    return part_beside_other_work(lines, turn) > (FEW_STEPS if _is_of_step(lines, turn) else 0)


def part_beside_other_work(lines: BlockLines, turn: Sequence[int]) -> float:
    """Between which part of the lines of a time others tell of an evaluation, of loading or the like; 1 of none."""
    between = [texts for before, place in pairwise(turn) if (texts := lines.texts(before, place)) is not None]
    return float(np.mean([any(map(_is_of_other_work, texts)) for texts in between])) if between else 1.0


def _is_of_other_work(line: str) -> bool:
    return is_title_of_evaluation(line) or bool(set(_WORD.findall(line.lower())) & listed("not_training"))


def _timed(form: LineForm) -> dict[Sense, Slot]:
    return {**form.speeds, **form.clocks}


def _is_clock(lines: BlockLines, turn: Sequence[int]) -> bool:
    """Whether a time rises from line to line, and far, as one since the start does."""
    rows = [lines.rows[place] for place in turn]
    times = np.array([row.number(next(iter(_timed(row.form).values()))) for row in rows])
    return bool((np.diff(times) > 0).mean() >= MOST and times[-1] > FAR * times[0])


def _follows_training(lines: BlockLines, counter: Sequence[int], turn: Sequence[int]) -> bool:
    """Whether nothing but the counter and other times stand between a line that only training prints and each time."""
    evident = np.array(lines.evident)
    if not len(evident):
        return False
    places = np.searchsorted(evident, turn, side="right")  # the line of the time may be one of them
    last = np.where(places > 0, evident[places - 1], -1)
    are_own = last[1:] > np.array(turn[:-1])
    lines_of_blocks = (lines.rows[place].text for places in (counter, *lines.timed.values()) for place in places)
    own = {text.strip() for text in lines_of_blocks if not _is_of_other_work(text)}
    before = [lines.texts(begin, place) for begin, place in zip(last[1:].tolist(), turn[1:], strict=True) if begin >= 0]
    kept = [[text for text in texts if text.strip() not in own] for texts in before if texts is not None]
    return bool(are_own.all() and kept) and not any(_LETTER.search(text) for texts in kept for text in texts)
