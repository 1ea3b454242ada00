"""The one judge of chance: what accident gives is accepted as seldom as stated, and more evidence is never less."""

from collections.abc import Hashable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from report.audit.chance import SIGNIFICANT, Hit, Means, Tried, accepted, accidental, explain, tail
from report.audit.claims import Claim
from report.audit.number import Number
from tests.report.audit.made_up import a_claim, explained

Table = np.ndarray[tuple[int, int], Any]
SEEDS = st.integers(0, 2**32 - 1)
A_HIT = Hit(1.0, Means.STATISTIC)
CLAIMS = [a_claim("1.5", row=row) for row in range(60)]
TRIALS = 200
CHANCES = st.lists(st.floats(1e-6, 0.5), min_size=2, max_size=12)


def few(times: int, chance: float) -> bool:
    """Whether something with a chance came so often in all trials, within six standard deviations."""
    return times <= TRIALS * chance + 6 * sqrt(TRIALS * chance)


def is_explained(chances: Table, is_hit: Table) -> bool:
    """Whether a rule, a row of these, explains some of the claims."""
    claims = CLAIMS[: is_hit.shape[1]]
    hits: dict[Hashable, dict[Claim, Hit]] = {
        rule: {claims[claim]: A_HIT for claim in np.flatnonzero(some)} for rule, some in enumerate(is_hit)
    }
    tried: Tried = lambda rule, *_: int(str(rule)) + 1  # noqa: E731
    return bool(explain(claims, hits, lambda rule, claim: float(chances[int(str(rule)), claim.row]), tried))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEEDS, st.integers(1, 8), st.integers(1, 40), st.floats(1e-4, 0.3), st.floats(0, 3))
def test_rules_that_hit_by_accident_are_accepted_as_seldom_as_stated(
    seed: int, size: int, rules: int, usual: float, unlike: float
) -> None:
    """``usual``: how often a rule hits a claim; ``unlike``: how much that differs between claims and rules."""
    random = np.random.default_rng(seed)
    times = 0
    for _ in range(TRIALS):
        chances = np.minimum(1, usual * random.lognormal(0, unlike, (rules, size)))
        times += is_explained(chances, random.random((rules, size)) < chances)
    assert few(times, SIGNIFICANT * sum(1 / rank for rank in range(1, rules + 1)))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEEDS, st.integers(1, 60), st.integers(2, 5), st.floats(0.001, 1))
def test_a_number_hits_values_of_its_kind_less_often_than_stated(
    seed: int, count: int, digits: int, spread: float
) -> None:
    """Values that lie about one as closely as runs of one program do, or as widely as unlike quantities."""
    random = np.random.default_rng(seed)
    times, stated = 0, 0.0
    for _ in range(TRIALS):
        *values, value = 3 * random.lognormal(0, spread, count + 1)
        number = Number.of(f"{value:.{digits - 1}f}")
        times += any(number.rounding_of(float(one)) for one in values)
        stated += min(1.0, accidental(number, np.sort(values)))
    assert few(times, stated / TRIALS)


@given(CHANCES, st.data())
def test_a_bound_grows_with_chance_and_with_what_can_be_hit(chances: list[float], data: st.DataObject) -> None:
    hits = data.draw(st.sets(st.integers(0, len(chances) - 1), min_size=1))
    hit = [chances[place] for place in sorted(hits)]
    bound = tail(chances, hit)
    assert 0 <= bound <= 1 + 1e-9
    assert tail([1.9 * one for one in chances], [1.9 * one for one in hit]) >= bound - 1e-9
    assert tail([*chances, 0.1], hit) >= bound - 1e-9
    assert tail([*chances, 0.0], hit) == bound


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=20), st.floats(0.01, 100))
def test_more_values_are_hit_more_often(values: list[float], value: float) -> None:
    number = Number.of(f"{value:.2f}")
    assert accidental(number, np.sort(values)) >= accidental(number, np.sort(values[1:]))
    assert accidental(number, np.sort(values), (0.5, 0.5, 0.5)) <= accidental(number, np.sort(values))


def test_a_rule_takes_what_it_explains_and_leaves_the_rest() -> None:
    first, second, third, fourth = CLAIMS[:4]
    rules: dict[Hashable, dict[Claim, Hit]] = {
        "one": {first: A_HIT, second: A_HIT},
        "same": {first: A_HIT, second: A_HIT},
        "other": {third: A_HIT},
        "common": {fourth: A_HIT},
    }
    chances = {"one": 1e-4, "same": 1e-4, "other": 1e-5, "common": 0.5}
    found = explain(CLAIMS[:4], rules, lambda rule, _: chances[str(rule)], lambda *_: 1)
    assert [(one.rule, set(one.hits)) for one in found] == [("one", {first, second}), ("other", {third})]


@pytest.mark.parametrize(
    ("chances", "taken"),
    [
        pytest.param([0.05] * 6, set(range(4)), id="it misses few"),
        pytest.param([0.05] * 40, set(), id="it misses most, and would hit as many by accident"),
        pytest.param([0.05, *[1e-5] * 3, *[0.05] * 36], {1, 2, 3}, id="what it hits hardly by accident is taken"),
    ],
)
def test_a_rule_takes_only_what_it_does_not_hit_by_accident(chances: list[float], taken: set[int]) -> None:
    claims = CLAIMS[: len(chances)]
    hits: dict[Hashable, dict[Claim, Hit]] = {"rule": dict.fromkeys(claims[:4], A_HIT)}
    assert explained(claims, explain(claims, hits, lambda _, claim: chances[claim.row], lambda *_: 1)) == taken


def test_at_least_so_many_claims_are_explained_together() -> None:
    assert not explain(CLAIMS[:3], {"one": {CLAIMS[0]: A_HIT}}, lambda *_: 1e-9, lambda *_: 1, least=2)


@pytest.mark.parametrize(
    ("expected", "limit"),
    [
        ([], -1),
        ([0.02], -1),
        ([0.009], 0.009),
        ([0.001, 0.015, 0.5], 0.015),
        ([0.011, 0.019], 0.019),
        ([0.03, 0.04], -1),
    ],
)
def test_of_what_is_accepted_a_hundredth_may_be_accidental(expected: list[float], limit: float) -> None:
    assert accepted(expected) == limit
