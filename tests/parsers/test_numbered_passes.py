"""Bars without a name of which each pass has the number of an epoch above it; the lines are made up."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from report.evidence.measured_log import measured_log
from tests.parsers.bars import bar
from tests.parsers.drafting import refused
from tests.parsers.timed_logs import of_runs

SWEEP = "wandb: Agent Starting Run: {name} with config:\n"
SPEEDS = (1.0, 3.0, 0.5)


def run(seconds: float, first: int = 0) -> str:
    """Epochs that take more or less time, as on a machine that others use."""
    uneven = [seconds * (1 + n % 3 / 2) for n in range(9)]
    return "".join(f"Epoch {n}\n{bar('', 12, uneven[n - first], loss=False)}\nLoss: 2.{n}\n" for n in range(first, 9))


def measured(tmp_path: Path, texts: Iterable[str]) -> list[object]:
    log = tmp_path / "train.log"
    log.write_text("".join(texts), encoding="utf-8")
    found = measured_log(log)
    return of_runs(found) or [found.measurement.value if found.measurement else 0]


def test_passes_that_run_at_different_speeds_are_of_one_training(tmp_path: Path) -> None:
    assert measured(tmp_path, [run(1.0)]) == [pytest.approx(0.68, abs=0.02)]


def test_each_run_of_a_sweep_gives_its_number(tmp_path: Path) -> None:
    texts = [SWEEP.format(name=f"a{n}b") + run(seconds) for n, seconds in enumerate(SPEEDS)]
    assert measured(tmp_path, texts) == [pytest.approx(0.68 / seconds, rel=0.05) for seconds in SPEEDS]


def test_runs_of_which_nothing_shows_where_they_begin_are_not_taken_together(tmp_path: Path) -> None:
    assert "as in another run" in refused(tmp_path, "".join(map(run, SPEEDS)))


def test_two_passes_in_an_epoch_are_not_both_of_training(tmp_path: Path) -> None:
    twice = "".join(f"Epoch {n}\n{bar('', 12, 1.0, loss=False)}\n{bar('', 12, 4.0)}\nLoss: 2.{n}\n" for n in range(9))
    assert "as different as training and evaluation" in refused(tmp_path, twice.replace(", loss=2.5", ""))


def test_epochs_of_an_evaluation_that_bear_the_same_numbers_are_not_of_training(tmp_path: Path) -> None:
    both = (f"Epoch {n}\n{bar('', 12, second, loss=False)}\nLoss: 2.{n}\n" for n in range(9) for second in (1.0, 4.0))
    assert "as different as training and evaluation" in refused(tmp_path, "".join(both))
