"""Bars of training and of an evaluation in turns under one name: a loss that only one shows; the lines are made up."""

from pathlib import Path

import pytest

from tests.parsers.bars import bar, clock
from tests.parsers.drafting import drafted, refused

pytestmark = pytest.mark.slow

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
    assert "every second pass shows a loss" in " ".join(map(str, found.assumed))


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


def joint(name: str, counted: int) -> str:
    """Epochs of 60 steps of training and 30 of an evaluation, of which the bar of training counts some as well."""
    text = ""
    for n in EPOCHS:
        text += "".join(drawn(f"{name} {n}: ", step, 60 + counted, step * 0.5, ", loss=2.5") for step in range(1, 61))
        for step in range(3, 31, 3):
            text += drawn("Validating: ", step, 30, step * 0.1)
            done = 60 + (step if counted else 0)
            text += drawn(f"{name} {n}: ", done, 60 + counted, 30 + step * 0.1, ", loss=2.5")
    return text


def drawn(name: str, step: int, total: int, seconds: float, behind: str = "") -> str:
    shown = f"{100 * step // total}%|##| {step}/{total} [{clock(seconds)}<00:09, {step / seconds:.2f}it/s{behind}]"
    return f"{name}{shown}\n"


def test_a_bar_that_counts_the_steps_of_an_evaluation_as_well_is_refused(tmp_path: Path) -> None:
    assert "continues through the evaluation" in refused(tmp_path, joint("Round", 30))


def test_a_bar_that_stands_still_during_an_evaluation_is_read(tmp_path: Path) -> None:
    assert drafted(tmp_path, joint("Round", 0)).reading.records["step"].max() == 60
