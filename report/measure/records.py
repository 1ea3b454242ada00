"""Records: those of one kind, run and rank as arrays, each step once, and how far the run had come at each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from parsers.grammar.field import Field
from parsers.io.cache import pd
from parsers.runs.boundaries import BREAKS, SPEEDS, are_consecutive
from parsers.runs.facts import Fact
from parsers.runs.format_records import RUN
from parsers.runs.reading import Reading
from parsers.scanning.record_table import RecordTable
from parsers.series import Floats, Lines, Mask, resolution

Fields = Mapping[tuple[str, str], Field]
Facts = Mapping[str, Fact]


@dataclass(frozen=True, eq=False)
class Records:
    """Records of one kind in file order; ``fields`` says what their columns mean.

    ``duplicates``: how many repeated ones are not among them; ``apart``: the line where a repeated one prints another
    speed, else 0. ``places``: of each its place among all of its kind in the run, for a line may hold several.
    """

    kind: str
    table: RecordTable
    fields: Fields
    places: Lines
    duplicates: int = 0
    apart: int = 0
    _known: dict[str, Floats] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.table)

    def field(self, name: str) -> Field | None:
        """What a column means; None of one that the format does not have."""
        return self.fields.get((self.kind, name))

    def numbers(self, name: str) -> Floats:
        """A column (float64), NaN where a record lacks it; of times the seconds since the first."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> Floats:
        if name not in self.table or self.table[name].dtype == object:
            return np.broadcast_to(np.float64(np.nan), len(self))  # of a column of a long log without memory
        column = self.table[name]
        if column.dtype.kind == "M":
            known = column[~np.isnat(column)]
            column = (column - (known[0] if len(known) else np.datetime64("NaT", "us"))) / np.timedelta64(1, "s")
        return np.asarray(column, np.float64)

    def digit(self, name: str) -> float:
        """One unit of the last digit that a column prints; of stamps, and of what is computed, as its values show."""
        return self.table.digits.get((self.kind, name)) or resolution(self.numbers(name))

    def prints(self, name: str) -> bool:
        """Whether any record has a number in a column."""
        return name in self.table and bool(np.isfinite(self.numbers(name)).any())

    def rows(self, which: slice | Mask | Lines) -> Records:
        """Some of the records."""
        return replace(self, table=self.table.rows(which), places=self.places[which], _known={})

    def of_lowest_rank(self, told: Mask) -> Records:
        """Those of the lowest rank that names itself on a record of ``told``, or without a rank, as most of these are.

        Where ``told`` has no record, those of the lowest rank that any names.
        """
        ranks = self.numbers("rank")
        named = np.isfinite(ranks)
        if not named.any():
            return self
        known = ranks[named & told] if told.any() else ranks[named]
        return self.rows(ranks == known.min() if 2 * len(known) >= told.sum() else ~named)

    @property
    def lines(self) -> Lines:
        """The line of each (int64, from 1)."""
        return np.asarray(self.table["line"], np.int64)

    @property
    def begins(self) -> Lines:
        """The line behind which the interval of each begins: that of the record before, 0 of the first."""
        return np.concatenate([np.zeros(1, np.int64), self.lines[:-1]])[: len(self)]

    @cached_property
    def step_numbers(self) -> Floats:
        """The number of each step as counted from 1, NaN where none is printed."""
        meaning = self.field("step")
        return self.numbers("step") + (1 if meaning is not None and meaning.first == 0 else 0)

    @property
    def epoch_numbers(self) -> Floats:
        """The number of each epoch as counted from 1, NaN where none is printed."""
        meaning = self.field("epoch")
        return self.numbers("epoch") + (1 if meaning is not None and meaning.first == 0 else 0)

    @cached_property
    def steps(self) -> Floats | None:
        """Steps done in the run at each record, with epochs put behind each other; None where they are not counted."""
        number = self.step_numbers
        if self.field("step") is None or not len(number) or not np.isfinite(number).all():
            return None
        firsts = np.flatnonzero(self.epoch_starts)
        lasts = np.append(firsts[1:], len(number)) - 1
        lengths = np.fmax(number[lasts], self.numbers("steps_per_epoch")[lasts]) * np.append(self._epochs_passed, 1)
        before = np.cumsum(np.append(0, lengths[:-1]))
        return np.asarray(np.repeat(before, lasts - firsts + 1) + number)

    @cached_property
    def skipped(self) -> Floats:
        """Steps of its epoch up to each record that trained nothing, as far as the log counts those that did."""
        missed = np.zeros(len(self)) if self.steps is None else np.nan_to_num(self.steps - self.numbers("updates"))
        before = np.append(0, missed)[np.maximum.accumulate(np.where(self.epoch_starts, np.arange(len(self)), 0))]
        return np.asarray(np.maximum(missed - before, 0))

    @property
    def _epochs_passed(self) -> Floats:
        """How many epochs go by from each that has records to the next, where all say how long they are; else 1."""
        passed = np.diff(self.numbers("epoch")[self.epoch_starts])
        are_known = np.isfinite(self.numbers("steps_per_epoch")).all() and (passed >= 1).all()
        return passed if are_known else np.ones(len(passed))

    @cached_property
    def epoch_starts(self) -> Mask:
        """Where steps begin anew: their number falls, or stays while the epoch rises."""
        number, epoch = self.numbers("step"), self.numbers("epoch")
        starts = np.ones(len(number), np.bool_)
        stays = number[1:] == number[:-1]
        starts[1:] = (number[1:] < number[:-1]) | (stays & ((epoch[1:] > epoch[:-1]) | self._ends_another))
        return starts

    @property
    def _ends_another(self) -> Mask:
        """Which records but the first end another epoch that nobody numbers: last steps, other losses, and no clock."""
        if self.prints("epoch") or self.prints("elapsed") or self.prints("time"):
            return np.zeros(max(len(self) - 1, 0), np.bool_)
        ends, losses = self.numbers("step") == self.numbers("steps_per_epoch"), self.numbers("loss")
        another: Mask = ends[1:] & ends[:-1] & np.isfinite(losses[1:]) & (losses[1:] != losses[:-1])
        return another

    @property
    def epochs_are_whole(self) -> bool:
        """Whether the steps between the last record of an epoch and the first of the next are known."""
        return self.epoch_starts.sum() <= 1 or bool(np.isfinite(self.numbers("steps_per_epoch")).all())

    def covered(self, rows: Lines, field: Field | None = None) -> Floats | None:
        """Steps between each of these records and the one before, of the first as many as of others as a rule.

        ``field``: of what covers them. Means of a window begin anew with each epoch, as what is of an epoch does: the
        rest of the one before is in none. None where steps are not counted.
        """
        if self.kind == "epoch":
            stated = self.numbers("steps_per_epoch")[rows]
            return stated if len(stated) and np.isfinite(stated).all() else None
        if self.steps is None or not len(rows):
            return None
        steps = np.diff(self.steps[rows], prepend=0)
        if field is not None and (field.per == "epoch" or field.kind == "window_mean"):
            starts = np.diff(np.cumsum(self.epoch_starts)[rows], prepend=0) > 0
            steps = np.where(starts, self.step_numbers[rows], steps)
        if len(steps) > 1 and (field is None or field.per != "epoch"):  # a run may go on from a checkpoint
            steps[0] = min(steps[0], float(np.median(steps[1:])))
        return np.maximum(steps, 1)

    def once(self) -> Records:
        """The same without those that print the step, and epoch, of the one before again.

        A second logger, a rank without a name and a bar that is drawn again do. A record is kept for a speed that the
        one before lacks, or where the clock begins anew.
        """
        name = next((name for name in ("step", "epoch") if self.prints(name)), None)
        if name is None or len(self) < 2 or not (np.diff(number := self.numbers(name)) > 0).any():
            return self
        epoch, clock = self.numbers("epoch"), self.numbers("elapsed")
        same = (number[1:] == number[:-1]) & ((epoch[1:] == epoch[:-1]) | np.isnan(epoch[1:]))
        same &= ~(clock[1:] < clock[:-1]) & ~self._ends_another
        for column in SPEEDS:
            values = self.numbers(column)
            same &= ~(np.isfinite(values[1:]) & np.isnan(values[:-1]))
        again = np.append(False, same)
        if not again.any():
            return self
        return replace(self.rows(~again), duplicates=int(again.sum()), apart=self._apart(np.flatnonzero(again)))

    def _apart(self, again: Lines) -> int:
        """The line of the first repeated record whose speed is another; 0 of clocks that run on."""
        for name in ("throughput", "step_time") if "elapsed" not in self.table else ():
            values = self.numbers(name)
            apart = again[np.abs(values[again] - values[again - 1]) > 0]
            if len(apart):
                return int(self.lines[apart[0]])
        return 0


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a log as one format reads it: its number from 1, its records, what they mean, and its facts.

    ``breaks``: the lines (int64, ascending) where it did something else than train, such as an evaluation.
    """

    number: int
    table: RecordTable
    fields: Fields
    facts: Facts
    breaks: Lines = field(default_factory=lambda: np.zeros(0, np.int64))
    sources: list[Any] = field(default_factory=list, repr=False)  # ``rule.Source``, filled there once for all protocols
    _known: dict[tuple[str, float | None], Records] = field(default_factory=dict, repr=False)

    @cached_property
    def ranks(self) -> list[float]:
        """The ranks that lines name, ascending."""
        if "rank" not in self.table:
            return []
        named = self.table["rank"].astype(np.float64)
        return sorted(pd.unique(named[np.isfinite(named)]).tolist())

    def all_records(self, kind: str) -> Records:
        """The records of a kind, of all ranks, as often as they are printed."""
        table = self.table.rows(self.table.are(kind))
        return Records(kind, table, self.fields, np.arange(len(table)))

    def records(self, kind: str, rank: float | None = None) -> Records:
        """The records of a kind, each step once; of the lowest rank that prints a speed where no rank is given."""
        if (kind, rank) not in self._known:
            found = self.all_records(kind)
            if rank is not None:
                found = found.rows(found.numbers("rank") == rank)
            elif self.ranks:
                found = found.of_lowest_rank(np.any([np.isfinite(found.numbers(name)) for name in SPEEDS], axis=0))
            self._known[kind, rank] = found.once()
        return self._known[kind, rank]

    def epochs_before(self, line: int) -> int | None:
        """How many epochs the records number one by one, from the first, before a line; None where they do not."""
        every = (self.all_records(kind) for kind in ("epoch", "step"))
        epochs = next((records for records in every if len(records)), None)
        meaning = epochs.field("epoch") if epochs else None
        if epochs is None or meaning is None or not are_consecutive(numbers := epochs.numbers("epoch")):
            return None
        return int(np.ptp(numbers)) + 1 if numbers[0] == meaning.first and epochs.lines[-1] <= line else None

    def count(self, name: str) -> int | None:
        """A fact that is a count of at least one; None where nothing says it."""
        fact = self.facts.get(name)
        value = fact.value if fact else None
        return int(value) if isinstance(value, int | float) and value >= 1 else None


def losses_of(parts: Sequence[Run], kinds: Sequence[str]) -> tuple[Run, Records] | None:
    """The records of the first of some kinds that print a finite loss, of their lowest rank, and whose they are."""
    for part in parts:
        for kind in kinds:
            records = part.all_records(kind)
            if records.prints("loss"):
                own = records.of_lowest_rank(np.isfinite(records.numbers("loss")))
                return part, own.rows(np.isfinite(own.numbers("loss")))
    return None


def runs_of(reading: Reading) -> Iterator[list[Run]]:
    """The runs of a log in file order, each as every format reads it, with the facts of its own."""
    found: dict[int, list[Run]] = {}
    breaks = np.array(sorted(event.line for event in reading.happened if event.event in BREAKS), np.int64)
    for part in reading.parts:
        numbers = dict.fromkeys(part.table[RUN].tolist()) if RUN in part.table else [1]
        for number in numbers if len(part.table) else ():
            own = part.of_run(int(number))
            run = Run(int(number), own.table, part.fields, reading.of_run(int(number)).facts, breaks)
            found.setdefault(int(number), []).append(run)
    yield from found.values()
