"""Progress bars that show their clock and no speed, as where a terminal cuts it off; the lines are made up."""

from pathlib import Path

import pytest

from report.evidence.measured_log import measured_log
from tests.parsers.bars import bar, clock
from tests.parsers.drafting import drafted, refused
from tests.parsers.timed_logs import number

NAMELESS = "\r{p:3d}%|##| {n}/100 [{c}<{left}]"
LOSSES = "".join(f"step {n} loss 2.{n} lr 0.1\n" for n in range(1, 9))


def drawn(line: str, seconds: float = 1.5, by: int = 1) -> str:
    """The drawings of a bar of 100 steps."""
    return "".join(
        line.format(p=n, n=n, c=clock(n * seconds), left=clock((100 - n) * seconds)) for n in range(by, 101, by)
    )


@pytest.mark.parametrize(
    "line",
    [
        "\rtrain: {p:3d}%|##| {n}/100 [{c}<{left}]",
        "\rTraining: {p:3d}%|##| {n}/100 [{c}<{left}, loss=2.{n}]",
        "{p:3d}%|#         | {n}/100 [{c}<{left},  3\nD loss: 0.{n}5\n",
        "loss: 2.{n} {p:3d}%| | {n}/100 [{c}<{left}, \nSaved\n",
        "\rtrain {p:3d}% {n}/100 [{c}<{left}]",
    ],
    ids=["own form", "loss behind", "cut", "cut behind a loss", "no picture"],
)
def test_steps_of_training_are_timed_by_the_clock(tmp_path: Path, line: str) -> None:
    log = tmp_path / "train.log"
    log.write_text(drawn(line), encoding="utf-8")
    found = measured_log(log)
    assert number(found) == (pytest.approx(1 / 1.5, rel=0.01), "steps/s")


@pytest.mark.parametrize(
    "text",
    [
        drawn("\rDownloading: {p:3d}%|##| {n}/100 [{c}<{left}]"),
        drawn("\rValidation: {p:3d}%|##| {n}/100 [{c}<{left}, loss=2.{n}]"),
        drawn("\r{p:3d}%|##| {n}/100 [{c}<{left}]"),
        LOSSES + drawn("\rGenerating: {p:3d}%|##| {n}/100 [{c}<{left}]"),
        drawn("\rtrain: {p:3d}%|##| {n}/100 [{c}<{left}]", seconds=0.1),
        drawn("\rtrain: {p:3d}%|##| {n}/100 [{c}<{left}, 1.50s/file]"),
        "".join(f"Collecting rollouts\n{drawn(NAMELESS)}\nepoch {n} loss 2.{n}\n" for n in range(1, 6)),
        "".join(drawn(NAMELESS) + bar("", 90, 1.4, loss=False) + LOSSES for _ in range(3)),
    ],
    ids=["download", "evaluation", "nothing", "generation", "short", "of files", "rollouts", "two in turns"],
)
def test_other_bars_are_not_read(tmp_path: Path, text: str) -> None:
    assert refused(tmp_path, text + "\n")


def test_it_says_where_it_may_count_samples(tmp_path: Path) -> None:
    found = drafted(tmp_path, drawn("{p:3d}%|##| {n}/100 [{c}<{left}, loss=2.{n}]\n", by=4))
    assert "advances by multiples of 4" in " ".join(map(str, found.assumed))


def test_a_speed_that_most_drawings_show_is_read(tmp_path: Path) -> None:
    text = drawn("\rtrain: {p:3d}%|##| {n}/100 [{c}<{left},  1.50s/it]") + "\rtrain: 100%|##| 100/100 [02:30<00:00"
    assert set(drafted(tmp_path, text + "\n").reading.records["step_time"]) == {1.5}


def test_a_bar_of_epochs_is_read_by_its_clock_alone(tmp_path: Path) -> None:
    found = drafted(tmp_path, drawn("Epochs: {p:3d}%|##| {n}/100 [{c}<{left}, loss=2.{n}]\n", seconds=20))
    assert found.columns == ["epoch", "elapsed"]
