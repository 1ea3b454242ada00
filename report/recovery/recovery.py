"""Recovery: the protocols that give the digits of published numbers, and how likely chance alone would give them.

One number proves little, as some of thousands of protocols give it by chance; one protocol that gives the numbers of
several logs proves much. So the protocol that explains most logs is taken first, then the one that explains most of
the rest. Each is held against a bound on what chance would do (the union bound over all protocols and choices that
could have been reported instead), and is kept only below it: an audit that finds a rule behind every number finds
nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import read

from ..measuring.protocol import Protocol
from .protocol_search import Searched, search
from .searched_protocols import protocols, rounded

# What chance would give more often than this is not a finding.
SIGNIFICANT = 0.01


@dataclass(frozen=True)
class Pair:
    """Published ``digits``, the log that backs them (by its SHA-256), and what the protocols give for it.

    ``kind``: what it has in common with numbers that were made in the same way, as a rule.
    """

    digits: str
    sha256: str
    searched: Searched
    kind: object = None


@dataclass(frozen=True)
class Recovered:
    """A protocol that gives the digits of ``explained`` different logs out of ``searched`` that were asked for.

    ``chance``: an upper bound for the probability that one of the protocols up to this one gives as many of these
    digits for numbers at random in the ranges of the logs, or near the digits (Bonferroni). ``protocol``: without
    decimals, with its rounding.
    """

    protocol: Protocol
    explained: int
    searched: int
    chance: float

    @property
    def is_finding(self) -> bool:
        """Whether chance alone would hardly give this."""
        return self.chance < SIGNIFICANT


def recover(pairs: Sequence[Pair]) -> list[Recovered | None]:
    """For each pair the protocol that explains most of those not explained yet, until chance would explain them too.

    A log has one protocol: digits that only another one gives stay unexplained when its other digits are explained.
    So have those of a kind, as a rule: where a protocol explains two logs of it, one that explains a single one of
    them does not, whatever it explains elsewhere. What a single log supports is the last resort, on the same terms.
    """
    return _Recovery(pairs).found()


class _Recovery:
    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = pairs
        ways: dict[tuple[str, str], list[Searched]] = {}
        for pair in pairs:
            ways.setdefault((pair.sha256, pair.digits), []).append(pair.searched)
        self.distinct = list(ways)
        kinds = {(pair.sha256, pair.digits): pair.kind for pair in pairs}
        # A log that may be scaled in several ways is tried in each of them.
        self.hits = np.array(
            [np.any([searched.hits(digits) for searched in some], axis=0) for (_, digits), some in ways.items()],
            dtype=np.bool_,
        )
        for kind in set(kinds.values()):
            self._keep_supported([row for row, key in enumerate(self.distinct) if kinds[key] == kind])
        self.chances = np.array(
            [min(1.0, sum(searched.chance(digits) for searched in set(some))) for (_, digits), some in ways.items()]
        )
        self.recovered: dict[tuple[str, str], Recovered] = {}

    def found(self) -> list[Recovered | None]:
        if self.distinct:
            while self._explain_most():
                pass
            self._explain_singles()
        return [self.recovered.get((pair.sha256, pair.digits)) for pair in self.pairs]

    def _keep_supported(self, rows: Sequence[int]) -> None:
        """Forget, for pairs of one kind, what gives the digits of one log where another protocol does of two."""
        counts = self._logs_explained(rows)
        self.hits[rows] &= counts >= min(2, counts.max())

    def _explain_most(self) -> bool:
        """Accept the protocol that explains most of what is left, if it explains two logs and is unlikely by chance."""
        left = self._left()
        counts = self._logs_explained(left)
        rank = int(np.argmax(counts))
        if counts[rank] < 2:
            return False
        explained = [row for row in left if self.hits[row, rank]]
        chance = self._chance(rank, explained, len(left))
        return self._accept(rank, explained, chance)

    def _logs_explained(self, left: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        """How many different logs each protocol explains of the pairs that are left."""
        counts = np.zeros(self.hits.shape[1], dtype=np.int64)
        for sha256 in {self.distinct[row][0] for row in left}:
            counts += self.hits[[row for row in left if self.distinct[row][0] == sha256]].any(axis=0)
        return counts

    def _explain_singles(self) -> None:
        """Accept what explains one log: the protocol of those of its digits that chance would give least."""
        left = self._left()
        ranks: dict[str, int] = {}
        for row in sorted(left, key=lambda row: float(self.chances[row])):
            sha256 = self.distinct[row][0]
            rank = self._simplest(row, ranks.get(sha256))
            if rank is not None and self._accept(rank, [row], self._chance(rank, [row], len(left))):
                ranks[sha256] = rank

    def _simplest(self, row: int, known: int | None) -> int | None:
        """The simplest protocol that gives digits; where that of their log is known, only that one, however rounded."""
        hits = np.flatnonzero(self.hits[row])
        if known is not None:
            hits = hits[hits // 2 == known // 2]
        return int(hits[0]) if len(hits) else None

    def _left(self) -> list[int]:
        explained = {sha256 for sha256, _ in self.recovered}
        return [row for row, (sha256, _) in enumerate(self.distinct) if sha256 not in explained]

    def _chance(self, rank: int, rows: Sequence[int], among: int) -> float:
        """The union bound: so many protocols were tried, on so many choices of as many pairs."""
        return float(min(1.0, (rank + 1) * comb(among, len(rows)) * np.prod(self.chances[list(rows)])))

    def _accept(self, rank: int, rows: Sequence[int], chance: float) -> bool:
        logs = {self.distinct[row][0] for row in rows}
        found = Recovered(rounded(rank), len(logs), len({sha256 for sha256, _ in self.distinct}), chance)
        if found.is_finding:
            self.recovered |= {self.distinct[row]: found for row in rows}
        return found.is_finding


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
NOT_POSITIVE = "--published must be a positive number as printed, such as 2791.98; got {number}."


class PublishedNumberError(ParserError):
    """A published number that is not a positive number as printed."""


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
    """An answer for each number, in order.

    Raises PublishedNumberError for what is not a number, ParserError for a log that cannot be read.
    """
    digits = [_digits(number) for number in published]
    pairs = [_pair(log, said, given, format_) for log, said in zip(logs, digits, strict=True)]
    return [_answer(log, pair, best) for log, pair, best in zip(logs, pairs, recover(pairs), strict=True)]


def describe(answer: Answer) -> list[Message]:
    """An answer in a few lines."""
    return [_said(answer), *(Message(ALSO, protocol=words) for words in answer.others)]


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


def _pair(log: Path, digits: str, given: Mapping[str, int | None], format_: str | None) -> Pair:
    facts = tuple(Fact(name, value, option(name)) for name, value in given.items() if value)
    reading = read(log, format=format_, facts=facts)
    return Pair(digits, reading.sha256, search(as_one(reading.parts[0]), reading.facts))


def _answer(log: Path, pair: Pair, best: Recovered | None) -> Answer:
    ranks = [int(rank) for rank in np.flatnonzero(pair.searched.hits(pair.digits))]
    words = [_words(rank) for rank in ranks]
    own = best.protocol.words() if best else None
    others = [said for said in words if said != own]
    return Answer(log, pair.digits, best, tuple(others[:MOST_SHOWN]), len(ranks))


def _words(rank: int) -> str:
    return rounded(rank).words()
