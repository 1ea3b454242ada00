"""Stamps of lines in a drafted grammar: read where all lines of a speed begin with one of a kind."""

from pathlib import Path

import numpy as np
import pytest

from parsers.general.drafting import Draft, draft
from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import headline, read

LINE = "{stamp} step {n} loss: 2.5 images/s: {y}.0\n"
STAMPS = {
    "STAMP": "2031-02-03 04:05:{n:02d}",
    "STAMP with a fraction": "2031-02-03 04:05:{n:02d},125",
    "STAMP with T": "2031-02-03T04:05:{n:02d}.5",
    "STAMP with slashes": "2031/02/03 04:05:{n:02d}",
    "STAMP in brackets": "[2031-02-03 04:05:{n:02d}]",
    "STAMP behind a level": "INFO 2031-02-03 04:05:{n:02d} train.py:357",
    "COMPACT_STAMP": "20310203 04:05:{n:02d}",
    "SHORT_DATE_STAMP": "31-02-03 04:05:{n:02d}.125 - INFO:",
    "SHORT_DATE_STAMP of America": "02/03/2031 04:05:{n:02d} - INFO - __main__ -",
    "SHORT_DATE_STAMP with points": "03.02.2031 04:05:{n:02d}",
    "SHORT_DATE_STAMP with a comma": "02/03/2031, 04:05:{n:02d}",
    "SHORT_DATE_STAMP with the name of a month": "03-Feb-31 04:05:{n:02d} -",
    "SHORT_DATE_STAMP behind the name of a month": "[Feb  3 04:05:{n:02d}]",
    "TWELVE_HOUR_STAMP": "02/03 12:05:{n:02d} PM",
    "TWELVE_HOUR_STAMP behind a whole date": "2031-02-03 4:05:{n:02d} am |",
    "TWELVE_HOUR_STAMP without a date": "4:05:{n:02d} PM",
    "STAMP behind what a logger says": "INFO - run_lib_toy2.py - 2031-02-03 04:05:{n:02d},125 -",
    "STAMP behind the place of a line": "[INFO|trainer.py:540] 2031-02-03 04:05:{n:02d},125 >>",
    "STAMP behind the name of a logger": "trainer.distributed - INFO - 2031-02-03 04:05:{n:02d}",
    "YEARLESS_STAMP": "I0203 04:05:{n:02d}.000125 1200",
    "C_STAMP": "Mon Feb  3 04:05:{n:02d} 2031",
    "TIME_OF_DAY": "04:05:{n:02d}",
    "TIME_OF_DAY in brackets": "[04:05:{n:02d}]",
    "TIME_OF_DAY behind a level": "INFO 04:05:{n:02d},125",
}


def text(stamp: str, *, line: str = LINE) -> str:
    return "".join(line.format(stamp=stamp.format(n=n), n=n, y=100 + n % 3) for n in range(1, 9))


@pytest.mark.parametrize(("name", "stamp"), STAMPS.items(), ids=STAMPS)
def test_the_stamp_at_the_start_of_lines_is_read(tmp_path: Path, name: str, stamp: str) -> None:
    found = drafted(tmp_path, text(stamp))
    assert found.reading.fields["step", "time"].type == name.split(maxsplit=1)[0]
    assert (np.diff(found.reading.records["time"].to_numpy()) == np.timedelta64(1, "s")).all()


WITHOUT = {
    "a stamp behind a number": "12 2031-02-03 04:05:{n:02d}",
    "a stamp behind a level and a number": "INFO 12 2031-02-03 04:05:{n:02d}",
    "a time of day amid a sentence": "the run of 02/03 began, as it says there, at 12:05:{n:02d} PM",
    "a stamp far behind": "the training of the toy program at 2031-02-03 04:05:{n:02d}",
}


@pytest.mark.parametrize("stamp", WITHOUT.values(), ids=WITHOUT)
def test_no_other_time_is_read(tmp_path: Path, stamp: str) -> None:
    assert "time" not in drafted(tmp_path, text(stamp)).columns


def test_lines_of_which_some_have_no_stamp_are_read_without(tmp_path: Path) -> None:
    both = text(STAMPS["STAMP"]) + text("").replace("step ", "step 1")
    found = drafted(tmp_path, both)
    assert ("time" in found.columns, len(found.reading.records)) == (False, 16)


def test_the_clock_stands_beside_what_a_log_prints(tmp_path: Path) -> None:
    found = drafted(tmp_path, "global batch size: 64\n" + text(STAMPS["STAMP"]))
    assert {"throughput", "time", "step"} <= set(found.columns)


