"""Statistics of logs: what one rule makes of the log, or the logs, of each claim of a column.

A rule is a series, a statistic of it, and which logs are meant: the one that a row leads to, or those beside it, each
by itself or all joined by their mean.
"""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, cast

import numpy as np

from .. import vocabulary as words
from ..chance import ANY, NEARBY, Explanation, Floats, Hit, Means, Tried, accidents, explain
from ..claims import Claim
from ..documents import ITEM
from ..evidence import GREATEST, LAST, LEAST, MEAN, Stated, Statistic
from ..number import Number

MOST_JOINED = 96  # logs of a folder that may be one repeated experiment (the longest board record has 75)
SIMPLEST = (LAST, MEAN, LEAST, GREATEST)
EACH = ""  # of several logs each by itself
_ANY_UNIT = (1.0, 60.0, 1e-3)  # what a time without a unit may be in, in seconds

Near = Callable[[Claim], Sequence[Sequence[str]]]  # the logs that a claim leads to, and those around it
Pool = dict[tuple[str, str], list[tuple[str, Statistic]]]  # by name and statistic of a series the logs that have it


class Rule(NamedTuple):
    """How several logs are joined, the series, its statistic in each, and what multiplies its values."""

    over: str
    name: str
    how: str
    scale: float

    @property
    def cost(self) -> int:
        """How far it is from the plainest one."""
        return SIMPLEST.index(self.how) + (self.over != EACH)


Key = tuple[int, Rule]  # 0 where the logs are meant that a row leads to, 1 where those around it; the rule


class Given(NamedTuple):
    """The ``values`` that a rule gives, each with the log and the line that it is from; ``logs``: of how many."""

    rule: Rule
    values: Floats
    places: Sequence[tuple[str, int]]
    logs: int = 1

    def hit(self, place: int, rounding: str = "") -> Hit:
        """One of the values, as a hit."""
        value, (path, line), rule = float(self.values[place]), self.places[place], self.rule
        return Hit(value, Means.STATISTIC, rule.name, path, line, rule.how, rule.over, self.logs, rounding)


class _Rules:
    """What each rule gives for claims of one kind that may be of the same logs; all values are searched at once."""

    def __init__(self, given: Sequence[Given]) -> None:
        self.given = given
        values = np.concatenate([np.zeros(0), *(one.values for one in given)])
        places = [(rule, place) for rule, one in enumerate(given) for place in range(len(one.values))]
        order = np.argsort(values, kind="stable")
        self._ascending, self._places = values[order], [places[at] for at in order.tolist()]

    def hits(self, number: Number) -> Iterator[tuple[Given, list[Hit]]]:
        """The rules that give a number, each with its hits."""
        first, end = np.searchsorted(self._ascending, number.interval)
        for rule, some in groupby(sorted(self._places[first : end + 1]), key=lambda one: one[0]):
            given = self.given[rule]
            rounded = ((place, number.rounding_of(float(given.values[place]))) for _, place in some)
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
        pool = self._pool(paths)
        for quantity in words.alike(claim.quantity):
            for series, some in pool.get(quantity, {}).items():
                # A copy of a log is no other run.
                runs = _runs({self.logs[path].digest: (path, one) for path, one in some}.values())
                is_joined = 1 < len(runs) <= MOST_JOINED
                for scale in _scales(claim, some[0][1].seconds):
                    values = np.array([one.value for _, one in some]) * scale
                    yield Given(Rule(EACH, *series, scale), values, [(path, one.line) for path, one in some])
                    if is_joined and len({path for path, _ in some}) == len(some):
                        mean = np.array([one.value for _, one in runs]).mean(keepdims=True) * scale
                        folder = posixpath.commonpath([path for path, _ in runs])
                        yield Given(Rule(MEAN, *series, scale), mean, [(folder, 0)], len(runs))

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

        A number that comes several times, and leads to the same logs, is hit or missed once; equal items of a list are
        of different logs, none of all together.
        """
        copies: dict[Hashable, list[Claim]] = defaultdict(list)
        # Claims of one kind that may be of the same logs are held against the same values.
        groups: dict[Hashable, list[Claim]] = defaultdict(list)
        for claim in claims:
            of = claim.quantity, claim.unit_seconds, *map(tuple, near(claim))
            some = copies[claim if claim.place == ITEM else (claim.number.text, of)]
            some.append(claim)
            if len(some) == 1:
                groups[of].append(claim)
        values: dict[Key, list[tuple[Sequence[Claim], Given]]] = defaultdict(list)
        rules: dict[Hashable, dict[Claim, Hit]] = defaultdict(dict)
        used: dict[tuple[Key, str], int] = defaultdict(int)
        for some in groups.values():
            for reach, paths in enumerate(near(some[0])):
                found = self.rules(some[0], paths)
                for given in found.given:
                    values[reach, given.rule].append((some, given))
                for claim in some:
                    for given, hits in found.hits(claim.number):
                        key = reach, given.rule
                        nth = used[key, claim.number.text]
                        used[key, claim.number.text] += claim.place == ITEM
                        if nth < len(hits) and (claim.place != ITEM or given.rule.over == EACH):
                            rules[key][claim] = hits[nth]
        chances = {rule: _chances(values[cast(Key, rule)], hits) for rule, hits in rules.items()}
        chance_of = lambda rule, claim: chances[rule].get(claim, 0.0)  # noqa: E731
        firsts = {some[0]: some for some in copies.values()}
        return explain(firsts, rules, chance_of, _ranks(values), copies=firsts)


def _runs(stated: Collection[tuple[str, Statistic]]) -> list[tuple[str, Statistic]]:
    """Those that stand in files of the kind of most of them: a summary beside logs is no other run."""
    ending, _ = Counter(posixpath.splitext(path)[1] for path, _ in stated).most_common(1)[0]
    return [(path, one) for path, one in stated if posixpath.splitext(path)[1] == ending]


def _scales(claim: Claim, seconds: float | None) -> list[float]:
    """By what values of a log are multiplied to be in the unit of a claim; several where a unit is not stated."""
    if claim.quantity in words.SHARES:
        return [1.0, 100.0]
    if claim.quantity != words.TIME:
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


def _ranks(values: Mapping[Key, Sequence[tuple[Sequence[Claim], Given]]]) -> Tried:
    """How many rules stand before one, with itself, that could explain as many claims: the simplest first.

    Rules that give the same for all claims are one. Where the series of a rule is known to be meant, only how far it
    reaches is left to be tried.
    """
    counts = {key: sum(len(claims) for claims, _ in given) for key, given in values.items()}
    distinct: dict[tuple[tuple[Claim, bytes], ...], int] = {}
    sizes: list[int] = []  # of each of these, for how many claims it gives something
    place_of: dict[Key, int] = {}
    akin: dict[object, list[Key]] = defaultdict(list)
    for key in sorted(values, key=lambda key: (key[1].cost, -counts[key])):
        same = tuple((claims[0], given.values.tobytes()) for claims, given in values[key])
        sizes += [counts[key]] if same not in distinct else []
        place_of[key] = distinct.setdefault(same, len(distinct))
        akin[key[1][1:]].append(key)
    of_all = np.array(sizes)

    def tried(rule: Hashable, count: int, accepted: Sequence[Hashable]) -> int:
        key = cast(Key, rule)
        alike = akin[key[1][1:]]
        if any(one in alike for one in accepted):
            return alike.index(key) + 1
        return max(1, int((of_all[: place_of[key] + 1] >= count).sum()))

    return tried
