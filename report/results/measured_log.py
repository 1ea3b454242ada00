"""Measured logs: a log as every command reads it, and the one answer to how fast it ran, which all views of it show.

A log is read by the known formats, and by what its numbers say themselves where these find no speed.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from parsers.grammar.field import Scope
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

from ..measure.diagnostics import Code, Diagnostic, NoMeasurement, as_told, say
from ..measure.measure import measure
from ..measure.measurement import ContradictedError, Measurement
from ..measure.protocol import Protocol
from ..measure.run_figures import CardFigure, card_figures
from .telemetry import CardsOfRanks, Observed, observed, of_cards

Status = Literal["confirmed", "unchecked", "contradicted", "refused"]

# Protocols that take numbers of few digits as they are.
COARSE = ("estimate=step_time,counts=steps", "estimate=reported")

FOLDER_OF_RUNS = "is a folder of runs; pass a run, such as {run}."


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
    """A log as it was read, and its throughput where it was measured.

    ``answer``: what its numbers say by themselves, where no format reads a speed. ``read``: what somebody says of one
    of them, and ``given`` what of the run. ``measurement``: the number; of a log that contradicts itself one of the two
    sides, None where there is none. ``reason``: why there is no one number. ``protocol``: the stated one, None of the
    rule.
    """

    reading: Reading
    answer: Answer | None = None
    read: Option | None = None
    given: tuple[Fact, ...] = ()
    protocol: Protocol | None = None
    measurement: Measurement | None = None
    reason: NoMeasurement | None = None

    # ---- how it was read

    @property
    def has_records(self) -> bool:
        """Whether any record was read."""
        return any(len(part.table) for part in self.reading.parts)

    @property
    def formats(self) -> list[str]:
        """The names of the known formats that read the log."""
        return list(dict.fromkeys(part.format.name for part in self.reading.parts if part.format))

    @property
    def how_read(self) -> tuple[Diagnostic, ...]:
        """How the numbers of a log were read, where no format reads them."""
        if not isinstance(self.answer, Accepted):
            return ()
        account = self.reading.account
        return (say(Code.BY_NAMES, used=account.matched, total=account.total, read=self.answer.speed.read),)

    @property
    def why_none(self) -> Diagnostic | None:
        """Why its numbers tell no speed by themselves; None where there is nothing to say of any."""
        if isinstance(self.answer, Question):
            return say(self.answer.ask, name=self.answer.candidates[0].column.name)
        if isinstance(self.answer, Nothing) and self.answer.reasons:
            name, reason = self.answer.reasons[0]
            return say(reason, name=name)
        return None

    # ---- its number

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
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is said of the number, or why there is none."""
        if self.measurement:
            return (*self.measurement.diagnostics, *self.how_read)
        return (self.reason.diagnostic,) if self.reason and self.reason.diagnostic else ()

    @cached_property
    def figures(self) -> tuple[CardFigure, ...]:
        """What one card does over the records of the number."""
        return tuple(card_figures(self.reading, self.measurement)) if self.measurement and not self.reason else ()

    # ---- what may be said of it

    @cached_property
    def options(self) -> tuple[Offer, ...]:
        """What a person may say where the log gives no number by itself, or not of what; each gives another number.

        Raises ParserError where the log cannot be read any more.
        """
        found = dict[tuple[float, str], Offer]()
        path, reason = self.reading.folder or self.reading.path, self.reason.diagnostic if self.reason else None
        answers = [
            (f"--read {shlex.quote(said)}", measured_log(path, self.protocol, self.given, read=said))
            for said in (self.candidates if self.read is None else ())
        ]
        answers += [
            (f"--protocol {rule}", measured_log(path, Protocol.parse(rule), self.given))
            for rule in (COARSE if reason and reason.code == Code.COARSE else ())
        ]
        for typed, log in answers:
            if told := log.measurement:
                found.setdefault((told.value, told.unit), Offer(typed, told.value, told.unit, told.scope))
        return (*found.values(), *self._whose())

    @property
    def candidates(self) -> list[str]:
        """The options by which a person may say what a number measures, the likeliest first."""
        if isinstance(self.answer, Question):
            return [speed.read for speed in self.answer.candidates]
        return [speed.read for speed in self.answer.refine] if isinstance(self.answer, Accepted) else []

    def _whose(self) -> Iterator[Offer]:
        """What may be said where the log does not say whose its rate is: that of the job, or of one card."""
        found = self.measurement
        if self.read is None and isinstance(self.answer, Accepted) and found and found.scope == "unknown":
            said = self.answer.speed.option
            of_job, of_card = (f"--read {shlex.quote(str(said.of(scope)))}" for scope in ("job", "card"))
            yield Offer(of_job, found.value, found.unit, "job")
            fact = self.reading.facts.get("cards")
            cards = fact.value if fact and isinstance(fact.value, int) else None
            yield Offer(of_card, found.value * (cards or 1), found.unit, "card" if cards is None else "job")

    # ---- what lies beside it

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What a reader must know of the log and of its telemetry, a sentence each."""
        return tuple(one.message for one in self.remarks)

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """The same as codes."""
        broken, cards = self.reading.unmatched, self.cards_of_ranks
        of_lines = [say("broken_lines", count=broken.broken, line=broken.first_broken)] if broken.broken else []
        of_cards = cards.warnings if cards else ()
        found = (*map(as_told, self.reading.warnings), *of_lines, *self.observed.warnings, *of_cards)
        return tuple(dict.fromkeys(found))

    @cached_property
    def observed(self) -> Observed:
        """What telemetry beside the log says over its window; raises LogError where a side file is broken."""
        return observed(self.reading, self.measurement)

    @cached_property
    def cards_of_ranks(self) -> CardsOfRanks | None:
        """What telemetry says of the card of the slowest rank; raises LogError where a side file is broken."""
        ranks = self.measurement.ranks if self.measurement else None
        return of_cards(self.reading, self.measurement, ranks) if ranks else None


# ---- reading


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
    its run, cannot be read, where a run.json names no log, and for a folder of runs; ``ProtocolError``.
    """
    log = Path(path)
    if run := first_run(log):
        raise LogError.at(log, FOLDER_OF_RUNS, run=run)
    with suppress(OSError):  # reading it tells what is wrong
        log = log_of(log)
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    options = {"cards": cards, "batch_size": batch_size}
    given = tuple(Fact(name, number, option(name)) for name, number in options.items() if number)
    return measured_log(log, stated, given, format, read)


