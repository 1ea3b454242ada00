"""Times that are called elapsed or total, but do not rise: those of single steps, where something shows it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import read, speed, stamp


def even(n: int) -> float:
    return 5.9 + (7 * n % 5) / 20


def steps(line: str, *, every: int = 1, took: Callable[[int], float] = even, apart: float = 6.0) -> str:
    """Thirty records of a step, or of every tenth, with stamps so far apart for each step."""
    return "".join(
        line.format(s=every * n, took=took(n), loss=4 / (1 + n / 20), stamp=stamp(apart * every * n)) + "\n"
        for n in range(1, 31)
    )


OF_STEPS = {
    "stamps show it": steps("{stamp} Steps {s}, Total time {took:.2f}, data 0.01%. Loss {loss:.3f}", every=10),
    "each step has a line": steps("Step {s} loss {loss:.3f} elapsed time: {took:.2f}s"),
    "each step has a block": steps("Step {s}\nPolicy loss: {loss:.3f}\nTime elapsed (s): {took:.3f}"),
    "it is called a wall time": steps("iteration {s} loss = {loss:.3f} wall time = {took:.2f} s"),
    "it is Chinese": steps("步数: {s} 损失: {loss:.3f} 总耗时: {took:.2f} 秒"),
}


@pytest.mark.parametrize("text", OF_STEPS.values(), ids=OF_STEPS)
def test_an_elapsed_time_that_does_not_rise_is_of_one_step_where(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) == (approx(1 / 6, rel=0.01), "steps/s")


LINE = "Step {s} loss {loss:.3f} elapsed time: {took:.2f}s"
NOT_KNOWN = {
    "it is not told of each step": steps(LINE, every=10),
    "it has no unit": steps(LINE.removesuffix("s")),
    "it begins anew with every third step": steps(LINE, took=lambda n: 5.9 * (n % 3 + 1)),
    "it begins anew with every second step": steps(LINE, took=lambda n: 5.9 * (n % 2 + 1) + n % 5 / 9),
    "it is of an evaluation": steps(LINE.replace("elapsed", "eval elapsed")),
    "an evaluation stands above": steps("Step {s}\nloss: {loss:.3f}\nEvaluating policy\nTime elapsed (s): {took:.3f}"),
    "a checkpoint stands above": steps("Step {s}\nloss: {loss:.3f}\nSaving model\nTime elapsed (s): {took:.3f}"),
}


@pytest.mark.parametrize("text", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_an_elapsed_time_that_does_not_rise_gives_no_speed_where(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) is None


def test_an_elapsed_time_of_all_steps_between_two_lines_gives_way_to_their_stamps(tmp_path: Path) -> None:
    found = read(tmp_path, steps("{stamp} " + LINE, every=10, took=lambda n: 60 + n % 3 / 10))
    assert found.measurement is not None
    assert found.measurement.value == approx(1 / 6, rel=0.01)
