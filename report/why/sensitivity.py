"""Sensitivity: what the number would be by other windows, statistics and estimates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parsers.io.message import Message

from ..measure.protocol import Protocol
from ..measure.statistic import reduce_repeats
from ..measuring.caveats import OWN_SIZES
from ..measuring.measurement import Measurement, NoMeasurement, combine, measure
from ..measuring.timing import Timed
from ..measuring.windows.record_use import REASON_KEYS, UNREADABLE
from .derivation import Derivation

WARM_UPS = (0, 5, 10, 20, 50)
# Fewer records than these say little of how steady a run is.
FEWEST = 5
SKIP, SKIP_HALF = "skip {count} records", "skip the first half, {count} records"
UNDONE = "running means undone"
WITHOUT_TRIMMING, TRIMMED = "without trimming", "trimmed as tipc does"
WITHOUT_FIRST, WITHOUT_LAST = "without the first record used", "without the last record used"
BY_TIMESTAMPS = "by timestamps"
MIDDLES = ("mean", "median", "harmonic_mean")


@dataclass(frozen=True)
class Variation:
    """The number by another rule: what is changed, the value (in the unit of the number), how many records it uses.

    ``is_as_good``: whether a steady run would give the same: the same estimate of no shorter warm-up, of a few records
    at least.
    """

    name: Message
    value: float
    records: int
    is_as_good: bool

    def percent(self, number: float) -> float:
        """By how many percent it differs from the number."""
        return (self.value / number - 1) * 100 if number else 0.0


def variations(derivations: Sequence[Derivation], protocol: Protocol) -> Iterator[Variation]:
    """Return the number of some repeats by each other rule that their logs allow."""
    for name, keys, is_as_good in _changes(derivations[0], protocol):
        try:
            changed = [_by(keys, derivation) for derivation in derivations]
            number = combined(changed, protocol)
        except NoMeasurement:
            continue
        used = min(measured.records_used for measured in changed)
        yield Variation(name, number, used, is_as_good and used >= FEWEST)
    yield from _without_an_end(derivations, protocol)
    yield from _clocked(derivations, protocol)


def _changes(derivation: Derivation, protocol: Protocol) -> Iterator[tuple[Message, dict[str, Any], bool]]:
    measured = derivation.measurement
    starts = ("skip_records", "skip_steps", *(["before"] if protocol.from_step else []))
    skipped = sum(len(measured.left_out.get(key, ())) for key in starts)
    readable = measured.available - sum(len(measured.left_out.get(REASON_KEYS[use], ())) for use in UNREADABLE)
    for count in WARM_UPS:
        if count != skipped:
            yield Message(SKIP, count=count), {"skip_records": count}, count >= skipped
    half = readable // 2
    yield Message(SKIP_HALF, count=half), {"skip_records": half}, half >= skipped
    if protocol.estimate != "clock":
        yield from _of_statistics(protocol)
    if protocol.estimate == "reported" and derivation.field and derivation.field.kind == "running_mean":
        yield Message(UNDONE), {"estimate": "instant"}, False


def _of_statistics(protocol: Protocol) -> Iterator[tuple[Message, dict[str, Any], bool]]:
    is_middle = protocol.statistic in MIDDLES
    for statistic in MIDDLES:
        if statistic != protocol.statistic:
            yield Message(statistic.replace("_", " ")), {"statistic": statistic}, is_middle
    if protocol.trim or protocol.trim_min:
        yield Message(WITHOUT_TRIMMING), {"trim": 0, "trim_min": 0}, is_middle
    else:
        yield Message(TRIMMED), {"trim": 0.05, "trim_min": 5}, is_middle


def _by(keys: Mapping[str, Any], derivation: Derivation) -> Measurement:
    stated = derivation.protocol.model_dump(exclude_defaults=True)
    if "skip_records" in keys:
        stated.pop("skip_steps", None)
        stated.pop("skip_fraction", None)
        stated.pop("from_step", None)
    changed = Protocol.of({**stated, **keys})
    found = measure(derivation.part.table, derivation.part.fields, derivation.facts, changed)
    return replace(found, value=derivation.of(found.value)) if derivation.operations else found


def combined(measured: Sequence[Measurement], protocol: Protocol) -> float:
    """Return the number of some repeats, which of a single one is its own. Raises ``NoMeasurement``."""
    return measured[0].value if len(measured) == 1 else combine(measured, protocol)


def _without_an_end(derivations: Sequence[Derivation], protocol: Protocol) -> Iterator[Variation]:
    used = [derivation.values for derivation in derivations]
    if min(map(len, used)) < 2 or any(map(_changes_size, derivations)):
        return
    for name, part in ((WITHOUT_FIRST, slice(1, None)), (WITHOUT_LAST, slice(-1))):
        values = [one.of_values(every[part]) for one, every in zip(derivations, used, strict=True)]
        number = values[0] if len(values) == 1 else reduce_repeats(values, protocol.repeats)
        left = min(map(len, used)) - 1
        yield Variation(Message(name), number, left, left >= FEWEST and protocol.statistic in MIDDLES)


def _changes_size(derivation: Derivation) -> bool:
    """Whether the mean time of a step stands for that of several batch sizes, which others would make another one."""
    return any(said.key == OWN_SIZES for said in derivation.measurement.warnings)


def _clocked(derivations: Sequence[Derivation], protocol: Protocol) -> Iterator[Variation]:
    """By the clock: as the cross-check has it, which knows how many tokens a sample is."""
    checks = [c for one in derivations for c in one.checks if c.measurement.protocol.estimate == "clock"]
    if len(checks) == len(derivations):
        values = [one.of(check.ratio * one.measurement.value) for check, one in zip(checks, derivations, strict=True)]
        number = values[0] if len(values) == 1 else reduce_repeats(values, protocol.repeats)
        yield Variation(Message(BY_TIMESTAMPS), number, min(c.measurement.records_used for c in checks), False)


SPREAD = 2.0  # percent
# A record this far from the median, which moves the number so much (both in percent), is told.
FAR, MOVED = 10.0, 0.5

UNSTEADY = (
    "Equally valid warm-ups and statistics give {low} to {high}, a spread of {spread}%: the number depends on the "
    "protocol."
)
STALL_FIRST = (
    "The first record used, line {line}, is {value}, while the median is {median}; without it, the number is {number}"
    " ({percent}%)."
)
STALL_LAST = (
    "The last record used, line {line}, is {value}, while the median is {median}; without it, the number is {number} "
    "({percent}%)."
)
FEW = "Only {count} records are used; at least {fewest} are needed to judge how steady a run is."
FEW_ONE = "Only 1 record is used; at least {fewest} are needed to judge how steady a run is."
RUNNING = (
    "The values are running means, which over-weight early steps; as instantaneous values, the number is {value} "
    "({percent}%)."
)


def spread(found: Sequence[Variation], number: float) -> Iterator[Message]:
    """Warn of a number that other rules move: those that are as good, and running means undone."""
    values = [number, *(variation.value for variation in found if variation.is_as_good)]
    percent = (max(values) - min(values)) / number * 100 if number else 0.0
    if percent > SPREAD:
        low, high = f"{min(values):.6g}", f"{max(values):.6g}"
        yield Message(UNSTEADY, low=low, high=high, spread=f"{percent:.1f}")
    for variation in found:
        if variation.name.key == UNDONE and abs(variation.percent(number)) > MOVED:
            yield Message(RUNNING, value=f"{variation.value:.6g}", percent=f"{variation.percent(number):+.2f}")


def few(derivation: Derivation) -> Iterator[Message]:
    """Warn of a statistic of few records."""
    count = len(derivation.values)
    if _is_of_many(derivation) and count < FEWEST:
        yield Message(FEW_ONE if count == 1 else FEW, count=count, fewest=FEWEST)


def stalls(derivation: Derivation) -> Iterator[Message]:
    """Warn of a stall at either end of what is used of a log, where it moves the number."""
    values, number = derivation.values, derivation.value
    if not _is_of_many(derivation) or len(values) < 3:
        return
    middle = np.median(values)
    for message, row, rest in ((STALL_FIRST, 0, values[1:]), (STALL_LAST, -1, values[:-1])):
        value, other = float(values[row]), derivation.of_values(rest)
        percent = (other / number - 1) * 100 if number else 0.0
        if abs(value - middle) * 100 > FAR * middle and abs(percent) > MOVED:
            line = derivation.records["line"].iloc[row]
            told = {"value": f"{value:.6g}", "median": f"{middle:.6g}", "number": f"{other:.6g}"}
            yield Message(message, line=line, percent=f"{percent:+.2f}", **told)


def _is_of_many(derivation: Derivation) -> bool:
    """Whether the number is meant to be a middle of its values."""
    return not isinstance(derivation.found, Timed) and derivation.protocol.statistic in MIDDLES
