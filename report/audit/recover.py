"""Recovery: the protocols that give published numbers from their logs, simplest first, and what accident would do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.errors import FormatError, ParserError
from parsers.io.message import Message
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import Reading

from ..evidence.as_read import AsRead, as_read
from .chance import Hit
from .number import Number
from .rules.protocol_search import Searched, search, search_step_times, search_steps
from .rules.protocols import Group, Source

MOST_SHOWN = 5
RATE = "rate"
KINDS = (RATE, "steps/s", "s/step", "ms/step")  # what a published number may be
GIVES = "{log}: {number}: {protocol}; it explains {count} of {all} numbers, by accident {chance} at most."
BY_ACCIDENT = (
    "{log}: {number}: {count} of {searched} protocols gives these digits, no more than accident would.",
    "{log}: {number}: {count} of {searched} protocols give these digits, no more than accident would.",
)
NO_PROTOCOL = "{log}: {number}: none of {searched} protocols gives these digits."
ALSO = "  also {protocol}"
HOW = "  {said}"
NOT_READ = "nothing in it is known to be a speed; `tachograph show {log}` says why, and --format or --read what it is."
NOT_POSITIVE = "--published must be a positive number as printed, such as 2791.98; got {number}."


class PublishedNumberError(ParserError):
    """A published number that is not a positive number as printed."""


@dataclass(frozen=True)
class Answer:
    """What was found for one number: ``hit`` where a protocol gives it beyond accident, with a bound for that.

    ``unit``: of the number, as it is explained best. ``together``: how many of ``numbers`` that protocol explains.
    ``others``: what gives its digits, too, in order, and ``given`` of ``searched`` how many do in all. ``without``: how
    the log was read, where no format reads its speed.
    """

    log: Path
    digits: str
    unit: str
    hit: Hit | None
    chance: float
    together: int
    numbers: int
    others: tuple[str, ...]
    given: int
    searched: int
    without: Message | None = None

    @property
    def rank(self) -> tuple[bool, float, int]:
        """What is found comes first, the less likely by accident, then what most protocols give."""
        return self.hit is None, self.chance, -self.given

    def as_json(self) -> dict[str, Any]:
        """The answer as one JSON object."""
        return {
            "log": str(self.log),
            "published": self.digits,
            "unit": self.unit or None,
            "protocol": self.hit.rule.name if self.hit else None,
            "explains": self.together,
            "of": self.numbers,
            "chance": self.chance if self.hit else None,
            "searched": self.searched,
            "also": list(self.others),
            "without_format": str(self.without) if self.without else None,
        }

    def lines(self) -> list[Message]:
        """The answer in a few lines."""
        how = [Message(HOW, said=self.without)] if self.without else []
        return [self._said(), *how, *(Message(ALSO, protocol=words) for words in self.others)]

    def _said(self) -> Message:
        number = f"{self.digits} {self.unit}" if self.given else self.digits
        told = {"log": self.log, "number": number, "searched": self.searched}
        if self.hit:
            found = {"count": self.together, "all": self.numbers, "chance": f"{self.chance:.1e}"}
            return Message(GIVES, protocol=self.hit.rule.name, **told, **found)
        return Message.of_count(self.given, *BY_ACCIDENT, **told) if self.given else Message(NO_PROTOCOL, **told)


def recovered(
    logs: Sequence[Path], published: Sequence[str], given: Mapping[str, int | None], format_: str | None
) -> list[Answer]:
    """An answer for each number, in order; ``published``: one a log, all of which were made in one way, as a rule.

    Each number may be a rate, or steps per second, or the time of a step in seconds or milliseconds. Raises
    PublishedNumberError for what is not a number, ParserError for a log that cannot be read.
    """
    numbers = [_number(one) for one in published]
    facts = [Fact(name, value, option(name)) for name, value in given.items() if value]
    read = [as_read(log, format=format_, facts=facts) for log in logs]
    for one in read:
        if not one.has_records:
            raise FormatError.at(one.reading.path, NOT_READ, log=one.reading.path)
    searched = [dict(_searches(one.reading)) for one in read]
    answers: dict[int, Answer] = {}
    for kind in KINDS:
        rows = [row for row, of in enumerate(searched) if kind in of]
        group = Group(
            [numbers[row] for row in rows],
            [[Source(str(read[row].reading.path), kind, searched[row][kind])] for row in rows],
        )
        found = {
            at: (hit, len(KINDS) * chance, len(hits))
            for _, hits, chance in group.explained()
            for at, hit in hits.items()
        }
        for at, row in enumerate(rows):
            answer = _answer(read[row], group, at, found.get(at, (None, 1.0, 0)), len(numbers))
            if row not in answers or answer.rank < answers[row].rank:
                answers[row] = answer
    return [answers.get(row) or _nothing(one, numbers[row].text) for row, one in enumerate(read)]


def _searches(reading: Reading) -> Iterator[tuple[str, Searched]]:
    """What all protocols give for a log, by the kind of number; nothing of kinds that it does not hold."""
    part, facts = as_one(reading.parts[0]), reading.facts
    ways = (
        search(part, facts),
        search_steps(part, facts),
        *(search_step_times(part, facts, unit) for unit in (1, 1e-3)),
    )
    yield from ((kind, one) for kind, one in zip(KINDS, ways, strict=True) if np.isfinite(one.low))


def _answer(read: AsRead, group: Group, at: int, found: tuple[Hit | None, float, int], numbers: int) -> Answer:
    hit, chance, together = found
    source = group.sources[at][0]
    ranks = np.flatnonzero(group.hits[at]).tolist()
    words = [source.searched.protocol(rank).words() for rank in ranks]
    others = tuple(other for other in words if not hit or other != hit.rule.name)[:MOST_SHOWN]
    of = {"numbers": numbers, "others": others, "given": len(ranks), "searched": group.hits.shape[1]}
    unit = (source.searched.unit or "") if source.program == RATE else source.program
    return Answer(read.reading.path, group.numbers[at].text, unit, hit, chance, together, without=read.without, **of)


def _nothing(read: AsRead, digits: str) -> Answer:
    return Answer(read.reading.path, digits, "", None, 1.0, 0, 1, (), 0, 0, read.without)


def _number(said: str) -> Number:
    plain = said.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", plain) or not float(plain):
        raise PublishedNumberError(NOT_POSITIVE, number=said)
    return Number.of(plain)
