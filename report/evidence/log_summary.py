"""Logs measured as they were before ``measured_log``, for comparing, ``why`` and pages until they use that one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from parsers.io.message import Message, joined
from parsers.ranks.ranked_reading import again, survey
from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.runs.health import FAILED
from parsers.runs.reading import Reading
from parsers.scanning.leftover import Leftover

from ..measure.protocol import Protocol
from ..measuring.caveats import STARTS_LATER
from ..measuring.checking.own_figures import differing, own_figures
from ..measuring.crosscheck import RESUMED, Check, caveats, checks
from ..measuring.headline import RunOfLog, headline
from ..measuring.measurement import Measurement, NoMeasurement
from ..measuring.ranks.rank_spread import RanksDifferError, RankSpread

if TYPE_CHECKING:
    from parsers.general.drafting import Draft, NoDraft, ReadBar

BROKEN = "Broken metric lines are skipped, first at line {line} ({count} in total)."
NOT_DRAFTED = "{first} Nor is a throughput known by its names and units: {reasons}."
DRAFTED = (
    "No known format matches: read by the names and units of its numbers, {used} of {total} lines. Check it, and "
    "keep it as a format with `tachograph format {log} --out NAME.lark`."
)
BY_NAMES = "No known format matches: read by the names and units of its numbers, {used} of {total} lines."
ASSUMED = "Assumed: {assumed}."
NO_FORMAT = "None of the {count} lines match a known format (list the formats with `tachograph formats`)."
NO_FORMAT_OF_LINE = "The only line does not match a known format (list the formats with `tachograph formats`)."
OF_RESUMED = "The total, {value} {unit}, may include steps before a checkpoint (line {line}); the progress bar is used."
SEVERAL_RUNS = "The log contains {count} runs; the throughput is that of run {run} (protocol key run={run})."
FAR = 0.05


@dataclass(frozen=True)
class Summary:
    """A reading, what no rule of its format knows, and the measurement that a protocol gives or the reason for none.

    ``part``: what was measured of the reading. ``checks``: the same by other estimates. ``own``: what the program
    prints itself of epochs or the run. ``runs``: what each run gives where the log holds several. ``general``: what the
    general reader found, where no format claims the log. ``bar``: how its progress bar was read, where its formats
    print no speed, or a total of too many steps. ``refused``: how far ranks are apart where that is too far for a
    measurement.
    """

    reading: Reading
    part: FormatRecords
    protocol: Protocol
    measurement: Measurement | None = None
    reason: Message | None = None
    checks: tuple[Check, ...] = ()
    own: tuple[Check, ...] = ()
    runs: tuple[RunOfLog, ...] = ()
    general: "Draft | NoDraft | None" = None
    bar: "ReadBar | None" = None
    refused: RankSpread | None = None

    @property
    def ranks(self) -> RankSpread | None:
        """How far ranks are apart."""
        return self.measurement.ranks if self.measurement else self.refused

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
        return (*of_lines, *self._of_throughput())

    def _of_draft(self) -> Iterator[Message]:
        if self.general is not None and self.general.is_found:
            found = self.general
            yield Message(DRAFTED, used=found.used, total=found.total, log=self.reading.path)
            yield from assumptions(found)
        if self.bar:
            yield self.bar.said

    def _of_throughput(self) -> Iterator[Message]:
        if self.runs:
            yield Message(SEVERAL_RUNS, count=len(self.runs), run=self._run())
        if self.refused:
            yield from self.refused.messages
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

        general = draft(reading.path, given)
        reading = _of_all_ranks(general.reading, reading, given) if general.is_found else reading
    summary = Summary(reading, reading.parts[0], protocol or Protocol(), general=general)
    found = _measured(summary, protocol)
    if format_ is None and reading.format and not any(part.rank[0] for part in reading.parts):
        found = _or_by_bar(found, protocol, given)
    return found


def _of_all_ranks(drafted: Reading, reading: Reading, given: tuple[Fact, ...]) -> Reading:
    """What was read of a log, and of those of the other ranks where each has one of its own."""
    return drafted if reading.folder is None else again(reading.folder, drafted, given)


def assumptions(found: "Draft") -> Iterator[Message]:
    """What is assumed of a log that was read without a format, a sentence each."""
    return (Message(ASSUMED, assumed=assumed) for assumed in found.assumed)


def _by_bar(summary: Summary, protocol: Protocol | None, given: tuple[Fact, ...]) -> Summary:
    """The summary of a log by its progress bar instead of its formats, if that is known."""
    from parsers.general.drafting import read_by_bar  # of use for such a log only

    bar = read_by_bar(summary.reading.path, [part.format for part in summary.reading.parts if part.format], given)
    if bar is None:
        return summary
    if isinstance(bar, Message):
        return replace(summary, reason=Message("{first} {second}", first=summary.reason, second=bar))
    reading = _of_all_ranks(bar.reading, summary.reading, given)
    return _measured(Summary(reading, reading.parts[0], summary.protocol, bar=bar), protocol)


def _or_by_bar(summary: Summary, protocol: Protocol | None, given: tuple[Fact, ...]) -> Summary:
    """The summary, by the progress bar where nothing else is measured, or a total counts what a checkpoint held."""
    if (own := summary.measurement) is None:
        return _by_bar(summary, protocol, given)
    late = _going_on(summary) if protocol is None and own.protocol.records == "summary" else None
    found = _by_bar(summary, None, given) if late else summary
    totals = [check.ratio for check in found.own if check.measurement.protocol.records == "summary"]
    if late and found.bar is None and late not in summary.warnings:
        return replace(summary, measurement=replace(own, warnings=(*own.warnings, late)))
    if late is None or found.bar is None or all(abs(ratio - 1) <= FAR for ratio in totals):
        return summary
    told = Message(OF_RESUMED, line=late.values["line"], value=f"{own.value:.6g}", unit=own.unit)
    return replace(found, bar=replace(found.bar, said=told))


def _going_on(summary: Summary) -> Message | None:
    """What shows that a run went on from a checkpoint: its records or, where it has none of steps, its progress bar."""
    if said := next((said for said in summary.warnings if said.key in (STARTS_LATER, RESUMED)), None):
        return said
    if any(part.table.are("step").any() for part in summary.reading.parts):
        return None
    from parsers.general.drafting import bar_begins_late  # of use for such a log only

    return bar_begins_late(summary.reading.path)


def _measured(summary: Summary, protocol: Protocol | None) -> Summary:
    """The summary with the measurement of the first part of the reading that allows one, or the reason for none."""
    reading, reasons, refused = summary.reading, list[Message](), None
    if reading.format is None:
        return replace(summary, reason=_no_format(summary))
    for part in reading.parts:
        try:
            found, each = headline(part, reading, protocol)
        except NoMeasurement as error:
            reasons.append(error.message)
            refused = refused or (error.ranks if isinstance(error, RanksDifferError) else None)
        else:
            reading = reading.of_run(found.protocol.run)
            known = replace(summary, reading=reading, part=part, measurement=found, protocol=found.protocol, runs=each)
            own = tuple(own_figures(reading.parts, reading.facts, found, part))
            return replace(known, checks=tuple(checks(part, reading.facts, found)), own=own)
    return replace(summary, reason=reasons[0], refused=refused)


def _no_format(summary: Summary) -> Message:
    reading, general = summary.reading, summary.general
    count = reading.account.total
    found = Message(NO_FORMAT_OF_LINE) if count == 1 else Message(NO_FORMAT, count=count)
    if general is not None and not general.is_found and general.is_near:
        found = Message(NOT_DRAFTED, first=found, reasons=joined("{first}; {second}", general.reasons))
    ends = next((said for said in reading.warnings if said.key == FAILED), None)
    return Message("{first} {second}", first=found, second=ends) if ends else found
