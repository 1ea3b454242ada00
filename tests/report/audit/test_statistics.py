"""Columns against logs: what is true is found with its rule, a changed number is not, and accident proves nothing."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from report.audit.chance import SIGNIFICANT, Hit
from report.audit.claims import Claim
from report.audit.documents import ITEM
from report.audit.evidence import GREATEST, LAST, LEAST, Stated, Statistic
from report.audit.number import Number
from report.audit.rules.statistics import StatisticSearch
from tests.report.audit.made_up import a_claim, explained, the_last

SEEDS = st.integers(0, 2**32 - 1)
TRIALS = 150


def column(values: Sequence[float], decimals: int = 4) -> list[Claim]:
    return [a_claim(f"{value:.{decimals}f}", row=row) for row, value in enumerate(values)]


def logs_of(values: Sequence[float]) -> dict[str, Stated]:
    return {f"runs/{number}.log": Stated(str(number), [the_last(value)]) for number, value in enumerate(values)}


def rule_of(logs: dict[str, Stated]) -> Hit:
    """By which rule the mean of all losses is explained from the logs around it."""
    (found,) = StatisticSearch(logs).explain_column([a_claim(f"{np.mean(LOSSES):.7f}")], lambda _: ([], sorted(logs)))
    (hit,) = found.hits.values()
    return hit


def of_linked(search: StatisticSearch, claims: Sequence[Claim], around: Sequence[str] = ()) -> set[int]:
    """The claims of a column that are explained, each of which leads to the log of its row."""
    paths = list(search.logs)
    return explained(claims, search.explain_column(claims, lambda claim: ([paths[claim.row]], around)))


def changed(claim: Claim, steps: int) -> Claim:
    number = claim.number
    return replace(claim, number=Number.of(f"{number.value + steps * number.step:.4f}"))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(SEEDS, st.integers(3, 12), st.data())
def test_a_changed_number_is_not_proved(seed: int, rows: int, data: st.DataObject) -> None:
    values = (3 + np.random.default_rng(seed).random(rows)).tolist()
    search, claims = StatisticSearch(logs_of(values)), column(values)
    assert of_linked(search, claims) == set(range(rows))
    row = data.draw(st.integers(0, rows - 1))
    claims[row] = changed(claims[row], data.draw(st.sampled_from((-50, -2, 2, 50))))
    assert of_linked(search, claims) == set(range(rows)) - {row}


@settings(max_examples=12, deadline=None, derandomize=True)
@given(SEEDS, st.integers(1, 8), st.integers(1, 6), st.floats(0.002, 0.5), st.booleans())
def test_logs_of_something_else_prove_nothing(
    seed: int, rows: int, series: int, spread: float, is_pooled: bool
) -> None:
    """Claims and logs are of the same size and drawn alike: whatever is found is accidental."""
    random = np.random.default_rng(seed)
    times = 0
    for _ in range(TRIALS):
        said, logged = 3 * random.lognormal(0, spread, rows), 3 * random.lognormal(0, spread, (rows, series))
        logs = {
            f"{row}.log": Stated(
                str(row),
                [
                    replace(the_last(logged[row, one], f"loss_{one}"), how=how)
                    for one in range(series)
                    for how in (LAST, LEAST, GREATEST)
                ],
            )
            for row in range(rows)
        }
        times += bool(of_linked(StatisticSearch(logs), column(said.tolist()), list(logs) if is_pooled else []))
    bound = SIGNIFICANT * sum(1 / rank for rank in range(1, 3 * series * 8))
    assert times <= TRIALS * bound + 5 * sqrt(TRIALS * bound)


TIMES = (178_345.0, 181_207.0, 176_911.0)
LOSSES = (3.2817, 3.2791, 3.2769, 3.2802, 3.2779, 3.2811, 3.2754)


def test_a_mean_is_of_all_logs_of_a_folder() -> None:
    rule = rule_of(logs_of(LOSSES))
    assert (rule.over, rule.count) == ("mean", 7)


def test_a_copy_of_a_log_is_no_other_run() -> None:
    logs = logs_of(LOSSES)
    logs["runs/copy.log"] = logs["runs/0.log"]
    assert rule_of(logs).count == 7


def test_a_summary_beside_logs_is_no_other_run() -> None:
    logs = logs_of(LOSSES) | {"runs/submission.json": Stated("best", [the_last(min(LOSSES))])}
    assert rule_of(logs).count == 7


def test_equal_items_of_a_list_are_of_different_logs() -> None:
    logs = logs_of([3.2817, 3.2791, 3.2768])
    claims = [replace(one, place=ITEM) for one in column([3.2817, 3.2817, 3.2791, 3.2768])]
    found = StatisticSearch(logs).explain_column(claims, lambda _: ([], list(logs)))
    assert explained(claims, found) == {0, 2, 3}


def test_a_time_may_be_in_another_unit() -> None:
    logs = {
        f"{row}.log": Stated(str(row), [Statistic("train_time", LAST, value, 5, 1e-3)])
        for row, value in enumerate(TIMES)
    }
    claims = [replace(a_claim(f"{time / 6e4:.3f}", "time", row), unit_seconds=60.0) for row, time in enumerate(TIMES)]
    assert of_linked(StatisticSearch(logs), claims) == {0, 1, 2}
