"""The pool: the results of many tasks come in their order, whichever process made them."""

import pytest

from report.pool import WORTH_A_POOL, on_all_cores

COUNTS = [1, 5 * WORTH_A_POOL]


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("largest", [1, 1 << 30])
def test_results_are_in_the_order_of_the_tasks(count: int, largest: int) -> None:
    assert list(on_all_cores(abs, range(-count, 0), largest=largest)) == list(range(count, 0, -1))


@pytest.mark.parametrize("count", [4, 5 * WORTH_A_POOL])
def test_what_a_task_raises_is_raised_where_its_result_is_taken(count: int) -> None:
    results = on_all_cores(fail_on_three, range(count), largest=1 << 30)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)


def test_no_tasks_have_no_results() -> None:
    assert list(on_all_cores(abs, [])) == []
