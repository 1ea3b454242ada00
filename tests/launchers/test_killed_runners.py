"""A runner that is killed loses nothing that was printed, and its run is repeated."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from native_checkout import PRINT, Native
from running import trainers, wait_until_printed, wait_until_released

pytestmark = pytest.mark.slow

SLOW_END = (
    f"import signal, time\nsignal.signal(signal.SIGTERM, lambda *_: (time.sleep(2), exit()))\n{PRINT}time.sleep(60)\n"
)
DEAF = f"import signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PRINT}time.sleep(60)\n"
# Prints numbered lines, and counts in a file those that were printed to the end.
COUNT = """
import mmap, os, struct
with open({counter!r}, "r+b") as file:
    counter = mmap.mmap(file.fileno(), 8)
number = 0
while True:
    number += 1
    os.write(1, b"[Train] line %d of many, ips: 4.97591 samples/s\\n" % number)
    counter[:] = struct.pack("q", number)
"""


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_runner_loses_nothing_that_was_printed(native: Native, tmp_path: Path, seed: int) -> None:
    counter = tmp_path / "counter"
    counter.write_bytes(bytes(8))
    native.trains(COUNT.format(counter=str(counter)))
    process = native.started()
    wait_until_printed(native)
    time.sleep(random.Random(seed).random())  # noqa: S311 - a moment, no secret
    process.kill()
    process.communicate(timeout=30)
    wait_until_released(native)
    printed = int.from_bytes(counter.read_bytes(), "little")
    lines = (native.unfinished / "train.log").read_bytes().splitlines()
    assert len(lines) >= printed > 0
    assert lines == [b"[Train] line %d of many, ips: 4.97591 samples/s" % number for number in range(1, len(lines) + 1)]
    assert trainers(native) == []


def killed(native: Native, program: str) -> subprocess.Popen[bytes]:
    """A runner that was killed while the program trained."""
    native.trains(program)
    process = native.started()
    wait_until_printed(native)
    process.kill()
    process.wait(timeout=30)
    return process


def test_a_launch_right_after_a_runner_was_killed_waits_for_its_job_and_goes_on(native: Native) -> None:
    first = killed(native, SLOW_END)
    assert not native.run.exists()
    native.trains(PRINT)
    answer = native.launch()
    first.communicate(timeout=30)
    assert (answer.returncode, native.facts()["status"], trainers(native)) == (0, "done", [])
    assert b"was killed; waiting up to" in answer.stderr


def test_a_launch_ends_the_job_of_a_runner_that_was_killed_with_all_that_watched_it(native: Native) -> None:
    native.trains(DEAF)
    process = native.started()
    wait_until_printed(native)
    for child in psutil.Process(process.pid).children():
        if child.cwd() != str(native.repo):
            child.kill()
    process.kill()
    process.communicate(timeout=30)
    assert len(trainers(native)) == 1
    native.trains(PRINT)
    answer = native.launch()
    assert (answer.returncode, trainers(native), native.facts()["status"]) == (0, [], "done")


def test_an_interrupt_ends_the_waiting_for_a_killed_runner(native: Native) -> None:
    first = killed(native, DEAF)
    second = native.started()
    assert second.stderr
    while b"waiting up to" not in second.stderr.readline():
        assert second.poll() is None
    second.terminate()
    second.communicate(timeout=5)
    first.communicate(timeout=30)
    assert (second.returncode, native.run.exists()) == (1, False)
