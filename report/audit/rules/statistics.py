"""Statistics of logs: what one rule makes of the log, or the logs, of each claim of a column.

A rule is a series, a statistic of it, and which logs are meant: the one that a row leads to, or those beside it, each
by itself or all joined, by their mean or deviation.
"""

import posixpath
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .. import vocabulary as words
from ..chance import Explanation, Hit, Means, Rule, Tried, accidental, accidents, explain
from ..claims import Claim
from ..constants import EVEN, MOST_JOINED, NEARBY
from ..documents import ITEM
from ..evidence import GREATEST, LAST, LEAST, MEAN, Stated, Statistic
from ..number import Number

LINKED, AROUND = "linked", "around"
SIMPLEST = (LAST, MEAN, LEAST, GREATEST)
# Reductions of several logs, and how far each is from the plainest rule, the log itself.
_OVER: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "mean": np.mean,
    "std": lambda values: np.std(values, ddof=1),
    "std of all": np.std,
}
EACH = ""
PLAINEST = (EACH, "mean")  # of several logs: each by itself, and their mean
_COST = {EACH: 0, "mean": 1, "std": 3, "std of all": 3}
_SPREAD = (words.LOSS, words.BPB, words.RATE, words.TIME)
_ANY_UNIT = (1.0, 60.0, 1e-3)  # what a time without a unit may be in, in seconds

Floats = NDArray[np.float64]
Series = tuple[str, str]  # the name of a series and the statistic of it
Pool = dict[Series, list[tuple[str, Statistic]]]  # by series, the logs that have it


class Key(NamedTuple):
    """A rule: which logs, how they are joined, the series and its statistic, and by what its values are multiplied."""

    reach: str
    over: str
    name: str
    how: str
    scale: float

    @property
    def cost(self) -> int:
        """How far the rule is from the plainest one."""
        return SIMPLEST.index(self.how) + _COST[self.over]


@dataclass(frozen=True)
class Given:
    """The values that a rule gives, each with how it comes about and where it stands."""

    values: Floats
    origins: Sequence[tuple[Rule, str, int]]

    @cached_property
    def print(self) -> bytes:
        """Equal for equal values."""
        return self.values.tobytes()

    @cached_property
    def distinct(self) -> Floats:
        """Each value once, ascending."""
        return np.unique(self.values)

    def hits(self, number: Number, places: Iterable[int]) -> list[Hit]:
        """The values at some places of which a number is a rounding."""
        return [
            Hit(float(self.values[place]), *self.origins[place], rounding)
            for place in places
            if (rounding := number.rounding_of(float(self.values[place])))
        ]


@dataclass(frozen=True)
class _Rules:
    """What each rule gives for claims of one kind that may be of the same logs; all values are searched at once."""

    given: Sequence[tuple[str, Series, float, Given]]

    @cached_property
    def _searched(self) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """All values ascending, the order that makes them so, and of each its rule and its place in that."""
        sizes = np.array([len(given.values) for *_, given in self.given], dtype=np.int64)
        values = np.concatenate([np.zeros(0), *(given.values for *_, given in self.given)])
        place = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        order = np.argsort(values, kind="stable")
        return values[order], order, np.repeat(np.arange(len(sizes)), sizes), place

    @cached_property
    def distinct(self) -> Floats:
        """Each value once, ascending."""
        return np.unique(self._searched[0])

    def hits(self, number: Number) -> Iterator[tuple[int, list[Hit]]]:
        """The rules that give a number, by their places in ``given``, each with its hits."""
        ascending, order, rule, place = self._searched
        low, high = number.interval
        near = np.sort(order[np.searchsorted(ascending, low, "left") : np.searchsorted(ascending, high, "right")])
        for one, some in groupby(near.tolist(), key=lambda at: int(rule[at])):
            if hits := self.given[one][-1].hits(number, [int(place[at]) for at in some]):
                yield one, hits


