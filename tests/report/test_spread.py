"""The spread of repeated runs: which runs it takes, and that it comes out the same every time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measuring.protocol import NoMeasurement, Protocol
from report.measuring.quantity import QUANTITIES, Shown, named
from report.measuring.statistic import RESAMPLES, reduce_repeats, resampled

RUNS = [6.5, 6.4, 6.9, 6.6, 6.6, 6.7, 6.1]

runs = st.lists(st.floats(1e-3, 1e6), min_size=3, max_size=9)
OF_RUNS = [name for name, quantity in QUANTITIES.items() if quantity.of_runs]

every_rule = pytest.mark.parametrize("repeats", ["median", "mean", "olympic", "max"])


def spread(quantity: str, values: list[float], repeats: str) -> float:
    return named(quantity).combined(values, Protocol.parse(f"repeats={repeats}"))


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


@every_rule
def test_of_equal_runs_every_draw_is_their_number(repeats: str) -> None:
    assert set(resampled([2.0] * 4, repeats)) == {reduce_repeats([2.0] * 4, repeats)}


@pytest.mark.parametrize("quantity", OF_RUNS)
def test_one_run_has_no_spread(quantity: str) -> None:
    with pytest.raises(NoMeasurement, match="at least two runs"):
        spread(quantity, [1.0], "median")


def test_two_runs_are_too_few_where_the_best_and_the_worst_are_dropped() -> None:
    with pytest.raises(NoMeasurement, match="at least 3 runs"):
        spread("interval_low", [1.0, 2.0], "olympic")


def test_what_is_done_says_how_often_runs_were_drawn_and_of_what() -> None:
    steps = Shown(named("interval_low"), "images/s").steps(Protocol.parse("repeats=mean"))
    assert ("repeats_mean", {}) in steps
    assert ("quantity_interval_low", {"count": RESAMPLES}) in steps


@pytest.mark.parametrize("quantity", ["median_of_runs", "lowest_run", "highest_run"])
def test_a_run_that_is_picked_is_not_put_together_with_others(quantity: str) -> None:
    keys = [key for key, _ in Shown(named(quantity), "images/s").steps(Protocol())]
    assert [key for key in keys if key.startswith("repeats_")] == []
