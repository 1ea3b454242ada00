"""Time to a target: where both sides reach it, how long that takes, and what makes the gap."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from report.comparing.comparison import compare
from report.comparing.metrics import MetricError
from report.comparing.target import Target, TimeToTarget
from tests.report.comparing.made_sides import only


def speedrun(folder: Path, seeds: Sequence[float], steps: int, milliseconds: float) -> Path:
    """Logs in the form of modded-nanogpt's: a run for each seed, whose last evaluation is so much off 3.28."""
    folder.mkdir()
    for number, off in enumerate(seeds):
        lines = []
        for step in range(steps + 1):
            passed = step * milliseconds * (1 + number / 10_000)
            if step % 100 == 0 or step == steps:
                loss = 3.28 + off + (steps - step) / 1000
                told = f"train_time:{passed:.0f}ms step_avg:{milliseconds:.2f}ms"
                lines.append(f"step:{step}/{steps} val_loss:{loss:.4f} {told}")
            if step < steps:
                told = f"train_time:{passed + milliseconds:.0f}ms step_avg:{milliseconds:.2f}ms"
                lines.append(f"step:{step + 1}/{steps} {told}")
        (folder / f"{number}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


def found(a: Path, b: Path, **asked: Any) -> tuple[str, TimeToTarget]:
    case = only(compare(a, b, target=Target("val_loss", 3.28, "lower", **asked)))
    assert case.target is not None
    return case.verdict, case.target


def test_the_times_are_those_of_the_logs_and_the_split_sums(tmp_path: Path) -> None:
    seeds = (-0.002, -0.001, -0.003)
    a, b = speedrun(tmp_path / "a", seeds, 1000, 50.0), speedrun(tmp_path / "b", seeds, 1300, 35.0)
    verdict, told = found(a, b)
    assert verdict == "faster"
    assert [side.step for side in told.sides] == [1000, 1300]
    assert told.sides[0].seconds == pytest.approx((50.0, 50.005, 50.01), abs=0.001)
    assert told.split is not None
    assert sum(told.split) == pytest.approx(told.gap)
    assert told.split[0] > 0 > told.split[1]
    plain = only(compare(a, b))
    assert (plain.verdict, "target" in str(plain.reason)) == ("unknown", True)


@pytest.mark.parametrize(
    ("of_a", "of_b", "asked", "verdict"),
    [
        ((-0.001, -0.002, -0.003), (0.01, 0.011, 0.012), {}, "slower"),
        ((0.01, 0.011, 0.012), (-0.001, -0.002, -0.003), {}, "unknown"),
        ((-0.001, -0.002, -0.003), (-0.001, -0.002, -0.003), {"seeds": 4}, "unknown"),
        ((-0.001, -0.0015, -0.001), (-0.003, 0.003, -0.001), {"p_value": 0.01}, "slower"),
        ((0.1, 0.1, 0.1), (0.1, 0.1, 0.1), {}, "unknown"),
    ],
    ids=["B does not reach it", "A does not", "too few seeds", "B does not prove it", "neither does"],
)
def test_who_does_not_reach_it_takes_longer_than_its_runs_did(
    of_a: Sequence[float], of_b: Sequence[float], asked: dict[str, Any], verdict: str, tmp_path: Path
) -> None:
    a, b = speedrun(tmp_path / "a", of_a, 1000, 50.0), speedrun(tmp_path / "b", of_b, 1100, 50.0)
    assert found(a, b, **asked)[0] == verdict


@pytest.mark.parametrize("text", ["val_loss", "val_loss=low", "gap=3"])
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(MetricError):
        Target.parse(text)
    assert Target.parse("gap=3,lower") == Target("gap", 3.0, "lower")
