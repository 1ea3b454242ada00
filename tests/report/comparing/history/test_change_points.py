"""Change points: steps of speed that are found, and noise that is none."""

import numpy as np
import pytest
import ruptures

from report.measuring.series.change_points import PENALTY, change_points, robust_noise, winsorised
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


def test_runs_that_stalled_are_no_step() -> None:
    times = noisy([1.0] * 60)
    times[20] = times[21] = times[40] = 1.6
    assert found(times) == []


def test_a_step_below_half_of_the_gate_is_none() -> None:
    times = noisy([1.0] * 40 + [1.01] * 40, 0.001)
    assert (found(times), found(times, gate=0.015)) == ([], [40])


@pytest.mark.parametrize("noise", [0.0, 0.001, 0.003])
def test_three_runs_at_the_end_are_a_step(noise: float) -> None:
    assert found(noisy([1.0] * 40 + [1.04] * 3, noise)) == [40]


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


@pytest.mark.parametrize("times", [[], [1.0], [1.0, 1.2], [1.0] * 5, [1.0] * 50])
def test_few_or_equal_times_have_no_step(times: list[float]) -> None:
    assert found(times) == []


def test_a_step_lies_between_groups() -> None:
    logs = np.log(noisy([1.0] * 21 + [1.05] * 18))
    groups = [at // 3 for at in range(39)]
    groups[20] = groups[21] = 7  # so that the step is within a group
    (point,) = change_points(logs, GATE, groups).points
    assert groups[point.at] != groups[point.at - 1]


@pytest.mark.parametrize("seed", range(5))
def test_the_linear_kernel_proposes_what_pelt_proposes_with_l2(seed: int) -> None:
    logs = np.log(made_series("noise 1%", seed).times)
    scaled = winsorised(logs, robust_noise(logs)) / robust_noise(logs)
    penalty = PENALTY * np.log(len(logs))
    pelt = ruptures.Pelt(model="l2", min_size=3, jump=1).fit(scaled).predict(pen=penalty)
    kernel = ruptures.KernelCPD(kernel="linear", min_size=3).fit(scaled).predict(pen=penalty)
    assert [int(at) for at in kernel] == pelt
