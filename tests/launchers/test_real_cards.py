"""The real NVML, where there is one; all other tests of cards have a stand-in for it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from native_checkout import TOP

WITHOUT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ASK = "from launchers.machine import gpus; print(gpus.trouble() or '')"
SAMPLE = """
import sys, time
from pathlib import Path
from launchers.machine import sampling
path = Path(sys.argv[1])
with sampling.recorded(path, path.with_name("gpu_processes.csv")):
    time.sleep(2.5)
"""


def asked(program: str, *arguments: str) -> str:
    """What a program prints that sees the real NVML."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=TOP, env=WITHOUT, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def samples(tmp_path: Path) -> list[dict[str, str]]:
    """Two seconds of the cards of this machine."""
    if trouble := asked(ASK):
        pytest.skip(f"NVML does not start here: {trouble}")
    asked(SAMPLE, str(tmp_path / "gpu.csv"))
    with (tmp_path / "gpu.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_cards_of_this_machine_and_their_processes_are_sampled_each_second(
    samples: list[dict[str, str]], tmp_path: Path
) -> None:
    assert [row for row in samples if not (float(row["memory"]) >= 0 and float(row["power"]) > 0)] == []
    assert len({row["time"] for row in samples}) in {2, 3}
    with (tmp_path / "gpu_processes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row for row in rows if not (row["pid"].isdecimal() and row["card"].isdecimal())] == []
