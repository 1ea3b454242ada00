"""What is in one log: format, facts and witnesses, throughput, steadiness, line account."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from parsers.account import Cluster, clusters, unrecognised
from parsers.explain import Break, breaks, broken
from parsers.facts import Fact
from parsers.reading import Reading, survey
from parsers.source import Source

from .measurement import Measurement, NoMeasurement, measure
from .protocol import Protocol


@dataclass(frozen=True)
class Summary:
    """A reading with the measurement that a protocol gives, or the reason why it gives none."""

    reading: Reading
    protocol: Protocol
    measurement: Measurement | None
    reason: str | None

    @property
    def warnings(self) -> tuple[str, ...]:
        """All warnings, one sentence each."""
        measured = self.measurement.warnings if self.measurement else ()
        return (*self.reading.warnings, *self._broken, *measured)

    @cached_property
    def _broken(self) -> tuple[str, ...]:
        reading = self.reading
        if reading.format is None or not reading.account.unrecognised:
            return ()
        lines = [n for n, _ in broken(reading.format, unrecognised(Source(reading.path), reading.account))]
        if not lines:
            return ()
        return (f"{len(lines)} lines look like metric lines but are broken, the first is line {lines[0]}.",)

    def unrecognised(self) -> list[Cluster]:
        """The unrecognised lines by their shape; the log is read once more for them."""
        return clusters(unrecognised(Source(self.reading.path), self.reading.account))

    def breaks(self) -> Iterator[Break]:
        """Where lines break that look like metric lines of the format but are not."""
        if self.reading.format:
            yield from breaks(self.reading.format, unrecognised(Source(self.reading.path), self.reading.account))


def summarise(log: Path, protocol: Protocol, given: tuple[Fact, ...], format_: str | None = None) -> Summary:
    """Read a log and measure it; raises ParserError when it cannot be read."""
    reading = survey(log, format=format_, facts=given)
    if reading.format is None:
        return Summary(reading, protocol, None, "No known format fits the log.")
    try:
        return Summary(reading, protocol, measure(reading.records, reading.fields, reading.facts, protocol), None)
    except NoMeasurement as error:
        return Summary(reading, protocol, None, str(error))


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
        "facts": {name: {"value": f.value, "witness": f.witness} for name, f in reading.facts.items()},
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
