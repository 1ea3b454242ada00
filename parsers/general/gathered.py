"""The lines of a log by their forms, and the numbers of some lines of each."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..grammar.timestamps import length_of_time
from ..naming.marks import LENGTH
from ..naming.slots import NUMBER, Slot
from ..scanning.detection import known_shapes
from ..scanning.prefix import has_prefix, without_prefix
from ..scanning.shapes import ALONE, ShapedLines
from ..scanning.text import LogText
from .line_form import LineForm, line_form, skeleton
from .line_moment import moment

# At most so many lines of each form are examined; fewer are enough to recognise a speed.
MOST_OF_A_FORM = 3000
MOST_FORMS = 20_000
LONGEST_LINE = 6000
HEAD_LINES = 3000  # of a log, which are kept with all that says nothing
_LEFT = re.compile(r"(?i)(?:\b(?:eta|remaining(?:[ _]time)?|time left)\W{1,4}|<)((?:\d+ days?, *)?(?:\d+:)?\d+:\d+)")
_LEFT_SPELT = re.compile(
    r"(?i)\b(?:eta|remaining(?:[ _]time)?|time left)\W{1,4}"
    r"(\d+(?:\.\d+)? ?(?:d|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?))\b"
)
_OF = re.compile(r"(?i)\s+(?:out )?of\s+")
_BAR_CLOCK = re.compile(r"\[((?:\d+:)?\d+:\d+)<")
# What is drawn anew begins a line, and so does what a program prints behind its bar: `[00:05<00:05, 2.0it/s]step 10`.
_BEHIND_BAR = re.compile(r"\r|(?<=(?:it/s|s/it)\])(?=[^\s,;|])")


@dataclass(frozen=True, eq=False)
class Spoken:
    """One line, or a part of it between carriage returns: its physical number, its form and its numbers."""

    line: int
    text: str
    form: LineForm

    @cached_property
    def numbers(self) -> list[str]:
        """The texts of all its numbers."""
        return NUMBER.findall(self.text)

    def number(self, slot: Slot | None) -> float:
        """The number in a slot; NaN where there is none, or only a rounded count."""
        is_there = slot is not None and slot.place < len(self.numbers) and not slot.is_rounded
        if slot and is_there and slot.clock:
            return length_of_time(self._length(slot))
        return _float(self.numbers[slot.place]) * slot.scale if slot and is_there else float("nan")

    def _length(self, slot: Slot) -> str:
        """The text of the length of time in a slot; empty where it is none that a grammar reads."""
        starts = [number.start() for number in NUMBER.finditer(self.text)]
        found = LENGTH.match(self.text, starts[slot.place])
        return found[0] if found else ""

    def is_echo(self, other: "Spoken") -> bool:
        """Whether it is another one with something before either: two handlers of a logger print each line."""
        shorter, longer = sorted((self.text, other.text), key=len)
        return self.text != other.text and longer.endswith(shorter)

    def of(self, role: str) -> float:
        """The number with a role, or NaN."""
        return self.number(self.form.first(role))

    @cached_property
    def total(self) -> float:
        """The steps that there are of those that it counts; NaN where they are not told."""
        found = self.total_of(self.form.first("step"))
        return found if np.isfinite(found) else self.of("steps")

    def total_of(self, slot: Slot | None) -> float:
        """The second number of a fraction of which a slot is the first; NaN without one."""
        place = slot.total if slot else None
        return _float(self.numbers[place]) if place is not None and place < len(self.numbers) else float("nan")

    @cached_property
    def length(self) -> float:
        """The steps of the loop that it counts: its total, or what `of` tells, `Batch 40 of 241`; NaN without."""
        place = self.form.counter.place if self.form.counter else len(self.numbers)
        found = [*NUMBER.finditer(self.text)][place : place + 2]
        is_told = len(found) > 1 and _OF.fullmatch(self.text, found[0].end(), found[1].start())
        return _float(found[1][0]) if is_told and not np.isfinite(self.total) else self.total

    @cached_property
    def moment(self) -> float:
        """The stamp of the line in seconds; NaN where it has none."""
        return moment(self.text) if self.form.said.has_stamp else float("nan")

    @cached_property
    def left(self) -> float:
        """How many seconds the line says are left; NaN where it says nothing."""
        found = _LEFT.search(self.text)
        if found is None and (spelt := _LEFT_SPELT.search(self.text)):
            return length_of_time(spelt[1])
        return _seconds(found[1]) if found else self.of("remaining")

    @cached_property
    def clock(self) -> float:
        """Elapsed seconds of the progress bar, or NaN if the line has none."""
        found = _BAR_CLOCK.search(self.text)
        return _seconds(found[1]) if found else float("nan")


@dataclass(eq=False)
class Gathered:
    """What a log holds: ``spoken`` lines with numbers that mean something, how many lines each form has in all."""

    spoken: list[Spoken] = field(default_factory=list)
    counts: Counter[LineForm] = field(default_factory=Counter)
    total: int = 0
    evidence: int = 0
    head: list[str] = field(default_factory=list)

    def examined_up_to(self, forms: Iterable[LineForm]) -> float:
        """The line up to which all lines of some forms are among those spoken; infinite where all lines are."""
        cut = {form for form in forms if self.counts[form] > MOST_OF_A_FORM}
        lasts = {row.form: row.line for row in self.spoken if row.form in cut} if cut else {}
        return min(lasts.values(), default=math.inf)

    def hear(self, said: Spoken) -> None:
        """Take a line, but not the second of two that are the same but for what a logger puts before one of them."""
        last = self.spoken[-1] if self.spoken else None
        if last and last.line == said.line - 1 and said.is_echo(last):
            return
        self.counts[said.form] += 1
        self.evidence += said.form.has_evidence
        if self.counts[said.form] <= MOST_OF_A_FORM:
            self.spoken.append(said)


T = TypeVar("T")


def once_a_log(compute: Callable[[Gathered], T]) -> Callable[[Gathered], T]:
    """The same function, which computes once what each series of a log asks for: there may be thousands of them."""
    known = WeakKeyDictionary[Gathered, T]()

    def found(gathered: Gathered) -> T:
        if gathered not in known:
            known[gathered] = compute(gathered)
        return known[gathered]

    return found


@once_a_log
def places_of(gathered: Gathered) -> dict[Spoken, int]:
    """The place of each line among all that are spoken: several may be of one physical line."""
    return {row: place for place, row in enumerate(gathered.spoken)}


def gather(path: Path) -> Gathered:
    """Read the lines of a log; raises LogError as ``LogText.blocks`` does."""
    found, forms = Gathered(), _Forms()
    for lines in LogText(path).blocks(known_shapes(())):
        found.total += len(lines)
        for number, text, form in forms.of(lines, found):
            found.hear(Spoken(number, text, form))
    return found


class _Forms:
    """The form of each line: looked at once for each shape, and once for all shapes of one form."""

    def __init__(self) -> None:
        self._of_shape: dict[int, bool] = {}
        self._of_skeleton: dict[str, LineForm | None] = {}

    def of(self, lines: ShapedLines, found: Gathered) -> Iterator[tuple[int, str, LineForm]]:
        """Number, text and form of each line of a block that has one."""
        numbered = _have_digits(lines).tolist()
        for row, (shape, start, end) in enumerate(
            zip(lines.shapes.tolist(), lines.starts.tolist(), lines.ends.tolist(), strict=True)
        ):
            is_known = not numbered[row] or (shape != ALONE and self._of_shape.get(shape) is False)
            if is_known and len(found.head) >= HEAD_LINES:
                continue
            if end - start > LONGEST_LINE and b"\r" not in lines.data[start:end]:
                continue
            text = _text(lines.data[start:end])
            if lines.is_cut and row == len(lines) - 1 and re.search(r"[0-9.]\Z", text):
                continue
            if len(found.head) < HEAD_LINES:
                found.head.append(text)
            parts = [part for part in _BEHIND_BAR.split(text) if len(part) <= LONGEST_LINE]
            forms = [(part, form) for part in parts if (form := self._form(part))]
            self._of_shape[shape] = bool(forms)
            for part, form in forms:
                yield lines.before + row + 1, part, form

    def _form(self, text: str) -> LineForm | None:
        mask = skeleton(text)
        if "#" not in mask:
            return None
        if mask not in self._of_skeleton:
            if len(self._of_skeleton) >= MOST_FORMS:
                return None
            self._of_skeleton[mask] = line_form(text)
        return self._of_skeleton[mask]


def _have_digits(lines: ShapedLines) -> NDArray[np.bool_]:
    """Which lines hold a number; all others say nothing."""
    if not len(lines):
        return np.zeros(0, np.bool_)
    digits = np.frombuffer(lines.data, np.uint8) - np.uint8(ord("0")) < 10
    return np.logical_or.reduceat(digits, lines.starts)


def _text(data: bytes) -> str:
    data = data.removesuffix(b"\n")
    plain = without_prefix(data) if has_prefix(b"\n" + data) else data
    return plain.decode("utf-8", "replace")


def _float(text: str) -> float:
    return float(text.replace(",", ""))


def _seconds(text: str) -> float:
    days, _, clock = text.rpartition(",")
    total = 0.0
    for part in clock.strip().split(":"):
        total = total * 60 + float(part)
    return total + 86400 * float(re.match(r"\d+", days.strip())[0] if days else 0)  # type: ignore[index]
