"""Thinning a long series: nothing that stands out gets lost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from report.charts.timeline import thinned

values = arrays.arrays(np.float64, st.integers(1, 400), elements=st.floats(-1e300, 1e300, allow_nan=False))
counts = st.integers(2, 50)


@given(values, counts)
def test_few_points_are_left_in_their_order_with_the_lowest_and_the_highest(
    series: "np.ndarray[tuple[int], np.dtype[np.float64]]", most: int
) -> None:
    places = thinned(series, most)
    kept = series[places]
    assert (kept.min(), kept.max()) == (series.min(), series.max())
    assert (len(kept) <= most, bool((np.diff(places) > 0).all())) == (True, True)
