"""The time of an epoch, where a log tells neither its steps nor its samples."""

from pathlib import Path

import pytest
from pytest import approx

from report.evidence.measured_log import MeasuredLog
from tests.parsers.drafting import drafted, found_in, refused
from tests.parsers.timed_logs import headline, number, read

SECONDS = (40.0, 20.0, 25.0, 15.0, 20.0, 20.0)
STAMP = "2031-02-03 04:{minute:02d}:{second:02d}"


def epochs_of(at: Path, line: str, *, before: str = "", seconds: tuple[float, ...] = SECONDS) -> MeasuredLog:
    text, passed = before, 0.0
    for epoch, took in enumerate(seconds, 1):
        passed += took
        stamp = STAMP.format(minute=int(passed) // 60, second=int(passed) % 60)
        text += (
            line.format(
                epoch=epoch,
                third=3 * epoch,
                took=took,
                minutes=took / 60,
                stamp=stamp,
                loss=3 / epoch,
                passed=passed,
                rising=took + epoch,
            )
            + "\n"
        )
    return read(at, text)


TIMED = {
    "a time with its unit": "Epoch {epoch}/6 | train loss {loss:.4f} | time: {took:.2f}s",
    "minutes in Chinese": "第 {epoch} 轮 训练损失 {loss:.4f} 耗时 {minutes:.9f} 分钟",
    "a unit over an epoch": "Epoch {epoch} loss {loss:.4f} | {took:.1f}s/epoch",
    "a word of a cost": "Epoch {epoch} Train, loss: {loss:.4f}, Cost: {took:.1f} sec",
    "a sentence": "Epoch {epoch}: loss {loss:.4f}, took {took:.2f} seconds",
    "a name that says so": "epoch {epoch}, loss={loss:.4f}, epoch_time={took:.3f}s",
    "stamps for a unit": "{stamp} - INFO - Epoch {epoch}: loss: {loss:.4f}, time: {took:.3f}",
    "a line of its own": "Epoch {epoch} Loss {loss:.4f}\nTime taken for 1 epoch: {took:.4f} secs",
    "a line of its own behind that of a test": "Epoch {epoch} Loss {loss:.4f}\ntest loss: {loss:.4f}\n"
    "Epoch {epoch} took {took:.2f} seconds.",
}


@pytest.mark.parametrize("line", TIMED.values(), ids=TIMED)
def test_a_log_that_tells_only_how_long_an_epoch_took_gives_epochs_a_second(tmp_path: Path, line: str) -> None:
    found = epochs_of(tmp_path, line, seconds=(20.0,) * 3 + (25.0, 15.0, 20.0))
    assert number(found) == (approx(6 / 120), "epochs/s")


def test_the_mean_is_that_of_the_times_and_not_of_their_rates(tmp_path: Path) -> None:
    assert number(epochs_of(tmp_path, TIMED["a time with its unit"], seconds=(20.0, 10.0, 30.0, 10.0, 30.0, 20.0))) == (
        approx(6 / 120),
        "epochs/s",
    )


REFUSED = {
    "no unit and no stamps": "Epoch {epoch}: loss {loss:.4f}, time: {took:.2f}",
    "the time since the start": "Epoch {epoch}: loss {loss:.4f}, time: {passed:.2f}s",
    "the time since an earlier start": "Epoch {epoch}: loss {loss:.4f}, time: 3{passed:05.0f}.5s",
    "every third epoch": "Epoch {third}: loss {loss:.4f}, time: {took:.2f}s",
    "the time of a test": "Epoch {epoch} Val, loss: {loss:.4f}, Cost: {took:.2f} sec",
    "the time of a test in its own line": "[Epoch {epoch}] test loss {loss:.4f}\nEpoch {epoch} took {took:.2f} secs",
}
# The stamps alone are believed.
AGAINST_STAMPS = {
    "a loss that is called a cost": "{stamp} Epoch {epoch}: lr: 0.1, cost: {took:.3f}",
    "more than the time between two lines": "{stamp} Epoch {epoch}: loss: {loss:.4f}, time: {third}40.0s",
    "a small part of it": "{stamp} Epoch {epoch}: loss: {loss:.4f}, time: 0.{third}s",
}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_a_time_that_may_be_of_something_else_gives_none(tmp_path: Path, line: str) -> None:
    assert epochs_of(tmp_path, line).measurement is None


@pytest.mark.parametrize("line", AGAINST_STAMPS.values(), ids=AGAINST_STAMPS)
def test_where_a_number_does_not_fit_the_stamps_the_epochs_are_counted_by_these(tmp_path: Path, line: str) -> None:
    found = headline(epochs_of(tmp_path, line, seconds=(20.0,) * 6))
    assert found is not None
    assert found.value == approx(0.05)
    assert found.estimate.source == "time"


def of_folds(*lasts: int) -> str:
    """Folds of so many epochs each, of which each takes about 480 s by the system's clock."""
    epochs = [epoch for last in lasts for epoch in range(1, last + 1)]
    return "".join(
        f"Epoch: {epoch}, train loss: {2 / epoch:.4f}\n"
        f"Epoch: {epoch}, AUC 0.9, time elapsed: {480 + (n * 7919 % 4001 * 257 + 1) / 2**22}\n"
        for n, epoch in enumerate(epochs, 1)
    )


def test_epochs_that_begin_anew_with_each_fold_are_numbered_one_by_one(tmp_path: Path) -> None:
    assert number(read(tmp_path, of_folds(5, 1, 5, 5))) == (approx(1 / 480, rel=1e-3), "epochs/s")


@pytest.mark.parametrize("lasts", [(1,) * 12, (1, 2, 1)], ids=["the first alone", "hardly a second one"])
def test_epochs_that_hardly_rise_are_not_numbered_one_by_one(tmp_path: Path, lasts: tuple[int, ...]) -> None:
    assert read(tmp_path, of_folds(*lasts)).measurement is None


def behind_epochs(told: str, *, each: float = 0.5, first: float = 0.0, of: str = "Epoch: {n:03d}/012") -> str:
    """Epochs of two batches, behind each the minutes since the start."""
    return "".join(
        f"{of.format(n=n)} | Batch 000/002 | Loss: {4 / n:.4f}\n{of.format(n=n)} | Batch 001/002 | Loss: {3 / n:.4f}\n"
        + told.format(since=first + n * each)
        + "\n"
        for n in range(1, 13)
    )


@pytest.mark.parametrize(
    ("told", "rate"),
    [("Time elapsed: {since:.2f} min", 1 / 30), ("Elapsed time: {since:.2f} s", 2.0)],
    ids=["minutes", "seconds"],
)
def test_the_time_since_the_start_that_is_told_behind_each_epoch_gives_epochs_a_second(
    tmp_path: Path, told: str, rate: float
) -> None:
    found = drafted(tmp_path, behind_epochs(told)).reading
    assert set(found.records["record"]) == {"epoch"}
    assert found.records["elapsed"].diff().iloc[1:].tolist() == approx([1 / rate] * 11)


@pytest.mark.parametrize(("said", "is_read"), [("Train", True), ("Top", False)])
def test_lines_of_epochs_and_steps_are_of_training_where_one_says_so(tmp_path: Path, said: str, is_read: bool) -> None:
    text = behind_epochs("Epoch 1 | " + said + ": 90.5%\nTime elapsed: {since:.2f} min").replace("Loss", "Cost")
    assert found_in(tmp_path, text).is_found == is_read


@pytest.mark.parametrize(("name", "is_read"), [("elapsed time", True), ("valid elapsed time", False)])
def test_the_time_since_the_start_on_the_lines_of_epochs_gives_epochs_a_second(
    tmp_path: Path, name: str, is_read: bool
) -> None:
    line = "Epoch {epoch}: loss {loss:.4f}, " + name + ": {passed:.2f}s"
    found = headline(epochs_of(tmp_path, line, seconds=(20.0,) * 6))
    assert (found is not None) == is_read
    assert found is None or found.value == approx(5 / 100)


NO_CLOCKS_OF_EPOCHS = {
    "without a unit": behind_epochs("Time elapsed: {since:.2f}"),
    "a start long before": behind_epochs("Time elapsed: {since:.2f} min", first=40.0),
    "that does not rise": behind_epochs("Time elapsed: {since:.0f} min", each=0.01),
    "behind no epochs": behind_epochs("Time elapsed: {since:.2f} min", of="Sample {n}"),
    "behind those of a test": behind_epochs("Time elapsed: {since:.2f} min", of="Test epoch: {n:03d}/012"),
}


@pytest.mark.parametrize("text", NO_CLOCKS_OF_EPOCHS.values(), ids=NO_CLOCKS_OF_EPOCHS)
def test_other_times_behind_epochs_are_no_clock(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).measurement is None


def test_three_times_of_which_each_is_longer_by_as_much_are_those_since_the_start(tmp_path: Path) -> None:
    assert epochs_of(tmp_path, REFUSED["the time since the start"], seconds=(60.0,) * 3).measurement is None


def test_of_lines_of_training_and_of_a_test_only_the_former_count(tmp_path: Path) -> None:
    line = "Epoch {epoch} Train, loss: {loss:.4f}, Cost: {took:.1f} sec\nEpoch {epoch} Val, MAE: 14.7 Cost 239.5 sec"
    found = headline(epochs_of(tmp_path, line))
    assert found is not None
    assert found.records_used == 5
    assert found.value == approx(5 / 100)


def test_a_clock_of_steps_comes_before_the_time_of_epochs(tmp_path: Path) -> None:
    steps = "".join(
        f"Epoch: {{epoch}} | Batch: {n}/ 40 | Loss: {{loss:.4f}} | Time: {n / 2}s\n" for n in range(10, 41, 10)
    )
    assert number(
        epochs_of(tmp_path, steps + "Epoch {epoch} done | training loss: {loss:.4f} | time: {took:.1f}s")
    ) == (
        approx(2),
        "steps/s",
    )


def test_a_time_on_a_line_that_may_number_epochs_or_steps_is_that_of_neither(tmp_path: Path) -> None:
    assert epochs_of(tmp_path, "[{epoch}/6] train_loss: {loss:.4f} valid_loss: 0.3 ({took:.2f} s)").measurement is None


def of_pairs(line: str) -> str:
    """Lines that count epochs and their steps, with a stamp each: a step takes 0.5 s."""
    return "".join(
        f"[2031-02-03 04:{epoch:02d}:{step // 2:02d}] "
        + line.format(epoch=epoch, step=step, time=0.5 + step / 10_000, loss=3 - epoch / 10)
        for epoch in range(3)
        for step in range(0, 100, 20)
    )


def test_the_first_of_two_fractions_in_brackets_counts_epochs_and_the_second_steps(tmp_path: Path) -> None:
    found = drafted(tmp_path, of_pairs("Train: [{epoch}/3][{step}/100] time {time:.4f} loss {loss:.4f}\n"))
    records = found.reading.records
    assert set(records["epoch"]) == {0, 1, 2}
    assert set(records["step"]) == {0, 20, 40, 60, 80}
    assert records["step_time"].between(0.5, 0.51).all()


def test_of_two_fractions_that_words_part_the_first_is_no_number_of_an_epoch(tmp_path: Path) -> None:
    text = of_pairs("Train: [{epoch}/3] of it [{step}/100] time {time:.4f} loss {loss:.4f}\n")
    assert "time" in refused(tmp_path, text)


FOLD = "[Fold {fold} Ep {n:03d}] loss={loss:.4f} auc=0.51 | val_auc=0.37 | {took}s\n"
WHOLE = "[Ep {n:03d}] loss={loss:.4f} auc=0.52 | {took}s\n"


def folds(others: int) -> str:
    """Four folds of ten epochs, and so many epochs of another stage."""
    text = "".join(
        FOLD.format(fold=fold, n=n, loss=3 / n, took=2 + n % 3 / 10) for fold in range(1, 5) for n in range(1, 11)
    )
    return text + "".join(WHOLE.format(n=n, loss=3 / n, took=2.5 + n % 2 / 10) for n in range(1, others + 1))


def test_a_few_lines_of_another_stage_are_told_from_others_by_how_they_begin(tmp_path: Path) -> None:
    found = drafted(tmp_path, folds(6))
    assert found.reading.records["duration"].max() < 2.5
    assert len(found.reading.records) == 40


def test_where_many_lines_are_of_another_stage_nobody_knows_which_count(tmp_path: Path) -> None:
    assert "cannot be distinguished" in refused(tmp_path, folds(20))


def test_the_time_of_an_epoch_beside_a_result_of_an_evaluation_may_hold_it(tmp_path: Path) -> None:
    assert "may include the evaluation" in " ".join(map(str, drafted(tmp_path, folds(0)).assumed))


CUMULATIVE = "Epoch {epoch}, Loss {loss:.4f}, Time {passed:.2f}s"


def test_a_time_that_rises_with_many_epochs_from_the_first_is_that_since_the_start(tmp_path: Path) -> None:
    found = epochs_of(tmp_path, CUMULATIVE, seconds=(6.0, 4.0, 5.0, 7.0, 5.0, 4.0) * 3)
    assert number(found) == (approx(17 / (3 * 31 - 6)), "epochs/s")


RISING = {
    "few epochs": (CUMULATIVE, (6.0, 4.0, 5.0, 7.0, 5.0)),
    "each takes a little longer": ("Epoch {epoch}, Loss {loss:.4f}, Time {rising:.2f}s", (10.0,) * 18),
    "a time without a unit": ("Epoch {epoch}, Loss {loss:.4f}, Time {passed:.2f}", (6.0, 4.0, 5.0) * 6),
    "it begins anew where the run was resumed": (CUMULATIVE, (6.0, 4.0, 5.0, 7.0, 5.0, 4.0, -26.0, *(4.0, 5.0) * 5)),
    "most of it passed before the first": (CUMULATIVE, (60.0, *(4.0, 5.0) * 8)),
}


@pytest.mark.parametrize(("line", "seconds"), RISING.values(), ids=RISING)
def test_any_other_time_that_rises_with_epochs_is_no_speed(
    tmp_path: Path, line: str, seconds: tuple[float, ...]
) -> None:
    assert epochs_of(tmp_path, line, seconds=seconds).measurement is None


BEST = (
    "Epoch #{n}: train_loss={loss:.4f}, time={took:.2f}s\n",
    "[NEW BEST] Epoch #{n}: train_loss={loss:.4f}, time={took:.2f}s\n",
)


def of_two_forms(lines: tuple[str, str], marked: frozenset[int]) -> str:
    return "".join(lines[n in marked].format(n=n, loss=3 / n, took=20 + n % 3) for n in range(1, 13))


def test_epochs_that_are_marked_as_the_best_are_among_the_others(tmp_path: Path) -> None:
    text = of_two_forms(BEST, frozenset((1, 2, 3, 5, 8)))
    found = headline(read(tmp_path, text))
    assert found is not None
    assert found.value == approx(12 / 252)
    assert found.records_used == 12


def test_a_best_epoch_that_is_told_again_is_not_among_the_others(tmp_path: Path) -> None:
    text = of_two_forms(BEST, frozenset((1, 2, 3, 5, 8))) + BEST[1].format(n=8, loss=0.4, took=22)
    assert read(tmp_path, text).measurement is None


def test_a_time_that_rises_but_not_as_the_stamps_do_is_none_since_the_start(tmp_path: Path) -> None:
    assert number(
        epochs_of(tmp_path, "{stamp} Epoch {epoch}, Loss {loss:.4f}, Time {third}s", seconds=(30.0,) * 12)
    ) == (
        approx(1 / 30),
        "epochs/s",
    )
