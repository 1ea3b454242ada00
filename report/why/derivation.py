"""Derivations: one throughput of one log, with everything that it was made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from parsers.grammar.field import Field
from parsers.io.lazy import pd
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.facts import is_count
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import RECORDS, Provenance
from parsers.runs.reading import Reading
from parsers.scanning.source import Source, clean

from ..measure.number import without_noise
from ..measure.protocol import Protocol
from ..measure.quantities.run_figure import Operation, after, steps
from ..measure.statistic import reduce
from ..measuring.crosscheck import Check, checks
from ..measuring.estimate import Facts, Values
from ..measuring.measurement import Measurement
from ..measuring.selection import Series, select
from ..measuring.timing import Timed
from ..measuring.windows.record_use import REASON_KEYS, UNREADABLE
from ..wording.words import Translate, worded

# Why each group of records is left out, as a reader is told.
REASONS: Mapping[str, str] = {
    "no_value": "they do not contain the value",
    "other_rank": "they are from another rank",
    "skip_records": "warm-up: the first records are skipped",
    "skip_steps": "warm-up: the first steps are skipped",
    "drop_last": "dropped at the end",
    "beyond": "after the window",
    "before": "before the window",
    "trim": "trimmed from the sorted values",
    "not_last": "only the last value is used",
    "between": "between the two lines used for timing",
    "other_run": "they are from another run",
    "earlier_run": "they are from an earlier run",
    "part_of_epoch": "they are running means of part of an epoch",
    "summed": "they are from other ranks, and are part of the sum over all ranks",
}
WITHOUT = "without {count} because {reason}"
_UNREADABLE = tuple(REASON_KEYS[use] for use in UNREADABLE)
# The step of a protocol by which each group goes, by how its key begins.
_STEPS: Mapping[str, tuple[str, ...]] = {
    "skip_records": ("skip_records",),
    "skip_steps": ("skip_steps",),
    "skip_fraction": ("skip_records",),
    "from_step": ("before",),
    "to_step": ("beyond",),
    "drop_last": ("drop_last",),
    "take_first": ("beyond",),
    "take_last": ("before",),
    "trim": ("trim",),
    "statistic_last": ("not_last",),
    "estimate_clock": ("between",),
}


@dataclass(frozen=True)
class Stage:
    """A step, as a key of the catalogues and its values, and how many records are left after it."""

    key: str
    values: Mapping[str, Any]
    left: int

    def worded(self, translate: Translate) -> str:
        """The step in the language of ``translate``."""
        values = {name: worded(x, translate) if isinstance(x, Message) else x for name, x in self.values.items()}
        return translate(self.key).format(**values)


def stages(measured: Measurement) -> Iterator[Stage]:
    """Return the steps that make one value of one log, in the order in which they are done."""
    left = measured.available
    for key, values in measured.protocol.steps():
        if key.startswith(("repeats_", "decimals", "significant", "rounding_")):
            continue
        gone = next((_STEPS[step] for step in _STEPS if key.startswith(step)), ())
        left -= sum(len(measured.left_out.get(reason, ())) for reason in gone)
        yield Stage(key, values, left)
        if key.startswith("records_"):
            for reason in _unreadable(measured):
                count = len(measured.left_out[reason])
                left -= count
                yield Stage(WITHOUT, {"count": count, "reason": Message(REASONS[reason])}, left)


def _unreadable(measured: Measurement) -> list[str]:
    return [reason for reason in _UNREADABLE if reason in measured.left_out]


@dataclass(frozen=True)
class Factor:
    """A count by its name ("cards"), and who says so."""

    name: str
    value: float
    source: Provenance


@dataclass(frozen=True)
class Derivation:
    """How a log gives one throughput.

    ``part``: what was measured of the reading; ``facts``: what is known of the run, also from the page. ``records``:
    those that are used, in file order; of the clock the two between which it runs. ``column``: what is read of them,
    ``field``: what that means, if the format says so. ``found``: what the records or the clock give. ``values``
    (float64): what the statistic is of, a number a record: a throughput as the log scales it, or the seconds of a step;
    none of the clock. ``factors``: what leads from these to the whole job's. ``stages``: the protocol step by step.
    ``checks``: the same stretch by other estimates. ``quotes``: the first and the last line that is used.
    ``operations``: what makes another number than a throughput of what was measured.
    """

    reading: Reading
    part: FormatRecords
    facts: Facts
    measurement: Measurement
    records: pd.DataFrame
    column: str
    field: Field | None
    found: Series | Timed
    values: Values
    factors: tuple[Factor, ...]
    stages: tuple[Stage, ...]
    checks: tuple[Check, ...]
    quotes: Mapping[int, str]
    operations: tuple[Operation, ...] = ()

    @property
    def value(self) -> float:
        """The number of this one log, in 15 significant digits."""
        return self.of(self.measurement.value)

    @property
    def numbers(self) -> list[float]:
        """The numbers that it is computed from: one a record, or what was done between two records and the seconds."""
        if isinstance(self.found, Timed):
            return [self.found.amount, self.found.seconds]
        return [float(value) for value in self.values]

    @property
    def steps(self) -> tuple[Message, ...]:
        """The operations, each with its result."""
        return tuple(steps(self.operations, self.measurement.value))

    def of(self, measured: float) -> float:
        """The number that its operations make of a value in the unit of its measurement."""
        return without_noise(after(self.operations, measured))

    def of_values(self, values: Values) -> float:
        """The number that other values of the same log would give, such as all but the last."""
        if isinstance(self.found, Timed):
            return self.value
        return self.of(self.found.throughput(reduce(values, self.protocol.statistic)))

    @property
    def log(self) -> Path:
        """The log."""
        return self.reading.path

    @property
    def protocol(self) -> Protocol:
        """The protocol."""
        return self.measurement.protocol


def derive(
    reading: Reading,
    part: FormatRecords,
    facts: Facts,
    measured: Measurement,
    operations: tuple[Operation, ...] = (),
) -> Derivation:
    """Return how a measurement came about that was made of a part of a reading with these facts. Raises LogError."""
    selected = select(part.table, part.fields, facts, measured.protocol)
    field, found = part.fields.get((measured.protocol.records, selected.column)), selected.found
    return Derivation(
        reading,
        part,
        facts,
        measured,
        records=selected.used,
        column=selected.column,
        field=field,
        found=found,
        values=np.zeros(0) if isinstance(found, Timed) else found.values[selected.are_used],
        factors=tuple(_factors(found, selected.column, field, facts, measured)),
        stages=tuple(stages(measured)),
        checks=tuple(checks(part, facts, measured)),
        quotes=_quotes(reading.path, set(measured.ends)),
        operations=operations,
    )


def _factors(
    found: Series | Timed, column: str, field: Field | None, facts: Facts, measured: Measurement
) -> Iterator[Factor]:
    """The counts that lead from what the records print to the throughput; none where they print just that."""
    if isinstance(found, Series) and found.are_times and found.unit != "steps/s":
        of_card = ("batch_size", "cards")
        for names in (("job_batch_tokens",), ("job_batch_size",), (*of_card, "accumulation"), of_card):
            known = [name for name in names if name in facts and is_count(facts[name].value)]
            if known and prod(int(facts[name].value) for name in known) == found.factor:
                yield from (_stated(name, facts) for name in known)
                return
        yield Factor(f"{found.unit.removesuffix('/s')} of a step", found.factor, RECORDS)
    elif column == "throughput" and field is not None and field.scope != "job" == measured.scope:
        # A number of unknown scope is the job's only where that has one card.
        scope = "card" if field.scope == "unknown" else field.scope
        yield _stated(f"{scope}s", facts)


def _stated(name: str, facts: Facts) -> Factor:
    return Factor(name, int(facts[name].value), facts[name].source)


LONGEST_QUOTE = 300


def _quotes(log: Path, numbers: set[int]) -> dict[int, str]:
    """The texts of some lines by their numbers, made printable. Raises LogError."""
    found, number = dict[int, str](), 0
    for block in Source(log).blocks():
        for line in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            if number in numbers:
                text = clean(line).decode("utf-8", "replace").strip()
                shown = printable(text[:LONGEST_QUOTE])
                found[number] = shown if len(text) <= LONGEST_QUOTE else f"{shown} …"
    return found
