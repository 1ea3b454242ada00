"""Answers: what `recover` says of published numbers, each beside its log."""

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
from parsers.runs.reading import Reading

from ..evidence.as_read import AsRead, as_read
from .protocol_search import search
from .recovery import Pair, Recovered, recover
from .searched_protocols import protocols, rounded

MOST_SHOWN = 5
EXPLAINS = "{log}: {number}: {protocol} explains {explained} of {searched} logs; by chance at most {chance}."
EXPLAINS_ONE = "{log}: {number}: {protocol} explains the log; by chance at most {chance}."
BY_CHANCE = (
    "{log}: {number}: inconclusive: {hits} of {searched} protocols give these digits, no more than expected by chance."
)
BY_CHANCE_ONE = (
    "{log}: {number}: inconclusive: 1 of {searched} protocols gives these digits, no more than expected by chance."
)
NO_PROTOCOL = "{log}: {number}: no protocol gives these digits."
ALSO = "  also {protocol}"
HOW = "  {said}"
NOT_READ = "nothing in it is known to be a speed; `tachograph show {log}` says why, and --format or --read what it is."
NOT_POSITIVE = "--published must be a positive number as printed, such as 2791.98; got {number}."


class PublishedNumberError(ParserError):
    """A published number that is not a positive number as printed."""


@dataclass(frozen=True)
class Answer:
    """What was found for one number: ``best`` explains most of the logs; ``others`` give its digits, too, in order.

    Where nothing is a finding ``best`` is None, and ``others`` are what chance gives. ``without``: how the log was
    read, where no known format reads its speed.
    """

    log: Path
    digits: str
    best: Recovered | None
    others: tuple[str, ...]
    hits: int
    without: Message | None = None

    def as_json(self) -> dict[str, Any]:
        """The answer as one JSON object."""
        best = self.best
        return {
            "log": str(self.log),
            "published": self.digits,
            "protocol": best.protocol.printing(self.digits).words() if best else None,
            "explains": best.explained if best else 0,
            "of": best.searched if best else None,
            "chance": best.chance if best else None,
            "searched": 2 * len(protocols()),
            "also": list(self.others),
            "without_format": str(self.without) if self.without else None,
        }


def recovered(
    logs: Sequence[Path], published: Sequence[str], given: Mapping[str, int | None], format_: str | None
) -> list[Answer]:
    """An answer for each number, in order.

    Raises PublishedNumberError for what is not a number, ParserError for a log that cannot be read.
    """
    digits = [_digits(number) for number in published]
    facts = [Fact(name, value, option(name)) for name, value in given.items() if value]
    read_logs = [_read(log, facts, format_) for log in logs]
    pairs = [_pair(one.reading, said) for one, said in zip(read_logs, digits, strict=True)]
    return [_answer(*found) for found in zip(read_logs, pairs, recover(pairs), strict=True)]


def describe(answer: Answer) -> list[Message]:
    """An answer in a few lines."""
    how = [Message(HOW, said=answer.without)] if answer.without else []
    return [_said(answer), *how, *(Message(ALSO, protocol=words) for words in answer.others)]


def _said(answer: Answer) -> Message:
    of_number = {"log": answer.log, "number": answer.digits}
    if best := answer.best:
        of_number |= {"protocol": best.protocol.printing(answer.digits).words(), "chance": f"{best.chance:.1e}"}
        key = EXPLAINS_ONE if best.searched == 1 else EXPLAINS
        return Message(key, explained=best.explained, searched=best.searched, **of_number)
    if answer.hits:
        key = BY_CHANCE_ONE if answer.hits == 1 else BY_CHANCE
        return Message(key, hits=answer.hits, searched=2 * len(protocols()), **of_number)
    return Message(NO_PROTOCOL, **of_number)


def _digits(number: str) -> str:
    plain = number.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", plain) or not float(plain):
        raise PublishedNumberError(NOT_POSITIVE, number=number)
    return plain


def _read(log: Path, facts: Sequence[Fact], format_: str | None) -> AsRead:
    found = as_read(log, format=format_, facts=facts)
    if not found.has_records:
        raise FormatError.at(found.reading.path, NOT_READ, log=found.reading.path)
    return found


def _pair(reading: Reading, digits: str) -> Pair:
    return Pair(digits, reading.sha256, search(as_one(reading.parts[0]), reading.facts))


def _answer(log: AsRead, pair: Pair, best: Recovered | None) -> Answer:
    ranks = [int(rank) for rank in np.flatnonzero(pair.searched.hits(pair.digits))]
    words = [_words(rank) for rank in ranks]
    own = best.protocol.words() if best else None
    others = [said for said in words if said != own]
    return Answer(log.reading.path, pair.digits, best, tuple(others[:MOST_SHOWN]), len(ranks), log.without)


def _words(rank: int) -> str:
    return rounded(rank, protocols()).words()
