"""Tables in the shape of Megatron-Bridge's performance summary: their numbers of one card are compared with logs."""

import re
from pathlib import Path

import numpy as np
import pytest

from report.audit.audited_pages import audit_files, markdown_files
from tests.report.audit.small_site import audited, write

PAGE = """# Performance summary

| Model | #-GPUs | GBS | MBS | Sequence Length | TP | PP | CP | EP | Tokens / sec / GPU | Model TFLOP / sec / GPU |
|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| [Toy](toy_gpus16_tp4_pp1_cp1_mbs2_gbs64.log) | 16 | 64 | 2 | 4096 | 4 | 1 | 1 | 1 | 10240 | {first} |
| [Toy](toy_gpus16_tp2_pp2_cp1_mbs2_gbs64.log) | 16 | 64 | 2 | 4096 | 2 | 2 | 1 | 1 | 8192 | {second} |
"""

STEPS = 40


def log(tensor: int, pipeline: int, milliseconds: float, tflops: float) -> str:
    """A log of Megatron-LM of 16 cards, 64 sequences of 4096 tokens a step."""
    replicas = 16 // (tensor * pipeline)
    head = (
        f"using world size: 16, data-parallel size: {replicas}, context-parallel size: 1, tensor-model-parallel size: "
        f"{tensor}, pipeline-model-parallel size: {pipeline}\n  global_batch_size ............... 64\n"
        "  seq_length ...................... 4096\n"
    )
    off = np.random.default_rng(tensor).normal(0, 2, STEPS)
    steps = (
        f" iteration {step:8d}/      400 | consumed samples: {64 * step:12d} | elapsed time per iteration (ms): "
        f"{milliseconds:.1f} | throughput per GPU (TFLOP/s/GPU): {tflops + off[number]:.1f} | learning rate: "
        "1.0E-04 | global batch size:    64 | lm loss: 6.9E+00 | loss scale: 1.0 | grad norm: 1.0 |\n"
        for number, step in enumerate(range(10, 10 * STEPS + 10, 10))
    )
    return head + "".join(steps)


def mean(text: str) -> str:
    """The mean of the TFLOP/s that a log prints, with three decimals."""
    return f"{np.mean([float(found) for found in re.findall(r'GPU.: ([0-9.]+)', text)]):.3f}"


def site(folder: Path, first: str | None = None) -> Path:
    (folder / "toy_gpus16_tp4_pp1_cp1_mbs2_gbs64.log").write_text(log(4, 1, 1600, 410), encoding="utf-8")
    (folder / "toy_gpus16_tp2_pp2_cp1_mbs2_gbs64.log").write_text(log(2, 2, 2000, 330), encoding="utf-8")
    return write(folder, page=PAGE.format(first=first or mean(log(4, 1, 1600, 410)), second=mean(log(2, 2, 2000, 330))))


def verdicts(page: Path, column: str) -> list[tuple[str, str | None]]:
    found = (finding for finding in audited(page) if finding.number.column == column)
    return [(finding.verdict, finding.log) for finding in found]


LOGS = ["toy_gpus16_tp4_pp1_cp1_mbs2_gbs64.log", "toy_gpus16_tp2_pp2_cp1_mbs2_gbs64.log"]


def test_the_tflops_of_a_card_come_out_of_the_log(tmp_path: Path) -> None:
    assert verdicts(site(tmp_path), "Model TFLOP / sec / GPU") == [("exact", log) for log in LOGS]


def test_the_tokens_of_a_card_come_out_of_the_log(tmp_path: Path) -> None:
    assert verdicts(site(tmp_path), "Tokens / sec / GPU") == [("exact", log) for log in LOGS]


@pytest.mark.parametrize("printed", ["397.215", "52.731"])
def test_other_tflops_are_not_explained_and_accuse_nobody(tmp_path: Path, printed: str) -> None:
    ((verdict, _), _) = verdicts(site(tmp_path, printed), "Model TFLOP / sec / GPU")
    assert verdict in ("unexplained", "no evidence")
    report = audit_files(markdown_files([tmp_path]), None, (), 0.0)
    assert not [one for _, one in report.findings if one.verdict == "contradicted"]


def test_a_log_of_other_parallel_sizes_is_not_that_of_a_row(tmp_path: Path) -> None:
    page = site(tmp_path)
    text = page.read_text(encoding="utf-8")
    for name in LOGS:
        text = text.replace(f"[Toy]({name})", "Toy")
    page.write_text(text.replace("| 4 | 1 | 1 | 1 |", "| 8 | 1 | 1 | 1 |"), encoding="utf-8")
    found = dict(zip(("first", "second"), verdicts(page, "Model TFLOP / sec / GPU"), strict=True))
    assert found["first"][0] == "no evidence"
    assert found["second"] == ("exact", LOGS[1])
