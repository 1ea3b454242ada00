"""Statistics of logs: what one rule makes of the log, or the logs, of each claim of a column.

A rule is a series, a statistic of it, and which logs are meant: the one that a row leads to, or those beside it, each
by itself or all joined, by their mean or deviation.
"""

import posixpath
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .. import vocabulary as words
from ..chance import ANY, EVEN, NEARBY, Explanation, Floats, Hit, Means, Tried, accidental, accidents, explain
from ..claims import Claim
from ..documents import ITEM
from ..evidence import GREATEST, LAST, LEAST, MEAN, Stated, Statistic
from ..number import Number

MOST_JOINED = 64  # logs of a folder that may be one repeated experiment (the longest board record has 40)
SIMPLEST = (LAST, MEAN, LEAST, GREATEST)
# Reductions of several logs, and how far each is from the plainest rule, the log itself.
EACH = ""
_OVER: dict[str, Callable[[Floats], Any]] = {
    "mean": np.mean,
    "std": lambda values: np.std(values, ddof=1),
    "std of all": np.std,
}
_COST = {EACH: 0, "mean": 1, "std": 3, "std of all": 3}
PLAINEST = (EACH, "mean")  # of several logs: each by itself, and their mean
_SPREAD = (words.LOSS, words.BPB, words.RATE, words.TIME)
_ANY_UNIT = (1.0, 60.0, 1e-3)  # what a time without a unit may be in, in seconds

Near = Callable[[Claim], Sequence[Sequence[str]]]  # the logs that a claim leads to, and those around it
Pool = dict[tuple[str, str], list[tuple[str, Statistic]]]  # by name and statistic of a series the logs that have it


class Key(NamedTuple):
    """A rule: which logs are meant, how they are joined, the series and its statistic, and what multiplies its values.

    ``reach``: 0 for those that a row leads to, 1 for those around it.
    """

    reach: int
    over: str
    name: str
    how: str
    scale: float

    @property
    def cost(self) -> int:
        """How far the rule is from the plainest one."""
        return SIMPLEST.index(self.how) + _COST[self.over]


class Given(NamedTuple):
    """The ``values`` that a rule gives, each with the log and the line that it is from; ``logs``: of how many."""

    over: str
    name: str
    how: str
    scale: float
    values: Floats
    places: Sequence[tuple[str, int]]
    logs: int = 1

    def hit(self, place: int, rounding: str = "") -> Hit:
        """One of the values, as a hit."""
        value, (path, line) = float(self.values[place]), self.places[place]
        return Hit(value, Means.STATISTIC, self.name, path, line, self.how, self.over, self.logs, rounding)

    def key(self, reach: int) -> Key:
        """The rule that gives them."""
        return Key(reach, self.over, self.name, self.how, self.scale)


@dataclass(frozen=True)
class _Rules:
    """What each rule gives for claims of one kind that may be of the same logs; all values are searched at once."""

    given: Sequence[Given]

    @cached_property
    def _searched(self) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """All values ascending, the order that makes them so, and of each its rule and its place in that."""
        sizes = np.array([len(given.values) for given in self.given], dtype=np.int64)
        values = np.concatenate([np.zeros(0), *(given.values for given in self.given)])
        place = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        order = np.argsort(values, kind="stable")
        return values[order], order, np.repeat(np.arange(len(sizes)), sizes), place

    @cached_property
    def distinct(self) -> Floats:
        """Each value once, ascending."""
        return np.unique(self._searched[0])

    def hits(self, number: Number) -> Iterator[tuple[Given, list[Hit]]]:
        """The rules that give a number, each with its hits."""
        ascending, order, rule, places = self._searched
        low, high = number.interval
        near = np.sort(order[np.searchsorted(ascending, low, "left") : np.searchsorted(ascending, high, "right")])
        for one, some in groupby(near.tolist(), key=lambda at: int(rule[at])):
            given = self.given[one]
            rounded = ((place, number.rounding_of(float(given.values[place]))) for place in places[list(some)].tolist())
            if hits := [given.hit(place, rounding) for place, rounding in rounded if rounding]:
                yield given, hits


