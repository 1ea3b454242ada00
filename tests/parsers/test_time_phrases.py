"""Times that words say are of a step or of an epoch, in many wordings; and others that are called much the same."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import read, speed


def steps(line: str, *, seconds: float = 0.5, every: int = 10) -> str:
    """Three epochs of 14 lines of steps, each of which takes about so long."""
    lines = (
        line.format(s=every * n, took=seconds + (7 * n + epoch) % 5 / 50, loss=4 / (epoch + n / 20)) + "\n"
        for epoch in range(1, 4)
        for n in range(1, 15)
    )
    return "".join(lines)


def epochs(line: str) -> str:
    """Twenty epochs, each of which takes about 40."""
    return "".join(line.format(e=e, took=40 + (7 * e % 5) / 10, loss=3 / (e + 1)) + "\n" for e in range(20))


OF_STEPS = (
    "step {s}, loss {loss:.3f}, {took:.3f} sec per mini-batch",
    "[{s}/140] loss {loss:.3f} ({took:.3f} seconds per training step)",
    "Iteration {s}: loss {loss:.3f} ({took:.3f} seconds per iteration)",
    "step {s} loss {loss:.3f}, {took:.3f} s for each step",
    "iteration {s}\nAverage per iter: {took:.4f} second.   ETA: 0.77 hours\nloss:{loss:.3f}",
    "step {s} loss {loss:.3f}, each step took {took:.3f} seconds",
    "Iter {s} loss={loss:.3f} one iteration costs {took:.3f}s",
    "batch {s} loss {loss:.3f} average time for one batch: {took:.3f} s",
    "步数 {s} 损失 {loss:.3f} 平均每步用时 {took:.3f} 秒",
    "步数: {s}, 损失: {loss:.3f}, 每个batch耗时: {took:.3f}s",
    "步数: {s}, 损失: {loss:.3f}, {took:.3f}秒/每步",
)


@pytest.mark.parametrize("line", OF_STEPS)
def test_a_time_that_words_say_is_of_one_step_is_read(tmp_path: Path, line: str) -> None:
    assert speed(tmp_path, steps(line)) == (approx(1 / 0.54, rel=0.01), "steps/s")


OF_LOOPS = (
    "iter {s:06d}/000141 | nll loss: {loss:.4f} | {took:.4f}s per loop",
    "step {s} loss {loss:.3f} {took:.3f} s/loop",
    "step: {s}, loss: {loss:.3f}, time per loop: {took:.3f} s",
)


@pytest.mark.parametrize("line", OF_LOOPS)
def test_one_of_a_loop_is_taken_for_a_step_where_lines_count_steps_and_it_is_said(tmp_path: Path, line: str) -> None:
    found = read(tmp_path, steps(line))
    assert found.measurement is not None
    assert found.measurement.value == approx(1 / 0.54, rel=0.01)
    assert "one loop is assumed to be one step" in " ".join(map(str, found.warnings))


NOT_OF_STEPS = {
    "a loop of an evaluation": steps("val iter {s}/140 | nll loss: {loss:.4f} | {took:.4f}s per loop"),
    "the data of a loop": steps("iter {s}/140 | loss: {loss:.4f} | data {took:.4f}s per loop"),
    "the loading of data": steps("iter {s} | loss: {loss:.4f} | data loading per step: {took:.4f}s"),
    "a loop of an unknown kind": epochs("epoch {e} loss {loss:.3f} {took:.1f}s per loop"),
    "a loop of a benchmark": "".join(f"iter {10 * n} 0.{30 + n}s per loop\n" for n in range(9)),
    "a loop of timeit": "".join(f"1.{n} ms per loop (mean of 7 runs, 100 loops each)\n" for n in range(9)),
    "the time step of a simulation": steps("step {s} loss {loss:.3f} time step: {took:.4f} s"),
    "a checkpoint": steps("step {s} loss {loss:.3f} checkpoint every step: {took:.4f} s"),
    "several steps": steps("step {s} loss {loss:.3f} steps took {took:.1f} s"),
    "a total": "".join(f"step {n} loss {3 / n:.3f} each step took {2.5 * n} s\n" for n in range(1, 20)),
}


@pytest.mark.parametrize("text", NOT_OF_STEPS.values(), ids=NOT_OF_STEPS)
def test_a_time_is_not_taken_for_that_of_a_step_where_it_is_of(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) is None


OF_EPOCHS = {
    "[{e}/100][319/320]\tLoss: {loss:.4f}\nTraining time takes approximately:  {took} minutes at current epoch": 60,
    "Epoch {e}: loss {loss:.4f}\nTook {took} seconds for this epoch": 1,
    "epoch {e} loss {loss:.4f} {took:.1f} min/epoch": 60,
    "第 {e} 轮 损失: {loss:.4f} 本轮用时: {took} 秒": 1,
    "第 {e} 轮 损失: {loss:.4f}\n每轮训练耗时: {took} 分钟": 60,
}


@pytest.mark.parametrize(("line", "unit"), OF_EPOCHS.items())
def test_a_time_that_words_say_is_of_one_epoch_is_read(tmp_path: Path, line: str, unit: float) -> None:
    assert speed(tmp_path, epochs(line)) == (approx(1 / 40.2 / unit, rel=0.01), "epochs/s")


NOT_OF_EPOCHS = (
    "Epoch {e}: loss {loss:.4f}\nTesting took {took} seconds for this epoch",
    "Epoch {e}: loss {loss:.4f}\ndata loading took {took} seconds per epoch",
    "Epoch {e} loss {loss:.3f}\nCheckpoint saved in {took} s for this epoch",
    "Epoch {e} loss {loss:.3f}\nremaining: {took} s for this epoch",
    "第 {e} 轮 损失: {loss:.4f}\n每轮验证耗时: {took} 秒",
)


@pytest.mark.parametrize("line", NOT_OF_EPOCHS)
def test_what_else_takes_time_in_an_epoch_is_not_the_epoch(tmp_path: Path, line: str) -> None:
    assert speed(tmp_path, epochs(line)) is None


def test_words_that_begin_as_a_number_that_is_none_do_not_hide_the_place_of_a_time(tmp_path: Path) -> None:
    line = "iter {s:06d}/000141 | nll loss: {loss:.4f} | {took:.4f}s per step"
    assert speed(tmp_path, steps(line)) == (approx(1 / 0.54, rel=0.01), "steps/s")
