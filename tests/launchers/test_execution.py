"""A job is started, shown and ended, whatever it does, and nothing that was printed is lost."""

import os
import resource
import signal
import subprocess
import time

import pytest
from checkouts import METRIC, PRINT, TOP, Native, wait_until
from hypothesis import given
from hypothesis import strategies as st

from launchers.run import execution
from launchers.run.screen import Passage
from tests.commandline import on_a_terminal
from tests.hostile_text import CLIPBOARD, COLOUR, HOSTILE

pytestmark = pytest.mark.slow

SLEEP = f"import time\n{PRINT}time.sleep(60)\n"
DEAF = f"import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{SLEEP}"
CHILD = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {program!r}]{more})\n"
SLEEPING_CHILD = CHILD.format(program="import time; time.sleep(60)", more="")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not end when asked is soon killed."""
    monkeypatch.setattr(execution, "GRACE", 1.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_so_and_keeps_its_log(native: Native, number: signal.Signals) -> None:
    native.trains(SLEEP)
    process = native.training()
    process.send_signal(number)
    process.communicate(timeout=30)
    assert (process.returncode, native.facts()["status"], native.log) == (130, "interrupted", METRIC)


def test_an_interrupt_from_the_terminal_reaches_all_processes_of_the_job(native: Native) -> None:
    native.trains(SLEEPING_CHILD + SLEEP)
    process = native.training("--repeats", "2", group=True)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert (native.trainers(), native.run.with_name("2").exists()) == ([], False)


@pytest.mark.parametrize("delay", [0.0, 0.003])
def test_a_signal_in_the_first_moments_leaves_no_job_behind(native: Native, delay: float) -> None:
    native.trains(SLEEP)
    process = native.started()
    wait_until(native.unfinished.exists)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert (process.returncode, native.facts()["status"], native.trainers()) == (130, "interrupted", [])


def test_a_second_interrupt_kills_at_once(native: Native) -> None:
    native.trains(DEAF)
    process = native.training()
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert (native.facts()["status"], time.monotonic() - start < 8) == ("interrupted", True)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("program", "option", "reason"),
    [
        (DEAF, "--timeout", "Time limit exceeded."),
        ("import time\ntime.sleep(60)\n", "--stall", "Stopped: no output for 1 s."),
        (SLEEP, "--stall", "Stopped: no output for 1 s."),
    ],
    ids=["deaf", "silent", "silent later"],
)
def test_a_program_that_takes_too_long_or_prints_nothing_is_ended(
    native: Native, program: str, option: str, reason: str
) -> None:
    native.trains(program)
    native.launch(option, "1")
    facts = native.facts()
    assert (facts["status"], facts["reason"], native.trainers()) == ("failed", reason, [])
    assert facts["exit_status"] == -(signal.SIGKILL if program == DEAF else signal.SIGTERM)


def test_a_run_that_prints_again_and_again_goes_on(native: Native) -> None:
    native.trains(f"import time\n{PRINT}for n in range(4):\n    print(n, flush=True)\n    time.sleep(0.5)\n")
    native.launch("--stall", "1")
    assert native.facts()["status"] == "done"


ALONE = "start_new_session=True"
DEAF_CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("status", [0, 3])
@pytest.mark.parametrize(
    "child",
    [SLEEPING_CHILD, CHILD.format(program=DEAF_CHILD, more=f", {ALONE}, stdout=subprocess.DEVNULL")],
    ids=["left behind", "in a session of its own"],
)
def test_a_process_that_is_left_behind_is_ended_with_the_run(native: Native, child: str, status: int) -> None:
    native.trains(f"{child}import time; time.sleep(0.5)\n{PRINT}sys.exit({status})\n")
    native.launch()
    assert (native.facts()["exit_status"], native.trainers()) == (status, [])


@pytest.mark.usefixtures("quick")
def test_a_stranger_who_holds_the_output_open_holds_up_neither_the_run_nor_the_next_one(native: Native) -> None:
    stranger = "import os, time; os.environ.clear(); time.sleep(40)"
    native.trains(CHILD.format(program=stranger, more=f", {ALONE}, env={{}}") + PRINT)
    begin = time.monotonic()
    native.launch()
    assert (native.facts()["status"], time.monotonic() - begin < 30) == ("done", True)
    assert [row.partition(",")[0] for row in (native.run / "clock.csv").read_text().splitlines()] == ["line", "1"]


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
    wait_until((native.run / "run.json").exists)
    process.communicate(timeout=30)
    assert native.facts()["reason"] == "Time limit exceeded."


def test_a_second_runner_is_refused_while_the_first_one_runs(native: Native) -> None:
    native.trains(SLEEP)
    first = native.training()
    second = native.launch()
    first.terminate()
    first.communicate(timeout=30)
    assert (second.returncode, "is in use by another runner" in second.stderr) == (1, True)
    assert native.log == METRIC


def test_a_launch_ends_the_job_of_a_runner_that_was_killed_and_keeps_what_it_printed(native: Native) -> None:
    native.trains(DEAF)
    process = native.training()
    process.kill()
    process.communicate(timeout=30)
    assert len(native.trainers()) == 1
    native.trains(PRINT)
    answer = native.launch()
    assert (answer.returncode, native.trainers(), native.facts()["status"]) == (0, [], "done")
    [kept] = native.run.parent.glob(".1.unfinished-*")
    assert (kept / "train.log").read_text() == METRIC


def test_a_log_that_cannot_grow_ends_the_run_and_keeps_what_was_written(native: Native) -> None:
    native.trains(f"while True:\n    {PRINT}")
    answer = native.launch(limits={resource.RLIMIT_FSIZE: 100_000})
    assert (native.facts()["status"], "File too large" in native.facts()["reason"]) == ("failed", True)
    assert (native.facts()["log"]["bytes"], "File too large" in answer.stderr) == (100_000, True)


def test_a_full_disk_is_reported_and_what_was_written_is_kept(native: Native) -> None:
    native.suite.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(native.suite)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    native.trains(f"while True:\n    {PRINT}")
    try:
        answer = native.launch()
        kept = (native.unfinished / "train.log").stat().st_size
    finally:
        subprocess.run(["umount", str(native.suite)], check=True)
    assert (answer.returncode, "No space left on device" in answer.stderr, kept > 500_000) == (1, True, True)
    assert "Traceback" not in answer.stderr


def test_a_terminal_shows_which_run_it_is_and_all_that_is_printed_and_obeys_nothing_of_it(native: Native) -> None:
    native.trains(f"import time\n{PRINT}print({HOSTILE!r})\ntime.sleep(0.6)\nprint({HOSTILE!r}, end='')\n")
    environment = os.environ | native.environment
    status, shown = on_a_terminal([*native.command, *native.options], environment, TOP)
    assert status == 0
    assert f"ResNet50_bs64_fp32_N1C1 repeat 1, run 1 of 1\r\n{METRIC.strip()}\r\n" in shown
    assert CLIPBOARD not in shown
    assert not set(shown) & {"\x07", "\x9b", "\x85", "\u202e", "\u2066"}
    assert r"\x1b]52;c;ZXZpbA==\x07" in shown
    assert shown.rfind(COLOUR) < shown.rfind("\x1b[0m")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"),
        (b" 10%\r 20%\x1b[K\b\b", " 10%\r 20%\x1b[K\b\b"),
        ("批 ░▒▓\t1\n".encode(), "批 ░▒▓\t1\n"),
        (b"\x1b]52;c;x\x07", r"\x1b]52;c;x\x07"),
        (b"\x1b\x1b[0m]0;t\x07", "\\x1b\x1b[0m]0;t\\x07"),
        (b"\x1b[2J\x1b[1A\x1bc", r"\x1b[2J\x1b[1A\x1bc"),
        ("\x9b2J\u202e".encode(), r"\x9b2J\u202e"),
        (b"\x9b2J\xff", r"\x9b2J\xff"),
    ],
)
def test_colours_and_progress_bars_pass_and_all_else_is_escaped(printed: bytes, shown: str) -> None:
    assert Passage().through(printed, is_last=True).decode() == shown


@given(st.lists(st.binary(max_size=6) | st.sampled_from([b"\x1b", b"[3", b"1m", HOSTILE.encode()])))
def test_it_does_not_matter_how_the_output_is_cut(pieces: list[bytes]) -> None:
    passage = Passage()
    shown = b"".join(map(passage.through, pieces)) + passage.through(b"", is_last=True)
    assert shown == Passage().through(b"".join(pieces), is_last=True)
