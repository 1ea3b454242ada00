"""Measurements: one number of a log, the records that made it, and what every other source of the log says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import Scope
from parsers.runs.format_records import OWN_LINE
from parsers.series import Floats, Lines, Series

from .checks import Check, Estimate
from .diagnostics import Code, Diagnostic, NoMeasurement, Parameter, say
from .number import digits, without_noise
from .protocol import Protocol
from .ranks import RankSpread
from .records import Records
from .statistic import reduce, reduce_repeats

Status = Literal["confirmed", "unchecked", "contradicted"]
Reasons = NDArray[np.int8]


class Use(IntEnum):
    """Why a record is used or not; arrays of these are int8.

    Not chosen from: it lacks the value that is read, is of another rank, or prints a step again. Left out by the
    window: warm-up or what a protocol skips, pauses, what it drops at the end, what lies beyond what it takes first or
    before what it takes last. Left out behind it: trimmed, not the last one, between the two that a clock reads, part
    of the sum over ranks.
    """

    USED = 0
    NO_VALUE = 1
    OTHER_RANK = 2
    SKIP_RECORDS = 3
    SKIP_STEPS = 4
    DROP_LAST = 5
    BEYOND = 6
    BEFORE = 7
    TRIM = 8
    NOT_LAST = 9
    BETWEEN = 10
    SUMMED = 11
    REPEATED = 12
    WARM_UP = 13
    PAUSE = 14


# The words for these, ``skip_records``, in their order.
USES = tuple(use.name.lower() for use in Use)


@dataclass(frozen=True, eq=False)
class UseOfRecords:
    """Which records of a kind made a number: their lines (int64, from 1), and why each is used or not (``Use``)."""

    lines: Lines
    reasons: Reasons

    @property
    def used(self) -> Lines:
        """The lines of the records that made it."""
        used: Lines = self.lines[self.reasons == Use.USED]
        return used


def use_of(records: Records, reasons: Reasons) -> UseOfRecords:
    """Why each of some records is used or not; of ranks with logs of their own those of the log that is shown."""
    if OWN_LINE not in records.table:
        return UseOfRecords(records.lines, reasons)
    are_shown = records.table[OWN_LINE] == records.lines
    return UseOfRecords(records.lines[are_shown], reasons[are_shown])


@dataclass(frozen=True, eq=False)
class Calculation:
    """How a statistic became a number: that of ``values``, times the ``factor``, or of times the factor over it.

    ``values``: one of each record that is used, in file order: a rate as printed, or seconds of a step.
    """

    values: Floats
    statistic: str
    factor: float
    are_times: bool

    @property
    def of_values(self) -> float:
        """The statistic of the values."""
        return reduce(self.values, self.statistic)

    @property
    def result(self) -> float:
        """The throughput."""
        return self.factor / self.of_values if self.are_times else self.of_values * self.factor

    @property
    def rates(self) -> Floats:
        """The throughput that each record gives by itself."""
        with np.errstate(divide="ignore"):
            return self.factor / self.values if self.are_times else self.values * self.factor


@dataclass(frozen=True, eq=False, repr=False)
class Measurement:
    """One throughput of one run.

    ``value``: in ``unit`` ("images/s") of the whole job, or of one card or node where ``scope`` says so because their
    number is not known. ``status``: ``confirmed`` by another source that also says the work of a step, ``unchecked``,
    or ``contradicted``: then another source says something else, and neither is the number of the log. ``by``: the
    check that confirms or contradicts. ``series``: the intervals that made it; ``every``: all of the same source, those
    too that are left out, None where there are no others. ``use``: the records of its kind.
    ``seconds_per_step``: over the same records, where known. ``ranks``: how far ranks are apart. ``run``: which run of
    the log; ``runs``: what each run gives, where there are several. ``calculation``: how a statistic that a protocol
    states made the number; None where it is the work of ``series`` over its seconds, times ``per_series``.
    """

    status: Status
    estimate: Estimate
    protocol: Protocol
    series: Series
    use: UseOfRecords
    checks: tuple[Check, ...] = ()
    by: Check | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds_per_step: float | None = None
    ranks: RankSpread | None = None
    run: int = 1
    runs: tuple[RunOfLog, ...] = field(default=(), repr=False)
    calculation: Calculation | None = field(default=None, repr=False)
    every: Series | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        said = f"{digits(self.value)} {self.unit} ({self.scope}) by {self.estimate.name}"
        return f"<{type(self).__name__} {self.status}: {said}, {self.protocol.words()}>"

    @property
    def value(self) -> float:
        """The number, with 15 significant digits."""
        return without_noise(self.estimate.value)

    @property
    def per_series(self) -> float:
        """What makes the rate of an interval, of a card and in steps, say, one in the unit and scope of the number."""
        return self.calculation.factor if self.calculation else self.estimate.value / self.series.rate

    @property
    def unit(self) -> str:
        """What is done a second: ``images/s``; of a number that counts nothing its own unit."""
        return f"{self.estimate.unit}/s" if self.estimate.counted else self.estimate.unit

    @property
    def other_value(self) -> float:
        """What the source that confirms or contradicts it says, in the unit and scope of the number."""
        if self.by is None:
            return self.value
        other, mine = self.by.estimate, self.estimate
        is_alike = (other.counted, other.scope) == (mine.counted, mine.scope)
        return other.value if is_alike else self.value * self.by.share * self.by.ratio

    @property
    def contradiction(self) -> Diagnostic | None:
        """Both sides, where another source says something else."""
        if self.status != "contradicted" or self.by is None:
            return None
        other, told = self.by.estimate, dict[str, Parameter]()
        told |= {"value": self.value, "unit": self.unit, "source": self.estimate.name, "ratio": self.by.ratio}
        told |= {"other": self.other_value, "other_source": other.name}
        return Diagnostic(Code.CONTRADICTED, told)

    @property
    def scope(self) -> Scope:
        """Whose number it is: card, node, job or unknown."""
        return self.estimate.scope

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """The lines, from 1, whose numbers made it."""
        return tuple(self.use.used.tolist())

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last of these lines."""
        return self.lines[0], self.lines[-1]

    @property
    def records_used(self) -> int:
        """How many records made it."""
        return len(self.lines)

    @property
    def left_out(self) -> Mapping[str, tuple[int, ...]]:
        """The lines of all other records of that kind, by the word of their ``Use``."""
        lines, reasons = self.use.lines, self.use.reasons
        return {USES[one]: tuple(lines[reasons == one].tolist()) for one in np.unique(reasons).tolist() if one}


@dataclass(frozen=True)
class RunOfLog:
    """One run of a log of several: its number from 1, its first and last line, what it gives or why it does not."""

    number: int
    lines: tuple[int, int]
    measurement: Measurement | None = None
    reason: Diagnostic | None = None


class ContradictedError(NoMeasurement):
    """The sources of a log contradict each other: ``found`` has both sides, and there is no one number."""

    def __init__(self, found: Measurement) -> None:
        super().__init__(found.contradiction or say(Code.NO_SPEED))
        self.found = found


def combine(measured: Sequence[Measurement], protocol: Protocol) -> float:
    """The one value of repeated runs by the protocol's ``repeats``, in the unit and scope that all share.

    Raises ``NoMeasurement`` for no runs at all, runs that differ in unit or scope, and too few runs for ``olympic``.
    """
    kinds = sorted({f"{found.unit} ({found.scope})" for found in measured})
    if len(kinds) != 1:
        raise NoMeasurement(say(Code.UNLIKE_UNITS, kinds=", ".join(kinds)))
    return without_noise(reduce_repeats([found.value for found in measured], protocol.repeats))
