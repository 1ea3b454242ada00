"""The sample: the records behind a measurement, and the numbers that they gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from parsers.grammar.field import IN_SECONDS, Field
from parsers.io.lazy import pd
from parsers.runs.facts import is_count
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import RECORDS, Provenance

from ..measuring.estimate import Facts, Values
from ..measuring.measurement import Measurement
from ..measuring.protocol import Protocol
from ..measuring.scaling import scale
from ..measuring.selection import Selection, Series, select
from ..measuring.timing import Timed
from ..measuring.window import Fields


@dataclass(frozen=True)
class Sample:
    """What one protocol uses of one log.

    ``records``: the used ones, in file order; of the clock the two between which it runs. ``column``: what is read of
    them, ``field``: what that means, if the format says so. ``values`` (float64): what the statistic is of, a number a
    record: a throughput as the log scales it, or the seconds of a step. ``amounts`` (float64): what all cards did in
    each record, where its duration is read. ``step``: what they do in one step, and what is counted, where its time is
    read. ``timed``: what the clock says.
    """

    records: pd.DataFrame
    column: str
    field: Field | None
    values: Values
    amounts: Values | None = None
    step: tuple[float, str] | None = None
    timed: Timed | None = None


def sample(part: FormatRecords, facts: Facts, protocol: Protocol) -> Sample:
    """Take from a part of a reading what a protocol uses; the same records as ``measure`` does.

    Raises ``NoMeasurement`` where ``measure`` does.
    """
    selected = select(part.table, part.fields, facts, protocol)
    field = part.fields.get((protocol.records, selected.column))
    if isinstance(selected.found, Timed):
        return Sample(selected.used, selected.column, field, np.zeros(0), timed=selected.found)
    return _of_values(selected, selected.found, field)


def _of_values(selected: Selection, found: Series, field: Field | None) -> Sample:
    used = selected.are_used
    done = None if found.amounts is None else found.amounts[used]
    step = (found.factor, found.unit.removesuffix("/s")) if found.are_times else None
    return Sample(selected.used, selected.column, field, found.values[used], done, step)


@dataclass(frozen=True)
class Factor:
    """A count by its name ("cards"), and who says so."""

    name: str
    value: float
    source: Provenance


def factors(sample: Sample, facts: Facts, measured: Measurement) -> tuple[Factor, ...]:
    """Return the counts that lead from what the records print to the throughput; none where they print just that."""
    if sample.step is not None and sample.step[1] == "steps":
        return ()
    if sample.step is not None:
        return tuple(_of_a_step(*sample.step, facts))
    if sample.column == "throughput" and sample.field is not None and sample.field.scope != "job" == measured.scope:
        # A number of unknown scope is the job's only where that has one card.
        scope = "card" if sample.field.scope == "unknown" else sample.field.scope
        return (_stated(f"{scope}s", facts),)
    return ()


def factor(sample: Sample, facts: Facts) -> int:
    """Return what a printed throughput is multiplied by."""
    return 1 if sample.field is None else scale(sample.field, facts)[0]


def _stated(name: str, facts: Facts) -> Factor:
    return Factor(name, int(facts[name].value), facts[name].source)


def _of_a_step(amount: float, counted: str, facts: Facts) -> Iterator[Factor]:
    of_card = ("batch_size", "cards")
    for names in (("job_batch_tokens",), ("job_batch_size",), (*of_card, "accumulation"), of_card):
        known = [name for name in names if name in facts and is_count(facts[name].value)]
        if known and prod(int(facts[name].value) for name in known) == amount:
            yield from (_stated(name, facts) for name in known)
            return
    yield Factor(f"{counted} of a step", amount, RECORDS)


COUNTS = ("sample_count", "token_count")
# The seconds of a time in other units, as awk computes them.
SECONDS = {"milliseconds": "{0} / 1000"} | {unit: f"{{0}} * {IN_SECONDS[unit]:g}" for unit in ("minutes", "hours")}


@dataclass(frozen=True)
class Term:
    """An expression of awk for the value of a record: of the numbers ``{0}`` and ``{1}`` in these ``columns``."""

    columns: tuple[str, ...]
    awk: str


def term(sample: Sample, fields: Fields, facts: Facts, kind: str) -> Term | None:
    """Return what is made of the records of a kind; None where it is made of more than one record, or of the clock."""
    if sample.timed is not None or not _is_printed(sample):
        return None
    seconds = SECONDS.get(str(sample.field.unit) if sample.field else "", "{0}")
    if sample.amounts is not None:
        return _rate(sample, sample.amounts, seconds if seconds == "{0}" else f"({seconds})", fields, facts, kind)
    return Term((sample.column,), "1 / {0}" if sample.column == "step_rate" else seconds)


def _is_printed(sample: Sample) -> bool:
    """Whether the values are what the records print: a running mean that is undone is made of two of them."""
    if sample.column == "duration" or sample.field is None:
        return True
    printed = sample.records[sample.column].to_numpy(dtype=np.float64)
    if sample.column == "step_rate":
        printed = 1 / printed
    elif sample.field.unit in SECONDS:
        printed = (
            printed / 1000 if sample.field.unit == "milliseconds" else printed * IN_SECONDS[str(sample.field.unit)]
        )
    return bool(np.array_equal(printed, sample.values))


def _rate(sample: Sample, amounts: Values, seconds: str, fields: Fields, facts: Facts, kind: str) -> Term | None:
    """What a record did over the time that it took: the same in all records, or as each of them prints it."""
    if (amounts == amounts[0]).all():
        return Term((sample.column,), f"{float(amounts[0])!r} / {seconds}")
    name = next((name for name in COUNTS if name in sample.records and sample.records[name].notna().all()), None)
    if name is None:
        return None
    times, _, _ = scale(fields[(kind, name)], facts)
    return Term((sample.column, name), f"{{1}} * {times} / {seconds}" if times > 1 else f"{{1}} / {seconds}")
