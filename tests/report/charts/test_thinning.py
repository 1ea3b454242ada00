"""Thinning a long series: nothing that stands out gets lost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from report.charts.timeline import MOST_POINTS, thinned

values = arrays.arrays(np.float64, st.integers(1, 400), elements=st.floats(-1e300, 1e300, allow_nan=False))
counts = st.integers(2, 50)


@given(values, counts)
def test_the_lowest_and_the_highest_value_are_kept(
    series: "np.ndarray[tuple[int], np.dtype[np.float64]]", most: int
) -> None:
    kept = series[thinned(series, most)]
    assert (kept.min(), kept.max()) == (series.min(), series.max())


@given(values, counts)
def test_there_are_never_more_points_than_allowed(
    series: "np.ndarray[tuple[int], np.dtype[np.float64]]", most: int
) -> None:
    assert 1 <= len(thinned(series, most)) <= most


@given(values, counts)
def test_the_points_stay_in_their_order(series: "np.ndarray[tuple[int], np.dtype[np.float64]]", most: int) -> None:
    assert (np.diff(thinned(series, most)) > 0).all()


@given(values)
def test_a_short_series_is_kept_whole(series: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    assert thinned(series, MOST_POINTS).tolist() == list(range(len(series)))
