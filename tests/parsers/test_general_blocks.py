"""Records over several lines, for the general reader: a time on another line than the counter."""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest
from pytest import approx

from report.evidence.measured_log import MeasuredLog
from tests.parsers.drafting import drafted
from tests.parsers.timed_logs import headline, number, read

SECONDS = (40.0, 20.5, 25.0, 15.5, 20.0, 20.0, 24.5, 14.5)  # 20 on average but for the first


def blocks_read(
    at: Path, *lines: str, before: str = "", after: str = "", seconds: Sequence[float] = SECONDS
) -> MeasuredLog:
    """A log of one block of these lines for each time."""
    return read(at, (before + blocks(lines, seconds) + after))


def blocks(lines: Sequence[str], seconds: Sequence[float] = SECONDS) -> str:
    text, passed = "", 0.0
    for n, took in enumerate(seconds, 1):
        passed += took
        clock = f"{int(passed) // 3600}:{int(passed) // 60 % 60:02d}:{int(passed) % 60:02d}"
        told = {"n": n, "step": 100 * n, "took": took, "passed": passed, "clock": clock, "loss": 3 / n}
        text += "".join(line.format(**told) + "\n" for line in lines)
    return text


CLOCKS = {
    "a clock above what counts": ("=" * 40, "time elapsed: {clock}", "num of updates: {step}", "ret loss: {loss:.5f}"),
    "a clock below it": ("step: {step}", "  loss: {loss:.4f}", "  elapsed time: {passed:.1f} s", ""),
    "other lines between": ("Iteration {step}", "Saving model", "loss = {loss:.3f}", "total time: {passed:.2f}s"),
    "a clock behind those of a test": (
        "Step {step}",
        "loss {loss:.4f}",
        "test acc: 0.5",
        "Elapsed time: {passed:.1f}s",
    ),
}


@pytest.mark.parametrize("lines", CLOCKS.values(), ids=CLOCKS)
def test_a_clock_belongs_to_the_counter_whose_lines_take_turns_with_its_own(
    tmp_path: Path, lines: Sequence[str]
) -> None:
    assert number(blocks_read(tmp_path, *lines)) == (approx(700 / 140, rel=0.01), "steps/s")


EPOCHS = {
    "a time below the loss": ("Epoch {n}/8", "----------", "train loss: {loss:.4f} acc: 0.5", "Time: {took:.1f}s"),
    "a line with the loss": ("Epoch {n}/8", "{took:.1f}s - loss: {loss:.4f} - acc: 0.5"),
    "a blank line between": ("Epoch: {n}", "loss = {loss:.4f}", "", "time taken: {took:.1f} sec", ""),
    "a name that says so, behind a test": (
        "Epoch {n}",
        "train_loss {loss:.4f}",
        "val_loss 0.5",
        "Epoch time: {took:.1f} s",
    ),
    "a name that says so, of nothing but epochs": ("Epoch number: {n}", "Epoch run time in seconds: {took:.2f}"),
    "in Chinese": ("第 {n} 轮", "训练损失: {loss:.4f}", "耗时: {took:.1f} 秒"),
    "lines of a logger": (
        "2031-02-03 INFO Epoch {n}/8",
        "2031-02-03 INFO loss: {loss:.4f}",
        "2031-02-03 INFO Time: {took:.1f}s",
    ),
    "many lines of steps between": (
        "Epoch {n}/8",
        *(f"step {step}/50 loss {{loss:.4f}}" for step in range(1, 51)),
        "Time: {took:.1f}s",
    ),
}


@pytest.mark.parametrize("lines", EPOCHS.values(), ids=EPOCHS)
def test_a_time_in_each_block_of_an_epoch_gives_epochs_a_second(tmp_path: Path, lines: Sequence[str]) -> None:
    assert number(blocks_read(tmp_path, *lines)) == (approx(1 / 20, rel=0.01), "epochs/s")


def test_a_clock_in_each_block_of_an_epoch_is_read(tmp_path: Path) -> None:
    lines = ("Epoch {n} of 8", "loss {loss:.4f}", "val acc 0.5", "Time elapsed: {passed:.1f} s")
    assert drafted(tmp_path, blocks(lines)).reading.records["elapsed"].tolist() == list(accumulate(SECONDS))


def test_the_time_of_a_step_belongs_to_the_step_above_it(tmp_path: Path) -> None:
    found = drafted(tmp_path, blocks(("step: {n}", "loss: {loss:.4f}", "time: {took} s")))
    assert found.reading.records["step"].tolist() == list(range(1, 9))
    assert found.reading.records["step_time"].tolist() == list(SECONDS)


BELOW_A_TEST = ("Epoch {n}", "train loss {loss:.4f}", "val loss 0.5", "time: {took:.2f} s")
TOTAL = sum(SECONDS)


