"""Trainers that show their speed in a progress bar alone, with others around it; the lines are made up."""

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.runs.evaluation_bars import LEFT_OUT
from parsers.runs.reading import read
from tests.commandline import run
from tests.parsers.bars import EPOCHS
from tests.parsers.bars import bar as bar_of
from tests.trained_logs import LOSS, bar, clock, shown, trained


def test_a_run_without_a_summary_is_measured_by_its_bar(tmp_path: Path) -> None:
    found = shown(tmp_path, *trained(1, 41))
    assert (found["format"], found["throughput"]["value"], found["throughput"]["unit"]) == (
        "hf_trainer",
        16,
        "samples/s",
    )


def test_a_bar_drawn_again_below_a_loss_counts_once(tmp_path: Path) -> None:
    assert shown(tmp_path, *trained(1, 41))["throughput"]["value"] == 16


@pytest.mark.parametrize("speed", [4.0, 0.01], ids=["slow", "fast"])
def test_a_bar_of_evaluation_between_is_not_one_of_training(tmp_path: Path, speed: float) -> None:
    evaluation = bar(range(1, 13), 12, speed) + "\r{'eval_loss': 1.5, 'eval_runtime': 9.0, 'epoch': 0.2}\n"
    found = shown(tmp_path, *trained(1, 21), evaluation, *trained(21, 41))
    assert found["throughput"]["value"] == 16


def test_an_evaluation_in_which_a_log_was_broken_off_is_not_one_of_training(tmp_path: Path) -> None:
    found = shown(tmp_path, *trained(1, 41), bar(range(1, 4), 12, 0.1))
    assert found["throughput"]["value"] == 16


def test_a_bar_of_preparation_before_is_not_one_of_training(tmp_path: Path) -> None:
    found = shown(tmp_path, bar(range(1, 5001, 500), 5000, 0.001), "\n", *trained(1, 41))
    assert found["throughput"]["value"] == 16


def test_losses_that_were_held_back_until_the_end_leave_a_question(tmp_path: Path) -> None:
    evaluation = bar(range(1, 13), 12, 1.5) + "\n"
    bars = (bar(range(1, 21), 90, 2.0), evaluation, bar(range(21, 41), 90, 2.0))
    found = shown(tmp_path, *bars, *(LOSS.format(n=n) for n in range(5, 41, 5)))
    assert (found["throughput"], [one["gives"]["value"] for one in found["options"]]) == (None, [16])


def test_a_run_killed_in_its_first_evaluation_is_measured_by_the_bar_before_it(tmp_path: Path) -> None:
    found = shown(tmp_path, *trained(1, 41), bar(range(1, 13), 20, 1.5))
    assert found["throughput"]["value"] == 16


def test_a_bar_before_which_losses_stand_is_refused(tmp_path: Path) -> None:
    found = shown(tmp_path, LOSS.format(n=1), LOSS.format(n=2), bar(range(1, 31), 30, 2.0))
    assert (found["throughput"], [one["code"] for one in found["diagnostics"]]) == (None, ["no_speed"])


def test_a_training_that_goes_on_from_a_checkpoint_is_measured_by_the_clock(tmp_path: Path) -> None:
    # All steps before the checkpoint are drawn at once, so for a while the bar shows a rate that nobody reached.
    found = shown(tmp_path, *trained(51, 86, start=-100.0))
    assert (found["throughput"]["value"], found["throughput"]["source"]) == (16, "step.elapsed")


def test_a_bar_that_shows_its_speed_in_two_ways_is_measured_by_the_clock(tmp_path: Path) -> None:
    slow, fast = (
        bar(range(n, n + 20), 90, 1.0).replace("1.00s/it", way) for n, way in ((1, "1.01s/it"), (21, "1.00it/s"))
    )
    found = shown(tmp_path, slow, "\n", LOSS.format(n=20), fast)
    assert (found["throughput"]["value"], found["throughput"]["source"]) == (32, "step.elapsed")


def test_steps_that_begin_anew_are_another_run(tmp_path: Path) -> None:
    found = shown(tmp_path, *trained(1, 31), *trained(1, 31, seconds=4.0))
    assert [each["throughput"]["value"] for each in found["runs"]] == [16, 8]


def test_a_longer_bar_behind_the_losses_of_a_training_is_not_one_of_training(tmp_path: Path) -> None:
    found = shown(tmp_path, *trained(1, 31, total=30), "\n", bar(range(1, 61), 60, 4.0))
    assert found["throughput"]["value"] == 16


def test_each_of_two_trainings_in_one_log_has_a_speed_of_its_own(tmp_path: Path) -> None:
    end = "{{'train_runtime': 9.0, 'train_samples_per_second': {}, 'train_steps_per_second': {}, 'epoch': 1.0}}\n"
    first, second = end.format(14.4, 0.45), end.format(7.2, 0.225)
    found = shown(tmp_path, *trained(1, 91), first, *trained(1, 91, seconds=4.0), second)
    assert [each["throughput"]["value"] for each in found["runs"]] == [14.4, 7.2]


def told(folder: Path, text: str) -> dict[str, Any]:
    log = folder / "bars.log"
    log.write_text(text, encoding="utf-8", newline="")
    found: dict[str, Any] = json.loads(run("show", "--json", log).stdout)
    return found


@pytest.mark.parametrize("total", [40, 100], ids=["shorter", "as long"])
def test_of_two_nameless_bars_that_take_turns_the_slower_is_of_training(total: int, tmp_path: Path) -> None:
    epochs = [f"{bar_of('', 100, 0.5)}\n{bar_of('', total, 0.1)}\n" for _ in EPOCHS]
    assert told(tmp_path, "".join(epochs))["throughput"]["value"] == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("losses", [(True, True), (False, True)], ids=["alike", "the second alone"])
def test_bars_of_which_the_second_may_be_of_training_are_not_left_out(
    losses: tuple[bool, bool], tmp_path: Path
) -> None:
    seconds = (0.5, 0.5) if all(losses) else (0.5, 0.1)
    pair = [bar_of("Epoch {n}: ", 100, each, loss=loss) + "\n" for each, loss in zip(seconds, losses, strict=True)]
    path = tmp_path / "bars.log"
    path.write_text("".join(part.replace("{n}", str(n)) for n in EPOCHS for part in pair), encoding="utf-8", newline="")
    assert not any(said.key == LEFT_OUT for said in read(path).warnings)


def test_rates_that_a_bar_smooths_give_way_to_its_clock(tmp_path: Path) -> None:
    def state(n: int) -> str:
        seconds = n * 0.5 + min(n, 20) * 1.5
        shown = "2.00s/it" if n <= 20 else "2.00it/s"
        return f"\rEpoch 0: {n:3d}%|## | {n}/100 [{clock(seconds)}<00:09, {shown}, loss=2.5]"

    found = told(tmp_path, "".join(map(state, range(1, 101))) + "\n")
    assert (found["throughput"]["value"], found["throughput"]["source"]) == (
        pytest.approx(99 / 78, rel=0.01),
        "step.elapsed",
    )
