"""Times of several steps: a line says how many steps took the time that stands beside, `100 iterations took 2.5 s`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .sense import OF_SEVERAL, SPEEDS, TIME, Sense
from .slots import Slot
from .vocabulary import lasting, split

_STEPS = r"(?:steps?|iter(?:ation)?s?|(?:mini)?batch(?:es)?|updates?|步|次迭代|个批次)"
_LAST = r"(?:the )?(?:last |past |previous )?"
# 100 iterations took 2.5 s; time for 100 iterations: 2.5 s; 2.5 s for 100 iterations
_TOOK = re.compile(rf"(?i)\s*{_STEPS}\s*(?:took|takes?|in|done in|finished in|completed in|用时|耗时)\s*[:=：]?\s*")
_TIME_FOR = re.compile(rf"(?i)(?<![a-z])(?:time|took) (?:for|of) {_LAST}\Z")
_STEPS_BEFORE = re.compile(rf"(?i)\s*{_STEPS}(?: (?:is|was|took))?\s*[:=：]?\s*")
_FOR = re.compile(rf"(?i)\s*for {_LAST}")
_STEPS_BEHIND = re.compile(rf"(?i)\s*{_STEPS}(?![a-z])")
# Before these nothing tells of another work, `loaded 100 batches in 2.5 s`, nor of a mean.
_BEFORE = frozenset(("time", "took", "for", "of", "the", "last", "past", "previous", "elapsed", "train", "training"))


@dataclass(frozen=True)
class TimeOfSteps:
    """Where a line tells how long some steps took, and how many these are."""

    time: Slot
    count: Slot


def time_of_steps(line: str, slots: Sequence[Slot]) -> TimeOfSteps | None:
    """What a line tells of the time of several steps; None where it does not, or of other work."""
    for one, other in pairwise(slots):
        if not set(split(one.before)) <= _BEFORE:
            continue
        if _is_count(line, one) and _is_behind_count(one, other) and (time := _timed(other)):
            return TimeOfSteps(time, one)
        is_before = _FOR.fullmatch(other.before) and _STEPS_BEHIND.match(line, other.end)
        if is_before and _is_count(line, other) and (time := _timed(one)):
            return TimeOfSteps(time, other)
    return None


def _is_count(line: str, slot: Slot) -> bool:
    return line[slot.start : slot.end].isdecimal() and slot.total is None


def _is_behind_count(count: Slot, time: Slot) -> bool:
    is_for = _TIME_FOR.search(count.before) and _STEPS_BEFORE.fullmatch(time.before)
    return bool(is_for or _TOOK.fullmatch(time.before))


def _timed(slot: Slot) -> Slot | None:
    """The slot of a time in a known unit, with its meaning; None of others, and of what its own name says more of."""
    factor = lasting(split(slot.unit)) if slot.unit else None
    is_known = slot.sense is not None and slot.sense.role in SPEEDS and slot.sense.role != TIME
    if factor is None or is_known or slot.clock:
        return None
    name = slot.sense.name if slot.sense else ""
    return replace(slot, sense=Sense(TIME, name, None, factor, flags=frozenset({OF_SEVERAL})))
