"""What goes wrong during a run is told, and nothing that was printed is lost."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from native_checkout import METRIC, PRINT, Native

SLEEP = f"import time\n{PRINT}time.sleep(60)\n"
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
DEAF = f"import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PRINT}time.sleep(60)\n"


def wait_until_printed(native: Native) -> None:
    """Wait until the running job has printed its first line."""
    deadline = time.monotonic() + 30
    log = native.unfinished / "train.log"
    while not (log.exists() and log.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def wait_until_released(native: Native) -> None:
    """Wait until no process of the killed runner holds the run folder any more."""
    lock = native.run.with_name(".1.lock")
    if lock.exists():
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)


def trainers(native: Native) -> list[psutil.Process]:
    """The processes that train in the checkout."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(native.repo) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_a_done_run_has_exit_status_0(native: Native) -> None:
    native.launch()
    assert (native.facts()["status"], native.facts()["exit_status"]) == ("done", 0)


def test_a_failed_program_makes_a_failed_run_that_keeps_its_last_lines(native: Native) -> None:
    native.trains("print('half'); raise SystemExit(3)\n")
    answer = native.launch()
    facts = native.facts()
    assert (facts["status"], facts["exit_status"], facts["last_lines"]) == ("failed", 3, ["half"])
    assert (answer.returncode, b"ended with exit status 3" in answer.stderr) == (1, True)


def test_a_run_that_trained_nothing_is_no_success(native: Native) -> None:
    native.trains("print('nothing to do')\n")
    answer = native.launch()
    assert (native.facts()["status"], native.facts()["metric_lines"]) == ("failed", 0)
    assert b"no line of its log matches" in answer.stderr


def test_repeats_after_a_failed_one_are_not_started(native: Native) -> None:
    native.trains("raise SystemExit(3)\n")
    native.launch("--repeats", "2")
    assert [path.name for path in native.run.parent.iterdir()] == ["1"]


def test_a_run_whose_time_is_over_is_ended(native: Native) -> None:
    native.trains(SLEEP)
    native.launch("--timeout", "1")
    assert (native.facts()["status"], native.facts()["reason"]) == ("failed", "Its time was over.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_keeps_its_log(native: Native, number: signal.Signals) -> None:
    native.trains(SLEEP)
    process = native.started()
    wait_until_printed(native)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert (native.facts()["status"], (native.run / "train.log").read_text()) == ("interrupted", METRIC)


def test_an_interrupt_from_the_terminal_reaches_all_processes_of_the_job(native: Native) -> None:
    worker = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    native.trains(worker + SLEEP)
    process = native.started("--repeats", "2", group=True)
    wait_until_printed(native)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert (trainers(native), native.run.with_name("2").exists()) == ([], False)


def test_a_program_that_ignores_sigterm_is_killed(native: Native) -> None:
    native.trains(DEAF)
    native.launch("--timeout", "1")
    assert (native.facts()["exit_status"], trainers(native)) == (-signal.SIGKILL, [])


def test_a_second_interrupt_kills_at_once(native: Native) -> None:
    native.trains(DEAF)
    process = native.started()
    wait_until_printed(native)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert (native.facts()["status"], time.monotonic() - start < 8) == ("interrupted", True)


def test_a_process_that_is_left_behind_does_not_hold_up_the_run(native: Native) -> None:
    left = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    native.trains(left + PRINT)
    native.launch()
    assert (native.facts()["status"], trainers(native)) == ("done", [])


def test_a_second_runner_is_refused_while_the_first_one_runs(native: Native) -> None:
    native.trains(SLEEP)
    first = native.started()
    wait_until_printed(native)
    second = native.launch()
    first.terminate()
    first.communicate(timeout=30)
    assert (second.returncode, b"is being filled by another runner" in second.stderr) == (1, True)
    assert (native.run / "train.log").read_text() == METRIC


def test_a_log_that_cannot_grow_ends_the_run_and_keeps_what_was_written(native: Native) -> None:
    native.trains(f"while True:\n    {PRINT}")
    answer = native.launch(limits={resource.RLIMIT_FSIZE: 100_000})
    assert (native.facts()["status"], "File too large" in native.facts()["reason"]) == ("failed", True)
    assert (native.facts()["log"]["bytes"], b"File too large" in answer.stderr) == (100_000, True)


@pytest.fixture
def small_disk(native: Native) -> Native:
    """The folder of the suite on a disk of one megabyte."""
    native.suite.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(native.suite)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    return native


def test_a_full_disk_is_told_and_what_was_written_is_kept(small_disk: Native) -> None:
    small_disk.trains(f"while True:\n    {PRINT}")
    try:
        answer = small_disk.launch()
        kept = (small_disk.unfinished / "train.log").stat().st_size
    finally:
        subprocess.run(["umount", str(small_disk.suite)], check=True)
    assert (answer.returncode, b"No space left on device" in answer.stderr, kept > 500_000) == (1, True, True)
    assert b"Traceback" not in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
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


def test_a_run_whose_runner_was_killed_is_repeated(native: Native) -> None:
    native.trains(SLEEP)
    process = native.started()
    wait_until_printed(native)
    process.kill()
    process.communicate(timeout=30)
    wait_until_released(native)
    assert not native.run.exists()
    native.trains(PRINT)
    native.launch()
    assert (native.facts()["status"], native.unfinished.exists()) == ("done", False)
