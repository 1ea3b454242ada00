"""What a program prints itself of an epoch or of its run is held against the throughput of its log."""

from pathlib import Path

import pytest

from report.evidence.log_summary import Summary, summarise
from report.measuring.checking.own_figures import MEANS, OWN
from tests.report.summaries import grammar, speeds, summary, value


def test_what_a_program_prints_itself_is_held_against_what_is_computed(tmp_path: Path) -> None:
    log = tmp_path / "own.log"
    log.write_text("\n".join([*speeds(100, 100, 101), "epoch 1 speed 101", "in all 150", ""]), encoding="utf-8")
    found = summarise(log, None, (), str(grammar(tmp_path)))
    assert value(found) == pytest.approx(100.333, abs=0.001)
    assert own(found) == ["1.495"]


def own(found: Summary) -> list[str]:
    """How many times the throughput what the program prints is."""
    return [str(said.values["ratio"]) for said in found.warnings if said.key == OWN]


GNMT = "0: TRAIN [0][{step}/3880]\tTime 0.125 (0.125)\tData 1.25e-04 (1.25e-04)\tTok/s {speed} ({speed})\n"
TABLE = """|**GPUs**|**Batch Size / GPU**|**Accuracy - FP16 (BLEU)**|**Throughput - FP16 (tok/s)**|**Time to Train - FP16 (min)**|
|-------:|-------------------:|-------------------------:|----------------------------:|-----------------------------:|
|       8|                 128|                     24.25|                     500000.0|                         10.01|
"""  # noqa: E501 - printed so


@pytest.mark.parametrize(("table", "ratios"), [("", []), (TABLE, ["0.532"])], ids=["no table", "table"])
def test_a_short_run_of_gnmt_gives_what_its_performance_line_says(
    table: str, ratios: list[str], tmp_path: Path
) -> None:
    steps = GNMT.format(step=0, speed=4200) + GNMT.format(step=10, speed=58000)
    found = summary(tmp_path, f"{steps}0: Performance: Epoch: 0\tTraining: 468000 Tok/s\n{table}")
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.scope, own(found)) == (468000, "job", ratios)


def test_the_sum_over_the_processes_of_ssd_is_no_figure_of_its_run(tmp_path: Path) -> None:
    ends = (
        "Done benchmarking. Total images: 960\ttotal time: 4.561\tAverage images/sec: 210.480\tMedian images/sec: 212.0"
    )
    found = summary(tmp_path, f"{ends}\nTraining performance = 1696.0 FPS\n")
    assert found.measurement is not None
    assert (found.measurement.value, found.measurement.scope, own(found)) == (210.48, "unknown", [])


STEP = (
    "[2031-05-17 09:30:00,000] [INFO] [timer.py:199:stop] epoch=0/micro_step={n}/global_step={n}, "
    "RunningAvgSamplesPerSec=20.0, CurrSamplesPerSec={speed}, MemAllocated=1.0GB, MaxMemAllocated=2.0GB\n"
)
LATENCIES = "|E2E latency=12.50s |Others=1.00 (8.00%)|CurSamplesPerSec=2.5 |AvgSamplesPerSec=2.5\n"


def test_the_running_mean_and_the_mean_of_all_latencies_are_held_against_the_steps_of_deepspeed(tmp_path: Path) -> None:
    found = summary(tmp_path, "".join(STEP.format(n=n, speed=40.0 + n / 10) for n in range(10, 14)) + LATENCIES)
    assert value(found) == 41.15
    assert own(found) == ["0.486", "0.061"]


TIMM = (
    "Train: 0 [{n:>4d}/401 ({done:>3.0f}%)]  Loss: 2.5 (2.5)  Time: {took:.3f}s, {speed:>7.2f}/s  "
    "({mean:.3f}s, {rate:>7.2f}/s)  LR: 1.0e-06  Data: 0.010 (0.011)\n"
)


@pytest.mark.parametrize(("between", "told"), [(0.6, ["0.708"]), (0.4, [])], ids=["slower", "alike"])
def test_the_means_of_an_epoch_are_held_against_the_steps_that_were_printed(
    tmp_path: Path, between: float, told: list[str]
) -> None:
    means = {n: (0.4 * (n // 50 + 1) + between * (n - n // 50)) / (n + 1) for n in range(0, 401, 50)}
    lines = (
        TIMM.format(n=n, done=n / 4, took=0.4, speed=256 / 0.4, mean=mean, rate=256 / mean) for n, mean in means.items()
    )
    found = summary(tmp_path, "".join(lines))
    assert value(found) == pytest.approx(640)
    assert [said.values["ratio"] for said in found.warnings if said.key == MEANS] == told


def test_complete_epochs_are_held_against_bars_that_were_interrupted(tmp_path: Path) -> None:
    bar = "  {epoch}/3  2.54G  1.213  1.508  30  640: {part}%|███| {step}/100 [00:10<00:00, {rate:.2f}it/s]\n"
    epochs = "".join(bar.format(epoch=epoch, part=100, step=100, rate=10) for epoch in (1, 2))
    bars = "".join(bar.format(epoch=3, part=part, step=part, rate=5) for part in (20, 30, 40))
    found = summary(tmp_path, "engine/trainer: task=detect, mode=train, batch=16, device=0\n" + epochs + bars)
    assert value(found) == 80
    assert own(found) == ["2.000"]


def test_the_throughput_of_mlperf_is_held_against_the_lines_of_the_program(tmp_path: Path) -> None:
    lines = [f"Iteration: {n}, Loss function: 2.5, Average Loss: 2.5, avg. samples / sec: 2500.0" for n in (20, 40, 60)]
    own_line = (
        ':::MLLOG {"namespace": "", "time_ms": 1700000000004, "event_type": "POINT_IN_TIME", "key": "throughput", '
        '"value": 2900.0, "metadata": {"file": "/toy/train.py", "lineno": 3, "epoch_num": 1}}'
    )
    found = summary(tmp_path, "\n".join([*lines, own_line, ""]))
    assert value(found) == 2500
    assert own(found) == ["1.160"]
