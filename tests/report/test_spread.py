"""The spread of repeated runs: which runs it takes, and that it comes out the same every time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measure.quantity import QUANTITIES
from report.measure.statistic import RESAMPLES, resampled

RUNS = [6.5, 6.4, 6.9, 6.6, 6.6, 6.7, 6.1]

runs = st.lists(st.floats(1e-3, 1e6), min_size=3, max_size=9)
OF_RUNS = [name for name, quantity in QUANTITIES.items() if quantity.of_runs]

every_rule = pytest.mark.parametrize("repeats", ["median", "mean", "olympic", "max"])


def spread(quantity: str, values: list[float], repeats: str) -> float:
    return QUANTITIES[quantity].combined(values, Protocol.parse(f"repeats={repeats}"))


@pytest.mark.parametrize(
    ("quantity", "value"),
    [("median_of_runs", 6.6), ("lowest_run", 6.1), ("highest_run", 6.9)],
)
def test_the_middle_the_lowest_and_the_highest_run_are_runs(quantity: str, value: float) -> None:
    assert spread(quantity, RUNS, "mean") == value


def test_the_interval_is_that_of_the_median_of_the_draws() -> None:
    assert (spread("interval_low", RUNS, "median"), spread("interval_high", RUNS, "median")) == (6.4, 6.7)


@every_rule
@given(values=runs)
def test_the_interval_is_between_the_lowest_and_the_highest_run(repeats: str, values: list[float]) -> None:
    low, high = spread("interval_low", values, repeats), spread("interval_high", values, repeats)
    margin = 1e-9 * max(values)
    assert min(values) - margin <= low <= high <= max(values) + margin


@every_rule
def test_the_draws_are_the_same_every_time(repeats: str) -> None:
    assert resampled(RUNS, repeats).tolist() == resampled(RUNS, repeats).tolist()
    assert len(resampled(RUNS, repeats)) == RESAMPLES


@pytest.mark.parametrize("quantity", OF_RUNS)
def test_one_run_has_no_spread(quantity: str) -> None:
    with pytest.raises(NoMeasurement, match="at least two runs"):
        spread(quantity, [1.0], "median")
