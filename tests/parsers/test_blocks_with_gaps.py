"""Records over several lines of which some lack a part: the losses of most steps, or the counter of a second run."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import of_runs, read, speed

Tells = Callable[[int], bool]


def steps(begin: str, end: str, *, tells: Tells, told: str = "loss = {loss:.3f}\n", every: str = "") -> str:
    """Blocks of a hundred steps, of which those tell their loss that ``tells`` names."""
    text = ""
    for n in range(100):
        middle = told if tells(n) else ""
        text += (begin + middle + every + end).format(n=n, took=0.3 + (7 * n % 5) / 50, loss=4 / (1 + n / 9))
    return text


def each_tenth(n: int) -> bool:
    return n % 10 == 9


WITH_LOSSES = {
    "its unit is told": steps("Step {n}\n", "Step time: {took:.3f} s\n", tells=each_tenth),
    "it is called a total": steps("Iteration: {n}\n", "Total iter time: {took:.2f} seconds\n", tells=each_tenth),
    "its name is a phrase": steps("iter {n}\n", "each iteration took {took:.3f}s\n", tells=each_tenth),
    "it is Chinese": steps("迭代: {n}\n", "每步耗时: {took:.3f} 秒\n", tells=each_tenth, told="损失: {loss:.3f}\n"),
}


@pytest.mark.parametrize("text", WITH_LOSSES.values(), ids=WITH_LOSSES)
def test_the_time_of_a_step_is_read_though_only_every_tenth_block_has_a_loss(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) == (approx(1 / 0.34, rel=0.01), "steps/s")


NOT_TRAINING = {
    "nothing tells of training": steps("Step {n}\n", "Step time: {took:.3f} s\n", tells=lambda n: False),
    "only what goes before does": "".join(f"epoch {n} loss {3 / n:.3f}\n" for n in range(1, 9))
    + steps("Step {n}\n", "Step time: {took:.3f} s\n", tells=lambda n: False),
    "losses stand here and there": steps(
        "Step {n}\n", "Step time: {took:.3f} s\n", tells=lambda n: n in (1, 3, 4, 30, 31)
    ),
    "only one half has losses": steps("Step {n}\n", "Step time: {took:.3f} s\n", tells=lambda n: n % 5 == 0 and n < 50),
    "the time has no name": steps("Step {n}\n", "Time: {took:.3f} s\n", tells=each_tenth),
    "the steps are of a test": steps("Test step {n}\n", "Step time: {took:.3f} s\n", tells=each_tenth),
    "each is evaluated": steps("Step {n}\n", "Step time: {took:.3f} s\n", tells=each_tenth, every="Evaluating ...\n"),
}


@pytest.mark.parametrize("text", NOT_TRAINING.values(), ids=NOT_TRAINING)
def test_the_time_of_a_step_is_not_that_of_training_where(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) is None


def run(seconds: float, *, has_first: bool = True, end: str = "Epoch train finished, avg_loss={loss:.4f}, ") -> str:
    text = ""
    for n in range(1, 21):
        text += f"Epoch {n}/20 started\n" if n > 1 or has_first else "\n"
        text += "".join(f"step={20 * k}/144 loss={4 / n:.4f}\n" for k in range(1, 8))
        text += (end + "time={took:.1f}s\n").format(loss=3 / n, took=seconds + 3 * n % 5 / 10)
        text += "val results: Top-1: 0.5, Top-5: 0.7\n"
    return text


def test_a_time_that_ends_an_epoch_of_lines_of_steps_is_that_of_the_epoch(tmp_path: Path) -> None:
    assert speed(tmp_path, run(32)) == (approx(1 / 32.2, rel=0.01), "epochs/s")


def test_a_second_run_whose_first_counter_is_lost_does_not_hide_the_times_of_the_epochs(tmp_path: Path) -> None:
    found = read(tmp_path, run(32) + run(64, has_first=False))
    assert found.status == "contradicted"
    assert of_runs(found) == [approx(1 / 32.2, rel=0.01), approx(1 / 64.2, rel=0.01)]


def test_a_time_below_the_title_of_an_evaluation_is_none_of_an_epoch(tmp_path: Path) -> None:
    assert speed(tmp_path, run(32, end="Evaluating ...\n")) is None