@pytest.mark.parametrize(
    ("total", "is_read"),
    [
        (f"Total training time: {TOTAL + 0.5:.1f} s\n", True),
        (f"Total training time: 0:0{int(TOTAL) // 60}:{int(TOTAL) % 60:02d}\n", True),
        (f"Total training time: {TOTAL * 3:.1f} s\n", False),
        (f"Test time: {TOTAL:.1f} s\n", False),
        (f"Total training time: {TOTAL:.1f}\n", False),
    ],
    ids=["seconds are assumed", "as a clock", "more than they make", "of a test", "without a unit"],
)
def test_times_that_make_that_of_the_whole_run_are_those_of_its_epochs(
    tmp_path: Path, total: str, *, is_read: bool
) -> None:
    found = headline(blocks_read(tmp_path, *BELOW_A_TEST, after=total))
    assert (found is not None) == is_read
    assert found is None or found.value == approx(1 / 20, rel=0.01)


REFUSED = {
    "what stands below that of a test": BELOW_A_TEST,
    "the time of a test": ("Epoch {n}", "loss {loss:.4f}", "Check test accuracy", "Total time: {took:.2f} seconds"),
    "what stands below another result": ("Epoch {n}", "loss {loss:.4f}", "accuracy: 0.5", "Total time: {took:.2f} s"),
    "the time of saving": ("Epoch {n}", "loss {loss:.4f}", "Saving the model", "time: {took:.2f} s"),
    "what stands below a counter that tells of a test": (
        "step {step} loss {loss:.4f}",
        "EPOCH {n} COMPLETE. EVALUATING...",
        "TIME: {took:.2f}s",
    ),
    "a mean of nobody knows what": ("Epoch {n}", "loss {loss:.4f}", "average time: {took:.2f} s"),
    "the time of loading": ("Epoch {n}", "loss {loss:.4f}", "data loading time: {took:.2f} s"),
    "parts of a step": ("step {step}", "loss {loss:.4f}", "forward time: {took:.2f} s", "backward time: {took:.2f} s"),
    "the time of nobody knows how many steps": ("step {step}", "loss {loss:.4f}", "time: {took:.2f} s"),
    "the time of every second epoch": (
        "Epoch {n}0",
        "loss {loss:.4f}",
        "Epoch {n}1",
        "loss {loss:.4f}",
        "time: {took:.2f} s",
    ),
    "two times in one block": ("Epoch {n}", "loss {loss:.4f}", "time: {took:.2f} s", "loss 1.5", "time: 2.5 s"),
    "no unit": ("Epoch {n}", "loss {loss:.4f}", "time: {took:.2f}"),
    "nothing of training": ("Epoch {n}", "time: {took:.2f} s"),
    "epochs of a test": ("Test epoch {n}", "test loss {loss:.4f}", "Epoch time: {took:.2f} s"),
    "epochs of a test below": ("Epoch number: {n}", "test accuracy: 0.5", "Epoch run time in seconds: {took:.2f}"),
    "a clock of another start": ("step: {step}", "loss: {loss:.4f}", "elapsed time: 3{passed:05.0f}.5 s"),
}


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED)
def test_a_time_of_a_block_that_may_be_of_something_else_gives_none(tmp_path: Path, lines: Sequence[str]) -> None:
    assert blocks_read(tmp_path, *lines).measurement is None


def test_it_is_said_that_the_time_stands_on_other_lines_than_the_counter(tmp_path: Path) -> None:
    found = drafted(tmp_path, blocks(EPOCHS["a time below the loss"]))
    assert any("alternate with its own" in str(said) for said in found.assumed)


@pytest.mark.parametrize(
    ("line", "is_said"), [("{took:.0f}s - loss: {loss:.4f}", True), ("{took:.1f}s - loss: 1.5", False)]
)
def test_it_is_said_that_whole_seconds_may_be_rounded_down(tmp_path: Path, line: str, *, is_said: bool) -> None:
    found = drafted(tmp_path, blocks(("Epoch {n}/8", line)))
    assert any("rounded down" in str(said) for said in found.assumed) == is_said


def test_epochs_that_begin_anew_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    found = drafted(tmp_path, blocks(EPOCHS["a time below the loss"]) * 2)
    assert found.reading.records["epoch"].tolist() == [*range(1, 9)] * 2


def test_times_below_a_test_that_rise_by_chance_are_no_clock(tmp_path: Path) -> None:
    lines = ("Epoch {n}", "loss {loss:.4f}", "test acc 0.5", "time: {took:.2f} s")
    assert blocks_read(tmp_path, *lines, seconds=(20.0, 20.5, 21.0, 21.5)).measurement is None


def test_a_clock_of_steps_that_begin_anew_gives_none(tmp_path: Path) -> None:
    text = blocks(CLOCKS["a clock below it"])
    assert read(tmp_path, text + text).measurement is None


def test_a_block_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    found = drafted(tmp_path, blocks(CLOCKS["a clock below it"]) + "step: 900\n  loss: 0.3\n")
    assert found.reading.records["step"].tolist() == [100 * n for n in range(1, 9)]


def test_a_time_of_an_epoch_behind_more_lines_than_are_kept_of_a_form_is_read(tmp_path: Path) -> None:
    text = "".join(
        "".join(f"Iteration: {n * 900 + i}, Generator Loss : {3 / (n + 1):.3f}\n" for i in range(900))
        + f"Time Elapsed for This Epoch: 00:02:{40 + n % 5}\n"
        for n in range(8)
    )
    assert number(read(tmp_path, text)) == (approx(1 / 162, rel=0.01), "epochs/s")
