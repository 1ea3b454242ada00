"""What trainers of language models print that is not what it looks like; the lines are made up."""

import json
from pathlib import Path
from typing import Any

from tests.commandline import run


def shown(folder: Path, text: str, *options: str) -> dict[str, Any]:
    (folder / "a.log").write_text(text, encoding="utf-8")
    found: dict[str, Any] = json.loads(run("show", "--json", folder / "a.log", *options).stdout)
    return found


SPEEDRUN = "".join(f"step:{n}/900 train_time:{n * n}ms step_avg:{n:.2f}ms\n" for n in range(1, 101))
OF_ONE_CARD = ("--batch-size", "1", "--cards", "1")


def test_the_time_of_a_speedrun_is_its_own_mean_of_the_run(tmp_path: Path) -> None:
    # Its steps become slower, so the mean of its means so far, 50.5 ms, is none of anything.
    log = SPEEDRUN + "step:100/900 val_loss:5.5 train_time:10000ms step_avg:100.00ms\n"
    assert shown(tmp_path, log, *OF_ONE_CARD)["throughput"]["value"] == 10


def test_the_evaluation_before_the_first_step_of_a_speedrun_tells_no_time(tmp_path: Path) -> None:
    log = "step:0/900 val_loss:10.8 train_time:0ms step_avg:0.02ms\n" + SPEEDRUN
    assert shown(tmp_path, log, *OF_ONE_CARD)["throughput"] is None