def measured_log(
    log: Path,
    protocol: Protocol | None = None,
    given: Iterable[Fact] = (),
    format: str | None = None,
    read: str | None = None,
) -> MeasuredLog:
    """Read a log as ``as_read`` does, and measure it."""
    found = replace(as_read(log, format=format, facts=given, read=read), protocol=protocol)
    try:
        number = measure(found.reading, protocol)
        reason = ContradictedError(number) if number.contradiction else None  # of a stated protocol
    except ContradictedError as error:
        number, reason = error.found, error
    except NoMeasurement as error:
        # Of a log that a format reads its own reason says more, unless there is a question to answer.
        asked = found.why_none if found.candidates or found.read or not found.formats else None
        return replace(found, reason=NoMeasurement(asked) if asked else error)
    return replace(found, reading=found.reading.of_run(number.run), measurement=number, reason=reason)


def as_read(
    path: Path, *, format: str | None = None, facts: Iterable[Fact] = (), read: str | None = None
) -> MeasuredLog:
    """Read a log, or the logs of the ranks of a run in a folder: by the known formats, else by what its numbers say.

    ``format``: a known format or a grammar, and no other. ``facts``: what somebody states of the run. ``read``: what of
    a number, by default what run.json keeps. Raises ParserError where the log cannot be read, or the option is none.
    """
    facts = tuple(facts)
    found = survey(path, format=format, facts=facts)
    said = read if read is not None else found.run_file.get(READ)
    stated = None if said is None else parse_option(said)
    if stated is None and (format is not None or _tells_speed(found)):
        return MeasuredLog(found, given=facts)
    told = answer(found.path, stated)
    if not isinstance(told, Accepted):
        return MeasuredLog(replace(found, parts=(NOTHING,)) if stated else found, told, stated, facts)
    known = [part.format for part in found.parts if part.format]
    made = reading_of(told, facts, known)

    def read_rank(path: Path) -> Reading:
        own = answer(path, told.speed.option)
        return reading_of(own, facts, known) if isinstance(own, Accepted) else survey(path, format=known, facts=facts)

    if found.folder is not None:
        made = again(found.folder, made, facts, read_rank)
    if stated:  # what a person says of a number counts, and no other records
        made = replace(made, parts=tuple(part for part in made.parts if part.format is None))
    return MeasuredLog(made, told, stated, facts)


def _tells_speed(found: Reading) -> bool:
    """Whether the formats of a log give a throughput by the rule, or two that contradict each other."""
    if found.prints_speed:
        return True
    try:
        measure(found)
    except NoMeasurement as error:
        return isinstance(error, ContradictedError)
    return True
