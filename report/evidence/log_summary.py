"""What is in one log: format, facts and their sources, throughput, steadiness, line account."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsers.io.message import Message, joined
from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.runs.health import FAILED
from parsers.runs.reading import Reading, survey
from parsers.scanning.leftover import Leftover

from ..measuring.crosscheck import Check, caveats, checks, differing, own_figures
from ..measuring.headline import RunOfLog, headline
from ..measuring.measurement import Measurement, NoMeasurement
from ..measuring.protocol import Protocol
from ..measuring.ranks import RankSpread
from .telemetry_quantities import Observed, observed

if TYPE_CHECKING:
    from parsers.general.drafting import Draft, NoDraft, ReadBar

BROKEN = "Broken metric lines are skipped, first at line {line} ({count} in total)."
NOT_DRAFTED = "{first} Nor is a throughput known by its names and units: {reasons}."
DRAFTED = (
    "No known format matches: read by the names and units of its numbers, {used} of {total} lines. Check it, and "
    "keep it as a format with `tachograph format {log} --out NAME.lark`."
)
ASSUMED = "Assumed: {assumed}."
NO_FORMAT = "None of the {count} lines match a known format (list the formats with `tachograph formats`)."
NO_FORMAT_OF_LINE = "The only line does not match a known format (list the formats with `tachograph formats`)."
SEVERAL_RUNS = "The log contains {count} runs; the throughput is that of run {run} (protocol key run={run})."


@dataclass(frozen=True)
class Summary:
    """A reading, what no rule of its format knows, and the measurement that a protocol gives or the reason for none.

    ``part``: what was measured of the reading. ``checks``: the same by other estimates. ``own``: what the program
    prints itself of epochs or the run. ``runs``: what each run gives where the log holds several. ``observed``: what
    the telemetry of the run gives. ``general``: what the general reader found, where no format claims the log. ``bar``:
    how its progress bar was read, where its formats print no speed.
    """

    reading: Reading
    part: FormatRecords
    protocol: Protocol
    measurement: Measurement | None = None
    reason: Message | None = None
    checks: tuple[Check, ...] = ()
    own: tuple[Check, ...] = ()
    runs: tuple[RunOfLog, ...] = ()
    observed: Observed = field(default_factory=Observed)
    general: "Draft | NoDraft | None" = None
    bar: "ReadBar | None" = None

    @property
    def is_drafted(self) -> bool:
        """Whether no format claims the log, and a grammar drafted from it reads it."""
        return self.general is not None and self.general.is_found

    @property
    def formats(self) -> list[str]:
        """The names of the known formats that read the log."""
        found = [] if self.is_drafted else [part.format.name for part in self.reading.parts if part.format]
        return list(dict.fromkeys(found))

    @property
    def leftover(self) -> Leftover:
        """What no rule of the format knows."""
        return self.reading.leftover

    @property
    def warnings(self) -> tuple[Message, ...]:
        """All warnings, one sentence each."""
        of_lines = (*self._of_draft(), *self.reading.warnings, *self._of_broken_lines())
        return (*of_lines, *self._of_throughput(), *self.observed.warnings)

    def _of_draft(self) -> Iterator[Message]:
        if self.general is not None and self.general.is_found:
            found = self.general
            yield Message(DRAFTED, used=found.used, total=found.total, log=self.reading.path)
            yield from (Message(ASSUMED, assumed=assumed) for assumed in found.assumed)
        if self.bar:
            yield self.bar.said

    def _of_throughput(self) -> Iterator[Message]:
        if self.runs:
            yield Message(SEVERAL_RUNS, count=len(self.runs), run=self._run())
        if self.measurement:
            yield from self.measurement.warnings
            yield from differing(self.own, self.measurement)
            yield from caveats(self.checks, self.reading.happened, self.measurement)

    def _run(self) -> int:
        """Which of several runs was measured."""
        run = self.protocol.run
        return run if isinstance(run, int) else self.runs[-1].number

    def _of_broken_lines(self) -> Iterator[Message]:
        found = self.leftover
        if found.broken:
            yield Message(BROKEN, line=found.first_broken, count=found.broken)


def summarise(log: Path, protocol: Protocol | None, given: tuple[Fact, ...], format_: str | None = None) -> Summary:
    """Read a log and measure it, by the first protocol that it allows where none is given.

    Raises ParserError when it, or a side file of its run, cannot be read.
    """
    reading, general = survey(log, format=format_, facts=given), None
    if reading.format is None and format_ is None:
        from parsers.general.drafting import draft  # of use for a log without a format only

        general = draft(log, given)
        reading = general.reading if general.is_found else reading
    summary = Summary(reading, reading.parts[0], protocol or Protocol(), general=general)
    found = _measured(summary, protocol)
    if format_ is None and reading.format and not found.measurement and not any(part.rank[0] for part in reading.parts):
        found = _by_bar(found, protocol, given)
    return replace(found, observed=observed(found.reading, found.measurement))


def _by_bar(summary: Summary, protocol: Protocol | None, given: tuple[Fact, ...]) -> Summary:
    """The summary of a log whose formats print no speed by its progress bar, if that is known."""
    from parsers.general.drafting import read_by_bar  # of use for such a log only

    known = [part.format for part in summary.reading.parts if part.format]
    bar = read_by_bar(summary.reading.path, known, given)
    if bar is None:
        return summary
    if isinstance(bar, Message):
        return replace(summary, reason=Message("{first} {second}", first=summary.reason, second=bar))
    return _measured(Summary(bar.reading, bar.reading.parts[0], summary.protocol, bar=bar), protocol)


def _measured(summary: Summary, protocol: Protocol | None) -> Summary:
    """The summary with the measurement of the first part of the reading that allows one, or the reason for none."""
    reading, reasons = summary.reading, list[Message]()
    if reading.format is None:
        return replace(summary, reason=_no_format(summary))
    for part in reading.parts:
        try:
            found, each = headline(part, reading, protocol)
        except NoMeasurement as error:
            reasons.append(error.message)
        else:
            reading = reading.of_run(found.protocol.run)
            others = checks(part, reading.facts, found)
            own = own_figures(reading.parts, reading.facts, found, part)
            known = replace(summary, reading=reading, part=part, measurement=found, protocol=found.protocol)
            return replace(known, checks=tuple(others), own=tuple(own), runs=each)
    return replace(summary, reason=reasons[0])


def _no_format(summary: Summary) -> Message:
    reading, general = summary.reading, summary.general
    count = reading.account.total
    found = Message(NO_FORMAT_OF_LINE) if count == 1 else Message(NO_FORMAT, count=count)
    if general is not None and not general.is_found and general.is_near:
        found = Message(NOT_DRAFTED, first=found, reasons=joined("{first}; {second}", general.reasons))
    ends = next((said for said in reading.warnings if said.key == FAILED), None)
    return Message("{first} {second}", first=found, second=ends) if ends else found


def as_json(summary: Summary) -> dict[str, Any]:
    """A summary as one JSON object; ``throughput`` is null, with a ``reason`` beside it, when there is none."""
    reading, account = summary.reading, summary.reading.account
    found: dict[str, Any] = {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "bytes": reading.bytes,
        "format": next(iter(summary.formats), None),
        "formats": summary.formats,
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
        "checks": [{"ratio": check.ratio} | _value(check.measurement) for check in (*summary.checks, *summary.own)],
        "events": [{"line": e.line, "event": e.event, "text": e.text} for e in reading.happened],
    }
    if summary.runs:
        found["runs"] = [_run(run) for run in summary.runs]
    if summary.reason:
        found["reason"] = str(summary.reason)
    return {**found, "warnings": [str(said) for said in summary.warnings]}


def _run(run: RunOfLog) -> dict[str, Any]:
    reason = {"reason": str(run.reason)} if run.reason else {}
    return {"run": run.number, "lines": list(run.lines), "throughput": _throughput(run.measurement), **reason}


def _throughput(measurement: Measurement | None) -> dict[str, Any] | None:
    if measurement is None:
        return None
    found = _value(measurement) | {"used": measurement.records_used, "lines": list(measurement.ends)}
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
