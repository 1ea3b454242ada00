"""Running means of a bar: the last of each epoch covers all its steps, and is used where the mean of all is not so."""

from pathlib import Path

import pytest

from report.evidence.log_summary import Summary
from report.measuring.checking.running_means import WITHIN_EPOCHS
from tests.report.summaries import summary

STEPS = 40
LAST = "The last running mean of each epoch is used: the mean of "


def bar(epoch: int, step: int, elapsed: float) -> str:
    """The bar of Lightning after a step, whose rate is the mean of the epoch so far."""
    share = f"{100 * step // STEPS}%|####| {step}/{STEPS} [{int(elapsed) // 60:02d}:{int(elapsed) % 60:02d}<00:09"
    return f"Epoch {epoch}:  {share}, {step / elapsed:5.2f}it/s, v_num=1, loss=2.5]\n"


def epochs(count: int, first: float, other: float = 0.1, last: int = STEPS - 1, *, twice: bool = False) -> str:
    """Epochs whose first step is slow; the last one ends after ``last`` steps. A bar may be drawn twice a step."""
    lines = []
    for epoch in range(count):
        for step in range(1, (last if epoch == count - 1 else STEPS - 1) + 1):
            lines += [bar(epoch, step, first + other * (step - 1))] * (1 + twice)
    return "".join(lines)


def spoken(found: Summary) -> str:
    return "\n".join(map(str, found.warnings))


@pytest.mark.parametrize("twice", [False, True])
def test_the_last_mean_of_each_epoch_is_the_throughput_where_early_steps_weigh_too_much(
    tmp_path: Path, *, twice: bool
) -> None:
    found = summary(tmp_path, epochs(6, first=4.0, twice=twice))
    assert found.measurement is not None
    assert found.measurement.value == pytest.approx((STEPS - 1) / (4 + 0.1 * (STEPS - 2)), rel=0.002)
    assert found.measurement.protocol.words() == "records=step estimate=instant counts=steps statistic=mean"
    assert (found.measurement.records_used, LAST in spoken(found)) == (
        6,
        True,
    )


def test_steps_that_are_alike_make_the_mean_of_all_records(tmp_path: Path) -> None:
    found = summary(tmp_path, epochs(6, first=0.1))
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.protocol.estimate) == (10.0, "steps")


def test_an_epoch_that_did_not_end_does_not_count(tmp_path: Path) -> None:
    whole, cut = (summary(tmp_path, epochs(6, 4.0, last=last)).measurement for last in (STEPS - 1, 5))
    assert whole is not None and cut is not None
    assert (cut.records_used, cut.value) == (5, whole.value)


def torchvision(slow: float) -> str:
    """Four epochs of 100 steps of which every fiftieth is shown, the first of them slow; each epoch prints its mean."""
    lines = []
    for epoch in range(4):
        for step, time in ((0, slow), (50, 0.5), (99, 0.5)):
            lines.append(
                f"Epoch: [{epoch}]  [{step:3d}/100]  eta: 0:00:40  lr: 0.1  loss: 2.5 (2.5)  time: {time:.4f}"
                "  data: 0.1  max mem: 100\n"
            )
        lines.append(f"Epoch: [{epoch}] Total time: 0:00:52 (0.5200 s / it)\n")
    return "".join(lines)


def test_the_median_is_used_where_whole_epochs_took_as_long_as_that_says(tmp_path: Path) -> None:
    found = summary(tmp_path, torchvision(slow=2.5))
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.protocol.statistic) == (2.0, "median")
    assert "as the epoch records show, which give 1.92308 steps/s." in spoken(found)


def test_a_mean_that_whole_epochs_confirm_stays(tmp_path: Path) -> None:
    found = summary(tmp_path, torchvision(slow=0.55)).measurement
    assert found is not None and found.protocol.statistic == "mean"


@pytest.mark.parametrize("drawn", [1, 2], ids=["once", "twice"])
def test_where_the_clock_of_a_bar_goes_on_from_epoch_to_epoch_steps_are_timed_within_each(
    tmp_path: Path, drawn: int
) -> None:
    """One bar is drawn over all epochs, evaluations among them: its rate is that since the start of the run."""
    took = [(epoch, step, 60.0 * epoch + step) for epoch in range(3) for step in range(1, STEPS - 9)]
    text = "".join(bar(*one).replace("\n", "\r") * drawn + ("\n" if one[1] == STEPS - 10 else "") for one in took)
    found = summary(tmp_path, text)
    assert found.measurement is not None
    assert found.measurement.value == 1.0
    assert found.measurement.protocol.words() == "records=step estimate=clock counts=steps"
    assert WITHIN_EPOCHS in [said.key for said in found.warnings]


def test_the_clock_of_a_bar_may_go_on_within_the_second_in_which_an_epoch_ended(tmp_path: Path) -> None:
    took = [(epoch, step, 0.5 * (epoch * (STEPS - 1) + step)) for epoch in range(6) for step in range(1, STEPS)]
    found = summary(tmp_path, "".join(bar(*one).replace("\n", "\r") for one in took) + "\n")
    assert found.measurement is not None
    assert found.measurement.value == pytest.approx(2, rel=0.02)


def test_a_clock_that_restarts_with_each_epoch_does_not_time_them_by_their_first_steps(tmp_path: Path) -> None:
    first = {"goes on": [2, 42, 83, 125], "restarts": [2, 3, 5, 6]}
    given = {
        clock: summary(tmp_path, "".join(bar(*one) for one in enumerated)).measurement
        for clock, enumerated in ((clock, [(n, 1, s) for n, s in enumerate(times)]) for clock, times in first.items())
    }
    assert given["restarts"] is None
    assert given["goes on"] is not None and given["goes on"].value == pytest.approx(3 * STEPS / 123, rel=0.01)
