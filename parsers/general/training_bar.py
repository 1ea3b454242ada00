"""The progress bar of training, told from those of evaluation and preparation, where none of them has a name."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..io.message import Message
from .gathered import Gathered, Spoken

# A bar of tqdm without a name: 12%|# | 12/100 [00:24<02:56,  2.00s/it]
_BAR = re.compile(
    r"\s{0,3}\d{1,3}%\|[^|]*\| *(?P<step>\d+)/(?P<total>\d+) \[[^,\]<]*<[^,\]]*, *[\d.]+(?P<unit>s/it|it/s)\]"
)
UNKNOWN = "The log does not show which of its progress bars is that of training, so none is read."
LEAST_SECONDS = 20.0
LEAST_STEPS = 3
# A training that goes on from a checkpoint begins with all steps before it at once.
FAR = 3.0


@dataclass(frozen=True)
class _Drawn:
    """A bar as it was drawn once: its ``place`` in the file, ``step`` of ``total``, seconds on its ``clock``."""

    place: int
    step: int
    total: int
    clock: float
    unit: str


@dataclass(frozen=True)
class TrainingBar:
    """The bar of training as it was drawn, in file order."""

    drawn: Sequence[_Drawn]

    @property
    def total(self) -> int:
        """The steps of the whole training."""
        return self.drawn[0].total

    @property
    def grammar(self) -> str:
        """A grammar that reads this bar and no other of its log.

        The times of steps are left out where the bar shows them in two ways, or begins with the steps of a training
        before: its clock is right then, too.
        """
        units = {one.unit for one in self.drawn}
        if len(units) > 1 or self._goes_on:
            return _grammar(self.total, "_SHOWN", [])
        if "s/it" in units:
            return _grammar(self.total, 'step_time{seconds, unknown} "s/it"', ["step_time", "seconds", "unknown"])
        return _grammar(self.total, 'step_rate{unknown} "it/s"', ["step_rate", "unknown"])

    @property
    def _goes_on(self) -> bool:
        first, last = self.drawn[0], self.drawn[-1]
        usual = (last.step - first.step) / max(last.clock - first.clock, 1.0)
        return first.step > 1 and first.step / max(first.clock, 1.0) > FAR * usual


def training_bar(gathered: Gathered) -> TrainingBar | Message | None:
    """The bar that runs longest, where the lines of a log show that it is that of training, or why they do not.

    Losses stand only after it began. Other bars end before it, or stand between two drawings of it: one that begins
    after its last drawing was such a one before. None where no bar runs for long.
    """
    bars = dict[int, list[_Drawn]]()
    for one in _drawn(gathered.spoken):
        bars.setdefault(one.total, []).append(one)
    own = max(bars.values(), key=_seconds, default=[])
    if not own or not _is_long(own):
        return None
    del bars[own[0].total]
    losses = [place for place, row in enumerate(gathered.spoken) if row.form.has_evidence and not row.form.is_of_other]
    is_first = bool(losses) and losses[0] > own[0].place
    is_alone = all(_is_beside(own, other) for other in bars.values())
    return TrainingBar(own) if is_first and is_alone and _has_losses_throughout(own, losses) else Message(UNKNOWN)


def _has_losses_throughout(own: Sequence[_Drawn], losses: Sequence[int]) -> bool:
    """Whether a loss follows each beginning of the bar: one of as many steps without any is that of an evaluation."""
    begins = [own[0].place, *(after.place for before, after in pairwise(own) if after.step < before.step)]
    ends = [*begins[1:], math.inf]
    return all(any(begin < loss < end for loss in losses) for begin, end in zip(begins, ends, strict=True))


def _grammar(total: int, speed: str, names: Sequence[str]) -> str:
    """A grammar for the bar of so many steps: ``speed`` is what it shows of it, of rules and terminals of ``names``."""
    imported = ", ".join(["step", "steps", "elapsed", "DURATION", "BLANK", *names])
    return rf"""// The progress bar of training in one log

start: step_line

step_line: _PERCENT "%|" _PICTURE? "|" step{{"1"}} _OF steps "[" elapsed{{DURATION}} "<" _LEFT "," {speed} "]"

_PERCENT: /(?<![^ \t\n])(?<![^ \t\n] )(?<![^ \t\n]  )(?<![^ \t\n]   )[0-9]++(?=%\|)/
_PICTURE: /[^|\n]++/
_OF: /\/(?={total} )/
_LEFT: /[^,\]\n]++/
_SHOWN: /[0-9.]++(?:s\/it|it\/s)/

%import .vocabulary ({imported})
%ignore BLANK
"""


def _drawn(spoken: Sequence[Spoken]) -> Iterator[_Drawn]:
    for place, row in enumerate(spoken):
        if found := _BAR.match(row.text) if row.form.is_bar else None:
            yield _Drawn(place, int(found["step"]), int(found["total"]), row.clock, found["unit"])


def _seconds(bar: Sequence[_Drawn]) -> float:
    return sum(max(after.clock - before.clock, 0.0) for before, after in pairwise(bar))


def _is_long(bar: Sequence[_Drawn]) -> bool:
    return _seconds(bar) >= LEAST_SECONDS and max(one.step for one in bar) - bar[0].step >= LEAST_STEPS


def _is_beside(own: Sequence[_Drawn], other: Sequence[_Drawn]) -> bool:
    """Whether another bar ends before training begins, or stands between two drawings of its bar at least once."""
    places = [one.place for one in own]
    if other[-1].place < places[0]:
        return True
    is_between = any(places[0] < one.place < places[-1] for one in other)
    return is_between and not (other[-1].place > places[-1] and own[-1].step == own[-1].total)
