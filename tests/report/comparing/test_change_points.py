"""Change points: steps of speed that are found, and noise that is none."""

import numpy as np
import pytest
from numpy.typing import NDArray

from report.comparing.change_points import change_points
from tests.report.comparing.made_history import GATE, noisy
from tests.report.comparing.made_series import KINDS, f1, made_series
from tests.report.comparing.real_repeats import real_sets


def found(times: list[float], gate: float = GATE) -> list[int]:
    return [point.at for point in change_points(np.log(times), gate)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "noise 2%"])
def test_steps_of_three_percent_are_found(kind: str) -> None:
    series = [made_series(kind, seed) for seed in range(10)]
    assert f1([(one, found(one.times)) for one in series]) > 0.9


@pytest.mark.parametrize("noise", [0.003, 0.01])
def test_noise_is_no_step(noise: float) -> None:
    assert [found(noisy([1.0] * 100, noise, seed)) for seed in range(40)] == [[]] * 40


@pytest.mark.parametrize(
    ("times", "gate", "places"),
    [
        (noisy([1.0] * 40 + [1.01] * 40, 0.001), GATE, []),
        (noisy([1.0] * 40 + [1.01] * 40, 0.001), 0.015, [40]),
        (noisy([1.0] * 40 + [1.04] * 4), GATE, [40]),
        (np.where(np.isin(np.arange(60), (20, 21, 40)), 1.6, noisy([1.0] * 60)).tolist(), GATE, []),
        *((times, GATE, []) for times in ([], [1.0], [1.0, 1.2], [1.0] * 50)),
    ],
    ids=["below half the gate", "a smaller gate", "at the end", "stalled", "none", "one", "two", "equal"],
)
def test_a_step_is_found_where_enough_runs_differ_by_half_of_the_gate(
    times: list[float], gate: float, places: list[int]
) -> None:
    assert found(times, gate) == places


def watched(times: NDArray[np.float64], nights: int = 60) -> bool:
    """Whether a series alarms in one of the nights in which its end is watched."""
    points = (change_points(np.log(times[:night]), GATE) for night in range(6, nights + 1))
    return any(one and one[-1].change > 0 for one in points)


@pytest.mark.slow
def test_series_of_real_repeats_of_one_case_seldom_alarm() -> None:
    random, sets = np.random.default_rng(3), [times for times in real_sets() if len(times) >= 3]
    drawn = [random.choice(sets[at], 100) for at in random.integers(len(sets), size=300)]
    assert sum(len(found(list(times))) for times in drawn) / len(drawn) <= 0.05
    assert np.mean([watched(times) for times in drawn[:100]]) <= 0.05
