"""Series: the numbers of one meaning in the lines of one level, in file order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..io.message import Message
from ..naming.sense import ELAPSED, RATE, STEP, STEP_RATE, STEP_TIME, TIME, Sense
from ..naming.slots import Slot
from .gathered import Gathered, Spoken, places_of
from .line_form import Level, LineForm
from .line_moment import are_by_system_clock

Numbers = NDArray[np.float64]
AGREE = 0.05  # two levels or forms that say the same differ by less
LEAST = 3
FAR = 2.5  # a level that differs by more than this is of something else
BY_SYSTEM_CLOCK = "{name} is in seconds: its digits are those of differences between system clock readings"
FEW = 0.2  # a form with fewer lines than this part of another is not asked


@dataclass(frozen=True, eq=False)
class SpokenSeries:
    """Lines that say one thing, the ``sense``, and the ``slots`` where each form of them says it.

    ``total``: the steps of the progress bar that they are of, where nothing else tells it from other bars.
    ``is_beside``: its lines are part of multi-line records, and another line of each shows that it is training.
    ``shown``: what shows that its lines are of training, where nothing in them does but what other lines say of them.
    ``is_surrounded``: the lines before or behind its bar show that this is the one of training.
    ``is_of_epochs``: a line of it stands behind the lines of each epoch. ``inverse``: the forms of a bar that show the
    inverse, as one does that shows steps a second or seconds per step, whichever is above one. ``losses``: the names of
    losses, where a bar shows one of them in its lines and others of its name, of an evaluation, show none. ``ends``:
    how often a bar is drawn at the end of each pass, where its lines are the last of these drawings. ``is_by_clock``:
    it is of a bar that shows a clock and no speed.
    """

    sense: Sense
    level: Level
    rows: Sequence[Spoken]
    slots: dict[LineForm, Slot]
    total: float | None = None
    is_beside: bool = False
    shown: Message | None = None
    is_surrounded: bool = False
    is_of_epochs: bool = False
    inverse: frozenset[LineForm] = frozenset()
    losses: frozenset[str] = frozenset()
    ends: int = 0
    is_by_clock: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_of_steps(self) -> bool:
        """Whether its lines count steps."""
        return self.sense.role == STEP or self.rows[0].form.counter is not None

    @property
    def closes_a_run(self) -> bool:
        """Whether it is the one line that tells the time of a run and what it did a second."""
        return len(self) == 1 and self.rows[0].form.closes_a_run

    @property
    def kind(self) -> str:
        """The kind of its lines: step, epoch or summary; the only one that tells the time of a run is a summary."""
        if self.closes_a_run:
            return "summary"
        if self.sense.role == STEP:
            return "step"
        if self.is_of_epochs or ("of_epoch" in self.sense.flags and not self.is_of_steps):
            return "epoch"
        kind = self.rows[0].form.kind
        return "step" if self.is_beside or (self.shown and kind == "summary") else kind

    @property
    def is_scaled(self) -> bool:
        """Whether it counts thousands or millions: `2.17K`."""
        return any(slot.scale != 1 for slot in self.slots.values())

    @property
    def is_clocked(self) -> bool:
        """Whether its numbers are written as lengths of time: `0:02:28`."""
        return any(slot.clock for slot in self.slots.values())

    @cached_property
    def values(self) -> Numbers:
        """Its numbers as they are printed; the inverse of those that show that; of a clock what it makes of a step."""
        if self.is_by_clock and self.sense.role in (ELAPSED, STEP_TIME):
            return self._of_clock()
        printed = np.array([row.number(self.slots[row.form]) for row in self.rows])
        if not self.inverse:
            return printed
        with np.errstate(divide="ignore"):
            return np.where([row.form in self.inverse for row in self.rows], 1 / printed, printed)

    def _of_clock(self) -> Numbers:
        """The seconds of a clock; of the time of a step over the steps that were done in these."""
        clocks = np.array([row.clock for row in self.rows])
        with np.errstate(divide="ignore", invalid="ignore"):
            return clocks / self.steps if self.sense.role == STEP_TIME else clocks

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Which of them are finite and more than zero."""
        return np.isfinite(self.values) & (self.values > 0)

    @cached_property
    def median(self) -> float:
        """The median of those, in steps or whatever a second, or in seconds; NaN of none."""
        found = self.values[self.usable]
        factor = self.sense.factor or 1.0
        return (
            float(np.median(found) * (1 / factor if self.sense.role in (RATE, STEP_RATE) else factor))
            if len(found)
            else float("nan")
        )

    def of(self, role: str) -> Numbers:
        """The numbers of a role in the same lines, NaN where there are none."""
        return np.array([row.of(role) for row in self.rows])

    @cached_property
    def steps(self) -> Numbers:
        """The numbers of their steps."""
        if self.sense.role == STEP:
            return self.values
        return np.array([row.number(row.form.counter) for row in self.rows])

    @cached_property
    def has_parts(self) -> bool:
        """Whether each line also holds a part of its number, such as the time of its data, that is not greater."""
        parts = {s.place: s for f in self.slots for sense, s in f.speeds.items() if "part" in sense.flags}
        return any((self._at(part) <= self.values).all() and self._at(part).any() for part in parts.values())

    def _at(self, slot: Slot) -> Numbers:
        return np.array([row.number(slot) for row in self.rows])

    @cached_property
    def is_of_system_clock(self) -> bool:
        """Whether its numbers are differences of two readings of the system's clock, in seconds."""
        return are_by_system_clock(self.values[self.usable])

    def with_unit(self) -> "SpokenSeries":
        """The same; in seconds, where it has no unit and the system's clock shows this one."""
        is_shown = self.sense.role == TIME and self.sense.factor is None and self.is_of_system_clock
        return replace(self, sense=replace(self.sense, factor=1.0)) if is_shown else self

    @property
    def why_seconds(self) -> list[Message]:
        """What shows that its numbers are in seconds, where nothing but the system's clock does."""
        return [Message(BY_SYSTEM_CLOCK, name=self.sense.name)] if self.is_of_system_clock else []

    @cached_property
    def evidence(self) -> float:
        """Which part of its lines says what only training does."""
        return sum(row.form.has_evidence for row in self.rows) / len(self.rows)

    @property
    def text(self) -> str:
        """The text of its first line."""
        return self.rows[0].text


