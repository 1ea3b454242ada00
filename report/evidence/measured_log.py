"""Measured logs: a log as it was read, and the one answer to how fast it ran, which all views of it show."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from parsers.io.errors import LogError
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import Reading
from parsers.runs.runfile import first_run, log_of
from parsers.unknown.answer import Answer
from parsers.unknown.option import Option

from ..measure.diagnostics import Code, Diagnostic, NoMeasurement, say
from ..measure.measure import measure
from ..measure.measurement import ContradictedError, Measurement
from ..measure.protocol import Protocol
from ..measure.run_figures import CardFigure, RunNumbers, card_figures
from .as_read import as_read, how_read
from .asked import Offer, candidates, why_none
from .telemetry.rank_telemetry import CardsOfRanks, of_cards
from .telemetry.telemetry_quantities import Observed, observed

Status = Literal["confirmed", "unchecked", "contradicted", "refused"]

COARSE = ("estimate=steps", "estimate=reported")  # protocols that take numbers of few digits as they are

FOLDER_OF_RUNS = "is a folder of runs; pass a run, such as {run}."
BROKEN = (
    "Skipped one broken metric line, line {line}.",
    "Skipped {count} broken metric lines, the first at line {line}.",
)


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredLog:
    """A log as it was read, and its throughput.

    ``measurement``: the number; of a log that contradicts itself one of the two sides, None where there is none.
    ``reason``: why there is no one number. ``protocol``: the stated one, None of the rule. ``answer``: what its numbers
    say by themselves, where no format reads a speed. ``read``: what somebody says of one of them, and ``given`` what of
    the run.
    """

    reading: Reading
    protocol: Protocol | None = None
    measurement: Measurement | None = None
    reason: NoMeasurement | None = None
    answer: Answer | None = None
    read: Option | None = None
    given: tuple[Fact, ...] = ()

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
        return list(dict.fromkeys(part.format.name for part in self.reading.parts if part.format))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is said of the number, or why there is none."""
        reason = self.reason.diagnostic if self.reason and not self.measurement else None
        found = self.measurement.diagnostics if self.measurement else (reason,) if reason else ()
        return (*found, *how_read(self.reading, self.answer)) if self.measurement else found

    @cached_property
    def options(self) -> tuple[Offer, ...]:
        """What a person may say where the log gives no number by itself, or not of what; each gives another number.

        Raises ParserError where the log cannot be read any more.
        """
        found = dict[tuple[float, str], Offer]()
        for typed, again in self._answers():
            if told := again.measurement:
                found.setdefault((told.value, told.unit), Offer(typed, told.value, told.unit, told.scope))
        return tuple(found.values())

    def _answers(self) -> Iterator[tuple[str, MeasuredLog]]:
        """Each option, and the log measured by it: what a number measures, or a protocol that takes few digits."""
        path = self.reading.folder or self.reading.path
        for said in candidates(self.answer) if self.read is None else ():
            yield f"--read {shlex.quote(said)}", measured_log(path, self.protocol, self.given, read=said)
        reason = self.reason.diagnostic if self.reason else None
        for rule in COARSE if reason and reason.code == Code.COARSE else ():
            yield f"--protocol {rule}", measured_log(path, Protocol.parse(rule), self.given)

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What a reader must know of the log and of its telemetry, a sentence each."""
        broken, cards = self.reading.leftover, self.cards_of_ranks
        of_lines = [Message.of_count(broken.broken, *BROKEN, line=broken.first_broken)] if broken.broken else []
        of_cards = cards.warnings if cards else ()
        return (*self.reading.warnings, *of_lines, *self.observed.warnings, *of_cards)

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
    read: str | None = None,
    cards: int | None = None,
    batch_size: int | None = None,
) -> MeasuredLog:
    """Read a log and measure it, by the rule where no protocol is stated; a run folder stands for its log.

    A folder with a log for each rank is read as one run. ``read``: what a number of it measures (``dt=ms/step``).
    ``cards``: of the whole job; ``batch_size``: of one card. Raises ``ParserError`` where the log, or a side file of
    its run, cannot be read, and ``ProtocolError``.
    """
    log = log_at(Path(path))
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    options = {"cards": cards, "batch_size": batch_size}
    given = tuple(Fact(name, number, option(name)) for name, number in options.items() if number)
    return measured_log(log, stated, given, format, read)


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
    log: Path,
    protocol: Protocol | None = None,
    given: Iterable[Fact] = (),
    format: str | None = None,
    read: str | None = None,
) -> MeasuredLog:
    """Read a log by the known formats, where these find no speed by what its numbers say themselves, and measure it.

    ``given``: what somebody states of the run; ``read``: what of a number. Raises ParserError where the log cannot be
    read.
    """
    given = tuple(given)
    found = as_read(log, format=format, facts=given, read=read)
    return _measured(MeasuredLog(found.reading, protocol, answer=found.answer, read=found.option, given=given))


def _measured(log: MeasuredLog) -> MeasuredLog:
    try:
        found = measure(log.reading, log.protocol)
    except ContradictedError as error:
        return replace(_of_run(log, error.found), reason=error)
    except NoMeasurement as error:
        # Of a log that a format reads its own reason says more, unless there is a question to answer.
        asked = why_none(log.answer) if candidates(log.answer) or log.read or not log.formats else None
        return replace(log, reason=NoMeasurement(asked) if asked else error)
    reason = ContradictedError(found) if found.contradiction else None  # of a stated protocol
    return replace(_of_run(log, found), reason=reason)


def _of_run(log: MeasuredLog, found: Measurement) -> MeasuredLog:
    """The log with the facts of the run that was measured."""
    return replace(log, reading=log.reading.of_run(found.run), measurement=found)
