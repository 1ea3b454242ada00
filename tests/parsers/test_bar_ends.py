"""Bars of short passes: what each shows as it closes is read, the mean of the pass; the lines are made up."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from report.evidence.measured_log import measured_log
from tests.parsers.bars import clock
from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import number

SECONDS = (3.4, 3.2, 3.3, 3.1, 3.9, 3.2, 3.3, 3.8)  # of passes


def passes(
    moving: float, drawn: int = 2, *, total: int = 40, name: str = "Train: ", seconds: Iterable[float] = SECONDS
) -> list[str]:
    """Passes of a bar as tqdm draws it: a moving mean so many times the mean, and at last, as it closes, the mean."""
    return [one_pass(total, took, moving, drawn, name) + "\n" for took in seconds]


def one_pass(total: int, took: float, moving: float, drawn: int, name: str) -> str:
    mean = total / took
    within = [drawing(n, total, took * n / total, moving * mean, name) for n in range(0, total, 9)]
    ends = [drawing(total, total, took, moving * mean, name)] * (drawn - 1)
    return "\r".join([*within, *ends, drawing(total, total, took, mean, name)])


def drawing(n: int, total: int, seconds: float, rate: float, name: str) -> str:
    shown = f"{rate:5.2f}it/s" if rate > 1 else f"{1 / rate:5.2f}s/it"
    return f"{name}{100 * n / total:3.0f}%|##| {n}/{total} [{clock(seconds)}<00:00, {shown}]"


def rates(total: int = 40, seconds: Sequence[float] = SECONDS) -> object:
    return pytest.approx([total / took for took in seconds], abs=0.006)


@pytest.mark.parametrize("drawn", [1, 2, 3])
def test_the_mean_of_each_pass_is_read_however_often_it_is_drawn_at_its_end(tmp_path: Path, drawn: int) -> None:
    found = drafted(tmp_path, "".join(passes(1.6, drawn)))
    assert found.reading.records["step_rate"].tolist() == rates()
    assert set(found.reading.records["step"]) == {40}


def test_a_pass_that_is_not_at_its_end_where_its_percentage_is_rounded_up_is_not_read(tmp_path: Path) -> None:
    cut = "\r".join(drawing(n, 400, n / 50, 77.0, "Train: ") for n in (0, 399)) + "\n"
    found = drafted(tmp_path, "".join([*passes(1.6, total=400), cut]))
    assert found.reading.records["step"].tolist() == [400] * len(SECONDS)


def test_seconds_per_step_are_read_as_well(tmp_path: Path) -> None:
    found = drafted(tmp_path, "".join(passes(1.6, total=3, seconds=[4 * took for took in SECONDS])))
    assert found.reading.records["step_time"].tolist() == [pytest.approx(4 * took / 3, abs=0.006) for took in SECONDS]


def test_a_speed_that_the_clock_does_not_confirm_is_refused(tmp_path: Path) -> None:
    text = "".join(passes(1.0)).replace("40/40 [00:03", "40/40 [00:02")
    assert "too short" in refused(tmp_path, text)


def test_the_last_drawing_is_not_taken_for_the_mean_where_nothing_tells_it_from_others(tmp_path: Path) -> None:
    text = "".join(one for pair in zip(passes(1.6, 1), passes(1.6, 2), strict=True) for one in pair)
    assert "too short" in refused(tmp_path, text)


def test_drawings_that_show_about_the_same_are_all_read(tmp_path: Path) -> None:
    text = "".join(one for pair in zip(passes(1.01, 1), passes(1.01, 2), strict=True) for one in pair)
    assert set(drafted(tmp_path, text).reading.records["step"]) == {40}


def test_passes_within_a_second_prove_nothing(tmp_path: Path) -> None:
    assert "too short" in refused(tmp_path, "".join(passes(1.6, seconds=[0.4] * 60)))


def test_a_bar_without_a_name_that_nothing_shows_to_be_of_training_is_refused(tmp_path: Path) -> None:
    text = "".join(f"epoch {n} loss 2.{n}\n{one}Accuracy 0.{n}\n" for n, one in enumerate(passes(1.6, name="")))
    assert refused(tmp_path, text)


def test_the_bar_of_each_epoch_is_read_and_not_that_of_the_evaluation_below_it(tmp_path: Path) -> None:
    evaluated = passes(1.6, total=90, name="")
    text = "".join(
        one.replace("Train", f"Epoch {n}") + other
        for n, (one, other) in enumerate(zip(passes(1.6), evaluated, strict=True))
    )
    assert drafted(tmp_path, text).reading.records["step_rate"].tolist() == rates()


def test_the_throughput_is_the_mean_of_the_passes_but_a_slow_first_one(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(passes(1.6, seconds=[9.0, *[4.0, 4.1] * 4])), encoding="utf-8")
    assert number(measured_log(log)) == (pytest.approx(40 / 4.05, rel=0.001), "steps/s")


def test_passes_of_which_one_line_each_is_left_are_told_apart_by_the_bars_between_them(tmp_path: Path) -> None:
    evaluated = passes(1.6, total=90, name="Evaluating: ")
    pairs = zip(passes(1.6), evaluated, strict=True)
    last = [one.rpartition("\r")[2] for pair in pairs for one in pair]
    assert drafted(tmp_path, "".join(last)).reading.records["step_rate"].tolist() == rates()
