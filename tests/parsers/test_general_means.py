"""Times with their running mean in brackets, for the general reader: what shows that they are of one step."""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from tests.parsers.test_general_reader import drafted, refused

TIMES = [3.0, *(0.4 + (n * 7 % 5) / 100 for n in range(1, 60))]


def line(step: int, time: float, mean: float, *, unit: str = "") -> str:
    return f"Epoch: [0][{step}/90]\tTime {time:.3f}{unit} ({mean:.3f})\tLoss 2.5 (2.6)\n"


def every(times: Sequence[float], interval: int, scale: float = 1.0) -> str:
    """Each tenth step or so, with the mean of all steps until then."""
    means = [total / n for n, total in enumerate(accumulate(times), 1)]
    return "".join(line(n, times[n] * scale, means[n] * scale) for n in range(0, len(times), interval))


def test_a_mean_of_all_steps_shows_that_a_time_is_that_of_one_step(tmp_path: Path) -> None:
    found = drafted(tmp_path, every(TIMES, 10))
    assert found.reading.fields["step", "step_time"].unit == "seconds"
    assert found.reading.records["step_time"].tolist() == [round(TIMES[n], 3) for n in range(0, 60, 10)]


def test_what_shows_it_is_told(tmp_path: Path) -> None:
    assert [str(said) for said in drafted(tmp_path, every(TIMES, 10)).assumed] == [
        "time is the time of one step, as the running mean beside it shows"
    ]


def test_a_mean_of_the_lines_shows_nothing(tmp_path: Path) -> None:
    printed = TIMES[::10]
    means = [total / n for n, total in enumerate(accumulate(printed), 1)]
    text = "".join(line(10 * n, time, mean) for n, (time, mean) in enumerate(zip(printed, means, strict=True)))
    assert "neither its unit" in refused(tmp_path, text)


def test_a_mean_of_something_else_shows_nothing(tmp_path: Path) -> None:
    text = "".join(line(10 * n, time, 0.05 / (n + 1)) for n, time in enumerate(TIMES[::10]))
    assert "neither its unit" in refused(tmp_path, text)


def test_a_time_that_may_be_in_milliseconds_is_refused(tmp_path: Path) -> None:
    assert "neither its unit" in refused(tmp_path, every(TIMES, 10, scale=1000.0))


def test_two_lines_show_nothing(tmp_path: Path) -> None:
    assert "neither its unit" in refused(tmp_path, every(TIMES[:20], 10))
