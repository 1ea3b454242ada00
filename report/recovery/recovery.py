"""Recovery: the protocols that give the digits of published numbers, and how likely chance alone would give them.

One number proves little, as some of thousands of protocols give it by chance; one protocol that gives the numbers of
several logs proves much. So the protocol that explains most logs is taken first, then the one that explains most of
the rest. Each is held against a bound on what chance would do (the union bound over all protocols and choices that
could have been reported instead), and is kept only below it: an audit that finds a rule behind every number finds
nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb
from math import log as log_of
from typing import TypeVar

import numpy as np

from ..measure.protocol import Protocol
from .protocol_search import Searched
from .searched_protocols import rounded

# What chance would give more often than this is not a finding.
SIGNIFICANT = 0.01


@dataclass(frozen=True)
class Pair:
    """Published ``digits``, the log that backs them (by its SHA-256), and what the protocols give for it.

    Of several logs that may be meant for no other number each is a pair, with the SHA-256 of all. ``study`` and, in it,
    ``kind``: what it has in common with numbers that were made in the same way, as a rule. ``tried``: how many logs are
    tried for the number that stand in pairs of their own.
    """

    digits: str
    sha256: str
    searched: Searched
    study: object = None
    kind: object = None
    tried: int = 1


_Key = tuple[str, str]
_Kind = tuple[object, object]
Key = TypeVar("Key")


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
    """The search for the protocols of pairs; a pair is known by its log and its digits.

    ``hits``: which protocols give the digits of which pair. ``chances``: that one of them does by chance.
    ``identities``: of which log a pair is; logs for which all protocols give the same are one, as they prove no more.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = pairs
        ways: dict[_Key, list[Pair]] = {}
        for pair in pairs:
            ways.setdefault((pair.sha256, pair.digits), []).append(pair)
        self.distinct = list(ways)
        self.pairs_of = [some[0] for some in ways.values()]
        self.kinds = [(pair.study, pair.kind) for pair in self.pairs_of]
        # Several logs that may be meant are tried, and each in all ways in which it may be scaled.
        self.hits = np.array(
            [np.any([pair.searched.hits(pair.digits) for pair in some], axis=0) for some in ways.values()],
            dtype=np.bool_,
        )
        self.chances = np.array([min(1.0, sum(_chances(some))) for some in ways.values()])
        self.identities = _identities(self.pairs_of)
        self.logs = len(set(self.identities))
        self.recovered: dict[_Key, Recovered] = {}
        self.supported: dict[object, set[int]] = {}
        rows = range(len(self.distinct))
        self.are_left = np.ones(len(rows), dtype=np.bool_)
        self.left = _by(rows, [pair.study for pair in self.pairs_of])  # those that are not explained yet, by study
        self.rows_of_kinds = _by(rows, self.kinds)
        self.rows_of_logs = _by(rows, [sha256 for sha256, _ in self.distinct])
        self._least: dict[object, tuple[float, int]] = {}

    def found(self) -> list[Recovered | None]:
        if self.distinct:
            while self._explain_several():
                pass
            self._explain_singles()
        return [self.recovered.get((pair.sha256, pair.digits)) for pair in self.pairs]

    def _explain_several(self) -> bool:
        """Accept the protocol that explains several logs of a study with the least chance, if that is little enough."""
        least = [(*self._least_chance(study), rows[0], study) for study, rows in self.left.items()]
        chance, rank, _, study = min(least, key=lambda found: (found[0], found[2]), default=(1.0, 0, 0, None))
        if not self.left or not chance * len(self.left) < SIGNIFICANT:
            return False
        rows = np.flatnonzero(self.hits[:, rank] & self.are_left).tolist()
        kept = self._sharing(rows, rank)
        if denied := [row for row in set(rows) - set(kept) if self.pairs_of[row].study == study]:
            self.hits[denied, rank] = False
            for kind in {self.kinds[row] for row in denied}:
                self._keep_supported(kind)
        else:
            self._accept(rank, kept, min(1.0, chance * len(self.left)))
        return True

    def _least_chance(self, study: object) -> tuple[float, int]:
        """The least of ``_chances_of_several``, and its rank; known while the rows of a study that are left stay."""
        if study not in self._least:
            chances = self._chances_of_several(self.left[study])
            rank = int(np.argmin(chances))
            self._least[study] = float(chances[rank]), rank
        return self._least[study]

    def _sharing(self, rows: Sequence[int], rank: int) -> list[int]:
        """The pairs that are explained by what explains all of these.

        Two logs of its kind must be. Or its kind has no protocol of its own, and two logs of its study are, or its
        digits are unlikely for all protocols that are known by now together.
        """
        of_kinds, of_studies = (
            {key: len({self.identities[row] for row in some}) for key, some in _by(rows, keys).items()}
            for keys in ([self.kinds[row] for row in rows], [self.pairs_of[row].study for row in rows])
        )
        known = len({one for some in self.supported.values() for one in some} | {rank // 2})

        def may_share(row: int) -> bool:
            if of_kinds[self.kinds[row]] > 1:
                return True
            if self.supported.get(self.kinds[row], set()) - {rank // 2}:
                return False
            return of_studies[self.pairs_of[row].study] > 1 or bool(self.chances[row] * known < SIGNIFICANT)

        return list(filter(may_share, rows))

    def _chances_of_several(self, left: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """How likely one of the protocols up to each explains as many of the logs by chance; 1 where that is one."""
        logs = {self.identities[row] for row in left}
        rows_of = _by(left, [self.identities[row] for row in left])
        counts = np.zeros(self.hits.shape[1], dtype=np.int64)
        total = np.zeros(self.hits.shape[1])
        for log in logs:
            # Several digits of one log prove no more than those that are least likely.
            rows = sorted(rows_of[log], key=lambda row: -self.chances[row])
            best = np.zeros(self.hits.shape[1])
            for row in rows:
                best[self.hits[row]] = np.log(max(self.chances[row], 1e-300))
            counts += self.hits[rows].any(axis=0)
            total += best
        different, places = np.unique(counts, return_inverse=True)
        choices = np.array([log_of(comb(len(logs), count)) for count in different.tolist()])
        total += np.log(np.arange(1, len(total) + 1)) + choices[places]
        return np.where(counts > 1, np.exp(np.minimum(total, 0.0)), 1.0)

    def _explain_singles(self) -> None:
        """Accept what explains one log: the protocol of those of its digits that chance would give least."""
        left = sorted(chain.from_iterable(self.left.values()))
        ranks: dict[int, int] = {}
        for row in sorted(left, key=lambda row: float(self.chances[row])):
            log = self.identities[row]
            rank = self._simplest(row, ranks.get(log))
            chance = 1.0 if rank is None else min(1.0, (rank + 1) * len(left) * float(self.chances[row]))
            if (
                rank is not None
                and not self.supported.get(self.kinds[row], set()) - {rank // 2}
                and self._accept(rank, [row], chance)
            ):
                ranks[log] = rank

    def _simplest(self, row: int, known: int | None) -> int | None:
        """The simplest protocol that gives digits; where that of their log is known, only that one, however rounded."""
        hits = np.flatnonzero(self.hits[row])
        if known is not None:
            hits = hits[hits // 2 == known // 2]
        return int(hits[0]) if len(hits) else None

    def _accept(self, rank: int, rows: Sequence[int], chance: float) -> bool:
        logs = {self.identities[row] for row in rows}
        protocol = rounded(rank, self.pairs_of[rows[0]].searched.protocols)
        found = Recovered(protocol, len(logs), self.logs, chance)
        if found.is_finding:
            self.recovered |= {self.distinct[row]: found for row in rows}
            explained = {self.distinct[row][0] for row in rows}
            self._leave_out([row for sha256 in explained for row in self.rows_of_logs[sha256] if self.are_left[row]])
            for kind, some in _by(rows, [self.kinds[row] for row in rows]).items():
                if len({self.identities[row] for row in some}) > 1:
                    self.supported.setdefault(kind, set()).add(rank // 2)
                    self._keep_supported(kind)
        return found.is_finding

    def _leave_out(self, rows: Sequence[int]) -> None:
        """Take rows for explained."""
        self.are_left[rows] = False
        for study in {self.pairs_of[row].study for row in rows}:
            self._least.pop(study, None)
            self.left[study] = [row for row in self.left[study] if self.are_left[row]]
            if not self.left[study]:
                del self.left[study]

    def _keep_supported(self, kind: _Kind) -> None:
        """Forget what gives the digits of a single log of a kind that has a protocol of its own."""
        left = [row for row in self.rows_of_kinds[kind] if self.are_left[row]]
        counts = np.zeros(self.hits.shape[1], dtype=np.int64)
        for rows in _by(left, [self.identities[row] for row in left]).values():
            counts += self.hits[rows].any(axis=0)
        known = np.isin(np.arange(len(counts)) // 2, list(self.supported.get(kind, ())))
        self.hits[left] &= (counts > 1) | known
        if left:
            self._least.pop(kind[0], None)


def _by(rows: Sequence[int], keys: Sequence[Key]) -> dict[Key, list[int]]:
    """The rows that have each key, in their order."""
    found: dict[Key, list[int]] = {}
    for row, key in zip(rows, keys, strict=True):
        found.setdefault(key, []).append(row)
    return found


def _chances(ways: Sequence[Pair]) -> list[float]:
    """The chance of each different way to make a number, for all logs that were tried for it."""
    different = {pair.searched: pair for pair in ways}
    return [pair.tried * pair.searched.chance(pair.digits) for pair in different.values()]


def _identities(pairs: Sequence[Pair]) -> list[int]:
    """A number for each pair: the same for those of one log, or of logs for which all protocols give the same."""
    known: dict[object, int] = {}
    found = []
    for pair in pairs:
        number = known.setdefault(pair.sha256, len(known))
        found.append(known.setdefault(pair.searched.digest, number))
    return found
