"""Workers: the results of many tasks come in their order, whichever process made them, and none waits in vain."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.sharing.workers import AHEAD, ALONE, MOST_TASKS, Workers, WorkersError
from tests.parsers.shared_work import die, large, process_of

TWO = Workers(jobs=2)
COUNTS = [1, 5 * MOST_TASKS]


def small(_: object) -> int:
    return 1


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("workers", [ALONE, TWO])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("size", [small, large])
def test_results_are_in_the_order_of_the_tasks(workers: Workers, count: int, size: "type[int]") -> None:
    with workers.each(abs, range(-count, 0), size) as results:
        assert list(results) == list(range(count, 0, -1))


@pytest.mark.parametrize("count", [4, 5 * MOST_TASKS])
def test_what_a_task_raises_is_raised_where_its_result_is_taken(count: int) -> None:
    with TWO.each(fail_on_three, range(count), large) as results:
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="three"):
            next(results)


def test_two_large_logs_are_worth_two_processes() -> None:
    with TWO.each(process_of, range(2), large) as results:
        assert os.getpid() not in set(results)


def first_slowly(number: int) -> int:
    time.sleep(0 if number else 0.2)
    return number


def test_only_so_many_tasks_are_found_before_the_first_result_is_taken() -> None:
    found = []

    def tasks() -> Iterator[int]:
        for number in range(100 * AHEAD):
            found.append(number)
            yield number

    with TWO.each(first_slowly, tasks(), large) as results:
        assert [next(results), next(results)] == [0, 1]
        assert len(found) <= AHEAD + 2


def wait_a_little(path: Path) -> None:
    time.sleep(0.05)
    path.touch()


def test_nothing_is_begun_after_an_error(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(200)]
    with pytest.raises(ValueError, match="elsewhere"), TWO.each(wait_a_little, paths, large):
        raise ValueError("elsewhere")
    left = len(list(tmp_path.iterdir()))
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) == left < len(paths)


def test_a_process_that_is_killed_is_told_in_a_sentence() -> None:
    with pytest.raises(WorkersError, match="was killed"), TWO.each(die, range(8), large) as results:
        list(results)