@dataclass
class StatisticSearch:
    """``logs``: by their paths; ``pools``, ``known``: what was made of them."""

    logs: Mapping[str, Stated]
    pools: dict[tuple[str, ...], dict[str | None, Pool]] = field(default_factory=dict)
    known: dict[object, _Rules] = field(default_factory=dict)

    def given(self, claim: Claim, paths: Sequence[str], reach: str = "") -> Iterator[tuple[Key, Given]]:
        """What each rule gives for a claim: of one log each, then of several together."""
        for over, rule, scale, given in self._rules(claim, paths).given:
            yield Key(reach, over, *rule, scale), given

    def _rules(self, claim: Claim, paths: Sequence[str]) -> _Rules:
        key = (claim.quantity, claim.unit_seconds, *paths)
        if key not in self.known:
            self.known[key] = _Rules(list(self._made(claim, paths)))
        return self.known[key]

    def _made(self, claim: Claim, paths: Sequence[str]) -> Iterator[tuple[str, Series, float, Given]]:
        is_spread = claim.quantity == words.SPREAD
        pool = self._pool(paths)
        for quantity in _SPREAD if is_spread else words.alike(claim.quantity):
            for rule, some in pool.get(quantity, {}).items():
                for scale in _scales(claim, some[0][1].seconds):
                    if not is_spread:
                        origins = [(Rule(Means.STATISTIC, *rule), path, one.line) for path, one in some]
                        yield EACH, rule, scale, Given(np.array([one.value for _, one in some]) * scale, origins)
                    if len({path for path, _ in some}) == len(some):
                        runs = [*{self.logs[path].digest: (path, one) for path, one in some}.values()]
                        if 1 < len(runs) <= MOST_JOINED:  # a copy of a log is no other run
                            yield from ((over, rule, scale, given) for over, given in _joined(rule, runs, scale))

    def _pool(self, paths: Sequence[str]) -> dict[str | None, Pool]:
        """The statistics of some logs by the quantity of their series."""
        key = tuple(path for path in paths if path in self.logs)
        if key not in self.pools:
            pools = self.pools[key] = defaultdict(lambda: defaultdict(list))
            for path in key:
                for one in self.logs[path].statistics:
                    quantity = words.of_label(one.name)
                    is_time = one.seconds and quantity != words.RATE
                    pools[words.TIME if is_time else quantity][one.name, one.how].append((path, one))
        return self.pools[key]

    def explain_column(
        self, claims: Sequence[Claim], linked: Sequence[Sequence[str]], around: Sequence[Sequence[str]]
    ) -> list[Explanation]:
        """The rules that explain a column: of the log that each row leads to, or of those in its folder.

        A number that comes several times, and leads to the same logs, is hit or missed once.
        """
        places: dict[Hashable, list[int]] = defaultdict(list)
        for place, claim in enumerate(claims):
            said = (claim.number.text, claim.quantity, claim.unit_seconds, tuple(linked[place]), tuple(around[place]))
            places[place if claim.place == ITEM else said].append(place)
        firsts = [some[0] for some in places.values()]
        found = self._explain([claims[n] for n in firsts], [linked[n] for n in firsts], [around[n] for n in firsts])
        equal = list(places.values())
        return [replace(one, hits={n: hit for first, hit in one.hits.items() for n in equal[first]}) for one in found]

    def _explain(
        self, claims: Sequence[Claim], linked: Sequence[Sequence[str]], around: Sequence[Sequence[str]]
    ) -> list[Explanation]:
        rules: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        used: dict[tuple[Key, str], int] = defaultdict(int)
        # Claims of one kind that may be of the same logs are held against the same values.
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for place, claim in enumerate(claims):
            groups[claim.quantity, claim.unit_seconds, tuple(linked[place]), tuple(around[place])].append(place)
            for reach, paths in ((LINKED, linked[place]), (AROUND, around[place])):
                of = self._rules(claim, paths)
                for number, hits in of.hits(claim.number):
                    over, rule, scale, _ = of.given[number]
                    key = Key(reach, over, *rule, scale)
                    nth = used[key, claim.number.text]
                    if claim.place == ITEM:  # equal items of a list are of different logs, none of all together
                        used[key, claim.number.text] += 1
                    if nth < len(hits) and (claim.place != ITEM or over == EACH):
                        rules[key][place] = hits[nth]
        values: dict[Hashable, list[tuple[Sequence[int], Given]]] = defaultdict(list)
        for places in groups.values():
            for reach, of_claims in ((LINKED, linked), (AROUND, around)):
                for key, given in self.given(claims[places[0]], of_claims[places[0]], reach):
                    values[key].append((places, given))
        chances = {rule: _chances(claims, values[rule], rules[rule]) for rule in rules}
        return explain(len(claims), rules, lambda rule, place: chances[rule].get(place, 0.0), _ranks(values))

    def explain_row(self, claims: Sequence[Claim], paths: Sequence[str]) -> list[Explanation]:
        """The log that gives several claims of a row by statistics of its own.

        Any of its statistics may be meant, so that what one of them would give as likely as not is not shown to be one.
        """
        rules: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, int], float] = {}
        for path in paths:
            for place, claim in enumerate(claims):
                of = self._rules(claim, (path,))
                chances[path, place] = min(1.0, accidental(claim.number, of.distinct))
                hit = next((hits[0] for _, hits in of.hits(claim.number)), None)
                if hit and chances[path, place] < EVEN:
                    rules[path][place] = hit
        return explain(len(claims), rules, lambda path, place: chances[path, place], lambda *_: len(paths), least=2)


