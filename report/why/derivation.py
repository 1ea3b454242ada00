"""Derivations: one number of one log, with everything that it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.facts import Fact, is_count
from parsers.runs.provenance import RECORDS, Provenance
from parsers.runs.reading import Reading
from parsers.scanning.source import Source, clean
from parsers.series import Series

from ..measure.measurement import UNREADABLE, USES, Calculation, Measurement
from ..measure.number import without_noise
from ..measure.run_figures import Operation, after, steps
from ..wording.words import Translate

WORK_OVER_TIME, SAMPLES_OF_EPOCH = "work ÷ time", "samples of an epoch"
# Why a record is left out, as the catalogues say it, by the name of its ``Use``.
LEFT = "left_{use}"
# The use of the records that a step of a protocol leaves out, by how its key begins.
_LEAVES_OUT: Mapping[str, str] = {
    "skip_records": "skip_records",
    "skip_steps": "skip_steps",
    "skip_fraction": "skip_records",
    "from_step": "before",
    "to_step": "beyond",
    "drop_last": "drop_last",
    "take_first": "beyond",
    "take_last": "before",
    "trim": "trim",
    "statistic_last": "not_last",
    "estimate_clock": "between",
}
# The facts whose product is what all cards do in a step, or in an epoch; of several that give it the first.
_PRODUCTS = (
    ("job_batch_tokens",),
    ("job_batch_size",),
    ("batch_size", "cards", "accumulation"),
    ("batch_size", "cards"),
    ("job_batch_size", "sequence_length"),
    ("batch_size", "cards", "accumulation", "sequence_length"),
    ("batch_size", "cards", "sequence_length"),
    ("epoch_samples",),
)
ALL_RECORDS, SECOND_HALF = "all records", "second half of the records"
MEDIAN, OVER_TIME = "median of the records used", "work ÷ time of the records used"
LONGEST_QUOTE = 300


class Stage(NamedTuple):
    """A step, as a key of the catalogues and its values, and how many records are left after it."""

    key: str
    values: Mapping[str, Any]
    left: int

    def worded(self, translate: Translate) -> str:
        """The step in the language of ``translate``."""
        return translate(self.key).format(**self.values)


@dataclass(frozen=True)
class Factor:
    """A count by its name ("cards"), and who says so."""

    name: str
    value: float
    source: Provenance


@dataclass(frozen=True)
class Variation:
    """The number by another window or statistic of the same source, and how many records that uses."""

    name: Message
    value: float
    records: int

    def percent(self, number: float) -> float:
        """By how much it differs from the number, in percent."""
        return (self.value / number - 1) * 100 if number else 0.0


@dataclass(frozen=True, eq=False)
class Derivation:
    """How a log gives one number.

    ``facts``: what is known of the run, also from the page. ``operations``: what makes another number than a throughput
    of what was measured. ``remarks``: what a reader must know. ``rule``: what is read of the records, as a key of the
    catalogues, where that is no throughput.
    """

    reading: Reading
    measurement: Measurement
    facts: Mapping[str, Fact]
    operations: tuple[Operation, ...] = ()
    remarks: tuple[Message, ...] = ()
    rule: str | None = None

    @property
    def log(self) -> Path:
        """The log."""
        return self.reading.path

    @property
    def value(self) -> float:
        """The number of this one log, in 15 significant digits."""
        return self.of(self.measurement.value)

    def of(self, measured: float) -> float:
        """The number that its operations make of a value in the unit of its measurement."""
        return without_noise(after(self.operations, measured))

    @property
    def steps(self) -> tuple[Message, ...]:
        """The operations, each with its result."""
        return tuple(steps(self.operations, self.measurement.value))

    @property
    def stages(self) -> Iterator[Stage]:
        """The steps of the protocol that make the value of one log, or those of the rule, in their order."""
        found = self.measurement
        left_out = {use: len(lines) for use, lines in found.left_out.items()}
        left = found.available - sum(left_out.get(USES[number], 0) for number in UNREADABLE)
        yield Stage(f"records_{found.estimate.kind}", {}, left)
        if not found.protocol.states_rule:
            yield Stage(WORK_OVER_TIME, {}, found.records_used)
            return
        for key, values in found.protocol.steps():
            if not key.startswith(("records_", "repeats_", "decimals", "significant", "rounding_")):
                left -= sum(left_out.get(_LEAVES_OUT[step], 0) for step in _LEAVES_OUT if key.startswith(step))
                yield Stage(self.rule if self.rule and key.startswith("estimate_") else key, values, left)

    @property
    def rows(self) -> list[tuple[float, ...]]:
        """The numbers that it is computed from: a value of each record, or the work and the seconds of each stretch."""
        found = self.measurement
        if found.calculation is not None:
            return [(value,) for value in found.calculation.values.tolist()]
        return list(zip(found.series.work.tolist(), found.series.seconds.tolist(), strict=True))

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The counts that lead from what the records print to the throughput; none where they print just that."""
        found, facts = self.measurement, self.facts
        series, amount = found.series, found.per_series
        if not found.estimate.counted:  # what was read is no rate
            return ()
        is_summed = found.ranks is not None and found.ranks.is_summed and found.calculation is None
        if is_summed or series.counted == found.estimate.counted:
            scope = "node" if series.scope == "node" else "card"
            is_scaled = not is_summed and series.scope != "job" == found.scope and f"{scope}s" in facts
            return (_stated(f"{scope}s", facts),) if is_scaled else ()
        for names in _PRODUCTS:
            known = [_stated(name, facts) for name in names if name in facts and is_count(facts[name].value)]
            if known and isclose(prod(factor.value for factor in known), amount, rel_tol=1e-12):
                return tuple(known)
        name = SAMPLES_OF_EPOCH if series.counted == "epochs" else f"{found.estimate.unit} of a step"
        return (Factor(name, amount, RECORDS),)

    @property
    def variations(self) -> Iterator[Variation]:
        """The number by other windows and statistics of its source, where it has several records."""
        found = self.measurement
        if found.ranks is not None and found.ranks.is_summed and found.calculation is None:
            return
        own = found.calculation.statistic if found.calculation else None
        every = found.series if found.every is None else found.every
        half = every.where(np.arange(len(every)) >= len(every) // 2)
        stretches = ((ALL_RECORDS, every, own), (SECOND_HALF, half, own))
        for name, series, how in (*stretches, (MEDIAN, found.series, "median"), (OVER_TIME, found.series, None)):
            if len(series) > 1 and (how != own or not np.array_equal(series.lines, found.series.lines)):
                yield Variation(Message(name), self.of(_of(found, series, how)), len(series))

    @property
    def quotes(self) -> dict[int, str]:
        """The texts of the first and the last line that is used, made printable. Raises LogError."""
        wanted, found, number = set(self.measurement.ends), dict[int, str](), 0
        for block in Source(self.log).blocks():
            for line in block.removesuffix(b"\n").split(b"\n"):
                number += 1
                if number in wanted:
                    text = clean(line).decode("utf-8", "replace").strip()
                    shown = printable(text[:LONGEST_QUOTE])
                    found[number] = shown if len(text) <= LONGEST_QUOTE else f"{shown} …"
        return found


def _of(found: Measurement, series: Series, statistic: str | None) -> float:
    """What stretches of its source give by a statistic, or as work over time, in the unit of a number."""
    if statistic is None:
        return series.rate * found.per_series
    are_times = found.calculation is not None and found.calculation.are_times
    return Calculation(series.each if are_times else 1 / series.each, statistic, found.per_series, are_times).result


def _stated(name: str, facts: Mapping[str, Fact]) -> Factor:
    return Factor(name, int(facts[name].value), facts[name].source)
