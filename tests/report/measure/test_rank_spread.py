"""Ranks that each print their own numbers: the job's is their sum where all are there, and slow ones are named."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from report.measure.diagnostics import Code
from report.measure.measurement import Measurement
from report.measure.ranks import RankSpread
from tests.report.measure.made_runs import measured, run, stated, uses

STEPS = 6


def ranks_of(
    values: Sequence[float], scope: str = "card", column: str = "throughput", *, named: bool = True, **facts: int
) -> Any:
    """A run in which each rank prints its number at each step, a little more with each."""
    count = len(values)
    steps = np.repeat(np.arange(1, STEPS + 1), count)
    columns: dict[str, Any] = {"step": steps, column: np.tile(values, STEPS) + steps / 1000}
    if named:
        columns["rank"] = np.tile(np.arange(count), STEPS)
    means = {column: {"scope": scope, "kind": "instant"}} if column == "throughput" else {}
    return run(facts=facts, means=means, **columns)


def codes(found: Measurement) -> set[Code]:
    return {Code(said.code) for said in found.diagnostics}


def number(made: Any) -> Measurement:
    found = measured(made)
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize("protocol", ["estimate=reported", "estimate=instant", ""], ids=["stated", "instant", "rule"])
@pytest.mark.parametrize(
    ("values", "cards", "value", "scope", "is_summed"),
    [
        ([100, 90, 110, 80], 4, 380, "job", True),
        ([100, 90, 110], 4, 400, "job", False),  # of the lowest rank, as it stands for all cards
        ([100, 90], 0, 100, "card", False),
    ],
)
def test_the_rate_of_the_job_is_the_sum_over_ranks_where_all_are_there(
    values: list[float], cards: int, value: float, scope: str, is_summed: bool, protocol: str
) -> None:
    made = ranks_of(values, cards=cards)
    found = stated(protocol, made) if protocol else number(made)
    assert (found.scope, found.ranks is not None and found.ranks.is_summed) == (scope, is_summed)
    assert found.value == pytest.approx(value, rel=1e-3)
    assert (Code.RANKS_SUMMED in codes(found)) == is_summed


def test_the_records_of_the_other_ranks_are_part_of_the_sum_and_the_window_counts_those_of_one() -> None:
    found = stated("estimate=reported,skip_records=4", ranks_of([100, 90], cards=2))
    assert uses(found) == " ".join(["skip_records summed"] * 4 + ["used summed"] * 2)
    assert found.value == pytest.approx(190.011)


def test_a_rank_that_prints_no_number_is_not_the_one_used() -> None:
    found = stated("plain", run(step=[1, 1, 2, 2], rank=[0, 1, 0, 1], throughput=[np.nan, 20, np.nan, 20]))
    assert uses(found) == "no_value used no_value used"


@pytest.mark.parametrize("named", [True, False])
def test_ranks_that_each_print_their_own_rate_are_not_sold_as_the_whole_job(*, named: bool) -> None:
    found = stated("plain", ranks_of([100, 101, 99.5, 100.25], "job", named=named, cards=4))
    assert (found.scope, Code.RANKS_UNNAMED in codes(found)) == ("unknown", True)
    alike = stated("plain", ranks_of([100, 100], "job", named=named, cards=2))
    assert alike.scope == "job"
    assert alike.value == pytest.approx(100.0035)


@pytest.mark.parametrize(("rate", "scope"), [(64, "job"), (32, "unknown"), (8, "unknown")])
def test_the_time_of_a_step_proves_that_a_rate_is_of_the_whole_job(rate: float, scope: str) -> None:
    steps, ranks = np.repeat(np.arange(1, 9), 2), np.tile([0, 1], 8)
    columns: dict[str, Any] = {"step": steps, "rank": ranks, "step_time": np.full(16, 0.512)}
    found = measured(run(facts={"cards": 2, "batch_size": 16}, throughput=rate / 1.024 + ranks / 10, **columns))
    assert not isinstance(found, Measurement) or found.status == "contradicted" or found.scope == scope


@pytest.mark.parametrize(
    ("values", "slowest"), [([100, 98], (1, 98)), ([100, 99.5], None), ([100, 100, 100, 80], (3, 80))]
)
def test_ranks_that_are_more_than_one_percent_apart_are_told(
    values: list[float], slowest: tuple[int, float] | None
) -> None:
    said = [one for one in number(ranks_of(values, cards=len(values))).diagnostics if one.code == Code.RANKS_DIFFER]
    told = [(one.values["slowest_rank"], round(one.number("slowest"))) for one in said]
    assert told == ([slowest] if slowest else [])


def spread(values: Sequence[float], *, are_times: bool = False) -> RankSpread:
    """Of ranks four on a node."""
    return RankSpread(tuple(range(len(values))), tuple(values), "samples/s", 4, are_times=are_times)


def test_the_imbalance_is_that_of_the_slowest_rank_behind_the_median() -> None:
    assert spread([100, 100, 100, 90]).imbalance == pytest.approx(0.1)
    assert spread([1.0, 1.0, 1.25], are_times=True).imbalance == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("values", "slow"),
    [
        ([100, 101, 100, 99, 95, 94, 96, 95], [1]),
        ([100, 101, 100, 99, 95, 94, 100, 95], []),
        ([100] * 4 + [90] * 4 + [100] * 4 + [80] * 4 + [100] * 4, [1, 3]),
        ([100] * 8, []),
        ([100] * 4, []),
    ],
)
def test_nodes_are_slow_whose_ranks_are_all_behind_those_of_the_others(values: list[float], slow: list[int]) -> None:
    rates, times = spread(values), spread([1 / value for value in values], are_times=True)
    assert ([*rates.slow_nodes], [*times.slow_nodes]) == (slow, slow)
    assert [said.values["node"] for said in rates.diagnostics if said.code == Code.SLOW_NODE] == slow


def simulated(seed: int, slow: Sequence[int] = (), steps: int = 40) -> RankSpread:
    """Eight nodes of eight ranks, whose rates vary by 2% from step to step; of some of them all are 5% lower."""
    rates = 100 * (1 + 0.02 * np.random.default_rng(seed).standard_normal((steps, 64)))
    rates[:, list(slow)] *= 0.95
    return RankSpread(tuple(range(64)), tuple(rates.mean(axis=0).tolist()), "samples/s", 8)


def test_a_node_that_is_slower_by_5_percent_is_named_among_8() -> None:
    assert [[*simulated(node, range(8 * node, 8 * node + 8)).slow_nodes] for node in range(8)] == [
        [n] for n in range(8)
    ]
