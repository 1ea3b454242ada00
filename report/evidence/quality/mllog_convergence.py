"""Convergence of MLPerf runs: how many epochs or samples the lines ``:::MLLOG`` of a log say that it took.

Read as read_submission_file() in mlperf_logging/rcp_checker/rcp_checker.py of mlcommons/logging does, commit 7bbf792.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parsers.scanning.text import LogText

TOKEN = b":::MLLOG "
RESULTS = ("eval_error", "eval_accuracy")
# The benchmarks whose convergence is counted in samples; of all others it is in epochs.
IN_SAMPLES = frozenset(
    {"llama2_70b_lora", "flux1", "llama31_405b", "llama31_8b", "gpt_oss_20b", "deepseekv3_671b", "qwen35_397b_grpo"}
)
# Judged by two metrics, each with a target of its own.
BY_TWO_METRICS = "stable_diffusion"


@dataclass(frozen=True)
class MllogConvergence:
    """What a run says: its benchmark, its batch size, and the epochs or samples of its last evaluation.

    ``is_done``: whether it stopped with success, and so converged by then.
    """

    benchmark: str | None = None
    batch_size: int | None = None
    last: float | None = None
    is_done: bool = False

    @property
    def converged(self) -> float | None:
        """What it took to converge; None where it did not, or does not say."""
        return self.last if self.is_done else None


def mllog_convergence(log: Path) -> MllogConvergence:
    """Read a log, packed or not; raises LogError. What is no such line, or broken, says nothing."""
    found = MllogConvergence()
    for said in _said(log):
        found = _with(found, str(said.get("key")), said.get("value"), said.get("metadata"))
    return found


def _with(found: MllogConvergence, key: str, value: Any, metadata: Any) -> MllogConvergence:
    told = metadata if isinstance(metadata, dict) else {}
    if key == "submission_benchmark" and isinstance(value, str):
        return replace(found, benchmark=value)
    if key == "global_batch_size" and _is_number(value):
        return replace(found, batch_size=int(value))
    if key == "run_stop":
        return replace(found, is_done=told.get("status") == "success")
    unit = "samples_count" if found.benchmark in IN_SAMPLES else "epoch_num"
    if key in RESULTS and not found.is_done and _is_number(told.get(unit)):
        return replace(found, last=round(float(told[unit]), 3))
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _said(log: Path) -> Iterator[dict[str, Any]]:
    for block in LogText(log).data():
        if TOKEN not in block:
            continue
        for line in block.split(b"\n"):
            _, token, told = line.rpartition(TOKEN)
            if token and isinstance(found := _parsed(told), dict):
                yield found


def _parsed(told: bytes) -> Any:
    try:
        return json.loads(told.decode("utf-8", "replace").strip())
    except (ValueError, RecursionError):
        return None