SINCE_START = {
    "a clock of the run": ("Epoch {e}, Step {s}, total used time {all} (s), loss is 2.5", 0.5),
    "a clock of each epoch": ("Epoch: {e:3d} | Batch: {s:5d}/  100 | Loss: 2.5 | Time: {own}s", 0.5),
    "a clock that the stamps confirm": (
        "2031-02-03 04:{m:02d}:{x:02d} Epoch {e}, Step {s}, elapsed time {all} loss 2.5",
        0.5,
    ),
}


@pytest.mark.parametrize(("line", "each"), SINCE_START.values(), ids=SINCE_START)
def test_a_time_that_rises_with_the_steps_is_that_since_the_start(tmp_path: Path, line: str, each: float) -> None:
    found = drafted(tmp_path, since_start(line, each))
    assert [name for name in found.columns if name in ("elapsed", "step_time")] == ["elapsed"]


def since_start(line: str, each: float) -> str:
    rows = [
        (epoch, step, each * step, each * (100 * epoch + step)) for epoch in range(3) for step in range(10, 101, 10)
    ]
    numbers = [
        {"e": e, "s": s, "own": own, "all": whole, "m": int(whole) // 60, "x": int(whole) % 60}
        for e, s, own, whole in rows
    ]
    return "".join(line.format(**one) + "\n" for one in numbers)


NOT_SINCE_START = {
    "a mean that only rises": "Step {s}, loss 2.5 time {mean}s",
    "a time that may be in milliseconds": "Step {s}, loss 2.5 time {long}",
    "an evaluation": "Eval Step {s}, loss 2.5 time {all}s",
}


@pytest.mark.parametrize("line", NOT_SINCE_START.values(), ids=NOT_SINCE_START)
def test_other_times_that_rise_are_not_taken_for_that_since_the_start(tmp_path: Path, line: str) -> None:
    rows = ((step, 5 + step / 1000, step / 2) for step in range(10, 301, 10))
    (tmp_path / "train.log").write_text(
        "".join(line.format(s=s, mean=mean, all=all_, long=5 * all_) + "\n" for s, mean, all_ in rows)
    )
    assert not draft(tmp_path / "train.log").is_found


@pytest.mark.parametrize("name", ["Epochs", "Epoch"])
def test_a_bar_that_is_named_by_epochs_is_read_for_them_where_it_is_not_that_of_one(tmp_path: Path, name: str) -> None:
    bars = "\r".join(
        f"{name}: {20 * n:3d}%|##  | {n}/5 [{10 * n}:00<{50 - 10 * n}:00, 600.00s/it]" for n in range(1, 6)
    )
    losses = "".join(f"step {n} loss: 2.5\n" for n in range(9))
    if name == "Epoch":
        assert refused(tmp_path, losses + bars + "\n")
        return
    records = drafted(tmp_path, losses + bars + "\n").reading.records
    assert records["epoch"].tolist() == [1, 2, 3, 4, 5]
    assert "step" not in records


def test_a_bar_that_is_drawn_again_for_each_loss_is_read(tmp_path: Path) -> None:
    shown = "Training progress: {n:3d}%|## | {n}/100 [00:{n:02d}<00:{left:02d},  1.00it/s, loss=0.{loss}]"
    drawn = (shown.format(n=n, left=60 - n, loss=90 - loss) for n in range(1, 60) for loss in (n - 1, n))
    (tmp_path / "train.log").write_text("\r".join(drawn) + "\n")
    found = draft(tmp_path / "train.log")
    assert found.is_found
    assert set(found.reading.records["step_rate"]) == {1.0}


STEP_AND_PART = "Epoch: [{e}][{s}/9]\tTime {time} DataTime {part}, loss 2.5\n"


@pytest.mark.parametrize(
    ("time", "part", "factor"),
    [(0.5, 0.01, "seconds"), (50.0, 0.01, None)],
    ids=["less than 1 ms", "may be milliseconds"],
)
def test_a_time_without_a_unit_of_each_step_and_of_its_data_is_in_seconds(
    tmp_path: Path, time: float, part: float, factor: str | None
) -> None:
    steps = [(e, s) for e in (1, 2) for s in range(1, 10)]
    text = "".join(STEP_AND_PART.format(e=e, s=s, time=time + s / 1000, part=part) for e, s in steps)
    (tmp_path / "a.log").write_text(text)
    found = draft(tmp_path / "a.log")
    assert (found.reading.fields["step", "step_time"].unit if isinstance(found, Draft) else None) == factor


COUNTED = "".join(f"2031-02-03 04:05:{2 * n:02d},500 - INFO - Step {n}: loss = 2.{n:02d}\n" for n in range(1, 21))


def test_steps_are_counted_by_stamps_where_no_number_is_a_time_of_training(tmp_path: Path) -> None:
    found = headline(read(tmp_path, COUNTED))
    assert found is not None
    assert (found.value, found.unit, found.estimate.source) == (0.5, "steps/s", "time")


@pytest.mark.parametrize(
    ("one", "other"),
    [("loss", "accuracy"), ("Step", "Test step"), ("2031-02-03 ", "at ")],
    ids=["no loss", "of a test", "no stamp"],
)
def test_other_lines_are_not_counted_by_their_stamps(tmp_path: Path, one: str, other: str) -> None:
    found = headline(read(tmp_path, COUNTED.replace(one, other)))
    assert found is None or found.estimate.source != "time"


@pytest.mark.parametrize(
    "title", ["===== Test =====", "Evaluating on the test set", "INFO: Start evaluation of 20 batches"]
)
def test_steps_below_the_title_of_an_evaluation_are_not_counted(tmp_path: Path, title: str) -> None:
    assert read(tmp_path, f"{title}\nusing cuda\n{COUNTED}").measurement is None


def test_steps_that_begin_anew_at_another_speed_may_be_of_an_evaluation(tmp_path: Path) -> None:
    faster = "".join(f"2031-02-03 04:06:{n:02d},500 - INFO - Step {n}: loss = 2.{n:02d}\n" for n in range(1, 21))
    assert read(tmp_path, (COUNTED + faster)).measurement is None


def test_a_time_that_stands_in_two_units_is_not_read_by_one_of_them(tmp_path: Path) -> None:
    times = (0.9, 1.1, 0.8, 1.2) * 4
    text = "".join(
        f"step {n}: loss 2.{n} step time {time if time > 1 else round(1000 * time)}{'s' if time > 1 else 'ms'}\n"
        for n, time in enumerate(times, 10)
    )
    assert read(tmp_path, text).measurement is None


def test_a_time_on_lines_that_count_passes_and_steps_may_be_of_either(tmp_path: Path) -> None:
    text = "".join(f"iter {4 * n} step {n} | loss 2.5 | iter time: 0.5{n % 3}s\n" for n in range(1, 9))
    assert "two counters" in refused(tmp_path, text)


def test_a_time_on_lines_that_count_steps_twice_is_read(tmp_path: Path) -> None:
    text = "".join(f"iter {n} global step {100 + n} | loss 2.5 | step time: 0.5{n % 3}s\n" for n in range(1, 9))
    assert drafted(tmp_path, text).reading.records["step_time"].tolist() == [0.5 + n % 3 / 100 for n in range(1, 9)]


def test_a_time_without_a_unit_of_all_steps_between_two_lines_is_no_time_of_a_step(tmp_path: Path) -> None:
    passed = (0, 841, 843, 840, 845, 842, 844, 841)
    text = "".join(
        f"2031-02-03 {4 + sum(passed[:n]) // 3600:02d}:{sum(passed[:n]) // 60 % 60:02d}:{sum(passed[:n]) % 60:02d} - "
        f"Epoch[{n}] Iter[{616 * n}] Time:{passed[n - 1] + 0.25}, main_loss: 0.5\n"
        for n in range(1, 9)
    )
    found = headline(read(tmp_path, text))
    assert found is None or found.value < 0.8


def of_parts(time: float, data: float, more: float) -> str:
    """Lines of every step, whose data takes ``more`` in the first steps of each of two epochs."""
    return "".join(
        STEP_AND_PART.format(e=e, s=s, time=time + s / 1000, part=more if s < 2 else data)
        for e in (1, 2)
        for s in range(1, 10)
    )


def test_a_time_that_does_not_hold_that_of_the_data_is_added_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(of_parts(0.5, 0.25, 0.9))
    found = draft(tmp_path / "a.log")
    assert found.is_found
    records = found.reading.records
    assert records["step_time"].to_numpy() == pytest.approx((records["work_time"] + records["reader_time"]).to_numpy())


@pytest.mark.parametrize(
    ("time", "data", "more"), [(50.0, 0.25, 90.0), (0.5, 0.25, 0.502)], ids=["may be milliseconds", "hardly longer"]
)
def test_a_time_that_may_hold_that_of_the_data_is_not_added_to_it(
    tmp_path: Path, time: float, data: float, more: float
) -> None:
    (tmp_path / "a.log").write_text(of_parts(time, data, more))
    found = draft(tmp_path / "a.log")
    assert not (isinstance(found, Draft) and "work_time" in found.columns)


WHOLE_EPOCH = "2031-02-03 04:{epoch:02d}:00 eta: 1:00:00 epoch: {epoch} iter: {last} loss: 2.5 time: {time} (1.3)\n"


@pytest.mark.parametrize(("last", "proven"), [(45, True), (450, False), (9, False)])
def test_the_time_of_a_step_is_shown_by_the_steps_of_whole_epochs(tmp_path: Path, last: int, proven: bool) -> None:
    text = "".join(WHOLE_EPOCH.format(epoch=n, last=last, time=1.25 + n % 3 / 100) for n in range(1, 9))
    found = headline(read(tmp_path, text))
    assert (found is not None and found.unit == "steps/s") == proven
