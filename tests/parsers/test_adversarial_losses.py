"""Losses that are called by nothing but the two networks of an adversarial training."""

from pathlib import Path

import pytest
from pytest import approx

from report.evidence.log_summary import summarise
from tests.parsers.toy_logs import write

BAR = "{percent:3}%|##   | {step}/2000 [{clock}<30:00,  2.00s/it{behind}]"
NAMED = {
    "a letter and a syllable": "d: -{d:.3f};gen: {g:.3f}: ",
    "two letters": "D: {d:.3f} G: {g:.3f} ",
    "two syllables": "disc={d:.3f}, gen={g:.3f}: ",
    "two words": "discriminator {d:.3f} generator {g:.3f} | ",
}
OTHERS = {
    "whole numbers": "d: {step};g: {step}: ",
    "one of them": "gen: {g:.3f}: ",
    "times": "disc: {d:.3f}s gen: {g:.3f}s ",
    "letters of something else": "p: {d:.3f};q: {g:.3f}: ",
    "those of an evaluation": "Evaluating d: {d:.3f};g: {g:.3f}: ",
}


def speed(at: Path, name: str, *, behind: str = "") -> float | None:
    text = "".join(
        (name + BAR).format(
            percent=step // 20,
            step=step,
            clock=f"{step * 2 // 60:02}:{step * 2 % 60:02}",
            d=9 / step,
            g=step / 1000,
            behind=behind.format(d=9 / step, g=step / 1000),
        )
        + "\n"
        for step in range(1, 200, 3)
    )
    found = summarise(write(at, text.encode()), None, ()).measurement
    return found.value if found else None


@pytest.mark.parametrize("name", NAMED.values(), ids=NAMED)
def test_a_bar_that_is_named_by_the_losses_of_two_networks_is_of_training(tmp_path: Path, name: str) -> None:
    assert speed(tmp_path, name) == approx(0.5, rel=0.02)


def test_the_losses_may_stand_behind_the_bar(tmp_path: Path) -> None:
    assert speed(tmp_path, "", behind=", g={g:.3f}, d={d:.3f}") == approx(0.5, rel=0.02)


@pytest.mark.parametrize("name", OTHERS.values(), ids=OTHERS)
def test_a_bar_with_other_numbers_of_such_names_is_of_nobody_knows_what(tmp_path: Path, name: str) -> None:
    assert speed(tmp_path, name) is None
