"""Statistics: one value of the values of a run, one of its repeats, and how far repeats are apart."""

import statistics
from collections.abc import Callable
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.series import Floats
from report.measure.diagnostics import Code, Diagnostic, NoMeasurement, say
from report.measure.protocol import Protocol, Statistic
from report.measure.quantity import QUANTITIES
from report.measure.statistic import olympic, reduce, reduce_repeats, trim

some = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=60).map(np.array)


@pytest.mark.parametrize(
    ("values", "statistic", "value"),
    [
        ([2, 6, 3, 3], "mean", 3.5),
        ([2, 6, 3, 3], "median", 3.0),
        ([2, 6, 3, 3], "harmonic_mean", 3.0),  # 4 / (1/2 + 1/6 + 1/3 + 1/3)
        ([0, 2, 4], "harmonic_mean", 0.0),
        ([2, 6, 3, 3], "last", 3.0),
        ([2, 6, 3, 3], "min", 2.0),
        ([2, 6, 3, 3], "max", 6.0),
        ([1e16, 1, 1, -1e16], "mean", 0.5),  # the sum is rounded only once
        ([1e308, 1e308], "mean", np.inf),
    ],
)
def test_each_statistic(values: list[float], statistic: str, value: float) -> None:
    assert reduce(np.array(values, np.float64), statistic) == value


@given(some)
def test_statistics_are_those_of_the_library_and_lie_between_min_and_max(values: Floats) -> None:
    found = {name: reduce(values, name) for name in get_args(Statistic)}
    assert found["median"] == statistics.median(values.tolist())
    assert found["harmonic_mean"] == pytest.approx(statistics.harmonic_mean(values.tolist()), rel=1e-14)
    assert found["harmonic_mean"] <= found["mean"] * (1 + 1e-15)
    assert all(values.min() * (1 - 1e-13) <= one <= values.max() * (1 + 1e-13) for one in found.values())


@pytest.mark.parametrize(
    ("values", "fraction", "minimum", "kept"),
    [
        ([10, 1, 5, 2, 9, 3, 4, 6, 7, 8], 0.2, 0, [5, 3, 4, 6, 7, 8]),  # the 2 lowest and the 2 highest go
        (list(range(39)), 0.05, 0, list(range(1, 38))),  # 1.95 is 1 at each end
        (list(range(20)), 0.05, 5, list(range(5, 15))),  # 1, but at least 5
    ],
)
def test_trim_cuts_both_ends_of_the_sorted_values(
    values: list[int], fraction: float, minimum: int, kept: list[int]
) -> None:
    assert np.array(values)[trim(np.array(values, np.float64), fraction, minimum)].tolist() == kept


def test_among_equal_values_trim_cuts_the_first_as_lowest_and_the_last_as_highest() -> None:
    assert trim(np.full(4, 7.0), 0, 1).tolist() == [False, True, True, False]


@given(some, st.floats(0, 0.49))
def test_nothing_that_trim_keeps_is_beyond_what_it_cuts(values: Floats, fraction: float) -> None:
    kept = trim(values, fraction, 0)
    cut = (len(values) - kept.sum()) // 2
    assert values[kept].min() == np.sort(values)[cut]
    assert values[kept].max() == np.sort(values)[len(values) - cut - 1]


@pytest.mark.parametrize(("repeats", "value"), [("median", 14.0), ("mean", 34.5), ("olympic", 14.0), ("max", 100.0)])
def test_each_way_to_put_repeats_together(repeats: str, value: float) -> None:
    assert reduce_repeats([100, 10, 16, 12], repeats) == value


def combined(quantity: str, values: list[float]) -> float:
    return QUANTITIES[quantity].combined(values, Protocol())


@pytest.mark.parametrize(("quantity", "value"), [("median_of_runs", 6.6), ("lowest_run", 6.1), ("highest_run", 6.9)])
def test_the_spread_of_runs_needs_two(quantity: str, value: float) -> None:
    assert combined(quantity, [6.5, 6.4, 6.9, 6.6, 6.6, 6.7, 6.1]) == value
    assert refusal(lambda: combined(quantity, [1.0])).code == Code.FEW_REPEATS


def refusal(refused: Callable[[], object]) -> Diagnostic:
    with pytest.raises(NoMeasurement) as raised:
        refused()
    assert raised.value.diagnostic is not None
    return raised.value.diagnostic


def test_too_few_values_are_refused() -> None:
    nothing = say(Code.NO_WINDOW, protocol="trim=0.05 trim_min=5", count=10)
    assert refusal(lambda: trim(np.arange(10.0), 0.05, 5)) == nothing
    assert refusal(lambda: olympic([1, 2])) == say(Code.FEW_REPEATS, rule="repeats=olympic", least=3, count=2)
