"""Steps that a log shows: too often the first of an epoch, which the running means beside them tell."""

from pathlib import Path

import pytest

from tests.report.summaries import summary

BETWEEN = 0.5  # seconds of each step that the logs below do not show


def epochs(every: int, first: float, *, steps: int = 100, shown: float = BETWEEN) -> str:
    """Twelve epochs of which every so manieth step is shown, each with the running mean of all steps so far."""
    lines = []
    for epoch in range(12):
        took = 0.0
        for step in range(steps):
            time = first if step == 0 else shown if step % every == 0 else BETWEEN
            took += time
            if step % every == 0:
                mean = took / (step + 1)
                lines.append(f"Epoch: [{epoch}][{step}/{steps}]\tTime {time:.3f} ({mean:.3f})\tLoss 2.5 (2.5)\n")
    return "".join(lines)


def test_steps_that_are_like_all_others_make_the_throughput(tmp_path: Path) -> None:
    found = summary(tmp_path, epochs(every=10, first=0.6)).measurement
    assert found is not None
    assert found.protocol.words() == "records=step estimate=steps skip_records=1 statistic=mean"


def test_the_median_is_used_where_first_steps_make_the_mean_slower_than_all_steps_were(tmp_path: Path) -> None:
    found = summary(tmp_path, epochs(every=20, first=4.0))
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.protocol.statistic) == (2.0, "median")
    (told,) = (said for said in map(str, found.warnings) if said.startswith("The median of the steps"))
    assert told.startswith(
        "The median of the steps that the log shows is used: their mean, 0.867647 steps/s, over-weights the first steps"
    )


@pytest.mark.parametrize("every", [50, 99])
def test_nothing_is_said_where_half_of_the_steps_shown_are_first_ones(tmp_path: Path, every: int) -> None:
    found = summary(tmp_path, epochs(every=every, first=4.0, shown=1.5))
    assert found.measurement is None
    assert "which hold all steps" in str(found.reason)


def of_logger(epochs: int, *, steps: str = "[0/13]") -> str:
    """The first steps of epochs that take 27 seconds each, as a program prints them whose logger tells its clock."""
    return "".join(
        f"INFO - 03/01/31 10:{e // 2:02d}:00 - {27 * e // 3600}:{27 * e // 60 % 60:02d}:{27 * e % 60:02d} - "
        f"Epoch[{e}] - Iter: {steps}\tTime 4.500 (4.500)\tData 2.900 (2.900)\tLoss 2.5 (2.5)\tLR 0.3\n"
        for e in range(epochs)
    )


def test_the_clock_between_the_first_steps_of_epochs_counts_all_their_steps(tmp_path: Path) -> None:
    found = summary(tmp_path, of_logger(40))
    assert found.measurement is not None
    assert found.measurement.unit == "steps/s"
    assert found.measurement.value == pytest.approx(13 / 27)
    assert any("it counts all steps of an epoch, with its evaluation" in str(said) for said in found.warnings)


def predicted(seconds: float, *, resumed: bool) -> str:
    """A program that prints the minutes left of an epoch, by steps that it counts as done in no time if it resumed."""
    lines = []
    for step in range(4100 if resumed else 100, 9900, 100):
        spent = seconds * (step - 4000 if resumed else step)
        left = spent / step * 10000 // 60 - spent // 60
        lines.append(f"Epoch:[1/1]({step}/10000) loss:2.500 lr:0.0002000 epoch_Time:{left}min:\n")
    return "".join(lines)


def test_the_time_left_of_an_epoch_makes_the_throughput(tmp_path: Path) -> None:
    found = summary(tmp_path, predicted(0.9, resumed=False)).measurement
    assert found is not None and found.value == pytest.approx(1 / 0.9, rel=0.01)


def test_predictions_that_count_steps_before_a_checkpoint_are_refused(tmp_path: Path) -> None:
    found = summary(tmp_path, predicted(9.0, resumed=True))
    assert (found.measurement, "in the first half of its lines" in str(found.reason)) == (None, True)
