"""Times that a program prints with all digits: those of the system clock are multiples of 2^-22 s."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.general.drafting import Draft
from tests.parsers.drafting import drafted, found_in, refused

START = 1.7e9
LINES = {
    "brackets": "epoch : 0 [{n}/900] Train loss: 2.{n:03d}, Valid loss: 2.{n:03d}, time : {time!r} lr : 1",
    "equals": "epoch=1 step={n} loss=2.{n:03d} time={time!r}",
    "JSON": '{{"epoch": 2, "step": {n}, "loss": 2.{n:03d}, "time": {time!r}}}',
}


def differences(count: int = 20) -> list[float]:
    """What ``time.time() - before`` gives for steps of about eleven seconds."""
    moments = START + np.cumsum(np.random.default_rng(7).uniform(10, 12, count + 1))
    found: list[float] = np.diff(moments).tolist()
    return found


def text(line: str, times: list[float]) -> str:
    return "".join(line.format(n=n, time=time) + "\n" for n, time in enumerate(times, 1))


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_differences_of_the_clock_are_in_seconds(tmp_path: Path, line: str) -> None:
    times = differences()
    found = drafted(tmp_path, text(line, times))
    assert found.reading.records["step_time"].tolist() == times
    assert found.reading.fields["step", "step_time"].unit == "seconds"


def test_it_says_what_shows_the_unit(tmp_path: Path) -> None:
    found = drafted(tmp_path, text(LINES["equals"], differences()))
    assert "system clock readings" in " ".join(map(str, found.assumed))


OTHERS: dict[str, Callable[[float], float]] = {
    "rounded": lambda seconds: round(seconds, 4),
    "milliseconds": lambda seconds: seconds * 1000,
    "minutes": lambda seconds: seconds / 60,
    "means of ten": lambda seconds: seconds / 10,
    "whole": lambda seconds: float(round(seconds)),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_numbers_have_no_unit(tmp_path: Path, other: Callable[[float], float]) -> None:
    reason = refused(tmp_path, text(LINES["equals"], [other(time) for time in differences()]))
    assert "neither its unit" in reason


def test_lines_that_number_epochs_without_a_name_and_tell_of_an_evaluation_are_not_of_steps(tmp_path: Path) -> None:
    line = "[{n}/900] Train loss: 2.{n:03d}, Valid loss: 2.{n:03d}, time : {time!r}"
    assert refused(tmp_path, text(line, differences()))


@given(times=st.lists(st.floats(0.001, 1e4), min_size=5, max_size=9, unique=True))
def test_numbers_of_any_other_origin_are_not_taken_for_seconds(
    tmp_path_factory: pytest.TempPathFactory, times: list[float]
) -> None:
    found = found_in(tmp_path_factory.mktemp("log"), text(LINES["equals"], times))
    said = " ".join(map(str, found.assumed)) if isinstance(found, Draft) else ""
    assert "system clock readings" not in said or all((time * 2**22).is_integer() for time in times)