def rises(numbers: Numbers) -> bool | None:
    """Whether a counter rises, but for where it begins anew; None of fewer than two numbers."""
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) < 2:
        return None
    steps = np.diff(numbers)
    return bool((steps >= 0).mean() >= 0.6 and (steps > 0).any())


def all_series(gathered: Gathered) -> list[SpokenSeries]:
    """All series of speeds, those of one meaning together where they begin alike or say the same."""
    rows: dict[tuple[Sense, Level, bool, float | None], list[Spoken]] = {}
    slots: dict[tuple[Sense, Level, bool, float | None], dict[LineForm, Slot]] = {}
    for row in gathered.spoken:
        for sense, slot in (*row.form.speeds.items(), *row.form.clocks.items()):
            total = row.total if row.form.is_bar and not row.form.level.has_epoch else None
            key = (sense, row.form.level, row.form.is_of_other, total)
            rows.setdefault(key, []).append(row)
            slots.setdefault(key, {})[row.form] = slot
    places = places_of(gathered)
    found = (SpokenSeries(key[0], key[1], rows[key], slots[key], key[3]) for key in rows)
    return _in_one_way(_in_turns(_merged(found, places), places), places)


def _in_one_way(found: Sequence[SpokenSeries], places: Mapping[Spoken, int]) -> list[SpokenSeries]:
    """The same, but a bar with a clock that shows steps a second and seconds per step in turns is one series."""
    kept, alike = list[SpokenSeries](), dict[object, list[int]]()
    for one in found:  # the longest first
        rivals = alike.setdefault((one.level.words, one.total), [])
        place = next((i for i in rivals if _is_inverse(kept[i], one)), None)
        if place is None:
            rivals.append(len(kept))
            kept.append(one)
        else:
            rows = sorted([*kept[place].rows, *one.rows], key=places.__getitem__)
            inverse = kept[place].inverse | frozenset(one.slots)
            kept[place] = replace(kept[place], rows=rows, slots=kept[place].slots | one.slots, inverse=inverse)
    return kept


