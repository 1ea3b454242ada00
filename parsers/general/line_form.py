"""Forms: lines that are equal but for their numbers, what their numbers mean, and what the words around them say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..naming import marks
from ..naming.marks import STAMP
from ..naming.sense import ELAPSED, EVIDENCE, RATE, SPEEDS, STEP_RATE, Sense
from ..naming.slots import BAR, NUMBER, LineSlots, Slot, parse
from ..naming.vocabulary import Words, listed, named, split
from .line_moment import Stamp, stamp_of

# What stands before the numbers of a line that is not of training: `Test: [1/20]`, `mode(val)`, "phase": "eval".
_NOT_TRAINING = re.compile(
    r"(?i)(?<![a-z])(?:test|val|valid|validation|eval|evaluation|testing|evaluating|validating|inference)(?![a-z])"
    r"(?:\s*[\[\]:()]|\s+(?:epoch|time|iter|step|batch|done|at))"
    r"|epoch[\s\[:(]*\d+[^a-z]{0,4}(?:test|val|valid|validation|dev|eval|evaluation)(?![a-z_]|\s+(?:loss|acc))|[\"'](?:mode|split|phase)[\"']:\s*[\"'](?:val|test|eval)"
)
TRAINING = re.compile(rf"(?i)(?<![a-z])(?:train|training|trainer)(?![a-z])|{marks.TRAINING}")
# Names of its numbers: `val_loss`, `test auc`.
EVALUATION = re.compile(r"(?i)(?<![a-z])(?:test|val|valid|validation|dev|eval|evaluation)(?![a-z])")
_FORETOLD = re.compile(r"(?i)expected|estimated|target")
_OF_A_LOSS = ("loss", "损失")
_ADVERSARIES = ("discriminator", "generator")
_OF_TIME = re.compile(r" ?(?:ms|s|secs?|%)(?![A-Za-z])")
_LOOKED_AT = 160
_OTHER_NAME = re.compile(r"[A-Za-z一-鿿]{2}\s*[:=]\s*\Z")
MOST_HEAD_WORDS = 6


class Level(NamedTuple):
    """What lines of one level have in common: how they count, and the words that they begin with.

    ``step``: the name of their counter of steps, None without one. ``bare``: how many whole numbers without a name come
    first.
    """

    step: str | None
    has_evidence: bool
    has_epoch: bool
    bare: int
    summary: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LineForm:
    """A form by the first line of it, without prefixes and colours."""

    text: str
    said: LineSlots

    @cached_property
    def speeds(self) -> Mapping[Sense, Slot]:
        """The numbers that may be a speed; of several that say the same the first."""
        found: dict[Sense, Slot] = {}
        for slot in self.said.slots:
            if slot.sense and slot.sense.role in SPEEDS and not slot.is_mean:
                found.setdefault(slot.sense, slot)
        return found

    @cached_property
    def clocks(self) -> Mapping[Sense, Slot]:
        """The numbers that may be the time since the start."""
        slots = (slot for slot in self.said.slots if slot.sense and slot.sense.role == ELAPSED and not slot.is_mean)
        return {slot.sense: slot for slot in slots if slot.sense}

    @cached_property
    def closes_a_run(self) -> bool:
        """Whether its line tells how long a run took in all, and what it did a second, in samples and in steps.

        With a learning rate it is of the run so far; without the steps what is called samples may be these.
        """
        roles = {sense.role for sense in self.speeds if "other" not in sense.flags}
        is_of_run = any(sense.name.endswith("runtime") for sense in self.clocks) and not self.first("learning_rate")
        return is_of_run and {RATE, STEP_RATE} <= roles

    def first(self, role: str) -> Slot | None:
        """The first number of a role; of steps one that is not called something else: `progress: 1/1 step: 5`."""
        found = [slot for slot in self.said.slots if slot.sense and slot.sense.role == role and not slot.is_mean]
        if role == "step" and (bar := BAR.search(self.text)):  # `[3/20]:  10%|#   | 4/40`
            found = [slot for slot in found if slot.total is not None and slot.start >= bar.end()][:1] or found
        return next((slot for slot in found if not _is_of_other_name(slot)), found[0] if found else None)

    def at(self, place: int) -> Slot | None:
        """The number at a place among all."""
        return next((slot for slot in self.said.slots if slot.place == place), None)

    def written(self, slot: Slot) -> str:
        """The number in a slot as it is written."""
        return self.text[slot.start : slot.end]

    def mean_of(self, slot: Slot) -> Slot | None:
        """The mean in brackets behind a number."""
        return next((other for other in self.said.slots if other.is_mean and other.place == slot.place + 1), None)

    @cached_property
    def stamp(self) -> Stamp | None:
        """The stamp at its start or end."""
        return stamp_of(self.text)

    @cached_property
    def has_evidence(self) -> bool:
        """Whether its lines say what only training does: a loss, a learning rate, those of two adversaries."""
        return self.has_adversaries or any(slot.sense and slot.sense.role in EVIDENCE for slot in self.said.slots)

    @cached_property
    def has_adversaries(self) -> bool:
        """Whether two of its numbers, no whole ones, are called by the two networks of an adversarial training."""
        called = {
            name
            for name, slot in zip(self.names, self.said.slots, strict=True)
            if "." in self.written(slot) and not _OF_TIME.match(self.text, slot.end)
        }
        return all(called & listed(network) for network in _ADVERSARIES)

    @cached_property
    def has_loss(self) -> bool:
        """Whether its lines say a loss."""
        return self.first("loss") is not None

    @cached_property
    def has_any_loss(self) -> bool:
        """Whether its lines say a loss, or one of several: `generator_loss`."""
        return self.has_loss or any(slot.sense and _is_of_a_loss(slot.sense) for slot in self.said.slots)

    @cached_property
    def losses(self) -> list[Slot]:
        """The numbers that are losses of training."""
        told = [slot for slot in self.said.slots if slot.sense and not (slot.is_mean or "other" in slot.sense.flags)]
        return [slot for slot in told if slot.sense and (slot.sense.role == "loss" or _is_of_a_loss(slot.sense))]

    @cached_property
    def results(self) -> list[Slot]:
        """The numbers that are results of an evaluation: `val_loss=0.5`, `test auc 0.9`."""
        return [
            slot
            for slot, name in zip(self.said.slots, self.names, strict=True)
            if (slot.sense and "other" in slot.sense.flags) or EVALUATION.search(name)
        ]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers."""
        return tuple(slot.sense.name if slot.sense else " ".join(split(slot.before)) for slot in self.said.slots)

    @cached_property
    def is_of_training(self) -> bool:
        """Whether a word of it says so."""
        return bool(TRAINING.search(self.said.head.replace("_", " "))) or self._names_training

    @cached_property
    def _names_training(self) -> bool:
        return any(set(split(slot.before)) & listed("training") for slot in self.said.slots)

    @cached_property
    def is_of_other(self) -> bool:
        """Whether words say that its lines are of an evaluation, of loading, or foretell something."""
        words = set(_words(self.said.head))
        evidence = [s.sense for s in self.said.slots if s.sense and s.sense.role in EVIDENCE]
        only_other = bool(evidence) and all("other" in sense.flags for sense in evidence)
        first = min((slot.start for slot in self.speeds.values()), default=_LOOKED_AT)
        before = self.text[: min(_LOOKED_AT, first)]
        found = _NOT_TRAINING.search(before) or _FORETOLD.search(self.said.head)
        loose = set() if self.is_bar else {"log", "gen", "test", "load", "map", "input", "output", "io"}
        loose |= listed("generator") if self.has_adversaries else set()
        return only_other or bool(found) or bool(words & (listed("not_training") - loose))

    @cached_property
    def is_bar(self) -> bool:
        """Whether its lines are those of a progress bar."""
        return self.name_of_bar is not None

    @cached_property
    def name_of_bar(self) -> str | None:
        """What stands before the percentage of a progress bar; None of other lines."""
        bar = BAR.search(self.text)
        return self.text[: bar.start()] if bar else None

    @cached_property
    def is_bar_of_epochs(self) -> bool:
        """Whether its name tells of epochs, and of the number of none: `Training epochs:  20%|##   | 1/5`."""
        names = tuple({name[-1] for name in named("epoch")})
        return any(word in names or (not word.isascii() and word.endswith(names)) for word in self._words_of_bar)

    @cached_property
    def is_bar_of_no_steps(self) -> bool:
        """Whether its name tells of what has many steps each, and of the number of none: `Folds:  20%|##   | 1/5`."""
        return not listed("of_many_steps").isdisjoint(self._words_of_bar)

    @property
    def _words_of_bar(self) -> Words:
        """The words of the name of a bar that numbers nothing."""
        head = self.name_of_bar or ""
        return () if re.search(r"\d", head) else split(head)

    @cached_property
    def level(self) -> Level:
        """The level of its lines."""
        step = self.first("step")
        words = tuple(word for word in _words(self.said.head) if word not in listed("level") and len(word) > 1)
        summary = tuple(sorted(set(words) & listed("summary")))
        name = step.sense.name if step and step.sense else None
        return Level(
            name, self.has_evidence, self.first("epoch") is not None, len(self._bare), summary, words[:MOST_HEAD_WORDS]
        )

    @cached_property
    def _bare(self) -> list[Slot]:
        """The whole numbers without a name before all that have one, where none of these counts steps."""
        if self._whole_step:
            return []
        known = next((place for place, slot in enumerate(self.said.slots) if slot.sense), 0)
        leading = self.said.slots[:known]
        return [slot for slot in leading if self.written(slot).isdecimal() and not _words(slot.before)]

    @property
    def counter(self) -> Slot | None:
        """What counts its steps: a number of that name, or else the last leading one without a name.

        A number of that name with a decimal point is a mean, which counts only if nothing else does.
        """
        return self._whole_step or (self._bare[-1] if self._bare else self.first("step"))

    @property
    def _whole_step(self) -> Slot | None:
        """The number of a step; None of one that is a mean: `[ 12] episode=120 steps=209.7 loss=0.5`."""
        step = self.first("step")
        return step if step and "." not in self.written(step) else None

    @cached_property
    def only_count_of_steps(self) -> Slot | None:
        """The only whole number that is called steps of something, where nothing counts these: `Steps so far 1806`."""
        whole = (slot for slot in self.said.slots if slot.sense is None and self.written(slot).isdecimal())
        found = [slot for slot in whole if {"step", "steps"} & set(split(slot.before))]
        return found[0] if len(found) == 1 and self.counter is None else None

    @property
    def counters(self) -> list[Slot]:
        """All that counts steps under a name of its own."""
        found = (slot for slot in self.said.slots if slot.sense and slot.sense.role == "step" and not slot.is_mean)
        return list({slot.sense.name: slot for slot in found if slot.sense and slot.sense.name}.values())

    @property
    def kind(self) -> str:
        """The kind of line of a grammar that it is: step, epoch or summary."""
        return "step" if self.counter else "epoch" if self.level.has_epoch else "summary"


def _is_of_a_loss(sense: Sense) -> bool:
    """Whether a number is one of several losses: `generator_loss`."""
    return sense.role == "training" and sense.name.endswith(_OF_A_LOSS)


def _is_of_other_name(slot: Slot) -> bool:
    """Whether a fraction that has no name of a counter stands behind another name."""
    is_nameless = slot.total is not None and slot.sense is not None and not slot.sense.name
    return is_nameless and bool(_OTHER_NAME.search(slot.before))


def _words(head: str) -> list[str]:
    """The words before the numbers, without what names a place or a moment."""
    plain = NUMBER.sub(" ", STAMP.sub(" ", head))
    return re.sub(r"[^a-z一-鿿]+", " ", plain.lower()).split()


def skeleton(line: str) -> str:
    """A line with one sign for each of its numbers."""
    return NUMBER.sub("#", line)


def line_form(line: str) -> LineForm | None:
    """The form of a line; None where none of its numbers means anything."""
    said = parse(line)
    if not any(slot.sense for slot in said.slots):
        return None
    return LineForm(line, said)