class StatisticSearch:
    """``logs``: by their paths."""

    def __init__(self, logs: Mapping[str, Stated]) -> None:
        self.logs = logs
        self._pools: dict[tuple[str, ...], dict[str | None, Pool]] = {}
        self._known: dict[object, _Rules] = {}

    def rules(self, claim: Claim, paths: Sequence[str]) -> _Rules:
        """What each rule gives for a claim: of one log each, then of several together."""
        key = (claim.quantity, claim.unit_seconds, *paths)
        if key not in self._known:
            self._known[key] = _Rules(list(self._made(claim, paths)))
        return self._known[key]

    def _made(self, claim: Claim, paths: Sequence[str]) -> Iterator[Given]:
        is_spread = claim.quantity == words.SPREAD
        pool = self._pool(paths)
        for quantity in _SPREAD if is_spread else words.alike(claim.quantity):
            for rule, some in pool.get(quantity, {}).items():
                runs = [*{self.logs[path].digest: (path, one) for path, one in some}.values()]
                is_joined = 1 < len(runs) <= MOST_JOINED  # a copy of a log is no other run
                for scale in _scales(claim, some[0][1].seconds):
                    if not is_spread:
                        values = np.array([one.value for _, one in some]) * scale
                        yield Given(EACH, *rule, scale, values, [(path, one.line) for path, one in some])
                    if is_joined and len({path for path, _ in some}) == len(some):
                        values = np.array([one.value for _, one in runs]) * scale
                        folder = posixpath.commonpath([path for path, _ in runs])
                        for over, of in _OVER.items():
                            if over == "mean" or rule[1] != MEAN:
                                yield Given(over, *rule, scale, np.array([of(values)]), [(folder, 0)], len(runs))

    def _pool(self, paths: Sequence[str]) -> dict[str | None, Pool]:
        """The statistics of some logs by the quantity of their series."""
        key = tuple(path for path in paths if path in self.logs)
        if key not in self._pools:
            pools = self._pools[key] = defaultdict(lambda: defaultdict(list))
            for path in key:
                for one in self.logs[path].statistics:
                    quantity = words.of_label(one.name)
                    is_time = one.seconds and quantity != words.RATE
                    pools[words.TIME if is_time else quantity][one.name, one.how].append((path, one))
        return self._pools[key]

    def explain_column(self, claims: Sequence[Claim], near: Near) -> list[Explanation]:
        """The rules that explain a column: of the log that each row leads to, or of those in its folder.

        A number that comes several times, and leads to the same logs, is hit or missed once.
        """
        equal: dict[Hashable, list[Claim]] = defaultdict(list)
        # Claims of one kind that may be of the same logs are held against the same values.
        groups: dict[Hashable, list[Claim]] = defaultdict(list)
        for claim in claims:
            of = claim.quantity, claim.unit_seconds, *map(tuple, near(claim))
            some = equal[claim if claim.place == ITEM else (claim.number.text, of)]
            some.append(claim)
            if len(some) == 1:
                groups[of].append(claim)
        copies = {some[0]: some for some in equal.values()}
        rules = self._hits(copies, near)
        values: dict[Hashable, list[tuple[Sequence[Claim], Given]]] = defaultdict(list)
        for some in groups.values():
            for reach, paths in enumerate(near(some[0])):
                for given in self.rules(some[0], paths).given:
                    values[given.key(reach)].append((some, given))
        chances = {rule: _chances(values[rule], rules[rule]) for rule in rules}
        found = explain(copies, rules, lambda rule, claim: chances[rule].get(claim, 0.0), _ranks(values))
        return [
            replace(one, hits={copy: hit for first, hit in one.hits.items() for copy in copies[first]}) for one in found
        ]

    def _hits(self, claims: Iterable[Claim], near: Near) -> dict[Hashable, dict[Claim, Hit]]:
        """What each rule hits of a column."""
        rules: dict[Hashable, dict[Claim, Hit]] = defaultdict(dict)
        used: dict[tuple[Key, str], int] = defaultdict(int)
        for claim in claims:
            for reach, paths in enumerate(near(claim)):
                for given, hits in self.rules(claim, paths).hits(claim.number):
                    key = given.key(reach)
                    nth = used[key, claim.number.text]
                    if claim.place == ITEM:  # equal items of a list are of different logs, none of all together
                        used[key, claim.number.text] += 1
                    if nth < len(hits) and (claim.place != ITEM or given.over == EACH):
                        rules[key][claim] = hits[nth]
        return rules

    def explain_row(self, claims: Sequence[Claim], paths: Sequence[str]) -> list[Explanation]:
        """The log that gives several claims of a row by statistics of its own.

        Any of its statistics may be meant, so that what one of them would give as likely as not is not shown to be one.
        """
        rules: dict[Hashable, dict[Claim, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, Claim], float] = {}
        for path in paths:
            for claim in claims:
                of = self.rules(claim, (path,))
                chances[path, claim] = min(1.0, accidental(claim.number, of.distinct))
                hit = next((hits[0] for _, hits in of.hits(claim.number)), None)
                if hit and chances[path, claim] < EVEN:
                    rules[path][claim] = hit
        return explain(claims, rules, lambda path, claim: chances[path, claim], lambda *_: len(paths), least=2)


