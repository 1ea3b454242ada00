"""Measured logs: a log as every command reads it, and the one answer to how fast it ran, which all views of it show.

A log is read by the known formats, and by what its numbers say themselves where these find no speed.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from parsers.grammar.field import Scope
from parsers.grammar.format import Format
from parsers.io.errors import LogError
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.format_records import NOTHING
from parsers.runs.provenance import option
from parsers.runs.ranks import again, survey
from parsers.runs.reading import Reading
from parsers.runs.run_folder import READ
from parsers.runs.runfile import first_run, log_of
from parsers.unknown.answer import Accepted, Answer, Nothing, Question, answer
from parsers.unknown.option import Option, parse_option
from parsers.unknown.reading import reading as reading_of

from ..measure.diagnostics import Code, Diagnostic, NoMeasurement, say
from ..measure.measure import measure
from ..measure.measurement import ContradictedError, Measurement
from ..measure.protocol import Protocol
from ..measure.run_figures import CardFigure, card_figures
from .remarks import as_told
from .telemetry import CardsOfRanks, Observed, observed, of_cards

Status = Literal["confirmed", "unchecked", "contradicted", "refused"]

COARSE = (
    "estimate=step_time,counts=steps",
    "estimate=reported",
)  # protocols that take numbers of few digits as they are

FOLDER_OF_RUNS = "is a folder of runs; pass a run, such as {run}."


# ---- reading


@dataclass(frozen=True)
class AsRead:
    """What is in a log; ``answer``: what its numbers say by themselves, None where the formats alone read it.

    ``option``: what somebody says of a number of it.
    """

    reading: Reading
    answer: Answer | None = None
    option: Option | None = None

    @property
    def has_records(self) -> bool:
        """Whether any record was read."""
        return any(len(part.table) for part in self.reading.parts)


def how_read(reading: Reading, answer: Answer | None) -> tuple[Diagnostic, ...]:
    """How the numbers of a log were read, where no format reads them."""
    if not isinstance(answer, Accepted):
        return ()
    account = reading.account
    return (say(Code.BY_NAMES, used=account.matched, total=account.total, read=answer.speed.read),)


def as_read(
    path: Path, *, format: str | None = None, facts: Iterable[Fact] = (), read: Option | str | None = None
) -> AsRead:
    """Read a log, or the logs of the ranks of a run in a folder.

    ``format``: a known format or a grammar, and no other. ``read``: what a person says of a number, by default what
    run.json keeps. Raises ParserError where the log cannot be read, or the option is none.
    """
    facts = tuple(facts)
    found = survey(path, format=format, facts=facts)
    said = read if read is not None else found.run_file.get(READ)
    option = said if said is None or isinstance(said, Option) else parse_option(said)
    if option is None and (format is not None or _tells_speed(found)):
        return AsRead(found)
    told = answer(found.path, option)
    if not isinstance(told, Accepted):
        return AsRead(replace(found, parts=(NOTHING,)) if option else found, told, option)
    known = [part.format for part in found.parts if part.format]
    made = _of_all_ranks(reading_of(told, facts, known), found, told.speed.option, (facts, known))
    if option:  # what a person says of a number counts, and no other records
        made = replace(made, parts=tuple(part for part in made.parts if part.format is None))
    return AsRead(made, told, option)


def _tells_speed(found: Reading) -> bool:
    """Whether the formats of a log give a throughput by the rule, or two that contradict each other."""
    if found.prints_speed:
        return True
    try:
        measure(found)
    except NoMeasurement as error:
        return isinstance(error, ContradictedError)
    return True


def _of_all_ranks(one: Reading, found: Reading, option: Option, how: tuple[tuple[Fact, ...], list[Format]]) -> Reading:
    """What was read of a log, and of those of the other ranks where each has one of its own."""
    if found.folder is None:
        return one
    facts, known = how

    def read_rank(path: Path) -> Reading:
        own = answer(path, option)
        return reading_of(own, facts, known) if isinstance(own, Accepted) else survey(path, format=known, facts=facts)

    return again(found.folder, one, facts, read_rank)


def why_none(answer: Answer | None) -> Diagnostic | None:
    """Why the numbers of a log tell no speed by themselves; None where there is nothing to say of any."""
    if isinstance(answer, Question):
        return say(answer.ask, name=answer.candidates[0].column.name)
    if isinstance(answer, Nothing) and answer.reasons:
        name, reason = answer.reasons[0]
        return say(reason, name=name)
    return None


def _candidates(answer: Answer | None) -> list[str]:
    """The options by which a person may say what a number of a log measures, the likeliest first."""
    if isinstance(answer, Question):
        return [speed.read for speed in answer.candidates]
    return [speed.read for speed in answer.refine] if isinstance(answer, Accepted) else []


# ---- measuring


@dataclass(frozen=True)
class Offer:
    """An option as it is typed, and the number that it gives, of a ``unit`` such as images/s and a ``scope``."""

    option: str
    value: float
    unit: str
    scope: Scope

    def as_json(self) -> dict[str, object]:
        """As ``show --json`` has it."""
        return {"option": self.option, "gives": {"value": self.value, "unit": self.unit, "scope": self.scope}}


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
        for typed, log in self._answers():
            if told := log.measurement:
                found.setdefault((told.value, told.unit), Offer(typed, told.value, told.unit, told.scope))
        return (*found.values(), *self._whose())

    def _whose(self) -> Iterator[Offer]:
        """What may be said where the log does not say whose its rate is: that of the job, or of one card."""
        found = self.measurement
        if self.read is None and isinstance(self.answer, Accepted) and found and found.scope == "unknown":
            said = self.answer.speed.option
            of_job, of_card = (f"--read {shlex.quote(str(said.of(scope)))}" for scope in ("job", "card"))
            yield Offer(of_job, found.value, found.unit, "job")
            cards = self.reading.facts.get("cards")
            is_known = cards is not None and isinstance(cards.value, int)
            value = found.value * int(cards.value) if cards and is_known else found.value
            yield Offer(of_card, value, found.unit, "job" if is_known else "card")

    def _answers(self) -> Iterator[tuple[str, MeasuredLog]]:
        """Each option, and the log measured by it: what a number measures, or a protocol that takes few digits."""
        path = self.reading.folder or self.reading.path
        for said in _candidates(self.answer) if self.read is None else ():
            yield f"--read {shlex.quote(said)}", measured_log(path, self.protocol, self.given, read=said)
        reason = self.reason.diagnostic if self.reason else None
        for rule in COARSE if reason and reason.code == Code.COARSE else ():
            yield f"--protocol {rule}", measured_log(path, Protocol.parse(rule), self.given)

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What a reader must know of the log and of its telemetry, a sentence each."""
        return tuple(one.message for one in self.remarks)

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """The same as codes."""
        broken, cards = self.reading.leftover, self.cards_of_ranks
        of_lines = [say("broken_lines", count=broken.broken, line=broken.first_broken)] if broken.broken else []
        of_cards = cards.warnings if cards else ()
        return (*map(as_told, self.reading.warnings), *of_lines, *self.observed.warnings, *of_cards)

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
        asked = why_none(log.answer) if _candidates(log.answer) or log.read or not log.formats else None
        return replace(log, reason=NoMeasurement(asked) if asked else error)
    reason = ContradictedError(found) if found.contradiction else None  # of a stated protocol
    return replace(_of_run(log, found), reason=reason)


def _of_run(log: MeasuredLog, found: Measurement) -> MeasuredLog:
    """The log with the facts of the run that was measured."""
    return replace(log, reading=log.reading.of_run(found.run), measurement=found)
