"""What goes wrong during a run is told, and nothing that was printed is lost."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time

import pytest
from native_checkout import METRIC, PRINT, Native
from running import trainers, wait_until_printed

from launchers.run import execution

pytestmark = pytest.mark.slow

SLEEP = f"import time\n{PRINT}time.sleep(60)\n"
DEAF = f"import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PRINT}time.sleep(60)\n"


def test_a_run_that_trained_nothing_is_no_success(native: Native) -> None:
    native.trains("print('nothing to do')\n")
    answer = native.launch()
    assert (answer.returncode, native.facts()["status"], native.facts()["metric_lines"]) == (1, "failed", 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not end when asked is soon killed."""
    monkeypatch.setattr(execution, "GRACE", 1.0)


@pytest.mark.usefixtures("quick")
def test_a_program_that_ignores_sigterm_is_killed(native: Native) -> None:
    native.trains(DEAF)
    native.launch("--timeout", "1")
    facts = native.facts()
    assert (facts["status"], facts["reason"]) == ("failed", "Time limit exceeded.")
    assert (facts["exit_status"], trainers(native)) == (-signal.SIGKILL, [])


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


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("status", [0, 3])
def test_a_worker_in_a_session_of_its_own_is_ended_with_the_run(native: Native, status: int) -> None:
    worker = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    start = f"subprocess.Popen([sys.executable, '-c', {worker!r}], start_new_session=True, stdout=subprocess.DEVNULL)"
    native.trains(f"import subprocess, sys, time\n{start}\ntime.sleep(0.5)\n{PRINT}sys.exit({status})\n")
    native.launch()
    assert (native.facts()["exit_status"], trainers(native)) == (status, [])


@pytest.mark.parametrize("delay", [0.0, 0.003])
def test_a_signal_in_the_first_moments_leaves_no_job_behind(native: Native, delay: float) -> None:
    native.trains(SLEEP)
    process = native.started()
    while not native.unfinished.exists():
        time.sleep(0.0005)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert (process.returncode, native.facts()["status"], trainers(native)) == (130, "interrupted", [])


def test_a_reader_who_has_seen_enough_does_not_end_the_run(native: Native) -> None:
    native.trains(f"import time\nfor _ in range(20):\n    {PRINT}    time.sleep(0.1)\n")
    process = native.started()
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    with process.stderr:
        process.stderr.read()
    process.wait(timeout=30)
    assert (process.returncode, native.facts()["metric_lines"]) == (0, 20)


def test_a_terminal_that_stands_still_does_not_hold_up_the_end_of_the_time(native: Native) -> None:
    native.trains(f"import sys, time\nsys.stdout.write({METRIC * 4000!r})\ntime.sleep(60)\n")
    process = native.started("--timeout", "1")
    deadline = time.monotonic() + 20
    while not (native.run / "run.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.communicate(timeout=30)
    assert native.facts()["reason"] == "Time limit exceeded."


@pytest.mark.usefixtures("quick")
def test_a_stranger_who_holds_the_output_open_holds_up_neither_the_run_nor_the_next_one(native: Native) -> None:
    stranger = "import os, time; os.environ.clear(); time.sleep(40)"
    start = f"subprocess.Popen([sys.executable, '-c', {stranger!r}], start_new_session=True, env={{}})"
    native.trains(f"import subprocess, sys\n{start}\n{PRINT}")
    begin = time.monotonic()
    native.launch()
    assert (native.facts()["status"], time.monotonic() - begin < 30) == ("done", True)
    assert [row.partition(",")[0] for row in (native.run / "clock.csv").read_text().splitlines()] == ["line", "1"]


def test_a_second_runner_is_refused_while_the_first_one_runs(native: Native) -> None:
    native.trains(SLEEP)
    first = native.started()
    wait_until_printed(native)
    second = native.launch()
    first.terminate()
    first.communicate(timeout=30)
    assert (second.returncode, b"is in use by another runner" in second.stderr) == (1, True)
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


def test_a_full_disk_is_reported_and_what_was_written_is_kept(small_disk: Native) -> None:
    small_disk.trains(f"while True:\n    {PRINT}")
    try:
        answer = small_disk.launch()
        kept = (small_disk.unfinished / "train.log").stat().st_size
    finally:
        subprocess.run(["umount", str(small_disk.suite)], check=True)
    assert (answer.returncode, b"No space left on device" in answer.stderr, kept > 500_000) == (1, True, True)
    assert b"Traceback" not in answer.stderr
