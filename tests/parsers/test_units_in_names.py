"""Units of time at the end of a name, as programs write them that print JSON: `"epoch_time_s": 35.2`."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import speed


def epochs(name: str) -> str:
    told = ((n, 3 / n, 40 + (7 * n % 5) / 10) for n in range(1, 13))
    return "".join(f'{{"epoch": {n}, "train_loss": {loss:.3f}, "{name}": {took}}}\n' for n, loss, took in told)


def steps(name: str) -> str:
    told = ((10 * n, 3 / n, 0.5 + (7 * n % 5) / 50) for n in range(1, 31))
    return "".join(f'{{"step": {n}, "loss": {loss:.3f}, "{name}": {took:.3f}}}\n' for n, loss, took in told)


OF_EPOCHS = ["seconds", "sec", "epoch_seconds", "epoch_s", "epoch_time_sec", "epoch_duration_s", "seconds_per_epoch"]


@pytest.mark.parametrize("name", OF_EPOCHS)
def test_a_name_that_ends_with_a_unit_is_read_beside_an_epoch(tmp_path: Path, name: str) -> None:
    assert speed(tmp_path, epochs(name)) == (approx(1 / 40.2, rel=0.01), "epochs/s")


@pytest.mark.parametrize("name", ["val_seconds", "eval_time_s", "data_seconds", "epoch_eval_s", "ms", "epoch_eta_s"])
def test_what_else_takes_seconds_beside_an_epoch_is_not_the_epoch(tmp_path: Path, name: str) -> None:
    assert speed(tmp_path, epochs(name)) is None


@pytest.mark.parametrize("name", ["step_seconds", "iter_time_s", "batch_sec", "sec_per_step"])
def test_a_name_that_ends_with_a_unit_is_read_beside_a_step(tmp_path: Path, name: str) -> None:
    assert speed(tmp_path, steps(name)) == (approx(1 / 0.54, rel=0.01), "steps/s")


@pytest.mark.parametrize("name", ["seconds", "sec", "data_seconds"])
def test_seconds_that_no_name_says_are_of_one_step_are_not(tmp_path: Path, name: str) -> None:
    assert speed(tmp_path, steps(name)) is None


def test_a_time_over_a_step_in_brackets_behind_a_loss_is_no_mean_of_the_loss(tmp_path: Path) -> None:
    lines = (
        f"step {10 * n} loss {3 / n:.3f} ({0.5 + (7 * n % 5) / 50:.3f} s / step, 0.01 s data)\n" for n in range(1, 31)
    )
    assert speed(tmp_path, "".join(lines)) == (approx(1 / 0.54, rel=0.01), "steps/s")
