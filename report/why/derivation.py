"""Derivations: one throughput of one log, with everything that it was made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords
from parsers.runs.reading import Reading

from ..measuring.crosscheck import Check, checks
from ..measuring.estimate import Facts
from ..measuring.measurement import Measurement
from ..measuring.number import printed, without_noise
from ..measuring.protocol import Protocol
from ..measuring.quantities.run_figure import Operation, after, steps
from ..measuring.windows.record_use import REASON_KEYS, UNREADABLE
from ..wording.words import Translate, worded
from .preparation import quotes
from .sample import Factor, Sample, factors, sample

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
class Derivation:
    """How a log gives one throughput.

    ``part``: what was measured of the reading; ``facts``: what is known of the run, also from the page. ``sample``: the
    records that were used. ``factors``: what leads from their numbers to the whole job's. ``stages``: the protocol step
    by step. ``checks``: the same stretch by other estimates. ``quotes``: the first and the last line that is used.
    ``operations``: what makes another number than a throughput of what was measured.
    """

    reading: Reading
    part: FormatRecords
    facts: Facts
    measurement: Measurement
    sample: Sample
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
    def steps(self) -> tuple[Message, ...]:
        """The operations, each with its result."""
        return tuple(steps(self.operations, self.measurement.value))

    def of(self, measured: float) -> float:
        """The number that its operations make of a value in the unit of its measurement."""
        return without_noise(after(self.operations, measured))

    @property
    def log(self) -> Path:
        """The log."""
        return self.reading.path

    @property
    def protocol(self) -> Protocol:
        """The protocol."""
        return self.measurement.protocol

    @property
    def printed(self) -> str:
        """The throughput of this one log in the digits of its protocol."""
        return printed(self.value, self.protocol)


def derive(
    reading: Reading,
    part: FormatRecords,
    facts: Facts,
    measured: Measurement,
    operations: tuple[Operation, ...] = (),
) -> Derivation:
    """Return how a measurement came about that was made of a part of a reading with these facts. Raises LogError."""
    used = sample(part, facts, measured.protocol)
    others = tuple(checks(part, facts, measured))
    made_of = factors(used, facts, measured)
    ends = quotes(reading.path, set(measured.ends))
    return Derivation(reading, part, facts, measured, used, made_of, tuple(stages(measured)), others, ends, operations)
