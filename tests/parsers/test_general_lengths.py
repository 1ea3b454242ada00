"""Lengths of time that a log writes as a clock shows them or in words: `0:02:28`, `2m 28s`, `2 minutes 28 seconds`."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.drafting import drafted
from tests.parsers.timed_logs import number, read

SECONDS = (123.0, 120.0, 125.0, 115.0, 119.0, 121.0)


def epochs(line: str) -> str:
    """Lines of epochs of so many seconds each."""
    return "".join(
        line.format(epoch=epoch, loss=3 / epoch, minutes=int(took // 60), seconds=int(took % 60)) + "\n"
        for epoch, took in enumerate(SECONDS, 1)
    )


OF_EPOCHS = {
    "hours, minutes and seconds": "Epoch {epoch} train loss {loss:.4f} time: 0:{minutes:02d}:{seconds:02d}",
    "minutes and seconds": "Epoch {epoch} train loss {loss:.4f} time: {minutes:02d}:{seconds:02d}",
    "letters": "Epoch: {epoch:02d} | Time: {minutes}m {seconds}s\n\tTrain Loss: {loss:.3f}",
    "letters without a blank": "Epoch {epoch} loss: {loss:.4f} epoch time: {minutes}m{seconds}s",
    "words": "Epoch {epoch}: loss {loss:.4f}, took {minutes} minutes and {seconds} seconds",
    "short words": "Epoch {epoch}: loss {loss:.4f}, time: {minutes} min {seconds} sec",
    "Chinese": "第 {epoch} 轮 训练损失 {loss:.4f}, 耗时 {minutes}分钟{seconds}秒",
    "a total of each": "[epoch:{epoch}/90] [loss:{loss:.4f}] [total time:0:{minutes:02d}:{seconds:02d}]",
}


@pytest.mark.parametrize("line", OF_EPOCHS.values(), ids=OF_EPOCHS)
def test_a_length_of_time_of_an_epoch_gives_epochs_a_second(tmp_path: Path, line: str) -> None:
    assert number(read(tmp_path, epochs(line))) == (approx(len(SECONDS) / sum(SECONDS)), "epochs/s")


def since_start(line: str) -> str:
    """Lines of steps with the time since the start: 40 steps in 8 seconds."""
    return "".join(
        line.format(step=step, clock=f"{step // 300}:{step // 5 % 60:02d}") + "\n" for step in range(40, 841, 40)
    )


SINCE_START = {
    "with losses": "Iter: {step}, Train Loss: 0.5, Time: 0:0{clock}",
    "after a count of all": "  Batch {step}  of  900.    Elapsed: 0:0{clock}.",
    "minutes": "step {step} loss 0.5 elapsed {clock}",
    "before another name": "step {step} loss 0.5 elapsed:0:0{clock} postfix:-",
}


@pytest.mark.parametrize("line", SINCE_START.values(), ids=SINCE_START)
def test_a_length_of_time_that_rises_with_the_steps_is_the_time_since_the_start(tmp_path: Path, line: str) -> None:
    assert number(read(tmp_path, since_start(line))) == (approx(5.0), "steps/s")


def test_the_clock_of_lines_that_hold_an_evaluation_may_hold_its_time(tmp_path: Path) -> None:
    text = since_start("Iter: {step}, Train Loss: 0.5, Val Loss: 0.6, Time: 0:0{clock}")
    assert "time may include the evaluation whose results are on the same lines" in map(
        str, drafted(tmp_path, text).assumed
    )


REFUSED = {
    "of a test": "Epoch {epoch} test loss {loss:.4f} time: 0:{minutes:02d}:{seconds:02d}",
    "what is left": "Epoch {epoch} train loss {loss:.4f} eta: 0:{minutes:02d}:{seconds:02d}",
    "a moment": "Epoch {epoch} train loss {loss:.4f} at 12:{minutes:02d}:{seconds:02d}",
    "of what nobody knows": "Epoch {epoch} train loss {loss:.4f} ({minutes}m {seconds}s)",
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_a_length_of_time_of_something_else_gives_none(tmp_path: Path, line: str) -> None:
    assert read(tmp_path, epochs(line)).measurement is None


def test_a_total_time_that_rises_with_each_epoch_is_the_time_since_the_start(tmp_path: Path) -> None:
    text = "".join(f"[epoch:{n}/90] [loss:0.5] [total time:0:0{n}:{7 * n:02d}]\n" for n in range(1, 8))
    assert number(read(tmp_path, text)) == (approx(1 / 67), "epochs/s")


@pytest.mark.parametrize("left", ["ETA: {hours:.2f}h", "eta {minutes:.1f} min", "time left: {seconds:.0f}s"])
def test_a_time_that_is_left_in_words_proves_that_of_a_step(tmp_path: Path, left: str) -> None:
    lines = "step {n}/900 loss 0.5 time 2.0{d} "
    text = "".join(
        (lines + left).format(
            n=n, d=n // 10 % 2, hours=(900 - n) * 2 / 3600, minutes=(900 - n) / 30, seconds=(900 - n) * 2
        )
        + "\n"
        for n in range(10, 200, 10)
    )
    assert number(read(tmp_path, text)) == (approx(1 / 2.005, rel=1e-3), "steps/s")


def test_numbers_whose_digits_are_rounded_away_give_none(tmp_path: Path) -> None:
    text = "".join(f"step {n}/900 loss 0.5 step time: 0.{1 + n % 2}s\n" for n in range(1, 20))
    assert read(tmp_path, text).measurement is None
