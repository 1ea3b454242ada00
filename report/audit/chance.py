"""Chance: how often accident would give what was found. One bound for every kind of evidence.

A *rule* says where the value of each claim of a group comes from: this line, the last value of this series in the log
of each row, this formula of other columns. Rules are tried in an order that does not know the claims, the simplest
first. A rule that hits some of the group is accepted where the probability that accident hits as many, times the number
of rules that were tried up to it, is below ``SIGNIFICANT``. Where no rule is true of a group, rules that are alike are
accepted so seldom, and any rules at most as often times the harmonic number of their count.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import comb, exp, log

import numpy as np
from numpy.typing import NDArray

from .claims import Claim
from .number import Number

# What accident would give more often than once in a hundred searches is no finding.
SIGNIFICANT = 0.01
# No single coincidence is called rarer than this: a logarithm must be finite.
LEAST_CHANCE = 1e-300
# How likely a claim that a rule hits may be none that it is true of, by what share it hits of those that accident hits
# about as often, at most so many times as often or as seldom.
MOST_FALSE = 0.25
ALIKE = 2
# Where any value of a log may be meant, a coincidence at least as likely as this shows nothing.
EVEN = 0.5
# Half-widths, as shares of a value, in which the density of the values that are searched is measured; the densest
# counts. Runs of one program differ by about half a per cent, those of one task by 5 %, numbers of one kind by 50 %.
NEARBY = (0.005, 0.05, 0.5)
ANY = (1.0,) * len(NEARBY)
# Steps: a value is hit rounded half up (1 step wide) or truncated (another half).
ROUNDINGS = 1.5

Floats = NDArray[np.float64]


class Means(StrEnum):
    """What kind of rule gives a value."""

    RECORD = "record"
    SERIES = "series"
    STATISTIC = "statistic"
    PROTOCOL = "protocol"
    FORMULA = "formula"
    QUOTE = "quote"
    RUN = "named run"
    RENDERED = "rendered again"


@dataclass(frozen=True)
class Hit:
    """A value of which a claim is a rounding, how it comes about, and where it stands (``line`` 0: no single one).

    ``name``: the series, the formula, or the protocol in its own words. ``of``: the statistic of the series in a log.
    ``over``: that of the values of ``count`` logs; empty where it is one log. ``peers``: of how many numbers of the
    column the formula holds for how many. ``rounding``: ``half_up`` or ``truncated``. ``operands``: what it is computed
    from.
    """

    value: float
    means: Means
    name: str = ""
    path: str = ""
    line: int = 0
    of: str = ""
    over: str = ""
    count: int = 1
    rounding: str = ""
    peers: tuple[int, int] = (0, 0)
    operands: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """A rule that explains ``hits``, by claim; ``chance``: how many rules would by accident."""

    rule: Hashable
    hits: Mapping[Claim, Hit]
    chance: float


ChanceOf = Callable[[Hashable, Claim], float]
Tried = Callable[[Hashable, int, Sequence[Hashable]], int]


def accidental(number: Number, ascending: Floats, shares: Sequence[float] = ANY) -> float:
    """How many of these values a number of this size and these digits would be a rounding of by accident.

    ``shares``: how often values of the rule lie within each width of other numbers, where that is known.
    """
    return float(accidents(np.array(number.value), np.array(number.informative_step), ascending, shares))


def accidents(values: Floats, steps: Floats, ascending: Floats, shares: Sequence[float] = ANY) -> Floats:
    """The same of several numbers, each with the step of its last digit that informs.

    By the density of what is searched around each, at the densest of several widths.
    """
    size, widths = np.abs(values), np.reshape(NEARBY, (-1, *[1] * np.ndim(values)))
    spans = widths * size + steps
    within = np.searchsorted(ascending, values + spans, "right") - np.searchsorted(ascending, values - spans, "left")
    likely = within * np.reshape(shares, widths.shape) * np.minimum(1, ROUNDINGS * steps / (2 * spans))
    return np.where(size > 0, likely.max(axis=0), float(len(ascending)))


def tail(chances: Iterable[float], hits: Sequence[float]) -> float:
    """An upper bound for the probability that as many of a group are hit: by these or others of it.

    ``chances``: of all of the group; ``hits``: of those that are hit. The least of Chernoff's bound and the product of
    the chances of these hits, times the number of choices of so many of the claims that can be hit. All hits count, so
    that a rule must answer for each claim that it takes.
    """
    possible = [min(1.0, one) for one in chances if one > 0]
    count, expected = len(hits), sum(possible)
    product = sum(log(max(min(1.0, one), LEAST_CHANCE)) for one in hits)
    choices = log(comb(max(count, len(possible)), count))
    chernoff = count - expected + count * log(expected / count) if 0 < expected < count else 0.0
    return exp(min(0.0, product + choices, chernoff))


def explain(
    claims: Iterable[Claim],
    rules: Mapping[Hashable, Mapping[Claim, Hit]],
    chance_of: ChanceOf,
    tried: Tried,
    least: int = 1,
    copies: Mapping[Claim, Sequence[Claim]] | None = None,
) -> list[Explanation]:
    """The rules that explain claims of a group beyond accident: the least likely by accident first, then of the rest.

    Of what a rule hits those are explained that it is likely true of.
    ``chance_of``: that a rule hits a claim by accident. ``tried``: how many rules up to a rule, in an order that
    does not know the claims, could have explained so many. ``least``: how many claims a rule must explain. ``copies``:
    of a claim all that are the same one, with itself, as far as accident goes.
    """
    left, found, known = dict.fromkeys(claims), list[Explanation](), dict(rules)
    while left and known:
        judged = list[Explanation]()
        for rule, all_hits in known.items():
            hits = {claim: hit for claim, hit in all_hits.items() if claim in left}
            if len(hits) >= least:
                chances = {claim: chance_of(rule, claim) for claim in left}
                bound = tail(chances.values(), [chances[claim] for claim in left if claim in hits])
                judged.append(Explanation(rule, hits, tried(rule, len(hits), [one.rule for one in found]) * bound))
        best = min(judged, key=lambda one: (one.chance, -len(one.hits)), default=None)
        if best is None or best.chance >= SIGNIFICANT:
            break
        if taken := _sure(best.hits, {claim: chance_of(best.rule, claim) for claim in left}):
            every = ((copy, hit) for one, hit in taken.items() for copy in (copies[one] if copies else (one,)))
            found.append(replace(best, hits=dict(every)))
            left = {claim: None for claim in left if claim not in taken}
        known = {one.rule: known[one.rule] for one in judged if one is not best}
    return found


def _sure(hits: Mapping[Claim, Hit], chances: Mapping[Claim, float]) -> dict[Claim, Hit]:
    """Those of a rule's hits that are hardly accidental.

    That a rule is true of some claims does not say of which. Of what share it is true, is told by those that are about
    as likely hit by accident: by how many are, without what those that are not let expect, and one more that is not.
    """
    likely = np.minimum(1.0, list(chances.values()))
    is_hit = np.array([claim in hits for claim in chances])
    odds = np.where(is_hit, 0.0, np.minimum(EVEN, likely) / (1 - np.minimum(EVEN, likely)))
    order = np.argsort(likely)
    true = np.concatenate(([0.0], np.cumsum((is_hit - odds)[order])))
    first = np.searchsorted(likely[order], likely / ALIKE, "left")
    behind = np.searchsorted(likely[order], likely * ALIKE, "right")
    share = np.maximum(0.0, true[behind] - true[first]) / (behind - first + 1)
    accidental = (1 - share) * likely
    is_sure = accidental <= MOST_FALSE * (share + accidental)
    return {claim: hits[claim] for claim, sure in zip(chances, (is_sure & is_hit).tolist(), strict=True) if sure}


def accepted(expected: Sequence[float]) -> float:
    """The greatest of these that is a finding; -1 where none is.

    ``expected``: for each thing that is found, how many such would be found by accident in all that was tried. Of what
    is accepted a share of ``SIGNIFICANT`` is expected to be accidental (Benjamini and Hochberg; tests of several
    families may each be weighted by the size of its own).
    """
    findings = (one for rank, one in enumerate(sorted(expected), start=1) if one <= SIGNIFICANT * rank)
    return max(findings, default=-1.0)
