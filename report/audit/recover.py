"""Recovery: the protocols that give published numbers from their logs, simplest first, and what accident would do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.errors import FormatError, ParserError
from parsers.io.message import Message
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.provenance import option

from ..evidence.as_read import as_read
from .chance import Hit
from .rules.protocol_search import search
from .rules.protocols import Group, Source
from .rules.searched_protocols import rounded

MOST_SHOWN = 5
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

    ``together``: how many of ``numbers`` that protocol explains. ``others``: what gives its digits, too, in order, and
    ``given`` of ``searched`` how many do in all. ``without``: how the log was read, where no format reads its speed.
    """

    log: Path
    digits: str
    hit: Hit | None
    chance: float
    together: int
    numbers: int
    others: tuple[str, ...]
    given: int
    searched: int
    without: Message | None = None

    def as_json(self) -> dict[str, Any]:
        """The answer as one JSON object."""
        return {
            "log": str(self.log),
            "published": self.digits,
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
        told = {"log": self.log, "number": self.digits, "searched": self.searched}
        if self.hit:
            found = {"count": self.together, "all": self.numbers, "chance": f"{self.chance:.1e}"}
            return Message(GIVES, protocol=self.hit.rule.name, **told, **found)
        return Message.of_count(self.given, *BY_ACCIDENT, **told) if self.given else Message(NO_PROTOCOL, **told)


def recovered(
    logs: Sequence[Path], published: Sequence[str], given: Mapping[str, int | None], format_: str | None
) -> list[Answer]:
    """An answer for each number, in order; ``published``: one a log, all of which were made in one way, as a rule.

    Raises PublishedNumberError for what is not a number, ParserError for a log that cannot be read.
    """
    digits = [_digits(number) for number in published]
    facts = [Fact(name, value, option(name)) for name, value in given.items() if value]
    read = [as_read(log, format=format_, facts=facts) for log in logs]
    for one in read:
        if not one.has_records:
            raise FormatError.at(one.reading.path, NOT_READ, log=one.reading.path)
    sources = [
        Source(str(one.reading.path), "", search(as_one(one.reading.parts[0]), one.reading.facts)) for one in read
    ]
    group = Group(digits, [[source] for source in sources])
    found = {row: (hit, chance, len(hits)) for _, hits, chance in group.explained() for row, hit in hits.items()}
    answers = []
    for row, (one, said) in enumerate(zip(read, digits, strict=True)):
        hit, chance, together = found.get(row, (None, 1.0, 0))
        ranks = np.flatnonzero(group.hits[row]).tolist()
        words = [rounded(rank, sources[row].searched.protocols).words() for rank in ranks]
        others = tuple(other for other in words if not hit or other != hit.rule.name)[:MOST_SHOWN]
        counts = (len(digits), others, len(ranks), group.hits.shape[1])
        answers.append(Answer(one.reading.path, said, hit, chance, together, *counts, without=one.without))
    return answers


def _digits(number: str) -> str:
    plain = number.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", plain) or not float(plain):
        raise PublishedNumberError(NOT_POSITIVE, number=number)
    return plain
