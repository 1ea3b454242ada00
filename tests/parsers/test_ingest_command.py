"""The command ingest: what it says, and that any number of processes gives the same."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.commandline import ENVIRONMENT, PROGRAM, run
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, step, steps, write

pytestmark = pytest.mark.slow


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    folder.mkdir()
    for number in range(40):
        write(folder, step(number), name=f"net_{number}.log")
    write(folder, step(7), name="copy.log")
    write(folder, OTHER_NOISE, name="notes.txt")
    return folder


def test_json_is_an_object_a_log_and_one_a_file_that_is_unreadable(lab: Path, tmp_path: Path) -> None:
    done = run("ingest", lab / "copy.log", "absent.log", "--into", "logs", "--json", cwd=tmp_path)
    log, absent = map(json.loads, done.stdout.splitlines())
    assert (log["run"], log["status"], log["format"]) == ("lab__copy/1", "new", FORMAT)
    assert (absent["status"], absent["reason"]) == ("unreadable", "file or folder not found.")
    assert (done.returncode, done.stderr) == (1, "Error: absent.log: file or folder not found.\n")


def test_no_log_at_all_is_status_1(tmp_path: Path) -> None:
    done = run("ingest", write(tmp_path, OTHER_NOISE).parent, "--into", tmp_path / "logs")
    assert (done.returncode, done.stderr) == (1, "Error: No logs found.\n")


@pytest.mark.parametrize("wrong", [(), ("a.log",), ("a.log", "--into", "logs", "--jobs", "0")])
def test_wrong_use_is_status_2(tmp_path: Path, wrong: tuple[str, ...]) -> None:
    done = run("ingest", *wrong, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_an_ingest_that_was_killed_leaves_whole_runs_and_goes_on(lab: Path, tmp_path: Path) -> None:
    for number in range(2000):
        write(lab, *steps(number % 50 + 1), name=f"more_{number}.log")
    into = tmp_path / "logs"
    command = [*PROGRAM, "ingest", str(lab), "--into", str(into), "--jobs", "2"]
    with subprocess.Popen(command, env=ENVIRONMENT) as process:
        while not list(into.glob("lab__*/1")):
            time.sleep(0.01)
        process.kill()
    assert all((run_ / "run.json").is_file() and (run_ / "train.log").is_file() for run_ in into.glob("lab__*/1"))
    time.sleep(1)  # the processes that it started end by themselves
    assert run("ingest", lab, "--into", into).returncode == 0
    assert len(list(into.iterdir())) == 2041
