"""The pool: the results of many tasks come in their order, whichever process made them."""

import os
import signal
import time
from pathlib import Path

import pytest

from report.evidence.pool import WORTH_A_POOL, on_all_cores

COUNTS = [1, 5 * WORTH_A_POOL]


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("largest", [1, 1 << 30])
def test_results_are_in_the_order_of_the_tasks(count: int, largest: int) -> None:
    with on_all_cores(abs, range(-count, 0), largest=largest) as results:
        assert list(results) == list(range(count, 0, -1))


@pytest.mark.parametrize("count", [4, 5 * WORTH_A_POOL])
def test_what_a_task_raises_is_raised_where_its_result_is_taken(count: int) -> None:
    with on_all_cores(fail_on_three, range(count), largest=1 << 30) as results:
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="three"):
            next(results)


def test_no_tasks_have_no_results() -> None:
    nothing: list[int] = []
    with on_all_cores(abs, nothing) as results:
        assert list(results) == nothing


def wait_a_little(path: Path) -> None:
    time.sleep(0.05)
    path.touch()


def test_nothing_is_begun_after_an_error(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(200)]
    with pytest.raises(ValueError, match="elsewhere"), on_all_cores(wait_a_little, paths, largest=1 << 30):
        raise ValueError("elsewhere")
    left = len(list(tmp_path.iterdir()))
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) == left < len(paths)


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_is_reported_in_a_sentence() -> None:
    with pytest.raises(ChildProcessError, match="was killed"), on_all_cores(die, range(WORTH_A_POOL)) as results:
        list(results)
