"""Change points: steps of speed that are found, and noise that is none."""

import numpy as np
import pytest

from report.comparing.change_points import change_points
from tests.report.comparing.history.made_history import GATE, noisy
from tests.report.comparing.history.made_series import KINDS, f1, made_series
from tests.report.comparing.real_repeats import real_sets


def found(times: list[float], gate: float = GATE) -> list[int]:
    return [point.at for point in change_points(np.log(times), gate).points]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "noise 2%"])
def test_steps_of_three_percent_are_found(kind: str) -> None:
    series = [made_series(kind, seed) for seed in range(10)]
    assert f1([(one, found(one.times)) for one in series]) > 0.9


def test_a_step_says_by_how_much_the_time_changed() -> None:
    (point,) = change_points(np.log(noisy([1.0] * 20 + [1.05] * 20)), GATE).points
    assert point.at == 20
    assert np.expm1(point.change) == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize("noise", [0.003, 0.01])
def test_noise_is_no_step(noise: float) -> None:
    assert [found(noisy([1.0] * 100, noise, seed)) for seed in range(40)] == [[]] * 40


@pytest.mark.parametrize(
    ("times", "gate", "places"),
    [
        (noisy([1.0] * 40 + [1.01] * 40, 0.001), GATE, []),
        (noisy([1.0] * 40 + [1.01] * 40, 0.001), 0.015, [40]),
        (noisy([1.0] * 40 + [1.04] * 3), GATE, [40]),
        (np.where(np.isin(np.arange(60), (20, 21, 40)), 1.6, noisy([1.0] * 60)).tolist(), GATE, []),
        *((times, GATE, []) for times in ([], [1.0], [1.0, 1.2], [1.0] * 50)),
    ],
    ids=["below half the gate", "a smaller gate", "at the end", "stalled", "none", "one", "two", "equal"],
)
def test_a_step_is_found_where_at_least_three_runs_differ_by_half_of_the_gate(
    times: list[float], gate: float, places: list[int]
) -> None:
    assert found(times, gate) == places


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("size", "noise"), [(0.1, 0.01), (0.2, 0.02)])
def test_a_clear_step_of_three_runs_after_three_is_found(size: float, noise: float, seed: int) -> None:
    assert found(noisy([1.0] * 3 + [1.0 + size] * 3, noise, seed)) == [3]


@pytest.mark.slow
@pytest.mark.parametrize("count", [6, 7, 8, 9])
def test_a_few_real_repeats_in_any_order_seldom_look_slower(count: int) -> None:
    random, sets = np.random.default_rng(count), [times for times in real_sets() if len(times) >= count]
    series = [np.log(random.choice(sets[at % len(sets)], count, replace=False)) for at in range(2000)]
    slower = [any(point.change > 0 for point in change_points(one, GATE).points) for one in series]
    assert np.mean(slower) <= 0.005


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("noise", [0.0, 0.001, 0.003])
def test_fewer_are_suspect(count: int, noise: float) -> None:
    changes = change_points(np.log(noisy([1.0] * 40 + [1.04] * count, noise)), GATE)
    assert changes.points == ()
    assert changes.suspect is not None
    assert changes.suspect.at == 40
