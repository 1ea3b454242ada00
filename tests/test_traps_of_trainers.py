"""What trainers of language models print that is not what it looks like; the lines are made up."""

import json
from pathlib import Path
from typing import Any

import pytest

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
    evaluation = "step:0/900 val_loss:10.8 train_time:0ms step_avg:0.02ms\n"
    with_it, without = (shown(tmp_path, log, *OF_ONE_CARD)["throughput"] for log in (evaluation + SPEEDRUN, SPEEDRUN))
    assert (with_it["value"], with_it["records"]) == (without["value"], without["records"])


BRIDGE = """Step Time : {rough:.2f}s GPU utilization: 500.0MODEL_TFLOP/s/GPU
 [2035-01-02 03:04:0{n}] iteration        {n}/     100 | consumed samples:           64 | \
elapsed time per iteration (ms): {exact:.1f} | learning rate: 3.0E-04 | global batch size:    64 | lm loss: 4.5E+00 |
""".replace("\\\n", "")


def test_the_time_in_hundredths_of_megatron_bridge_gives_way_to_the_exact_one(tmp_path: Path) -> None:
    log = "".join(BRIDGE.format(n=n, rough=1.0, exact=1004.0) for n in range(1, 7))
    found = shown(tmp_path, log)
    assert found["formats"] == ["megatron_lm", "megatron_bridge"]
    assert found["throughput"]["value"] == pytest.approx(64 / 1.004)


def test_the_first_rank_of_megatron_bridge_alone_tells_the_time_of_a_step(tmp_path: Path) -> None:
    log = "global_batch_size: 64\n" + "Step Time : 0.16s GPU utilization: 500.0MODEL_TFLOP/s/GPU\n" * 4
    assert shown(tmp_path, log)["throughput"]["value"] == 400


NEMO = (
    "Training epoch 0, iteration {n}/9 | consumed_samples: {samples:.4} | global_batch_size: {size} | global_step: {n}"
)


def test_the_batch_size_of_nemo_is_that_of_the_line(tmp_path: Path) -> None:
    speed = " | reduced_train_loss: 9.5 | train_step_timing in s: 2.01\n"
    sizes = [64 if n < 4 else 128 for n in range(8)]
    log = "".join(NEMO.format(n=n, samples=float(sum(sizes[:n])), size=size) + speed for n, size in enumerate(sizes))
    assert shown(tmp_path, log)["throughput"]["value"] == pytest.approx(96 / 2.01)


def test_the_rate_of_nemo_is_that_of_one_card(tmp_path: Path) -> None:
    speed = " | reduced_train_loss: 9.5 | train_step_timing in s: 2 | tokens_per_sec_per_gpu: 1000\n"
    log = "".join(NEMO.format(n=n, samples=64.5 * n, size=64) + speed for n in range(8))
    found = shown(tmp_path, "All distributed processes registered. Starting with 8 processes\n" + log)
    assert (found["throughput"]["value"], found["throughput"]["scope"]) == (8000, "job")


def test_the_rate_of_verl_is_that_of_one_card(tmp_path: Path) -> None:
    line = (
        "step:{n} - timing_s/gen:9.0 - perf/total_num_tokens:80000 - perf/time_per_step:40.0 - perf/throughput:500.0\n"
    )
    log = "  'n_gpus_per_node': 4, 'nnodes': 1,\n" + "".join(line.format(n=n) for n in range(1, 7))
    assert [shown(tmp_path, log)["throughput"][name] for name in ("value", "scope")] == [2000, "job"]


def test_the_batch_of_one_pass_of_verl_makes_no_throughput(tmp_path: Path) -> None:
    line = "step:{n} - train/loss:1.5 - train/lr(1e-3):0.001 - train/time(s):2.5\n"
    configuration = "{'data': {'train_batch_size': 64, 'micro_batch_size_per_gpu': 4}, 'world_size': 8}\n"
    log = configuration + "".join(line.format(n=n) for n in range(1, 7))
    assert shown(tmp_path, log)["throughput"]["unit"] == "steps/s"


def test_the_time_left_that_minimind_prints_is_that_of_the_steps_left(tmp_path: Path) -> None:
    line = "Epoch:[1/1]({n}00/9900), loss: 2.5, logits_loss: 2.5, aux_loss: 0.0, lr: 0.0005, epoch_time: {left}.0min\n"
    log = "".join(line.format(n=n, left=99 - n) for n in range(1, 99))
    assert shown(tmp_path, log)["throughput"]["value"] == pytest.approx(100 / 60)


SWIFT = "{{'loss': 1.5, 'epoch': 0.5, 'global_step/max_steps': '{n}/900', 'elapsed_time': '{elapsed}', {speed}}}\n"
BATCH_OF_SWIFT = "world_size=2,\nper_device_train_batch_size=4,\ngradient_accumulation_steps=2,\n"


def test_the_speed_of_ms_swift_is_that_of_its_clock(tmp_path: Path) -> None:
    # Its own is a mean since the start, of which the first step takes 600 seconds here.
    rows = ((n, f"{10 + n // 30}m {2 * n % 60}s", 600 / n + 2) for n in range(10, 200, 10))
    log = "".join(
        SWIFT.format(n=n, elapsed=elapsed, speed=f"'train_speed(s/it)': {each:.6f}") for n, elapsed, each in rows
    )
    found = shown(tmp_path, BATCH_OF_SWIFT + log)["throughput"]
    assert (found["value"], found["source"]) == (8, "step.elapsed")


def test_ms_swift_that_goes_on_from_a_checkpoint_does_not_count_the_steps_before_it(tmp_path: Path) -> None:
    rows = ((n, 2 * (n - 500)) for n in range(510, 530))
    log = "".join(SWIFT.format(n=n, elapsed=f"{s}s", speed=f"'train_speed(iter/s)': {n / s:.6f}") for n, s in rows)
    assert shown(tmp_path, BATCH_OF_SWIFT + log)["throughput"]["value"] == 8


def test_an_hour_of_ms_swift_is_read(tmp_path: Path) -> None:
    rows = ((10, "23h 59m 50s"), (20, "1d 0h 0m 10s"), (30, "1d 0h 0m 30s"))
    log = "".join(SWIFT.format(n=n, elapsed=elapsed, speed="'train_speed(s/it)': 9.5") for n, elapsed in rows)
    assert shown(tmp_path, BATCH_OF_SWIFT + log)["throughput"]["value"] == pytest.approx(8)


def test_passes_of_another_part_do_not_multiply_a_rate_whose_format_says_what_it_counts(tmp_path: Path) -> None:
    line = "Train: 0 [{n:4d}/900 ({n:3d}%)]  Loss: 6.9 (6.9)  Time: 0.500s, 512.00/s  (0.500s, 512.0/s)"
    line += "  LR: 1.000e-03  Data: 0.010 (0.010)\n"
    given = "gradient_accumulation_steps .. 4\ntrain_micro_batch_size_per_gpu ... 64\nworld_size ....... 4\n"
    found = shown(tmp_path, given + "".join(line.format(n=n) for n in range(0, 500, 50)))
    assert (found["throughput"]["value"], found["throughput"]["source"]) == (512.0, "step.throughput")