def _scales(claim: Claim, seconds: float | None) -> list[float]:
    """By what values of a log are multiplied to be in the unit of a claim; several where a unit is not stated."""
    if claim.quantity in words.SHARES:
        return [1.0, 100.0]
    if claim.quantity != words.TIME and not (claim.quantity == words.SPREAD and seconds):
        return [1.0]
    own = (claim.unit_seconds,) if claim.unit_seconds else _ANY_UNIT
    return sorted({said / unit for said in ((seconds,) if seconds else (1.0, 1e-3)) for unit in own}, reverse=True)


def _chances(given: Sequence[tuple[Sequence[Claim], Given]], hits: Mapping[Claim, Hit]) -> dict[Claim, float]:
    """That a rule hits each claim by accident; ``given``: what it gives for which claims.

    Where it gives one value: by how often such a value lies near a claim without giving it, the share of misses within
    each width. That is what accident does in this column. One more than there are is counted, as none may be there to
    see.
    """
    away = [
        abs(one.values[0] - claim.number.value) / (abs(claim.number.value) or 1)
        for claims, one in given
        for claim in (claims if len(one.values) == 1 else ())
        if claim not in hits
    ]
    shares = [(1 + sum(one <= width for one in away)) / (1 + len(away)) for width in NEARBY]
    found: dict[Claim, float] = {}
    for claims, one in given:
        values = np.array([claim.number.value for claim in claims])
        steps = np.array([claim.number.informative_step for claim in claims])
        likely = accidents(values, steps, np.unique(one.values), shares if len(one.values) == 1 else ANY)
        found |= zip(claims, np.minimum(1.0, likely).tolist(), strict=True)
    return found


def _ranks(values: Mapping[Hashable, Sequence[tuple[Sequence[Claim], Given]]]) -> Tried:
    """How many rules stand before one, with itself, that could explain as many claims: the simplest first.

    Rules that give the same for all claims are one. Where the series of a rule is known to be meant, only how far it
    reaches is left to be tried.
    """
    counts = {key: sum(len(claims) for claims, _ in given) for key, given in values.items()}
    keys: list[Key] = sorted((key for key in values if isinstance(key, Key)), key=lambda key: (key.cost, -counts[key]))
    distinct: dict[tuple[tuple[Claim, bytes], ...], int] = {}
    sizes: list[int] = []  # of each of these, for how many claims it gives something
    place_of: dict[Key, int] = {}
    akin: dict[tuple[str, str, float], list[Key]] = defaultdict(list)
    for key in keys:
        same = tuple((claims[0], given.values.tobytes()) for claims, given in values[key])
        sizes += [counts[key]] if same not in distinct else []
        place_of[key] = distinct.setdefault(same, len(distinct))
        akin[key[2:]].append(key)
    of_all = np.array(sizes)

    def tried(rule: Hashable, count: int, accepted: Sequence[Hashable]) -> int:
        key = cast(Key, rule)
        alike = akin[key[2:]]
        if any(one in alike for one in accepted):
            return alike.index(key) + 1
        return max(1, int((of_all[: place_of[key] + 1] >= count).sum()))

    return tried
