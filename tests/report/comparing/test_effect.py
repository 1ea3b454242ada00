"""The rule that judges two sides: on real repeats, on made ones, and by its properties."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from report.comparing.effect import GATE, SUSPECT, Effect, effect
from report.measure.number import percent
from tests.report.comparing.made_series import real_sets

pytestmark = pytest.mark.slow

DRAWS = 30
Times = NDArray[np.float64]


def judged(
    repeats: int, change: Callable[[Times], Times], order: Sequence[Sequence[int]] | None = None
) -> list[Effect]:
    """What comes of two halves of real repeats, one of them changed, of many draws that are the same every time."""
    drawn, found = np.random.default_rng(1), []
    for times in real_sets():
        for _ in range(DRAWS if len(times) >= 2 * repeats else 0):
            some = drawn.permutation(times)[: 2 * repeats]
            found.append(effect((some[:repeats], change(some[repeats:]))))
    return found


def share(found: Sequence[Effect], *verdicts: str) -> float:
    return sum(one.verdict in verdicts for one in found) / len(found)


@pytest.mark.parametrize("repeats", [3, 5, 7])
def test_real_repeats_of_one_thing_seldom_differ(repeats: int) -> None:
    assert share(judged(repeats, lambda times: times), "slower", "faster") <= 0.005


@pytest.mark.parametrize("repeats", [3, 5, 7])
def test_a_slowdown_as_large_as_the_gate_is_found_in_real_repeats_where_it_is_said_to_be_visible(repeats: int) -> None:
    found = judged(repeats, lambda times: times * 1.03)
    visible = [one for one in found if (one.visible or 1) <= 0.03]
    assert len(visible) > len(found) / 2
    assert share(visible, "slower") >= 0.99


@pytest.mark.parametrize("repeats", [3, 5, 7])
@pytest.mark.parametrize("drift", [0.005, -0.005])
def test_a_drift_of_real_repeats_in_the_order_of_their_sides_is_seldom_taken_for_a_change(
    repeats: int, drift: float
) -> None:
    drawn, found = np.random.default_rng(2), []
    places = np.arange(2 * repeats)
    for times in real_sets():
        for _ in range(DRAWS if len(times) >= 2 * repeats else 0):
            some = drawn.permutation(times)[: 2 * repeats] * np.exp(drift * places)
            sides = some[:repeats], some[repeats:]
            found.append(effect(sides, order=(places[:repeats], places[repeats:])))
    assert share(found, "slower", "faster") <= 0.06


def made(seed: int, noise: float, *sizes: int) -> list[Times]:
    drawn = np.random.default_rng(seed)
    return [np.exp(drawn.normal(0, noise, size)) for size in sizes]


@pytest.mark.parametrize("repeats", [2, 3, 5, 7])
@pytest.mark.parametrize("noise", [0.0005, 0.003, 0.01, 0.03])
def test_made_repeats_of_one_thing_seldom_differ(repeats: int, noise: float) -> None:
    drawn = np.random.default_rng(4)
    found = [effect((a, b)) for a, b in np.exp(drawn.normal(0, noise, (2000, 2, repeats)))]
    assert share(found, "slower", "faster") <= 0.01 + 3 * (0.01 * 0.99 / len(found)) ** 0.5


def test_one_run_against_six_is_the_same_or_suspect() -> None:
    (six,) = made(7, 0.001, 6)
    assert effect((six, [1.001])).verdict == "same"
    suspect = effect((six, [1.2]))
    assert (suspect.verdict, suspect.reason.key if suspect.reason else "") == ("unknown", SUSPECT)


def test_the_records_of_a_run_are_a_floor_of_the_noise_between_runs() -> None:
    sides = ([1.0, 1.0, 1.0], [1.02, 1.02, 1.02])
    assert (effect(sides).verdict, effect(sides, variance=0.02**2).verdict) == ("slower", "unknown")


def test_times_that_are_far_apart_are_told_without_overflow() -> None:
    found = effect(([1e-300, 1e300], [1e-300, 1e300]))
    assert (found.verdict, percent(found.visible or 0)) == ("unknown", ">1000%")


sides_of_runs = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=7)


@given(sides_of_runs, sides_of_runs)
def test_the_other_way_round_slower_is_faster(a: list[float], b: list[float]) -> None:
    one, other = effect((a, b)), effect((b, a))
    assert (1 + one.change) * (1 + other.change) == pytest.approx(1)
    mirror = {"slower": "faster", "faster": "slower"}
    if one.verdict in mirror or other.verdict in mirror:
        assert mirror[one.verdict] == other.verdict


@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=7), st.lists(st.floats(0.5, 2.0), min_size=2, max_size=7))
def test_a_verdict_agrees_with_its_interval(a: list[float], b: list[float]) -> None:
    found = effect((a, b))
    assert found.interval is not None
    low, high = found.interval
    assert low <= found.change <= high
    if found.verdict == "slower":
        assert low > 0
    elif found.verdict == "faster":
        assert high < 0
    elif found.verdict == "same":
        assert high < GATE
    else:
        assert found.reason is not None
