"""The clock of progress bars: it is used where the mean of the speeds that they show says something else."""

from pathlib import Path

import pytest

from report.measuring.checking.own_clock import BY_CLOCK
from tests.parsers.bars import clock
from tests.report.summaries import summary


def bar(times: list[float], shown: str = "2.00it/s") -> str:
    """A pass of a bar: the seconds of its steps one by one."""
    total = len(times)
    return "".join(
        f"\rtrain: {100 * n // total:3d}%|##| {n}/{total} [{clock(sum(times[:n]))}<00:09, {shown}, loss=2.5]"
        for n in range(1, total + 1)
    )


def test_the_clock_is_used_where_the_mean_of_what_a_bar_shows_is_something_else(tmp_path: Path) -> None:
    found = summary(tmp_path, bar([0.5] * 400, "2.30it/s"))
    assert found.measurement
    assert found.measurement.protocol.estimate == "clock"
    assert found.measurement.value == pytest.approx(2.0, rel=0.01)
    assert any(said.key == BY_CLOCK for said in found.warnings)


def test_the_speed_that_a_bar_shows_is_used_where_its_clock_gives_the_same(tmp_path: Path) -> None:
    found = summary(tmp_path, bar([0.5] * 400))
    assert found.measurement
    assert found.measurement.protocol.estimate == "steps"


def test_a_pause_within_a_bar_is_not_counted(tmp_path: Path) -> None:
    found = summary(tmp_path, bar([*[0.5] * 300, 200.0, *[0.5] * 300], "2.3it/s"))
    assert found.measurement
    assert found.measurement.value == pytest.approx(2.0, rel=0.01)


def test_seconds_that_short_passes_cut_off_do_not_add_up(tmp_path: Path) -> None:
    found = summary(tmp_path, "\n".join(bar([0.29] * 100, "3.10it/s") for _ in range(20)))
    assert found.measurement
    assert found.measurement.value == pytest.approx(1 / 0.29, rel=0.005)
