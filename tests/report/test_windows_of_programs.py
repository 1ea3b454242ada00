"""The windows of programs that sum up logs themselves: the same seconds, tokens and TFLOP/s from the same lines."""

import json
import re
import statistics
from pathlib import Path

import numpy as np
import pytest

from tests.commandline import run

HEAD = (
    "using world size: 8, data-parallel size: 4, context-parallel size: 1, tensor-model-parallel size: 2, "
    "pipeline-model-parallel size: 1\n"
)
LINE = (
    " [2031-02-03 04:05:06] iteration {n:8d}/{steps:8d} | consumed samples: {samples:12d} | elapsed time per iteration "
    "(ms): {time:.1f} | throughput per GPU (TFLOP/s/GPU): {flops:.1f} | learning rate: 1.000000E-04 | global batch "
    "size:    64 | lm loss: 2.000000E+00 | loss scale: 1.0 | grad norm: 1.000 | number of skipped iterations:   0 | "
    "number of nan iterations:   0 |\n"
)


def log(folder: Path, seed: int) -> Path:
    """A log that prints each iteration, the first ones slow."""
    noise = np.random.default_rng(seed)
    times = [noise.normal(900, 20) + 5000 * (n < 3) for n in range(1, 51)]
    lines = [LINE.format(n=n, steps=50, samples=64 * n, time=time, flops=4e5 / time) for n, time in enumerate(times, 1)]
    path = folder / "train.log"
    path.write_text(HEAD + "".join(lines), encoding="utf-8")
    return path


def seconds_between(path: Path, first: int, last: int) -> float:
    """What the parser of dgxc-benchmarking does: the mean of all times of these iterations."""
    found = re.findall(r"iteration +(\d+)/.*?\(ms\): ([0-9.]+)", path.read_text(encoding="utf-8"))
    return statistics.mean(float(time) / 1000 for number, time in found if first <= int(number) <= last)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("protocol", "first", "last"), [("dgxc", 35, 44), ("megatron-bridge", 36, 50)])
def test_a_named_window_has_the_seconds_of_its_program(
    tmp_path: Path, seed: int, protocol: str, first: int, last: int
) -> None:
    path = log(tmp_path, seed)
    found = json.loads(run("show", "--json", str(path), "--protocol", protocol).stdout)["throughput"]
    assert (found["unit"], found["records"]) == ("samples/s", last - first + 1)
    assert f"{64 / found['value']:.9f}" == f"{seconds_between(path, first, last):.9f}"
