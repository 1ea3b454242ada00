"""Stretches: a time that a line gives for several steps at once: `Time(100 iters): 2.5s`, `1.6s/20 iters`."""

import re
from dataclasses import dataclass, replace

from .sense import STEP_TIME, TIME, Sense, qualities, sense
from .vocabulary import counted, lasting, listed, split

_WORD = r"[A-Za-z一-鿿]+"
# Behind the count: `100 iters): 2.5 s`, `100 steps took 2.5 s`, `100 个 batch 耗时 2.5s`.
_BEHIND_COUNT = re.compile(
    rf"\s?({_WORD}?)[)\]]?(?:\s?[:=]|\s?(?:用时|耗时)\s?[:=：]?|\s(?:in|took|time|cost|elapsed)\s?[:=]?)?\s?\Z"
)
_UNIT = re.compile(r"(\s?(?:ms|msecs?|s|secs?|seconds?|mins?|minutes?|毫秒|秒|分钟?))(?![A-Za-z/])")
# Between the time and the count behind it: `1.6s/20 iters`, `2.5 s for 50 steps`, `12.5 sec per 100 steps`.
_BETWEEN = re.compile(
    r"(\s?(?:ms|msecs?|s|secs?|seconds?|mins?|minutes?))\s?(?:/|(?:for|per)(?: the)?(?: last)?)\s?(?=\d)", re.IGNORECASE
)
_COUNTED = re.compile(rf"(\d+)\s?({_WORD})")


@dataclass(frozen=True)
class StretchOfSteps:
    """The ``unit`` of a time, as it stands behind the number, and whether the count stands ``before`` it."""

    unit: str
    factor: float
    before: bool

    def sense(self, key: str, about: str, *, is_strong: bool) -> Sense | None:
        """What the time is under a name, by the words ``about`` the count.

        None where they say that it is a mean, or are of something else that counts its steps: `solver: 10 iterations`.
        """
        words = qualities(word for word in split(about) if word not in listed("beside_count"))
        found = sense(key, self.unit.strip(), is_strong=is_strong)
        if words & {"mean", "qualified"}:
            return None
        if found is None or found.role not in (TIME, STEP_TIME):
            found = Sense(TIME, "", None, self.factor, flags=frozenset({"nameless"}))
        return replace(found, flags=found.flags | words & {"other", "part"})


def stretch(line: str, before: str, end: int, *, follows_count: bool) -> StretchOfSteps | None:
    """Whether a number that ends somewhere is the time of several steps, of which the line tells the count.

    ``before``: the text between it and the number before. ``follows_count``: that one is whole, and counts nothing
    under a name of its own.
    """
    if follows_count and (named := _BEHIND_COUNT.match(before)) and _counts_steps(named[1]):
        unit = _UNIT.match(line, end)
        return _of_unit(unit[1], before=True) if unit else None
    between = _BETWEEN.match(line, end)
    count = _COUNTED.match(line, between.end()) if between else None
    return _of_unit(between[1], before=False) if between and count and _counts_steps(count[2]) else None


def _of_unit(unit: str, *, before: bool) -> StretchOfSteps | None:
    factor = lasting(split(unit))
    return StretchOfSteps(unit, factor, before) if factor else None


def _counts_steps(word: str) -> bool:
    return counted(word.lower()) == "steps"
