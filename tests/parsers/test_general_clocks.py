"""Clocks of logs that no format claims: a time that rises with the steps, or begins anew with each pass of them."""

from pathlib import Path

import pytest

from report.evidence.log_summary import summarise
from tests.parsers.drafting import refused
from tests.parsers.toy_logs import write

BAR = "[>-----] {n}/9, 1.3 task/s, elapsed: {t}s, ETA: {left}s\n"
VALIDATED = "".join(
    f"31-02-03 04:{(100 * n + own) // 60:02d}:{(100 * n + own) % 60:02d} - INFO: "
    f"[epoch: {n}, iter: {100 * n + step}, lr:(2e-04,)]\n"
    + ("".join(BAR.format(n=s, t=2 * s, left=18 - 2 * s) for s in range(10)) if step == 90 else "")
    for n in range(4)
    for own, step in ((step // 2, step) for step in range(0, 100, 10))
)


COARSE = "Elapsed [0:{m:02d}:{s:02d}], Iteration [{n}/1000], G/loss: 0.5\n"


def test_a_time_without_a_unit_that_rises_from_the_start_is_taken_for_seconds_and_said_to_be(tmp_path: Path) -> None:
    text = "".join(f"Epoch: [0/9] [{n:4d}/ 273] time: {0.5 * n + 0.625:.4f}, d_loss: 1.5\n" for n in range(1, 30))
    found = summarise(write(tmp_path, text.encode()), None, ())
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.unit) == (2.0, "steps/s")
    assert "has no unit; seconds are assumed" in " ".join(map(str, found.warnings))


def test_a_clock_of_whole_seconds_may_stand_still_between_two_lines(tmp_path: Path) -> None:
    text = "".join(COARSE.format(m=n // 120, s=n // 2 % 60, n=n) for n in range(1, 300))
    found = summarise(write(tmp_path, text.encode()), None, ()).measurement
    assert found is not None
    assert found.value == pytest.approx(2.0, rel=0.01)


def test_a_clock_of_few_whole_seconds_says_too_little(tmp_path: Path) -> None:
    refused(tmp_path, "".join(COARSE.format(m=0, s=n // 2, n=n) for n in range(1, 60)))


def test_a_clock_that_its_stamps_contradict_is_none(tmp_path: Path) -> None:
    text = "".join(f"2031-02-03 04:05:{n:02d} step {n} loss: 2.{n:02d} time: {0.5 * n:.4f}\n" for n in range(1, 30))
    found = summarise(write(tmp_path, text.encode()), None, ()).measurement
    assert found is None or found.value == pytest.approx(1.0)


def test_the_clock_of_one_bar_after_another_is_no_time_of_a_step(tmp_path: Path) -> None:
    text = "".join(BAR.format(n=s, t=2 * s, left=18 - 2 * s) for _ in range(9) for s in range(10))
    assert "a total" in refused(tmp_path, text)


def test_steps_are_counted_by_stamps_where_a_bar_of_a_validation_shows_its_clock(tmp_path: Path) -> None:
    found = summarise(write(tmp_path, VALIDATED.encode()), None, ()).measurement
    assert found is not None
    assert (found.unit, found.protocol.estimate) == ("steps/s", "clock")
