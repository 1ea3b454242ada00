"""The time of a training in stages: of each a line tells what its code took, and lines before it number its epochs."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import read, speed

EPOCH = "epoch {n}, minibatch 83/83, validation error {error:.6f} %\n"
RAN = "The training code for file SdA.py ran for 6.00m\n"
BEFORE = "".join(f"Pre-training layer {k}, epoch {n}, cost {9 / (n + 1):.4f}\n" for k in range(2) for n in range(5))


def stage(total: str = RAN, *, line: str = EPOCH, count: int = 12) -> str:
    """A stage of some epochs, every third of which is also tested."""
    text = ""
    for n in range(1, count + 1):
        text += line.format(n=n, error=50 / n)
        text += f"     epoch {n}, minibatch 83/83, test error of best model {51 / n:.6f} %\n" if n % 3 == 0 else ""
    return text + "Optimization complete with best validation score of 2.5 %, on iteration 960\n" + total


TOLD = {
    "minutes are called m": stage(),
    "training took them": stage("Training took 6.00m\n"),
    "a longer stage went before": BEFORE + "The pretraining code for file SdA.py ran for 16.00m\n" + stage(),
}


@pytest.mark.parametrize("text", TOLD.values(), ids=TOLD)
def test_epochs_whose_last_steps_are_told_make_the_time_of_their_stage(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) == (approx(12 / 360), "epochs/s")


def test_each_of_several_trainings_has_the_time_of_its_own_epochs(tmp_path: Path) -> None:
    found = read(tmp_path, stage() + stage(RAN.replace("6.00", "5.40"), count=9))
    assert found.measurement is not None
    assert found.measurement.value == approx(9 / 324)
    assert [run.measurement.value for run in found.runs if run.measurement] == [approx(12 / 360), approx(9 / 324)]


UNKNOWN = {
    "a stage before may be part of it": BEFORE + "The pretraining code for file SdA.py ran for 3.00m\n" + stage(),
    "other epochs are numbered before": BEFORE + stage(),
    "only another stage tells its time": BEFORE + "The pretraining code for file SdA.py ran for 16.00m\n",
    "the epochs may not be done": stage(line=EPOCH.replace("83/83", "40/83")),
    "it is the time of a test": stage(RAN.replace("training", "test")),
    "it is the time of everything": stage(RAN.replace("training ", "")),
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_a_time_of_code_gives_no_speed_where(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) is None
