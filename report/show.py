"""What is in one log: format, facts and witnesses, throughput, steadiness, line account."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from parsers.account import unrecognised
from parsers.detect import formats
from parsers.facts import Fact
from parsers.leftover import Leftover, leftover
from parsers.reading import Reading, survey
from parsers.source import Source

from .measurement import Measurement, NoMeasurement, measure
from .observed import Observed, observed
from .protocol import Protocol


@dataclass(frozen=True)
class Summary:
    """A reading, what no rule of its format knows, and the measurement that a protocol gives or the reason for none.

    ``observed``: what the telemetry of the run gives.
    """

    reading: Reading
    leftover: Leftover
    protocol: Protocol
    measurement: Measurement | None = None
    reason: str | None = None
    observed: Observed = field(default_factory=Observed)

    @property
    def warnings(self) -> tuple[str, ...]:
        """All warnings, one sentence each."""
        measured = self.measurement.warnings if self.measurement else ()
        return (*self.reading.warnings, *self._of_broken_lines(), *measured, *self.observed.warnings)

    def _of_broken_lines(self) -> Iterator[str]:
        found = self.leftover
        if found.broken:
            yield f"Broken metric lines, first line {found.first_broken} ({found.broken} in all), are not used."


def summarise(log: Path, protocol: Protocol, given: tuple[Fact, ...], format_: str | None = None) -> Summary:
    """Read a log and measure it; raises ParserError when it, or a side file of its run, cannot be read."""
    summary = _measured(log, protocol, given, format_)
    return replace(summary, observed=observed(summary.reading, summary.measurement))


def _measured(log: Path, protocol: Protocol, given: tuple[Fact, ...], format_: str | None) -> Summary:
    reading = survey(log, format=format_, facts=given)
    rest = unrecognised(Source(log), reading.account) if reading.account.unrecognised else ()
    summary = Summary(reading, leftover(reading.format, rest), protocol)
    if reading.format is None:
        names = ", ".join(fmt.name for fmt in formats())
        return replace(summary, reason=f"No known format fits the log; known are {names}.")
    try:
        found = measure(reading.records, reading.fields, reading.facts, protocol)
        return replace(summary, measurement=found)
    except NoMeasurement as error:
        return replace(summary, reason=str(error))


def as_json(summary: Summary) -> dict[str, Any]:
    """A summary as one JSON object; ``throughput`` is null, with a ``reason`` beside it, when there is none."""
    reading, account = summary.reading, summary.reading.account
    found: dict[str, Any] = {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "bytes": reading.bytes,
        "format": reading.format.name if reading.format else None,
        "lines": {
            "total": account.total,
            "matched": account.matched,
            "ignored": account.ignored,
            "unrecognised": account.unrecognised,
        },
        "facts": {name: {"value": f.value, "witness": f.witness} for name, f in reading.facts.items()}
        | summary.observed.facts(),
        "records": int((reading.records["record"] == "step").sum()),
        "throughput": _throughput(summary.measurement),
    }
    if summary.reason:
        found["reason"] = summary.reason
    return {**found, "warnings": list(summary.warnings)}


def _throughput(measurement: Measurement | None) -> dict[str, Any] | None:
    if measurement is None:
        return None
    return {
        "value": measurement.value,
        "unit": measurement.unit,
        "scope": measurement.scope,
        "protocol": measurement.protocol.words(),
        "used": measurement.records_used,
        "lines": [measurement.lines[0], measurement.lines[-1]],
    }
