"""Recovering: the protocols behind published numbers whose logs are named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parsers.errors import ParserError
from parsers.facts import Fact
from parsers.reading import read
from parsers.refusal import Unreadable

from .recovery import Pair, Recovered, recover
from .search import protocols, rounded, search

MOST_SHOWN = 5


@dataclass(frozen=True)
class Answer:
    """What was found for one number: ``best`` explains most of the logs; ``others`` give its digits, too, in order.

    Where nothing is a finding ``best`` is None, and ``others`` are what chance gives.
    """

    log: Path
    digits: str
    best: Recovered | None
    others: tuple[str, ...]
    hits: int

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
        }


def recovered(
    logs: Sequence[Path], published: Sequence[str], given: Mapping[str, int | None], format_: str | None
) -> list[Answer]:
    """An answer for each number, in order; raises Unreadable for what is no number and for a log that is none."""
    digits = [_digits(number) for number in published]
    pairs = [_pair(log, said, given, format_) for log, said in zip(logs, digits, strict=True)]
    return [_answer(log, pair, best) for log, pair, best in zip(logs, pairs, recover(pairs), strict=True)]


def describe(answer: Answer) -> list[str]:
    """An answer in a few lines."""
    if answer.best is None:
        also = (
            f"; {answer.hits} of {2 * len(protocols())} protocols give these digits, as chance would"
            if answer.hits
            else ""
        )
        lines = [f"{answer.log}: {answer.digits}: no protocol explains it{also}."]
    else:
        best = answer.best
        words = best.protocol.printing(answer.digits).words()
        logs = f"{best.explained} of {best.searched} logs"
        lines = [f"{answer.log}: {answer.digits}: {words} explains {logs}; by chance at most {best.chance:.1e}."]
    return [*lines, *(f"  also {words}" for words in answer.others)]


def _digits(number: str) -> str:
    plain = number.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", plain) or not float(plain):
        raise Unreadable(f"--published {number} is no number; one as it is printed, such as 2791.98, is possible.")
    return plain


def _pair(log: Path, digits: str, given: Mapping[str, int | None], format_: str | None) -> Pair:
    facts = tuple(Fact(name, value, f"--{name.replace('_', '-')}") for name, value in given.items() if value)
    try:
        reading = read(log, format=format_, facts=facts)
    except ParserError as error:
        raise Unreadable(error) from error
    return Pair(digits, reading.sha256, search(reading.parts[0], reading.facts))


def _answer(log: Path, pair: Pair, best: Recovered | None) -> Answer:
    ranks = [int(rank) for rank in np.flatnonzero(pair.searched.hits(pair.digits))]
    words = [_words(rank) for rank in ranks]
    own = best.protocol.words() if best else None
    others = [said for said in words if said != own]
    return Answer(log, pair.digits, best, tuple(others[:MOST_SHOWN]), len(ranks))


def _words(rank: int) -> str:
    return rounded(rank).words()
