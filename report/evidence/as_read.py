"""A log as every command reads it: by the known formats, and by what it says itself where these find no speed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.grammar.format import Format
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.format_records import NOTHING
from parsers.runs.ranks import again, survey
from parsers.runs.reading import Reading
from parsers.runs.run_folder import READ
from parsers.runs.runfile import run_file
from parsers.unknown.answer import Accepted, Answer, answer, answer_of
from parsers.unknown.log import read as lines_of
from parsers.unknown.option import Option, parse_option
from parsers.unknown.reading import reading

from ..measure.diagnostics import Code, Diagnostic, NoMeasurement, say
from ..measure.measure import measure
from ..measure.measurement import ContradictedError

WITHOUT_FORMAT = "the log was read without a format, as {read}"


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

    @property
    def without(self) -> Message | None:
        """How its speed was read, where no format reads one: then it proves less."""
        return Message(WITHOUT_FORMAT, read=self.answer.speed.read) if isinstance(self.answer, Accepted) else None


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
    option = _option(found.path, read)
    if option is None and (format is not None or _tells_speed(found)):
        return AsRead(found)
    told = answer(found.path, option)
    if not isinstance(told, Accepted):
        return AsRead(replace(found, parts=(NOTHING,)) if option else found, told, option)
    known = [part.format for part in found.parts if part.format]
    made = _of_all_ranks(reading(told, facts, known), found, told.speed.option, (facts, known))
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


def _option(log: Path, read: Option | str | None) -> Option | None:
    said = read if read is not None else run_file(log).get(READ)
    return said if said is None or isinstance(said, Option) else parse_option(said)


def _of_all_ranks(one: Reading, found: Reading, option: Option, how: tuple[tuple[Fact, ...], list[Format]]) -> Reading:
    """What was read of a log, and of those of the other ranks where each has one of its own."""
    if found.folder is None:
        return one
    facts, known = how

    def read_rank(path: Path) -> Reading:
        own = answer_of(lines_of(path), option)
        return reading(own, facts, known) if isinstance(own, Accepted) else survey(path, format=known, facts=facts)

    return again(found.folder, one, facts, read_rank)
