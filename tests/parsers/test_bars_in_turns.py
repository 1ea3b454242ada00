"""Bars of training and of an evaluation in turns under one name: a loss that only one shows; the lines are made up."""

from pathlib import Path

import pytest

from tests.parsers.test_bar_clocks import bar
from tests.parsers.test_general_reader import drafted, refused

NAMES = ("", "Run: ", "[{n}/4]: ", "第 {n} 轮: ")
EPOCHS = range(1, 5)


def epochs(name: str, *passes: tuple[float, bool], before: str = "") -> str:
    """Epochs of several passes of a bar: of each the seconds of a step, and whether it shows a loss."""
    drawn = ("".join(bar(name.format(n=n), 100, *one[:1], loss=one[1]) + "\n" for one in passes) for n in EPOCHS)
    return before + "loss: 2.5\n" * 3 + "".join(drawn)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seconds", [0.1, 0.4, 0.9])
def test_the_first_of_two_passes_that_alone_shows_a_loss_is_that_of_training(
    tmp_path: Path, name: str, seconds: float
) -> None:
    found = drafted(tmp_path, epochs(name, (0.5, True), (seconds, False)))
    assert set(found.reading.records["step_rate"]) == {2.0}
    assert "every second one shows a loss" in " ".join(map(str, found.assumed))


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_loss_that_only_the_second_pass_shows_is_not_taken_for_that_of_training(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, epochs(name, (0.5, False), (0.1, True)))


def test_a_loss_of_an_evaluation_tells_it_from_training(tmp_path: Path) -> None:
    text = epochs("", (0.5, True), (0.1, False)).replace("10.00it/s", "10.00it/s, val_loss=0.5")
    assert set(drafted(tmp_path, text).reading.records["step_rate"]) == {2.0}


def test_passes_with_a_loss_that_do_not_follow_in_turns_are_not_told_apart(tmp_path: Path) -> None:
    assert refused(tmp_path, epochs("", (0.5, True), (0.1, False), (0.1, False)))


def test_passes_that_all_show_a_loss_are_not_told_apart(tmp_path: Path) -> None:
    assert refused(tmp_path, epochs("", (0.5, True), (0.1, True)))
