"""Derivations: one throughput of one log, with everything that it was made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from parsers.part import Part
from parsers.reading import Reading

from ..crosscheck import Check, checks
from ..estimate import Facts
from ..measurement import Measurement
from ..number import printed
from ..protocol import Protocol
from .factors import Factor, factors
from .quote import quotes
from .sample import Sample, sample
from .stages import Stage, stages


@dataclass(frozen=True)
class Derivation:
    """How a log gives one throughput.

    ``part``: what was measured of the reading; ``facts``: what is known of the run, also from the page. ``sample``: the
    records that were used. ``factors``: what leads from their numbers to the whole job's. ``stages``: the protocol step
    by step. ``checks``: the same stretch by other estimates. ``quotes``: the first and the last line that is used.
    """

    reading: Reading
    part: Part
    facts: Facts
    measurement: Measurement
    sample: Sample
    factors: tuple[Factor, ...]
    stages: tuple[Stage, ...]
    checks: tuple[Check, ...]
    quotes: Mapping[int, str]

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
        return printed(self.measurement.value, self.protocol)


def derive(reading: Reading, part: Part, facts: Facts, measured: Measurement) -> Derivation:
    """Return how a measurement came about that was made of a part of a reading with these facts. Raises LogError."""
    used = sample(part, facts, measured.protocol)
    others = tuple(checks(part, facts, measured))
    made_of = factors(used, facts, measured)
    ends = quotes(reading.path, {measured.lines[0], measured.lines[-1]})
    return Derivation(reading, part, facts, measured, used, made_of, tuple(stages(measured)), others, ends)
