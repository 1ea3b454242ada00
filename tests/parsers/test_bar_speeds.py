"""Bars whose passes run at two speeds, as of phases of a training: both are told; the lines are made up."""

from pathlib import Path

import pytest

from parsers.general.bars.bar_speeds import TWO_PHASES, TWO_SPEEDS
from tests.parsers.bars import bar, clock
from tests.parsers.drafting import drafted, refused


def trained(*seconds: float) -> str:
    return "".join(bar("Train: ", 40, second) + "\n" for second in seconds)


@pytest.mark.parametrize(
    ("seconds", "lines"),
    [((0.5, 0.5, 0.5, 1.0, 1.0, 1.0), (4, 1)), ((1.0, 1.0, 0.5, 0.5), (1, 3)), ((0.5, 1.0) * 3, (2, 1))],
    ids=["slower from then on", "faster from then on", "in turns"],
)
def test_both_speeds_of_a_bar_are_told_with_their_lines(
    tmp_path: Path, seconds: tuple[float, ...], lines: tuple[int, int]
) -> None:
    (said,) = (one.values for one in drafted(tmp_path, trained(*seconds)).assumed if one.key == TWO_SPEEDS)
    assert [float(str(said[name])) for name in ("slow", "fast")] == [pytest.approx(n, rel=0.05) for n in (1, 2)]
    assert (said["slow_line"], said["fast_line"]) == tuple(map(str, lines))
    assert said["slow_count"] == said["fast_count"] == str(len(seconds) // 2)


@pytest.mark.parametrize(
    "seconds",
    [(1.5, 1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 3.0, 1.0, 1.0), (0.9, 1.0, 1.1, 1.0, 0.95)],
    ids=["a slow start", "one that was disturbed", "noise"],
)
def test_passes_that_are_alike_but_for_one_have_one_speed(tmp_path: Path, seconds: tuple[float, ...]) -> None:
    assert "two speeds" not in " ".join(map(str, drafted(tmp_path, trained(*seconds)).assumed))


def long(seconds: tuple[float, ...]) -> str:
    """One pass of a bar in parts of 50 steps, of each the seconds of a step."""
    text, passed = "", 0.0
    for n in range(1, 50 * len(seconds) + 1):
        passed += seconds[(n - 1) // 50]
        shown = f"{n}/{50 * len(seconds)} [{clock(passed)}<09:00, {seconds[(n - 1) // 50]:.2f}s/it, loss=2.5]"
        text += f"Train: {n * 2 // len(seconds)}%|##| {shown}\n"
    return text


def test_two_speeds_of_one_pass_are_told_with_the_step_between_them(tmp_path: Path) -> None:
    (said,) = (one.values for one in drafted(tmp_path, long((3.0,) * 5 + (6.0,) * 5)).assumed if one.key == TWO_PHASES)
    assert (str(said["before"])[:4], str(said["behind"])[:4], abs(int(str(said["step"])) - 250) < 2) == (
        "0.33",
        "0.16",
        True,
    )


@pytest.mark.parametrize(
    "seconds", [(9.0, *(3.0,) * 9), (3.0, 6.0) * 5, (3.0,) * 10], ids=["start", "in turns", "even"]
)
def test_one_pass_that_goes_on_at_its_speed_has_one(tmp_path: Path, seconds: tuple[float, ...]) -> None:
    found = drafted(tmp_path, long(seconds))
    assert not any(one.key == TWO_PHASES for one in found.assumed)


def nameless(*seconds: float) -> str:
    return "".join(bar("", 40, second) + "\n" for second in seconds)


def test_a_nameless_bar_of_which_every_other_pass_is_faster_is_refused(tmp_path: Path) -> None:
    assert "alternate between two speeds" in refused(tmp_path, nameless(*(1.0, 0.8) * 6))


@pytest.mark.parametrize(
    "text",
    [
        nameless(*(1.0, 0.8) * 3),
        nameless(*(1.0, 0.98) * 6),
        nameless(*(1.0,) * 6, *(0.8,) * 6),
        trained(*(1.0, 0.8) * 6),
    ],
    ids=["few", "alike", "one after the other", "called training"],
)
def test_a_bar_whose_passes_do_not_take_turns_or_that_names_training_is_read(tmp_path: Path, text: str) -> None:
    assert drafted(tmp_path, text).reading.records["line"].notna().any()
