import statistics
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.series import Floats
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Statistic
from report.measure.statistic import olympic, reduce, reduce_repeats, trim

some = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=60).map(np.array)


def array(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        ("mean", 3.5),  # (2 + 6 + 3 + 3) / 4
        ("median", 3.0),  # of 2 3 3 6
        ("harmonic_mean", 3.0),  # 4 / (1/2 + 1/6 + 1/3 + 1/3)
        ("geometric_mean", 108**0.25),
        ("p25", 2.75),  # of 2 3 3 6
        ("p90", 5.1),
        ("last", 3.0),
        ("min", 2.0),
        ("max", 6.0),
    ],
)
def test_each_statistic_of_2_6_3_3(statistic: str, value: float) -> None:
    assert reduce(array(2, 6, 3, 3), statistic) == pytest.approx(value, rel=1e-15)


def test_the_sum_of_a_mean_is_rounded_only_once() -> None:
    assert reduce(array(1e16, 1, 1, -1e16), "mean") == 0.5


@given(some, st.sampled_from(get_args(Statistic)))
def test_every_statistic_lies_between_min_and_max(values: Floats, statistic: str) -> None:
    noise = 1e-13
    assert values.min() * (1 - noise) <= reduce(values, statistic) <= values.max() * (1 + noise)


@given(some)
def test_the_mean_is_never_below_the_harmonic_mean(values: Floats) -> None:
    assert reduce(values, "harmonic_mean") <= reduce(values, "mean") * (1 + 1e-15)


@given(some)
def test_the_median_is_that_of_the_library(values: Floats) -> None:
    assert reduce(values, "median") == statistics.median(values.tolist())


@given(some)
def test_the_harmonic_mean_is_that_of_the_library(values: Floats) -> None:
    assert reduce(values, "harmonic_mean") == pytest.approx(statistics.harmonic_mean(values.tolist()), rel=1e-14)


def test_trim_cuts_the_fraction_from_each_end_of_the_sorted_values() -> None:
    # 10 values, a fraction of 0.2: the 2 lowest (1, 2) and the 2 highest (9, 10) go.
    values = array(10, 1, 5, 2, 9, 3, 4, 6, 7, 8)
    assert values[trim(values, 0.2, 0)].tolist() == [5, 3, 4, 6, 7, 8]


def test_trim_truncates_the_number_to_cut() -> None:
    # 0.05 x 39 = 1.95 is 1 at each end.
    assert trim(np.arange(39.0), 0.05, 0).sum() == 37


def test_trim_cuts_at_least_the_minimum() -> None:
    # 0.05 x 20 = 1, but at least 5 at each end.
    assert np.flatnonzero(trim(np.arange(20.0), 0.05, 5)).tolist() == [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]


def test_among_equal_values_trim_cuts_the_first_as_lowest_and_the_last_as_highest() -> None:
    assert trim(array(7, 7, 7, 7), 0, 1).tolist() == [False, True, True, False]


def test_trim_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(NoMeasurement, match="trim removes 5 values from each end, but the window has only 10"):
        trim(np.arange(10.0), 0.05, 5)


@given(some, st.floats(0, 0.49))
def test_nothing_that_trim_keeps_is_beyond_what_it_cuts(values: Floats, fraction: float) -> None:
    kept = trim(values, fraction, 0)
    cut = (len(values) - kept.sum()) // 2
    assert values[kept].min() == np.sort(values)[cut]
    assert values[kept].max() == np.sort(values)[len(values) - cut - 1]


@pytest.mark.parametrize(
    ("repeats", "value"),
    [
        ("median", 14.0),  # of 10 12 16 100: (12 + 16) / 2
        ("mean", 34.5),  # 138 / 4
        ("olympic", 14.0),  # without 10 and 100
        ("max", 100.0),
    ],
)
def test_each_way_to_put_repeats_together(repeats: str, value: float) -> None:
    assert reduce_repeats([100, 10, 16, 12], repeats) == value


def test_olympic_needs_three_runs() -> None:
    with pytest.raises(NoMeasurement, match="at least 3 runs; found 2"):
        olympic([1, 2])


@given(st.lists(st.floats(1, 1e6), min_size=3), st.sampled_from(["median", "mean", "olympic", "max"]))
def test_the_value_of_repeats_lies_between_them(values: list[float], repeats: str) -> None:
    assert min(values) * (1 - 1e-15) <= reduce_repeats(values, repeats) <= max(values) * (1 + 1e-15)


def test_a_mean_is_infinite_where_no_number_holds_the_sum() -> None:
    assert reduce(array(1e308, 1e308), "mean") == np.inf
