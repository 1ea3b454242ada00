"""Measured logs: a log as it was read, and the one answer to how fast it ran, which all views of it show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from parsers.io.errors import LogError
from parsers.io.message import Message, joined
from parsers.ranks.ranked_reading import again, survey
from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import Reading
from parsers.runs.runfile import first_run, log_of

from ..measure.diagnostics import Code, Diagnostic, NoMeasurement, say
from ..measure.measure import measure
from ..measure.measurement import ContradictedError, Measurement
from ..measure.number import digits
from ..measure.protocol import Protocol
from ..measure.run_figures import CardFigure, RunNumbers, card_figures
from .ranks.rank_telemetry import CardsOfRanks, of_cards
from .telemetry.telemetry_quantities import Observed, observed

if TYPE_CHECKING:
    from parsers.general.drafting import Draft, NoDraft

Status = Literal["confirmed", "unchecked", "contradicted", "refused"]

FOLDER_OF_RUNS = "is a folder of runs; pass a run, such as {run}."
BROKEN = (
    "Skipped one broken metric line, line {line}.",
    "Skipped {count} broken metric lines, the first at line {line}.",
)
ASSUMED = "Assumed: {assumed}."
NOT_USED = "Numbers that may be speeds are not used: {reasons}."


@dataclass(frozen=True, eq=False)
class MeasuredLog:
    """A log as it was read, and its throughput.

    ``measurement``: the number; of a log that contradicts itself one of the two sides, None where there is none.
    ``reason``: why there is no one number. ``protocol``: the stated one, None of the rule. ``draft``: what the general
    reader found, where no format claims the log. ``remarks``: what a reader must know of how it was read.
    """

    reading: Reading
    protocol: Protocol | None = None
    measurement: Measurement | None = None
    reason: NoMeasurement | None = None
    draft: Draft | NoDraft | None = None
    remarks: tuple[Message, ...] = ()

    def __repr__(self) -> str:
        found = self.measurement
        said = f" {digits(found.value)} {found.unit} ({found.scope})" if found and self.status != "contradicted" else ""
        return f"<{type(self).__name__} {self.reading.path}: {self.status}{said}>"

    def throughput(self) -> Measurement:
        """The throughput of the log, as ``tachograph show`` prints it.

        Raises ``NoMeasurement`` where the log gives none, ``ContradictedError`` where its sources contradict it.
        """
        if self.measurement is None or self.reason is not None:
            raise self.reason or NoMeasurement(say(Code.NO_RECORDS))
        return self.measurement

    @property
    def tokens_of_a_sample(self) -> float | None:
        """How many tokens a sample has; None where nothing says it, or there is no number."""
        found = self.measurement
        return (
            RunNumbers(self.reading, {}, found.protocol, found.unit, throughput=lambda: found).tokens_of_a_sample
            if found
            else None
        )

    @property
    def status(self) -> Status:
        """Whether the number is confirmed, unchecked or contradicted, or there is none."""
        return self.measurement.status if self.measurement else "refused"

    @property
    def formats(self) -> list[str]:
        """The names of the known formats that read the log."""
        if self.draft is not None:
            return []
        return list(dict.fromkeys(part.format.name for part in self.reading.parts if part.format))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is said of the number, or why there is none."""
        reason = self.reason.diagnostic if self.reason and not self.measurement else None
        found = self.measurement.diagnostics if self.measurement else (reason,) if reason else ()
        if self.draft is not None and self.draft.is_found:
            found += (say(Code.BY_NAMES, used=self.draft.used, total=self.draft.total),)
        return found

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What a reader must know of the log and of its telemetry, a sentence each."""
        broken, cards = self.reading.leftover, self.cards_of_ranks
        of_lines = [Message.of_count(broken.broken, *BROKEN, line=broken.first_broken)] if broken.broken else []
        of_cards = cards.warnings if cards else ()
        return (*self.remarks, *self.reading.warnings, *of_lines, *self.observed.warnings, *of_cards)

    @cached_property
    def observed(self) -> Observed:
        """What telemetry beside the log says over its window; raises LogError where a side file is broken."""
        return observed(self.reading, self.measurement)

    @cached_property
    def cards_of_ranks(self) -> CardsOfRanks | None:
        """What telemetry says of the card of the slowest rank; raises LogError where a side file is broken."""
        ranks = self.measurement.ranks if self.measurement else None
        return of_cards(self.reading, self.measurement, ranks) if ranks else None

    @cached_property
    def figures(self) -> tuple[CardFigure, ...]:
        """What one card does over the records of the number."""
        return tuple(card_figures(self.reading, self.measurement)) if self.measurement and not self.reason else ()


def open(
    path: str | Path,
    *,
    protocol: Protocol | str | None = None,
    format: str | None = None,
    cards: int | None = None,
    batch_size: int | None = None,
) -> MeasuredLog:
    """Read a log and measure it, by the rule where no protocol is stated; a run folder stands for its log.

    A folder with a log for each rank is read as one run. ``cards``: of the whole job; ``batch_size``: of one card.
    Raises ``ParserError`` where the log, or a side file of its run, cannot be read, and ``ProtocolError``.
    """
    log = log_at(Path(path))
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    options = {"cards": cards, "batch_size": batch_size}
    given = tuple(Fact(name, number, option(name)) for name, number in options.items() if number)
    return measured_log(log, stated, given, format)


def log_at(path: Path) -> Path:
    """The log of a run folder, or the path as it is.

    Raises LogError where a run.json is broken or names no log, and for a folder of runs.
    """
    if run := first_run(path):
        raise LogError.at(path, FOLDER_OF_RUNS, run=run)
    try:
        return log_of(path)
    except OSError:  # reading it tells what is wrong
        return path


def measured_log(
    log: Path, protocol: Protocol | None = None, given: Iterable[Fact] = (), format: str | None = None
) -> MeasuredLog:
    """Read a log by the known formats, else by the names of its numbers, else by its progress bar, and measure it.

    ``given``: what somebody states of the run. Raises ParserError where the log cannot be read.
    """
    facts = tuple(given)
    reading = survey(log, format=format, facts=facts)
    if reading.format is None and format is None:
        return _drafted(reading, protocol, facts)
    found = _measured(MeasuredLog(reading, protocol))
    prints_speed = any(part.rank[0] for part in reading.parts)
    return found if format or prints_speed or not reading.format else _by_bar(found, facts)


def _measured(log: MeasuredLog) -> MeasuredLog:
    try:
        found = measure(log.reading, log.protocol)
    except ContradictedError as error:
        return replace(_of_run(log, error.found), reason=error)
    except NoMeasurement as error:
        return replace(log, reason=error)
    reason = ContradictedError(found) if found.contradiction else None  # of a stated protocol
    return replace(_of_run(log, found), reason=reason)


def _of_run(log: MeasuredLog, found: Measurement) -> MeasuredLog:
    """The log with the facts of the run that was measured."""
    return replace(log, reading=log.reading.of_run(found.run), measurement=found)


def _drafted(reading: Reading, protocol: Protocol | None, facts: tuple[Fact, ...]) -> MeasuredLog:
    """A log of no known format, read by the names of its numbers."""
    from parsers.general.drafting import draft  # of use for such a log only

    found = draft(reading.path, facts)
    if not found.is_found:
        reasons = [Message(NOT_USED, reasons=joined("{first}; {second}", found.reasons))] if found.is_near else []
        return MeasuredLog(reading, protocol, None, NoMeasurement(say(Code.NO_RECORDS)), found, tuple(reasons))
    remarks = tuple(Message(ASSUMED, assumed=assumed) for assumed in found.assumed)
    read = _of_all_ranks(found.reading, reading, facts)
    return _measured(MeasuredLog(read, protocol, draft=found, remarks=remarks))


def _by_bar(log: MeasuredLog, facts: tuple[Fact, ...]) -> MeasuredLog:
    """A log whose formats print no speed of steps, read by its progress bar as well, where it shows which that is."""
    from parsers.general.drafting import read_by_bar  # of use for such a log only

    bar = read_by_bar(log.reading.path, [part.format for part in log.reading.parts if part.format], facts)
    if bar is None:
        return log
    if isinstance(bar, Message):
        return log if log.measurement else replace(log, remarks=(*log.remarks, bar))
    read = _of_all_ranks(bar.reading, log.reading, facts)
    others = tuple(part for part in log.reading.parts if len(part.table))
    found = _measured(MeasuredLog(replace(read, parts=(*read.parts, *others)), log.protocol, remarks=(bar.said,)))
    return log if found.measurement is None or found.measurement.series.whole else found


def _of_all_ranks(read: Reading, reading: Reading, facts: Iterable[Fact]) -> Reading:
    """What was read of a log, and of those of the other ranks where each has one of its own."""
    return read if reading.folder is None else again(reading.folder, read, facts)
