"""What is in one log: format, facts and their sources, throughput, steadiness, line account."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.health import FAILED
from parsers.runs.reading import Reading, survey
from parsers.runs.reading_part import ReadingPart
from parsers.scanning.leftover import Leftover

from ..measuring.crosscheck import Check, caveats, checks, chosen, estimated
from ..measuring.measurement import Measurement, NoMeasurement, measure
from ..measuring.protocol import Protocol
from ..measuring.ranks import RankSpread
from .telemetry_quantities import Observed, observed

BROKEN = "Broken metric lines are skipped, first at line {line} ({count} in total)."
NO_FORMAT = "None of the {count} lines match a known format (list the formats with `tachograph formats`)."
NO_FORMAT_OF_LINE = "The only line does not match a known format (list the formats with `tachograph formats`)."


@dataclass(frozen=True)
class Summary:
    """A reading, what no rule of its format knows, and the measurement that a protocol gives or the reason for none.

    ``part``: what was measured of the reading. ``checks``: the same by other estimates. ``observed``: what the
    telemetry of the run gives.
    """

    reading: Reading
    part: ReadingPart
    protocol: Protocol
    measurement: Measurement | None = None
    reason: Message | None = None
    checks: tuple[Check, ...] = ()
    observed: Observed = field(default_factory=Observed)

    @property
    def leftover(self) -> Leftover:
        """What no rule of the format knows."""
        return self.reading.leftover

    @property
    def warnings(self) -> tuple[Message, ...]:
        """All warnings, one sentence each."""
        return (*self.reading.warnings, *self._of_broken_lines(), *self._of_throughput(), *self.observed.warnings)

    def _of_throughput(self) -> Iterator[Message]:
        if self.measurement:
            yield from self.measurement.warnings
            yield from caveats(self.checks, self.reading.events, self.measurement)

    def _of_broken_lines(self) -> Iterator[Message]:
        found = self.leftover
        if found.broken:
            yield Message(BROKEN, line=found.first_broken, count=found.broken)


def summarise(log: Path, protocol: Protocol | None, given: tuple[Fact, ...], format_: str | None = None) -> Summary:
    """Read a log and measure it, by the first protocol that it allows where none is given.

    Raises ParserError when it, or a side file of its run, cannot be read.
    """
    reading = survey(log, format=format_, facts=given)
    summary = Summary(reading, reading.parts[0], protocol or Protocol())
    found = _measured(summary, protocol)
    return replace(found, observed=observed(reading, found.measurement))


def _measured(summary: Summary, protocol: Protocol | None) -> Summary:
    """The summary with the measurement of the first part of the reading that allows one, or the reason for none."""
    reading, reasons = summary.reading, list[Message]()
    if reading.format is None:
        return replace(summary, reason=_no_format(reading))
    for part in reading.parts:
        try:
            found = _by(part, reading, protocol)
        except NoMeasurement as error:
            reasons.append(error.message)
        else:
            others = tuple(checks(part, reading.facts, found))
            return replace(summary, part=part, measurement=found, protocol=found.protocol, checks=others)
    return replace(summary, reason=reasons[0])


def _by(part: ReadingPart, reading: Reading, protocol: Protocol | None) -> Measurement:
    if protocol is None:
        return chosen(part, reading.facts)
    if not protocol.states_estimate:
        return estimated(part, reading.facts, protocol)
    return measure(part.table, part.fields, reading.facts, protocol)


def _no_format(reading: Reading) -> Message:
    count = reading.account.total
    found = Message(NO_FORMAT_OF_LINE) if count == 1 else Message(NO_FORMAT, count=count)
    ends = next((said for said in reading.warnings if said.key == FAILED), None)
    return Message("{first} {second}", first=found, second=ends) if ends else found


def as_json(summary: Summary) -> dict[str, Any]:
    """A summary as one JSON object; ``throughput`` is null, with a ``reason`` beside it, when there is none."""
    reading, account = summary.reading, summary.reading.account
    found: dict[str, Any] = {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "bytes": reading.bytes,
        "format": reading.format.name if reading.format else None,
        "formats": [part.format.name for part in reading.parts if part.format],
        "lines": {
            "total": account.total,
            "matched": account.matched,
            "ignored": account.ignored,
            "unrecognised": account.unrecognised,
        },
        "facts": {name: {"value": f.value, "witness": str(f.source)} for name, f in reading.facts.items()}
        | summary.observed.facts(),
        "records": int(summary.part.table.are(summary.protocol.records).sum()),
        "throughput": _throughput(summary.measurement),
        "checks": [{"ratio": check.ratio} | _value(check.measurement) for check in summary.checks],
        "events": summary.reading.events[["line", "event", "text"]].to_dict("records"),
    }
    if summary.reason:
        found["reason"] = str(summary.reason)
    return {**found, "warnings": [str(said) for said in summary.warnings]}


def _throughput(measurement: Measurement | None) -> dict[str, Any] | None:
    if measurement is None:
        return None
    lines = [measurement.lines[0], measurement.lines[-1]]
    found = _value(measurement) | {"used": measurement.records_used, "lines": lines}
    return found | ({"ranks": _ranks(measurement.ranks)} if measurement.ranks else {})


def _ranks(ranks: RankSpread) -> dict[str, Any]:
    values = {str(number): value for number, value in zip(ranks.numbers, ranks.values, strict=True)}
    return {"unit": ranks.unit, "is_summed": ranks.is_summed, "values": values}


def _value(measurement: Measurement) -> dict[str, Any]:
    return {
        "value": measurement.value,
        "unit": measurement.unit,
        "scope": measurement.scope,
        "protocol": measurement.protocol.words(),
    }
