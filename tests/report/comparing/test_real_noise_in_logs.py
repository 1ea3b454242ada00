"""From logs to verdicts: logs whose steps take as long as those of real repeats, one side of them scaled."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from report.comparing.effect import Effect
from report.comparing.notebook import compare
from tests.report.comparing.made_sides import make_side
from tests.report.comparing.real_repeats import real_sets

pytestmark = pytest.mark.slow

CASES = 240
MILLISECONDS = 1000.0
Times = NDArray[np.float64]
Sides = tuple[Times, Times]


def draws(repeats: int) -> list[Sides]:
    """Halves of real repeats, the same every time; those of each set as often as of every other."""
    drawn = np.random.default_rng(5)
    fitting = [times for times in real_sets() if len(times) >= 2 * repeats]
    some = (drawn.permutation(fitting[n % len(fitting)])[: 2 * repeats] for n in range(CASES))
    scaled = (MILLISECONDS * times / times.mean() for times in some)
    return [(times[:repeats], times[repeats:]) for times in scaled]


def verdicts(
    folder: Path,
    repeats: int,
    change: Callable[[Sides], Sides],
    starts: tuple[Sequence[int], Sequence[int]] | None = None,
) -> list[tuple[str, Effect]]:
    """The verdict of each case with its effect, where ``change`` makes the two sides of real repeats."""
    for number, halves in enumerate(draws(repeats)):
        for side, times, order in zip("ab", change(halves), starts or (None, None), strict=True):
            make_side(folder / side, times.tolist(), case=f"case{number}", starts=order, steps=20)
    found = compare(folder / "a", folder / "b")
    return [(case.verdict, case.effect) for case in found.cases if case.effect]


def share(found: Sequence[tuple[str, Effect]], *wanted: str) -> float:
    return sum(verdict in wanted for verdict, _ in found) / len(found)


def visible(found: Sequence[tuple[str, Effect]]) -> list[tuple[str, Effect]]:
    return [(verdict, one) for verdict, one in found if (one.visible or 1) <= 0.03]


@pytest.mark.parametrize("repeats", [3, 5, 7])
def test_logs_of_repeats_of_one_thing_seldom_differ(repeats: int, tmp_path: Path) -> None:
    found = verdicts(tmp_path, repeats, lambda sides: sides)
    assert len(found) == CASES
    assert share(found, "slower", "faster") <= 0.005


@pytest.mark.parametrize("repeats", [3, 5, 7])
def test_logs_whose_times_are_scaled_by_the_gate_are_slower_where_that_is_said_to_be_visible(
    repeats: int, tmp_path: Path
) -> None:
    found = verdicts(tmp_path, repeats, lambda sides: (sides[0], sides[1] * 1.03))
    assert len(visible(found)) > CASES / 2
    assert share(visible(found), "slower") >= 0.99
    hidden = [one for one in found if one not in visible(found)]
    assert share(hidden, "same", "faster") <= 0.02


def test_a_run_that_stalled_changes_few_verdicts_of_logs(tmp_path: Path) -> None:
    def stalled(sides: Sides) -> Sides:
        return sides[0], np.concatenate([sides[1][:1] * 1.5, sides[1][1:] * 1.03])

    found = verdicts(tmp_path, 5, stalled)
    assert share(visible(found), "slower") >= 0.99
    assert share(found, "same", "faster") <= 0.02


@pytest.mark.parametrize(
    ("starts", "most"),
    [(((0, 1, 2, 3), (4, 5, 6, 7)), 0.06), (((0, 3, 4, 7), (1, 2, 5, 6)), 0.005)],
    ids=["AABB", "ABBA"],
)
def test_a_drift_over_logs_is_seldom_taken_for_a_change(
    starts: tuple[Sequence[int], Sequence[int]], most: float, tmp_path: Path
) -> None:
    def drifting(sides: Sides) -> Sides:
        a, b = (side * np.exp(0.005 * np.array(order)) for side, order in zip(sides, starts, strict=True))
        return a, b

    assert share(verdicts(tmp_path, 4, drifting, starts), "slower", "faster") <= most
