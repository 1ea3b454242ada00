"""Passes of a step: gradient accumulation counts where a format says that its step is one of the optimizer."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commandline import run

CONFIGURATION = "Namespace(per_device_train_batch_size=8, world_size=2, gradient_accumulation_steps=4)\n"
CONFIGURATION_OF_JOB = "Namespace(global_batch_size=64, world_size=2, gradient_accumulation_steps=4)\n"
BY_ANOTHER_NAME = "global_batch_size: 64\naccumulate_grad_batches: 4\nworld_size: 2\n"
BARS = "".join(
    f"Epoch 0: {n:3d}%|####      | {n}/100 [00:{n // 2:02d}<00:30, 2.00it/s, loss=1.5]\n" for n in range(1, 60)
)


def shown(folder: Path, text: str) -> dict[str, Any]:
    log = folder / "train.log"
    log.write_text(text, encoding="utf-8")
    found: dict[str, Any] = json.loads(run("show", str(log), "--json").stdout)
    return found


@pytest.mark.parametrize("configuration", [CONFIGURATION, CONFIGURATION_OF_JOB, BY_ANOTHER_NAME])
def test_passes_of_a_step_multiply_nothing_where_the_format_does_not_say_what_its_step_is(
    tmp_path: Path, configuration: str
) -> None:
    found = shown(tmp_path, configuration + BARS)
    assert (found["throughput"]["unit"], round(found["throughput"]["value"], 3)) == ("steps/s", 2)
    assert {"code": "batch_unknown", "missing": "accumulation"} in found["diagnostics"]


MAE = "Epoch: [0]  [ {n:3d}/100]  eta: 0:00:40  lr: 0.000001  loss: 1.5000 (1.5000)  time: 0.5000  data: 0.0010\n"


def test_a_step_that_is_one_pass_has_the_batch_of_one_pass(tmp_path: Path) -> None:
    text = "Namespace(batch_size=8, world_size=2, accum_iter=4)\n" + "".join(MAE.format(n=n) for n in range(0, 100, 10))
    found = shown(tmp_path, text)["throughput"]
    assert (found["value"], found["unit"]) == (32, "samples/s")


OLD = "[2031-01-02 03:0{n}:05,123] [INFO] [timer.py:157:stop] 0/{n}00, SamplesPerSec=10.24\n"


def test_one_pass_has_its_part_of_the_batch_that_the_job_has_in_an_optimizer_step(tmp_path: Path) -> None:
    head = "[2031-01-02 03:00:00,123] [INFO] [config.py:1008:print]   "
    text = f"{head}train_batch_size ............. 24\n{head}gradient_accumulation_steps .. 4\n"
    (tmp_path / "train.log").write_text(text + "".join(OLD.format(n=n) for n in range(1, 9)), encoding="utf-8")
    found = json.loads(run("show", str(tmp_path / "train.log"), "--protocol", "estimate=clock", "--json").stdout)
    assert found["throughput"]["value"] == 10


def test_the_batch_of_an_optimizer_step_is_none_of_a_drafted_grammar_whose_step_may_be_a_pass(tmp_path: Path) -> None:
    lines = "".join(f"step {n} loss 2.5 step_time: 0.{n % 3 + 4}s\n" for n in range(1, 40))
    head = "global_batch_size: 64\ngradient_accumulation_steps: 4\n"
    assert shown(tmp_path, head + lines)["throughput"]["unit"] == "steps/s"
    assert shown(tmp_path, head.splitlines()[0] + "\n" + lines)["throughput"]["unit"] == "samples/s"


@pytest.mark.parametrize(
    "said",
    ["grad_accum_steps: 4", "accumulate_grad_batches: 4", "Gradient Accumulation steps = 4", "iters_to_accumulate = 4"],
)
def test_passes_are_passes_whatever_a_program_calls_them(tmp_path: Path, said: str) -> None:
    lines = "".join(f"step {n} loss 2.5 step_time: 0.{n % 3 + 4}s\n" for n in range(1, 40))
    found = shown(tmp_path, f"per_device_train_batch_size: 8\nworld_size: 2\n{said}\n{lines}")
    assert found["throughput"]["unit"] == "steps/s"
    assert {"code": "batch_unknown", "missing": "accumulation"} in found["diagnostics"]


EVALUATION = "".join(
    f"Evaluating Epoch 0: {n:3d}%|####      | {n}/100 [00:{n // 10:02d}<00:09, 10.00it/s, loss=1.5]\n"
    for n in range(1, 60)
)


def test_the_bar_of_an_evaluation_after_training_is_no_run_of_its_own(tmp_path: Path) -> None:
    assert shown(tmp_path, BARS + EVALUATION)["throughput"]["value"] == pytest.approx(2, rel=0.02)
    assert shown(tmp_path, EVALUATION)["throughput"] is None


@pytest.mark.parametrize("again", [2, 4])
def test_a_step_that_is_printed_several_times_is_counted_once(tmp_path: Path, again: int) -> None:
    lines = [f"step {n} micro {m} loss 2.5 elapsed {2 * n + m / again:.2f}s\n" for n in range(30) for m in range(again)]
    found = shown(tmp_path, "".join(lines))["throughput"]
    assert (found["unit"], round(found["value"], 1)) == ("steps/s", 0.5)