def _scales(claim: Claim, seconds: float | None) -> list[float]:
    """By what values of a log are multiplied to be in the unit of a claim; several where a unit is not stated."""
    if claim.quantity in words.SHARES:
        return [1.0, 100.0]
    if claim.quantity != words.TIME and not (claim.quantity == words.SPREAD and seconds):
        return [1.0]
    own = (claim.unit_seconds,) if claim.unit_seconds else _ANY_UNIT
    return sorted({said / unit for said in ((seconds,) if seconds else (1.0, 1e-3)) for unit in own}, reverse=True)


def _joined(rule: Series, some: Sequence[tuple[str, Statistic]], scale: float) -> Iterator[tuple[str, Given]]:
    """What a rule gives over several logs."""
    values, count = np.array([one.value for _, one in some]) * scale, len(some)
    folder = posixpath.commonpath([path for path, _ in some])
    for over, of in _OVER.items():
        if over == "mean" or rule[1] != MEAN:
            yield over, Given(np.array([of(values)]), [(Rule(Means.STATISTIC, *rule, over, count), folder, 0)])


def _chances(
    claims: Sequence[Claim], given: Sequence[tuple[Sequence[int], Given]], hits: Mapping[int, Hit]
) -> dict[int, float]:
    """That a rule hits each claim by accident; ``given``: what it gives, with the places of the claims.

    Where it gives one value: by how often such a value lies near a claim without giving it, the share of misses within
    each width. That is what accident does in this column. One more than there are is counted, as none may be there to
    see.
    """
    away = [
        abs(one.values[0] - claims[place].number.value) / (abs(claims[place].number.value) or 1)
        for places, one in given
        for place in (places if len(one.values) == 1 else ())
        if place not in hits
    ]
    shares = [(1 + sum(one <= width for one in away)) / (1 + len(away)) for width in NEARBY]
    found: dict[int, float] = {}
    for places, one in given:
        values = np.array([claims[place].number.value for place in places])
        steps = np.array([claims[place].number.informative_step for place in places])
        likely = accidents(values, steps, one.distinct, *([shares] if len(one.values) == 1 else []))
        found |= zip(places, np.minimum(1.0, likely).tolist(), strict=True)
    return found


def _ranks(values: Mapping[Hashable, Sequence[tuple[Sequence[int], Given]]]) -> Tried:
    """How many rules stand before one, with itself, that could explain as many claims: the simplest first.

    Rules that give the same for all claims are one. Where the series of a rule is known to be meant, only how far it
    reaches is left to be tried.
    """
    counts = {key: sum(len(places) for places, _ in given) for key, given in values.items()}
    keys: list[Key] = sorted((key for key in values if isinstance(key, Key)), key=lambda key: (key.cost, -counts[key]))
    distinct: dict[tuple[tuple[int, bytes], ...], int] = {}
    sizes: list[int] = []  # of each of these, for how many claims it gives something
    place_of: dict[Key, int] = {}
    akin: dict[tuple[str, str, float], list[Key]] = defaultdict(list)
    for key in keys:
        same = tuple((places[0], given.print) for places, given in values[key])
        sizes += [counts[key]] if same not in distinct else []
        place_of[key] = distinct.setdefault(same, len(distinct))
        akin[key.name, key.how, key.scale].append(key)
    of_all = np.array(sizes)

    def tried(rule: Hashable, count: int, accepted: Sequence[Hashable]) -> int:
        key = cast(Key, rule)
        alike = akin[key.name, key.how, key.scale]
        if any(one in alike for one in accepted):
            return alike.index(key) + 1
        return max(1, int((of_all[: place_of[key] + 1] >= count).sum()))

    return tried
