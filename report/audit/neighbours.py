"""Neighbours: what the other numbers of a table prove of the protocol of one, and what that says against it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..measuring.protocol import Protocol
from ..published.labels import Value
from ..recovery.recovery import SIGNIFICANT, Recovered
from ..recovery.searched_protocols import protocols
from .backing_logs import Evidence
from .claim import Claim

# What no usual rule leaves: but the very ends, and single records.
USUAL = ("mean", "median", "harmonic_mean", "geometric_mean", "p5", "p10", "p25", "p75", "p90", "p95")
FEWEST_LOGS = 2
MOST_BESIDE = 1000  # numbers with logs in one folder; of so many logs some gives any number


@dataclass(frozen=True)
class KnownProtocol:
    """The protocol of a number as a page file states it, or as all ``logs`` of its neighbours have it (0: stated)."""

    protocol: Protocol
    logs: int = 0


class SharedProtocols:
    """The protocols that explain several logs each, ordered once for all claims of a format on as many cards."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims: dict[object, list[Claim]] = {}
        for claim in (claim for claim in claims if claim.recovered and claim.recovered.explained > 1):
            self._claims.setdefault(_kind(claim), []).append(claim)
        self._known: dict[object, list[Recovered]] = {}

    def of(self, claim: Claim) -> Sequence[Recovered]:
        """Those of the format of a claim, each once: of as many cards first, that of most logs first."""
        key = (_kind(claim), claim.number.case.get("cards"))
        if key not in self._known:
            self._known[key] = self._ordered(*key)
        return self._known[key]

    def _ordered(self, kind: object, cards: Value | None) -> list[Recovered]:
        alike = self._claims.get(kind, [])
        found = [
            (c.number.case.get("cards") != cards, -c.recovered.explained, c.recovered) for c in alike if c.recovered
        ]
        first: dict[Protocol, Recovered] = {}
        for *_, recovered in sorted(found, key=lambda one: one[:2]):
            first.setdefault(recovered.protocol, recovered)
        return list(first.values())


def _kind(claim: Claim) -> object:
    return claim.best.format, claim.number.seconds is None, claim.number.rate


def known_protocol(claim: Claim, table: Sequence[Claim]) -> KnownProtocol | None:
    """The protocol that is stated for a number; or the only one of the others of its row or column, of several logs.

    ``table``: the numbers of its table.
    """
    if claim.stated:
        return KnownProtocol(claim.printing(claim.stated))
    beside = [other for other in table if other.recovered and _is_beside(other, claim)]
    rules = {_half_up(other.recovered.protocol) for other in beside if other.recovered}
    logs = {other.best.searched.digest for other in beside}
    if len(rules) != 1 or len(logs) < FEWEST_LOGS:
        return None
    first = beside[0].recovered
    return KnownProtocol(claim.printing(first.protocol), len(logs)) if first else None


@cache
def _half_up(protocol: Protocol) -> Protocol:
    return protocol.overridden("rounding=half_up")


def _is_beside(other: Claim, claim: Claim) -> bool:
    """Whether another number stands in the row or the column of one, and both come from other logs of one format."""
    row, column = claim.number.place
    same = other.number.place[0] == row or other.number.place[1] == column
    return same and other is not claim and other.best.format == claim.best.format and other.log != claim.log


def is_typo(claim: Claim, known: KnownProtocol) -> bool:
    """Whether one digit of a number makes it what its protocol gives, and chance would hardly do that.

    By a protocol that only its neighbours have another one might give the number: as often as other protocols lie no
    farther from the right digits, and then in so many of the numbers there as differ from these in one digit.
    """
    right, digits = claim.best.digits(known.protocol), claim.number.digits
    if right is None or len(right) != len(digits):
        return False
    wrong = [place for place, pair in enumerate(zip(right, digits, strict=True)) if pair[0] != pair[1]]
    if len(wrong) != 1 or "." in (right[wrong[0]], digits[wrong[0]]):
        return False
    away = abs(float(Decimal(right) - claim.number.value))
    unit = float(Decimal(1).scaleb(-claim.number.decimals))
    like_it = 9 * sum(unit * 10**place <= away for place in range(len(digits)))
    chance = claim.best.searched.share(float(right), away) * like_it * unit / (2 * away)
    return known.logs == 0 or chance < SIGNIFICANT


def is_out_of_reach(claim: Claim) -> bool:
    """Whether no mean or percentile of what a log prints, whatever it leaves out, comes as far as the number.

    Of times of a step not even a single one may, as they are often read from one line.
    """
    return not any(_reaches(evidence, claim.number.value) for evidence in claim.evidence)


def _reaches(evidence: Evidence, number: Decimal) -> bool:
    if evidence.seconds is not None:
        return evidence.searched.low <= float(number) <= evidence.searched.high
    values = evidence.searched.values[_are_usual()]
    values = np.clip(values[np.isfinite(values)], evidence.searched.low, evidence.searched.high)
    return not len(values) or bool(values.min() <= float(number) <= values.max())


@cache
def _are_usual() -> NDArray[np.bool_]:
    return np.array([one.statistic in USUAL and one.estimate != "instant" for one in protocols()])


def other_giving(claim: Claim, beside: Sequence[Claim]) -> Evidence | None:
    """A log of the claims ``beside`` one that gives its digits, and hardly by chance; None where none does.

    The number may be right then, and the name of one of both logs wrong. Where the other log gives these digits to a
    number of its own case, they only stand in the wrong place.
    """
    if len(beside) > MOST_BESIDE:
        return None
    own = {claim.log} | {other.log for other in beside if other.recovered and other.number.value == claim.number.value}
    logs = {other.log: other.best for other in beside if other.log not in own}
    giving = (log for log in logs.values() if log.searched.hits(claim.number.digits).any())
    return next((log for log in giving if log.searched.chance(claim.number.digits) * len(logs) < SIGNIFICANT), None)
