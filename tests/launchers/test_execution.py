"""A job is started, shown and ended, whatever it does, and nothing that was printed is lost."""

import errno
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
ALONE = "start_new_session=True"
DEAF_CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does not end when asked is soon killed."""
    monkeypatch.setattr(execution, "GRACE", 1.0)


def interrupted(process: "subprocess.Popen[str]", number: signal.Signals = signal.SIGINT, times: int = 1) -> int:
    """The exit status of a launch after a signal."""
    for again in range(times):
        time.sleep(0.5 if again else 0)
        process.send_signal(number)
    process.communicate(timeout=30)
    return process.returncode


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_so_and_keeps_its_log(native: Native, number: signal.Signals) -> None:
    native.trains(SLEEP)
    assert interrupted(native.training(), number) == 130
    assert (native.facts()["status"], native.log) == ("interrupted", METRIC)


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
    assert interrupted(process) == 130
    assert (native.facts()["status"], native.trainers()) == ("interrupted", [])


def test_a_second_interrupt_kills_at_once(native: Native) -> None:
    native.trains(DEAF)
    process, start = native.training(), time.monotonic()
    interrupted(process, times=2)
    assert (native.facts()["status"], time.monotonic() - start < 8) == ("interrupted", True)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("program", "option", "ends_by"),
    [
        (DEAF, "--timeout", signal.SIGKILL),
        ("import time\ntime.sleep(60)\n", "--stall", signal.SIGTERM),
        (SLEEP, "--stall", signal.SIGTERM),
        (f"import time\n{PRINT}for n in range(4):\n    print(n, flush=True)\n    time.sleep(0.5)\n", "--stall", 0),
    ],
    ids=["deaf", "silent", "silent later", "prints again and again"],
)
def test_a_program_that_takes_too_long_or_prints_nothing_is_ended(
    native: Native, program: str, option: str, ends_by: int
) -> None:
    native.trains(program)
    native.launch(option, "1")
    facts, status = native.facts(), "failed" if ends_by else "done"
    assert (facts["status"], facts["exit_status"], native.trainers()) == (status, -ends_by, [])


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
    assert process.stdout and process.stderr
    process.stdout.close()
    with process.stderr:
        process.stderr.read()
    assert (process.wait(timeout=30), native.facts()["metric_lines"]) == (0, 20)


def test_a_terminal_that_stands_still_does_not_hold_up_the_end_of_the_time(native: Native) -> None:
    native.trains(f"import sys, time\nsys.stdout.write({METRIC * 4000!r})\ntime.sleep(60)\n")
    process = native.started("--timeout", "1")
    wait_until((native.run / "run.json").exists)
    process.communicate(timeout=30)
    assert native.facts()["exit_status"] == -signal.SIGTERM


def test_a_second_runner_is_refused_while_the_first_one_runs(native: Native) -> None:
    native.trains(SLEEP)
    first = native.training()
    second = native.launch()
    interrupted(first)
    assert (second.returncode, str(native.run) in second.stderr, native.log) == (1, True, METRIC)


def test_a_launch_ends_the_job_of_a_runner_that_was_killed_and_keeps_what_it_printed(
    native: Native, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "GRACE", 1.0)
    native.trains(DEAF)
    interrupted(native.training(), signal.SIGKILL)
    assert len(native.trainers()) == 1
    native.trains(PRINT)
    answer = native.launch()
    assert (answer.returncode, native.trainers(), native.facts()["status"]) == (0, [], "done")
    [kept] = native.run.parent.glob(".1.unfinished-*")
    assert (kept / "train.log").read_text() == METRIC


def test_a_log_that_cannot_grow_ends_the_run_and_keeps_what_was_written(native: Native) -> None:
    native.trains(f"while True:\n    {PRINT}")
    process = native.started()
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100_000, 100_000))
    _, errors = process.communicate(timeout=60)
    facts, said = native.facts(), os.strerror(errno.EFBIG)
    assert (facts["status"], facts["log"]["bytes"]) == ("failed", 100_000)
    assert (said in facts["reason"], said in errors) == (True, True)


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
    assert (answer.returncode, os.strerror(errno.ENOSPC) in answer.stderr, kept > 500_000) == (1, True, True)


def test_a_terminal_shows_which_run_it_is_and_all_that_is_printed_and_obeys_nothing_of_it(native: Native) -> None:
    native.trains(f"import time\n{PRINT}print({HOSTILE!r})\ntime.sleep(0.6)\nprint({HOSTILE!r}, end='')\n")
    environment = os.environ | native.environment
    status, shown = on_a_terminal([*native.command, *native.options], environment, TOP)
    before, metric, _ = shown.partition(f"\r\n{METRIC.strip()}\r\n")
    assert (status, native.run.parent.name in before.splitlines()[-1], bool(metric)) == (0, True, True)
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
