"""Records over several lines, for the general reader: a rate on a line of its own, below one that shows training."""

from pathlib import Path

import pytest

from tests.parsers.drafting import drafted, found_columns, found_in


def records(*lines: str) -> str:
    """Eight records of these lines."""
    return "".join(line.format(n=n, y=100 + n % 3, t=0.5 + n % 3 / 100) + "\n" for n in range(1, 9) for line in lines)


RECORDS = {
    "a line below": ("step {n} loss: 2.5", "tokens/s: {y}.0"),
    "a block": (
        "[step={n}/90]",
        "    train/loss=2.5",
        "    memory: 12.5",
        "    throughput/device/tokens_per_second={y}.0",
    ),
    "a block with the time of its data, and names of a rate twice": (
        "[step={n}/90]",
        "    train/loss=2.5",
        "    throughput/device/data loading (s)=8.1e-05",
        "    throughput/device/TPS={y}.0",
    ),
    "YAML": ("iteration: {n}", "  learner:", "    loss: 2.5", "  images_per_sec: {y}.0"),
}


@pytest.mark.parametrize("lines", RECORDS.values(), ids=RECORDS)
def test_a_rate_below_a_line_of_training_is_one_of_steps(tmp_path: Path, lines: tuple[str, ...]) -> None:
    found = drafted(tmp_path, records(*lines)).reading
    assert found.records["throughput"].tolist() == [100 + n % 3 for n in range(1, 9)]
    assert set(found.records["record"]) == {"step"}


def test_the_time_of_a_step_below_a_line_of_training_is_read(tmp_path: Path) -> None:
    found = drafted(tmp_path, records("step {n} loss: 2.5", "iteration time: {t:.2f} s"))
    assert found.reading.records["step_time"].tolist() == [0.5 + n % 3 / 100 for n in range(1, 9)]


OTHERS = {
    "nothing of training": ("at {n}", "tokens/s: {y}.0"),
    "below a line of the evaluation": ("step {n} loss: 2.5", "val loss: 2.6", "tokens/s: {y}.0"),
    "a rate of no unit": ("step {n} loss: 2.5", "speed: {y}.0"),
    "a rate of other work": ("step {n} loss: 2.5", "simulation: {y}.0 images/s"),
    "steps, of which nobody knows what they are": ("step {n} loss: 2.5", "steps/s: {y}.0"),
    "a time of nobody knows what": ("step {n} loss: 2.5", "timer: {t:.2f} s"),
}


@pytest.mark.parametrize("lines", OTHERS.values(), ids=OTHERS)
def test_any_other_number_on_a_line_of_its_own_is_not_read(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert not {"throughput", "step_time", "step_rate"} & found_columns(found_in(tmp_path, records(*lines)))


def test_two_rates_below_one_line_of_training_are_not_read(tmp_path: Path) -> None:
    both = records("step {n} loss: 2.5", "tokens/s: {y}.0", "more", "tokens/s: 9{y}.0")
    assert "throughput" not in found_columns(found_in(tmp_path, both))


def test_a_rate_far_below_is_not_read(tmp_path: Path) -> None:
    assert "throughput" not in found_columns(
        found_in(tmp_path, records("step {n} loss: 2.5", *["-"] * 30, "tokens/s: {y}.0"))
    )


TWICE = {
    "the plain one last": ("INFO:root:step {n} loss: 2.5 images/s: {y}.0", "step {n} loss: 2.5 images/s: {y}.0"),
    "a stamp before one": (
        "2031-02-03 04:05:0{n} step {n} loss: 2.5 images/s: {y}.0",
        "step {n} loss: 2.5 images/s: {y}.0",
    ),
}


@pytest.mark.parametrize("lines", TWICE.values(), ids=TWICE)
def test_a_line_that_two_handlers_of_a_logger_print_is_read_once(tmp_path: Path, lines: tuple[str, ...]) -> None:
    found = drafted(tmp_path, records(*lines)).reading
    assert found.records["line"].tolist() == list(range(1, 17, 2))


def test_the_same_line_again_is_no_echo(tmp_path: Path) -> None:
    line = "step {n} loss: 2.5 images/s: {y}.0"
    assert "throughput" not in found_columns(found_in(tmp_path, records(line, line)))
