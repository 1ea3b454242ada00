"""A job that prints nothing for long is ended where that was asked for."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest
from native_checkout import PRINT, Native, executable
from running import trainers

from launchers.backends.slurm import Slurm
from launchers.run.folder import BEGUN, SUBMITTED

SILENT = "import time\ntime.sleep(60)\n"
SILENT_LATER = f"import time\n{PRINT}import sys; sys.stdout.flush()\ntime.sleep(60)\n"
BUSY = f"import time\n{PRINT}for number in range(4):\n    print(number, flush=True)\n    time.sleep(0.5)\n"


@pytest.mark.slow
@pytest.mark.parametrize("program", [SILENT, SILENT_LATER])
def test_a_run_that_prints_nothing_for_long_is_ended(native: Native, program: str) -> None:
    native.trains(program)
    native.launch("--stall", "1")
    assert (native.facts()["status"], native.facts()["reason"]) == ("failed", "Stopped: no output for 1 s.")
    assert trainers(native) == []


@pytest.mark.slow
def test_a_run_that_prints_again_and_again_goes_on(native: Native) -> None:
    native.trains(BUSY)
    native.launch("--stall", "1")
    assert native.facts()["status"] == "done"


@pytest.mark.parametrize(("said", "least"), [("PENDING|0:00|(None)", 0), ("RUNNING|0:00|n", math.inf)])
def test_a_job_of_slurm_runs_since_its_script_says_so_else_once_the_queue_does_not_hold_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, least: float
) -> None:
    executable(tmp_path / "bin/squeue", f"#!/bin/sh\necho '{said}'\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / SUBMITTED).write_text("7\n", encoding="ascii")
    assert Slurm().ran(tmp_path) == least
    (tmp_path / BEGUN).touch()
    os.utime(tmp_path / BEGUN, (time.time() - 100,) * 2)
    assert 100 <= Slurm().ran(tmp_path) < 200
