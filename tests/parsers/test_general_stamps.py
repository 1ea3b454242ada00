"""Steps and epochs that nothing but the stamps of their lines times."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.drafting import refused
from tests.parsers.timed_logs import number, of_runs, read

START = datetime(2031, 2, 3, 23, 58)
DATED, OF_DAY = "%Y-%m-%d %H:%M:%S - INFO - ", "[%H:%M:%S] "


def stamped(lines: Sequence[str], each: float, stamp: str = DATED) -> str:
    """Lines that are so many seconds apart."""
    moments = (START + timedelta(seconds=number * each) for number in range(len(lines)))
    return "".join(f"{moment.strftime(stamp)}{line}\n" for moment, line in zip(moments, lines, strict=True))


STEPS = [f"Batch {n}/900 | Loss: 2.{n:02d} | Time: 0.{n % 3}s" for n in range(1, 31)]
EPOCHS = [f"Epoch {n}/12, train loss: {3 / n:.4f}, val loss: {4 / n:.4f}" for n in range(1, 13)]


def test_steps_are_counted_over_midnight_by_stamps_without_a_date(tmp_path: Path) -> None:
    found = read(tmp_path, stamped(STEPS, 10, OF_DAY))
    assert number(found) == (approx(0.1), "steps/s")


OF_HALF_A_DAY = {"darts": "%m/%d %I:%M:%S %p ", "with a year": "%m/%d/%Y %I:%M:%S %p - INFO - ", "none": "%I:%M:%S %p "}


@pytest.mark.parametrize("stamp", OF_HALF_A_DAY.values(), ids=OF_HALF_A_DAY)
def test_steps_are_counted_by_stamps_of_twelve_hours_over_noon_and_midnight(tmp_path: Path, stamp: str) -> None:
    found = read(tmp_path, stamped(STEPS, 4000, stamp))
    assert number(found) == (approx(1 / 4000), "steps/s")


OF_A_DAY = {"america": "%m/%d/%Y %H:%M:%S - ", "twelve hours": "%m/%d %I:%M:%S %p ", "month": "%d-%b-%y %H:%M:%S - "}


@pytest.mark.parametrize("hours", [13, 20, 24, 30])
@pytest.mark.parametrize("stamp", OF_A_DAY.values(), ids=OF_A_DAY)
def test_a_pause_of_which_only_the_dates_tell_gives_no_speed(tmp_path: Path, stamp: str, hours: int) -> None:
    before, later = STEPS[:15], START + timedelta(hours=hours)
    after = (f"{(later + timedelta(seconds=10 * n)).strftime(stamp)}{line}\n" for n, line in enumerate(STEPS[15:]))
    found = read(tmp_path, stamped(before, 10, stamp) + "".join(after))
    assert found.measurement is None


@pytest.mark.parametrize("stamp", ["[{left:%H:%M:%S}] ", "step of {left:%H:%M:%S} ", "10:{left:%H:%M:%S} "])
def test_other_times_of_day_are_no_stamps(tmp_path: Path, stamp: str) -> None:
    lefts = (datetime(2031, 1, 1, 20) - timedelta(seconds=10 * n) for n in range(len(STEPS)))
    text = "".join(f"{stamp.format(left=left)}{line}\n" for left, line in zip(lefts, STEPS, strict=True))
    assert read(tmp_path, text).measurement is None


def test_epochs_are_counted_by_the_stamps_of_their_lines(tmp_path: Path) -> None:
    found = read(tmp_path, stamped(EPOCHS, 25))
    assert number(found) == (approx(0.04), "epochs/s")


def test_where_only_every_third_epoch_is_told_all_count(tmp_path: Path) -> None:
    lines = [f"Epoch {3 * n}, train loss: 2.{n}" for n in range(1, 13)]
    assert number(read(tmp_path, stamped(lines, 25))) == (approx(0.12), "epochs/s")


OTHERS = {
    "without a loss": [line.replace("loss", "accuracy") for line in EPOCHS],
    "of a test": [f"Test epoch {n}/12, loss: 2.{n}" for n in range(1, 13)],
    "of each epoch twice": [f"Epoch {n // 2}, train loss: 2.{n}" for n in range(2, 15)],
    "below a title of a test": ["Evaluating the model on the test set", *EPOCHS],
    "of one epoch": [f"Epoch 1, train loss: 2.{n}" for n in range(1, 13)],
    "of three epochs": EPOCHS[:3],
}


@pytest.mark.parametrize("lines", OTHERS.values(), ids=OTHERS)
def test_other_lines_with_stamps_count_no_epochs(tmp_path: Path, lines: Sequence[str]) -> None:
    assert read(tmp_path, stamped(lines, 25)).measurement is None


def test_epochs_that_begin_anew_are_of_another_run(tmp_path: Path) -> None:
    found = read(tmp_path, stamped([*EPOCHS[:6], *EPOCHS[:5]], 25))
    assert number(found) == (approx(0.04), "epochs/s")
    assert len(of_runs(found)) == 2


def of_batches(seconds: Sequence[float], counts: Sequence[int] = ()) -> str:
    """Epochs of batches, of which each takes so long; ``counts``: how many lines each epoch has, ten as a rule."""
    text, at = "", START
    for each, count in zip(seconds, counts or [10] * len(seconds), strict=True):
        for n in range(1, count + 1):
            at += timedelta(seconds=each)
            text += f"{at.strftime(DATED)}Batch {n}/10 | Perplexity: 1{n}.5\n"
    return text


def test_a_run_of_another_size_that_was_appended_contradicts_the_one_before(tmp_path: Path) -> None:
    found = read(tmp_path, of_batches([2] * 4 + [8] * 4, [10, 10, 10, 7, 10, 10, 10, 10]))
    assert found.status == "contradicted"
    assert set(of_runs(found)) == {0.5, 0.125}


def test_where_nothing_tells_two_runs_of_other_sizes_apart_none_is_measured(tmp_path: Path) -> None:
    found = read(tmp_path, of_batches([2] * 4 + [8] * 4))
    assert found.measurement is None


@pytest.mark.parametrize("seconds", [(2, 8) * 4, (2, 2, 2, 2, 8, 2, 2, 2), (2, 2, 2, 2, 8)])
def test_steps_that_return_to_another_speed_may_be_of_an_evaluation(tmp_path: Path, seconds: Sequence[float]) -> None:
    assert read(tmp_path, of_batches(seconds)).measurement is None


BEGIN = "start training\n"


def of_epochs(each: int) -> list[tuple[float, str]]:
    """Lines of eight epochs of so many each, 100 steps of 0.1 s apart, 25 s between two epochs; and their moments."""
    return [
        (epoch * (10 * each + 25) + 10 * n, f"epoch: {epoch} iter: {100 * n} loss: {2 / (1 + n + epoch):.4f}")
        for epoch in range(8)
        for n in range(each)
    ]


@pytest.mark.parametrize("each", [2, 3, 4, 6])
def test_the_steps_of_epochs_of_few_lines_are_counted_without_what_lies_between(tmp_path: Path, each: int) -> None:
    text = (f"{START + timedelta(seconds=at):{DATED}}{line}\n" for at, line in of_epochs(each))
    found = read(tmp_path, "".join(text))
    assert number(found) == (approx(10), "steps/s")


def test_steps_that_begin_anew_twice_in_each_epoch_are_not_counted(tmp_path: Path) -> None:
    twice = [line for line in of_epochs(3) for line in (line, (line[0] + 1, line[1]))]
    text = (f"{START + timedelta(seconds=at):{DATED}}{line}\n" for at, line in twice)
    assert read(tmp_path, "".join(text)).measurement is None


@pytest.mark.parametrize(("head", "count", "is_read"), [(BEGIN, 4, False), (BEGIN, 6, True), ("", 6, False)])
def test_few_lines_count_steps_where_these_are_even(tmp_path: Path, head: str, count: int, is_read: bool) -> None:
    assert (read(tmp_path, head + stamped(STEPS[:count], 10)).measurement is not None) == is_read


def test_few_lines_count_no_steps_where_these_are_uneven(tmp_path: Path) -> None:
    even = stamped(STEPS[:8], 10).splitlines(keepends=True)
    assert read(tmp_path, "".join([BEGIN, *even[:4], even[6].replace("Batch 7", "Batch 5")])).measurement is None


def test_a_pause_of_several_days_is_seen_by_the_dates(tmp_path: Path) -> None:
    hours = [("02/03", hour) for hour in range(16, 21)] + [("02/06", hour) for hour in range(5, 11)]
    text = "".join(f"{day}/2031 {hour:02}:00:00 step {100 * n} loss 2.{n}0\n" for n, (day, hour) in enumerate(hours))
    assert "a pause of half a day or more" in refused(tmp_path, text)
