"""A job that does not get on is told with its last lines, and is ended where that was asked for."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest
from native_checkout import PRINT, Native, executable
from running import trainers

from launchers.backends.slurm import Slurm
from launchers.run.execution import Stall
from launchers.run.folder import BEGUN, SUBMITTED

SILENT = "import time\nprint('it begins', flush=True)\ntime.sleep(60)\n"
REPEATING = "import time\nwhile True:\n    print('master not ready', flush=True)\n    time.sleep(0.2)\n"
SILENT_LATER = f"import time\n{PRINT}import sys; sys.stdout.flush()\ntime.sleep(60)\n"
PATIENT = f"import time\nprint('it begins', flush=True)\ntime.sleep(1.5)\n{PRINT}"
BUSY = f"import time\n{PRINT}for number in range(4):\n    print(number, flush=True)\n    time.sleep(0.5)\n"


class Watched:
    """A log that is watched, without a metric line so far."""

    def __init__(self, top: Path) -> None:
        self.log, self.told = top / "train.log", list[str]()
        self.log.touch()
        self.stall = Stall(self.log, "ips: ", 0.2, True, lambda: math.inf, self.told.append)

    def printed(self, text: str) -> None:
        """Let the job print something."""
        with self.log.open("a") as file:
            file.write(text)

    def is_ended(self, wait: float = 0.0) -> bool:
        """Look again, after a while."""
        time.sleep(wait)
        self.stall._next = 0.0
        return self.stall.ends_now()


@pytest.mark.slow
@pytest.mark.parametrize(("program", "line"), [(SILENT, b"it begins"), (REPEATING, b"master not ready")])
def test_a_run_without_a_metric_line_is_reported_with_its_last_lines_and_ended(
    native: Native, program: str, line: bytes
) -> None:
    native.trains(program)
    answer = native.launch("--stall", "1", "--stall-ends")
    facts = native.facts()
    assert (facts["status"], "no log line matching" in facts["reason"], trainers(native)) == ("failed", True, [])
    assert b"  " + line in answer.stderr


@pytest.mark.slow
def test_a_stall_is_only_reported_where_nobody_asked_to_end_the_run(native: Native) -> None:
    native.trains(PATIENT)
    answer = native.launch("--stall", "1")
    assert (native.facts()["status"], answer.stderr.count(b"The run has stalled: ")) == ("done", 1)


@pytest.mark.slow
def test_a_run_that_prints_other_lines_between_its_metric_lines_gets_on(native: Native) -> None:
    native.trains(BUSY)
    answer = native.launch("--stall", "2", "--stall-ends")
    assert (native.facts()["status"], b"stalled" in answer.stderr) == ("done", False)


@pytest.mark.slow
def test_a_run_whose_time_is_over_while_it_stalls_says_both(native: Native) -> None:
    native.trains(SILENT_LATER)
    native.launch("--stall", "1", "--timeout", "2")
    assert native.facts()["reason"] == "Time limit exceeded, after no output for 1 s."


def test_a_stall_is_told_once_and_ends_with_a_metric_that_comes_in_pieces(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    assert [watched.is_ended(0.25), watched.is_ended(0.25), len(watched.told)] == [True, True, 1]
    for piece in ("x" * ((1 << 16) - 3) + "ip", "s: 4.9"):
        watched.printed(piece)
        is_ended = watched.is_ended()
    assert not is_ended
    watched.is_ended(0.25)
    assert watched.stall.said == "no output for 0 s"


def test_what_a_stalled_job_printed_cannot_change_the_terminal(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.printed("\x1b]52;c;aGk=\x07\n")
    watched.is_ended(0.25)
    assert "\n  \\x1b]52;c;aGk=\\x07\n" in watched.told[0]


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