def _is_inverse(one: SpokenSeries, other: SpokenSeries) -> bool:
    """Whether two series of one name and total are of one bar, of which one shows the inverse of the other."""
    senses, forms = (one.sense, other.sense), (one.rows[0].form, other.rows[0].form)
    return (
        {sense.role for sense in senses} == {STEP_RATE, STEP_TIME}
        and all("nameless" in sense.flags and sense.factor == 1.0 for sense in senses)
        and all(form.is_bar for form in forms)
        and all(np.isfinite(series.rows[0].clock) for series in (one, other))
        and forms[0].is_of_other == forms[1].is_of_other
        and forms[0].level.has_epoch == forms[1].level.has_epoch
    )


def of_stamps(gathered: Gathered, counter: str = STEP) -> SpokenSeries | None:
    """The numbers of steps, or of epochs, of the lines of training that begin with a stamp, of the level that has most.

    None without such lines. Those that number epochs number no steps. What is called steps of something counts them.
    """
    levels: dict[Level, list[Spoken]] = {}
    for row in gathered.spoken:
        form = row.form
        is_counted = _counted(form, counter) and (counter == STEP or form.counter is None)
        if form.has_evidence and not (form.is_of_other or form.is_bar) and is_counted and form.stamp:
            levels.setdefault(form.level, []).append(row)
    rows = max(levels.values(), key=len, default=[])
    slots = {row.form: slot for row in rows if (slot := _counted(row.form, counter))}
    return SpokenSeries(Sense(counter, counter), rows[0].form.level, rows, slots) if rows else None


def _counted(form: LineForm, counter: str) -> Slot | None:
    """What counts steps, or epochs, in lines of a form."""
    return form.first(counter) or (form.only_count_of_steps if counter == STEP else None)


def _merged(found: Iterable[SpokenSeries], places: Mapping[Spoken, int]) -> list[SpokenSeries]:
    kept, alike = list[SpokenSeries](), dict[object, list[int]]()
    for one in sorted(found, key=len, reverse=True):
        rivals = alike.setdefault((one.sense, one.kind, one.rows[0].form.is_of_other, one.total), [])
        place = next((i for i in rivals if _is_same(kept[i], one)), None)
        if place is None:
            rivals.append(len(kept))
            kept.append(one)
        else:
            other = kept[place]
            rows = sorted([*other.rows, *one.rows], key=places.__getitem__)
            kept[place] = replace(other, rows=rows, slots=other.slots | one.slots)
    return kept


def _in_turns(found: Sequence[SpokenSeries], places: Mapping[Spoken, int]) -> list[SpokenSeries]:
    """The same, but those of one meaning are one series where only all of them number each epoch once.

    Some lines of epochs are marked as the best so far: `[NEW BEST] Epoch 3: loss 0.5, time 2.1s`.
    """
    groups: dict[object, list[SpokenSeries]] = {}
    for one in found:
        is_of_epochs = one.kind == "epoch" and one.level.has_epoch
        alike = (one.sense, one.level.has_evidence, one.rows[0].form.is_of_other)
        groups.setdefault(alike if is_of_epochs else one, []).append(one)
    return [one for group in groups.values() for one in _as_one(group, places)]


def _as_one(group: Sequence[SpokenSeries], places: Mapping[Spoken, int]) -> Sequence[SpokenSeries]:
    rows = sorted((row for one in group for row in one.rows), key=places.__getitem__)
    epochs = np.array([row.of("epoch") for row in rows]) if len(group) > 1 else np.zeros(1)
    if len(group) == 1 or not (np.diff(epochs) == 1).all():
        return group
    slots = {form: slot for one in group for form, slot in one.slots.items()}
    return [replace(group[0], rows=rows, slots=slots)]


def _is_same(one: SpokenSeries, other: SpokenSeries) -> bool:
    """Whether two series of one sense are of one level: they begin alike, or their numbers are about the same."""
    first, second = one.level, other.level
    # Behind a bar may stand a line of the program that has a loss.
    is_bar = one.total is not None and (first.step, first.words) == (second.step, second.words)
    told = [(level.step, level.summary, level.has_evidence or is_bar) for level in (first, second)]
    counts = told[0] == told[1]
    if not counts or (first.step is None and first._replace(words=()) != second._replace(words=())):
        return False
    return agree(one, other) is not False


def agree(one: SpokenSeries, other: SpokenSeries, tolerance: float = AGREE) -> bool | None:
    """Whether two series say about the same; None where one of them has no number."""
    if not (np.isfinite(one.median) and np.isfinite(other.median)):
        return None
    return abs(one.median / other.median - 1) <= tolerance
