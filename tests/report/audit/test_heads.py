"""Heads of columns, in English and Chinese: what the numbers below them are, and in which unit."""

from pathlib import Path

import pytest

from report.published.document import parse_document
from report.published.published_numbers import PublishedNumber, in_logs, others_published

STEP, RATE, CARD, STEPS = "step", "throughput", "per_card", "steps"
# What a head says: the kind of number, and one of it in seconds or as a multiple of one per second.
COMPARED = [
    ("TFLOP/s/GPU", "tflops", 1),
    ("Model TFLOP / sec / GPU", "tflops", 1),
    ("ms/iter", STEP, 0.001),
    ("s/step", STEP, 1),
    ("s/it", STEP, 1),
    ("ms per iteration", STEP, 0.001),
    ("seconds per step", STEP, 1),
    ("step time (ms)", STEP, 0.001),
    ("Avg. step time [s]", STEP, 1),
    ("Time (ms) per step", STEP, 0.001),
    ("Time per step (ms)", STEP, 0.001),
    ("Iteration time (s)", STEP, 1),
    ("每步耗时(ms)", STEP, 0.001),
    ("单步时间 (s)", STEP, 1),
    ("迭代耗时（毫秒）", STEP, 0.001),
    ("秒/步", STEP, 1),
    ("毫秒/迭代", STEP, 0.001),
    ("FPS", RATE, 1),
    ("img/s", RATE, 1),
    ("Throughput [images/s]", RATE, 1),
    ("k tokens/s", RATE, 1000),
    ("tokens/s (k)", RATE, 1000),
    ("tokens/s [M]", RATE, 1_000_000),
    ("tokens/s, thousands", RATE, 1000),
    ("kwps", RATE, 1000),
    ("Mtokens/s", RATE, 1_000_000),
    ("吞吐率", RATE, 1),
    ("训练速度(张/秒)", RATE, 1),
    ("帧率", RATE, 1),
    ("千词/秒", RATE, 1000),
    ("万样本/秒", RATE, 10_000),
    ("tokens/s（万）", RATE, 10_000),
    ("img/s/GPU", CARD, 1),
    ("TPS/GPU", CARD, 1),
    ("tokens/s/device", CARD, 1),
    ("Throughput per GPU", CARD, 1),
    ("单卡吞吐(张/秒)", CARD, 1),
    ("tokens/s/卡", CARD, 1),
    ("it/s", STEPS, 1),
    ("iterations per second", STEPS, 1),
    ("步/秒", STEPS, 1),
    ("迭代/秒", STEPS, 1),
]
# Other quantities, of which only what a log prints is compared.
PRINTED = [
    "time per image (ms)",
    "ms/image",
    "Epoch time (s)",
    "min/epoch",
    "Time to train (hours)",
    "TTT",
    "Training hours",
    "TFLOPS",
    "MFU (%)",
    "每轮耗时(秒)",
    "训练时间（小时）",
    "算力利用率",
]
# Other heads, below which no number is a speed.
NOT_MEASURED = ["加速比", "Speed-up (%)", "Scaling efficiency", "Latency (ms)", "Steps", "参数量", "显存 (MB)", "Top-1"]


def page(head: str) -> str:
    return f"# Toys\n\n| Model | {head} |\n|:--|--:|\n| Toy50 | 812.5 |\n| Toy101 | 411.5 |\n"


def compared(head: str) -> list[PublishedNumber]:
    return list(in_logs(parse_document(page(head), Path("README.md"))))


@pytest.mark.parametrize(("head", "kind", "one"), COMPARED)
def test_numbers_below_a_head_are_compared_in_its_unit(head: str, kind: str, one: float) -> None:
    found = compared(head)
    assert [number.digits for number in found] == ["812.5", "411.5"]
    measures = {(STEP, n.seconds) if n.seconds else (n.rate, n.times) for n in found}
    assert measures == {(kind, one)}


@pytest.mark.parametrize("head", PRINTED)
def test_numbers_of_other_quantities_are_looked_for_in_what_logs_print(head: str) -> None:
    assert compared(head) == []
    assert len(list(others_published(parse_document(page(head), Path("README.md"))))) == 2


@pytest.mark.parametrize("head", NOT_MEASURED)
def test_numbers_below_a_head_that_names_no_speed_are_not_compared(head: str) -> None:
    assert compared(head) == []
    assert list(others_published(parse_document(page(head), Path("README.md")))) == []
