"""The command `tachograph show --follow`, beside programs that write its log."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from tests.commandline import PROJECT, run
from tests.parsers.toy_logs import step, steps, write

# They call the program.
pytestmark = pytest.mark.slow

LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"
COMMAND = [sys.executable, "-c", "import tachograph; tachograph.main()", "show", "--follow"]
PATIENCE = 60  # seconds until a test gives up


@contextmanager
def following(*arguments: str | Path, **streams: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """The command with these arguments, on a terminal of 160 columns where its streams are one."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "TERM": "xterm", "COLUMNS": "160", "LINES": "40"}
    with subprocess.Popen([*COMMAND, *map(str, arguments)], env=environment, **streams) as child:
        try:
            yield child
        finally:
            child.kill()


def interrupted(child: "subprocess.Popen[bytes]") -> int:
    """Press Ctrl-C; returns the exit status."""
    child.send_signal(signal.SIGINT)
    return child.wait(PATIENCE)


def until(stream: IO[bytes], measured: object) -> dict[str, Any]:
    """The first object of a stream with this throughput."""
    while found := json.loads(stream.readline()):
        rate = found.get("throughput")
        if rate and (rate["value"], rate["records"]) == measured:
            return dict(found)
    raise AssertionError


def test_a_log_is_shown_again_whenever_it_appears_grows_is_cut_or_is_replaced(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with following(log, "--json", "--protocol", "records=step", **streams) as child:
        assert child.stdout
        assert child.stderr
        assert str(log) in child.stderr.readline().decode()
        write(tmp_path, step(0, "100"), step(1, "200"))
        assert until(child.stdout, (150, 2))["format"] == "dllogger_tensorflow"
        with log.open("ab") as file:
            file.write(step(2, "600"))
        until(child.stdout, (300, 3))
        write(tmp_path, step(5, "700"))
        until(child.stdout, (700, 1))
        log.rename(tmp_path / "train.log.1")
        write(tmp_path, *steps(4))
        until(child.stdout, (1000.5, 4))
        assert interrupted(child) == 0


def test_a_log_that_is_not_yet_one_is_waited_for(tmp_path: Path) -> None:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with following(write(tmp_path), "--json", **streams) as child:
        assert child.stdout
        assert json.loads(child.stdout.readline())["status"] == "error"
        write(tmp_path, *steps(20))
        while not json.loads(child.stdout.readline()).get("throughput"):
            pass
        assert interrupted(child) == 0


def test_a_terminal_shows_the_summary_in_place_until_ctrl_c() -> None:
    ours, theirs = pty.openpty()
    with following(LOG, stdin=theirs, stdout=theirs, stderr=theirs) as child:
        os.close(theirs)
        shown, deadline = b"", time.monotonic() + PATIENCE
        while b"227 lines" not in shown and select.select([ours], [], [], deadline - time.monotonic())[0]:
            shown += os.read(ours, 1 << 16)
        assert interrupted(child) == 0
    os.close(ours)
    number = next(line for line in run("show", LOG).stdout.splitlines() if "samples/s of the whole job" in line)
    assert " ".join(number.split()[1:3]).encode() in shown


@pytest.mark.parametrize("wrong", [[PROJECT], [LOG, LOG], [LOG, "--jobs", "2"], [LOG, "--format", "no"]])
def test_what_cannot_be_followed_is_one_sentence_and_status_2(wrong: list[str | Path]) -> None:
    done = run("show", "--follow", *wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr
